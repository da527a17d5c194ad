"""The moves of the board as a whole: how far it was moved or turned, and whether back."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.events import BoardChanged
from vision.rectify import pixels_per_square
from vision.tracking.parameters import AGAIN_NS
from vision.tracking.reaches import Reaches
from vision.tracking.results import BoardChange, Moment
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import StillnessTracker

_MOVED: Final = 0.5
"""The board was moved if a corner of it lies this far, in squares, from where it lay."""

_TURNTABLE: Final = 45.0
"""A board that is turned by more degrees is turned to the player on turn, every turn."""


class BoardMoves:
    """Watches the place of one board."""

    def __init__(self, stillness: StillnessTracker, reaches: Reaches) -> None:
        """``stillness`` has the small pictures, ``reaches`` the arms."""
        self._stillness, self._reaches = stillness, reaches
        self._turntable = False
        self._moved: tuple[Observation, BoardChange] | None = None
        """The last clear view before the board was moved in this turn, and the move."""
        self._ready: list[BoardChange] = []

    def taken(self) -> list[BoardChange]:
        """Return the moves that have ended since the last call."""
        ready, self._ready = self._ready, []
        return ready

    def end(self) -> None:
        """End a move after which the board was not put back."""
        if self._moved is not None:
            self._ready.append(self._moved[1])
        self._moved = None

    def take(self, known: Observation, sighting: Sighting) -> bool:
        """Compare a clear view with the last one before; return True if the board was moved."""
        far = _apart(known, sighting.observation)
        if np.linalg.norm(far, axis=1).max() < _MOVED:
            return False
        before, now = (one.corners.astype(float) for one in (known.reading, sighting.reading))
        (x, y), (u, v) = (end[1] - end[0] for end in (before, now))
        degrees = float(np.degrees(np.arctan2(x * v - y * u, x * u + y * v)))
        self._turntable |= abs(degrees) > _TURNTABLE
        if self._turntable:
            return True
        t_ns = sighting.frame.t_ns
        from_ns = self._stillness.lay_until(known.reading.corners, known.frame.t_ns, t_ns)
        side = self._reaches.explain((from_ns - AGAIN_NS, from_ns), None)
        moment = Moment((from_ns, t_ns), sighting.frame, side)
        if self._moved is not None:
            home, change = self._moved
            if np.linalg.norm(_apart(home, sighting.observation), axis=1).max() < _MOVED:
                self._moved = home, change.put_back(moment)
                self.end()
                return True
        self.end()
        move = round(float(np.linalg.norm(far.mean(axis=0))), 2), round(degrees, 1)
        event = BoardChanged((), *moment.span, side, None, None, None, (), t_ns, *move)
        frames = {"settled": known.frame, "altered": sighting.frame}
        self._moved = known, BoardChange(event, frames)
        return True


def _apart(one: Observation, other: Observation) -> NDArray[np.float64]:
    """Return how far the corners of the board lie apart in two views, in squares; (4, 2)."""
    before, now = (view.reading.corners.astype(float) for view in (one, other))
    apart: NDArray[np.float64] = (now - before) / pixels_per_square(before)
    return apart
