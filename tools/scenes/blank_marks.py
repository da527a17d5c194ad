"""The marks of blanks: every make that sets and tournaments have, and pictures of our own."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.faces import CAP, Face, line_of_text
from models.scenes.spec import BlankMark, Page, Rng, TileStyle
from models.scenes.tiles import digit, letter, put
from tools.scenes.emblems import EMBLEMS

_ORGANISATIONS: Final = (
    *("NAS PA", "WES PA", "AB SP", "NASPA", "WGPO", "SOWPODS", "FISE", "CSW", "EST. 1948"),
    *("PL AY", "FFSC", "TOUR NEY", "WOR DS"),
)
"""Marks that tournaments print in a corner of a blank; a space is where a second line begins."""

_WORDS: Final = (
    *("PROTILES", "XW", "WG", "WORD GAME", "BLANK TILE", "BUILD", "GAME CLUB", "LETTERS"),
    *("TILE CO", "WILD", "JOLLY", "SET", "CLUB"),
)
"""Makers' words; a space is where a second line begins."""

_UNITS: Final = "ABCDEFGHIJKLMNOPRSTUVWXYZ"


def _drawn_from(*numbers: float) -> Rng:
    """Return a draw that is the same for every blank of a set."""
    return np.random.default_rng([round(number * 1e6) for number in numbers])


def _oval(page: Page, _style: TileStyle, _symbol: str, _variant: int) -> None:
    side = page.shape[0]
    axes = (round(side * 0.3), round(side * 0.22))
    cv2.ellipse(page, _middle(page), axes, 0, 0, 360, 255, _thin(page), cv2.LINE_AA)


def _sticker(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """A round label with letters left clear."""
    side = page.shape[0]
    axes = (round(side * 0.24), round(side * 0.17))
    cv2.ellipse(page, _middle(page), axes, 0, 0, 360, 235, -1, cv2.LINE_AA)
    clear = np.zeros_like(page)
    _text(clear, style.digit_face, [("ST", "A", "JK")[variant]], 0.16, 0.5 * np.ones(2), 0)
    np.minimum(page, 255 - clear, out=page)


def _asterisk(page: Page, _style: TileStyle, _symbol: str, _variant: int) -> None:
    letter(page, Face(weight=0.12), "*", 0.75, (0.5, 0.6))


def _word(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    side = page.shape[0]
    strip = line_of_text(style.digit_face, ("BLANK", "JOKER", "FREE")[variant], CAP)
    scale = 0.66 * side / strip.shape[1]
    put(page, strip, (scale, scale), 0.17 * side, side / 2 - strip.shape[0] * scale / 2)


def _smiley(page: Page, _style: TileStyle, _symbol: str, _variant: int) -> None:
    side = page.shape[0]
    cv2.circle(page, _middle(page), round(side * 0.3), 255, _thin(page), cv2.LINE_AA)
    for dx in (-0.1, 0.1):
        eye = (round(side * (0.5 + dx)), round(side * 0.43))
        cv2.circle(page, eye, max(1, round(side * 0.035)), 255, -1, cv2.LINE_AA)
    arc = (round(side * 0.16), round(side * 0.16))
    cv2.ellipse(page, _middle(page), arc, 0, 25, 155, 255, _thin(page), cv2.LINE_AA)


def _penned(page: Page, _style: TileStyle, symbol: str, variant: int) -> None:
    """The letter that the blank stands for, written by hand."""
    if symbol.isalpha():
        hand = Face(weight=0.07, slant=0.12 * (variant - 1), width=0.9 + 0.1 * variant)
        letter(page, hand, symbol.upper(), 0.4, (0.5 + 0.04 * (variant - 1), 0.5))
        page[:] = (page * 0.8).astype(np.uint8)


def _dot(page: Page, _style: TileStyle, _symbol: str, _variant: int) -> None:
    reach = max(1, round(page.shape[0] * 0.06))
    cv2.circle(page, _middle(page), reach, 255, -1, cv2.LINE_AA)


def _value(page: Page, style: TileStyle, _symbol: str, _variant: int) -> None:
    digit(page, style, "0")


def _corner(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """An organisation's letters in a corner: on one line, on two, or round the corner."""
    rng = _drawn_from(style.digit_size, style.letter)
    words = str(rng.choice(_ORGANISATIONS)).split()
    if rng.random() < 0.4:  # any organisation's
        initials = "".join(rng.choice(list(_UNITS), int(rng.integers(2, 6))))
        cut = int(rng.integers(1, len(initials) + 1))
        words = [part for part in (initials[:cut], initials[cut:]) if part]
    if len(words) == 2 and rng.random() < 0.5:
        _round_the_corner(page, style, words, rng)
    else:
        _in_the_corner(page, style, words, rng)
    if variant == 2:  # rubbed by many bags
        page[:] = (page * 0.6).astype(np.uint8)


def _in_the_corner(page: Page, style: TileStyle, words: list[str], rng: Rng) -> None:
    side = page.shape[0]
    scale = float(rng.uniform(0.1, 0.22)) * side / CAP
    right, low = bool(rng.random() < 0.6), bool(rng.random() < 0.6)
    strips = [line_of_text(style.digit_face, line, CAP) for line in words]
    tall = sum(len(strip) for strip in strips) * 1.2 * scale
    top = 0.92 * side - tall if low else 0.09 * side
    for strip in strips:
        wide = min(scale, 0.7 * side / strip.shape[1])
        left = 0.92 * side - strip.shape[1] * wide if right else 0.08 * side
        put(page, strip, (wide, scale), left, top)
        top += 1.2 * scale * len(strip)


def _round_the_corner(page: Page, style: TileStyle, words: list[str], rng: Rng) -> None:
    """One line along a side, and the rest under its last or its first letter, one by one."""
    across, down = words
    under_last = bool(rng.random() < 0.75)
    height = float(rng.uniform(0.14, 0.26))
    step_x = min(float(rng.uniform(0.9, 1.5)) * height, 0.8 / len(across))
    step_y = min(float(rng.uniform(1.05, 1.5)) * height, 0.72 / (1 + len(down)))
    height = min(height, step_x / 0.85, step_y / 1.05)
    left = float(rng.uniform(0.06, max(0.07, 0.9 - step_x * len(across)))) + step_x / 2
    top = float(rng.uniform(0.08, 0.2)) + height / 2
    column = left + step_x * (len(across) - 1 if under_last else 0)
    for k, one in enumerate(across):
        letter(page, style.digit_face, one, height, (left + k * step_x, top))
    for k, one in enumerate(down):
        letter(page, style.digit_face, one, height, (column, top + (k + 1) * step_y))


def _logo(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """A maker's word on one line or two, level or aslant, or its initials within a shape."""
    side = page.shape[0]
    rng = _drawn_from(style.digit_inset)
    centre = rng.uniform(0.42, 0.58, 2)
    lines = str(rng.choice(_WORDS)).split()
    face = style.face if rng.random() < 0.6 else style.digit_face
    if rng.random() < 0.35:
        reach, thin = round(side * float(rng.uniform(0.16, 0.38))), _thin(page)
        middle = (round(side * centre[0]), round(side * centre[1]))
        if rng.random() < 0.5:
            cv2.circle(page, middle, reach, 255, thin, cv2.LINE_AA)
        else:
            diamond = np.array([(0, -reach), (reach, 0), (0, reach), (-reach, 0)]) + middle
            cv2.polylines(page, [diamond.astype(np.int32)], True, 255, thin, cv2.LINE_AA)
        _text(page, face, [lines[0][:2]], 0.8 * reach / side, centre, 0, 1.2 * reach / side)
        return
    angle = float(rng.uniform(15, 55)) * (1 if rng.random() < 0.7 else -1)
    angle = angle if rng.random() < 0.6 else 90.0 * int(rng.integers(2))
    height = float(rng.uniform(0.12, 0.3))
    _text(page, face, lines, height, centre, angle + variant - 1, 0.86)


def _text(
    page: Page,
    face: Face,
    lines: list[str],
    height: float,
    centre: NDArray[np.float64],
    angle: float,
    room: float = 0.7,
) -> None:
    """Draw lines of text around ``centre``, ``height`` of the side high at most, turned left.

    ``room``: the width that they may take, in fractions of the side.
    """
    side = page.shape[0]
    strips = [line_of_text(face, line, CAP) for line in lines]
    scale = min(height * side / CAP, room * side / max(strip.shape[1] for strip in strips))
    level = np.zeros_like(page)
    top = side / 2 - scale * sum(1.2 * len(strip) for strip in strips) / 2
    for strip in strips:
        put(level, strip, (scale, scale), (side - strip.shape[1] * scale) / 2, top)
        top += 1.2 * scale * len(strip)
    turn = cv2.getRotationMatrix2D(((side - 1) / 2,) * 2, angle, 1)
    turn[:, 2] += (centre - 0.5) * side
    np.maximum(page, cv2.warpAffine(level, turn, (side, side), flags=cv2.INTER_LINEAR), out=page)


def _emblem(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """A picture: a leaf, a heart, an animal, in full or in outline."""
    side = page.shape[0]
    rng = _drawn_from(style.letter, style.digit_inset)
    shape = EMBLEMS[int(rng.integers(len(EMBLEMS)))](rng)
    reach = side * float(rng.uniform(0.18, 0.42))
    centre = side * rng.uniform(0.46, 0.54, 2)
    turn = np.deg2rad(float(rng.normal(0, 6)) + 3 * (variant - 1))
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    outlines = [np.round((part @ spin.T * reach + centre) * 16).astype(np.int32) for part in shape]
    if rng.random() < 0.7:
        cv2.fillPoly(page, outlines, 255, cv2.LINE_AA, 4)
    else:
        cv2.polylines(page, outlines, True, 255, _thin(page), cv2.LINE_AA, 4)


def _star(page: Page, style: TileStyle, _symbol: str, variant: int) -> None:
    """A star of five points, full or in outline."""
    side = page.shape[0]
    reach = side * (0.16 + 0.3 * abs(style.letter - 0.4))
    angles = np.arange(10) * np.pi / 5 - np.pi / 2
    radii = np.where(np.arange(10) % 2 == 0, reach, 0.42 * reach)
    points = np.stack([np.cos(angles) * radii, np.sin(angles) * radii], axis=1) + side / 2
    outline = np.round(points * 16).astype(np.int32)
    if variant == 1:
        cv2.polylines(page, [outline], True, 255, _thin(page), cv2.LINE_AA, 4)
    else:
        cv2.fillPoly(page, [outline], 255, cv2.LINE_AA, 4)


def _square(page: Page, style: TileStyle, _symbol: str, _variant: int) -> None:
    """A coloured square, in the middle or over most of the tile."""
    side = page.shape[0]
    reach = round(side * (0.12 + style.digit_inset))
    low, high = side // 2 - reach, side // 2 + reach
    cv2.rectangle(page, (low, low), (high, high), 150 + round(100 * style.several), -1)


def _border(page: Page, style: TileStyle, _symbol: str, _variant: int) -> None:
    """A line along the edges."""
    side = page.shape[0]
    inset, wide = round(side * (0.04 + style.digit_inset / 3)), max(1, round(side * 0.045))
    high = side - 1 - inset
    cv2.rectangle(page, (inset, inset), (high, high), 255, wide, cv2.LINE_AA)


def _stuck(page: Page, style: TileStyle, symbol: str, variant: int) -> None:
    """A label stuck on, askew, with the letter that the blank stands for left clear."""
    side = page.shape[0]
    label = np.zeros_like(page)
    low, high = side // 2 - round(side * 0.26), side // 2 + round(side * 0.26)
    cv2.rectangle(label, (low, low), (high, high), 215, -1)
    if symbol.isalpha():
        clear = np.zeros_like(page)
        letter(clear, Face(weight=0.1), symbol.upper(), 0.3, (0.5, 0.5))
        label = np.minimum(label, 255 - clear)
    turn = cv2.getRotationMatrix2D(_middle(page), 8.0 * (variant - 1) + 20 * style.letter - 10, 1)
    turned = cv2.warpAffine(label, turn, (side, side), flags=cv2.INTER_LINEAR)
    np.maximum(page, turned, out=page)


def _middle(page: Page) -> tuple[int, int]:
    return page.shape[0] // 2, page.shape[0] // 2


def _thin(page: Page) -> int:
    return max(1, round(float(page.shape[0]) * 0.04))


MARKS: Final[dict[str, BlankMark]] = {
    "oval": _oval,
    "sticker": _sticker,
    "asterisk": _asterisk,
    "word": _word,
    "smiley": _smiley,
    "letter": _penned,
    "dot": _dot,
    "digit": _value,
    "corner": _corner,
    "logo": _logo,
    "emblem": _emblem,
    "star": _star,
    "square": _square,
    "border": _border,
    "stuck": _stuck,
}
"""The marks by name, each drawn by a :attr:`TileStyle.blank_mark`."""
