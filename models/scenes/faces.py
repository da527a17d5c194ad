"""Letter shapes: our own strokes, or a font that a tool brings.

Rendering a table needs no font: :class:`Face` without one draws :mod:`models.scenes.strokes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from game.tile_symbols import TEXT_OF
from models.scenes.strokes import glyphs, stroke_mask

CAP: Final = 96
"""Cap height, in pixels, at which glyphs are kept."""


class Font(Protocol):
    """Letters that are not our own strokes; hashable, as glyphs are kept by their faces."""

    def ink(self, char: str) -> tuple[NDArray[np.uint8], int]:
        """A character's coverage, uint8 (H, W) at :data:`CAP`, and its baseline's row."""


@dataclass(frozen=True)
class Face:
    """A face for letters and digits.

    Without a ``font`` it has our own strokes with ``weight`` (pen width in cap heights) and
    ``round_caps``. ``width`` stretches horizontally and ``slant`` leans, for
    both kinds. ``stencil`` cuts bridges through the letters. ``square`` and ``form`` pick the
    strokes' shapes (:func:`models.scenes.strokes.glyphs`).
    """

    font: Font | None = None
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
    if face.font is not None:
        mask, baseline = face.font.ink(char)
        upright = mask
        if face.slant or face.width != 1.0:
            mask = _sheared(mask, baseline, face.width, face.slant)
    elif char in glyphs():
        mask, baseline = _stroked(face, char)
        upright = mask
    else:
        return Glyph(np.zeros((CAP, CAP // 4), np.uint8), CAP)
    if face.stencil and char.isalpha():
        mask = mask.copy()
        middle = mask.shape[1] // 2
        bridge = CAP // 14
        mask[:, max(0, middle - bridge // 2) : middle + bridge // 2 + 1] = 0
        if char in "ITJYL1":
            row = mask.shape[0] // 2
            mask = upright.copy()
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


def _sheared(
    mask: NDArray[np.uint8], baseline: int, width: float, slant: float
) -> NDArray[np.uint8]:
    height, wide = mask.shape
    reach = abs(slant) * height
    out = (int(wide * width + reach) + 2, height)
    offset = slant * baseline if slant > 0 else slant * baseline + reach
    matrix = np.array([[width, -slant, offset + 1], [0, 1, 0]], np.float64)
    return np.asarray(cv2.warpAffine(mask, matrix, out, flags=cv2.INTER_LINEAR), np.uint8)
