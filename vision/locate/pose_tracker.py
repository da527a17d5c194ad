"""Follows a board from frame to frame: one refinement where it was, a search where it is lost."""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.locate.locator import Location, Locator
from vision.rectify import Corners, Image, pixels_per_square

MOVED: Final = 0.25
"""Squares by which a corner may move between frames before it is refined further."""


class PoseTracker:
    """Remembers the board's pose, so that the next frame takes one run of the small network.

    Corners keep their order as long as the board is followed; after a search any of them may be
    the first, as :class:`vision.locate.locator.Location` says.
    """

    def __init__(self, locator: Locator) -> None:
        self._locator = locator
        self._last: Corners | None = None

    def follow(self, image: Image) -> Location | None:
        """Return the grid's place in the next frame, uint8 BGR (H, W, 3); None if there is none."""
        found = None
        if self._last is not None:
            found = self._locator.refine(image, self._last, iterations=1)
            if found is not None and shift(self._last, found.corners) > MOVED:
                found = self._locator.refine(image, found.corners)
        if found is None:
            found = self._locator.locate(image)
            if found is not None and self._last is not None:
                found = Location(nearest_order(found.corners, self._last), found.score)
        self._last = None if found is None else found.corners
        return found

    def start(self, corners: Corners) -> None:
        """Begin at known corners, such as those that a calibration saved."""
        self._last = np.asarray(corners, np.float32)

    def forget(self) -> None:
        """Search anew in the next frame."""
        self._last = None


def shift(before: Corners, after: Corners) -> float:
    """Return the farthest that a corner moved, in squares."""
    distance = float(np.linalg.norm(after - before, axis=1).max())
    return distance / max(pixels_per_square(before), 1e-6)


def nearest_order(corners: Corners, to: Corners) -> Corners:
    """Return the corners in the cyclic order that is nearest to that of ``to``."""
    turns = [np.roll(corners, k, axis=0) for k in range(4)]
    distances = [float(np.linalg.norm(turn - to, axis=1).sum()) for turn in turns]
    return turns[int(np.argmin(distances))]
