"""Finding the board with the help of what a calibration knows."""

from __future__ import annotations

from typing import Final

from calibration import markers
from calibration.model import Calibration
from vision.locate.locator import ITERATIONS, SURE, Location, Locator
from vision.rectify import Corners, Image, nearest_order, shift

STILL_THERE: Final = 0.5
"""Squares by which a board may be off its calibrated place and need no search: less than would let
one square pass for the next."""


class CalibratedFinder:
    """Finds boards by their stickers, else where the calibration has them, else anywhere.

    It is a ``vision.reader.Finder``; pictures are straightened ones. ``calibration`` may be set
    anew at any time, from any thread.
    """

    def __init__(self, locator: Locator, calibration: Calibration | None = None) -> None:
        self.locator = locator
        self.calibration = calibration

    def candidates(self, image: Image) -> list[Location]:
        """Every place that may be a grid, likeliest first. One, where there is no doubt."""
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
        """Return the grid near the given corners, or None if it is lost."""
        return self.locator.refine(image, corners, iterations)
