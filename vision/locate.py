"""Find the 15×15 playing grid in a picture, at any angle, or say that there is none.

A coarse network looks at the whole picture, shrunk, and says roughly where the grid and its
corners are. A second network looks at the picture rectified by that guess and says, for every
patch of it, how far from its true place in the lattice it lies; a homography fitted to all these
answers moves the guess, and it looks again, until nothing moves. The same second look follows a
board from frame to frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.classify import open_session
from vision.locate_fit import Fit, clockwise, convex, fit
from vision.locate_inputs import COARSE, REFINE, Pyramid, Tensor, letterbox, normalised, rectifying
from vision.locate_rough import rough_places
from vision.rectify import Corners, Image, homography, project

LOOKS: Final = 5
"""Looks of the refiner at one place before it has to be content."""

STILL: Final = 0.03
"""A look that moves no corner by more than this many squares was the last."""

LOST: Final = 5.0
"""Squares that a corner may move in one look before the guess counts as lost."""

ACCEPT: Final = 0.5
"""A place with a lower score is no board."""

PLACES: Final = 3
"""Rough places that are looked at closely, at most."""


@dataclass(frozen=True)
class Location:
    """Where a grid is.

    corners: float32 (4, 2), x and y in pixels of the 15×15 playing grid's corners, clockwise;
    which of them is the top-left one, only the letters can tell. score: 0..1.
    """

    corners: Corners
    score: float


class Locator:
    """Finds grids with two networks on the CPU.

    Args:
        coarse: ``locate_coarse.onnx``.
        refine: ``locate_refine.onnx``.
        threads: threads for one run.

    Raises:
        ModelError: weights are missing or damaged.
    """

    def __init__(self, coarse: Path, refine: Path, threads: int = 1) -> None:
        self._coarse = open_session(coarse, threads)
        self._refine = open_session(refine, threads)

    def locate(self, image: Image) -> Location | None:
        """The likeliest grid in a uint8 BGR picture (H, W, 3), or None."""
        found = self.candidates(image)
        return found[0] if found else None

    def candidates(self, image: Image) -> list[Location]:
        """Every place that may be a grid, likeliest first. One, where there is no doubt."""
        pyramid = Pyramid(image)
        found: list[Location] = []
        for rough in self._rough(pyramid)[:PLACES]:
            place = self._settled(pyramid, rough)
            if place is None or place.score < ACCEPT:
                continue
            if all(_apart(place.corners, other.corners) > 0.3 for other in found):
                found.append(place)
            if place.score > 0.9:
                break
        return sorted(found, key=lambda place: -place.score)

    def refine(self, image: Image, corners: Corners, looks: int = LOOKS) -> Location | None:
        """The grid near the given corners, or None where there is none any more.

        For tracking: the frame before's corners, and two looks, will do.
        """
        found = self._settled(Pyramid(image), np.asarray(corners, np.float64), looks)
        return found if found is not None and found.score >= ACCEPT else None

    def _rough(self, pyramid: Pyramid) -> list[NDArray[np.float64]]:
        matrix, span = letterbox(pyramid.size)
        seen = pyramid.warp(matrix, COARSE, span)
        answer: Tensor = self._coarse.run(None, {"picture": normalised(seen)[None]})[0][0]
        return [project(matrix, place.corners) for place in rough_places(answer)]

    def _look(self, pyramid: Pyramid, corners: NDArray[np.float64]) -> Fit | None:
        matrix, span = rectifying(corners.astype(np.float32))
        seen = pyramid.warp(matrix, REFINE, span)
        answer: Tensor = self._refine.run(None, {"picture": normalised(seen)[None]})[0][0]
        return fit(answer)

    def _settled(
        self, pyramid: Pyramid, corners: NDArray[np.float64], looks: int = LOOKS
    ) -> Location | None:
        corners = clockwise(corners)
        score = 0.0
        for _ in range(looks):
            if not convex(corners, least=15.0) or np.abs(corners).max() > 20 * max(pyramid.size):
                return None
            seen = self._look(pyramid, corners)
            if seen is None or seen.moved > LOST:
                return None
            corners = project(homography(corners.astype(np.float32)), seen.corners)
            score = _score(seen)
            if seen.moved < STILL:
                break
        return Location(corners.astype(np.float32), score)


def _score(seen: Fit) -> float:
    """0..1: the grid is where the corners say, and the offsets agree and are sure of it."""
    return float(seen.inside * np.exp(-2.0 * seen.spread) * np.exp(-2.0 * seen.miss))


def _apart(one: Corners, other: Corners) -> float:
    """How far the corners of two places are apart at the worst, in squares of the first."""
    side = float(np.linalg.norm(np.roll(one, -1, axis=0) - one, axis=1).mean()) / 15
    return min(
        float(np.linalg.norm(np.roll(other, k, axis=0) - one, axis=1).max()) / side
        for k in range(4)
    )
