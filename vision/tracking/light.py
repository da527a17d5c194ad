"""How much two pictures of one place differ, once the light is taken out of the difference.

Light and shadow change all colours of what lies there alike, and little from one pixel to the next:
so the gain that brings one picture nearest to the other, over a part of it, is the light's. What is
left is told as a share of the level there, as noise and contrast grow with it.
"""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rectify import Image

DIMMED: Final = 4.0
"""The light changes by no more than that factor."""

FLOOR: Final = 12.0
"""Grey levels added to the level, so that noise in the dark is no difference."""

Pixels = NDArray[np.float32]

_EXTREMES: Final = cv2.dilate, cv2.erode


def apart(before: Pixels, now: Pixels) -> Pixels:
    """Return by what share of the level parts differ, each in its own light: float32 (...).

    The parts are float32 (..., rows, columns, colours). One of a single colour looks like another
    of that colour that is lighter.
    """
    pixels = (-1, -2, -3)
    gain = _gain((before * now).sum(axis=pixels), (now**2).sum(axis=pixels))
    residual = gain[..., None, None, None] * now - before
    level = before.mean(axis=pixels) + FLOOR
    return np.asarray(np.sqrt((residual**2).mean(axis=pixels)) / level, np.float32)


def differences(before: Pixels, now: Pixels, around: int, reach: int = 1) -> Pixels:
    """Return by what share of the level each pixel differs in any colour: float32 (H, W).

    Args:
        before: float32 (H, W, colours).
        now: the same place later.
        around: pixels across and down over which the light is the same; odd.
        reach: pixels across and down within which what was there may have shifted; odd.
    """
    area, shift = (around, around), np.ones((reach, reach), np.uint8)
    shared, whole = (cv2.blur(np.einsum("ijk,ijk->ij", before, one), area) for one in (now, before))
    gain = _gain(shared, whole)
    lit, level = before * gain[..., None], gain * np.sqrt(whole / before.shape[2]) + FLOOR
    lightest, darkest = (extreme(lit, shift).reshape(now.shape) for extreme in _EXTREMES)
    return np.asarray(np.maximum(now - lightest, darkest - now).max(axis=2) / level, np.float32)


def lit_as(now: Image, before: Image, alike: NDArray[np.bool_]) -> Image:
    """Return an earlier picture in the light of a later one; some pixels, bool (H, W), tell it."""
    was, later = before[alike].astype(np.float32), now[alike].astype(np.float32)
    gain = _gain(np.float32((was * later).sum()), np.float32((was**2).sum()))
    return np.asarray(cv2.convertScaleAbs(before, alpha=float(gain)), np.uint8)


def _gain(shared: Any, whole: Any) -> Any:
    """Return the gain that brings one picture nearest to another.

    By the sums, over the pixels, of their products with each other and with itself.
    """
    return np.clip((shared + 1.0) / (whole + 1.0), 1 / DIMMED, DIMMED)
