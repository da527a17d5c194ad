"""The score of a play, word by word.

The publisher's rules: each word scores the values of its tiles, a premium square counts only
for the tile first put on it, word premiums multiply, a blank is worth nothing, and a play of
a full rack, of no fewer and no more tiles, earns the bingo bonus. An illegal placement is scored
the same way, all that its tiles form: where a rulebook is silent about such plays nobody has taken
the points away yet.
A tile that forms no word of two scores as a word of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from game.board import PREMIUMS, Board, Square
from game.plays.play import Play
from game.rulebooks.loading import Rulebook
from game.tileset import TileSet


@dataclass(frozen=True, slots=True)
class WordScore:
    """One word of a play."""

    squares: tuple[Square, ...]
    text: str
    points: int


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a play."""

    words: tuple[WordScore, ...]
    bingo: int
    """The bonus for a full rack, or 0."""

    @property
    def total(self) -> int:
        """All words and the bonus."""
        return sum(word.points for word in self.words) + self.bingo


def score_play(board: Board, play: Play, tile_set: TileSet, rulebook: Rulebook) -> Score:
    """Score a play that lies on ``board``."""
    words = tuple([_scored(board, squares, play.tiles, tile_set) for squares in play.words])
    full = rulebook.bingo_tiles <= len(play.tiles) <= rulebook.rack_tiles
    return Score(words, rulebook.bingo_points if full else 0)


def _scored(
    board: Board, squares: tuple[Square, ...], new: Mapping[Square, str], tile_set: TileSet
) -> WordScore:
    """Score one word; premiums count under the tiles that are new."""
    text = board.text(squares)
    total, factor, values = 0, 1, tile_set.values
    for square, symbol in zip(squares, text, strict=True):
        value = values.get(symbol, 0)
        if square in new:
            kind = PREMIUMS[square.row][square.col]
            value *= kind.letter
            factor *= kind.word
        total += value
    return WordScore(squares, text, total * factor)


def rack_value(tiles: str | tuple[str, ...], tile_set: TileSet) -> int:
    """The value of the tiles on a rack."""
    return sum(tile_set.value(tile) for tile in tiles)
