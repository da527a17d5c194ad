"""The game record of a game, with notes on what GCG has no form for.

A fact that GCG cannot express goes into a note, from which either the same game is read again
(:mod:`game.gcg.notes`) or a person learns what the record leaves out (``OPENS``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, Board, Square
from game.errors import TilewatchError
from game.events import Side, other
from game.gcg.record import (
    TURN_KINDS,
    Entry,
    EntryKind,
    GameRecord,
    HowEnded,
    Player,
    not_on_rack,
)
from game.gcg.writer import placeholder
from game.referee.turn import Turn
from game.state.fold import GameState
from game.state.settlement import Adjustment
from game.terms import ENDED_BY_WORD, EndReason
from game.tile_symbols import spelled
from game.tileset import BLANK, TileSet, load_tile_set

_MOVES = (*TURN_KINDS, "withdrawn", "no_score")

_ADJUSTED: dict[str, EntryKind] = {
    "challenge_bonus": "challenge_bonus",
    "penalty": "penalty",
    "correction": "correction",
    "end_rack": "end_rack",
    "end_rack_penalty": "end_rack_penalty",
    "overtime": "time",
    "overtime_limit": "overtime_limit",
    "limit_raise": "limit_raise",
    "left": "left",
    "agreed": "correction",
    "starting_score": "correction",
}


def record_from_game(state: GameState) -> GameRecord:
    """Return the game as a record; its first player is the one who moved first.

    A game that has not been settled is marked incomplete. A penalty given in the middle of the game
    is at the end of the record, so the totals on earlier lines are without it. Facts that GCG has
    no form for, and without which another game would be read back, go into notes; a note on a
    result that the lines do not show is at the end.

    Raises:
        TilewatchError: the game began from a given position, for which GCG has no form.
    """
    if state.start.rows is not None and Board.from_rows(state.start.rows).symbols:
        raise TilewatchError(
            f"game {state.game_id!r} began from a given position: GCG has no form for that"
        )
    opened = next((turn.side for turn in state.turns if turn.kind != "undone"), None)
    first: Side = opened or state.start.first or "left"
    sides = (first, other(first))
    entries: list[Entry] = []
    board: Board | None = None
    waiting = [line for line in state.adjustments if line.kind == "challenge_bonus"]
    turns = _played(state)
    for turn in turns:
        while waiting and waiting[0].after_turn < turn.number:
            entries.append(_line(waiting.pop(0), sides))
        lines = _turn(turn, sides, state)
        if lines:
            _changed_since(entries, board, turn.before)
            board = turn.left_board or turn.after
            entries += lines
    if len(turns) == len(state.turns):
        _changed_since(entries, board, state.board)
    ends = [one for one in state.adjustments if one.kind not in ("challenge_bonus", "spread")]
    entries += [_line(line, sides) for line in (*waiting, *_in_order(ends, sides))]
    if entries:  # notes stand behind a turn, or a strict reader refuses them
        _add_notes(entries, 0, omissions_of_course(state))
        _add_notes(entries, -1, omissions_of_result(state))
        entries[-1] = replace(entries[-1], how_ended=_how_ended(state, entries, sides))
    record = GameRecord(
        players=_players(state, sides),
        entries=_totalled(entries),
        description=_description(state),
        lexicon=" ".join((state.start.word_list or {}).get("name", "").split()),
        id=("tilewatch", state.game_id) if state.game_id.split() == [state.game_id] else None,
        tile_set=state.tile_set.id,
        rulebook=state.rulebook.id,
        adjust=dict(state.rulebook.adjusted),
        notes=() if entries else omissions(state),
    )
    whole = record.ended and not state.lacks_rack and not state.no_result
    return record if whole else replace(record, incomplete=True)


def _add_notes(entries: list[Entry], at: int, notes: tuple[str, ...]) -> None:
    entries[at] = replace(entries[at], notes=(*entries[at].notes, *notes))


def _how_ended(
    state: GameState, entries: Sequence[Entry], sides: tuple[Side, Side]
) -> HowEnded | None:
    """Return how the game ended if the GCG's lines do not say so, or say otherwise; else None."""
    kinds = {entry.kind for entry in entries}
    reason, gone, lost = state.end_reason, state.progress.forfeited, state.forfeit
    if reason is None or "overtime_limit" in kinds:
        return None
    by_limit = state.outcome is not None and state.outcome.kind == "overtime_limit"
    limit = sides.index(lost.side) if by_limit and lost is not None else None
    if gone is not None and state.progress.ended is None:
        if gone.cause in kinds and gone.margin is None:
            return None  # a line has the points for leaving
        spread = state.outcome and (state.outcome.margin, state.outcome.loss)
        # What was corrected since may have made the usual spread more than the director set.
        margin = gone.margin if spread and gone.margin in spread else None
        return HowEnded(gone.cause, sides.index(gone.side), margin, limit)
    racks = kinds & {"end_rack", "end_rack_penalty"}
    by_word = state.progress.ended is not None or limit is not None or "time" in kinds
    if not by_word or (racks and limit is None and reason in (EndReason.OUT, EndReason.SIX_ZEROS)):
        return None
    known = reason in {*EndReason, *ENDED_BY_WORD}
    return HowEnded(reason if known else EndReason.AGREED, limit=limit)


def _played(state: GameState) -> tuple[Turn, ...]:
    """Return the turns of the game, without turns after the limit on overtime had decided it."""
    for line in state.adjustments:
        if line.kind == "overtime_limit":
            return state.turns[: line.after_turn]
    return state.turns


def _in_order(lines: Sequence[Adjustment], sides: tuple[Side, Side]) -> list[Adjustment]:
    """Return the lines at the end of a record, in its order.

    A reader takes time and racks for the end of the game, so penalties come after them. Lines of
    one kind for both players are in the order of the players, the only one that a record knows.
    """
    kinds = [line.kind for line in lines]

    def place(line: Adjustment) -> tuple[bool, int, int]:
        late = _ADJUSTED[line.kind] in ("penalty", "correction", "time")
        if line.kind in ("penalty", "correction"):
            return late, -1, 0  # these were given one after another
        return late, kinds.index(line.kind), sides.index(line.side)

    return sorted(lines, key=place)


def _description(state: GameState) -> str:
    text = f"Recorded by tilewatch; rulebook={state.rulebook.id} tile-set={state.tile_set.id}"
    for name, value in sorted(state.rulebook.adjusted.items()):
        text += f" {name}={value}"
    sha256 = (state.start.word_list or {}).get("sha256")
    return f"{text} word-list-sha256={sha256}" if sha256 else text


def _players(state: GameState, sides: tuple[Side, Side]) -> tuple[Player, Player]:
    names = [" ".join(state.players[side].split()) or side.capitalize() for side in sides]
    nicks = [name.replace(" ", "_") for name in names]
    if nicks[0] == nicks[1]:
        nicks = [f"{nick}_{number}" for number, nick in enumerate(nicks, start=1)]
    return Player(nicks[0], names[0]), Player(nicks[1], names[1])


def _totalled(entries: list[Entry]) -> tuple[Entry, ...]:
    """Return the lines with each player's running total, added up from the lines."""
    totals = [0, 0]
    done = []
    for entry in entries:
        totals[entry.player] += entry.score
        done.append(replace(entry, total=totals[entry.player]))
    return tuple(done)


def _line(line: Adjustment, sides: tuple[Side, Side]) -> Entry:
    kind = _ADJUSTED[line.kind]
    return Entry(
        kind,
        sides.index(line.side),
        line.points,
        0,
        rack=line.tiles if line.kind == "end_rack_penalty" else None,
        tiles=line.tiles,
        notes=no_time(kind),
    )


def _turn(turn: Turn, sides: tuple[Side, Side], state: GameState) -> list[Entry]:
    player = sides.index(turn.side)
    left = turn.left_board or turn.after
    tiles = {Square.parse(s): t for s, t in turn.tiles.items()}
    shown = left.replace(tiles) if turn.made_on is None else turn.made_on
    if turn.word is None or turn.position is None:
        if turn.kind == "undone":
            return []  # there was no such turn
        kind: EntryKind = "pass"
        if turn.kind in ("exchange", "exchange_or_pass", "challenge_failed"):
            kind = turn.kind
        elif turn.kind == "not_known":
            kind = "exchange_or_pass"
        line = Entry(
            kind,
            player,
            0,
            0,
            rack=turn.rack,
            exchanged=_exchanged(turn.exchanged, state.tile_set),
            squares=_unwritten(turn.before, shown),
        )
        # No reader takes a rack without the tiles exchanged.
        return [replace(line, rack=None) if not_on_rack(line) else line]
    stand_in = placeholder(state.tile_set)
    word = "".join(c if c == EMPTY or c.isalpha() else stand_in for c in turn.word)
    score = sum(points for _, points in turn.words) + turn.bingo
    entry = Entry(
        "play",
        player,
        score,
        0,
        rack=_rack(turn),
        position=turn.position,
        word=word,
    )
    written = turn.before.replace({s: t for s, t in entry.placed().items() if s.on_board})
    notes = not_known(entry.placed(), turn.tiles, stand_in)
    entry = replace(entry, squares=_unwritten(written, shown), notes=notes)
    announced = _announced_after(turn, state)
    if turn.kind == "play":
        return [replace(entry, illegal_after=announced, challenged=_challenged(turn, state))]
    back = _unwritten(turn.before, left)
    return [
        entry,
        Entry(
            "no_score" if turn.kind == "no_score" else "withdrawn",
            player,
            -score,
            0,
            rack=entry.rack,
            squares=back,
            illegal_after=announced,
        ),
    ]


def _exchanged(entered: str, tiles: TileSet) -> str:
    """Return the tiles exchanged, or their number, without the separators that people typed."""
    return tiles.rack("".join(tile for tile in entered if tile not in " ,;"))


def _challenged(turn: Turn, state: GameState) -> str | None:
    """Return how a failed challenge was made: the number of words, or the words; None for none."""
    ruled = state.progress.ledger.rulings_for(turn.number).ruled
    if ruled is None or turn.ruling != "challenge_failed" or ruled.verdict == "refused":
        return None
    if ruled.ground == "placement":
        return "placement"
    if turn.bonus < 0:
        return ""  # what it cost stands on a line of the challenger's, from which it is read
    return ",".join(ruled.challenged_words or ()) or str(ruled.words or "")


def _announced_after(turn: Turn, state: GameState) -> int | None:
    """Return how many turns had been taken when a play was announced as illegal; None if never."""
    if turn.ruling not in ("illegal_play", "illegal_play_unknown"):
        return None
    seen = state.progress.ledger.rulings_for(turn.number).ruled_after
    return sum(one.kind != "undone" for one in state.turns[: max(seen, turn.number)])


def _changed_since(entries: list[Entry], left: Board | None, now: Board) -> None:
    """Store on the last turn's line what changed on the board after that turn."""
    at = next((i for i in reversed(range(len(entries))) if entries[i].kind in _MOVES), None)
    if left is not None and left != now and at is not None:
        entries[at] = replace(entries[at], later=_unwritten(left, now))


def _unwritten(written: Board, is_: Board) -> MappingProxyType[str, str]:
    """Return the squares on which the board differs from what the line says, by name."""
    return MappingProxyType({square.name: is_[square] for square in written.diff(is_)})


def _rack(turn: Turn) -> str:
    """Return the reported rack if the play can come from it; else the tiles played."""
    played = sorted(t if t.isalpha() and t.isupper() else BLANK for t in turn.tiles.values())
    if turn.rack is not None:
        short = Counter(played) - Counter(turn.rack)
        if not short:
            return turn.rack
    return "".join(played)


OPENS = "GCG cannot say this:"
"""The beginning of a note that tells a person what the record leaves out."""

_IN_POINTS = frozenset({"left", "overtime_limit", "limit_raise"})
"""Adjustments that settle a game not played out by points, which a record has lines for."""


_NO_TIME: Final[Mapping[EntryKind, str]] = {
    "penalty": "a penalty",
    "correction": "a correction of the score",
    "left": "for leaving the game",
    "overtime_limit": "for passing the limit on overtime",
    "limit_raise": "so that the limit on overtime decides the game",
}


def no_time(kind: EntryKind) -> tuple[str, ...]:
    """Return the note on a ``(time)`` line whose points are for something else; else nothing.

    GCG has no other form for points that no turn makes, and other readers know none.
    """
    what = _NO_TIME.get(kind)
    return () if what is None else (f"Not time: these points are {what}.",)


def omissions(state: GameState) -> tuple[str, ...]:
    """Return a note on each fact without which the record would be read as another game."""
    course = (*_before(state), *_agreed(state), *_unseen(state))
    return _notes((*course, *_lost(state), *_spreads(state), *_altered(state)))


def omissions_of_course(state: GameState) -> tuple[str, ...]:
    """Return the notes on facts, except the result, that the lines of the record cannot express."""
    course = (*_before(state), *_agreed(state), *_unseen(state))
    return _notes((*course, *_altered(state)))


def omissions_of_result(state: GameState) -> tuple[str, ...]:
    """Return the notes on facts about the result that the lines of the record cannot express."""
    return _notes((*_lost(state), *_spreads(state), *_no_result(state)))


def _notes(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{OPENS} {text}" for text in texts)


def not_known(
    written: Iterable[Square], tiles: Mapping[str, str], stand_in: str
) -> tuple[str, ...]:
    """Return the note on a play's line in which a letter had to be invented; nothing if none had.

    No reader takes anything but a letter there.

    Args:
        written: the squares of the tiles that the line plays.
        tiles: the tiles on these squares, as far as they are known.
        stand_in: the letter in the line.
    """
    lay = {square.name: tiles.get(square.name) for square in written if square.on_board}
    blanks = [name for name, symbol in lay.items() if symbol == UNDESIGNATED]
    others = [name for name, symbol in lay.items() if symbol in (FACE_DOWN, UNREADABLE)]
    what = []
    if blanks:
        what.append(
            f"the letter{'s' * (len(blanks) > 1)} of the blank{'s' * (len(blanks) > 1)} "
            f"on {_listed(blanks)}"
        )
    if others:
        what.append(f"the tile{'s' * (len(others) > 1)} on {_listed(others)}")
    if not what:
        return ()
    each = "each" if len(blanks) + len(others) > 1 else "it"
    line = f"In the line above, {spelled(stand_in.upper())} stands for {each}."
    return (f"Not known: {'; '.join(what)}. {line}",)


def _listed(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _before(state: GameState) -> Iterator[str]:
    """Yield a note on tiles that were on the board before the first turn, from undone turns."""
    opening = next((turn for turn in state.turns if turn.kind != "undone"), None)
    if opening is not None and (lay := opening.before.tiles()):
        tiles = ", ".join(f"{symbol} on {square.name}" for square, symbol in lay.items())
        yield f"before the first turn there lay on the board {tiles}"


def _agreed(state: GameState) -> Iterator[str]:
    """Yield notes on scores that people agreed on or that the game began with."""
    for line in state.adjustments:
        if line.kind in ("agreed", "starting_score"):
            how = "both players agreed on it" if line.kind == "agreed" else "it began so"
            rule = f" ({line.rule})" if line.rule else ""
            yield f"{line.points:+d} points to {state.players[line.side]}: {how}{rule}"
    for turn in state.turns:
        if flag := next((one for one in turn.flags if one.code == "score_agreed"), None):
            rule = f" ({flag.rule})" if flag.rule else ""
            yield f"{flag.message.rstrip('.')}{rule}"


def _unseen(state: GameState) -> Iterator[str]:
    """Yield notes on turns of which nobody knows what was played."""
    for turn in state.turns:
        if turn.kind == "not_known":
            tiles = f", and whose the tiles on {', '.join(turn.open_tiles)} are"
            what = tiles if turn.open_tiles else ""
            yield f"it is not known what was played in turn {turn.number}{what}"


def _no_result(state: GameState) -> Iterator[str]:
    """Yield a note on a game that was not played to its end and that nobody won."""
    if state.no_result:
        how = "postponed" if state.end_reason == EndReason.POSTPONED else "broken off"
        yield f"the game was {how}: it has no result"


def _lost(state: GameState) -> Iterator[str]:
    """Yield a note on a result that the lines do not show, as the game was not played out."""
    result = state.outcome
    if result is None or result.kind == "played":
        return
    if any(line.kind in _IN_POINTS for line in state.adjustments):
        return
    how = result.kind.replace("_", " ")
    rule = f", {result.rule}" if result.rule else ""
    if result.winner is None:
        won = "both players lose" if result.kind == "both_absent" else "the director decides"
    else:
        winner, loser = state.players[result.winner], state.players[other(result.winner)]
        won = f"{winner} wins against {loser}"
    by = "" if result.margin is None else f" by {result.margin}"
    yield f"the game was not played out ({how}{rule}): {won}{by}"


def _spreads(state: GameState) -> Iterator[str]:
    """Yield notes on points on the spread alone."""
    for line in state.adjustments:
        if line.kind == "spread":
            name = state.players[line.side]
            yield f"{line.points:+} points on the spread of {name}, which are in no score"


def _altered(state: GameState) -> Iterator[str]:
    """Yield notes on tiles of which the set had another number than usual."""
    usual = load_tile_set(state.start.tile_set).counts
    for tile, count in state.tile_set.counts.items():
        if count != usual[tile]:
            yield f"the set had {count} tiles {spelled(tile)}, not {usual[tile]}"
