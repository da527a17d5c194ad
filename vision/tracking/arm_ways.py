"""From which way arms come: where they cross the rim of what is watched of a board."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.rectify import Corners, Image
from vision.tracking.differing_patches import at_rim, differing_patches
from vision.tracking.small_pictures import PITCH

_CROSSING: Final = 4
"""Pixels of the rim that an arm crosses at least."""

_LONG: Final = 5 * PITCH
"""Pixels from a tile to the far end of the arm that lays it, from which it shows where from, ..."""

_FAR: Final = 0.85
"""... and the share of that distance from which a part of the rim belongs to that end."""

_ONE_WAY: Final = 0.8
"""Length of the mean of directions from which they are one."""

_SAME_ARM: Final = 0.8
"""Cosine from which two places where a patch crosses the rim are those of one arm at a corner."""

_COVERED: Final = 0.2
"""Share of a square from which an arm is over it."""

_FRAME: Final = 3
"""Pixels around the board that its frame covers, and that no tile reaches over."""


def way_of_arms(
    pictures: Iterable[Image],
    known: NDArray[np.float32],
    corners: Corners,
    square: Square | None = None,
) -> NDArray[np.float64] | None:
    """Return the way from which the arms in some pictures come, if it is one.

    Args:
        pictures: uint8 (75, 75, 3) BGR, the board at ``corners``, at one level of light.
        known: float32, the same without hands.
        corners: the board's, in the camera's picture.
        square: only arms over it count.

    Returns:
        right and down in the camera's picture, of length 1.
    """
    found = [
        _way(patch, corners, square)
        for small in pictures
        for patch in differing_patches(small.astype(np.float32), known)
    ]
    ways = [way for way in found if way is not None]
    if not ways:
        return None
    mean = np.asarray(np.mean(ways, axis=0), np.float64)
    length = float(np.linalg.norm(mean))
    return mean / length if length >= _ONE_WAY else None


def _way(
    patch: NDArray[np.bool_], corners: Corners, square: Square | None
) -> NDArray[np.float64] | None:
    """Return the way from which one arm comes, if it is over that square.

    An arm may lie along one edge of the board and come in over another. So where it is long, the
    way goes from the square to the far end of the arm, and not to the middle of what it covers.
    """
    crossing = _one_crossing(crossings(patch, corners))
    if crossing is None or (square is not None and not squares_under(patch)[square]):
        return None
    if square is None:
        return crossing
    from_square = np.argwhere(at_rim(patch)) - PITCH * (np.array(square) + 0.5)
    length = np.hypot(*from_square.T)
    if length.max() < _LONG:
        return crossing
    down, right = from_square[length >= _FAR * length.max()].mean(axis=0)
    a, b, c, d = np.asarray(corners, np.float64)
    way = right * (b + c - a - d) + down * (c + d - a - b)
    return np.asarray(way / float(np.hypot(*way)), np.float64)


def _one_crossing(ways: list[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Return the way of the one arm that crosses the rim at these places; None if it is not one.

    A hand over a corner crosses two edges, and its middle may look like the squares below it.
    """
    if not ways or any(float(ways[0] @ way) < _SAME_ARM for way in ways):
        return None
    mean = np.asarray(np.mean(ways, axis=0), np.float64)
    return mean / float(np.linalg.norm(mean))


def squares_under(patch: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the squares that a patch of the board, bool (75, 75), is over or beside."""
    over = patch.reshape(SIZE, PITCH, SIZE, PITCH).mean(axis=(1, 3)) >= _COVERED
    # The tips of the fingers hold the tile that is laid beside them.
    reach = cv2.dilate(over.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(reach.astype(np.bool_) & over.any())


def crossings(
    patch: NDArray[np.bool_], corners: Corners, border: int = 0
) -> list[NDArray[np.float64]]:
    """Return the way from the board's middle to each place where a patch crosses the rim.

    Where the table around the board has a wrist's colour, an arm seems to end at the board's frame:
    then it crosses that.

    Args:
        patch: bool (H, W), of what is watched.
        corners: the board's, in the camera's picture.
        border: pixels that are watched around the board.

    Returns:
        for each right and down in the camera's picture, of length 1.
    """
    ways = _at_rim(patch, corners)
    cut = border - _FRAME
    return ways if ways or cut <= 0 else _at_rim(patch[cut:-cut, cut:-cut], corners)


def _at_rim(patch: NDArray[np.bool_], corners: Corners) -> list[NDArray[np.float64]]:
    rim = at_rim(patch).astype(np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(rim, connectivity=8)
    a, b, c, d = np.asarray(corners, np.float64)
    ways = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < 2 * _CROSSING:
            continue
        right, down = (middles[label] + 0.5) / (len(patch) / 2) - 1.0
        way = right * (b + c - a - d) / 4 + down * (c + d - a - b) / 4
        ways.append(way / max(float(np.hypot(*way)), 1e-6))
    return ways
