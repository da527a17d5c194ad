"""The parts of a game that each audience may see, chosen here and nowhere else.

``view(state, audience)`` turns the folded state into one dictionary for JSON, complete in itself:
with the newest one no earlier one is needed. Its form is :class:`game.schema.View`. No clock is
read: the page that shows a running clock computes it from the times given.

Players stay honest by what is *not* in a view. No player's view has the unseen tiles. Only the
director's has a flag while the player whom it helps may still act on it (``may_see``), and the
tiles on a rack before the end of the game is settled. No view says if a word is valid while it can
still be challenged.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Final, get_args

from game.adjudication.answers import asked_about
from game.adjudication.blank_letters import suggestions
from game.adjudication.remedies import is_provisional, offers, rulings
from game.board import FACE_DOWN, UNDESIGNATED, UNREADABLE, Board, Square, is_blank
from game.events import SIDES, Side
from game.flags import CODES, Flag
from game.gcg import record_from_game
from game.gcg.record import Entry, GameRecord
from game.referee.inference import Seen
from game.referee.position import answered
from game.referee.turn import Turn
from game.rulebooks.announcing import in_words
from game.schema import Adjustment as AdjustmentShape
from game.schema import Audience, Clocks, Rules, View
from game.schema import Flag as FlagShape
from game.schema import Turn as TurnShape
from game.state.fold import GameState
from game.state.settlement import Adjustment
from game.state.timed_rights import windows
from game.tileset import TileSet
from game.values import replace
from record.story.sums import turn_sum
from table.views.public_policy import (
    BROADCAST,
    FULLY_OPEN,
    PublicPolicy,
    rack_of,
    unseen_of,
    verdict_of,
)

AUDIENCES: Final[tuple[Audience, ...]] = get_args(Audience)

_RACKS = ("end_rack", "end_rack_penalty")

_REMADE: Final = frozenset({"play", "undone"})
"""Rulings that may only correct the program's finding; the others are events of the game."""


def view(
    state: GameState,
    audience: Audience,
    words: Container[str] | None = None,
    public: PublicPolicy = FULLY_OPEN,
) -> dict[str, Any]:
    """Return the game for this audience, in the form of :class:`game.schema.View`.

    If ``words`` is given, a director's view has ``"suggestions"`` for blanks without a letter.
    ``public`` is the tournament's policy for the public.
    """
    rules = {"public": public, "broadcast": BROADCAST}.get(audience)
    withheld, book = _withheld(state, audience), state.rulebook
    scores = {side: state.scores[side] - withheld[side] for side in SIDES}
    # Before the scores are final the outcome would name the wrong winner of a close game, and the
    # spread would give away what is withheld; a director sees what it would be as things stand.
    outcome_shown = state.final or audience == "director"
    checked = _checked(state, audience)
    shown: dict[str, Any] = {}
    if rules is not None:
        shown |= unseen_of(state, rules)
    elif audience == "director" and words is not None:
        shown["suggestions"] = suggestions(state.board, words, state.tile_set.letters)
    return View.of(
        state,
        audience=audience,
        outcome=state.outcome if outcome_shown else None,
        provisional=is_provisional(state),
        rulebook=Rules.fields(book, announced=book.adjusted, in_words=in_words(book)),
        players={side: {"name": state.players[side], "score": scores[side]} for side in SIDES},
        scores=scores,
        clocks=_clocks(state, audience) if state.timed else None,
        on_turn=state.on_turn if state.status != "ended" else None,
        rows=state.board.rows,
        squares=_squares(state),
        last=list(state.turns[-1].tiles) if state.turns else [],
        turns=[
            _turn(
                turn,
                state,
                audience,
                checked,
                {**(verdict_of(turn, state, rules, words) if rules else {}), **history},
            )
            for turn, history in zip(state.turns, _histories(state), strict=True)
        ],
        windows=windows(state),
        adjustments=list(_adjustments(state, audience, rules)),
        flags=_flags(state.flags, None, state, audience),
        **shown,
    ).as_json()


def _clocks(state: GameState, audience: Audience) -> dict[str, Any]:
    """Return the clocks. Only a director sees why they stand, except for an open challenge."""
    stopped_for: dict[str, str] = {}
    stopped_ns = state.progress.stopped_ns
    stands = state.status == "running" and state.clocks.running is None
    if stands and stopped_ns is not None:
        rulings = state.progress.ledger.rulings_for(len(state.turns))
        reason = rulings.reason_for(stopped_ns)
        ruling = rulings.ruled if reason == "challenge" else None
        ruled = ruling is not None and ruling.happened_ns >= stopped_ns
        if reason is not None and not ruled and (audience == "director" or reason == "challenge"):
            stopped_for["stopped_for"] = reason
    return Clocks.fields(state.clocks, used_ns=_used_ns(state), **stopped_for)


def turn_shape(turn: Turn, state: GameState, audience: Audience) -> TurnShape:
    """Return one turn in the form for this audience."""
    return TurnShape.model_validate(_turn(turn, state, audience, _checked(state, audience), {}))


def flag_shapes(state: GameState, audience: Audience) -> list[FlagShape]:
    """Return the flags about the whole game that this audience may see."""
    flags = _flags(state.flags, None, state, audience)
    return [FlagShape.model_validate(flag) for flag in flags]


def _turn(
    turn: Turn,
    state: GameState,
    audience: Audience,
    checked: Container[int],
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the fields of a turn; ``more`` are optional fields that this audience may see."""
    flags = _flags(turn.flags, turn, state, audience)
    beside: dict[str, Any] = {}
    if audience == "director":
        beside["rulings"] = rulings(state, turn)
    elif turn.number in checked:
        beside["checking"] = True
    if turn.seen.lost:
        beside["lost"] = list(turn.seen.lost)
    if turn.open_tiles:
        beside["open_tiles"] = turn.open_tiles
    sums = _sums(turn, state.tile_set) if turn.kind == "play" and audience != "director" else ()
    words = [
        {"symbols": symbols, "text": state.tile_set.word(symbols), "points": points}
        | ({"sum": sums[at]} if sums else {})
        for at, (symbols, points) in enumerate(turn.words)
    ]
    bingo = turn.bingo if turn.kind == "play" else 0  # the signed statement has it all the same
    return TurnShape.fields(turn, flags=flags, words=words, bingo=bingo, **beside, **more)


_SUMS: Final[dict[int, tuple[Turn, tuple[str, ...]]]] = {}
_MOST_SUMS: Final = 10_000


def _sums(turn: Turn, tile_set: TileSet) -> tuple[str, ...]:
    """Return how each word of a play scores; nothing if its points are no sum of its squares.

    A turn is in every later view of its game, so its sums are kept.
    """
    known = _SUMS.get(id(turn))
    if known is None or known[0] is not turn:
        if len(_SUMS) >= _MOST_SUMS:
            _SUMS.clear()
        found = turn_sum(turn, tile_set)
        stands = found is not None and found.made == turn.score
        known = turn, tuple(one.in_short for one in found.words) if found and stands else ()
        _SUMS[id(turn)] = known
    return known[1]


def _checked(state: GameState, audience: Audience) -> frozenset[int]:
    """Return the numbers of turns with an unread tile or an open question that all may see.

    A face-down tile counts as unread, and pages show both alike: a different mark would tell
    players about a fault that only the opponent may raise.
    """
    if audience == "director" or state.signed is not None:
        return frozenset()
    unread = {
        turn.number
        for turn in state.turns
        for name, symbol in turn.tiles.items()
        if symbol in (FACE_DOWN, UNREADABLE) and state.board[Square.parse(name)] == symbol
    }
    asked = {
        number
        for turn in state.turns
        for flag in turn.flags
        if CODES[flag.code].checked
        and flag.settled is None
        and may_see(flag, turn, state, audience)
        for number in asked_about(state, turn, flag)
    }
    return frozenset(unread | asked)


def _flags(
    flags: Iterable[Flag], turn: Turn | None, state: GameState, audience: Audience
) -> list[dict[str, Any]]:
    seen = [flag for flag in flags if may_see(flag, turn, state, audience)]
    if audience != "director":
        return [FlagShape.fields(flag, **_announced(flag), **_unquoted(flag)) for flag in seen]
    return [
        FlagShape.fields(
            flag,
            **_announced(flag),
            visibility=flag.visibility,
            settled=flag.settled,
            remedies=offers(state, turn, flag),
            **_about(flag, turn, state),
        )
        for flag in seen
    ]


def _announced(flag: Flag) -> dict[str, bool]:
    return {"announced": True} if CODES[flag.code].announced else {}


def _about(flag: Flag, turn: Turn | None, state: GameState) -> dict[str, int]:
    """Return the turn that the answers concern, if it is not the turn with the flag."""
    if turn is None or (first := asked_about(state, turn, flag)[0]) == turn.number:
        return {}
    return {"turn": first}


def _unquoted(flag: Flag) -> dict[str, str]:
    """Return the message without the tiles of a rack, which only the director may see."""
    if flag.code != "rack_unknown":
        return {}
    meaning = CODES[flag.code].meaning
    return {"message": f"{meaning[0].upper()}{meaning[1:]}."}


def may_see(flag: Flag, turn: Turn | None, state: GameState, audience: Audience) -> bool:
    """Return True if this audience may see a flag of a turn, or of the game if ``turn`` is None.

    A flag that only the opponent may raise is shown only to the director until that right has
    certainly expired. The camera cannot see a score being written, so the right counts as expired
    when the opponent has completed a turn, or when somebody has ended the game. A game that only
    looks played out can still be undone by a challenge.
    """
    if audience == "director":
        return True
    if flag.settled is not None:
        return False
    if flag.visibility == "public":
        return True
    if flag.visibility == "director":
        return False
    if state.settled:
        return True
    return turn is not None and answered(state.turns, turn)


def _may_see_line(line: Adjustment, state: GameState, audience: Audience) -> bool:
    # The worth of the tiles left on a rack tells which tiles they are.
    return audience == "director" or line.kind not in _RACKS or state.settled


def _adjustments(
    state: GameState, audience: Audience, rules: PublicPolicy | None
) -> Iterator[dict[str, Any]]:
    """Yield the lines that this audience may see, with totals that do not reveal the others."""
    withheld = dict.fromkeys(SIDES, 0)
    for line in state.adjustments:
        if not _may_see_line(line, state, audience):
            withheld[line.side] += line.points
            continue
        tiles = {"tiles": line.tiles} if audience == "director" else {}
        tiles |= rack_of(line, state, rules) if rules else {}
        yield AdjustmentShape.fields(line, total=line.total - withheld[line.side], **tiles)


def _withheld(state: GameState, audience: Audience) -> dict[Side, int]:
    """Return the points in each score from lines that this audience may not see."""
    withheld: dict[Side, int] = dict.fromkeys(SIDES, 0)
    for line in state.adjustments:
        if not _may_see_line(line, state, audience):
            withheld[line.side] += line.points
    return withheld


def _squares(state: GameState) -> dict[str, dict[str, Any]]:
    placed_in = {
        name: turn.number
        for turn in state.turns
        if turn.kind != "challenge_upheld"
        for name in turn.tiles
    }
    return {
        square.name: {
            "symbol": symbol,
            "value": None if symbol in (FACE_DOWN, UNREADABLE) else state.tile_set.value(symbol),
            "blank": is_blank(symbol),
            "turn": placed_in.get(square.name),
        }
        for square, symbol in state.board.tiles().items()
    }


def _histories(state: GameState) -> Iterator[dict[str, Any]]:
    """Yield for each turn ``used_ns`` if a clock ran, and ``corrected`` if it was corrected."""
    full = state.rulebook.clock_ns
    left = {side: full + state.progress.added_ns.get(side, 0) for side in SIDES}
    for turn, seen in zip(state.turns, state.ledger.sightings, strict=True):
        found: dict[str, Any] = {}
        if turn.clock_ns is not None and state.timed:
            # Time that was added is in what each of a player's clocks shows.
            found["used_ns"] = max(0, left[turn.side] - turn.clock_ns)
            left[turn.side] = turn.clock_ns
        if _remade(seen) or _was_corrected(turn, state):
            found["corrected"] = True
        yield found


def _used_ns(state: GameState) -> dict[Side, int]:
    """Return the time that each player had used when the clocks showed ``remaining_ns``."""
    full, added = state.rulebook.clock_ns, state.progress.added_ns
    return {s: full + added.get(s, 0) - state.clocks.remaining_ns[s] for s in SIDES}


def _remade(seen: Seen) -> bool:
    """Return True if a person inserted, divided or joined a turn: no press of its own ended it."""
    return seen.ended is not None or seen.whole is not None or bool(seen.absorbed)


def _was_corrected(turn: Turn, state: GameState) -> bool:
    """Return True if a person corrected the reading of a turn or entered another score for it.

    The letter of a blank is no correction, since the camera cannot know it. Nor is an entry that
    left the turn unchanged, such as the answer that nobody challenged it.
    """
    ledger = state.progress.ledger
    given = ledger.rulings_for(turn.number)
    if given.agreed is not None or given.ruling in _REMADE:
        bare = replace(given, agreed=None, ruled=None if given.ruling in _REMADE else given.ruled)
        # The next turn may tell what this one was; those after it tell nothing.
        without = ledger.until(turn.number + 1).with_rulings(turn.number, bare, state.config)
        was = without.position.turns[turn.number - 1]
        if (was.tiles, was.kind, was.score) != (turn.tiles, turn.kind, turn.score):
            return True
    if not given.symbols:
        return False
    read = Board.from_rows(turn.seen.rows)
    return any(
        read[square] != symbol and not (read[square] == UNDESIGNATED and symbol.islower())
        for square, symbol in given.symbols.items()
    )


def record_for(
    state: GameState, audience: Audience, public: PublicPolicy = FULLY_OPEN
) -> GameRecord:
    """Return the record of a game for an audience; ``public`` is the policy for the public.

    Tiles on a rack (of an exchange, of a reported rack, and of the final racks with their points)
    are left out until the view of that audience has them.

    Raises ``TilewatchError`` if the game cannot be written as GCG.
    """
    racks_shown = state.settled and (audience == "broadcast" or public.racks == "after")
    if audience == "director" or racks_shown:
        return record_from_game(state)
    lines = tuple(line for line in state.adjustments if line.kind not in _RACKS)
    outcome = state.outcome if state.final else None
    record = record_from_game(replace(state, adjustments=lines, outcome=outcome))
    return replace(record, entries=tuple(_without_racks(record.entries)))


def _without_racks(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the lines with only those tiles that the board shows."""
    rack: str | None = None
    for entry in entries:
        if entry.kind == "play":
            rack = "".join(sorted("?" if s.islower() else s for s in entry.placed().values()))
        yield replace(
            entry,
            rack=rack if entry.kind in ("play", "withdrawn") else None,
            exchanged=_number(entry.exchanged),
        )


def _number(exchanged: str) -> str:
    """Return the number of tiles exchanged as text; empty if unknown."""
    known = exchanged.isdecimal() or not exchanged
    return exchanged if known else str(len(exchanged))
