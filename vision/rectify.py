"""Rectifies a board by its four corners, and cuts one crop a square; geometry of corners.

Training and serving both cut their crops here, so that they cannot differ.

Board units: x runs right and y down over the playing grid, 0..15, one unit a square, with the
origin at the corner that is top-left when the letters read upright. Pixels: OpenCV's convention,
the centre of the top-left pixel is (0, 0).
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE

PITCH: Final = 42
"""Pixels per square in the rectified picture."""

BORDER: Final = 11
"""Pixels of the neighbours that a crop shows on each side: about a quarter of a square, enough
for a tile 0.25 of a square off, and for the crop to show how a tile differs from the board."""

CROP: Final = PITCH + 2 * BORDER
"""Side of a crop in pixels."""

_ROUND_UP: Final = 0.25
"""A picture 1.75 times as fine as the result is averaged over 2×2 pixels, 2.75 times over 3×3."""

_FOLLOWING: Final = [1, 2, 3, 0]
"""The corner that comes after each."""

_MOVED: Final = 0.2
"""The most, in squares, by which a corner differs between readings of an unmoved board."""

Corners = NDArray[np.float32]
"""float32 (4, 2): x, y in pixels, clockwise from the board's top-left."""

Image = NDArray[np.uint8]
"""uint8 (height, width, 3), BGR."""


def as_corners(points: object) -> Corners:
    """Return ``points`` as float32 (4, 2).

    Raises:
        ValueError: not four finite points, or not a convex quadrilateral.
    """
    corners = np.asarray(points, dtype=np.float32)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise ValueError("corners are four x,y pairs")
    edges = np.roll(corners, -1, axis=0) - corners
    following = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    if not ((turns > 0).all() or (turns < 0).all()):
        raise ValueError("corners are not those of a convex quadrilateral, in order")
    return corners


def homography(corners: Corners, size: float = SIZE) -> NDArray[np.float64]:
    """Return the 3×3 homography, float64, from board units (0..``size``) to picture pixels."""
    board = np.array([[0, 0], [size, 0], [size, size], [0, size]], dtype=np.float32)
    return np.asarray(
        cv2.getPerspectiveTransform(board, np.asarray(corners, np.float32)), dtype=np.float64
    )


def project(matrix: NDArray[np.float64], points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return ``points`` (N, 2) mapped by a homography: float64 (N, 2)."""
    xyw = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(xyw[:, :2] / xyw[:, 2:], dtype=np.float64)


def turned(corners: Corners, turns: int) -> Corners:
    """Return the same corners, starting ``turns`` corners further clockwise."""
    return np.roll(np.asarray(corners, np.float32), -turns, axis=0)


def pixels_per_square(corners: NDArray[np.floating]) -> float:
    """Return the mean length of a square's side in the picture."""
    sides = np.linalg.norm(corners[_FOLLOWING] - corners, axis=1)
    return float(sides.mean()) / SIZE


def corner_distance(corners: NDArray[np.floating], truth: NDArray[np.floating]) -> float:
    """Return the largest distance of a corner from its truth, in squares.

    Any corner may be the first: of the four orders the one with the smallest distance counts.
    """
    orders = (np.roll(corners, k, axis=0) for k in range(4))
    distance = min(np.linalg.norm(order - truth, axis=1).max() for order in orders)
    return float(distance) / pixels_per_square(truth)


def rectify(image: Image, corners: Corners, pitch: int = PITCH, border: int = BORDER) -> Image:
    """Return the playing grid seen from straight above.

    Args:
        image: uint8 (H, W, 3) BGR; grey (H, W) works too.
        corners: float32 (4, 2), clockwise from the board's top-left.
        pitch: pixels a square in the result.
        border: pixels shown beyond the grid on each side. What is outside the picture is
            filled with the nearest edge pixel.

    Returns:
        uint8, side ``15 * pitch + 2 * border``.
    """
    corners = np.asarray(corners, np.float32)
    image, corners = _shrunk(image, corners, pitch)
    side = SIZE * pitch + 2 * border
    # Rectified pixel centres: (0, 0) is half a pixel into the border.
    to_board = np.array(
        [
            [1 / pitch, 0, (0.5 - border) / pitch],
            [0, 1 / pitch, (0.5 - border) / pitch],
            [0, 0, 1],
        ]
    )
    return np.asarray(
        cv2.warpPerspective(
            image,
            homography(corners) @ to_board,
            (side, side),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        dtype=np.uint8,
    )


def crops(image: Image, corners: Corners, squares: NDArray[np.intp] | None = None) -> Image:
    """Return one crop a square, with its neighbours' rims around it.

    Args:
        image: uint8 (H, W, 3) BGR.
        corners: float32 (4, 2), clockwise from the board's top-left.
        squares: indices ``15 * row + col`` (N,), or None for all 225 in reading order.

    Returns:
        uint8 (N, CROP, CROP, 3) BGR.
    """
    return windows(rectify(image, corners), squares)


def windows(board: Image, squares: NDArray[np.intp] | None = None) -> Image:
    """Return the crops of a board that :func:`rectify` made with its default sizes."""
    cells = overlapping_cells(board, PITCH, CROP)
    if squares is None:
        return cells.reshape(SIZE * SIZE, CROP, CROP, 3)
    rows, cols = np.divmod(squares, SIZE)
    return cells[rows, cols]


def overlapping_cells(board: Image, pitch: int, side: int) -> Image:
    """Return a view of a rectified picture as 15×15 cells: uint8 (15, 15, side, side, 3).

    Args:
        board: uint8 (H, W, 3), H and W at least ``14 * pitch + side``.
        pitch: pixels from one cell to the next.
        side: of a cell, in pixels; more than the pitch, so that neighbours overlap.
    """
    every = np.lib.stride_tricks.sliding_window_view(board, (side, side), axis=(0, 1))
    cells = every[::pitch, ::pitch][:SIZE, :SIZE]
    return np.asarray(cells.transpose(0, 1, 3, 4, 2), np.uint8)


def _shrunk(image: Image, corners: Corners, pitch: int) -> tuple[Image, Corners]:
    """Return the picture and corners, averaged over k×k pixels if it is much too fine.

    The factors are whole: averaging over them is several times as fast as over fractions, and
    bilinear sampling bears the rest, less than 1.75 to 1.
    """
    side = pixels_per_square(corners)
    factor = int(side / pitch + _ROUND_UP)
    if factor < 2:
        return image, corners
    height, width = image.shape[:2]
    slack = side * 2
    left, top = np.maximum(np.floor(corners.min(axis=0) - slack), 0).astype(int)
    right, bottom = np.minimum(np.ceil(corners.max(axis=0) + slack), (width, height)).astype(int)
    columns, lines = (right - left) // factor, (bottom - top) // factor
    if columns < 2 or lines < 2:
        return image, corners
    part = image[top : top + lines * factor, left : left + columns * factor]
    small = cv2.resize(part, (columns, lines), interpolation=cv2.INTER_AREA)
    within = (corners - (left, top) + 0.5) / factor - 0.5
    return np.asarray(small, np.uint8), within.astype(np.float32)


def moved(before: Corners | None, corners: Corners | None) -> bool:
    """True if a board lies elsewhere than before: a corner by more than a fifth of a square."""
    if before is None or corners is None:
        return before is not corners
    return float(np.abs(corners - before).max()) > _MOVED * pixels_per_square(before)


def quarter_turns(corners: Corners | None, others: Corners | None) -> int | None:
    """Return the quarter turns clockwise from ``corners`` to ``others``; None if moved."""
    if corners is None or others is None:
        return None
    return next((turns for turns in range(4) if not moved(turned(corners, turns), others)), None)


def shift(before: Corners, after: Corners) -> float:
    """Return the farthest that a corner moved, in squares."""
    distance = float(np.linalg.norm(after - before, axis=1).max())
    return distance / max(pixels_per_square(before), 1e-6)


def nearest_order(corners: Corners, to: Corners) -> Corners:
    """Return the corners in the cyclic order that is nearest to that of ``to``."""
    turns = [np.roll(corners, k, axis=0) for k in range(4)]
    distances = [float(np.linalg.norm(turn - to, axis=1).sum()) for turn in turns]
    return turns[int(np.argmin(distances))]
