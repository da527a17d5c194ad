"""The board, as the page's template draws it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from dashboard.languages import marked
from game.board import (
    EMPTY,
    FACE_DOWN,
    SIZE,
    UNDESIGNATED,
    UNREADABLE,
    Premium,
    Square,
    is_blank,
    parse_position,
    premium,
)
from game.tile_symbols import spelled

COLUMNS: Final = "ABCDEFGHIJKLMNO"

EMPTY_ROWS: Final = (EMPTY * SIZE,) * SIZE

_PREMIUMS: Final = {
    Premium.NONE: ("", "", ""),
    Premium.DLS: ("dl", "DL", marked("double letter")),
    Premium.TLS: ("tl", "TL", marked("triple letter")),
    Premium.DWS: ("dw", "DW", marked("double word")),
    Premium.TWS: ("tw", "TW", marked("triple word")),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One empty square: ``name`` as in GCG, CSS ``kind``, printed ``label``, spoken ``words``."""

    name: str
    kind: str
    label: str
    words: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile on a square: what is ``printed`` on it, its ``value``, CSS ``kind``, ``words``."""

    printed: str
    value: str
    kind: str
    words: str


def placed_tiles(view: Mapping[str, Any]) -> dict[str, Placed]:
    """Return the tiles of a view by the names of their squares."""
    last = set(view["last"])
    return {
        name: _placed(found, "lit" if name in last else "")
        for name, found in view["squares"].items()
    }


def rack_tiles(view: Mapping[str, Any], turn: Mapping[str, Any]) -> list[Placed | None]:
    """Return the tiles of a turn's word in order, new ones lit; None for a square left empty."""
    values = view["tile_set"]["values"]
    tiles: list[Placed | None] = []
    for index, letter in enumerate(turn["word"] or ""):
        symbol = _through(view["rows"], turn["position"], index) if letter == EMPTY else letter
        if symbol == EMPTY:
            tiles.append(None)
            continue
        tiles.append(loose_tile(symbol, values, "" if letter == EMPTY else "lit"))
    return tiles


def loose_tile(symbol: str, values: Mapping[str, int], kind: str = "") -> Placed:
    """Return a tile that lies on no square; ``values`` are those of its set."""
    blank = symbol == UNDESIGNATED or symbol != symbol.upper()
    found = {"symbol": symbol, "blank": blank, "value": 0 if blank else values.get(symbol, 0)}
    return _placed(found, kind)


def place_words(position: str) -> str:
    """Return a position in words, for a voice that reads "9O" as 90."""
    start, across = parse_position(position)
    row, column = start.row + 1, COLUMNS[start.col]
    if across:
        return f"across from row {row}, column {column}"
    return f"down from column {column}, row {row}"


@dataclass(frozen=True, slots=True)
class SmallBoard:
    """A board as a drawing of 15 by 15 units, in few elements: a page may have hundreds of them."""

    tiles: str
    """The outline of all tiles, as SVG has it; ``lit`` is that of the newest play's."""
    lit: str
    letters: tuple[str, str, str]
    """The letters in one text, with their x and y coordinates; ``blanks`` are those of blanks."""
    blanks: tuple[str, str, str]
    several: tuple[tuple[str, float, float], ...]
    """The letters of tiles that say several, each with its place."""


def small_board(rows: Sequence[str], newest: Collection[str] = ()) -> SmallBoard:
    """Return the drawing of a board; ``small_board.js`` makes the same. ``newest`` are squares."""
    squares = {Square(row, col): rows[row][col] for row in range(SIZE) for col in range(SIZE)}
    tiles = {square: symbol for square, symbol in squares.items() if symbol != EMPTY}
    shown = {square: spelled(s.upper()) for square, s in tiles.items() if s.isalpha()}
    return SmallBoard(
        _outline(tiles),
        _outline(s for s in tiles if s.name in newest),
        _text(shown, [s for s in shown if not is_blank(tiles[s])]),
        _text(shown, [s for s in shown if is_blank(tiles[s])]),
        tuple((t, s.col + 0.5, s.row + 0.75) for s, t in shown.items() if len(t) > 1),
    )


def _outline(squares: Iterable[Square]) -> str:
    return "".join(f"M{square.col} {square.row}h1v1h-1z" for square in squares)


def _text(shown: Mapping[Square, str], squares: Iterable[Square]) -> tuple[str, str, str]:
    """Return the letters of these squares, and their x and y coordinates."""
    single = [square for square in squares if len(shown[square]) == 1]
    return (
        "".join(shown[square] for square in single),
        " ".join(f"{square.col + 0.5:g}" for square in single),
        " ".join(f"{square.row + 0.75:g}" for square in single),
    )


@cache
def premium_outlines() -> Mapping[str, str]:
    """Return the outline of all squares of each kind, for the ground of a small board."""
    squares = [Square(row, col) for row in range(SIZE) for col in range(SIZE)]
    return {
        kind: _outline(square for square in squares if premium(square) is one)
        for one, (kind, _, _) in _PREMIUMS.items()
        if kind
    }


def _through(rows: Sequence[str], position: str | None, index: int) -> str:
    """Return the symbol on the board ``index`` squares after the start of a play."""
    if not position:
        return EMPTY
    start, across = parse_position(position)
    square = Square(start.row + (not across) * index, start.col + across * index)
    return rows[square.row][square.col] if square.on_board else EMPTY


def _placed(found: Mapping[str, Any], kind: str) -> Placed:
    symbol, value = found["symbol"], found["value"]
    if symbol == FACE_DOWN:
        return Placed("", "", f"{kind} down", "tile face down")
    if symbol == UNREADABLE:
        return Placed("…", "", f"{kind} unsure", "cannot be read")
    letter = spelled(symbol.upper())
    if len(letter) > 1:
        kind += " several"
    if found["blank"]:
        return Placed(letter, "", f"{kind} blank", f"{letter}, blank, 0 points")
    wide = " wide" if value > 9 else ""
    points = "point" if value == 1 else "points"
    return Placed(letter, str(value), kind + wide, f"{letter}, {value} {points}")


@cache
def board_rows() -> tuple[tuple[Cell, ...], ...]:
    """Return the 15 rows of 15 cells."""
    return tuple(tuple(_cell(Square(row, col)) for col in range(SIZE)) for row in range(SIZE))


def _cell(square: Square) -> Cell:
    kind, label, words = _PREMIUMS[premium(square)]
    if square == Square(SIZE // 2, SIZE // 2):
        return Cell(square.name, f"{kind} centre", "★", "centre, double word")
    return Cell(square.name, kind, label, words)
