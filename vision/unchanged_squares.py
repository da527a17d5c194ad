"""Tells which squares look as they did when they were last read, so that they need not be again.

On a board in play one move changes a few squares. What was read surely of a square holds as long as
neither it nor what its crop shows around it looks any different, but for noise; what was unsure is
read in a few more pictures, whose noise differs. How a square looked when it was read is kept, not
how it looked last, so that a change that creeps in over many pictures is noticed too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.rectify import CROP, PITCH, Corners, Image, overlapping_cells, pixels_per_square

_STILL: Final = 0.05
"""Corners found within so many squares of the last ones are those of a board that did not move."""

_MORE_THAN_NOISE: Final = 1.6
"""A square changed whose mean square difference is so many times that of the median square, ..."""

_BOUNDS: Final = (0.5, 2.5)
"""... within these bounds, in squared grey levels. Noise is averaged over hundreds of pixels and
varies by a tenth; the edges of a plain blank of the square's own colour, faint as they are, make
several times as much. In more noise than the upper bound every square is read again."""

_MOST_READINGS: Final = 3
"""Pictures in which an unsure square is read, if it looks the same in all of them."""

_BLUR: Final = 3
"""Pixels of the picture of half the size that noise is averaged over: 6 of the rectified one."""


@dataclass(frozen=True)
class SquaresRead:
    """The reading of each square, with its picture at that time.

    Attributes:
        corners: float32 (4, 2), by which the pictures were rectified.
        looks: uint8 (225, side, side, 3).
        grid: float32 (225, classes), probabilities.
        tile_pose: float32 (225, 3).
        sure: bool (225,), whether a square was read surely.
        readings: int (225,), pictures in which a square was read since it last changed.
    """

    corners: Corners
    looks: NDArray[np.uint8]
    grid: NDArray[np.float32]
    tile_pose: NDArray[np.float32]
    sure: NDArray[np.bool_]
    readings: NDArray[np.intp]

    def is_at(self, corners: Corners) -> bool:
        """Return True if the board has not moved, with the same corner first."""
        away = np.linalg.norm(np.asarray(corners) - self.corners, axis=1).max()
        return bool(away <= _STILL * pixels_per_square(self.corners))

    @property
    def settled(self) -> NDArray[np.bool_]:
        """The squares that need not be read again while they look the same: bool (225,)."""
        return np.asarray(self.sure | (self.readings >= _MOST_READINGS))

    def unchanged(self, looks: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return the squares that look as they did: bool (225,)."""
        before = self.looks.reshape(len(looks), -1)
        away = cv2.absdiff(looks.reshape(before.shape), before).astype(np.float32)
        energy = np.einsum("ij,ij->i", away, away) / away.shape[1]
        limit = np.clip(_MORE_THAN_NOISE * np.median(energy), *_BOUNDS)
        return np.asarray(energy <= limit)


def square_looks(board: Image) -> NDArray[np.uint8]:
    """Return how the squares look, noise averaged out: uint8 (225, side, side, 3).

    Args:
        board: as :func:`vision.rectify.rectify` makes it with its default sizes.
    """
    half = cv2.resize(board, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    averaged = np.asarray(cv2.blur(half, (_BLUR, _BLUR)), np.uint8)
    cells = overlapping_cells(averaged, PITCH // 2, CROP // 2)
    return cells.reshape(SIZE * SIZE, CROP // 2, CROP // 2, 3)
