"""Layouts of a set of tiles to be counted: ten by ten, or four times five by five.

A set that has not exactly a hundred tiles ends in a part of a row below its block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE

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
