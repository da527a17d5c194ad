"""The sum of a turn, word by word and tile by tile."""

from __future__ import annotations

import math
from dataclasses import dataclass

from game.board import FACE_DOWN, UNREADABLE, Board, Premium, Square, is_blank, premium
from game.plays.play import words_through
from game.referee.position import Turn
from game.tile_symbols import printed, spelled
from game.tileset import TileSet


@dataclass(frozen=True, slots=True)
class SquareSum:
    """A tile of a word, with its value and its premium."""

    square: str
    symbol: str
    value: int
    """The tile's own value; 0 for a blank."""
    premium: Premium
    """The premium that counts under the tile: ``NONE`` under an earlier tile."""
    new: bool

    @property
    def points(self) -> int:
        """The points of the tile with its letter premium."""
        return self.value * self.premium.letter


@dataclass(frozen=True, slots=True)
class WordSum:
    """A word of a play, tile by tile."""

    text: str
    squares: tuple[SquareSum, ...]

    @property
    def factor(self) -> int:
        """The product of the word premiums."""
        return math.prod(one.premium.word for one in self.squares)

    @property
    def in_short(self) -> str:
        """The sum in one line: ``(Q10×3 + I1)×2``. A blank is worth 0, as ``E0``."""
        tiles = (
            f"{printed(spelled(one.symbol.upper()))}{one.value}"
            + (f"×{one.premium.letter}" if one.premium.letter > 1 else "")
            for one in self.squares
        )
        line = " + ".join(tiles)
        return f"({line})×{self.factor}" if self.factor > 1 else line

    @property
    def points(self) -> int:
        """The score of the word."""
        return sum(one.points for one in self.squares) * self.factor


@dataclass(frozen=True, slots=True)
class TurnSum:
    """All words of a play and its bonus."""

    words: tuple[WordSum, ...]
    bingo: int
    made: int
    """Points of the words and the bonus."""
    counts: int
    """Points that the turn scores; differs from ``made`` if a score was ruled or agreed."""


def turn_sum(turn: Turn, tile_set: TileSet) -> TurnSum | None:
    """Return the sum of a turn; None without a play, or if it cannot be computed by squares."""
    new = {Square.parse(name) for name in turn.tiles}
    if not new or not turn.words:
        return None
    board = turn.before.replace({Square.parse(n): symbol for n, symbol in turn.tiles.items()})
    runs = list(words_through(board, sorted(new), True))
    words: list[WordSum] = []
    for text, points in turn.words:  # in the referee's order
        ways = ((run, _word(_as_scored(board, run, text), run, new, tile_set)) for run in runs)
        found = [(run, one) for run, one in ways if (one.text, one.points) == (text, points)]
        if not found:
            return None
        run, word = found[0]
        runs.remove(run)
        words.append(word)
    if runs:
        return None
    made = sum(one.points for one in words) + turn.bingo
    return TurnSum(tuple(words), turn.bingo, made, turn.score)


def _as_scored(board: Board, run: tuple[Square, ...], text: str) -> Board:
    """Return the board with the letters of a word on tiles of it whose faces did not show."""
    if len(text) != len(run):
        return board
    letters = zip(run, text, strict=True)
    return board.replace({at: one for at, one in letters if board[at] in (FACE_DOWN, UNREADABLE)})


def _word(board: Board, run: tuple[Square, ...], new: set[Square], tile_set: TileSet) -> WordSum:
    return WordSum(
        board.text(run),
        tuple(
            SquareSum(
                square.name,
                symbol := board[square],
                0 if is_blank(symbol) else tile_set.values.get(symbol, 0),
                premium(square) if square in new else Premium.NONE,
                square in new,
            )
            for square in run
        ),
    )
