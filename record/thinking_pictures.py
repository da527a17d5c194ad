"""Small pictures of a turn while it is being made: they show who touched what, and when.

Of every two seconds the frame is kept that differs most from the picture kept before it. If none
differs, nothing happened, and one every ten seconds is enough. The longer a turn takes, the farther
apart its pictures are. They are written as they come, and kept once their turn is logged.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final

import numpy as np

from game.events import Picture, PicturesKept
from game.state.fold import GameState
from record.evidence import Ahead
from record.picture_change import CHANGED, difference
from record.picture_keeper import PictureKeeper
from sensors.interfaces import Frame

ROLE: Final = "thinking"
EVERY_NS: Final = 2_000_000_000
"""The least time between two pictures; it grows by as much after each ``_MANY`` of a turn."""
STILL_NS: Final = 10_000_000_000
"""The time between two pictures while nothing changes."""
_MANY: Final = 60


class ThinkingPictures:
    """Keeps the pictures of one game's turns while they are being made."""

    def __init__(self, keeper: PictureKeeper) -> None:
        self._keeper = keeper
        self._waiting: list[tuple[int, Future[Ahead | None]]] = []
        """The pictures of the turn that is being made: when taken, and the future file."""
        self._kept: tuple[int, np.ndarray] | None = None
        """The newest of them: when it was taken, and the frame as ``shrunk`` gives it."""
        self._since_ns: int | None = None
        """The start of the seconds of which one frame may be kept; None while no clock runs."""
        self._most: tuple[float, Frame, np.ndarray] | None = None
        """The frame of these seconds that differs most: by how much, and as ``shrunk`` gives it."""

    def frame(self, frame: Frame, small: np.ndarray, state: GameState) -> list[PicturesKept]:
        """Take a frame, also as ``shrunk`` gives it; at the end return the event to record.

        It links the pictures of a turn that never ended to the last one.
        """
        if state.status not in ("waiting", "running"):
            left = self.of(frame.t_ns)
            return [PicturesKept(len(state.turns), left, frame.t_ns)] if left else []
        if state.timed and state.clocks.running is None:
            self._since_ns = self._most = None
            return []
        if self._since_ns is None:
            self._since_ns = frame.t_ns
        differs = 1.0 if self._kept is None else difference(small, self._kept[1])
        if self._most is None or differs > self._most[0]:
            self._most = differs, frame, small
        if frame.t_ns - self._since_ns >= EVERY_NS * (1 + len(self._waiting) // _MANY):
            self._choose(*self._most, frame.t_ns)
            self._since_ns, self._most = frame.t_ns, None
        return []

    def _choose(self, differs: float, frame: Frame, small: np.ndarray, now_ns: int) -> None:
        """Write the frame that differs most, unless nothing changed."""
        if self._kept is None or differs > CHANGED or now_ns - self._kept[0] >= STILL_NS:
            self._kept = frame.t_ns, small
            self._waiting.append((frame.t_ns, self._keeper.write_small(frame)))

    def of(self, until_ns: int) -> tuple[Picture, ...]:
        """Keep the pictures taken by a moment, and return them; the next turn begins with one."""
        taken = [one for one in self._waiting if one[0] <= until_ns]
        self._waiting = [one for one in self._waiting if one[0] > until_ns]
        self._kept = self._kept if self._waiting else None
        written = [(at_ns, ahead) for at_ns, done in taken if (ahead := done.result()) is not None]
        kept = self._keeper.keep_small([ahead for _, ahead in written])
        return tuple(Picture(ROLE, sha, at_ns) for at_ns, (sha, _) in written if sha in kept)
