"""Checks the tiles of a set, set out before a game: each is there, and none too many.

They lie in a known layout, ten by ten or four times five by five; a set that has not exactly a
hundred tiles ends in a part of a row below its block. The set is known, and that helps to read it:
of a hundred reads the likeliest explanation is sought in which every tile is found once (a linear
assignment), but for those that surely are others. A tile that is missing has a square too few, or
a square too many reads as something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibration.model import CalibrationError
from game.board import SIZE, Square
from game.tile_symbols import TEXT_OF
from game.tileset import TileSet
from vision.decode import SYMBOL_ORDER
from vision.labels import LETTERS
from vision.reading import Reading


def assign(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return each row's column, no column twice, at the least total cost.

    The Hungarian method in the form of Jonker and Volgenant: rows enter one by one, each along a
    shortest path of exchanges (R. Jonker, A. Volgenant, Computing 38, 1987).

    Args:
        cost: float64 (rows, columns), finite, with no more rows than columns.

    Raises:
        ValueError: more rows than columns.
    """
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows are too many for {columns} columns")
    # Column 0 stands for "none yet"; row and column numbers below count from 1.
    of_row, of_column = np.zeros(rows + 1), np.zeros(columns + 1)
    holder = np.zeros(columns + 1, np.intp)
    for row in range(1, rows + 1):
        before = np.zeros(columns + 1, np.intp)
        nearest = np.full(columns + 1, np.inf)
        done = np.zeros(columns + 1, bool)
        holder[0], at = row, 0
        while holder[at]:
            done[at] = True
            here = holder[at]
            reach = cost[here - 1] - of_row[here] - of_column[1:]
            shorter = ~done[1:] & (reach < nearest[1:])
            nearest[1:][shorter] = reach[shorter]
            before[1:][shorter] = at
            ahead = np.where(done[1:], np.inf, nearest[1:])
            following = int(ahead.argmin()) + 1
            step = ahead[following - 1]
            of_row[holder[done]] += step
            of_column[done] -= step
            nearest[~done] -= step
            at = following
        while at:
            holder[at] = holder[before[at]]
            at = int(before[at])
    out = np.empty(rows, np.intp)
    for column in range(1, columns + 1):
        if holder[column]:
            out[holder[column] - 1] = column - 1
    return out


FEWEST_ALIKE: Final = 0.8
"""Share of a layout's squares that have to show a tile for it to be one: some may be missing, some
not be known from the board."""


@dataclass(frozen=True)
class Layout:
    """A layout, and how the tiles differ from it.

    name: in words. squares: bool (15, 15), a tile of the whole set belongs. missing: bool
    (15, 15), those of them that are empty. extra: bool (15, 15), tiles elsewhere.
    """

    name: str
    squares: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    extra: NDArray[np.bool_]

    @property
    def tiles(self) -> NDArray[np.bool_]:
        """The squares to read: the layout's that are not empty, and tiles outside it."""
        return (self.squares & ~self.missing) | self.extra


def find_layout(
    tile_p: NDArray[np.float64], total: int = 100, hidden: NDArray[np.bool_] | None = None
) -> Layout | None:
    """Return the layout of the tiles.

    Args:
        tile_p: float64 (15, 15), probability of a tile on each square.
        total: tiles of the whole set.
        hidden: bool (15, 15), unreadable squares; in the block they count as tiles, outside not.

    Returns:
        None if they are in none.
    """
    odds = np.log(np.clip(tile_p, 1e-4, 1 - 1e-4) / np.clip(1 - tile_p, 1e-4, 1 - 1e-4))
    best: tuple[float, str, NDArray[np.bool_]] | None = None
    for name, squares in _layouts(total):
        score = float(odds[squares].sum() - odds[~squares].sum())
        if best is None or score > best[0]:
            best = score, name, squares
    assert best is not None
    _, name, squares = best
    tiles = tile_p > 0.5
    outside = tiles if hidden is None else tiles & ~hidden
    tiles = outside if hidden is None else tiles | hidden
    if (tiles & squares).sum() < FEWEST_ALIKE * squares.sum():
        return None
    return Layout(name, squares, squares & ~tiles, outside & ~squares)


def _layouts(total: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    whole, rest = divmod(total, 10)
    for top in range(SIZE - whole - bool(rest) + 1):
        for left in range(SIZE - 9):
            squares = np.zeros((SIZE, SIZE), bool)
            squares[top : top + whole, left : left + 10] = True
            if not rest:
                yield f"{whole} rows of 10", squares
                continue
            for start in range(11 - rest):  # the rest anywhere in the row below
                more = squares.copy()
                more[top + whole, left + start : left + start + rest] = True
                yield f"{whole} rows of 10, and {rest}", more
    if total == 100:
        yield from _four_blocks()


def _four_blocks() -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Two blocks of five by five above two others, each pair with a gap of its own."""
    pairs = [(a, b) for a in range(SIZE - 4) for b in range(a + 5, SIZE - 4)]
    for top, bottom in pairs:
        for left, right in pairs:
            if bottom == top + 5 and right == left + 5:
                continue  # that is ten by ten
            squares = np.zeros((SIZE, SIZE), bool)
            for row in (top, bottom):
                for col in (left, right):
                    squares[row : row + 5, col : col + 5] = True
            yield "four blocks of 5 by 5", squares


ODD: Final = 7.0
"""Nats by which a square has to speak for another tile than the set has left: one in a thousand
tiles is a stranger or missing."""

_NEVER: Final = 1e6

_SYMBOLS: Final = LETTERS + "?"
_COLUMNS: Final = np.array([SYMBOL_ORDER.index(symbol) for symbol in _SYMBOLS])
_EMPTY: Final = SYMBOL_ORDER.index(".")
_HIDDEN: Final = SYMBOL_ORDER.index("~")


@dataclass(frozen=True)
class TileCheck:
    """The result of a count.

    Attributes:
        layout: the arrangement of the tiles.
        symbols: the tile on each square, as in the set: "?" is a blank.
        confidence: of each, 0..1, as read alone, without what the set has.
        missing: tiles that the set should have and that were not seen, with how many.
        extra: tiles that are too many, with how many.
        face_down: squares where a tile shows its back.
        unsure: squares where nothing could be read; they count as whatever the set lacks.
        warnings: further remarks.
        by_hand: somebody counted them, and says that all are there.
    """

    layout: str
    symbols: dict[Square, str]
    confidence: dict[Square, float]
    missing: dict[str, int]
    extra: dict[str, int]
    face_down: tuple[Square, ...] = ()
    unsure: tuple[Square, ...] = ()
    warnings: tuple[str, ...] = ()
    by_hand: bool = False

    @property
    def complete(self) -> bool:
        """True if the set is right."""
        return not self.missing and not self.extra

    @property
    def seen(self) -> str:
        """Every tile, in the order of the board."""
        return "".join(self.symbols[square] for square in sorted(self.symbols))

    def lines(self) -> list[str]:
        """Return the result in plain words."""
        lines = [f"{len(self.symbols)} tiles in {self.layout}"]
        if self.complete:
            lines.append("the set is complete: nothing is missing, nothing is too many")
        if self.missing:
            lines.append(f"missing: {_counted(self.missing)}")
        if self.extra:
            where = {
                tile: [s.name for s, t in self.symbols.items() if t == tile] for tile in self.extra
            }
            lines.append(f"too many: {_counted(self.extra)}")
            lines += [f"  {_named(tile)}: at {', '.join(at)}" for tile, at in where.items()]
        if self.face_down:
            names = ", ".join(square.name for square in self.face_down)
            lines.append(f"a tile's back shows, or a blank, at {names}: turn them to be sure")
        if self.unsure:
            names = ", ".join(square.name for square in self.unsure)
            lines.append(f"hard to read, look for yourself: {names}")
        return [*lines, *self.warnings]

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "complete": self.complete,
            "layout": self.layout,
            "count": len(self.symbols),
            "tiles": {square.name: self.symbols[square] for square in sorted(self.symbols)},
            "confidence": {
                square.name: round(self.confidence[square], 4) for square in sorted(self.symbols)
            },
            "missing": self.missing,
            "extra": self.extra,
            "face_down": [square.name for square in self.face_down],
            "unsure": [square.name for square in self.unsure],
            "spellings": {
                tile: TEXT_OF[tile]
                for tile in sorted({*self.seen, *self.missing})
                if tile in TEXT_OF
            },
            "says": self.lines(),
        }


def check_tiles(reading: Reading, tiles: TileSet, *, sure: bool = False) -> TileCheck:
    """Compare a reading of tiles that are set out with their set.

    ``sure``: somebody has counted the tiles, and none is missing or too many; a tile that reads as
    another is then hard to read, and not of another set.

    Raises:
        CalibrationError: the tiles lie in no known layout, or too few can be seen.
    """
    if reading.posterior is None:
        raise CalibrationError("this reading says nothing of how sure it is; read the picture anew")
    posterior = reading.posterior.astype(np.float64)
    tile_p = 1 - posterior[..., _EMPTY]
    hidden = posterior[..., _HIDDEN] > 0.5
    tile_p = np.where(hidden, 0.5, tile_p)
    layout = find_layout(tile_p, tiles.total, hidden)
    if layout is None:
        raise CalibrationError(_no_layout(int((tile_p > 0.5).sum()), tiles))
    squares = [Square(int(row), int(col)) for row, col in np.argwhere(layout.tiles)]
    read = np.array([posterior[square] for square in squares])
    symbols = label(read, tiles, sure=sure and len(squares) == tiles.total)
    face_down = [
        s for s, p in zip(squares, read, strict=True) if SYMBOL_ORDER[int(p.argmax())] == "#"
    ]
    found = Counter(symbols)
    found.subtract(Counter(dict(tiles.counts)))
    unsure = [
        s
        for s, p, symbol in zip(squares, read, symbols, strict=True)
        if hidden[s] or p[SYMBOL_ORDER.index(symbol)] < 0.5
    ]
    return TileCheck(
        layout=layout.name,
        symbols=dict(zip(squares, symbols, strict=True)),
        confidence={
            s: float(p[SYMBOL_ORDER.index(symbol)])
            for s, p, symbol in zip(squares, read, symbols, strict=True)
        },
        missing={tile: -count for tile, count in sorted(found.items()) if count < 0},
        extra={tile: count for tile, count in sorted(found.items()) if count > 0},
        face_down=tuple(face_down),
        unsure=tuple(s for s in unsure if s not in face_down),
        warnings=(*_outside(layout), *_unseen(layout, found["?"])),
        by_hand=sure,
    )


def label(read: NDArray[np.float64], tiles: TileSet, *, sure: bool = False) -> list[str]:
    """Return the likeliest tile of each square, given that together they should be the set.

    Args:
        read: float64 (N, symbols), probabilities in :data:`vision.decode.SYMBOL_ORDER`.
        tiles: the set.
        sure: they are the set, whatever they look like.
    """
    places = [tile for tile, count in tiles.counts.items() for _ in range(count)]
    allowed = np.array([symbol in tiles.counts for symbol in _SYMBOLS])
    p = read[:, _COLUMNS] * allowed
    # A tile's back is a blank as far as the count goes; what hides a square says nothing.
    p[:, -1] += read[:, SYMBOL_ORDER.index("#")]
    p = p + 1e-6
    p /= p.sum(axis=1, keepdims=True)
    best = p.argmax(axis=1)
    stranger = (_NEVER if sure else ODD) - np.log(p[np.arange(len(p)), best])
    each = -np.log(p[:, [_SYMBOLS.index(tile) for tile in places]])
    cost = np.minimum(each, stranger[:, None])
    # More squares than places: the rest are strangers.
    spare = max(0, len(p) - len(places))
    cost = np.hstack([cost, np.repeat(stranger[:, None], spare, axis=1)])
    got = assign(cost)
    return [
        places[at] if at < len(places) and each[row, at] <= stranger[row] else _SYMBOLS[best[row]]
        for row, at in enumerate(got)
    ]


def _outside(layout: Layout) -> tuple[str, ...]:
    if not layout.extra.any():
        return ()
    names = ", ".join(Square(int(r), int(c)).name for r, c in np.argwhere(layout.extra))
    return (f"lies beside the block: {names}",)


def _unseen(layout: Layout, blanks: int) -> tuple[str, ...]:
    """A blank of the board's own colour is hard to see; a gap in a block is seldom one."""
    if blanks >= 0 or not layout.missing.any():
        return ()
    names = ", ".join(Square(int(r), int(c)).name for r, c in np.argwhere(layout.missing))
    return (f"nothing is seen at {names}: if a blank lies there, it is not missing",)


def _no_layout(count: int, tiles: TileSet) -> str:
    seen = f"{count} tiles are seen, but in no known layout" if count else "no tile is seen"
    return (
        f"{seen}: lay all {tiles.total} in rows of ten,"
        " each on a square of the board, without gaps, or in four blocks of five by five"
    )


def _counted(wrong: dict[str, int]) -> str:
    return ", ".join(f"{count} × {_named(tile)}" for tile, count in wrong.items())


def _named(tile: str) -> str:
    return "blank" if tile == "?" else TEXT_OF.get(tile, tile)
