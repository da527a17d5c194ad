"""Finding the board with the help of what a calibration knows."""

from __future__ import annotations

from calibration import stickers
from calibration.model import Calibration
from vision.locate import Location, Locator
from vision.rectify import Image
from vision.track import nearest_order


class CalibratedFinder:
    """Finds boards by their stickers where there are some, else as the locator does.

    It is a ``vision.read.Finder``; pictures are straightened ones. ``calibration`` may be set anew
    at any time, from any thread.
    """

    def __init__(self, locator: Locator, calibration: Calibration | None = None) -> None:
        self.locator = locator
        self.calibration = calibration

    def candidates(self, image: Image) -> list[Location]:
        """Every place that may be a grid, likeliest first. One, where there is no doubt."""
        known = self.calibration
        guess = None if known is None else stickers.place(image, known)
        if guess is not None:
            found = self.locator.refine(image, guess)
            if found is not None:
                return [Location(nearest_order(found.corners, guess), found.score)]
        return self.locator.candidates(image)
