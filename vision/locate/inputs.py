"""Inputs of the two locating networks, for training and for serving alike.

The coarse network sees the whole picture, shrunk and letterboxed. The refiner sees the picture
rectified by a first guess of the grid's corners, with a margin of table round it.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.rectify import Corners, Image, homography, pixels_per_square

COARSE: Final = 256
"""Side of the coarse network's input in pixels."""

COARSE_BORDER: Final = 10
"""Pixels left free on each side of the coarse input, for corners just outside the picture."""

COARSE_STRIDE: Final = 4
"""Side of one cell of the coarse network's output, in pixels of its input."""

PITCH: Final = 12
"""Pixels per square in the refiner's input."""

MARGIN: Final = 2.5
"""Squares of surroundings on each side of the grid in the refiner's input."""

REFINE: Final = round((SIZE + 2 * MARGIN) * PITCH)
"""Side of the refiner's input in pixels."""

REFINE_STRIDE: Final = 8
"""Side of one cell of the refiner's output, in pixels of its input."""

Matrix = NDArray[np.float64]
Tensor = NDArray[np.float32]


class Pyramid:
    """A picture and its halves, made when first asked for, so that no warp has to alias."""

    def __init__(self, image: Image) -> None:
        self._levels = [image]
        thumb = cv2.resize(image, (32, 32), interpolation=cv2.INTER_LINEAR)
        self.mean = tuple(float(v) for v in thumb.mean(axis=(0, 1)))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def level(self, number: int) -> tuple[Image, Matrix]:
        """The picture halved ``number`` times, and the 3×3 from full-size pixels to its pixels."""
        number = min(number, max(0, int(np.log2(max(min(self.size), 1) / 16))))
        while len(self._levels) <= number:
            last = self._levels[-1]
            size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            half = cv2.resize(last, size, interpolation=cv2.INTER_AREA)
            self._levels.append(np.asarray(half, np.uint8))
        small = self._levels[number]
        return small, scaling(small.shape[1] / self.size[0], small.shape[0] / self.size[1])

    def warp(self, matrix: Matrix, side: int, shrink: float) -> Image:
        """A square of ``side`` pixels; ``matrix`` is the 3×3 from its pixels to the picture's.

        shrink: how many of the picture's pixels one pixel of the result spans, roughly. Where the
        picture ends, its mean colour goes on.
        """
        small, scale = self.level(int(max(0.0, np.log2(max(shrink, 1.0)))))
        out = cv2.warpPerspective(
            small,
            scale @ matrix,
            (side, side),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=self.mean,
        )
        return np.asarray(out, np.uint8)


def scaling(x: float, y: float) -> Matrix:
    """The 3×3 that maps pixel centres (the first at 0, 0) when a picture is resized by x and y."""
    return np.array([[x, 0, 0.5 * x - 0.5], [0, y, 0.5 * y - 0.5], [0, 0, 1]], np.float64)


def letterbox(size: tuple[float, float]) -> tuple[Matrix, float]:
    """The 3×3 from the coarse input's pixels to those of a picture of size (width, height).

    Also how many of the picture's pixels one of its pixels spans.
    """
    span = max(size) / (COARSE - 2 * COARSE_BORDER)
    middle = (COARSE - 1) / 2
    matrix = np.array(
        [
            [span, 0, (size[0] - 1) / 2 - span * middle],
            [0, span, (size[1] - 1) / 2 - span * middle],
            [0, 0, 1],
        ],
        np.float64,
    )
    return matrix, span


def canvas_to_board() -> Matrix:
    """The 3×3 from the refiner input's pixels to board units."""
    return np.array(
        [[1 / PITCH, 0, 0.5 / PITCH - MARGIN], [0, 1 / PITCH, 0.5 / PITCH - MARGIN], [0, 0, 1]],
        np.float64,
    )


def rectifying(corners: Corners) -> tuple[Matrix, float]:
    """The 3×3 from the refiner input's pixels to the picture's, given the grid's corners there.

    Also how many of the picture's pixels one of its pixels spans.
    """
    return homography(corners) @ canvas_to_board(), pixels_per_square(corners) / PITCH


def cell_centres() -> Tensor:
    """Board units of the middles of the refiner's cells, float32 (cells, cells, 2), [y, x, xy]."""
    cells = REFINE // REFINE_STRIDE
    along = ((np.arange(cells) + 0.5) * REFINE_STRIDE / PITCH - MARGIN).astype(np.float32)
    return np.stack(np.meshgrid(along, along), axis=-1)


def normalised(image: Image) -> Tensor:
    """uint8 BGR (side, side, 3) as float32 (3, side, side) of mean 0 and spread 1."""
    mean, spread = cv2.meanStdDev(image)
    scale = 1.0 / max(float(np.sqrt((spread**2).mean())), 8.0)
    blob = cv2.dnn.blobFromImage(image, scale, mean=tuple(float(m) for m in mean[:, 0]))
    return np.asarray(blob[0], np.float32)
