"""Which plays, one after another, new tiles are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from game.board import Board, Square, is_tile
from game.plays.completing import is_play


def plays_in_order(
    board: Board, tiles: Mapping[Square, str], count: int, rack: int
) -> tuple[frozenset[Square], ...] | None:
    """Return the ``count`` plays that tiles make, first to last.

    None if they make as many in several ways, or fewer, or none.

    Args:
        board: the board before the first.
        tiles: all tiles that have come since.
        count: how many plays they are.
        rack: how many tiles a player can lay.
    """
    if any(any(_ways(board, tiles, fewer, rack)) for fewer in range(1, count)):
        return None
    ways = list(islice(_ways(board, tiles, count, rack), 2))
    return ways[0] if len(ways) == 1 else None


def _ways(
    board: Board, tiles: Mapping[Square, str], count: int, rack: int
) -> Iterator[tuple[frozenset[Square], ...]]:
    if len(tiles) > count * rack or not _in_lines(tiles, count):
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


def _in_lines(squares: Collection[Square], count: int) -> bool:
    """True if this number of rows and columns holds all of them."""
    first = next(iter(squares), None)
    if first is None:
        return True
    return count > 0 and (
        _in_lines([one for one in squares if one.row != first.row], count - 1)
        or _in_lines([one for one in squares if one.col != first.col], count - 1)
    )


def _runs(board: Board, tiles: Mapping[Square, str]) -> set[frozenset[Square]]:
    """Return all sets of tiles in a line between which no square is empty, but not all tiles."""
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
