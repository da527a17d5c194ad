"""Things that go wrong in one turn: for each the actions, and the flags that it must get.

A trick is a function. It gets its context and the turn as planned so far, and returns the turns to
play instead, or None if it cannot be played there. Repairs that the next player must make are
appended to ``mends``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from game.board import CENTRE, EMPTY, SQUARES, Board, Square, is_blank
from game.events import Side, other
from simulation.actions import (
    Action,
    CameraTrouble,
    Changed,
    Lamps,
    Lay,
    LeanOver,
    Leave,
    Lift,
    Note,
    Nudge,
    PressClock,
    Put,
    Reach,
    Slide,
    Sun,
    Wait,
    over,
)
from simulation.playing import Rule, TurnPlan
from simulation.script import ScriptTurn
from simulation.world import Trouble

ONE_WAY_UP: Final = frozenset("ABCDEFGJKLPQRTUVY")
"""Letters that, when turned, look neither the same nor like another letter."""

LATE_GAME: Final = 6
"""No turns are added among this many last turns of a game: the bag is empty, and rules change."""


@dataclass(frozen=True, eq=False)
class TrickContext:
    """The turn and the board of a trick."""

    turn: ScriptTurn
    left: int
    """The number of the script's turns that are left, this one included."""
    board: Board
    """The board before the turn."""
    rng: random.Random
    mends: list[Callable[[Side], Action]]
    """Repairs that the next player makes first; each is called with that player's side."""
    dull: bool
    """True if a turn nearby scores nothing: too many of those in a row end a game."""

    @property
    def side(self) -> Side:
        """The side of the player on turn."""
        return self.turn.side

    @property
    def after(self) -> Board:
        """The board with the turn's tiles."""
        return self.board.replace(self.turn.tiles)

    def bystander(self) -> Square | None:
        """An earlier tile that no tile of this turn touches or shares a line with, or None."""
        near = {
            Square(t.row + down, t.col + right)
            for t in self.turn.tiles
            for down in range(-2, 3)
            for right in range(-2, 3)
        }
        free = [square for square in self.board.tiles() if square not in near]
        return self.rng.choice(free) if free else None

    def neighbour(self, square: Square) -> Square | None:
        """Return an empty square next to ``square`` with room around it; None if there is none."""
        near = [square.step(way, by) for way in (True, False) for by in (1, -1)]
        free = [s for s in near if s.on_board and self.after[s] == EMPTY]
        return self.rng.choice(free) if free else None


def weather(rng: random.Random, light: float, board: float, camera: float) -> tuple[Action, ...]:
    """Return troubles with light, board and camera, by these chances; none of them is flagged."""
    idle: list[Action] = []
    if rng.random() < light:
        idle.append(
            rng.choice(
                (
                    LeanOver(rng.uniform(2, 12), rng.uniform(0.3, 0.55)),
                    LeanOver(None),
                    Lamps((1.0, 0.93, 1.04, 0.9)),
                    Lamps((1.0,)),
                    Sun(
                        (rng.uniform(0.0, 0.35), rng.uniform(0, 360)),
                        (rng.uniform(0.75, 1.0), rng.uniform(0.85, 1.0), rng.uniform(0.9, 1.1)),
                    ),
                )
            )
        )
    if rng.random() < board:
        by = (rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3))
        idle.append(Nudge(by, rng.uniform(-2, 2)))
    if rng.random() < camera:
        troubles: tuple[Trouble, ...] = ("gone", "frozen", "black", "smaller")
        idle.append(CameraTrouble(rng.choice(troubles), rng.uniform(1.5, 4.0)))
        idle.append(Wait(1.0))
    return tuple(idle)


Trick = Callable[[TrickContext, TurnPlan], list[TurnPlan] | None]


def _with(base: TurnPlan, kind: str, *codes: str, **changes: object) -> list[TurnPlan]:
    fault = (kind, frozenset(codes))
    return [replace(base, faults=(*base.faults, fault), **changes)]  # type: ignore[arg-type]


def turned_tile(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """One tile of a play is placed turned."""
    clear = [s for s, symbol in here.turn.tiles.items() if symbol in ONE_WAY_UP]
    if not clear or len(here.turn.tiles) < 2:
        return None
    square = here.rng.choice(clear)
    symbol = here.turn.tiles[square]
    if here.rng.random() < 0.5:
        here.mends.append(lambda side: Put(side, square, symbol))
    turns = here.rng.choice((1, 2, 3))
    return _with(base, "turned_tile", "misoriented_tile", quarter_turns={square: turns})


def turned_play(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """A whole play is placed for the opponent to read."""
    tiles = here.turn.tiles
    if not 2 <= len(tiles) <= 4 or len(here.board.symbols) < 4 * len(tiles):
        return None
    if not all(symbol in ONE_WAY_UP for symbol in tiles.values()):
        return None
    turned = dict.fromkeys(tiles, 2)
    return _with(base, "turned_play", "misoriented_play", quarter_turns=turned)


def face_down(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """A tile is placed face down, and turned up by the next player."""
    tiles = [s for s, symbol in here.turn.tiles.items() if not is_blank(symbol)]
    if len(tiles) < 2:
        return None
    square = here.rng.choice(tiles)
    symbol = here.turn.tiles[square]
    here.mends.append(lambda side: Put(side, square, symbol))
    return _with(base, "face_down", "face_down", shown={square: "#"}, scores=False)


def knocked(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """A sleeve pushes an earlier tile aside; the opponent puts it right."""
    square = here.bystander()
    end = None if square is None else here.neighbour(square)
    if square is None or end is None:
        return None
    here.mends.append(lambda side: Slide(side, end, square))
    return _with(base, "knocked", "tile_moved", over=(Slide(here.side, square, end),))


def knocked_and_mended(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """A sleeve pushes an earlier tile aside, and the player puts it right before the press."""
    square = here.bystander()
    end = None if square is None else here.neighbour(square)
    if square is None or end is None:
        return None
    both = (Slide(here.side, square, end), Wait(0.3), Slide(here.side, end, square))
    return _with(base, "knocked_and_mended", over=both)


def removed(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """An earlier tile falls off the board; the opponent finds it and puts it back."""
    square = here.bystander()
    if square is None:
        return None
    symbol = here.board[square]
    here.mends.append(lambda side: Lay(side, square, symbol))
    return _with(base, "removed", "tile_removed", over=(Lift(here.side, square),))


def swapped(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """An earlier tile is exchanged for another one; the opponent puts the first one back."""
    square = here.bystander()
    if square is None or is_blank(here.board[square]):
        return None
    symbol = here.board[square]
    others = [letter for letter in "AEINORSTLU" if letter != symbol]
    here.mends.append(lambda side: Put(side, square, symbol))
    swap = Put(here.side, square, here.rng.choice(others))
    return _with(base, "swapped", "tile_replaced", over=(swap,))


def changed_after_press(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """A player takes a tile off after the press; the opponent has it put back."""
    if here.turn.out or len(here.turn.tiles) < 2:
        return None
    square = here.rng.choice(list(here.turn.tiles))
    symbol = here.turn.tiles[square]
    if is_blank(symbol):
        return None
    side = here.side
    here.mends.append(lambda who: Lay(who, square, symbol))
    after = (Wait(0.2), Reach(side, over(square, side), 0.4), Lift(side, square, 0.1), Changed())
    return _with(
        base,
        "changed_after_press",
        "changed_after_press",
        after=(*after, Leave(side, 0.4), Wait(1.0)),
    )


def pressed_under_a_hand(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """One hand presses while the other is over the board."""
    square = next(iter(here.turn.tiles))
    rest = Reach(here.side, (min(12.0, square.col + 3.0), square.row + 0.5), 0.3)
    return _with(base, "pressed_under_a_hand", "board_covered", covered=True, over=(rest,))


def forgotten_clock(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """The player forgets to press; the opponent's own button has no effect."""
    late: tuple[Action, ...] = (Wait(3.0), PressClock(other(here.side)), Wait(1.5))
    return _with(base, "forgotten_clock", late=late)


def second_thoughts(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """The player tries the tiles elsewhere first, and takes them back."""
    free = [s for s in SQUARES if here.after[s] == EMPTY]
    symbols = list(here.turn.tiles.values())[:3]
    if len(free) < len(symbols):
        return None
    squares = here.rng.sample(free, len(symbols))
    tried = tuple(zip(squares, symbols, strict=True))
    return _with(base, "second_thoughts", elsewhere=tried)


def challenged_in_vain(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """The opponent stops the clock and challenges; the play is good."""
    if here.turn.out or here.turn.afterwards:
        return None
    after = (
        Wait(1.5),
        PressClock("neutral"),
        Wait(1.5),
        Rule("challenge_failed", "all words are good", 1),
        Wait(0.5),
        PressClock(here.side),
    )
    return _with(base, "challenged_in_vain", after=after)


def stopped_for_nothing(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """The clock is stopped and started again, and nobody says why."""
    if here.turn.out or here.turn.afterwards or here.left <= LATE_GAME:
        return None
    after = (
        Note("stopped_for_nothing", 1, frozenset({"challenge_unclear"})),
        Wait(1.5),
        PressClock("neutral"),
        Wait(2.0),
        PressClock(here.side),
    )
    return [replace(base, after=after)]


def challenged_off(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """The play is challenged off; the opponent passes, and it is played again and stands."""
    return _twice(here, base, dict(here.turn.tiles), "challenged_off")


def misplaced(here: TrickContext, base: TurnPlan) -> list[TurnPlan] | None:
    """The tiles are placed where no play may be, challenged off, and played properly later."""
    kinds = ["gap", "disconnected", "not_one_line"]
    if not here.board.symbols:
        kinds = ["off_centre", "single_tile_opening", "gap"]
    here.rng.shuffle(kinds)
    for kind in kinds:
        tiles = _MISPLACED[kind](here)
        if tiles is not None:
            return _twice(here, base, tiles, kind, kind)
    return None


def _twice(
    here: TrickContext, base: TurnPlan, tiles: Mapping[Square, str], kind: str, *codes: str
) -> list[TurnPlan] | None:
    if here.left <= LATE_GAME or not here.turn.score or here.turn.afterwards:
        return None
    if here.dull:
        return None
    off = TurnPlan(ScriptTurn(here.side, "withdrawn", tiles), start=base.start, idle=base.idle)
    off = _with(off, kind, *codes)[0]
    passed = TurnPlan(ScriptTurn(other(here.side), "pass"))
    return [off, passed, replace(base, start=(), idle=())]


def _gap(here: TrickContext) -> dict[Square, str] | None:
    """Return the turn's tiles with a gap: the last is one square further on; None if impossible."""
    tiles = sorted(here.turn.tiles.items())
    if len(tiles) < 2:
        return None
    (last, symbol), rest = tiles[-1], tiles[:-1]
    across = rest[-1][0].row == last.row
    end = last.step(across).step(across)
    between = last.step(across)
    if not end.on_board or here.board[end] != EMPTY or here.board.get(between) != EMPTY:
        return None
    return {**dict(rest), end: symbol}


def _far(here: TrickContext, count: int) -> list[Square] | None:
    """Return ``count`` empty squares in a row that touch no tile; None if there are none."""
    for _ in range(200):
        start = Square(here.rng.randrange(15), here.rng.randrange(15))
        across = here.rng.random() < 0.5
        squares = [start]
        while len(squares) < count:
            squares.append(squares[-1].step(across))
        around = {
            Square(s.row + down, s.col + right)
            for s in squares
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
        }
        if all(s.on_board for s in squares) and all(here.board.get(s) == EMPTY for s in around):
            return squares
    return None


def _disconnected(here: TrickContext) -> dict[Square, str] | None:
    squares = _far(here, len(here.turn.tiles))
    if squares is None or not here.board.symbols:
        return None
    return dict(zip(squares, here.turn.tiles.values(), strict=True))


def _off_centre(here: TrickContext) -> dict[Square, str] | None:
    squares = _far(here, len(here.turn.tiles))
    if squares is None or CENTRE in squares or len(squares) < 2:
        return None
    return dict(zip(squares, here.turn.tiles.values(), strict=True))


def _single(here: TrickContext) -> dict[Square, str] | None:
    return {CENTRE: next(iter(here.turn.tiles.values()))}


def _scattered(here: TrickContext) -> dict[Square, str] | None:
    tiles = sorted(here.turn.tiles.items())
    if len(tiles) < 3:
        return None
    (last, symbol), rest = tiles[-1], tiles[:-1]
    across = rest[0][0].row == rest[1][0].row
    aside = last.step(not across, here.rng.choice((1, -1)))
    if not aside.on_board or here.board[aside] != EMPTY:
        return None
    return {**dict(rest), aside: symbol}


_MISPLACED: Final[Mapping[str, Callable[[TrickContext], dict[Square, str] | None]]] = {
    "gap": _gap,
    "disconnected": _disconnected,
    "not_one_line": _scattered,
    "off_centre": _off_centre,
    "single_tile_opening": _single,
}

TRICKS: Final[Sequence[Trick]] = (
    turned_tile,
    turned_play,
    face_down,
    knocked,
    knocked_and_mended,
    removed,
    swapped,
    changed_after_press,
    pressed_under_a_hand,
    forgotten_clock,
    second_thoughts,
    challenged_in_vain,
    stopped_for_nothing,
    challenged_off,
    misplaced,
)
