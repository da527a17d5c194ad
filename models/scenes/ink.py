"""The print on a tile: letters, values, marks of blanks, the moulding of backs."""

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
    elif mark in _MORE_MARKS:
        _MORE_MARKS[mark](page, style, symbol, variant)


def _corner(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """An organisation's letters in a corner, on one line or on two."""
    side = page.shape[0]
    rng = np.random.default_rng((round(style.digit_size * 1e6), round(style.letter * 1e6)))
    lines = _ORGANISATIONS[int(rng.integers(len(_ORGANISATIONS)))]
    scale = float(rng.uniform(0.1, 0.19)) * side / CAP
    right, low = bool(rng.random() < 0.6), bool(rng.random() < 0.6)
    strips = [line_of_text(style.digit_face, line, CAP) for line in lines]
    tall = sum(len(strip) for strip in strips) * 1.2 * scale
    top = 0.92 * side - tall if low else 0.09 * side
    for strip in strips:
        wide = min(scale, 0.6 * side / strip.shape[1])
        left = 0.92 * side - strip.shape[1] * wide if right else 0.08 * side
        put(page, strip, (wide, scale), left, top)
        top += 1.2 * scale * len(strip)
    if variant == 2:  # rubbed by many bags
        page[:] = (page * 0.6).astype(np.uint8)


def _logo(page: Page, style: TileStyle, _symbol: str, _variant: int) -> None:
    """A maker's sign: its initials within a shape, or its word on a bar."""
    side = page.shape[0]
    rng = np.random.default_rng(round(style.digit_inset * 1e6))
    centre = (
        round(side * float(rng.uniform(0.4, 0.6))),
        round(side * float(rng.uniform(0.4, 0.6))),
    )
    reach = round(side * float(rng.uniform(0.16, 0.3)))
    thin = max(1, round(side * 0.04))
    kind = int(rng.integers(3))
    if kind == 0:
        cv2.circle(page, centre, reach, 255, thin, cv2.LINE_AA)
    elif kind == 1:
        diamond = np.array([(0, -reach), (reach, 0), (0, reach), (-reach, 0)]) + centre
        cv2.polylines(page, [diamond.astype(np.int32)], True, 255, thin, cv2.LINE_AA)
    strip = line_of_text(style.face, ("XW", "WG", "PROTILES")[kind], CAP)
    room = 1.2 * reach if kind < 2 else 0.7 * side
    scale = min(room / strip.shape[1], 0.7 * reach / len(strip))
    left, top = centre[0] - strip.shape[1] * scale / 2, centre[1] - len(strip) * scale / 2
    put(page, strip, (scale, scale), left, top)


def _star(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """A star of five points, full or in outline."""
    side = page.shape[0]
    reach = side * (0.16 + 0.3 * abs(style.letter - 0.4))
    angles = np.arange(10) * np.pi / 5 - np.pi / 2
    radii = np.where(np.arange(10) % 2 == 0, reach, 0.42 * reach)
    points = np.stack([np.cos(angles) * radii, np.sin(angles) * radii], axis=1) + side / 2
    outline = np.round(points * 16).astype(np.int32)
    if variant == 1:
        cv2.polylines(page, [outline], True, 255, max(1, round(side * 0.04)), cv2.LINE_AA, 4)
    else:
        cv2.fillPoly(page, [outline], 255, cv2.LINE_AA, 4)


def _square(page: Page, style: TileStyle, _symbol: str, _variant: int) -> None:
    """A coloured square, in the middle or over most of the tile."""
    side = page.shape[0]
    reach = round(side * (0.12 + style.digit_inset))
    middle = side // 2
    shade = 150 + round(100 * style.several)
    cv2.rectangle(
        page, (middle - reach, middle - reach), (middle + reach, middle + reach), shade, -1
    )


def _border(page: Page, style: TileStyle, _symbol: str, _variant: int) -> None:
    """A line along the edges."""
    side = page.shape[0]
    inset, wide = round(side * (0.04 + style.digit_inset / 3)), max(1, round(side * 0.045))
    cv2.rectangle(
        page, (inset, inset), (side - 1 - inset, side - 1 - inset), 255, wide, cv2.LINE_AA
    )


def _stuck(page: Page, style: TileStyle, symbol: str, variant: int) -> None:
    """A label stuck on, askew, with the letter that the blank stands for left clear."""
    side = page.shape[0]
    label = np.zeros_like(page)
    reach = round(side * 0.26)
    middle = side // 2
    cv2.rectangle(
        label, (middle - reach, middle - reach), (middle + reach, middle + reach), 215, -1
    )
    if symbol.isalpha():
        clear = np.zeros_like(page)
        letter(clear, Face(weight=0.1), symbol.upper(), 0.3, (0.5, 0.5))
        label = np.minimum(label, 255 - clear)
    turn = cv2.getRotationMatrix2D(
        (middle, middle), 8.0 * (variant - 1) + 20 * style.letter - 10, 1
    )
    turned = cv2.warpAffine(label, turn, (side, side), flags=cv2.INTER_LINEAR)
    np.maximum(page, turned, out=page)


_ORGANISATIONS = (
    *(
        ("NAS", "PA"),
        ("WES", "PA"),
        ("AB", "SP"),
        ("NASPA",),
        ("WGPO",),
        ("SOWPODS",),
    ),
    *(("FISE",), ("CSW",), ("EST.", "1948"), ("PL", "AY"), ("FFSC",), ("TOUR", "NEY")),
)
"""What tournaments print in a corner of a blank, line by line."""

_MORE_MARKS = {
    "corner": _corner,
    "logo": _logo,
    "star": _star,
    "square": _square,
    "border": _border,
    "stuck": _stuck,
}


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
