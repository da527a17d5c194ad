"""The radial distortion of a lens, measured by the lines of the board itself.

OpenCV's radial model about the picture's middle: a ray that should meet the picture at ``p``, in
units of :func:`focal` from the middle, meets it at ``p (1 + k1 r² + k2 r⁴)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.locate.lattice_fit import BOARD, Lattice, weighted_homography
from vision.locate.locator import Locator
from vision.rectify import Corners, Image, homography, project
from vision.robust import cauchy, least_squares

Points = NDArray[np.float64]
"""float64 (N, 2), x and y in pixels."""

WORTH: Final = 0.06
"""Squares by which a lens has to bend the grid before straightening is worth its while. The bend
that is found in pictures without any is 0.00 at the median and 0.03 at most
(`benchmarks/calibrate.py lens`)."""

_GRID: Final = np.array([[x, y] for y in range(SIZE + 1) for x in range(SIZE + 1)], np.float64)
_STIFF: Final = (0.25, 0.08)
"""Prior standard deviations of k1 and k2: wide webcams have 0.2."""

_ROUNDS: Final = 12
_FEWEST: Final = 120
_ITERATIONS: Final = 8
_STRAIGHT: Final = 0.015
"""Squares of bend that end the search."""
_EAGER: Final = 1.5
"""The refiner was trained on straight grids and shows about half of a bend."""


@dataclass(frozen=True)
class Lens:
    """``k1`` and ``k2`` of a camera whose pictures are ``size`` (width, height) pixels."""

    k1: float
    k2: float
    size: tuple[int, int]

    @property
    def camera(self) -> NDArray[np.float64]:
        """The 3×3 camera matrix that the model is about."""
        width, height = self.size
        f = focal(self.size)
        return np.array([[f, 0, (width - 1) / 2], [0, f, (height - 1) / 2], [0, 0, 1]])

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """The distortion coefficients in OpenCV's order: k1, k2, p1, p2."""
        return np.array([self.k1, self.k2, 0.0, 0.0])

    def straight(self, points: Points) -> Points:
        """Return points of the picture, moved to where they are in the straightened picture."""
        f = focal(self.size)
        middle = (np.array(self.size) - 1) / 2
        p = (np.asarray(points, np.float64) - middle) / f
        bent = np.linalg.norm(p, axis=1, keepdims=True)
        radius = bent.copy()
        for _ in range(_ROUNDS):  # Newton's; the slope stays positive where the model holds
            r2 = radius**2
            slope = np.maximum(1 + 3 * self.k1 * r2 + 5 * self.k2 * r2**2, 0.2)
            radius -= (radius * (1 + self.k1 * r2 + self.k2 * r2**2) - bent) / slope
        return np.asarray(p * (radius / np.maximum(bent, 1e-12)) * f + middle, np.float64)

    def bent(self, points: Points) -> Points:
        """Return points of a straightened picture, moved to where they are in the picture."""
        f = focal(self.size)
        middle = (np.array(self.size) - 1) / 2
        p = (np.asarray(points, np.float64) - middle) / f
        r2 = (p**2).sum(axis=1, keepdims=True)
        return np.asarray(p * (1 + self.k1 * r2 + self.k2 * r2**2) * f + middle, np.float64)


class Straightener:
    """Straightens a camera's pictures by precomputed maps."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self._maps = cv2.initUndistortRectifyMap(
            lens.camera, lens.coefficients, np.eye(3), lens.camera, lens.size, cv2.CV_16SC2
        )

    def __call__(self, image: Image) -> Image:
        """Return the straightened picture; the picture itself if its size is not the lens's."""
        if (image.shape[1], image.shape[0]) != self.lens.size:
            return image
        out = cv2.remap(
            image, *self._maps, interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(out, np.uint8)


@dataclass(frozen=True)
class LensFit:
    """A lens, and how far it bends the grid at most, in squares."""

    lens: Lens
    bend: float
    corners: Corners
    """The grid's corners in the straightened picture."""

    @property
    def worth(self) -> bool:
        """True if the bend is more than a homography can follow."""
        return self.bend > WORTH


def measure_lens(locator: Locator, image: Image, corners: Corners) -> LensFit | None:
    """Return the lens of a picture, measured by how straight the board in it is.

    Fits the lens, straightens the picture and fits the rest until none is left. None if the board
    is lost.

    Args:
        locator: finds the grid's points.
        image: uint8 (H, W, 3) BGR, as taken.
        corners: where the grid was found in it.
    """
    size = (image.shape[1], image.shape[0])
    k1 = k2 = 0.0
    picture, at = image, corners
    for _ in range(_ITERATIONS):
        rest = fit_lens(locator.lattice(picture, at), size)
        if rest is None:
            return None
        if rest.bend < _STRAIGHT:
            break
        last = Lens(k1, k2, size)
        k1, k2 = k1 + _EAGER * rest.lens.k1, k2 + _EAGER * rest.lens.k2
        lens = Lens(k1, k2, size)
        picture = Straightener(lens)(image)
        found = locator.refine(
            picture, lens.straight(last.bent(at.astype(np.float64))).astype(np.float32)
        )
        if found is None:
            return None
        at = found.corners
    lens = Lens(k1, k2, size)
    return LensFit(lens, bend_of(lens, at), at)


def bend_of(lens: Lens, corners: Corners) -> float:
    """Return the largest residual of the best homography to the bent grid, in squares.

    Args:
        lens: the lens.
        corners: of the grid in the straightened picture.
    """
    bent = lens.bent(project(homography(corners), _GRID))
    low, high = bent.min(axis=0), bent.max(axis=0)
    scaled = (bent - low) * (SIZE / float((high - low).max()))
    flat = weighted_homography(scaled, _GRID, np.ones_like(_GRID))
    return (
        0.0 if flat is None else float(np.linalg.norm(project(flat, scaled) - _GRID, axis=1).max())
    )


def focal(size: tuple[int, int]) -> float:
    """Return the unit of radii: the pixels of the picture's longer side."""
    return float(max(size))


def fit_lens(seen: Lattice, size: tuple[int, int]) -> LensFit | None:
    """Return the lens that makes the grid's points straightest; None if there are too few.

    Args:
        seen: from :meth:`vision.locate.locator.Locator.lattice`.
        size: of the picture, width and height in pixels.
    """
    if len(seen.pixels) < _FEWEST:
        return None
    weight = 1 / np.maximum(seen.spread, 0.02)
    theta = np.zeros(2)
    for _ in range(_ROUNDS):
        base, matrix = _residual(seen, size, theta, weight)
        if matrix is None:
            return None
        slopes = []
        for at in range(2):
            step = np.zeros(2)
            step[at] = 1e-3
            ahead, _ = _residual(seen, size, theta + step, weight)
            slopes.append(((ahead - base) / 1e-3).ravel())
        # One Gauss-Newton step; the prior on k1 and k2 is a point for each.
        model = np.vstack([np.column_stack(slopes), np.eye(2)])
        target = -np.append(base.ravel(), theta)[:, None]
        points = weight**2 * cauchy(base * weight / 2)
        step_weight = np.append(points.ravel(), 1 / np.array(_STIFF) ** 2)
        move = least_squares(model, target, step_weight).coefficients[:, 0]
        theta = np.clip(theta + np.clip(move, -0.1, 0.1), -0.6, 0.6)
        if np.abs(move).max() < 1e-4:
            break
    _, matrix = _residual(seen, size, theta, weight)
    if matrix is None:
        return None
    lens = Lens(float(theta[0]), float(theta[1]), size)
    to_pixels = np.asarray(np.linalg.inv(matrix), np.float64)
    corners = project(to_pixels, BOARD).astype(np.float32)
    return LensFit(lens, bend_of(lens, corners), corners)


def _residual(
    seen: Lattice, size: tuple[int, int], theta: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return a homography's residual on the straightened points, in squares (N, 2), and itself."""
    straight = Lens(float(theta[0]), float(theta[1]), size).straight(seen.pixels)
    # Pixels scaled to about the board's size: the fit wants its source there.
    low, high = straight.min(axis=0), straight.max(axis=0)
    scale = SIZE / float((high - low).max())
    scaled = (straight - low) * scale
    found = weighted_homography(scaled, seen.board, weight)
    if found is None:
        return np.zeros_like(seen.board), None
    to_scaled = np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1]])
    return project(found, scaled) - seen.board, np.asarray(found @ to_scaled, np.float64)
