"""Sets of a window's tiles, as bits: which make a play, which lie in one run, in how many lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache

from game.board import Board, Square
from game.plays.play import in_lines, is_play
from vision.tracking.turn_hypotheses import Window


class TileSets:
    """The sets of a window's tiles; bit ``n`` is the tile on ``squares[n]``."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.squares = sorted(window.tiles)
        self._bits = {square: 1 << at for at, square in enumerate(self.squares)}
        # The same few sets of tiles are asked about again and again.
        for method in (self.of, self.set, self._board, self.lines, self.makes_play, self.joined):
            setattr(self, method.__name__, cache(method))

    def bits(self, squares: Collection[Square]) -> int:
        """Return the set of the tiles on these squares, without squares that have no tile."""
        return sum(self._bits[square] for square in squares if square in self._bits)

    def of(self, bits: int) -> list[int]:
        """Return the numbers of the tiles of a set."""
        return [at for at in range(len(self.squares)) if bits >> at & 1]

    def set(self, bits: int) -> frozenset[Square]:
        """Return the squares of the tiles of a set."""
        return frozenset(self.squares[at] for at in self.of(bits))

    def runs(self, bits: int) -> Iterator[int]:
        """Yield the parts of a set that are a run in a row or column."""
        for across in (True, False):
            lines: dict[int, list[int]] = defaultdict(list)
            for at in self.of(bits):
                square = self.squares[at]
                lines[square.row if across else square.col].append(at)
            for line in lines.values():
                for start in range(len(line)):
                    run = 0
                    for at in line[start:]:
                        run |= 1 << at
                        yield run

    def lines(self, bits: int) -> int:
        """Return the least number of rows and columns that hold these tiles, at most 4."""
        squares = self.set(bits)
        return next((count for count in (1, 2, 3) if in_lines(squares, count)), 4)

    def makes_play(self, before: int, play: int) -> bool:
        """True if the tiles of ``play`` form a play on the certain board with ``before`` added."""
        tiles = self._window.tiles
        placed = {square: tiles[square].symbol for square in self.set(play)}
        return is_play(self._board(before), placed, self._window.rack)

    def joined(self, before: int, play: int, rest: int) -> tuple[int, ...]:
        """Return the runs of tiles of ``rest`` that make one play together with ``play``."""
        runs = sorted(set(self.runs(rest)))
        return tuple(run for run in runs if self.makes_play(before, play | run))

    def _board(self, before: int) -> Board:
        tiles = self._window.tiles
        return self._window.board.replace({s: tiles[s].symbol for s in self.set(before)})
