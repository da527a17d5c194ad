"""Windows for the turn decoder, drawn by hypothesis: plays on a board, seen well or badly."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import log

from hypothesis import strategies as st

from game.board import EMPTY, SQUARES, Board, Square
from game.events import SIDES, Side, other
from game.plays.play import is_play
from tests.game.gamekit import random_play
from vision.tracking.turn_hypotheses import (
    Hypothesis,
    PressSeen,
    Recorded,
    SideLikelihoods,
    TileEvent,
    Window,
)

TENTH = 100_000_000
"""A tenth of a second, in which all times are drawn."""

LETTERS = "AEINORST"
SEEN = {"left": (log(0.95), log(0.05)), "right": (log(0.05), log(0.95))}

SURE = st.sampled_from([1.0, 1.0, 1.0, 0.999, 0.99, 0.9, 0.5, 0.1])
"""How likely it is that a tile lies there."""


@dataclass
class Table:
    """A board in play: what is laid on it and who presses, at times in tenths of a second."""

    rng: random.Random
    side: Side
    rack: int = 7
    board: Board = field(default_factory=Board.empty)
    start: Board = field(default_factory=Board.empty)
    now: int = 0
    running: Side = "left"
    tiles: dict[Square, TileEvent] = field(default_factory=dict)
    presses: list[PressSeen] = field(default_factory=list)
    hands: dict[Square, tuple[float, float]] = field(default_factory=dict)
    turns: list[tuple[Side, frozenset[Square]]] = field(default_factory=list)
    """The truth: whose each turn is, and where its tiles lie."""

    @classmethod
    def begun(cls, seed: int, side: Side, plays: int) -> Table:
        """A table on which so many plays lie already."""
        table = cls(random.Random(seed), side, running=side)
        for _ in range(plays):
            table.board = table.board.replace(dict.fromkeys(table.place(), "E"))
        table.start = table.board
        return table

    def place(self) -> list[Square]:
        """Squares of a play, in the order in which they are laid; none when luck runs out.

        It makes no one play together with the one before it, which hardly ever happens.
        """
        squares: list[Square] = []
        for _ in range(20):
            squares = random_play(self.rng, self.board, self.rack) or []
            if not self._continues(squares):
                break
            squares = []
        self.rng.shuffle(squares)
        return squares

    def _continues(self, squares: list[Square]) -> bool:
        last = self.turns[-1][1] if self.turns else frozenset()
        before = self.board.replace(dict.fromkeys(last, EMPTY))
        both = dict.fromkeys([*last, *squares], "E")
        return bool(last and squares) and is_play(before, both, 7)

    def lay(self, square: Square, span: int, p: float = 1.0, hand: str = "") -> None:
        """Lay a tile at this moment; it was seen so long before that its square was bare."""
        symbol, after = self.rng.choice(LETTERS), max(self.now - span, 0)
        self.tiles[square] = TileEvent(symbol, after * TENTH, self.now * TENTH, p)
        if hand:
            self.hands[square] = SEEN[hand]

    def ends(self, squares: Iterable[Square]) -> None:
        """The turn has ended by which these tiles lie there."""
        play = frozenset(squares)
        self.board = self.board.replace({square: self.tiles[square].symbol for square in play})
        self.turns.append((self.side, play))
        self.side = other(self.side)

    def press(self, side: Side) -> None:
        """Press a button."""
        self.presses.append(PressSeen(side, self.now * TENTH, self.running == side))
        if self.running == side:
            self.running = other(side)

    def window(self, **more) -> Window:
        """The window of all this."""
        begun, tiles = self.turns[0][0] if self.turns else self.side, self.tiles
        window = Window(self.start, begun, self.rack, 0, tiles, tuple(self.presses), 0.02)
        return replace(window, **more)


def games(most: int = 4, least: int = 1) -> st.SearchStrategy[Table]:
    """Games in plain sight, each turn pressed for: a moment before and after each play."""
    return st.builds(
        _played,
        st.integers(0, 2**32),
        st.sampled_from(SIDES),
        st.integers(0, 5),
        st.lists(st.integers(20, 100), min_size=least, max_size=most),
        st.just(None),
    )


def forgetful_games(most: int = 4) -> st.SearchStrategy[Table]:
    """The same, but one press is forgotten."""
    return st.builds(
        _played,
        st.integers(0, 2**32),
        st.sampled_from(SIDES),
        st.integers(0, 5),
        st.lists(st.integers(20, 100), min_size=2, max_size=most),
        st.integers(0, most - 1),
    )


def _played(seed: int, side: Side, before: int, thought: list[int], forgotten: int | None) -> Table:
    table = Table.begun(seed, side, before)
    for number, tenths in enumerate(thought):
        table.now += tenths
        squares = table.place()
        for square in squares:
            table.now += table.rng.randint(3, 20)
            table.lay(square, 3)
        table.ends(squares)
        table.now += table.rng.randint(10, 40)
        if number != forgotten:
            table.press(other(table.side))
    return table


@st.composite
def windows(draw: st.DrawFn, plays: int = 3, unsure: int = 5) -> tuple[Window, SideLikelihoods]:
    """Windows of any kind: hidden tiles, things that look like tiles, presses of every kind.

    With so many plays at most, and so many tiles that may be none.
    """
    table = Table.begun(
        draw(st.integers(0, 2**32)), draw(st.sampled_from(SIDES)), draw(st.integers(0, 4))
    )
    table.rack = draw(st.sampled_from([3, 7]))
    unpressed = draw(st.sampled_from([0.02, 0.2, None]))
    known = draw(st.integers(0, 2))
    recorded: list[Recorded] = []
    for number in range(draw(st.integers(0, plays))):
        squares = table.place()[: draw(st.integers(0, 7))]
        counts = number < known
        for square in squares:
            table.now += draw(st.integers(0, 30))
            p = draw(SURE) if unsure and not counts else 1.0
            unsure -= p < 1.0
            table.lay(square, draw(st.integers(0, 40)), p, draw(st.sampled_from(["", *SIDES])))
        table.ends(squares)
        side = other(table.side)
        table.now += draw(st.integers(0, 30))
        pressed = unpressed is not None and draw(st.sampled_from([True, True, False]))
        if pressed:
            table.press(side)
        if counts:
            own = frozenset(squares[: draw(st.integers(0, 7))])
            press_ns = table.presses[-1].t_ns if pressed else None
            recorded.append(Recorded(side, own, press_ns))
        if unpressed is not None and draw(st.integers(0, 3)) == 0:
            table.now += draw(st.integers(0, 8))
            table.press(draw(st.sampled_from(SIDES)))
    bare = [square for square in SQUARES if table.board[square] == EMPTY]
    for at in draw(st.lists(st.integers(0, len(bare) - 1), max_size=2, unique=True)):
        table.now += draw(st.integers(0, 30))
        table.lay(bare[at], draw(st.integers(0, 40)), draw(SURE) if unsure else 1.0)
    seen = draw(st.sampled_from([None, table.now, table.now + 50]))
    window = table.window(
        unpressed=unpressed,
        recorded=tuple(recorded),
        over=draw(st.booleans()),
        seen_ns=None if seen is None else seen * TENTH,
    )
    if not recorded and draw(st.integers(0, 3)) == 0:
        window = replace(window, side=None)
    return window, table.hands


def turns_of(one: Hypothesis) -> tuple[object, ...]:
    """The turns of a hypothesis as a :class:`Table` tells them, and what is left over."""
    return (*((turn.side, turn.tiles) for turn in one.turns), one.rest)
