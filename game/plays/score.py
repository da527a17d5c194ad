"""The score of a play, word by word.

The publisher's rules: each word scores the values of its tiles, a premium square counts only for
the tile first put on it, word premiums multiply, a blank is worth nothing, and a play of exactly a
full rack earns the bingo bonus. An illegal placement is scored the same way, with all words that
its tiles form: its points count unless a rule takes them away. A tile that is in no word of two
or more tiles scores as a word of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from game.board import PREMIUMS, Board, Square, neighbours
from game.plays.change import Change
from game.plays.play import Play
from game.rulebooks.loading import Rulebook
from game.tileset import TileSet


class WordScore(NamedTuple):
    """One word of a play."""

    squares: tuple[Square, ...]
    text: str
    points: int


class Score(NamedTuple):
    """The score of a play."""

    words: tuple[WordScore, ...]
    bingo: int
    """The bonus for a full rack; 0 without."""

    @property
    def total(self) -> int:
        """The points of all words, and the bonus."""
        return sum(word.points for word in self.words) + self.bingo


def score_play(board: Board, play: Play, tile_set: TileSet, rulebook: Rulebook) -> Score:
    """Return the score of a play that lies on ``board``."""
    words = tuple([_scored(board, squares, play.tiles, tile_set) for squares in play.words])
    full = rulebook.bingo_tiles <= len(play.tiles) <= rulebook.rack_tiles
    return Score(words, rulebook.bingo_points if full else 0)


def _scored(
    board: Board, squares: tuple[Square, ...], new: Mapping[Square, str], tile_set: TileSet
) -> WordScore:
    """Return the score of one word; premiums count under the tiles in ``new``."""
    text = board.text(squares)
    total, factor, values = 0, 1, tile_set.values
    for square, symbol in zip(squares, text, strict=True):
        value = values.get(symbol, 0)
        if square in new:
            row, col = square
            kind = PREMIUMS[row][col]
            value *= kind.letter
            factor *= kind.word
        total += value
    return WordScore(squares, text, total * factor)


def rack_value(tiles: str | tuple[str, ...], tile_set: TileSet) -> int:
    """Return the points of the tiles on a rack."""
    return sum(tile_set.value(tile) for tile in tiles)


class VoidPart(NamedTuple):
    """The part of a play that scores nothing under SANSPA 5.1.4."""

    words: frozenset[tuple[Square, ...]]
    """The words of the play that score nothing."""
    squares: frozenset[Square]
    """The tiles of the play that void any later word through them."""
    faulty: bool
    """True if not all tiles help to form one joined word, so that there is no bonus either."""


def void_part(change: Change, play: Play, tainted: frozenset[Square]) -> VoidPart:
    """Return the part of a play that is not in its one main line, or not joined to sound tiles.

    If the play is not challenged, the words of that part score nothing, and neither do later words
    that touch its tiles (SANSPA 5.1.4).

    Args:
        change: what happened to the board.
        play: the play in it.
        tainted: tiles that void the words that touch them, from earlier plays.
    """
    good = _good_tiles(change, play, tainted)
    bad = frozenset(play.tiles) - good
    words = frozenset(
        word
        for word in play.words
        if not good.intersection(word) or tainted.intersection(word) or bad.intersection(word)
    )
    return VoidPart(words, bad, bool(bad))


def _good_tiles(change: Change, play: Play, tainted: frozenset[Square]) -> frozenset[Square]:
    """Return the longest line of the play's tiles that is joined to sound earlier tiles."""
    tiles = set(play.tiles)
    ways = (play.across, not play.across)  # the main direction counts where both do as well
    strings = [string for way in ways for string in _strings(change.after, tiles, way)]
    if change.before.symbols:
        sound = {square for square in change.before.tiles() if square not in tainted}
        strings = [s for s in strings if any(near in sound for q in s for near in neighbours(q))]
    elif len(tiles) > 1 and all(len(string) == 1 for string in strings):
        return frozenset()  # no two tiles help to form one word
    return frozenset(max(strings, key=len, default=()))


def _strings(board: Board, tiles: set[Square], across: bool) -> list[list[Square]]:
    """Return the play's tiles, grouped by the unbroken line of that direction in which they lie."""
    runs: dict[Square, list[Square]] = {}
    for square in sorted(tiles):
        runs.setdefault(board.run(square, across)[0], []).append(square)
    return list(runs.values())
