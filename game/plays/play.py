"""Plays: the play in a change of the board, a play that is written down, several plays in order.

A play is found whether or not it is legal. Its main line is the row or column that holds most of
its tiles; a single tile runs the way its longer word runs. Its words are all unbroken lines of two
or more tiles through any of its tiles, so an illegal placement has words too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from game.board import (
    EMPTY,
    UNDESIGNATED,
    UNREADABLE,
    Board,
    Square,
    is_tile,
    line,
    parse_position,
    position,
)
from game.errors import TilewatchError
from game.plays.change import Change, chained, compare, lies_as_play
from game.tileset import TileSet

_PIECE: Final = re.compile(r"\[[^\[\]]*\]|.", re.DOTALL)
"""A tile as people write it: letters in square brackets, or one character."""


class Play(NamedTuple):
    """The tiles of one play and how they lie."""

    tiles: Mapping[Square, str]
    """Every tile of the play, in reading order."""
    start: Square
    """First square of the main line; it may hold a tile that was there before."""
    across: bool
    word: str
    """The main line as in GCG: ``.`` for a tile that was there before (and for a gap), a lower-case
    letter for a blank, ``?`` for a blank without a letter."""
    words: tuple[tuple[Square, ...], ...]
    """The squares of every word that the play forms, the main word first. A tile in no word of two
    or more tiles is a word of one."""

    @property
    def position(self) -> str:
        """The start and direction, as in GCG: ``8D`` across, ``D8`` down."""
        return position(self.start, self.across)

    @property
    def line(self) -> tuple[Square, ...]:
        """The squares that ``word`` spells, in order."""
        return line(self.start, self.across, len(self.word))


def find_play(change: Change) -> Play | None:
    """Return the play in a change; None if no tile was placed."""
    tiles = change.placed
    if not tiles:
        return None
    board = change.after
    across = _direction(board, tiles)
    on_line = _main_line(tiles, across, change.before)
    run = board.run(on_line[0], across)
    first, last = run[0], run[-1]
    if last < on_line[-1]:  # there is a gap in the line
        last = board.run(on_line[-1], across)[-1]
    length = (last.col - first.col if across else last.row - first.row) + 1
    word = "".join([tiles.get(square, EMPTY) for square in line(first, across, length)])
    return Play(
        tiles=tiles,
        start=first,
        across=across,
        word=word,
        words=words_through(board, tiles, across),
    )


def _direction(board: Board, tiles: Mapping[Square, str]) -> bool:
    """True if the play runs across."""
    if len(tiles) == 1:
        square = next(iter(tiles))
        return len(board.run(square, True)) >= len(board.run(square, False))
    rows, cols = [row for row, _ in tiles], [col for _, col in tiles]
    if len(set(rows)) == 1 or len(set(cols)) == 1:
        return rows[0] == rows[-1]
    return max(Counter(rows).values()) >= max(Counter(cols).values())


def _main_line(tiles: Mapping[Square, str], across: bool, before: Board) -> list[Square]:
    """Return the tiles on the play's main line: the one with most tiles, then most neighbours."""
    lines: dict[int, list[Square]] = {}
    for square in tiles:
        lines.setdefault(square.row if across else square.col, []).append(square)
    if len(lines) == 1:
        return next(iter(lines.values()))
    return max(
        lines.values(),
        key=lambda line: (len(line), sum(before.touches(square) for square in line)),
    )


def words_through(
    board: Board, tiles: Collection[Square], across: bool
) -> tuple[tuple[Square, ...], ...]:
    """Return the lines of two or more tiles through any of these, first those of one direction.

    A tile in none of them is a line of one.
    """
    words: dict[tuple[Square, ...], None] = {}
    for way in (across, not across):
        run: tuple[Square, ...] = ()
        for square in tiles:
            if square not in run:
                run = board.run(square, way)
                if len(run) > 1:
                    words[run] = None
    in_words = set().union(*words)
    if not in_words.issuperset(tiles):
        words.update({(square,): None for square in tiles if square not in in_words})
    return tuple(words)


def is_play(board: Board, tiles: Mapping[Square, str], rack: int) -> bool:
    """True if these tiles may be laid in one turn: no more than ``rack``, legally placed."""
    if not 0 < len(tiles) <= rack:
        return False
    if all(board[square] == EMPTY != symbol != UNREADABLE for square, symbol in tiles.items()):
        return lies_as_play(board, tiles)
    change = compare(board, board.replace(tiles))
    play = find_play(change)
    return play is not None and not misplaced(change, play)


def tiles_laid(position: str, word: str, board: Board, tiles: TileSet) -> dict[Square, str]:
    """Return the tiles that a play lays on a board, by square.

    Args:
        position: the first square: ``8D`` across, ``D8`` down.
        word: the main word as :meth:`game.Game.play` takes it.
        board: the board before the play.
        tiles: the set in use.

    Raises:
        TilewatchError: the word runs off the board, a letter differs from the tile that lies there,
            no new tile is played, or a tile is not in the set.
    """
    start, across = parse_position(position)
    play, new = f"{position} {word}", {}
    for index, piece in enumerate(_PIECE.findall(unicodedata.normalize("NFC", word))):
        square = start.step(across, index)
        if not square.on_board:
            raise TilewatchError(f"{play}: the word runs off the board")
        symbol, there = tiles.symbols(piece), board[square]
        if symbol == EMPTY:
            if there == EMPTY:
                raise TilewatchError(f"{play}: no tile lies on {square.name}")
        elif there == EMPTY:
            known = len(symbol) == 1 and symbol.isalpha() and tiles.knows(symbol)
            if symbol != UNDESIGNATED and not known:
                raise TilewatchError(f"{play}: {piece!r} is not a tile of the {tiles.name} set")
            new[square] = symbol
        elif there.upper() != symbol.upper():
            raise TilewatchError(f"{play}: {tiles.bracketed(there)} lies on {square.name}")
    if not new:
        raise TilewatchError(f"{play}: no new tile is played")
    return new


def misplaced(change: Change, play: Play) -> bool:
    """True unless the play is one unbroken line, joined to earlier tiles if there are any."""
    rows, cols = {s.row for s in play.tiles}, {s.col for s in play.tiles}
    if len(rows) > 1 and len(cols) > 1:
        return True
    if EMPTY in change.after.text(play.line):
        return True
    return bool(change.before.symbols) and bool(loose(change.before, play.tiles))


def loose(before: Board, tiles: Mapping[Square, str]) -> list[Square]:
    """Return the play's tiles that no chain of its tiles joins to an earlier tile."""
    joined = chained(filter(before.touches, tiles), tiles)
    return [square for square in tiles if square not in joined]


def plays_in_order(
    board: Board, tiles: Mapping[Square, str], count: int, rack: int
) -> tuple[frozenset[Square], ...] | None:
    """Return the ``count`` plays that the tiles make, as squares, first to last.

    None if the tiles make fewer plays, if they make none, or if there are several ways.

    Args:
        board: the board before the first play.
        tiles: all tiles that have come since.
        count: the number of plays.
        rack: the most tiles in a play.
    """
    if any(any(_ways(board, tiles, fewer, rack)) for fewer in range(1, count)):
        return None
    ways = list(islice(_ways(board, tiles, count, rack), 2))
    return ways[0] if len(ways) == 1 else None


def _ways(
    board: Board, tiles: Mapping[Square, str], count: int, rack: int
) -> Iterator[tuple[frozenset[Square], ...]]:
    if len(tiles) > count * rack or not in_lines(tiles, count):
        return
    if count == 1:
        if is_play(board, tiles, rack):
            yield (frozenset(tiles),)
        return
    for first in _runs(board, tiles):
        placed = {square: tiles[square] for square in first}
        if not is_play(board, placed, rack):
            continue
        rest = {square: tile for square, tile in tiles.items() if square not in first}
        for others in _ways(board.replace(placed), rest, count - 1, rack):
            yield first, *others


def in_lines(squares: Collection[Square], count: int) -> bool:
    """True if some ``count`` rows and columns together hold all these squares."""
    first = next(iter(squares), None)
    if first is None:
        return True
    return count > 0 and (
        in_lines([one for one in squares if one.row != first.row], count - 1)
        or in_lines([one for one in squares if one.col != first.col], count - 1)
    )


def _runs(board: Board, tiles: Mapping[Square, str]) -> set[frozenset[Square]]:
    """Return each group of tiles in a line without an empty square between, except all tiles."""
    found = set()
    for start in tiles:
        for across in (True, False):
            run, at = [], start
            while at in tiles or is_tile(board.get(at)):
                if at in tiles:
                    run.append(at)
                    found.add(frozenset(run))
                at = at.step(across)
    return found - {frozenset(tiles)}
