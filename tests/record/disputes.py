"""Mock disputes of the kinds that rulebooks name, each a game under any of them.

Every one is a short game by a scripted table: tiles go down, clocks are pressed, a director rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ButtonPressed,
    ClockAdjusted,
    Event,
    Finding,
    GameEnded,
    LateStart,
    PenaltyAdded,
    RackReported,
    ResultSigned,
    Retracted,
    SetAltered,
    SquareCorrected,
    StopExplained,
    TilesChanged,
    TroubleNoted,
    TurnParted,
    TurnRuled,
)
from game.rulebooks.loading import rulebook_ids
from tests.game.gamekit import SECOND, Table
from tests.game.scriptkit import after

RULEBOOKS: Final = tuple(rulebook_ids())


def _opened(book: str) -> Table:
    return after("8D PLATE, D8 .IER, 11D .OAD", book)


def _stop(table: Table, after_s: int = 2) -> int:
    table.now += after_s * SECOND
    table.put(ButtonPressed("neutral", table.now))
    return table.now


def _on(table: Table, seconds: int = 20) -> None:
    table.now += seconds * SECOND
    table.put(ButtonPressed("left" if table.side == "right" else "right", table.now))


def _ruled(table: Table, ruling: str, why: str, turn: int | None = None) -> None:
    number = len(table.state.turns) if turn is None else turn
    table.put(TurnRuled(number, ruling, "Dee", why, table.now + SECOND))


def challenge(book: str) -> Table:
    """A play is challenged off, and the tiles go back to the rack."""
    table = _opened(book)
    _stop(table)
    _ruled(table, "challenge_upheld", "LOAD with D, not a word of the list")
    table.put(StopExplained(3, "challenge", "Dee", "both said so", table.now + 2 * SECOND))
    table.board = table.state.board
    _on(table)
    table.play("7F", "AN")
    return table


def challenge_in_vain(book: str) -> Table:
    table = _opened(book)
    _stop(table)
    _ruled(table, "challenge_failed", "all words are in the list")
    _on(table)
    return table


def retraction(book: str) -> Table:
    """A ruling is made and taken back."""
    table = challenge_in_vain(book)
    ruled = next(n for n, e in enumerate(table.events, 1) if isinstance(e, TurnRuled))
    table.put(Retracted(ruled, "Dee", "the wrong play was looked up", table.now + SECOND))
    return table


def changed_after_press(book: str) -> Table:
    """A tile is put down after the press."""
    table = _opened(book)
    board = table.board.replace(
        dict.fromkeys([next(iter(table.board.tiles())).step(False, -1)], "T")
    )
    table.put(TilesChanged(3, board.rows, table.now + 500_000_000, {}, table.now + SECOND))
    _stop(table)
    why = "the tile counts as laid late"
    table.put(PenaltyAdded("left", 5, None, "Dee", why, table.now))
    return table


def blank(book: str) -> Table:
    """Which letter was the blank?"""
    table = after("8D PL?TE, D8 .IER", book)
    _stop(table)
    table.put(BlankDesignated("8F", "a", "Dee", "written on the slip", table.now))
    table.put(StopExplained(2, "blank", "Dee", "the letter was asked for", table.now))
    return table


def clock(book: str) -> Table:
    """Time is given for a clock that ran while the director spoke."""
    table = _opened(book)
    _stop(table, 90)
    why = "the director spoke to the player on turn"
    table.put(ClockAdjusted("right", 90 * SECOND, None, "Dee", why, table.now))
    table.put(StopExplained(3, "director", "Dee", why, table.now + SECOND))
    _on(table, 120)
    return table


def late(book: str) -> Table:
    """A player came late, and the clock had run."""
    table = Table(rulebook=book)
    table.put(LateStart("left", 300 * SECOND, "Dee", "came at ten past", table.now))
    table.play("8D", "PLATE")
    return table


def misread(book: str) -> Table:
    """The camera could not read a square, and somebody entered it."""
    table = Table(rulebook=book)
    found = Finding("uncertain_square", "8F", "may be A 43%, C 12%")
    table.play("8D", "PL~TE", (found,))
    table.put(SquareCorrected(1, "8F", "A", "Dee", "to be seen on the picture", table.now + SECOND))
    return table


def forgotten_press(book: str) -> Table:
    """Two turns were made without a press between them."""
    table = Table(rulebook=book)
    table.lay("8D=P", "8E=L", "8F=A", "8G=T", "8H=E", "9H=R")
    ended = table.now - 9 * SECOND
    squares = ("8D", "8E", "8F", "8G", "8H")
    table.put(TurnParted(1, squares, "left", ended, "Dee", "nobody pressed", table.now + SECOND))
    return table


def missing_tiles(book: str) -> Table:
    """The set turns out to lack tiles, in a game whose camera was away for a while."""
    table = _opened(book)
    for at, state in ((1, "begins"), (7, "over")):
        text = "the camera is lost"
        table.put(TroubleNoted("camera_lost", "", state, text, table.now + at * SECOND))
    table.put(SetAltered("EE", "", "Dee", "counted after the game", table.now + 9 * SECOND))
    return table


def overtime(book: str) -> Table:
    """A player runs into overtime; the end and its racks are entered, one of them corrected."""
    table = Table(rulebook=book, seconds=30)
    table.play("8D", "PLATE")
    table.seconds = 27 * 60
    table.play("D8", ".IER")
    table.put(GameEnded("agreed", table.now + SECOND, "Dee", "both stopped"))
    for side, rack in (("left", "QU"), ("right", "AE")):
        seen = RackReported(side, rack, table.now + SECOND, "Dee", "shown", len(rack))
        try:
            table.put(seen)
        except TilewatchError:
            continue  # where the book has no racks counted now
    if table.state.status == "ended":
        table.put(ResultSigned("both", table.now + 60 * SECOND))
    return table


def much_entered(book: str) -> Table:
    """Of one stop there are eight entries: the stop, why, a verdict, time, points, taken back."""
    table = challenge_in_vain(book)
    turn = len(table.state.turns)
    stopped = table.state.turns[-1].press_ns + 2 * SECOND
    why = "it was so decided at the table, with both players and the arbiter there"
    for entered in (
        StopExplained(turn, "challenge", "Dee", why, stopped),
        ClockAdjusted("left", 60 * SECOND, None, "Dee", why, stopped),
        PenaltyAdded("right", 10, None, "Dee", why, stopped),
        ClockAdjusted("right", 60 * SECOND, None, "Dee", why, stopped),
        PenaltyAdded("left", 5, None, "Dee", why, stopped),
    ):
        table.put(entered)
    table.put(Retracted(len(table.events), "Dee", why, stopped))
    return table


DISPUTES: Final[dict[str, Callable[[str], Table]]] = {
    made.__name__: made
    for made in (
        challenge, challenge_in_vain, much_entered, retraction, changed_after_press, blank, clock,
        late, misread, forgotten_press, missing_tiles, overtime,
    )
}  # fmt: skip


def disputed(name: str, book: str) -> tuple[Event, ...]:
    """The events of a dispute under a rulebook."""
    return tuple(DISPUTES[name](book).events)
