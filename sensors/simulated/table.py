"""A table without hardware: a camera and clock buttons in simulated time, with truth."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from game.tileset import load_tile_set
from models.scenes import Renderer, SceneSpec
from sensors.interfaces import Frame, Press
from sensors.simulated.actions import Action
from sensors.simulated.looks import look
from sensors.simulated.playing import Pace, whole_game
from sensors.simulated.script import Script
from sensors.simulated.world import SECOND, Moment, Said, TurnTruth, World

FPS: Final = 10.0
"""Frames a second of simulated time."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class FrameTruth:
    """What a frame really shows.

    ``rows`` as on a board, ``rotation`` int8 (15, 15) in quarter turns, ``covered`` float32
    (15, 15) the share of each square behind a hand, ``corners`` float32 (4, 2) pixels of the grid,
    ``moving`` whether a hand is over the table.
    """

    rows: tuple[str, ...]
    rotation: NDArray[np.int8]
    covered: NDArray[np.float32]
    corners: NDArray[np.float32]
    moving: bool


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedFrame(Frame):
    """A frame with its truth."""

    truth: FrameTruth | None = None


class SimulatedTable:
    """Two players, a board, a clock, a camera.

    Everything follows from ``script``, ``seed`` and ``actions``: the same ones give the same
    frames, presses and words. ``start_ns`` is the time of the first frame on the table's base.
    Frames are drawn when they are asked for; asking for presses or for what was said draws none.
    """

    def __init__(
        self,
        script: Script,
        seed: int = 0,
        *,
        actions: Sequence[Action] | None = None,
        spec: SceneSpec | None = None,
        fps: float = FPS,
        start_ns: int = 0,
        pace: Pace | None = None,
    ) -> None:
        self.script = script
        rng = random.Random(f"tilewatch table {seed}")
        spec = spec or look(seed, load_tile_set(script.tile_set))
        if actions is None:
            actions = whole_game(script, rng, pace or Pace())
        self._world = World(rng, spec, fps, t_ns=start_ns)
        self._start_ns = start_ns
        self._noise = np.random.default_rng(spec.seed)
        self._steps = self._run(actions)
        self._moments: deque[Moment] = deque()
        self._over = False
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._drawn: Renderer | None = None

    @property
    def turns(self) -> Sequence[TurnTruth]:
        """What the turns so far really were."""
        return self._world.turns

    def camera(self) -> SimulatedCamera:
        """The table's camera. One reader at a time."""
        return SimulatedCamera(self)

    def buttons(self) -> SimulatedButtons:
        """The table's clock buttons. One reader at a time."""
        return SimulatedButtons(self)

    def said(self) -> Iterator[Said]:
        """What is said aloud at the table, in order of time. One reader at a time."""
        return self._take(lambda: self._world.said)

    def close(self) -> None:
        """End every iterator."""
        self._closed.set()

    def moments(self) -> Iterator[Moment]:
        """The moments of the frames, undrawn."""
        return self._take(lambda: self._moments)

    def draw(self, moment: Moment) -> SimulatedFrame:
        """The frame of one moment."""
        if self._drawn is None or self._drawn.spec is not moment.spec:
            self._drawn = Renderer(moment.spec)
        scene = self._drawn.frame(
            moment.rows, self._noise, rotation=moment.rotation, hands=moment.hands
        )
        truth = FrameTruth(
            moment.rows, moment.rotation, scene.covered, scene.corners, moment.moving
        )
        return SimulatedFrame(scene.image, moment.t_ns, moment.seq, None, truth)

    def _take(self, queue: Callable[[], deque[_T]]) -> Iterator[_T]:
        """What comes into a queue of the world's, running the world on as far as it needs."""
        while not self._closed.is_set():
            with self._lock:
                while not queue() and not self._over:
                    self._over = next(self._steps, None) is None
                if not queue():
                    return
                item = queue().popleft()
            yield item

    def _run(self, actions: Sequence[Action]) -> Iterator[bool]:
        world = self._world

        def take() -> None:
            self._moments.append(world.moment())
            world.seq += 1
            world.t_ns = self._start_ns + round(world.seq * SECOND / world.fps)

        for action in actions:
            for _ in action.run(world):
                take()
                yield True


@dataclass(frozen=True)
class SimulatedCamera:
    """A ``Camera`` over a simulated table."""

    table: SimulatedTable

    def frames(self) -> Iterator[SimulatedFrame]:
        """The frames, each with its truth, in simulated time and as fast as they are asked for."""
        for moment in self.table.moments():
            yield self.table.draw(moment)

    def close(self) -> None:
        """End the table."""
        self.table.close()


@dataclass(frozen=True)
class SimulatedButtons:
    """``Buttons`` of a simulated table."""

    table: SimulatedTable

    def presses(self) -> Iterator[Press]:
        """The presses, in order of time."""
        return self.table._take(lambda: self.table._world.presses)

    def close(self) -> None:
        """End the table."""
        self.table.close()
