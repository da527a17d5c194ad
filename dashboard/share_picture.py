"""The preview picture (Open Graph) of a link to a game: the board and the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from dashboard.board_template import board_rows
from dashboard.languages import gettext
from game.terms import SIDES
from game.tile_symbols import spelled
from table.views.publication import NOT_SHOWN

_SIZE: Final = (1200, 630)
"""The size that sites ask for."""
_CELL: Final = 38
_AT: Final = (30, 30)
_COLOURS: Final = {
    "ground": (22, 15, 10),
    "wood": (32, 22, 14),
    "": (51, 39, 27),
    "tw": (44, 44, 168),
    "dw": (65, 48, 110),
    "tl": (154, 99, 28),
    "dl": (92, 73, 35),
    "tile": (195, 232, 247),
    "letter": (16, 23, 29),
    "blank": (58, 18, 163),
    "ink": (248, 245, 242),
    "soft": (184, 169, 154),
    "left": (255, 178, 108),
    "right": (112, 148, 255),
}
"""Colours as blue, green, red (OpenCV's order); the keys of squares are their CSS kinds."""
_TEXT_LEFT: Final = 660
_TEXT_RIGHT: Final = 1170

Picture = NDArray[np.uint8]


def share_picture(view: Mapping[str, Any] | None, title: str) -> bytes:
    """Return a PNG of the game as ``view`` shows it; of an empty board before a first game."""
    image: Picture = np.full((_SIZE[1], _SIZE[0], 3), _COLOURS["ground"], np.uint8)
    _board(image, view["rows"] if view else ["." * 15] * 15)
    _text(image, title, (_TEXT_LEFT, 80), 30, "soft")
    withheld = view is not None and "withheld" in view
    if withheld:
        _text(image, NOT_SHOWN, (_AT[0] + 90, _AT[1] + 300), 36, "ink")
    for place, side in enumerate(SIDES):
        if view is None:
            break
        top = 170 + 200 * place
        player = view["players"][side]
        cv2.rectangle(
            image, (_TEXT_LEFT, top - 30), (_TEXT_LEFT + 8, top + 110), _COLOURS[side], -1
        )
        _text(image, player["name"], (_TEXT_LEFT + 28, top), 36, "ink")
        if withheld and not view["final"]:
            continue
        _text(image, str(player["score"]), (_TEXT_LEFT + 28, top + 105), 96, side)
    _text(image, _verdict(view), (_TEXT_LEFT, 535), 32, "ink")
    _text(image, "tilewatch", (_TEXT_LEFT, 590), 26, "soft")
    ok, data = cv2.imencode(".png", image)
    assert ok
    return data.tobytes()


def _verdict(view: Mapping[str, Any] | None) -> str:
    """Return who has won and by how much; empty while that may change."""
    if view is None or not view["final"] or view["provisional"] or not view["outcome"]:
        return ""
    winner, margin = view["outcome"]["winner"], view["outcome"]["margin"]
    if winner is None or not margin:
        return ""
    return gettext(
        "%(name)s won by %(points)s", name=view["players"][winner]["name"], points=margin
    )


def _board(image: Picture, rows: list[str]) -> None:
    left, top = _AT
    edge = 15 * _CELL
    cv2.rectangle(image, (left - 6, top - 6), (left + edge + 4, top + edge + 4), (64, 52, 40), -1)
    for row, (cells, symbols) in enumerate(zip(board_rows(), rows, strict=True)):
        for col, (cell, symbol) in enumerate(zip(cells, symbols, strict=True)):
            x, y = left + col * _CELL, top + row * _CELL
            colour = _COLOURS[cell.kind.split()[0] if cell.kind else ""]
            if symbol != ".":
                colour = _COLOURS["tile"]
            cv2.rectangle(image, (x, y), (x + _CELL - 3, y + _CELL - 3), colour, -1)
            if symbol.isalpha():
                ink = "blank" if symbol.islower() else "letter"
                _letter(image, spelled(symbol.upper()), (x, y), ink)


def _letter(image: Picture, letter: str, at: tuple[int, int], ink: str) -> None:
    """Draw a letter in the middle of a square."""
    size = {1: 24, 2: 18}.get(len(letter), 14)
    width = _width(letter, size)
    _text(image, letter, (at[0] + (_CELL - 3 - width) // 2, at[1] + 15 + size // 2), size, ink)


def _text(image: Picture, text: str, at: tuple[int, int], size: int, colour: str) -> None:
    """Draw one line of text, cut off where the picture ends."""
    shown = text
    while len(shown) > 1 and at[0] + _width(shown, size) > _TEXT_RIGHT:
        shown = shown[:-1]
    if shown != text:
        shown = shown[:-1].rstrip() + "…"
    if _has_fonts():
        cv2.putText(image, shown, at, _COLOURS[colour], cv2.FontFace("sans"), size, 600)
    else:
        cv2.putText(image, _plain(shown), at, cv2.FONT_HERSHEY_DUPLEX, size / 30, _COLOURS[colour])


def _width(text: str, size: int) -> int:
    """Return the width of a line in pixels."""
    if _has_fonts():
        box = cv2.getTextSize((0, 0), text, (0, 0), cv2.FontFace("sans"), size, 600)
        return int(box[0] + box[2])
    return int(cv2.getTextSize(_plain(text), cv2.FONT_HERSHEY_DUPLEX, size / 30, 1)[0][0])


def _has_fonts() -> bool:
    """True if this OpenCV has fonts of its own; one before 5 draws ASCII in strokes."""
    return hasattr(cv2, "FontFace")


def _plain(text: str) -> str:
    return text.encode("ascii", "replace").decode()
