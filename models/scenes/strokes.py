"""Our own letters, as pen strokes: a face that needs no font file.

Every glyph is a list of pen paths in a box whose x runs 0..1 over the glyph's own width and
whose y runs 0 (cap height) to 1 (baseline). :func:`stroke_mask` draws them with a pen of any
weight, so one table of paths gives thin and thick, narrow and wide, upright and slanted, round
and cut-off letters.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
Path = list[Point]


def _arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> Path:
    """Points along an ellipse; degrees, clockwise on the page from the right."""
    steps = max(4, int(abs(end - start) / 8))
    return [
        (cx + rx * math.cos(math.radians(a)), cy + ry * math.sin(math.radians(a)))
        for a in np.linspace(start, end, steps + 1)
    ]


def _dots(left: float, right: float) -> list[Path]:
    return [[(left, -0.26), (left, -0.259)], [(right, -0.26), (right, -0.259)]]


_P_BOWL: Final = [(0.0, 0.0), *_arc(0.5, 0.27, 0.5, 0.27, -90, 90), (0.0, 0.54)]
_A: Final[list[Path]] = [[(0, 1), (0.5, 0), (1, 1)], [(0.18, 0.66), (0.82, 0.66)]]
_O: Final[list[Path]] = [_arc(0.5, 0.5, 0.5, 0.5, 0, 360)]
_U: Final[list[Path]] = [[(0, 0), (0, 0.6), *_arc(0.5, 0.6, 0.5, 0.4, 180, 0), (1, 0.6), (1, 0)]]

GLYPHS: Final[dict[str, tuple[float, list[Path]]]] = {
    "A": (0.80, _A),
    "B": (
        0.58,
        [
            [(0, 0), (0, 1)],
            [(0, 0), (0.5, 0), *_arc(0.52, 0.245, 0.4, 0.245, -90, 90), (0, 0.49)],
            [(0, 0.49), (0.5, 0.49), *_arc(0.55, 0.745, 0.45, 0.255, -90, 90), (0, 1)],
        ],
    ),
    "C": (0.74, [_arc(0.55, 0.5, 0.55, 0.5, 312, 48)]),
    "D": (0.70, [[(0, 0), (0.4, 0), *_arc(0.4, 0.5, 0.6, 0.5, -90, 90), (0, 1), (0, 0)]]),
    "E": (0.54, [[(1, 0), (0, 0), (0, 1), (1, 1)], [(0, 0.49), (0.88, 0.49)]]),
    "F": (0.52, [[(1, 0), (0, 0), (0, 1)], [(0, 0.5), (0.86, 0.5)]]),
    "G": (0.78, [[*_arc(0.52, 0.5, 0.52, 0.5, 312, 30), (1, 0.76), (1, 0.54), (0.6, 0.54)]]),
    "H": (0.66, [[(0, 0), (0, 1)], [(1, 0), (1, 1)], [(0, 0.49), (1, 0.49)]]),
    "I": (0.0, [[(0.5, 0), (0.5, 1)]]),
    "J": (0.44, [[(1, 0), (1, 0.7), *_arc(0.45, 0.7, 0.55, 0.3, 0, 165)]]),
    "K": (0.66, [[(0, 0), (0, 1)], [(0.95, 0), (0, 0.62)], [(0.34, 0.4), (1, 1)]]),
    "L": (0.50, [[(0, 0), (0, 1), (1, 1)]]),
    "M": (0.86, [[(0, 1), (0, 0), (0.5, 0.8), (1, 0), (1, 1)]]),
    "N": (0.68, [[(0, 1), (0, 0), (1, 1), (1, 0)]]),
    "O": (0.84, _O),
    "P": (0.56, [[(0, 1), *_P_BOWL]]),
    "Q": (0.84, [*_O, [(0.6, 0.7), (1.0, 1.06)]]),
    "R": (0.60, [[(0, 1), *_P_BOWL], [(0.5, 0.54), (1, 1)]]),
    "S": (
        0.56,
        [[*_arc(0.5, 0.25, 0.46, 0.25, -28, -270), *_arc(0.5, 0.75, 0.5, 0.25, -90, 152)]],
    ),
    "T": (0.64, [[(0, 0), (1, 0)], [(0.5, 0), (0.5, 1)]]),
    "U": (0.66, _U),
    "V": (0.76, [[(0, 0), (0.5, 1), (1, 0)]]),
    "W": (1.06, [[(0, 0), (0.25, 1), (0.5, 0.1), (0.75, 1), (1, 0)]]),
    "X": (0.70, [[(0, 0), (1, 1)], [(1, 0), (0, 1)]]),
    "Y": (0.72, [[(0, 0), (0.5, 0.52), (1, 0)], [(0.5, 0.52), (0.5, 1)]]),
    "Z": (0.62, [[(0, 0), (1, 0), (0, 1), (1, 1)]]),
    "Ä": (0.80, [*_A, *_dots(0.25, 0.75)]),
    "Ö": (0.84, [*_O, *_dots(0.25, 0.75)]),
    "Ü": (0.66, [*_U, *_dots(0.2, 0.8)]),
    "0": (0.56, _O),
    "1": (0.28, [[(0, 0.22), (1, 0), (1, 1)]]),
    "2": (0.54, [[*_arc(0.5, 0.28, 0.47, 0.28, 190, 400), (0, 1), (1, 1)]]),
    "3": (
        0.54,
        [[*_arc(0.46, 0.25, 0.46, 0.25, 200, 440), *_arc(0.46, 0.74, 0.54, 0.26, -80, 160)]],
    ),
    "4": (0.60, [[(0.74, 1), (0.74, 0), (0, 0.72), (1, 0.72)]]),
    "5": (0.54, [[(0.9, 0), (0.12, 0), (0.05, 0.46), *_arc(0.48, 0.68, 0.5, 0.32, 235, 510)]]),
    "6": (0.56, [[(0.75, 0), *_arc(0.5, 0.68, 0.5, 0.32, 205, 565)]]),
    "7": (0.54, [[(0, 0), (1, 0), (0.35, 1)]]),
    "8": (0.56, [_arc(0.5, 0.25, 0.42, 0.25, 90, 450), _arc(0.5, 0.75, 0.5, 0.25, -90, 270)]),
    "9": (0.56, [[(0.25, 1), *_arc(0.5, 0.32, 0.5, 0.32, 25, 385)]]),
    "-": (0.36, [[(0, 0.55), (1, 0.55)]]),
    "*": (
        0.5,
        [[(0.5, 0), (0.5, 0.6)], [(0, 0.15), (1, 0.45)], [(1, 0.15), (0, 0.45)]],
    ),
}
"""Character: its width in cap heights, and its pen paths."""

_FINE: Final = 4
"""Strokes are drawn this many times larger, then area-averaged: smooth edges at any angle."""


def stroke_mask(
    char: str, cap: int, weight: float, width: float, slant: float, round_caps: bool
) -> tuple[NDArray[np.uint8], int]:
    """One character's ink.

    Args:
        char: a key of :data:`GLYPHS`.
        cap: cap height in pixels, from the outer edge of the ink to the baseline.
        weight: pen width in cap heights.
        width: horizontal stretch of the skeleton.
        slant: horizontal shift in cap heights a cap height, positive leans right.
        round_caps: round pen ends; else strokes are cut square.

    Returns:
        uint8 coverage (H, W) cropped to the ink, and the row of the baseline in it.
    """
    span, paths = GLYPHS[char]
    fine = cap * _FINE
    pen = weight * fine
    inner = fine - pen  # the skeleton runs half a pen inside the box
    pad = int(pen + 0.45 * fine)
    wide = max(span * width * fine - pen, 0.0) if span else 0.0
    slide = abs(slant) * fine * 1.4
    canvas = np.zeros((fine + 2 * pad, int(wide + pen + 2 * pad + 2 * slide)), np.uint8)
    for path in paths:
        points = np.array(
            [
                (
                    pad + slide + pen / 2 + x * wide + slant * (1 - y) * inner,
                    pad + pen / 2 + y * inner,
                )
                for x, y in path
            ]
        )
        _trace(canvas, points, pen, round_caps)
    if not round_caps:
        canvas[: pad - int(0.1 * fine)] = np.where(
            np.arange(pad - int(0.1 * fine))[:, None] < pad - int(0.42 * fine),
            0,
            canvas[: pad - int(0.1 * fine)],
        )
        canvas[pad + fine + int(0.12 * fine) :] = 0
        if char not in "ÄÖÜ*":
            canvas[:pad] = 0
        if char != "Q":
            canvas[pad + fine :] = 0
    rows = np.flatnonzero(canvas.any(axis=1))
    cols = np.flatnonzero(canvas.any(axis=0))
    top = (rows[0] // _FINE) * _FINE
    left = (cols[0] // _FINE) * _FINE
    bottom = top + -(-(rows[-1] + 1 - top) // _FINE) * _FINE
    right = left + -(-(cols[-1] + 1 - left) // _FINE) * _FINE
    ink = np.zeros((bottom - top, right - left), np.uint8)
    part = canvas[top:bottom, left:right]
    ink[: part.shape[0], : part.shape[1]] = part
    small = cv2.resize(
        ink, (ink.shape[1] // _FINE, ink.shape[0] // _FINE), interpolation=cv2.INTER_AREA
    )
    return np.asarray(small, np.uint8), round((pad + fine - top) / _FINE)


def _trace(
    canvas: NDArray[np.uint8], points: NDArray[np.float64], pen: float, round_caps: bool
) -> None:
    radius = max(1, round(pen / 2))
    last = len(points) - 1
    for index in range(last):
        start, end = points[index], points[index + 1]
        step = end - start
        length = float(np.hypot(*step))
        if length == 0:
            continue
        along = step / length
        side = np.array([-along[1], along[0]]) * pen / 2
        if not round_caps:
            # Cut ends reach half a pen further, where a round end would reach too.
            start = start - along * pen / 2 * (index == 0)
            end = end + along * pen / 2 * (index == last - 1)
        quad = np.array([start + side, end + side, end - side, start - side])
        cv2.fillConvexPoly(canvas, np.round(quad * 16).astype(np.int32), 255, shift=4)
    joints = points if round_caps else points[1:-1]
    for x, y in joints:
        cv2.circle(canvas, (round(x), round(y)), radius, 255, -1)
