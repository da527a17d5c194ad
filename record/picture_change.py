"""Compares frames at 64×36 grey values: cheap, and enough to see a hand."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

_SIZE: Final = (64, 36)
_LINES: Final = 240
"""The least height in lines at which frames are compared; up to twice as many may be used."""
_NOISE: Final = 18
"""The difference in grey value above which a block of the small picture has changed."""

CHANGED: Final = 0.004
"""The least share of changed blocks that is a change: nine of 2,304, about 1.5 tiles of a board."""


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
