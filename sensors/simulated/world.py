"""The simulated table at one moment, which actions change and the camera draws.

Nothing here renders anything: a moment is cheap, so buttons can be asked what comes next without
drawing the frames until then.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, Board, Square
from game.events import Event, Side
from models.scenes import Hand, SceneSpec
from sensors.interfaces import Button, Press

SECOND: Final = 1_000_000_000


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """Everything that one frame shows. ``moving``: a hand or a tile is on its way."""

    t_ns: int
    seq: int
    spec: SceneSpec
    rows: tuple[str, ...]
    rotation: NDArray[np.int8]
    hands: tuple[Hand, ...]
    moving: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody at the table says aloud, as the event that a director would enter."""

    event: Event
    t_ns: int


@dataclass(frozen=True, slots=True)
class TurnTruth:
    """What a turn really was. ``board`` is what lay there when the clock was pressed."""

    side: Side
    kind: str
    tiles: Mapping[Square, str]
    board: Board
    press_ns: int
    score: int | None
    total: int | None


@dataclass
class World:
    """The table now. Actions change it; the table takes a :class:`Moment` of it a frame."""

    rng: random.Random
    spec: SceneSpec
    fps: float
    t_ns: int = 0
    seq: int = 0
    tiles: dict[Square, str] = field(default_factory=dict)
    quarter_turns: dict[Square, int] = field(default_factory=dict)
    """Tiles laid otherwise than upright, in quarter turns clockwise."""
    hands: dict[Side, Hand] = field(default_factory=dict)
    presses: deque[Press] = field(default_factory=deque)
    said: deque[Said] = field(default_factory=deque)
    turns: list[TurnTruth] = field(default_factory=list)

    @property
    def board(self) -> Board:
        """What lies on the squares."""
        return Board.empty().replace(self.tiles)

    def frames(self, seconds: float) -> int:
        """How many frames a stretch of time takes, at least one."""
        return max(1, round(seconds * self.fps))

    def press(self, button: Button, after_s: float = 0.0) -> int:
        """Press a clock button a little after the frame that has just been taken; its time."""
        t_ns = self.t_ns + round(after_s * SECOND)
        self.presses.append(Press(button, t_ns))
        return t_ns

    def say(self, event: Event) -> None:
        """Say something aloud, now."""
        self.said.append(Said(event, self.t_ns))

    def moment(self) -> Moment:
        """The table as it is."""
        rows = [[EMPTY] * SIZE for _ in range(SIZE)]
        for square, symbol in self.tiles.items():
            rows[square.row][square.col] = symbol
        rotation = np.zeros((SIZE, SIZE), np.int8)
        for square, turns in self.quarter_turns.items():
            rotation[square] = turns
        return Moment(
            self.t_ns,
            self.seq,
            self.spec,
            tuple("".join(row) for row in rows),
            rotation,
            tuple(self.hands.values()),
            bool(self.hands),
        )
