"""Find the 15×15 playing grid in a picture, at any angle, or say that there is none.

A coarse network takes the whole picture, shrunk, and estimates roughly where the grid and its
corners are. A second network, the refiner, takes the picture rectified by that guess and estimates
each patch's offset from its true place in the lattice; a homography fitted to all offsets corrects
the guess, until it converges. The refiner also follows a board from frame to frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.classifier import open_session
from vision.locate.coarse import coarse_candidates
from vision.locate.inputs import COARSE, REFINE, Pyramid, Tensor, letterbox, normalised, rectifying
from vision.locate.lattice_fit import Fit, Lattice, clockwise, convex, fit, lattice
from vision.rectify import Corners, Image, corner_distance, homography, project

ITERATIONS: Final = 5
"""Runs of the refiner at one place, at most."""

CONVERGED: Final = 0.15
"""A run that moves no corner by more than this many squares is the last."""

LOST: Final = 5.0
"""A board is lost if one run moves a corner by more than this many squares."""

ACCEPT: Final = 0.8
"""A place with a lower score is no board. On tables drawn for testing, right places have 0.88 and
more, wrong ones and other grids 0.76 and less."""

SURE: Final = 0.88
"""If a place has a higher score, no other place is looked for."""

SLANT: Final = 2.0
"""Largest ratio between the board's two pairs of sides: that of more than 45° of tilt."""

NEAR: Final = 1.7
"""The window of the second, closer coarse search is this many times as large as the rough place."""

REACH: Final = 0.3
"""Share of the grid's size that the refiner needs around it: ``MARGIN``, and some for tilt."""

PLACES: Final = 3
"""Rough places that are refined, at most."""


@dataclass(frozen=True)
class Location:
    """The place of a grid.

    corners: float32 (4, 2), x and y in pixels of the 15×15 playing grid's corners, clockwise;
    only the letters can tell which of them is the top-left one. score: 0..1.
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
        """Return the likeliest grid in a uint8 BGR picture (H, W, 3), or None."""
        found = self.candidates(image)
        return found[0] if found else None

    def candidates(self, image: Image) -> list[Location]:
        """Return every place that may be a grid, likeliest first; one if there is no doubt."""
        pyramid = Pyramid(image)
        width, height = pyramid.size
        rough = self._rough(pyramid, (0.0, 0.0, float(width), float(height)))[:PLACES]
        found = self._refine_all(pyramid, rough)
        if rough and not (found and found[0].score > SURE):
            closer = self._rough(pyramid, _window(rough[0]))[:PLACES]
            found = self._refine_all(pyramid, closer, found)
        return found

    def refine(
        self, image: Image, corners: Corners, iterations: int = ITERATIONS
    ) -> Location | None:
        """Return the grid near the given corners, or None if it is lost.

        For tracking, the last frame's corners and two iterations will do.
        """
        window, left_top = _around(image, corners)
        found = self._refined(
            Pyramid(window), np.asarray(corners - left_top, np.float64), iterations
        )
        if found is None or found.score < ACCEPT:
            return None
        return Location(found.corners + left_top, found.score)

    def lattice(self, image: Image, corners: Corners) -> Lattice:
        """Return the points of a grid that was found, from which a lens can be measured."""
        output = self._run(Pyramid(image), np.asarray(corners, np.float64))
        return lattice(output, homography(np.asarray(corners, np.float32)))

    def _refine_all(
        self,
        pyramid: Pyramid,
        rough: list[NDArray[np.float64]],
        found: list[Location] | None = None,
    ) -> list[Location]:
        """Refine the rough places; return them with those found already, best first."""
        found = list(found or [])
        for corners in rough:
            place = self._refined(pyramid, corners)
            if place is None or place.score < ACCEPT:
                continue
            if all(corner_distance(other.corners, place.corners) > 0.3 for other in found):
                found.append(place)
            if place.score > SURE:
                break
        return sorted(found, key=lambda place: -place.score)

    def _rough(
        self, pyramid: Pyramid, window: tuple[float, float, float, float]
    ) -> list[NDArray[np.float64]]:
        """Return rough corners in a window of the picture: left, top, width, height."""
        left, top, width, height = window
        matrix, span = letterbox((width, height))
        matrix = np.array([[1, 0, left], [0, 1, top], [0, 0, 1]]) @ matrix
        seen = pyramid.warp(matrix, COARSE, span)
        output: Tensor = self._coarse.run(None, {"picture": normalised(seen)[None]})[0][0]
        return [project(matrix, place.corners) for place in coarse_candidates(output)]

    def _fit(self, pyramid: Pyramid, corners: NDArray[np.float64]) -> Fit | None:
        return fit(self._run(pyramid, corners))

    def _run(self, pyramid: Pyramid, corners: NDArray[np.float64]) -> Tensor:
        matrix, span = rectifying(corners.astype(np.float32))
        seen = pyramid.warp(matrix, REFINE, span)
        output: Tensor = self._refine.run(None, {"picture": normalised(seen)[None]})[0][0]
        return output

    def _refined(
        self, pyramid: Pyramid, corners: NDArray[np.float64], iterations: int = ITERATIONS
    ) -> Location | None:
        corners = clockwise(corners)
        score = 0.0
        for _ in range(iterations):
            if not _plausible(corners, pyramid.size):
                return None
            seen = self._fit(pyramid, corners)
            if seen is None or seen.moved > LOST:
                return None
            corners = project(homography(corners.astype(np.float32)), seen.corners)
            score = _score(seen)
            if seen.moved < CONVERGED:
                break
        if not _plausible(corners, pyramid.size):
            return None
        return Location(corners.astype(np.float32), score)


def _plausible(corners: NDArray[np.float64], size: tuple[int, int]) -> bool:
    """Return True if a camera could see a nearly square board so, mostly within the picture."""
    if not convex(corners, least=15.0):
        return False
    middle = corners.mean(axis=0)
    if (middle < 0).any() or (middle > size).any():
        return False
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    ratio = (sides[0] + sides[2]) / (sides[1] + sides[3])
    return bool(1 / SLANT < ratio < SLANT) and float(sides.max()) < 2 * max(size)


def _around(image: Image, corners: Corners) -> tuple[Image, NDArray[np.float32]]:
    """Return the part of a picture that the refiner needs, and where it begins (x, y)."""
    reach = (corners.max(axis=0) - corners.min(axis=0)) * REACH
    low = np.maximum(np.floor(corners.min(axis=0) - reach).astype(int), 0)
    high = np.clip(np.ceil(corners.max(axis=0) + reach).astype(int), 0, image.shape[1::-1])
    high -= (high - low) % 4  # what halves evenly is halved several times as fast
    window = image[low[1] : high[1], low[0] : high[0]]
    return (window, low.astype(np.float32)) if window.size else (image, np.zeros(2, np.float32))


def _window(corners: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return a square window, NEAR times as large as the corners need: left, top, side, side."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    side = float((high - low).max()) * NEAR
    left, top = (low + high - side) / 2
    return float(left), float(top), side, side


def _score(seen: Fit) -> float:
    """Return 0..1, by the overlap of the grid and by the offsets' spread and residual."""
    return float(seen.inside * np.exp(-2.0 * seen.spread) * np.exp(-2.0 * seen.miss))
