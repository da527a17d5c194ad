"""Our own letters, as pen strokes: a face that needs no font file.

Every glyph is a list of pen paths in a box whose x runs 0..1 over the glyph's own width and
whose y runs 0 (cap height) to 1 (baseline). :func:`stroke_mask` draws them with a pen of any
weight, so one table of paths gives thin and thick, narrow and wide, upright and slanted, round
and cut-off letters.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.labels import LETTERS

Point = tuple[float, float]
Path = list[Point]
"""Points of a pen: of a glyph in its box, of a mark in cap heights from the letter's middle."""


def _arc(
    cx: float, cy: float, rx: float, ry: float, start: float, end: float, square: float = 0.0
) -> Path:
    """Points along an ellipse, or with ``square`` (0..1) along a superellipse.

    Degrees run clockwise on the page from the right.
    """
    steps = max(4, int(abs(end - start) / (4 if square else 8)))
    power = 1 / (1 + 1.6 * square)
    out: Path = []
    for angle in np.radians(np.linspace(start, end, steps + 1)):
        x, y = math.cos(angle), math.sin(angle)
        out.append(
            (
                cx + rx * math.copysign(abs(x) ** power, x),
                cy + ry * math.copysign(abs(y) ** power, y),
            )
        )
    return out


def _dot(x: float) -> Path:
    return [(x, -0.26), (x, -0.259)]


def _dots(left: float, right: float) -> list[Path]:
    return [_dot(left), _dot(right)]


Glyphs = dict[str, tuple[float, list[Path]]]
"""Character: its width in cap heights, and its pen paths."""


# Longer than other functions, because it is one table.
@lru_cache(maxsize=64)
def glyphs(square: float = 0.0, form: int = 0) -> Glyphs:
    """The pen paths of every character.

    Args:
        square: 0 for round bowls, 1 for nearly rectangular ones.
        form: picks among the usual forms of J, I, G, Q, M, W, R, A, 1, 4 and 7, and the height of
            crossbars; any number, 0 the plainest.
    """

    def arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> Path:
        return _arc(cx, cy, rx, ry, start, end, square)

    bar = (0.49, 0.45, 0.54)[form % 3]
    bowl = bar + 0.05
    p_bowl = [(0.0, 0.0), *arc(0.5, bowl / 2, 0.5, bowl / 2, -90, 90), (0.0, bowl)]
    low = (0.66, 0.7, 0.62)[form // 2 % 3]
    a: list[Path] = [[(0, 1), (0.5, 0), (1, 1)], [(low * 0.27, low), (1 - low * 0.27, low)]]
    o: list[Path] = [arc(0.5, 0.5, 0.5, 0.5, 0, 360)]
    u: list[Path] = [[(0, 0), (0, 0.6), *arc(0.5, 0.6, 0.5, 0.4, 180, 0), (1, 0.6), (1, 0)]]
    plain: Glyphs = {
        "A": (0.80, a),
        "B": (
            0.58,
            [
                [(0, 0), (0, 1)],
                [(0, 0), (0.5, 0), *arc(0.52, bar / 2, 0.4, bar / 2, -90, 90), (0, bar)],
                [
                    (0, bar),
                    (0.5, bar),
                    *arc(0.55, (1 + bar) / 2, 0.45, (1 - bar) / 2, -90, 90),
                    (0, 1),
                ],
            ],
        ),
        "C": (0.74, [arc(0.55, 0.5, 0.55, 0.5, 312, 48)]),
        "D": (0.70, [[(0, 0), (0.4, 0), *arc(0.4, 0.5, 0.6, 0.5, -90, 90), (0, 1), (0, 0)]]),
        "E": (0.54, [[(1, 0), (0, 0), (0, 1), (1, 1)], [(0, bar), (0.88, bar)]]),
        "F": (0.52, [[(1, 0), (0, 0), (0, 1)], [(0, bar), (0.86, bar)]]),
        "G": (0.78, [[*arc(0.52, 0.5, 0.52, 0.5, 312, 30), (1, 0.76), (1, 0.54), (0.6, 0.54)]]),
        "H": (0.66, [[(0, 0), (0, 1)], [(1, 0), (1, 1)], [(0, bar), (1, bar)]]),
        "I": (0.0, [[(0.5, 0), (0.5, 1)]]),
        "J": (0.44, [[(1, 0), (1, 0.7), *arc(0.45, 0.7, 0.55, 0.3, 0, 165)]]),
        "K": (0.66, [[(0, 0), (0, 1)], [(0.95, 0), (0, 0.62)], [(0.34, 0.4), (1, 1)]]),
        "L": (0.50, [[(0, 0), (0, 1), (1, 1)]]),
        "M": (0.86, [[(0, 1), (0, 0), (0.5, 0.8), (1, 0), (1, 1)]]),
        "N": (0.68, [[(0, 1), (0, 0), (1, 1), (1, 0)]]),
        "O": (0.84, o),
        "P": (0.56, [[(0, 1), *p_bowl]]),
        "Q": (0.84, [*o, [(0.6, 0.7), (1.0, 1.06)]]),
        "R": (0.60, [[(0, 1), *p_bowl], [(0.5, bowl), (1, 1)]]),
        "S": (
            0.56,
            [[*arc(0.5, 0.25, 0.46, 0.25, -28, -270), *arc(0.5, 0.75, 0.5, 0.25, -90, 152)]],
        ),
        "T": (0.64, [[(0, 0), (1, 0)], [(0.5, 0), (0.5, 1)]]),
        "U": (0.66, u),
        "V": (0.76, [[(0, 0), (0.5, 1), (1, 0)]]),
        "W": (1.06, [[(0, 0), (0.25, 1), (0.5, 0.1), (0.75, 1), (1, 0)]]),
        "X": (0.70, [[(0, 0), (1, 1)], [(1, 0), (0, 1)]]),
        "Y": (0.72, [[(0, 0), (0.5, 0.52), (1, 0)], [(0.5, 0.52), (0.5, 1)]]),
        "Z": (0.62, [[(0, 0), (1, 0), (0, 1), (1, 1)]]),
        "Æ": (
            1.04,
            [
                [(0, 1), (0.46, 0), (1, 0)],
                [(0.52, 0), (0.52, 1), (1, 1)],
                [(0.52, bar), (0.92, bar)],
                [(0.46 * (1 - low), low), (0.52, low)],
            ],
        ),
        "Ä": (0.80, [*a, *_dots(0.25, 0.75)]),
        "Ö": (0.84, [*o, *_dots(0.25, 0.75)]),
        "Ü": (0.66, [*u, *_dots(0.2, 0.8)]),
    }
    plain |= _figures(o, arc)
    letters = plain | _other_forms(plain, form, bowl, arc)
    return letters | _marked(letters)


def _figures(o: list[Path], arc: Callable[..., Path]) -> Glyphs:
    """The figures and signs."""
    return {
        "0": (0.56, o),
        "1": (0.28, [[(0, 0.22), (1, 0), (1, 1)]]),
        "2": (0.54, [[*arc(0.5, 0.28, 0.47, 0.28, 190, 400), (0, 1), (1, 1)]]),
        "3": (
            0.54,
            [[*arc(0.46, 0.25, 0.46, 0.25, 200, 440), *arc(0.46, 0.74, 0.54, 0.26, -80, 160)]],
        ),
        "4": (0.60, [[(0.74, 1), (0.74, 0), (0, 0.72), (1, 0.72)]]),
        "5": (0.54, [[(0.9, 0), (0.12, 0), (0.05, 0.46), *arc(0.48, 0.68, 0.5, 0.32, 235, 510)]]),
        "6": (0.56, [[(0.75, 0), *_arc(0.5, 0.68, 0.5, 0.32, 205, 565)]]),
        "7": (0.54, [[(0, 0), (1, 0), (0.35, 1)]]),
        "8": (0.56, [arc(0.5, 0.25, 0.42, 0.25, 90, 450), arc(0.5, 0.75, 0.5, 0.25, -90, 270)]),
        "9": (0.56, [[(0.25, 1), *_arc(0.5, 0.32, 0.5, 0.32, 25, 385)]]),
        "-": (0.36, [[(0, 0.55), (1, 0.55)]]),
        "·": (0.0, [[(0.5, 0.5), (0.5, 0.501)]]),
        "*": (
            0.5,
            [[(0.5, 0), (0.5, 0.6)], [(0, 0.15), (1, 0.45)], [(1, 0.15), (0, 0.45)]],
        ),
    }


def _marked(letters: Glyphs) -> Glyphs:
    """The marked letters of the sets, made of the face's own plain ones."""
    made: Glyphs = {}
    for char, plain in PLAIN.items():
        if char in letters:
            continue
        width, paths = letters[plain]
        wide = width or _ROOM_FOR_A_MARK
        marks = [[(0.5 + x / wide, y) for x, y in path] for path in mark_paths(char, wide / 2)]
        made[char] = (wide, [*paths, *marks])
    return made


_ROOM_FOR_A_MARK: Final = 0.44
"""Width in cap heights of an I with a mark; alone it has none."""


def _other_forms(plain: Glyphs, form: int, bowl: float, arc: Callable[..., Path]) -> Glyphs:
    """The forms that ``form`` picks instead of the plain ones; each about as often as in print."""
    draw = np.random.default_rng(form)
    if form == 0:
        return {}
    p_bowl = plain["P"][1][0][1:]
    other: Glyphs = {
        "J": (0.52, [[(0.35, 0), (1, 0), (1, 0.7), *arc(0.48, 0.7, 0.52, 0.3, 0, 165)]]),
        "I": (0.34, [[(0, 0), (1, 0)], [(0.5, 0), (0.5, 1)], [(0, 1), (1, 1)]]),
        "G": (0.78, [[*arc(0.52, 0.5, 0.52, 0.5, 312, 0), (0.56, 0.52)]]),
        "Q": (0.84, [*plain["O"][1], [(0.5, 0.8), (0.58, 1.02), (0.95, 1.1)]]),
        "M": (0.9, [[(0, 1), (0.12, 0), (0.5, 0.95), (0.88, 0), (1, 1)]]),
        "W": (1.06, [[(0, 0), (0.26, 1), (0.5, 0.4), (0.74, 1), (1, 0)]]),
        "R": (0.60, [[(0, 1), *p_bowl], [(0.62, bowl), (0.95, bowl + 0.15), (0.95, 1)]]),
        "C": (0.72, [arc(0.55, 0.5, 0.55, 0.5, 325, 35)]),
        "S": (
            0.56,
            [[*arc(0.5, 0.25, 0.46, 0.25, -5, -270), *arc(0.5, 0.75, 0.5, 0.25, -90, 175)]],
        ),
        "Y": (0.74, [[(0, 0), (0.5, 0.6), (1, 0)], [(0.5, 0.6), (0.5, 1)]]),
        "Z": (0.62, [[(0, 0), (1, 0), (0, 1), (1, 1)], [(0.25, 0.5), (0.75, 0.5)]]),
        "1": (0.36, [[(0.1, 0.22), (0.5, 0), (0.5, 1)], [(0, 1), (1, 1)]]),
        "4": (0.60, [[(0.2, 0), (0, 0.6), (1, 0.6)], [(0.75, 0.3), (0.75, 1)]]),
        "7": (0.54, [[(0, 0), (1, 0), (0.35, 1)], [(0.3, 0.5), (0.9, 0.5)]]),
    }
    chance = {"I": 0.2, "Z": 0.06, "4": 0.2, "7": 0.15}
    return {char: glyph for char, glyph in other.items() if draw.random() < chance.get(char, 0.35)}


_MARK_PEN: Final = 0.13
"""Cap heights: marks with a bend are drawn with no thicker a pen, or they would close up."""

_FINE: Final = 4
"""Strokes are drawn this many times larger, then area-averaged: smooth edges at any angle."""


def stroke_mask(
    char: str,
    cap: int,
    weight: float,
    width: float,
    slant: float,
    round_caps: bool,
    square: float = 0.0,
    form: int = 0,
) -> tuple[NDArray[np.uint8], int]:
    """One character's ink.

    Args:
        char: a key of :func:`glyphs`.
        cap: cap height in pixels, from the outer edge of the ink to the baseline.
        weight: pen width in cap heights.
        width: horizontal stretch of the skeleton.
        slant: horizontal shift in cap heights a cap height, positive leans right.
        round_caps: round pen ends; else strokes are cut square.
        square: how rectangular bowls are, see :func:`glyphs`.
        form: which forms letters have, see :func:`glyphs`.

    Returns:
        uint8 coverage (H, W) cropped to the ink, and the row of the baseline in it.
    """
    span, paths = glyphs(square, form)[char]
    fine = cap * _FINE
    pen = weight * fine
    inner = fine - pen  # the skeleton runs half a pen inside the box
    pad = int(pen + 0.6 * fine)
    wide = max(span * width * fine - pen, 0.0) if span else 0.0
    slide = abs(slant) * fine * 1.4
    canvas = np.zeros((fine + 2 * pad, int(wide + pen + 2 * pad + 2 * slide)), np.uint8)
    for path in paths:
        above = max(y for _, y in path) < 0  # a thick pen's marks keep clear of the letter
        thin = min(pen, _MARK_PEN * fine) if above and len(path) > 2 else pen
        points = np.array(
            [
                (
                    pad + slide + pen / 2 + x * wide + slant * (1 - y) * inner,
                    pad + pen / 2 + y * inner - 0.4 * pen * above,
                )
                for x, y in path
            ]
        )
        _trace(canvas, points, thin, round_caps)
    if not round_caps:
        _cut_ends(canvas, char, pad, fine)
    return _shrunk(canvas, pad + fine)


def _cut_ends(canvas: NDArray[np.uint8], char: str, pad: int, fine: int) -> None:
    """Erase the pen ends that reach out of the box, where the character has no mark there."""
    canvas[: max(pad - int(0.56 * fine), 0)] = 0
    if char not in BELOW and char not in "QØ":
        canvas[pad + fine :] = 0
    if char in "QØ":
        canvas[pad + fine + int(0.12 * fine) :] = 0
    if char not in ABOVE and char != "*":
        canvas[:pad] = 0


def _shrunk(canvas: NDArray[np.uint8], baseline: int) -> tuple[NDArray[np.uint8], int]:
    """Crop a canvas to its ink and average it; return that and the row of the baseline in it."""
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
    return np.asarray(small, np.uint8), round((baseline - top) / _FINE)


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
"""The drawing of a diacritic, by its combining character."""

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
