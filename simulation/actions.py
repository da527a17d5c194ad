"""The players' actions, as small steps that can be combined.

An action is run as a generator over the :class:`~simulation.world.World`: it changes the
world, and each ``yield`` lets one frame go by. That makes a bump, a knocked tile, a shadow or a
forgotten clock one more class of a few lines, to be combined with others by
:class:`InTurn` and :class:`Together`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from game.board import Square
from game.events import Event, Side
from models.scenes import Hand
from sensors.interfaces import Button
from simulation.world import World

Steps = Iterator[None]


class Action(Protocol):
    """Something done at the table."""

    def run(self, world: World) -> Steps:
        """Do it; every ``yield`` lets one frame go by."""
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
    """Several actions at once, a step of each before every frame, until the last is done."""

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
    """Nothing, for a while: thinking, writing a score down."""

    seconds: float

    def run(self, world: World) -> Steps:
        for _ in range(world.frames(self.seconds)):
            yield


_SEAT: Final[dict[Side, tuple[float, float]]] = {"left": (-10.0, 11.0), "right": (25.0, 4.0)}
"""Where each player's arm comes from, in room units; well out of the picture."""

_SLEEVES: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (96.0, 66.0, 40.0),
    "right": (60.0, 64.0, 132.0),
}
_SKINS: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (140.0, 172.0, 222.0),
    "right": (78.0, 104.0, 150.0),
}


def _hand(world: World, side: Side) -> Hand:
    """Return the player's hand, at rest out of the picture if it was not over the board."""
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
    """Return the place of fingertips that hold a tile on a square, in squares."""
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
    """Press a button, at some moment between two frames."""

    button: Button

    def run(self, world: World) -> Steps:
        world.press(self.button, world.rng.uniform(0.1, 0.9) / world.fps)
        yield


@dataclass(frozen=True)
class Say:
    """Say something aloud: a blank's letter, a director's ruling."""

    event: Event

    def run(self, world: World) -> Steps:
        world.announce(self.event)
        yield from ()
