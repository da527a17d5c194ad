"""Squares, premium squares and the 15×15 board as an immutable value.

A board is what lies on the squares, one character a square:

====== =======================================================
``.``   empty
``A``   a letter tile (any upper-case letter of the tile set)
``a``   a blank that was designated as that letter
``?``   a blank whose letter nobody has given yet
``#``   a tile that lies face down
``~``   something is there, or may be, that could not be read
====== =======================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from game.errors import TilewatchError

SIZE = 15
"""Squares along one side."""

EMPTY = "."
UNDESIGNATED = "?"
FACE_DOWN = "#"
UNREADABLE = "~"

_COLUMNS = "ABCDEFGHIJKLMNO"
_ROW_NAMES = tuple(map(str, range(1, SIZE + 1)))


class Square(NamedTuple):
    """One square: ``row`` is 0 at the top, ``col`` is 0 at the left."""

    row: int
    col: int

    @property
    def name(self) -> str:
        """The name: row number, then column letter, as in GCG for a play across (``8H``)."""
        return _ROW_NAMES[self.row] + _COLUMNS[self.col]

    @property
    def on_board(self) -> bool:
        """True if both coordinates lie in 0..14."""
        return 0 <= self.row < SIZE and 0 <= self.col < SIZE

    @classmethod
    def parse(cls, name: str) -> Square:
        """Read ``8H`` or ``H8``, upper or lower case.

        Raises:
            TilewatchError: the text names no square of the board.
        """
        square = None
        if isinstance(name, str):
            square = _named().get(name) or _named().get(name.strip().upper())
        if square is None:
            raise TilewatchError(f"no such square: {name!r} (squares run from 1A to 15O)")
        return square

    def step(self, across: bool, by: int = 1) -> Square:
        """The square ``by`` steps to the right (``across``) or down; it may lie off the board."""
        return Square(self.row, self.col + by) if across else Square(self.row + by, self.col)


@cache
def _named() -> dict[str, Square]:
    """Return every square by its two names, such as ``8H`` and ``H8``."""
    return {
        name: square
        for square in SQUARES
        for name in (position(square, True), position(square, False))
    }


CENTRE = Square(7, 7)
SQUARES = tuple(Square(row, col) for row in range(SIZE) for col in range(SIZE))
"""All squares in reading order."""
_ROWS = tuple(SQUARES[row * SIZE : (row + 1) * SIZE] for row in range(SIZE))
_COLS = tuple(SQUARES[col::SIZE] for col in range(SIZE))


@cache
def neighbours(square: Square) -> tuple[Square, ...]:
    """The squares of the board beside a square."""
    adjacent = (square.step(across, by) for across in (True, False) for by in (1, -1))
    return tuple(near for near in adjacent if near.on_board)


def line(start: Square, across: bool, length: int) -> tuple[Square, ...]:
    """Return ``length`` squares from ``start`` on, in order; all must be on the board."""
    row, col = start
    return _ROWS[row][col : col + length] if across else _COLS[col][row : row + length]


def position(square: Square, across: bool) -> str:
    """Return where a play starts and which way it runs, as in GCG: ``8D`` across, ``D8`` down."""
    row, col = _ROW_NAMES[square.row], _COLUMNS[square.col]
    return row + col if across else col + row


def parse_position(text: str) -> tuple[Square, bool]:
    """Read ``8D`` (across) or ``D8`` (down), upper or lower case, as (square, across).

    Raises:
        TilewatchError: the text names no square of the board.
    """
    return Square.parse(text), text.strip()[:1].isdigit()


def main_word(place: str, word: str, rows: Sequence[str]) -> str:
    """Return the whole word along a play's main line; every list names the play by it.

    The words of an illegal placement may all lie beside that line, so this need not be one of them.

    Args:
        place: where the play starts, as in GCG.
        word: the line as in GCG, with ``.`` for a tile that was there already.
        rows: the board that has those tiles.
    """
    start, across = parse_position(place)
    squares = line(start, across, len(word))
    return "".join(
        rows[square.row][square.col] if symbol == EMPTY else symbol
        for square, symbol in zip(squares, word, strict=True)
    )


class Premium(Enum):
    """The premium of a square for the tile first put on it; the value is its usual short name."""

    letter: int
    """Factor for the value of a tile put on the square."""
    word: int
    """Factor for each word that this tile makes."""

    NONE = "", 1, 1
    DLS = "DL", 2, 1
    TLS = "TL", 3, 1
    DWS = "DW", 1, 2
    TWS = "TW", 1, 3

    def __new__(cls, short: str, letter: int, word: int) -> Premium:
        """Make a member whose value is its short name."""
        premium = object.__new__(cls)
        premium._value_ = short
        premium.letter, premium.word = letter, word
        return premium


# One quadrant with the middle row and column; the board is symmetric about both.
_QUADRANT = (
    "=  -   =",
    " .   +  ",
    "  .   - ",
    "-  .   -",
    "    .   ",
    " +   +  ",
    "  -   - ",
    "=  -   .",
)
_KIND = {
    " ": Premium.NONE,
    "-": Premium.DLS,
    "+": Premium.TLS,
    ".": Premium.DWS,
    "=": Premium.TWS,
}
PREMIUMS: tuple[tuple[Premium, ...], ...] = tuple(
    tuple(_KIND[_QUADRANT[min(r, 14 - r)][min(c, 14 - c)]] for c in range(SIZE))
    for r in range(SIZE)
)
"""``PREMIUMS[row][col]``; the publisher's layout, the centre being a double word."""


def premium(square: Square) -> Premium:
    """The premium printed on a square of the board."""
    return PREMIUMS[square.row][square.col]


def is_tile(symbol: str) -> bool:
    """True if the symbol is a tile: a letter, a blank, or a tile that lies face down."""
    return symbol not in (EMPTY, UNREADABLE)


def is_blank(symbol: str) -> bool:
    """True if the tile is a blank, designated or not."""
    return symbol == UNDESIGNATED or symbol.islower()


def is_named_blank(symbol: str) -> bool:
    """True if the tile is a blank that somebody has named."""
    return symbol.islower()


def valid_symbol(symbol: str) -> bool:
    """True if the text is one of the symbols that may stand on a square."""
    return len(symbol) == 1 and (
        symbol in (EMPTY, UNDESIGNATED, FACE_DOWN, UNREADABLE) or symbol.isalpha()
    )


_usual = re.compile("[A-Za-z.?#~]*").fullmatch
"""Match a text of common symbols alone, all of which are valid."""


class Board:
    """The contents of the 225 squares. Immutable and hashable; changes give a new board."""

    __slots__ = ("__dict__", "_cells")
    _cells: str

    def __init__(self, cells: str) -> None:
        if len(cells) != SIZE * SIZE:
            raise TilewatchError(f"a board has {SIZE * SIZE} squares, not {len(cells)}")
        self._cells = cells

    @classmethod
    def empty(cls) -> Board:
        """The board before the first turn."""
        return _EMPTY_BOARD

    @classmethod
    def from_rows(cls, rows: Iterable[str]) -> Board:
        """The board of 15 strings of 15 symbols, top row first.

        Raises:
            TilewatchError: another number of rows or squares, or an unknown symbol.
        """
        return _board_of(tuple(rows))

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """15 strings of 15 symbols, top row first."""
        return tuple(self._cells[i : i + SIZE] for i in range(0, SIZE * SIZE, SIZE))

    def __getitem__(self, square: Square | str) -> str:
        row, col = Square.parse(square) if isinstance(square, str) else square
        if not (0 <= row < SIZE and 0 <= col < SIZE):
            raise IndexError(f"off the board: row {row}, column {col}")
        return self._cells[row * SIZE + col]

    def get(self, square: Square) -> str:
        """The symbol there, or ``.`` off the board."""
        row, col = square
        if 0 <= row < SIZE and 0 <= col < SIZE:
            return self._cells[row * SIZE + col]
        return EMPTY

    def text(self, squares: Iterable[Square]) -> str:
        """Return the contents of some squares of the board, in their order."""
        cells = self._cells
        return "".join([cells[row * SIZE + col] for row, col in squares])

    def touches(self, square: Square) -> bool:
        """True if a tile is on a neighbouring square."""
        cells = self._cells
        for row, col in neighbours(square):  # noqa: SIM110 - asked of every tile of every play
            if cells[row * SIZE + col] != EMPTY:
                return True
        return False

    def tiles(self) -> dict[Square, str]:
        """Every square that is not empty, in reading order."""
        return {
            square: symbol
            for square, symbol in zip(SQUARES, self._cells, strict=True)
            if symbol != EMPTY
        }

    @cached_property
    def symbols(self) -> str:
        """The contents of the squares that are not empty, in reading order."""
        return self._cells.replace(EMPTY, "")

    def count(self, symbol: str) -> int:
        """Return the number of squares that show a symbol."""
        return self._cells.count(symbol)

    def diff(self, other: Board) -> tuple[Square, ...]:
        """The squares on which two boards differ, in reading order."""
        if self._cells == other._cells:
            return ()
        return tuple(
            [
                SQUARES[row * SIZE + col]
                for row, (mine, theirs) in enumerate(zip(self.rows, other.rows, strict=True))
                if mine != theirs
                for col in range(SIZE)
                if mine[col] != theirs[col]
            ]
        )

    def replace(self, changes: Mapping[Square, str]) -> Board:
        """Return this board with some squares changed.

        Raises:
            TilewatchError: a square lies off the board.
        """
        if not changes:
            return self
        cells = list(self._cells)
        for (row, col), symbol in changes.items():
            if not (0 <= row < SIZE and 0 <= col < SIZE):
                raise TilewatchError(f"row {row + 1}, column {col + 1} lies off the board")
            cells[row * SIZE + col] = symbol
        return Board("".join(cells))

    def run(self, square: Square, across: bool) -> tuple[Square, ...]:
        """The unbroken line of squares that are not empty through ``square``, in order."""
        row, col = square
        if across:
            line, at, squares = self._cells[row * SIZE : (row + 1) * SIZE], col, _ROWS[row]
        else:
            line, at, squares = self._cells[col::SIZE], row, _COLS[col]
        if line[at] == EMPTY:
            return ()
        end = line.find(EMPTY, at)
        return squares[line.rfind(EMPTY, 0, at) + 1 : end if end >= 0 else SIZE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._cells == other._cells

    def __hash__(self) -> int:
        return hash(self._cells)

    def __reduce__(self) -> tuple[type[Board], tuple[str]]:
        return Board, (self._cells,)

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def __repr__(self) -> str:
        return f"Board.from_rows({self.rows!r})"


def forget() -> None:
    """Forget the rows that were checked before, so that a measurement checks them again."""
    _board_of.cache_clear()


@lru_cache(maxsize=256)
def _board_of(rows: tuple[str, ...]) -> Board:
    """Return the board of some rows; the same rows, which come often, are checked only once.

    Raises:
        TilewatchError: another number of rows or squares, or an unknown symbol.
    """
    if len(rows) != SIZE:
        raise TilewatchError(f"a board has {SIZE} rows, not {len(rows)}")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, str) or len(row) != SIZE:
            raise TilewatchError(f"row {number} of the board is not {SIZE} symbols: {row!r}")
    cells = "".join(rows)
    if not _usual(cells) and not all(map(valid_symbol, set(cells))):
        number, symbol = next(
            (number, symbol)
            for number, row in enumerate(rows, start=1)
            for symbol in sorted(set(row))
            if not valid_symbol(symbol)
        )
        raise TilewatchError(f"row {number} of the board: unknown symbol {symbol!r}")
    board = Board(cells)
    board.__dict__["rows"] = rows
    return board


_EMPTY_BOARD = Board(EMPTY * (SIZE * SIZE))
