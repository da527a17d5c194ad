"""The print on a tile: letters, values, the moulding of backs."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from game.tile_symbols import TEXT_OF
from models.scenes.faces import CAP, Face, glyph, line_of_text
from models.scenes.spec import TileStyle

Page = NDArray[np.uint8]
"""uint8 (side, side): coverage by ink, drawn on in place."""


def letter(
    page: Page,
    face: Face,
    symbol: str,
    size: float,
    at: tuple[float, float],
    several: float = 0.5,
) -> None:
    """A letter, ``size`` of the tile's side high, centred at ``at`` (fractions of the side).

    ``several``: how several letters on one tile are made to fit: 0 narrow, 1 as low as narrow.
    """
    side = page.shape[0]
    ink = glyph(face, symbol)
    scale = size * side / CAP
    baseline = at[1] * side + scale * CAP / 2
    if ink.baseline > CAP * 1.12:  # dots above: the whole letter is made lower
        scale *= 0.84
        baseline += 0.01 * side
    wide = min(scale, 0.82 * side / max(1, ink.mask.shape[1]))
    if symbol in TEXT_OF:  # publishers print them narrow, low, or some of both
        lower = (wide / scale) ** several
        baseline -= scale * CAP * (1 - lower) / 2
        scale *= lower
    put(
        page,
        ink.mask,
        (wide, scale),
        at[0] * side - ink.mask.shape[1] * wide / 2,
        baseline - ink.baseline * scale,
    )


def put(
    page: Page, mask: NDArray[np.uint8], scale: tuple[float, float], left: float, top: float
) -> None:
    """Adds ``mask``, scaled by (x, y), with its corner at (left, top), to a fraction of a pixel."""
    size = (max(1, round(mask.shape[1] * scale[0])), max(1, round(mask.shape[0] * scale[1])))
    small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    shift = np.array([[1, 0, left], [0, 1, top]], np.float64)
    moved = cv2.warpAffine(small, shift, (page.shape[1], page.shape[0]), flags=cv2.INTER_LINEAR)
    np.maximum(page, moved, out=page)


def digit(page: Page, style: TileStyle, value: str) -> None:
    """A tile's value in its corner."""
    side = page.shape[0]
    strip = line_of_text(style.digit_face, value, CAP)
    scale = style.digit_size * side / CAP
    inset = style.digit_inset * side
    if len(value) > 1:  # two digits keep clear of the letter
        inset /= 2
    left = side - inset - strip.shape[1] * scale if style.digit == "right" else inset
    put(page, strip, (scale, scale), left, side - inset - strip.shape[0] * scale)


def back(page: Page, kind: str) -> None:
    """A tile's underside: moulding that shows as faint ink."""
    side = page.shape[0]
    centre = (side // 2, side // 2)
    thin = max(1, round(side * 0.05))
    low, high = round(side * 0.2), round(side * 0.8)
    if kind == "groove":
        cv2.rectangle(page, (low, low), (high, high), 90, thin)
    elif kind == "ring":
        cv2.circle(page, centre, round(side * 0.28), 90, thin, cv2.LINE_AA)
    elif kind == "cross":
        cv2.line(page, (low, low), (high, high), 90, thin, cv2.LINE_AA)
        cv2.line(page, (high, low), (low, high), 90, thin, cv2.LINE_AA)
    elif kind == "logo":
        inset = round(side * 0.12)
        cv2.rectangle(page, (inset, inset), (side - inset, side - inset), 110, -1)
