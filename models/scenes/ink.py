"""The print on a tile: letters, values, marks of blanks, the moulding of backs."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.faces import CAP, Face, glyph, line_of_text
from models.scenes.spec import TileStyle

Page = NDArray[np.uint8]
"""uint8 (side, side): coverage by ink, drawn on in place."""


def letter(page: Page, face: Face, symbol: str, size: float, at: tuple[float, float]) -> None:
    """A letter, ``size`` of the tile's side high, centred at ``at`` (fractions of the side)."""
    side = page.shape[0]
    ink = glyph(face, symbol)
    scale = size * side / CAP
    baseline = at[1] * side + scale * CAP / 2
    if ink.baseline > CAP * 1.12:  # dots above: the whole letter is made lower
        scale *= 0.84
        baseline += 0.01 * side
    wide = min(scale, 0.82 * side / max(1, ink.mask.shape[1]))
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


def blank(page: Page, style: TileStyle, symbol: str, variant: int) -> None:
    """A blank's mark. ``symbol`` is ``?`` or the lower-case letter that it stands for."""
    side = page.shape[0]
    centre = (side // 2, side // 2)
    thin = max(1, round(side * 0.04))
    mark = style.blank_mark
    if mark == "oval":
        axes = (round(side * 0.3), round(side * 0.22))
        cv2.ellipse(page, centre, axes, 0, 0, 360, 255, thin, cv2.LINE_AA)
    elif mark == "sticker":
        axes = (round(side * 0.24), round(side * 0.17))
        cv2.ellipse(page, centre, axes, 0, 0, 360, 235, -1, cv2.LINE_AA)
        strip = 255 - line_of_text(style.digit_face, ("ST", "A", "JK")[variant], CAP)
        hole = np.full((CAP * 2, CAP * 3), 255, np.uint8)
        top, left = (hole.shape[0] - strip.shape[0]) // 2, (hole.shape[1] - strip.shape[1]) // 2
        hole[top : top + strip.shape[0], left : left + strip.shape[1]] = strip
        stencil = np.full_like(page, 255)
        scale = 0.16 * side / CAP
        small = cv2.resize(hole, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        top, left = (side - small.shape[0]) // 2, (side - small.shape[1]) // 2
        stencil[top : top + small.shape[0], left : left + small.shape[1]] = small
        np.minimum(page, stencil, out=page)
    elif mark == "asterisk":
        letter(page, Face(weight=0.12), "*", 0.75, (0.5, 0.6))
    elif mark == "word":
        strip = line_of_text(style.digit_face, ("BLANK", "JOKER", "FREE")[variant], CAP)
        scale = 0.66 * side / strip.shape[1]
        put(page, strip, (scale, scale), 0.17 * side, side / 2 - strip.shape[0] * scale / 2)
    elif mark == "smiley":
        cv2.circle(page, centre, round(side * 0.3), 255, thin, cv2.LINE_AA)
        for dx in (-0.1, 0.1):
            eye = (round(side * (0.5 + dx)), round(side * 0.43))
            cv2.circle(page, eye, max(1, round(side * 0.035)), 255, -1, cv2.LINE_AA)
        arc = (round(side * 0.16), round(side * 0.16))
        cv2.ellipse(page, centre, arc, 0, 25, 155, 255, thin, cv2.LINE_AA)
    elif mark == "letter" and symbol.isalpha():
        hand = Face(weight=0.07, slant=0.12 * (variant - 1), width=0.9 + 0.1 * variant)
        letter(page, hand, symbol.upper(), 0.4, (0.5 + 0.04 * (variant - 1), 0.5))
        page[:] = (page * 0.8).astype(np.uint8)
    elif mark == "dot":
        cv2.circle(page, centre, max(1, round(side * 0.06)), 255, -1, cv2.LINE_AA)
    elif mark == "digit":
        digit(page, style, "0")


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
