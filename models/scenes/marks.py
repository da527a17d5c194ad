"""Marks over, under and across letters, for faces that lack the marked letter."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

PLAIN: Final = dict(zip("ĄĆĘŁŃÓŚŹŻ", "ACELNOSZZ", strict=True))
"""The marked letters of the Polish set, and the plain letter of each."""

_ROOM: Final = 48
"""Pixels added on every side for the mark: half of the cap height of 96."""


def marked(char: str, mask: NDArray[np.uint8], baseline: int) -> tuple[NDArray[np.uint8], int]:
    """A plain letter's ink with the mark of ``char``, a key of :data:`PLAIN`.

    Args:
        char: the marked letter.
        mask: uint8 coverage (H, W) of the plain one, cropped to its ink.
        baseline: the row of its baseline.

    Returns:
        the same of the marked letter.
    """
    page = np.pad(mask, _ROOM)
    foot, tall = baseline + _ROOM, baseline
    left, right = _ROOM, _ROOM + mask.shape[1]
    middle = (left + right) / 2
    pen = max(6, round(_stem(mask)))
    top = foot - tall - pen / 2
    if char in "ĆŃÓŚŹ":
        _pen(
            page,
            [(middle - 0.06 * tall, top - 0.07 * tall), (middle + 0.1 * tall, top - 0.24 * tall)],
            pen,
        )
    elif char == "Ż":
        _pen(page, [(middle, top - 0.12 * tall)] * 2, round(1.2 * pen))
    elif char == "Ł":
        _pen(
            page,
            [(left - 0.14 * tall, foot - 0.4 * tall), (left + 0.38 * tall, foot - 0.66 * tall)],
            pen,
        )
    else:
        x = right - 0.08 * tall
        under = [
            (x, 0.0),
            (x - 0.1 * tall, 0.1 * tall),
            (x - 0.06 * tall, 0.2 * tall),
            (x + 0.05 * tall, 0.2 * tall),
        ]
        _pen(page, [(px, foot + py) for px, py in under], pen)
    rows, cols = (np.flatnonzero(page.any(axis=axis)) for axis in (1, 0))
    cut = page[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return cut.copy(), foot - int(rows[0])


def _stem(mask: NDArray[np.uint8]) -> float:
    """About how wide the letter's strokes are, pixels: the most ink is within half of it."""
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    return 2 * float(np.percentile(depth[depth > 0], 70)) if (depth > 0).any() else 12.0


def _pen(page: NDArray[np.uint8], points: list[tuple[float, float]], width: int) -> None:
    line = np.round(np.array(points) * 16).astype(np.int32)
    cv2.polylines(page, [line], False, 255, width, cv2.LINE_AA, shift=4)
