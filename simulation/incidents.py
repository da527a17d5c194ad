"""Mishaps at a table, as actions: tiles knocked, boards turned, lamps failing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from game.board import Square
from game.events import Side
from models.scenes import Shadow
from simulation.actions import Reach, Steps, over
from simulation.world import Fault, Trouble, World


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
    """The tile on a square becomes another one, or the same one turned over or round."""

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
    """Notes that the last change was made after the press."""

    def run(self, world: World) -> Steps:
        world.changed()
        yield from ()


@dataclass(frozen=True)
class Note:
    """Something went wrong that will be flagged on a turn from the last one on."""

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
    """An elbow pushes the board from one frame to the next, to ``by`` from its first place."""

    by: tuple[float, float]
    degrees: float

    def run(self, world: World) -> Steps:
        world.lay_board(world.turned + self.degrees, self.by)
        yield


@dataclass(frozen=True)
class LeanOver:
    """Somebody leans over within half a second and casts a shadow."""

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
    """The lamps flicker from now on: frame after frame takes the next gain, over and over."""

    gains: tuple[float, ...]

    def run(self, world: World) -> Steps:
        world.gains = self.gains
        yield from ()


@dataclass(frozen=True)
class Sun:
    """The sun has moved: another gradient over the table, and another warmth."""

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
