"""Small pictures of the board, made from every frame.

Most of the work is to average the camera's pixels. Only those that the small picture of the board
is made from are averaged, into arrays that are kept from frame to frame, and once for all that ask
about the same frame.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.rectify import Corners, Image, pixels_per_square, rectify

PITCH: Final = 5
"""Pixels a square in the small picture: a tile is 25 of them."""

_SIDE: Final = 15 * PITCH

_AVERAGED_SIDE: Final = 320
"""Pixels across the averaged picture that the small one is made from."""

_BESIDE: Final = 2
"""Pixels of the small picture beside the board that are averaged too: its corners are seldom whole
pixels, and ``rectify`` averages once more."""

_Region = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the averaged picture."""


class SmallPictures:
    """Makes the small pictures of one camera's frames. Not safe to use from several threads."""

    def __init__(self) -> None:
        self._image: Image | None = None
        """The frame whose pixels are averaged, ..."""
        self._done: _Region | None = None
        """... and where they are."""
        self._shape: tuple[int, ...] = ()
        self._factor = 1
        self._steps: list[tuple[int, Image]] = []
        """What each step of the averaging divides by, and the array of its result."""
        self._whole = False
        """True if somebody looks beyond the board."""
        self._board: Corners | None = None
        """The corners that were asked for last, ..."""
        self._scaled: Corners
        """... where they are in the averaged picture, ..."""
        self._around: _Region
        """... and what is needed of that."""

    def next(self, image: Image) -> None:
        """Take the next frame, uint8 (H, W, 3) BGR: it need not be another array."""
        self._image, self._done = image, None

    def of(self, image: Image, corners: Corners | None, border: int = 0) -> Image:
        """Return the small picture of the board in a frame, or of the whole view.

        Args:
            image: uint8 (H, W, 3) BGR, unchanged since ``next``.
            corners: the board's, float32 (4, 2) in pixels; None for the whole view.
            border: pixels of the small picture that lie beyond the board on each side.

        Returns:
            uint8 (75, 75, 3), and wider by ``border`` on each side.
        """
        if image is not self._image:
            self.next(image)
        if image.shape != self._shape:
            self._resize(image.shape)
        self._whole |= bool(border)
        height, width = (self._steps[-1][1] if self._steps else image).shape[:2]
        whole = 0, 0, width, height
        if corners is None:
            small = self._averaged(image, whole)
            return np.asarray(
                cv2.resize(small, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), np.uint8
            )
        corners = np.asarray(corners, np.float32)
        if self._board is None or not np.array_equal(self._board, corners):
            # Pixel centres: (x + 0.5) / factor - 0.5.
            self._board = corners.copy()
            self._scaled = ((corners + 0.5) / self._factor - 0.5).astype(np.float32)
            self._around = _around(self._scaled, width, height)
        averaged = self._averaged(image, whole if self._whole else self._around)
        return rectify(averaged, self._scaled, pitch=PITCH, border=border)

    def _averaged(self, image: Image, region: _Region) -> Image:
        """Return the averaged picture: all of it, of which that region is up to date."""
        if not self._steps:
            return image
        if self._done is None or not _within(region, self._done):
            left, top, right, bottom = region
            source, scale = image, self._factor
            for times, result in self._steps:
                part = source[top * scale : bottom * scale, left * scale : right * scale]
                scale //= times
                into = result[top * scale : bottom * scale, left * scale : right * scale]
                cv2.resize(part, into.shape[1::-1], dst=into, interpolation=cv2.INTER_AREA)
                source = result
            self._done = region
        return self._steps[-1][1]

    def _resize(self, shape: tuple[int, ...]) -> None:
        """Prepare for pictures of another size."""
        self._shape, self._done, self._board = shape, None, None
        height, width = shape[:2]
        self._factor = left = max(1, round(width / _AVERAGED_SIDE))
        # A whole factor lets OpenCV average blocks, which is both the fastest and the least noisy;
        # blocks of 2×2 it averages several times as fast as others.
        halvings = (left & -left).bit_length() - 1
        self._steps = []
        for times in [2] * halvings + [left >> halvings]:
            if times == 1:
                continue
            left //= times
            size = (max(1, length // self._factor) * left for length in (height, width))
            self._steps.append((times, np.zeros((*size, 3), np.uint8)))


def _around(corners: Corners, width: int, height: int) -> _Region:
    """Return the part of a picture of that size that the small picture of a board is made from."""
    slack = _BESIDE * max(1.0, pixels_per_square(corners) / PITCH) + _BESIDE
    left, top = np.maximum(np.floor(corners.min(axis=0) - slack), 0).astype(int)
    right, bottom = np.minimum(np.ceil(corners.max(axis=0) + slack), (width, height)).astype(int)
    outside = left >= right or top >= bottom
    return (0, 0, width, height) if outside else (int(left), int(top), int(right), int(bottom))


def _within(region: _Region, other: _Region) -> bool:
    """True if all of a region lies in another."""
    return (
        region[0] >= other[0]
        and region[1] >= other[1]
        and region[2] <= other[2]
        and region[3] <= other[3]
    )
