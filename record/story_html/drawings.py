"""Boards, sums and pictures of the table as HTML.

A picture is shown upright and cropped to the board, with the changes marked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from game.board import SIZE, Board, Premium, Square, is_blank, is_tile, premium
from game.terms import PictureEdge
from game.tile_symbols import printed
from record.story.sums import SquareSum, TurnSum, WordSum
from record.story_html.words import escape

_PREMIUMS: Final = {
    Premium.TWS: "tws",
    Premium.DWS: "dws",
    Premium.TLS: "tls",
    Premium.DLS: "dls",
}
_BONUS: Final = {
    Premium.TWS: "3× word",
    Premium.DWS: "2× word",
    Premium.TLS: "3×",
    Premium.DLS: "2×",
}


def board(shown: Board, title: str, new: Collection[str] = (), gone: Collection[str] = ()) -> str:
    """Return a board with the changed squares marked."""
    head = "".join(f'<th scope="col">{"ABCDEFGHIJKLMNO"[col]}</th>' for col in range(SIZE))
    rows = "".join(
        f'<tr><th scope="row">{row + 1}</th>'
        + "".join(_cell(shown, Square(row, col), new, gone) for col in range(SIZE))
        + "</tr>"
        for row in range(SIZE)
    )
    return (
        f'<table class="board"><caption>{escape(title)}</caption>'
        f"<tr><td></td>{head}</tr>{rows}</table>"
    )


def _cell(shown: Board, square: Square, new: Collection[str], gone: Collection[str]) -> str:
    symbol = shown[square]
    classes = []
    if symbol != ".":
        classes.append("tile")
        if is_blank(symbol):
            classes.append("blank")
        elif not is_tile(symbol):
            classes.append("unread")
    if (kind := _PREMIUMS.get(premium(square))) is not None:
        classes.append(kind)
    if square.name in new:
        classes.append("new")
    if square.name in gone:
        classes.append("gone")
    text = "" if symbol == "." else escape(printed(symbol.upper()))
    return f'<td class="{" ".join(classes)}">{text}</td>' if classes else f"<td>{text}</td>"


def sum_table(found: TurnSum) -> str:
    """Return a table of a play's sum, square by square."""
    words = "".join(_word(one) for one in found.words)
    bonus = f"<li><b>+ {found.bingo}</b> for all tiles of the rack</li>" if found.bingo else ""
    total = f"<li class=total><b>= {found.made}</b> made by the tiles</li>"
    if found.made != found.counts:
        total += f'<li class="total differs"><b>{found.counts}</b> is what the turn counts</li>'
    return f'<ul class="sum">{words}{bonus}{total}</ul>'


def _word(word: WordSum) -> str:
    tiles = "".join(_tile(one) for one in word.squares)
    factor = f" × {word.factor}" if word.factor > 1 else ""
    values = sum(one.points for one in word.squares)
    return (
        f'<li><b class="word">{escape(printed(word.text))}</b> <span class="tiles">{tiles}</span>'
        f"<span>{values}{factor} = <b>{word.points}</b></span></li>"
    )


def _tile(one: SquareSum) -> str:
    bonus = _BONUS.get(one.premium, "")
    factor = f" × {one.premium.letter}" if one.premium.letter > 1 else ""
    kind = f"t {_PREMIUMS.get(one.premium, '')}{' new' if one.new else ''}"
    return (
        f'<span class="{kind}"><i>{escape(printed(one.symbol.upper()))}</i> {one.value}{factor}'
        f"<small>{one.square}{f', {bonus}' if bonus else ''}</small></span>"
    )


Corners = Sequence[Sequence[float]]
Size = tuple[int, int]
"""Width and height in pixels."""

_MARGIN: Final = 0.12
"""The margin shown around the board, as a share of the board's longer side."""


@dataclass(frozen=True, slots=True)
class PictureSource:
    """The addresses and sizes of pictures."""

    address: Callable[[str], str | None]
    """Returns the address of a picture by its SHA-256; None if the picture is missing."""
    size: Callable[[str], Size | None]
    """Returns a picture's width and height by its SHA-256; None if unknown."""


def picture(
    source: PictureSource,
    sha256: str,
    corners: Corners | None,
    words: str,
    *,
    marked: Iterable[tuple[str, str]] = (),
    seats: Mapping[PictureEdge, str] = MappingProxyType({}),
) -> str:
    """Return a picture of the table.

    Args:
        source: the source of the picture.
        sha256: the picture's hash.
        corners: the board's corners in the picture, clockwise from the corner that is top-left when
            the letters read upright; if given, the picture is turned upright.
        words: the text that describes the picture.
        marked: squares to mark, as (square, class); give none if the corners are a neighbour's.
        seats: the players by the edge of the picture at which they sit, as far as that is known.
    """
    address, size = source.address(sha256), source.size(sha256)
    if address is None:
        return f'<p class="none">{escape(words)}: this picture is not here.</p>'
    if size is None:
        return f'<img src="{escape(address)}" alt="{escape(words)}" loading="lazy">'
    width, height = size
    turn, box = 0.0, (0.0, 0.0, float(width), float(height))
    if corners is not None and len(corners) == 4:
        turn = -math.degrees(_angle(corners))
        box = _box(corners, turn, size)
    marks = "".join(_mark(corners, one, kind) for one, kind in marked) if corners else ""
    names = "".join(_seat(box, turn, edge, name) for edge, name in seats.items())
    x, y, w, h = (f"{one:.1f}" for one in box)
    centre = f"{width / 2:g} {height / 2:g}"
    return (
        f'<svg class="shot" viewBox="{x} {y} {w} {h}" role="img" aria-label="{escape(words)}">'
        f'<g transform="rotate({turn:.2f} {centre})">'
        f'<image href="{escape(address)}" width="{width}" height="{height}"/>{marks}</g>'
        f"{names}</svg>"
    )


_WAYS: Final[Mapping[PictureEdge, int]] = {"top": 270, "right": 0, "bottom": 90, "left": 180}
"""The direction from the picture's middle to each edge, in degrees clockwise from the right."""

_NAME: Final = 0.045
"""The height of a player's name on a picture, as a share of the shown part's shorter side."""


def _seat(box: tuple[float, float, float, float], turn: float, edge: PictureEdge, name: str) -> str:
    """Return a player's name along the edge of the shown part that is nearest to the player.

    ``box`` is that part of the picture after it was turned by ``turn`` degrees.
    """
    x, y, w, h = box
    way = round((_WAYS[edge] + turn) / 90) % 4  # to the right, down, to the left, up
    size = _NAME * min(w, h)
    inset = 0.8 * size
    at_x, at_y = (
        (x + w - inset, y + h / 2),
        (x + w / 2, y + h - inset),
        (x + inset, y + h / 2),
        (x + w / 2, y + inset),
    )[way]
    along = (90, 0, -90, 0)[way]
    return (
        f'<text class="seat" x="{at_x:.1f}" y="{at_y:.1f}" font-size="{size:.1f}" '
        f'transform="rotate({along} {at_x:.1f} {at_y:.1f})">{escape(name)}</text>'
    )


def crop(source: PictureSource, sha256: str, words: str) -> str:
    """Return a picture of one square."""
    address = source.address(sha256)
    if address is None:
        return '<span class="none">not here</span>'
    return f'<img class="crop" src="{escape(address)}" alt="{escape(words)}" loading="lazy">'


def _angle(corners: Corners) -> float:
    """Return the direction of the board's rows in the picture, in radians."""
    (x0, y0), (x1, y1) = corners[0][:2], corners[1][:2]
    return math.atan2(y1 - y0, x1 - x0)


def _box(corners: Corners, turn: float, size: Size) -> tuple[float, float, float, float]:
    """Return the part of the turned picture with the board and a margin, in pixels."""
    cx, cy, a = size[0] / 2, size[1] / 2, math.radians(turn)
    points = [
        (
            cx + (x - cx) * math.cos(a) - (y - cy) * math.sin(a),
            cy + (x - cx) * math.sin(a) + (y - cy) * math.cos(a),
        )
        for x, y in (corner[:2] for corner in corners)
    ]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    edge = _MARGIN * max(right - left, bottom - top)
    return left - edge, top - edge, right - left + 2 * edge, bottom - top + 2 * edge


def _mark(corners: Corners, name: str, kind: str) -> str:
    square = Square.parse(name)
    points = " ".join(
        "{:.1f},{:.1f}".format(*_on(corners, square.col + dx, square.row + dy))
        for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))
    )
    return f'<polygon class="{kind}" points="{points}"/>'


def _on(corners: Corners, col: float, row: float) -> tuple[float, float]:
    """Return the pixel of a point of the board, by the homography from a square to ``corners``."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (corner[:2] for corner in corners)
    dx1, dx2, dx3 = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, dy3 = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    by = dx1 * dy2 - dx2 * dy1
    if not by:
        return x0, y0
    g, h = (dx3 * dy2 - dx2 * dy3) / by, (dx1 * dy3 - dx3 * dy1) / by
    u, v = col / SIZE, row / SIZE
    w = g * u + h * v + 1 or 1.0
    x = (x1 - x0 + g * x1) * u + (x3 - x0 + h * x3) * v + x0
    y = (y1 - y0 + g * y1) * u + (y3 - y0 + h * y3) * v + y0
    return x / w, y / w
