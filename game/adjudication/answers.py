"""The facts that flags ask for, each as an event that enters it.

A camera cannot see the letter of a blank, and may not be able to read a square; a clock does not
know why it was stopped. Such a question belongs to the flag and not to a rulebook, so the answers
are offered whatever a rulebook's text has on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from game.adjudication.likely_plays import likely_plays
from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, Square, neighbours
from game.clock import duration
from game.events import (
    SIDES,
    BlankDesignated,
    Event,
    GameEnded,
    GameReopened,
    PlayersNamed,
    PlayMade,
    PlaysAssigned,
    RackReported,
    Retracted,
    Ruling,
    SecondPlaySeen,
    SetAltered,
    SetSeen,
    Side,
    SquareCorrected,
    StopExplained,
    StopReason,
    TurnInserted,
    TurnParted,
    TurnRuled,
    TurnsJoined,
    UnseenTimeCharged,
    other,
)
from game.flags import CODES, QUESTIONS, Fact, Flag
from game.plays.play import is_play, plays_in_order
from game.referee.plays_in_words import in_words
from game.referee.position import Turn
from game.referee.verdict import fits
from game.rulebooks.rulebook import Rulebook
from game.state.game_flags import unseen_time
from game.state.game_state import GameState
from game.terms import ANY_STOP, STOP_REASONS
from game.tile_symbols import symbol_words
from game.tileset import set_faults
from game.values import replace

_MOST_MISSED = 2
"""The most squares for which an unseen tile is offered; of more, none is likelier than others."""

Answer = tuple[str, str, Event, tuple[str, ...]]
"""A code, a label, the event, and the names of its fields that somebody has to fill in."""

RULINGS: Mapping[Ruling, str] = {
    "play": "a play",
    "pass": "a pass",
    "exchange": "an exchange",
    "challenge_upheld": "challenged off the board",
    "challenge_failed": "challenged unsuccessfully",
    "challenge_withdrawn": "challenged, and the challenge was withdrawn",
    "illegal_play": "an illegal play",
    "illegal_play_unknown": "an illegal play of nobody known",
    "taken_back": "taken back, the turn being lost",
    "no_score": "a play that scores nothing",
    "undone": "no turn at all",
}
"""Each ruling in words."""


_OFF: Mapping[str, str] = {
    kind: RULINGS[kind] for kind in ("challenge_upheld", "taken_back", "illegal_play")
}
"""The kinds of a play that came off the board, in words."""


_OTHER_ENDS: Final[Mapping[str, str]] = {
    "confirmed": "both players agree that it is over",
    "shortened": "it was cut short",
    "director": "the director ends it",
}
"""The reasons that may be entered for a game that did not end by itself, each in words."""


@dataclass(frozen=True, slots=True)
class Case:
    """A flag, its game, and its turn (None for a flag of the game)."""

    state: GameState
    flag: Flag
    turn: Turn | None

    @property
    def side(self) -> Side | None:
        """The player whom the flag is about; None if it is about no player."""
        return self.flag.side or (self.turn.side if self.turn else None)

    def why(self) -> str:
        """Return the beginning of the reason that an answer's event gives."""
        meaning = CODES[self.flag.code].meaning
        return f"{meaning} ({self.flag.rule})" if self.flag.rule else meaning


def rulings(state: GameState, turn: Turn) -> tuple[Ruling, ...]:
    """Return the rulings that a turn may be given under the rulebook in force."""
    announced = state.rulebook.illegal_placement == "illegal_play"
    return tuple(
        ruling
        for ruling in get_args(Ruling)
        if fits(turn, ruling)
        and (announced or not ruling.startswith("illegal"))
        and (ruling != "challenge_withdrawn" or state.rulebook.challenge_withdrawn)
    )


def answers(case: Case) -> Iterator[Answer]:
    """Yield the possible answers to a flag's question, whatever the rulebook's text."""
    asks = CODES[case.flag.code].asks
    if asks is not None:
        yield from _ENTERED_BY[asks](case)
    elif case.flag.code in ("gap", "disconnected"):
        yield from _missed(case)
    elif case.flag.code == "not_pressed":
        yield from _joining(case)
    elif case.flag.code == "word_not_formed":
        yield from _made_again(case, case.flag.turn or 0)


def _letter(case: Case) -> Iterator[Answer]:
    for square in case.flag.squares:
        event = BlankDesignated(square, "A", "", case.why(), 0)
        yield square, f"say which letter the blank on {square} is", event, ("letter",)
    if not case.flag.squares:
        event = BlankDesignated("", "A", "", case.why(), 0)
        yield "square", "say which letter a blank is", event, ("square", "letter")


def asked_about(state: GameState, turn: Turn, flag: Flag) -> tuple[int, ...]:
    """Return the numbers of the turns that the answers to a turn's flag are about.

    For a tile of an earlier turn that only this turn could read, it is that earlier turn's number.
    """
    if not _by_square(flag):
        return (flag.turn or turn.number,)
    found = {(_read_late(state, turn, square) or turn).number for square in flag.squares}
    return tuple(sorted(found))


def _by_square(flag: Flag) -> bool:
    """True if the flag asks of each of its squares, separately, what lies there."""
    return bool(flag.squares) and flag.code in QUESTIONS and CODES[flag.code].asks == "symbol"


def _read_late(state: GameState, turn: Turn, square: str) -> Turn | None:
    """Return the earlier turn that laid a tile which only ``turn`` could read; None for none."""
    earlier = reversed(state.turns[: turn.number - 1])
    placing_turn = next((one for one in earlier if square in one.tiles), None)
    if placing_turn is None or placing_turn.tiles[square] not in (UNREADABLE, FACE_DOWN):
        return None
    return placing_turn if turn.after[Square.parse(square)].isalpha() else None


def _symbol(case: Case) -> Iterator[Answer]:
    """Offer to enter what lay there, with an answer per square if the flag asks square by square.

    A flag without squares is of a turn that nobody saw; the rulings on the turn are offered too.
    """
    turn, squares = case.turn, case.flag.squares
    if turn is None:
        return
    if case.flag.code == "extra_tile" and squares:
        yield from _which_of_them(case, turn)
        return
    if _by_square(case.flag):
        for square in squares:
            yield from _square(case, turn, square)
        return
    if case.flag.code == "tile_replaced":
        for square in squares:
            yield from _turned_up(case, turn, square)
    if case.flag.code == "withdrawn_left":
        yield from _stands(case, turn)
    where = " or ".join(squares) if len(squares) in (1, 2) else "a square"
    event = SquareCorrected(turn.number, "", EMPTY, "", case.why(), 0)
    yield "square", f"say what really lay on {where}", event, ("square", "symbol")
    if not squares:
        yield from _ruling(case)  # nothing was seen of the turn


def _which_of_them(case: Case, turn: Turn) -> Iterator[Answer]:
    """Offer to enter each tile of which more lie there than the set has; or another set."""
    tile_of, counted = case.state.tile_set.tile_of, turn.after
    tile = tile_of(counted[Square.parse(case.flag.squares[0])])
    turn_of = {square: one for one in case.state.turns[: turn.number] for square in one.tiles}
    for square in case.flag.squares:
        turn_of.setdefault(square, turn)
    for square, one in turn_of.items():
        at = Square.parse(square)
        if tile_of(counted[at]) != tile:
            continue
        asked = SquareCorrected(one.number, square, EMPTY, "", case.why(), 0)
        yield square, f"say what lay on {square}", asked, ("symbol",)
        read = one.seen.rows[at.row][at.col]
        if read.isalpha() and tile_of(read) != tile:
            text = f"{square} was {symbol_words(read)}, as the camera read it"
            yield f"{square}-read", text, replace(asked, symbol=read), ()
    yield from _set(case)


def _turned_up(case: Case, turn: Turn, square: str) -> Iterator[Answer]:
    """Offer to count the tile that shows now for the turn that laid it unread or face down."""
    at, earlier = Square.parse(square), reversed(case.state.turns[: turn.number - 1])
    placing_turn = next((t for t in earlier if square in t.tiles), None)
    now = turn.after[at]
    if placing_turn is None or not now.isalpha():
        return
    if placing_turn.seen.rows[at.row][at.col] in (UNREADABLE, FACE_DOWN):
        number, entered = placing_turn.number, placing_turn.tiles[square]
        event = SquareCorrected(number, square, now, "", "seen once the tile was turned up", 0)
        was, instead = symbol_words(now), symbol_words(entered)
        text = f"{square} was {was} all along: count it for turn {number} in place of {instead}"
        yield f"{square}-turned", text, event, ()


def _stands(case: Case, turn: Turn) -> Iterator[Answer]:
    """Offer to take back a ruling that a play came off, as its tiles still lie on the board."""
    state, squares = case.state, set(case.flag.squares)
    ruled = {
        event.turn: number
        for number, event in enumerate(state.progress.events, start=1)
        if isinstance(event, TurnRuled) and number not in state.progress.retracted
    }
    for play in reversed(state.turns[: turn.number - 1]):
        if play.number in ruled and play.kind in _OFF and squares & play.tiles.keys():
            text = f"the play of turn {play.number} stands: take back that it was {_OFF[play.kind]}"
            event = Retracted(ruled[play.number], "", "the play stands", 0)
            yield f"{play.number}-stands", text, event, ()
            return


def _square(case: Case, turn: Turn, square: str) -> Iterator[Answer]:
    """Offer to enter the tile on a square.

    If the tile could be read only later, offer to count it for the turn that laid it, or not at
    all.
    """
    why, now = case.why(), turn.after[Square.parse(square)]
    placing_turn = _read_late(case.state, turn, square)
    if placing_turn is not None:
        event = SquareCorrected(placing_turn.number, square, now, "", why, 0)
        tile = symbol_words(now).removeprefix("a ")
        yield square, f"count the {tile} on {square} for turn {placing_turn.number}", event, ()
        left = SquareCorrected(turn.number, square, now, "", f"{why}: it scores nothing", 0)
        yield f"{square}-left", f"leave the {tile} on {square} uncounted", left, ()
        return
    if case.flag.code == "hole_filled":
        counted = SquareCorrected(turn.number, square, now, "", why, 0)
        tile = symbol_words(now).removeprefix("a ")
        yield f"{square}-laid", f"count the {tile} on {square} for turn {turn.number}", counted, ()
    event = SquareCorrected(turn.number, square, EMPTY, "", why, 0)
    yield square, f"say what lay on {square}", event, ("symbol",)


def _missed(case: Case) -> Iterator[Answer]:
    """Offer to enter a tile where an unseen one (a blank can look bare) makes the play whole."""
    if case.turn is None:
        return
    before, after = case.turn.before, case.turn.after
    tiles = {Square.parse(name): symbol for name, symbol in case.turn.tiles.items()}
    near = {at for tile in tiles for at in neighbours(tile) if after[at] == EMPTY}
    rack = case.state.rulebook.rack_tiles
    found = [at for at in sorted(near) if is_play(before, {**tiles, at: UNDESIGNATED}, rack)]
    for at in found if len(found) <= _MOST_MISSED else ():
        event = SquareCorrected(case.turn.number, at.name, EMPTY, "", case.why(), 0)
        text = f"say what lay on {at.name}: with a tile there it is one play"
        yield f"{at.name}-missed", text, event, ("symbol",)


def _rack(case: Case) -> Iterator[Answer]:
    """Offer to enter the tiles left on a rack; or that the count of tiles is wrong.

    If nobody is out, offer also that the game goes on; if the rack was reported, another set.
    """
    state, one = case.state, case.flag.side
    if one is None and state.ended_but_nobody_out:
        yield from _going_on(state, "nobody is out: the game goes on")
    for side in (one,) if one is not None else SIDES:
        name, player = ("rack" if one is not None else f"rack_{side}"), state.players[side]
        yield name, f"say what {player} has left", RackReported(side, "", 0), ("tiles",)
        shown = state.progress.ledger.position.reported.get(side, "" if one is None else None)
        if shown is not None and len(shown) != state.racks[side]:
            text = f"{player} has {len(shown) or 'no'} tiles left all the same: they were counted"
            counted = RackReported(side, shown, 0, counted=len(shown))
            yield name.replace("rack", "counted"), text, counted, ()
    if one is None or one in state.progress.ledger.position.reported:
        yield from _set(case)


def _ending(case: Case) -> Iterator[Answer]:
    """Offer that a game goes on, or ended for another reason, if the reason given does not hold."""
    yield from _going_on(case.state, f"{case.why()}: the game goes on")
    yield from _other_ends(case.state)


def _going_on(state: GameState, why: str) -> Iterator[Answer]:
    """Offer to take the end of the game back; nothing if nobody ended it."""
    if (number := _end_event(state)) is None:
        return
    event: Event = Retracted(number, "", why, 0)
    if state.progress.ended is not None and state.progress.ended.instead is not None:
        event = GameReopened("the game goes on", "", why, 0)  # else the end before it would hold
    yield "going_on", "the game goes on: take its end back", event, ()


def _other_ends(state: GameState) -> Iterator[Answer]:
    """Offer the other reasons for which the game may have ended; nothing if nobody ended it."""
    if (number := _end_event(state)) is None:
        return
    for reason, text in _OTHER_ENDS.items():
        yield reason, f"it ended otherwise: {text}", GameEnded(reason, 0, "", text, number), ()


def _end_event(state: GameState) -> int | None:
    """Return the number of the event by which somebody ended the game; None if nobody did."""
    ends = [
        number
        for number, event in enumerate(state.progress.events, start=1)
        if isinstance(event, GameEnded) and number not in state.progress.retracted
    ]
    return ends[-1] if ends else None


def _set(case: Case) -> Iterator[Answer]:
    """Offer to record that the set is altered: as last laid out, else for somebody to fill in."""
    faults: dict[str, int] = {}
    for event in case.state.progress.events:
        if isinstance(event, SetSeen):
            faults = set_faults(event.symbols, case.state.tile_set)
    lacks = "".join(tile * -count for tile, count in faults.items() if count < 0)
    extra = "".join(tile * count for tile, count in faults.items() if count > 0)
    why = case.why()
    if lacks or extra:
        described = " and ".join(
            [f"without {lacks}"] * bool(lacks) + [f"with {extra} too many"] * bool(extra)
        )
        event = SetAltered(lacks, extra, "", why, 0)
        yield "set", f"the game is played {described}", event, ()
    else:
        event = SetAltered("", "", "", why, 0)
        yield "set", "say which tiles the set lacks or has too many", event, ("missing", "extra")


def stop_reasons(book: Rulebook) -> tuple[StopReason, ...]:
    """Return the reasons offered for a stop: those of the rulebook, then those always allowed."""
    listed = (one for one in get_args(StopReason) if one in book.stop_reasons)
    return (*sorted(listed), *(one for one in ANY_STOP if one not in book.stop_reasons))


def _reason(case: Case) -> Iterator[Answer]:
    for reason in stop_reasons(case.state.rulebook):
        stop = StopExplained(case.flag.turn or 0, reason, "", "", 0)
        yield reason, STOP_REASONS[reason], stop, ()


def _ruling(case: Case) -> Iterator[Answer]:
    """Offer each ruling that fits the turn, or its likely plays if the flag asks for those."""
    turn = case.turn
    if case.flag.code == "challenge_unclear":
        yield from _unclear(case, turn.number if turn else 0, case.why())
        return
    if turn is None:
        return
    if case.flag.code == "turn_inferred":
        ways = list(likely_plays(case.state, turn, case.why()))
        if ways:
            yield from _ways(case, turn, ways)
            return
    if case.flag.code == "played_unseen" and turn.open_tiles:
        yield from _unseen_plays(case, turn)
        return
    if case.flag.code == "clock_back_unclear" and case.flag.turn:
        turn = case.state.turns[case.flag.turn - 1]
    for ruling in rulings(case.state, turn):
        event = TurnRuled(turn.number, ruling, "", case.why(), 0)
        yield ruling, f"turn {turn.number} was {RULINGS[ruling]}", event, ()


def _ways(
    case: Case, turn: Turn, ways: Sequence[tuple[str, str, PlaysAssigned | TurnRuled]]
) -> Iterator[Answer]:
    """Offer the ways to divide the tiles; for a turn without tiles also a pass or an exchange."""
    if not turn.tiles:
        whose = f"turn {turn.number}, {case.state.players[turn.side]}'s,"
        unlaid: tuple[Ruling, ...] = ("pass", "exchange")
        for ruling in unlaid:
            ruled = TurnRuled(turn.number, ruling, "", case.why(), 0)
            yield ruling, f"{whose} was {RULINGS[ruling]}", ruled, ()
    for name, text, event in ways:
        if turn.tiles or name != "stands":
            yield name, text, event, ()


def _unseen_plays(case: Case, turn: Turn) -> Iterator[Answer]:
    """Offer that tiles laid while nobody watched are one turn, or two if they make two plays.

    A person enters further turns one by one; the tiles left over belong to this turn.
    """
    names, earlier = case.state.players, case.state.turns[: turn.number - 1]
    before = next((one for one in reversed(earlier) if one.kind != "undone"), None)
    tiles = {Square.parse(name): symbol for name, symbol in turn.open_tiles.items()}
    plays = None
    if before is None or before.kind != "not_known":  # else the first may be that turn's
        plays = plays_in_order(turn.before, tiles, 2, case.state.rulebook.rack_tiles)
    if plays:
        first: Side = turn.side if before is None else other(before.side)
        squares = tuple(square.name for square in sorted(plays[0]))
        ended_ns, why = turn.press_ns, case.why()
        parted = TurnParted(turn.number, squares, first, ended_ns, "", why, 0)
        text = (
            f"{', '.join(squares)} was a turn of {names[first]}'s, and the other tiles are the "
            f"next one, {names[other(first)]}'s"
        )
        yield "two", text, parted, ()
    one = TurnRuled(turn.number, "play", "", case.why(), 0)
    yield "one", f"all these tiles are one turn of {names[turn.side]}'s", one, ()


def in_vain(state: GameState, number: int, why: str) -> Iterator[tuple[TurnRuled, str]]:
    """Yield rulings that a challenge failed, with words; one per number of words if it matters."""
    book = state.rulebook
    by_word = (book.challenge_failed, book.challenge_failed_per) == ("points", "word")
    words = max(1, len(state.turns[number - 1].words)) if by_word else 1
    for count in range(1, words + 1):
        of = f", {count} word{'s' if count > 1 else ''} challenged" if by_word else ""
        yield TurnRuled(number, "challenge_failed", "", why, 0, words=count), of


def _unclear(case: Case, number: int, why: str) -> Iterator[Answer]:
    """Offer that a play was challenged and stood, was challenged off, or was not challenged."""
    asked = case.flag.turn or number
    if not 1 <= asked <= len(case.state.turns):
        return
    for event, of in in_vain(case.state, asked, why):
        yield f"failed{event.words}", f"turn {asked} was challenged and stood{of}", event, ()
    upheld = TurnRuled(asked, "challenge_upheld", "", why, 0)
    yield "upheld", f"turn {asked} was challenged off", upheld, ()
    stands = TurnRuled(asked, "play", "", why, 0, challenged=False)
    yield "none", f"turn {asked} was not challenged", stands, ()


def _made_again(case: Case, asked: int) -> Iterator[Answer]:
    """Offer the verdicts on a challenge that is made again, of words of the play."""
    if case.flag.rule is None or not 1 <= asked <= len(case.state.turns):
        return
    for event, of in in_vain(case.state, asked, case.why()):
        again = replace(event, verdict="resubmitted")
        yield f"failed{event.words}", f"made again: turn {asked} stands{of}", again, ()
    upheld = TurnRuled(asked, "challenge_upheld", "", case.why(), 0, verdict="resubmitted")
    yield "upheld", f"made again: turn {asked} comes off", upheld, ()


def _parting(case: Case) -> Iterator[Answer]:
    """Offer that the tiles are two turns, or one, or any likelier way to divide them."""
    state, turn, why = case.state, case.turn, case.why()
    noted = (e for e in reversed(state.progress.events) if isinstance(e, SecondPlaySeen))
    seen = next((one for one in noted if set(one.tiles) == set(case.flag.squares)), None)
    names = state.players
    ways = [] if turn is None else list(likely_plays(state, turn, why))
    if turn is not None and ways:
        yield from _ways(case, turn, ways)
    elif turn is not None:
        ended_ns = turn.press_ns if seen is None else min(seen.ended_ns, turn.press_ns)
        parted = TurnParted(turn.number, case.flag.squares, turn.side, ended_ns, "", why, 0)
        tiles = {**turn.tiles, **turn.open_tiles}
        first = {name: tile for name, tile in tiles.items() if name in case.flag.squares}
        second = {name: tile for name, tile in tiles.items() if name not in first}
        two = (
            PlayMade(turn.side, first, ended_ns),
            PlayMade(other(turn.side), second, turn.press_ns),
        )
        yield "two", in_words(two, turn.before, names, whole=False), parted, ()
        one = TurnRuled(turn.number, "play", "", why, 0)
        whole = (PlayMade(turn.side, tiles, turn.press_ns),)
        yield "one", in_words(whole, turn.before, names, whole=True), one, ()
    elif seen is not None:
        number = len(state.turns) + 1
        inserted = TurnInserted(number, seen.side, seen.tiles, seen.ended_ns, "", why, 0)
        play = (PlayMade(seen.side, seen.tiles, seen.ended_ns),)
        words = in_words(play, state.board, names, whole=False)
        yield "two", f"{words} was a turn of its own", inserted, ()


def _joining(case: Case) -> Iterator[Answer]:
    """Offer to join a turn that ended without a press with the next, if both make one play."""
    turn = case.turn
    if turn is not None and turn.seen.ended is not None and turn.number < len(case.state.turns):
        event = TurnsJoined(turn.number, turn.side, "", case.why(), 0)
        tiles = {**turn.tiles, **case.state.turns[turn.number].tiles}
        symbols = {Square.parse(name): tile for name, tile in tiles.items()}
        if not is_play(turn.before, symbols, case.state.rulebook.rack_tiles):
            return
        play = (PlayMade(turn.side, tiles, turn.press_ns),)
        words = in_words(play, turn.before, case.state.players, whole=True)
        yield "one", f"turns {turn.number} and {turn.number + 1} were one: {words}", event, ()


def _seats(case: Case) -> Iterator[Answer]:
    """Offer to keep the players' names, or to swap them."""
    side, names = case.side, case.state.players
    if side is None:
        return
    first, second = names[side], names[other(side)]
    stay: dict[str, str] = {side: first, other(side): second}
    swapped: dict[str, str] = {side: second, other(side): first}
    yield "stay", f"{first} made the first play", PlayersNamed(stay, "", 0, case.why()), ()
    text = f"{second} made the first play: swap the names"
    yield "swap", text, PlayersNamed(swapped, "", 0, case.why()), ()


def _time(case: Case) -> Iterator[Answer]:
    """Offer to charge an unwatched time to nobody, or to the player, whole or in part."""
    asked = unseen_time(case.state)
    found = (number for number, flag in asked.items() if flag.message == case.flag.message)
    number = next(found, next(iter(asked), None))
    if number is None:
        return
    gap = case.state.progress.unseen[number]
    player, passed_ns = case.state.players[gap.side], gap.event.passed_ns
    nobody = UnseenTimeCharged(number, gap.side, 0, "", "nobody was on the clock", 0)
    yield "nobody", f"nobody's: {player}'s clock stays as it stood", nobody, ()
    if passed_ns:
        all_ = replace(nobody, charged_ns=passed_ns, why=f"it was {player}'s time")
        yield "charged", f"{player}'s: charge {duration(passed_ns)}", all_, ()
    some = replace(nobody, why=f"it was {player}'s time")
    yield "amount", f"say how much of it was {player}'s", some, ("charged_ns",)


_ENTERED_BY: Mapping[Fact, Callable[[Case], Iterator[Answer]]] = {
    "letter": _letter,
    "symbol": _symbol,
    "rack": _rack,
    "reason": _reason,
    "ruling": _ruling,
    "set": _set,
    "parting": _parting,
    "seats": _seats,
    "ending": _ending,
    "time": _time,
}
