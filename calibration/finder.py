"""Finds the board with the help of a calibration."""

from __future__ import annotations

from typing import Final

from calibration import markers
from calibration.model import Calibration
from vision.locate.locator import ITERATIONS, SURE, Location, Locator
from vision.rectify import Corners, Image, nearest_order, shift

STILL_THERE: Final = 0.5
"""The most squares by which a board may be off its calibrated place without a new search. With more
than half a square, a square could be taken for its neighbour."""


class CalibratedFinder:
    """Finds boards by their stickers, else where the calibration has them, else anywhere.

    It is a ``vision.reader.Finder`` for straightened pictures. ``calibration`` may be replaced at
    any time, from any thread.
    """

    def __init__(self, locator: Locator, calibration: Calibration | None = None) -> None:
        self.locator = locator
        self.calibration = calibration

    def candidates(self, image: Image) -> list[Location]:
        """Return the places that may be a grid, likeliest first; only one if there is no doubt."""
        known = self.calibration
        if known is None:
            return self.locator.candidates(image)
        guess = markers.place(image, known)
        if guess is not None:
            found = self.locator.refine(image, guess)
            if found is not None:
                return [Location(nearest_order(found.corners, guess), found.score)]
        found = self.locator.refine(image, known.corners)
        if found is not None and found.score > SURE:
            here = nearest_order(found.corners, known.corners)
            if shift(known.corners, here) < STILL_THERE:
                return [Location(here, found.score)]
        return self.locator.candidates(image)

    def refine(
        self, image: Image, corners: Corners, iterations: int = ITERATIONS
    ) -> Location | None:
        """Return the grid near the given corners; None if it is not found there."""
        return self.locator.refine(image, corners, iterations)
