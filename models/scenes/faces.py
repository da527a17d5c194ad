"""Letter shapes: our own strokes, or a TrueType face that the system has.

Rendering a table needs no font: :class:`Face` without a path draws :mod:`models.scenes.strokes`.
Pillow is imported only for a face that has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.tile_symbols import TEXT_OF
from models.scenes.strokes import PLAIN, glyphs, marked, stroke_mask

CAP: Final = 96
"""Cap height, in pixels, at which glyphs are kept."""

_IN_NO_FONT: Final = "\U0010fffd"
"""A character for which every font draws whatever it draws for those that it lacks."""


@dataclass(frozen=True)
class Face:
    """A face for letters and digits.

    ``path`` names a TrueType file; empty draws our own strokes with ``weight`` (pen width in
    cap heights) and ``round_caps``. ``width`` stretches horizontally and ``slant`` leans, for
    both kinds. ``stencil`` cuts bridges through the letters. ``square`` and ``form`` pick the
    strokes' shapes (:func:`models.scenes.strokes.glyphs`).
    """

    path: str = ""
    weight: float = 0.16
    width: float = 1.0
    slant: float = 0.0
    round_caps: bool = True
    stencil: bool = False
    square: float = 0.0
    form: int = 0


@dataclass(frozen=True)
class Glyph:
    """A character's ink: uint8 coverage (H, W) at :data:`CAP`, and its baseline's row."""

    mask: NDArray[np.uint8]
    baseline: int


@lru_cache(maxsize=6000)
def glyph(face: Face, char: str) -> Glyph:
    """One character's ink in a face. An unknown character is an empty glyph.

    A symbol of a tile that says several letters is these side by side.
    """
    text = TEXT_OF.get(char, char)
    if len(text) > 1:
        return _side_by_side([glyph(face, one) for one in text])
    char = text
    if face.path:
        mask, baseline = _printed(face.path, char)
        if face.slant or face.width != 1.0:
            mask = _sheared(mask, baseline, face.width, face.slant)
    elif char in glyphs():
        mask, baseline = _stroked(face, char)
    else:
        return Glyph(np.zeros((CAP, CAP // 4), np.uint8), CAP)
    if face.stencil and char.isalpha():
        mask = mask.copy()
        middle = mask.shape[1] // 2
        bridge = CAP // 14
        mask[:, max(0, middle - bridge // 2) : middle + bridge // 2 + 1] = 0
        if char in "ITJYL1":
            row = mask.shape[0] // 2
            mask = (_printed(face.path, char) if face.path else _stroked(face, char))[0].copy()
            mask[row : row + bridge] = 0
    return Glyph(mask, baseline)


def _side_by_side(inks: list[Glyph]) -> Glyph:
    """Return several letters as one glyph, on one baseline."""
    base = max(ink.baseline for ink in inks)
    height = base + max(len(ink.mask) - ink.baseline for ink in inks)
    gap = np.zeros((height, CAP // 9), np.uint8)
    strips = []
    for ink in inks:
        top = base - ink.baseline
        below = height - top - len(ink.mask)
        strips += [gap, np.pad(ink.mask, ((top, below), (0, 0)))]
    return Glyph(np.hstack(strips[1:]), base)


def _stroked(face: Face, char: str) -> tuple[NDArray[np.uint8], int]:
    pen = (face.weight, face.width, face.slant, face.round_caps, face.square, face.form)
    return stroke_mask(char, CAP, *pen)


def line_of_text(face: Face, text: str, cap: float) -> NDArray[np.uint8]:
    """A line of text as coverage, uint8 (H, W), with ``cap`` pixels of cap height."""
    gap, pieces = max(2, int(CAP * 0.17)), []
    height = int(CAP * 1.6)
    base = int(CAP * 1.3)
    for char in text:
        if char == " ":
            pieces.append(np.zeros((height, CAP // 3), np.uint8))
            continue
        ink = glyph(face, char)
        piece = np.zeros((height, ink.mask.shape[1] + gap), np.uint8)
        top = base - ink.baseline
        rows = ink.mask[max(0, -top) : height - top]
        piece[max(0, top) : max(0, top) + len(rows), gap // 2 : gap // 2 + rows.shape[1]] = rows
        pieces.append(piece)
    strip = np.hstack(pieces) if pieces else np.zeros((height, 1), np.uint8)
    strip = strip[: base + CAP // 8] if not strip[base + CAP // 8 :].any() else strip
    strip = strip[base - CAP :] if not strip[: base - CAP].any() else strip
    size = (max(1, round(strip.shape[1] * cap / CAP)), max(1, round(strip.shape[0] * cap / CAP)))
    return np.asarray(cv2.resize(strip, size, interpolation=cv2.INTER_AREA), np.uint8)


@lru_cache(maxsize=128)
def _font(path: str) -> tuple[object, float]:
    from PIL import ImageFont  # noqa: PLC0415 - only files of fonts need Pillow

    probe = ImageFont.truetype(path, 200)
    top, bottom = probe.getbbox("H", anchor="ls")[1::2]
    size = round(200 * CAP / max(1, bottom - top))
    return ImageFont.truetype(path, size), float(size)


def _printed(path: str, char: str) -> tuple[NDArray[np.uint8], int]:
    """A character's ink, with a mark of our own where the file has the letter without it only."""
    ink = _truetype(path, char)
    if char in PLAIN and np.array_equal(ink[0], _truetype(path, _IN_NO_FONT)[0]):
        return marked(char, *_truetype(path, PLAIN[char]))
    return ink


def _truetype(path: str, char: str) -> tuple[NDArray[np.uint8], int]:
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415

    font, size = _font(path)
    assert isinstance(font, ImageFont.FreeTypeFont)
    side = int(size * 2.4)
    page = Image.new("L", (side, side))
    base = int(side * 0.65)
    ImageDraw.Draw(page).text((int(side * 0.2), base), char, fill=255, font=font, anchor="ls")
    ink = np.asarray(page)
    rows = np.flatnonzero(ink.any(axis=1))
    cols = np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return np.zeros((CAP, CAP // 4), np.uint8), CAP
    cut = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return cut.copy(), base - int(rows[0])


def _sheared(
    mask: NDArray[np.uint8], baseline: int, width: float, slant: float
) -> NDArray[np.uint8]:
    height, wide = mask.shape
    reach = abs(slant) * height
    out = (int(wide * width + reach) + 2, height)
    offset = slant * baseline if slant > 0 else slant * baseline + reach
    matrix = np.array([[width, -slant, offset + 1], [0, 1, 0]], np.float64)
    return np.asarray(cv2.warpAffine(mask, matrix, out, flags=cv2.INTER_LINEAR), np.uint8)
