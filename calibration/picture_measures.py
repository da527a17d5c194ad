"""Measurements of a picture of a board, in units that mean the same at every size.

Nothing here depends on the tiles on the board: edges, squares and light are there with tiles and
without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.premium_layout import kind_indicators, smooth_light
from vision.rectify import Corners, Image, homography, project, rectify
from vision.robust import RobustFit, cauchy, robust_fit, robust_sigma

_AGAIN: Final = 1.5
"""Pixels of the blur that a picture is given once more, to see how much sharper it was."""

_EDGES: Final = 97.0
"""Percentile of the gradient from which a pixel counts as on an edge."""

_FAINT: Final = 4.0
"""Grey levels a pixel; fainter edges are noise."""

_FEWEST_EDGES: Final = 200
_CLIPPED: Final = 250
"""Level of the brightest channel from which a pixel is washed out."""

_WASHED: Final = 0.3
"""Share of a square's pixels that have to be washed out for it to count."""

_PITCH: Final = 16


@dataclass(frozen=True)
class Measures:
    """A picture of a board, in figures.

    Attributes:
        pixels: of the picture along the side of the smallest square.
        blur: standard deviation of the picture's own blur, in squares. None where there is no edge
            to tell it from.
        glare: squares that a reflection washes out.
        burnt: share of the board's squares that are washed out, by whatever.
        level: of the brightest tenth of the board, 0..255.
        evenness: light in the darkest corner of the board over that in the brightest, 0..1.
    """

    pixels: float
    blur: float | None
    glare: tuple[Square, ...]
    burnt: float
    level: float
    evenness: float


def measure(image: Image, corners: Corners) -> Measures:
    """Measure a picture.

    Args:
        image: uint8 (H, W, 3) BGR.
        corners: float32 (4, 2) of the grid in it, clockwise.
    """
    pixels = smallest_square(corners)
    board = rectify(image, corners, _PITCH, 0)
    washed = washed_out(board)
    glare = washed & ~_bright_anyway(washed)
    return Measures(
        pixels=pixels,
        blur=blur_of(image, corners),
        glare=tuple(Square(int(r), int(c)) for r, c in np.argwhere(glare)),
        burnt=float(washed.mean()),
        level=float(np.percentile(board.max(axis=2), 90)),
        evenness=evenness(board),
    )


def smallest_square(corners: Corners) -> float:
    """Return the pixels along the shortest side of any square of the grid."""
    matrix = homography(corners)
    grid = np.array([[x, y] for y in range(SIZE + 1) for x in range(SIZE + 1)], np.float64)
    at = project(matrix, grid).reshape(SIZE + 1, SIZE + 1, 2)
    across = np.linalg.norm(np.diff(at, axis=1), axis=2)
    down = np.linalg.norm(np.diff(at, axis=0), axis=2)
    return float(min(across.min(), down.min()))


def blur_of(image: Image, corners: Corners) -> float | None:
    """Return the standard deviation of the blur at the sharpest edges of the board, in squares.

    A picture that is blurred once more loses the more at an edge the sharper it was (Zhuo and Sim,
    "Defocus map estimation from a single image", 2011): for an edge of blur ``s`` and a second one
    of ``a``, the gradient falls from 1/s to 1/√(s² + a²). In the picture's own pixels, so that no
    resampling adds to it.
    """
    low = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
    high = np.ceil(corners.max(axis=0)).astype(int) + 1
    part = image[low[1] : high[1], low[0] : high[0]]
    if part.size == 0:
        return None
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).astype(np.float32)
    zone = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(zone, np.round(corners - low).astype(np.int32), 1)
    # A hair of smoothing first, taken off again below: the sensor's noise has sharp edges too.
    first = cv2.GaussianBlur(grey, (0, 0), 0.8)
    second = cv2.GaussianBlur(first, (0, 0), _AGAIN)
    before = _gradient(np.asarray(first, np.float32))
    after = _gradient(np.asarray(second, np.float32))
    inside = before[zone > 0]
    if inside.size == 0:
        return None
    on_edge = (zone > 0) & (before >= max(_FAINT, float(np.percentile(inside, _EDGES))))
    # Only the crests: on an edge's flank the ratio says where, not how sharp.
    on_edge &= before >= cv2.dilate(before, np.ones((3, 3), np.uint8)) - 1e-3
    if on_edge.sum() < _FEWEST_EDGES / 10:
        return None
    ratio = np.clip(after[on_edge] / before[on_edge], 0.05, 0.999)
    sigma = _AGAIN * ratio / np.sqrt(1 - ratio**2)
    total = float(np.median(sigma))
    return float(np.sqrt(max(total**2 - 0.8**2, 0.0))) / smallest_square(corners)


def _gradient(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    x = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    y = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return np.asarray(cv2.magnitude(x, y), np.float32)


def washed_out(board: Image) -> NDArray[np.bool_]:
    """Return the squares washed out to white: bool (15, 15). ``board``: 16 pixels a square."""
    clipped = (board.min(axis=2) >= _CLIPPED).reshape(SIZE, _PITCH, SIZE, _PITCH)
    return np.asarray(clipped.mean(axis=(1, 3)) > _WASHED)


def _bright_anyway(washed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the washed-out squares that are no reflection, because the whole board is."""
    return np.full_like(washed, washed.mean() > 0.5)


def evenness(board: Image) -> float:
    """Return the least over the most light on the board, fitted smoothly: 0..1.

    In linear light (sRGB). Each kind of premium square has a colour of its own in the fit, and
    outliers such as tiles lose their weight: neither must pass for a shadow.
    """
    linear = (board.astype(np.float32) / 255) ** 2.2
    light = linear.mean(axis=2).reshape(SIZE, _PITCH, SIZE, _PITCH)
    level = np.log(np.median(light, axis=(1, 3)).ravel() + 1e-3)
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    light_only = smooth_light((cols - 7) / 7, (rows - 7) / 7)
    model = np.column_stack([light_only, kind_indicators(rows, cols)])

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        return cauchy(fit.residual / (robust_sigma(fit.residual) + 0.03))[:, 0]

    fit = robust_fit(model, level[:, None], np.ones(SIZE * SIZE), reweight, rounds=12)
    shade = light_only @ fit.coefficients[: light_only.shape[1]]
    return float(np.exp(np.percentile(shade, 1) - np.percentile(shade, 99)))
