"""Compares frames at 64×36 grey values: cheap, and enough to see a hand; and tells dark ones."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from game.jpeg import jpeg_frame

_SIZE: Final = (64, 36)
_LINES: Final = 240
"""The least height in lines at which frames are compared; up to twice as many may be used."""
_NOISE: Final = 18
"""The difference in grey value above which a block of the small picture has changed."""

CHANGED: Final = 0.004
"""The least share of changed blocks that is a change: nine of 2,304, about 1.5 tiles of a board."""

_DARK: Final = 16
"""The mean grey value below which a picture looks black on a screen."""


def shrunk(image: np.ndarray) -> np.ndarray:
    """Return the picture in grey: float32, shape (36, 64)."""
    image = image[:: max(1, image.shape[0] // _LINES)]
    while image.shape[1] >= 4 * _SIZE[0] and image.shape[0] >= 2 * _SIZE[1]:
        # Blocks of 2×2 are averaged several times as fast as others.
        half = image.shape[1] // 2, image.shape[0] // 2
        image = cv2.resize(image, half, interpolation=cv2.INTER_AREA)
    image = cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the share of blocks that differ, 0..1, ignoring an overall change of light."""
    change = one - other
    return float(np.mean(np.abs(change - np.median(change)) > _NOISE))


def is_dark(jpeg: bytes | memoryview) -> bool:
    """True if a JPEG looks black on a screen; False if it is not whole, or cannot be read."""
    if not jpeg_frame(jpeg).whole:
        return False
    coded = np.frombuffer(jpeg, dtype=np.uint8)
    image = cv2.imdecode(coded, cv2.IMREAD_REDUCED_GRAYSCALE_8)
    return image is not None and float(image.mean()) < _DARK
