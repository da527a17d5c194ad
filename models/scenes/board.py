"""The empty board from straight above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Premium, Square, premium
from models.scenes.faces import Face, line_of_text
from models.scenes.spec import BoardStyle, Color, Image
from models.scenes.texture import fill, fill_polygon, ink

At = Callable[[float, float], tuple[int, int]]

_KINDS: Final = (Premium.DLS, Premium.TLS, Premium.DWS, Premium.TWS)

_WORDS: Final[tuple[tuple[tuple[str, ...], ...], ...]] = (
    (
        ("DOUBLE", "LETTER", "SCORE"),
        ("TRIPLE", "LETTER", "SCORE"),
        ("DOUBLE", "WORD", "SCORE"),
        ("TRIPLE", "WORD", "SCORE"),
    ),
    (
        ("DOPPELTER", "BUCHSTABEN", "WERT"),
        ("DREIFACHER", "BUCHSTABEN", "WERT"),
        ("DOPPELTER", "WORT", "WERT"),
        ("DREIFACHER", "WORT", "WERT"),
    ),
    (
        ("LETTRE", "COMPTE", "DOUBLE"),
        ("LETTRE", "COMPTE", "TRIPLE"),
        ("MOT", "COMPTE", "DOUBLE"),
        ("MOT", "COMPTE", "TRIPLE"),
    ),
    (("DUBLA", "LITERA"), ("TRIPLA", "LITERA"), ("DUBLU", "CUVANT"), ("TRIPLU", "CUVANT")),
)
_CODES: Final = (
    ("DL", "TL", "DW", "TW"),
    ("2L", "3L", "2W", "3W"),
    ("2XLS", "3XLS", "2XWS", "3XWS"),
)
_NUMBERS: Final = ("2", "3", "2", "3")


@dataclass(frozen=True)
class Plan:
    """A top-down picture: BGR, its opacity, and the homography from its pixels to board units."""

    image: Image
    alpha: NDArray[np.uint8]
    to_board: NDArray[np.float64]


def sheet(scale: float, aspect: float, left: float, top: float) -> NDArray[np.float64]:
    """Homography from a top-down sheet's pixels (``scale`` a square) to board units."""
    down = scale * aspect
    return np.array(
        [[1 / scale, 0, 0.5 / scale - left], [0, 1 / down, 0.5 / down - top], [0, 0, 1]]
    )


def outline(style: BoardStyle, steps: int = 6) -> NDArray[np.float64]:
    """The board's outer edge in board units, float64 (N, 2): a rounded rectangle."""
    left, top, right, bottom = style.rim
    radius = min(style.radius, *(max(0.02, r + 0.3) for r in style.rim))
    corners = (
        (SIZE + right, SIZE + bottom, -1, -1, 0),
        (-left, SIZE + bottom, 1, -1, 90),
        (-left, -top, 1, 1, 180),
        (SIZE + right, -top, -1, 1, 270),
    )
    return np.array(
        [
            (x + radius * (sx + np.cos(angle)), y + radius * (sy + np.sin(angle)))
            for x, y, sx, sy, start in corners
            for angle in np.radians(np.linspace(start, start + 90, steps))
        ]
    )


def plan(style: BoardStyle, seed: int, scale: float) -> Plan:
    """The empty board at ``scale`` pixels a square."""
    left, top, right, bottom = (r + 0.02 for r in style.rim)
    sx, sy = scale, scale * style.aspect
    width, height = round((SIZE + left + right) * sx), round((SIZE + top + bottom) * sy)
    image = fill(style.rim_surface, seed + 1, (height, width), scale * 9)

    def at(x: float, y: float) -> tuple[int, int]:
        return round((x + left) * sx), round((y + top) * sy)

    if style.rim_band is not None:
        reach, color = style.rim_band
        cv2.rectangle(
            image, at(-reach[0], -reach[1]), at(SIZE + reach[2], SIZE + reach[3]), color, -1
        )
    (x0, y0), (x1, y1) = at(0, 0), at(SIZE, SIZE)
    image[y0:y1, x0:x1] = fill(style.square, seed + 2, (y1 - y0, x1 - x0), scale * 7)
    _premiums(image, style, at, scale)
    _notches(image, style, at, scale)
    _lines(image, style, at, scale)
    _seams(image, style, at, scale)
    for away, thick, color in style.frames:
        ends = at(-away, -away), at(SIZE + away, SIZE + away)
        cv2.rectangle(image, *ends, color, max(1, round(thick * scale)))
    _rim_print(image, style, at, scale)
    _legends(image, style, at, scale, seed)
    alpha = np.zeros((height, width), np.uint8)
    edge = (outline(style) + np.array([left, top])) * (sx, sy)
    fill_polygon(alpha, edge, 255)
    return Plan(image, alpha, sheet(scale, style.aspect, left, top))


def _kind(style: BoardStyle, row: int, col: int) -> int:
    """The index of a square's premium in ``style.premiums``; -1 where it has none."""
    if style.layout is not None:
        return style.layout[row][col]
    kind = premium(Square(row, col))
    return -1 if kind is Premium.NONE else _KINDS.index(kind)


def _premiums(image: Image, style: BoardStyle, at: At, scale: float) -> None:
    stamps, inset = _stamps(style, scale), style.inset
    for row, col in np.ndindex(SIZE, SIZE):
        index = _kind(style, row, col)
        if index < 0:
            continue
        a, b = at(col + inset, row + inset), at(col + 1 - inset, row + 1 - inset)
        part = image[a[1] : b[1], a[0] : b[0]]
        if style.mark == "disc":
            _print(part, _centre("disc", *part.shape[:2]), style.premiums[index])
            continue
        _tint(part, style, index)
        if row != SIZE // 2 or col != SIZE // 2 or style.centre == "text":
            _print(part, stamps[index], style.mark_color)
        elif style.centre != "plain":
            _print(part, _centre(style.centre, *part.shape[:2]), style.mark_color)


def _tint(part: Image, style: BoardStyle, index: int) -> None:
    """The premium's colour, keeping the board's grain."""
    color = np.array(style.premiums[index], np.float32)
    if style.square.second is not None or style.square.texture == "plain":
        part[:] = color.clip(0, 255).astype(np.uint8)
        return
    ground = float(np.mean(style.square.color)) or 1.0
    grain = part.mean(axis=2, dtype=np.float32, keepdims=True) / np.float32(ground)
    part[:] = (color * grain).clip(0, 255).astype(np.uint8)


def _print(part: Image, mask: NDArray[np.uint8], color: Color) -> None:
    """Ink of one colour through a coverage mask, centred on ``part``."""
    height, width = min(part.shape[0], mask.shape[0]), min(part.shape[1], mask.shape[1])
    top, left = (part.shape[0] - height) // 2, (part.shape[1] - width) // 2
    cut_y, cut_x = (mask.shape[0] - height) // 2, (mask.shape[1] - width) // 2
    ink(part[top : top + height, left : left + width], mask[cut_y:, cut_x:], color)


def _stamps(style: BoardStyle, scale: float) -> list[NDArray[np.uint8]]:
    """Return the print of each premium kind."""
    side = round(scale * 0.9)
    out = []
    for index in range(4):
        lines: tuple[str, ...] = ()
        if style.mark == "text":
            lines = _WORDS[style.language % len(_WORDS)][index]
        elif style.mark == "code":
            lines = (_CODES[style.language % len(_CODES)][index],)
        elif style.mark == "number":
            lines = (_NUMBERS[index],)
        page = np.zeros((side, side), np.uint8)
        if lines:
            _print_lines(page, style.mark_face, lines)
        elif style.mark == "star":
            _star(page, 0.34, 5)
        elif style.mark == "dots":
            for dot in range(index % 2 + 2):
                x = round(side * (dot + 1) / (index % 2 + 3))
                cv2.circle(page, (x, side // 2), max(1, side // 12), 255, -1, cv2.LINE_AA)
        out.append(np.ascontiguousarray(np.rot90(page, -style.mark_turn)))
    return out


def _print_lines(page: NDArray[np.uint8], face: Face, lines: tuple[str, ...]) -> None:
    side = page.shape[0]
    pitch = side * 0.82 / max(len(lines), 2.2)
    cap = pitch * (0.62 if len(lines) > 1 else 0.95)
    strips = [line_of_text(face, text, cap) for text in lines]
    squeeze = min(1.0, side * 0.86 / max(strip.shape[1] for strip in strips))
    y = side / 2 - pitch * (len(lines) - 1) / 2
    for strip in strips:
        size = (
            max(1, round(strip.shape[1] * squeeze)),
            max(1, round(strip.shape[0] * squeeze**0.5)),
        )
        small = cv2.resize(strip, size, interpolation=cv2.INTER_AREA)
        top = max(0, round(y - small.shape[0] / 2))
        left = max(0, (side - small.shape[1]) // 2)
        spot = page[top : top + small.shape[0], left : left + small.shape[1]]
        np.maximum(spot, small[: spot.shape[0], : spot.shape[1]], out=spot)
        y += pitch


def _star(page: NDArray[np.uint8], radius: float, points: int) -> None:
    side = min(page.shape)
    angles = np.arange(2 * points) * np.pi / points - np.pi / 2
    reach = np.where(np.arange(2 * points) % 2, radius * 0.45, radius) * side
    xy = np.column_stack([np.cos(angles), np.sin(angles)]) * reach[:, None]
    xy += (page.shape[1] / 2, page.shape[0] / 2)
    fill_polygon(page, xy, 255)


def _centre(kind: str, height: int, width: int) -> NDArray[np.uint8]:
    page = np.zeros((height, width), np.uint8)
    if kind == "disc":
        cv2.circle(page, (width // 2, height // 2), round(width * 0.3), 255, -1, cv2.LINE_AA)
    else:
        _star(page, 0.42, 8 if kind == "rosette" else 5)
    return page


def _notches(image: Image, style: BoardStyle, at: At, scale: float) -> None:
    """Teeth or dots that premium squares push over their edges, as many as they multiply by."""
    if style.notches == "none":
        return
    for row, col in np.ndindex(SIZE, SIZE):
        index = _kind(style, row, col)
        if index < 0:
            continue
        color, count = style.premiums[index], 2 + index % 2
        for k, (side, edge) in product(range(count), enumerate((0.0, 1.0, 1.0, 0.0))):
            along = 0.5 + (k - (count - 1) / 2) * 0.13
            tip = edge + (0.085 if edge else -0.085)
            tooth = [
                at(col + x, row + y) if side % 2 == 0 else at(col + y, row + x)
                for x, y in ((along - 0.065, edge), (along + 0.065, edge), (along, tip))
            ]
            if style.notches == "dots":
                radius = max(1, round(scale * 0.05))
                cv2.circle(image, tooth[-1], radius, color, -1, cv2.LINE_AA)
            else:
                cv2.fillConvexPoly(image, np.array(tooth, np.int32), color, cv2.LINE_AA)


def _lines(image: Image, style: BoardStyle, at: At, scale: float) -> None:
    if not style.line_width:
        return
    thick = max(1, round(style.line_width * scale))
    step = max(1, round(thick * 0.7))
    for i in range(SIZE + 1):
        for ends in ((at(i, 0), at(i, SIZE)), (at(0, i), at(SIZE, i))):
            if style.ridge > 0:
                wide = max(1, thick // 2 + 1)
                _shade(_band(image, ends, -step, wide), 1 + style.ridge)
                _shade(_band(image, ends, step, wide), 1 - 0.6 * style.ridge)
            _band(image, ends, 0, thick)[:] = style.line


def _band(
    image: Image, ends: tuple[tuple[int, int], tuple[int, int]], shift: int, thick: int
) -> Image:
    """The pixels of a level or upright line, ``shift`` pixels aside."""
    a, b = ends
    if a[1] != b[1]:  # upright: a level line of the picture on its side
        image, a, b = image.transpose(1, 0, 2), a[::-1], b[::-1]
    start = a[1] + shift - thick // 2
    return image[max(0, start) : max(0, start + thick), a[0] : b[0]]


def _shade(part: Image, tone: float) -> None:
    glow = 40 * max(0.0, tone - 1)
    part[:] = (part.astype(np.float32) * tone + glow).clip(0, 255).astype(np.uint8)


def _seams(image: Image, style: BoardStyle, at: At, scale: float) -> None:
    left, top, right, bottom = style.rim
    middle = SIZE / 2 if style.seam.endswith("half") else float(SIZE // 2)
    thick = max(1, round(0.035 * scale))
    folds = []
    if style.seam.startswith(("vertical", "cross")):
        folds.append((at(middle, -top), at(middle, SIZE + bottom)))
    if style.seam.startswith(("horizontal", "cross")):
        folds.append((at(-left, middle), at(SIZE + right, middle)))
    for ends in folds:
        _shade(_band(image, ends, -thick, thick + 1), 1.15)
        _shade(_band(image, ends, thick, thick + 2), 0.75)
        _shade(_band(image, ends, 0, thick), 0.45)


def _rim_print(image: Image, style: BoardStyle, at: At, scale: float) -> None:
    left, top, _, bottom = style.rim
    face = style.mark_face
    if style.rim_print in {"coordinates", "both"} and min(left, top) > 0.3:
        cap = min(0.3, 0.5 * min(left, top)) * scale
        for i in range(SIZE):
            places = (
                (chr(65 + i), i + 0.5, -min(top, 0.7) / 2),
                (str(i + 1), -min(left, 0.7) / 2, i + 0.5),
                (chr(65 + i), i + 0.5, SIZE + min(top, 0.7) / 2),
                (str(i + 1), SIZE + min(left, 0.7) / 2, i + 0.5),
            )
            for text, x, y in places[: style.coordinate_sides]:
                _stamp(image, line_of_text(face, text, cap), at(x, y), style.rim_ink)
    if style.rim_print in {"title", "both"} and max(top, bottom) > 0.9:
        y = -top + 0.45 if top >= bottom else SIZE + bottom - 0.45
        title = ("CROSSWORDS", "WORD GAME", "LETTERS", "SPELL IT")[style.language % 4]
        strip = line_of_text(face, title, min(0.6, 0.5 * max(top, bottom)) * scale)
        _stamp(image, strip, at(SIZE / 2, y), style.rim_ink)


def _legends(image: Image, style: BoardStyle, at: At, scale: float, seed: int) -> None:
    """Labels of random letters along the rim, each on a premium's colour or the rim's own."""
    rng = np.random.default_rng((seed, 21))
    for side, (count, rim) in enumerate(zip(style.legends, style.rim, strict=True)):
        deep = float(rng.uniform(0.3, min(rim, 1.6))) if rim > 0.3 else 0.0
        middle = float(rng.uniform(deep / 2, rim - deep / 2)) if deep else 0.0
        long = float(rng.uniform(0.08, 0.5)) * SIZE / max(1, count)
        for k in range(count if deep else 0):
            along = (k + 0.5) * SIZE / count
            across = -middle if side < 2 else SIZE + middle
            low, high = (along - long, across - deep / 2), (along + long, across + deep / 2)
            centre = (along, across)
            if side % 2 == 0:
                low, high, centre = low[::-1], high[::-1], centre[::-1]
            if rng.random() < 0.75:
                cv2.rectangle(image, at(*low), at(*high), style.premiums[k % 4], -1)
            text = "".join(chr(int(c)) for c in rng.integers(65, 91, int(rng.integers(3, 10))))
            strip = line_of_text(style.mark_face, text, 0.5 * min(deep, 0.8) * scale)
            _stamp(image, strip, at(*centre), style.rim_ink)


def _stamp(image: Image, mask: NDArray[np.uint8], centre: tuple[int, int], color: Color) -> None:
    top, left = centre[1] - mask.shape[0] // 2, centre[0] - mask.shape[1] // 2
    if top < 0 or left < 0:
        return
    part = image[top : top + mask.shape[0], left : left + mask.shape[1]]
    if part.shape[:2] == mask.shape:
        _print(part, mask, color)
