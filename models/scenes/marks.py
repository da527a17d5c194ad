"""Marks over, under and across letters: for our own strokes, and for faces that lack the letter."""

from __future__ import annotations

import unicodedata
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.labels import LETTERS

Path = list[tuple[float, float]]
"""Points in cap heights: x from the letter's middle, y from 0 (top) to 1 (baseline)."""

_ACROSS: Final = {"Ł": "L", "Đ": "D", "Ø": "O"}
_MADE: Final = {char: unicodedata.normalize("NFD", char) for char in (*LETTERS, "İ")}

PLAIN: Final = MappingProxyType(
    {char: both[0] for char, both in _MADE.items() if len(both) == 2} | _ACROSS
)
"""Every marked letter of the sets, and the plain letter of each."""

_ABOVE: Final[dict[str, list[Path]]] = {
    "\u0301": [[(-0.06, -0.22), (0.12, -0.42)]],
    "\u0302": [[(-0.18, -0.22), (0.0, -0.4), (0.18, -0.22)]],
    "\u0303": [[(-0.22, -0.24), (-0.12, -0.34), (-0.02, -0.32), (0.1, -0.26), (0.2, -0.36)]],
    "\u0306": [[(-0.19, -0.42), (-0.1, -0.27), (0.0, -0.24), (0.1, -0.27), (0.19, -0.42)]],
    "\u0307": [[(0.0, -0.26), (0.001, -0.26)]],
    "\u0308": [[(-0.2, -0.26), (-0.199, -0.26)], [(0.2, -0.26), (0.201, -0.26)]],
    "\u030a": [
        [
            (0.14 * float(np.cos(a)), -0.3 - 0.14 * float(np.sin(a)))
            for a in np.linspace(0, 2 * np.pi, 13)
        ]
    ],
    "\u030b": [[(-0.16, -0.2), (-0.04, -0.42)], [(0.1, -0.2), (0.22, -0.42)]],
    "\u030c": [[(-0.18, -0.4), (0.0, -0.22), (0.18, -0.4)]],
}
"""What stands over a letter, by its combining character."""

_BELOW: Final[dict[str, list[Path]]] = {
    "\u0327": [[(0.0, 1.0), (0.0, 1.08), (0.09, 1.13), (0.08, 1.23), (-0.08, 1.26)]],
    "\u0328": [[(0.0, 1.0), (-0.1, 1.14), (-0.07, 1.27), (0.06, 1.27)]],
}

_SLASHES: Final[dict[str, Path]] = {
    "Ł": [(-0.36, 0.62), (0.05, 0.34)],
    "Đ": [(-0.48, 0.48), (-0.02, 0.48)],
    "Ø": [(-0.4, 1.06), (0.4, -0.06)],
}

ABOVE: Final = frozenset(c for c, both in _MADE.items() if both[1:] in _ABOVE and c != "Ľ")
"""Letters with a mark over them."""

BELOW: Final = frozenset(c for c, both in _MADE.items() if both[1:] in _BELOW)
"""Letters with a mark under them."""

_ROOM: Final = 60
"""Pixels added on every side for the mark, of a cap height of 96."""


def mark_paths(char: str, half: float) -> list[Path]:
    """The pen paths of a letter's mark.

    Args:
        char: a key of :data:`PLAIN`.
        half: half of the plain letter's width, in cap heights.
    """
    if char in _SLASHES:
        return [_SLASHES[char]]
    if char == "Ľ":  # a caron beside so tall a letter is an apostrophe
        return [[(half * 0.55, -0.02), (half * 0.4, 0.22)]]
    mark = _MADE[char][1]
    if mark == "\u0328":  # at the foot of the right-hand stroke
        return [[(x + half * (0.9 if char == "Ą" else 0.6), y) for x, y in _BELOW[mark][0]]]
    aside = {"L": -0.5 * half, "D": -0.08, "C": 0.04}.get(PLAIN[char], 0.0)
    return [[(x + aside, y) for x, y in path] for path in (_ABOVE | _BELOW)[mark]]


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
    middle = _ROOM + mask.shape[1] / 2
    pen = round(min(max(6.0, _stem(mask)), 0.15 * tall))
    for path in mark_paths(char, mask.shape[1] / 2 / tall):
        lift = pen / 4 if char in ABOVE else 0.0
        points = [(middle + x * tall, foot - tall + y * tall - lift) for x, y in path]
        _pen(page, points, round(1.2 * pen) if _is_dot(path) else pen)
    rows, cols = (np.flatnonzero(page.any(axis=axis)) for axis in (1, 0))
    cut = page[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return cut.copy(), foot - int(rows[0])


def _is_dot(path: Path) -> bool:
    return len(path) == 2 and abs(path[0][0] - path[1][0]) < 0.01


def _stem(mask: NDArray[np.uint8]) -> float:
    """About how wide the letter's strokes are, pixels: the most ink is within half of it."""
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    return 2 * float(np.percentile(depth[depth > 0], 70)) if (depth > 0).any() else 12.0


def _pen(page: NDArray[np.uint8], points: list[tuple[float, float]], width: int) -> None:
    line = np.round(np.array(points) * 16).astype(np.int32)
    cv2.polylines(page, [line], False, 255, width, cv2.LINE_AA, shift=4)
