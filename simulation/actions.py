"""The players' actions, and mishaps at a table, as small steps that can be combined.

An action is run as a generator over the :class:`~simulation.world.World`: it changes the
world, and each ``yield`` lets one frame go by. That makes a bump, a knocked tile, a shadow or a
forgotten clock one more class of a few lines, to be combined with others by
:class:`InTurn` and :class:`Together`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from game.board import EMPTY, Board, Square
from game.events import SIDES, Button, Event, Side
from models.scenes.spec import Hand, Shadow
from simulation.world import Fault, Trouble, World

Steps = Iterator[None]


class Action(Protocol):
    """A step of a player or a mishap, as a generator over the world."""

    def run(self, world: World) -> Steps:
        """Run the action; every ``yield`` lets one frame go by."""
        ...


@dataclass(frozen=True)
class InTurn:
    """One action after another."""

    actions: tuple[Action, ...]

    def run(self, world: World) -> Steps:
        for action in self.actions:
            yield from action.run(world)


@dataclass(frozen=True)
class Together:
    """Several actions at once: one step of each for every frame, until all are done."""

    actions: tuple[Action, ...]

    def run(self, world: World) -> Steps:
        running = [action.run(world) for action in self.actions]
        while running:
            running = [steps for steps in running if next(steps, _DONE) is not _DONE]
            if running:
                yield


_DONE: Final = object()


@dataclass(frozen=True)
class Wait:
    """A wait in which the player does nothing visible: thinks, or writes a score down."""

    seconds: float

    def run(self, world: World) -> Steps:
        for _ in range(world.frames(self.seconds)):
            yield


_SEAT: Final[dict[Side, tuple[float, float]]] = {"left": (-10.0, 11.0), "right": (25.0, 4.0)}
"""The place that each player's arm comes from, in room units; well out of the picture."""

_SLEEVES: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (96.0, 66.0, 40.0),
    "right": (60.0, 64.0, 132.0),
}
_SKINS: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (140.0, 172.0, 222.0),
    "right": (78.0, 104.0, 150.0),
}


def _hand(world: World, side: Side) -> Hand:
    """Return the player's hand; if it is not over the board, put it at rest outside the picture."""
    if side in world.hands:
        return world.hands[side]
    seat = _SEAT[side]
    return Hand(
        start=world.to_board(seat),
        reach=world.to_board((seat[0] * 0.6 + 3.0, seat[1])),
        skin=_SKINS[side],
        sleeve=_SLEEVES[side],
        seed=7 if side == "left" else 8,
    )


@dataclass(frozen=True)
class Reach:
    """A hand glides, slower at both ends, until its fingertips are over a point, in squares."""

    side: Side
    to: tuple[float, float]
    seconds: float

    def run(self, world: World) -> Steps:
        hand = _hand(world, self.side)
        (x0, y0), (x1, y1) = hand.reach, self.to
        count = world.frames(self.seconds)
        for step in range(1, count + 1):
            ease = (1 - math.cos(math.pi * step / count)) / 2
            at = (x0 + (x1 - x0) * ease, y0 + (y1 - y0) * ease)
            world.hands[self.side] = replace(hand, reach=at)
            yield


@dataclass(frozen=True)
class Leave:
    """A hand goes back out of the picture."""

    side: Side
    seconds: float = 0.5

    def run(self, world: World) -> Steps:
        if self.side in world.hands:
            seat = _SEAT[self.side]
            away = world.to_board((seat[0] * 0.9, seat[1]))
            yield from Reach(self.side, away, self.seconds).run(world)
            del world.hands[self.side]


def over(square: Square, side: Side) -> tuple[float, float]:
    """Return the position of fingertips that hold a tile on a square, in units of squares."""
    inward = 0.25 if side == "left" else -0.25
    return (square.col + 0.5 - inward, square.row + 0.5)


@dataclass(frozen=True)
class Lay:
    """Put a tile on a square. ``quarter_turns`` clockwise against the board's upright."""

    side: Side
    square: Square
    symbol: str
    seconds: float = 0.5
    quarter_turns: int = 0

    def run(self, world: World) -> Steps:
        yield from Reach(self.side, over(self.square, self.side), self.seconds).run(world)
        world.tiles[self.square] = self.symbol
        if self.quarter_turns % 4:
            world.quarter_turns[self.square] = self.quarter_turns % 4
        yield


@dataclass(frozen=True)
class Lift:
    """Take the tile off a square."""

    side: Side
    square: Square
    seconds: float = 0.4

    def run(self, world: World) -> Steps:
        if self.seconds > 0:
            yield from Reach(self.side, over(self.square, self.side), self.seconds).run(world)
        world.tiles.pop(self.square, None)
        world.quarter_turns.pop(self.square, None)
        yield


@dataclass(frozen=True)
class PressClock:
    """Press a clock button, at some moment between two frames."""

    button: Button

    def run(self, world: World) -> Steps:
        world.press(self.button, world.rng.uniform(0.1, 0.9) / world.fps)
        yield


@dataclass(frozen=True)
class Say:
    """Announce something: a blank's letter, a director's ruling."""

    event: Event

    def run(self, world: World) -> Steps:
        world.announce(self.event)
        yield from ()


@dataclass(frozen=True)
class Slide:
    """A tile is pushed from one square to another, by a sleeve or to put it right."""

    side: Side
    start: Square
    end: Square
    seconds: float = 0.3

    def run(self, world: World) -> Steps:
        yield from Reach(self.side, over(self.start, self.side), self.seconds).run(world)
        world.tiles[self.end] = world.tiles.pop(self.start)
        if self.start in world.quarter_turns:
            world.quarter_turns[self.end] = world.quarter_turns.pop(self.start)
        yield from Reach(self.side, over(self.end, self.side), self.seconds).run(world)


@dataclass(frozen=True)
class Put:
    """Replace the tile on a square by another one, or by the same one turned over or round."""

    side: Side
    square: Square
    symbol: str
    seconds: float = 0.4

    def run(self, world: World) -> Steps:
        yield from Reach(self.side, over(self.square, self.side), self.seconds).run(world)
        world.tiles[self.square] = self.symbol
        world.quarter_turns.pop(self.square, None)
        yield


@dataclass(frozen=True)
class Changed:
    """Note in the truth that the last change was made after the press."""

    def run(self, world: World) -> Steps:
        world.changed()
        yield from ()


@dataclass(frozen=True)
class Note:
    """Note a fault that should be flagged on the turn ``later`` turns after the last one."""

    kind: str
    later: int
    codes: frozenset[str]

    def run(self, world: World) -> Steps:
        world.faults.append(Fault(self.kind, world.seen + self.later, self.codes))
        yield from ()


@dataclass(frozen=True)
class TurnBoard:
    """A player turns the board on its turntable, clockwise by so many degrees."""

    side: Side
    degrees: float
    seconds: float = 0.9

    def run(self, world: World) -> Steps:
        grip = world.to_board((-1.0, 9.0) if self.side == "left" else (16.0, 6.0))
        yield from Reach(self.side, grip, 0.3).run(world)
        count = world.frames(self.seconds)
        for step in range(1, count):
            world.spin = self.degrees * (1 - math.cos(math.pi * step / count)) / 2
            yield
        world.lay_board(world.turned + self.degrees, world.shifted)
        yield


@dataclass(frozen=True)
class Nudge:
    """An elbow pushes the board, within one frame, to the offset ``by`` from its first position."""

    by: tuple[float, float]
    degrees: float

    def run(self, world: World) -> Steps:
        world.lay_board(world.turned + self.degrees, self.by)
        yield


@dataclass(frozen=True)
class LeanOver:
    """Somebody leans over the table, within half a second, and casts a shadow."""

    edge: float | None
    """The shadow's reach over the board, in room units from the left; None takes it away."""
    darkness: float = 0.5
    softness: float = 0.8

    def run(self, world: World) -> Steps:
        base = replace(world.light, shadows=())
        if self.edge is None:
            world.light = base
            yield
            return
        count = world.frames(0.5)
        for step in range(1, count + 1):
            edge = -4.0 + (self.edge + 4.0) * step / count
            points = ((-30.0, -30.0), (edge, -30.0), (edge + 3.0, 45.0), (-30.0, 45.0))
            shadow = Shadow(points, 1.0 - self.darkness, self.softness)
            world.light = replace(base, shadows=(shadow,))
            yield


@dataclass(frozen=True)
class Lamps:
    """The lamps flicker from now on: each frame takes the next gain, in a cycle."""

    gains: tuple[float, ...]

    def run(self, world: World) -> Steps:
        world.gains = self.gains
        yield from ()


@dataclass(frozen=True)
class Sun:
    """The sun has moved: the light's gradient over the table and its warmth change."""

    gradient: tuple[float, float]
    gain: tuple[float, float, float]

    def run(self, world: World) -> Steps:
        world.light = replace(world.light, gradient=self.gradient, gain=self.gain)
        yield from ()


@dataclass(frozen=True)
class CameraTrouble:
    """The camera delivers nothing, the same or dark frames, or frames of another size."""

    trouble: Trouble
    seconds: float

    def run(self, world: World) -> Steps:
        world.trouble = self.trouble
        for _ in range(world.frames(self.seconds)):
            yield
        world.trouble = None


@dataclass(frozen=True)
class PutRight:
    """Correct the board: remove tiles that do not count, and lay missing ones that do."""

    board: Board
    """The board that the game's record has."""
    side: Side
    """The player who does it."""
    done: Callable[[int], None]
    """Called with the time at which it is done, in ns."""

    def run(self, world: World) -> Steps:
        for side in SIDES:
            yield from Leave(side).run(world)  # the hand of whoever was about to play
        wrong = [at for at in world.tiles if self.board[at] == EMPTY]
        gone = [at for at in self.board.tiles() if at not in world.tiles]
        for square in sorted(wrong):
            yield from Lift(self.side, square).run(world)
        for square in sorted(gone):
            yield from Lay(self.side, square, self.board[square]).run(world)
        yield from Leave(self.side).run(world)
        yield from Wait(1.0).run(world)
        self.done(world.t_ns)
