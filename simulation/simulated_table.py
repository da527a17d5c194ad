"""A table without hardware: a camera and clock buttons in simulated time, with truth."""

from __future__ import annotations

import heapq
import random
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from game.events import Event
from game.tileset import load_tile_set
from models.scenes.render import Renderer
from models.scenes.spec import SceneSpec
from sensors.interfaces import Frame, Image, Press
from simulation.actions import Action
from simulation.appearance import look
from simulation.playing import Pace, whole_game
from simulation.script import Script
from simulation.world import SECOND, Announcement, Fault, Moment, TurnTruth, World

FPS: Final = 10.0
"""Frames a second of simulated time."""

_RENDERERS: Final = 3
"""The number of renderers kept: for the board's present position and the ones before it."""

_EXPOSURES: Final = 4
"""The number of pictures of a board at rest, each with its own noise, that are shown in a cycle. A
flickering lamp flickers within this cycle."""

_NEWEST: Final = 20
"""The number of the newest frames that :meth:`SimulatedTable.turn_back` can go back to."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class FrameTruth:
    """The truth of a frame.

    ``rows`` are the 15 rows of the board. ``rotation`` is int8 (15, 15), the tiles' quarter turns;
    ``covered`` float32 (15, 15), the share of each square behind a hand; ``corners`` float32
    (4, 2), the grid's corners in pixels. ``moving`` is True while a hand is over the table.
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

    The same ``script``, ``seed`` and ``actions`` always give the same frames, presses and
    announcements. ``start_ns`` is the table's time of the first frame. Frames are drawn when they
    are asked for; asking for presses or announcements draws none.
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
        self.may_turn_back = False
        """True if :meth:`turn_back` may be called; to be set before the first frame is taken."""
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
        self._kept: dict[int, World] = {}
        """Copies of the world after each of the newest frames, for :meth:`turn_back`."""
        self._over = False
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._renderers: dict[object, Renderer] = {}
        self._exposed: tuple[object, list[SimulatedFrame]] = (None, [])
        self._undelivered = 0
        """The number of frames that the camera did not deliver, and so did not count."""
        self.aside: NDArray[np.float32] = np.zeros((SIZE, SIZE), np.float32)
        """float32 (15, 15): the distance of each drawn tile from its square's middle, in squares,
        across or down, whichever is more; of several tiles the furthest."""

    @property
    def turns(self) -> Sequence[TurnTruth]:
        """The truth of the turns so far."""
        return self._world.turns

    def frames(self) -> Iterator[SimulatedFrame]:
        """The frames, each with its truth, drawn as they are asked for. One reader at a time."""
        for moment in self.moments():
            frame = self.draw(moment)
            if frame is not None:
                yield frame

    def presses(self) -> Iterator[Press]:
        """The presses, in order of time. One reader at a time."""
        return self._take(lambda: self._world.presses)

    def announcements(self) -> Iterator[Announcement]:
        """The announcements at the table, in order of time. One reader at a time."""
        return self._take(lambda: self._world.announcements)

    def close(self) -> None:
        """End every iterator."""
        self._closed.set()

    def turn_back(self, seq: int, actions: Iterable[Action]) -> None:
        """Go back to one of the newest frames and continue with other actions.

        Everything after that frame is undone. Iterators made before are invalid: ask for new ones.
        """
        with self._lock:
            self._world = self._kept[seq].kept()
            self._kept.clear()
            self._moments.clear()
            self._steps, self._over = self._run(actions), False

    def moments(self) -> Iterator[Moment]:
        """Yield the moments of the frames without drawing them."""
        for moment in self._take(lambda: self._moments):
            self._kept.pop(moment.seq - _NEWEST, None)
            yield moment

    def happenings(self) -> Iterator[Moment | Press | Announcement]:
        """Yield everything in order of time, frames undrawn; at one time the frame comes first."""
        streams: tuple[Iterator[Moment | Press | Announcement], ...] = (
            self.moments(),
            self.presses(),
            self.announcements(),
        )
        return heapq.merge(*streams, key=lambda item: item.t_ns)

    @property
    def truth(self) -> Sequence[Event]:
        """The log that a perfect recorder would write, without its first event."""
        return self._world.truth

    @property
    def faults(self) -> Sequence[Fault]:
        """The mischief done so far."""
        return self._world.faults

    def draw(self, moment: Moment) -> SimulatedFrame | None:
        """Draw the frame of a moment; return None if the camera delivers none."""
        if moment.trouble == "gone":
            self._undelivered += 1
            return None
        frame = self._delivered(moment)
        return replace(frame, seq=moment.seq - self._undelivered)

    def _delivered(self, moment: Moment) -> SimulatedFrame:
        if moment.trouble == "frozen" and self._exposed[1]:
            stuck = self._exposed[1][-1]
            return replace(stuck, t_ns=moment.t_ns, seq=moment.seq)
        frame = self._still(moment) if not moment.moving else self._expose(moment)
        if moment.trouble == "black":
            return replace(frame, image=np.full_like(frame.image, 2))
        if moment.trouble == "smaller":
            image = cv2.resize(frame.image, None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA)
            return replace(frame, image=np.asarray(image, np.uint8))
        return frame

    def _still(self, moment: Moment) -> SimulatedFrame:
        """Return a frame of a board at rest: a few are drawn with different noise, then reused."""
        key = (
            moment.rows, moment.rotation.tobytes(), moment.spec.camera, moment.light, moment.hands
        )  # fmt: skip
        if self._exposed[0] != key:
            self._exposed = key, []
        kept = self._exposed[1]
        if len(kept) < _EXPOSURES:
            frame = self._expose(moment)
            kept.append(frame)
            return frame
        return replace(kept[moment.seq % _EXPOSURES], t_ns=moment.t_ns, seq=moment.seq)

    def _expose(self, moment: Moment) -> SimulatedFrame:
        renderer = self._renderers.get(moment.spec.camera)
        if renderer is None:
            if len(self._renderers) >= _RENDERERS:
                del self._renderers[next(iter(self._renderers))]
            renderer = self._renderers[moment.spec.camera] = Renderer(moment.spec)
        scene = renderer.frame(
            moment.rows,
            self._noise,
            rotation=moment.rotation,
            hands=moment.hands,
            light=moment.light,
            gain=moment.gain,
        )
        image, corners = scene.image, scene.corners
        np.maximum(self.aside, np.abs(scene.offsets[..., :2]).max(axis=-1), out=self.aside)
        if moment.spin:
            image, corners = _spun(image, corners, moment.spin)
        truth = FrameTruth(moment.rows, moment.rotation, scene.covered, corners, moment.moving)
        return SimulatedFrame(image, moment.t_ns, moment.seq, None, truth)

    def _take(self, queue: Callable[[], deque[_T]]) -> Iterator[_T]:
        """Yield the items of one of the world's queues, running the world as far as needed."""
        while not self._closed.is_set():
            with self._lock:
                while not queue() and not self._over:
                    self._over = next(self._steps, None) is None
                if not queue():
                    return
                item = queue().popleft()
            yield item

    def _run(self, actions: Iterable[Action]) -> Iterator[bool]:
        world = self._world

        def take() -> None:
            self._moments.append(world.moment())
            world.seq += 1
            world.t_ns = self._start_ns + round(world.seq * SECOND / world.fps)
            if self.may_turn_back:
                self._kept[world.seq - 1] = world.kept()

        for action in actions:
            for _ in action.run(world):
                take()
                yield True


def _spun(
    image: Image, corners: NDArray[np.float32], degrees: float
) -> tuple[Image, NDArray[np.float32]]:
    """Return picture and corners turned clockwise about the board's middle by ``degrees``."""
    middle = corners.mean(axis=0)
    matrix = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), -degrees, 1.0)
    size = (image.shape[1], image.shape[0])
    # The blur of a turning board hides the picture's edges, which turn with it.
    turned = cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REFLECT)
    moved = corners @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(turned, np.uint8), moved.astype(np.float32)
