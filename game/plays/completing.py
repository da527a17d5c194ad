"""Which of some new tiles complete the play before, by how they lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from game.board import EMPTY, UNREADABLE, Board, Square
from game.plays.change import compare
from game.plays.play import find_play, misplaced


def completed_by(
    before: Board,
    known: Mapping[Square, str],
    new: Mapping[Square, str],
    free: Collection[Square],
    rack: int,
) -> frozenset[Square] | None:
    """Return the tiles that must belong to the play before, since no other parting makes two plays.

    Args:
        before: the board before that play.
        known: the tiles of it that were seen in time.
        new: the tiles that have come since.
        free: those of them that may belong to it as well as to the next play.
        rack: how many tiles a player can lay.

    Returns:
        None if all of them may be one play, or where they can be parted in several ways.
    """
    first = before.replace(known)
    if not known or is_play(first, new, rack):
        return None
    fits = [
        part
        for part in _parts(known, free)
        if is_play(before, {**known, **{s: new[s] for s in part}}, rack)
        and is_play(
            first.replace({s: new[s] for s in part}),
            {s: tile for s, tile in new.items() if s not in part},
            rack,
        )
    ]
    return fits[0] if len(fits) == 1 else None


def is_play(board: Board, tiles: Mapping[Square, str], rack: int) -> bool:
    """True if these tiles may be laid in one turn."""
    if not 0 < len(tiles) <= rack:
        return False
    if all(board[square] == EMPTY != symbol != UNREADABLE for square, symbol in tiles.items()):
        return _lies_as_play(board, tiles)
    change = compare(board, board.replace(tiles))
    play = find_play(change)
    return play is not None and not misplaced(change, play)


def _lies_as_play(board: Board, tiles: Collection[Square]) -> bool:
    """True if these squares, bare until now, are on one unbroken line that joins earlier tiles."""
    first, last = min(tiles), max(tiles)
    if first.row != last.row and any(square.col != first.col for square in tiles):
        return False
    across, at = first.row == last.row, first
    while at != last:
        at = at.step(across)
        if at not in tiles and board[at] == EMPTY:
            return False
    return not board.symbols or any(map(board.touches, tiles))


def _parts(known: Mapping[Square, str], free: Collection[Square]) -> Iterator[frozenset[Square]]:
    """Yield the runs of free squares in a line with the known ones, of which they are a part."""
    for across in (True, False):
        if len({s.row if across else s.col for s in known}) > 1:
            continue
        line = next(iter(known)).row if across else next(iter(known)).col
        at = {s.col if across else s.row: s for s in free if (s.row if across else s.col) == line}
        have = [s.col if across else s.row for s in known]
        starts = [n for n in at if n < min(have)] + [min(have)]
        ends = [n for n in at if n > max(have)] + [max(have)]
        for start in starts:
            for end in ends:
                part = frozenset(square for n, square in at.items() if start <= n <= end)
                if part:
                    yield part
