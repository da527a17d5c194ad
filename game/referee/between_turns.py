"""Sightings while the clock stands after a play: were its tiles taken off?

A play that is challenged off leaves the board while the clock stands. The next turn may then cover
the same squares, so that the board at its end no longer tells; what was seen in between does.
"""

from __future__ import annotations

from typing import Literal

from game.board import EMPTY, UNREADABLE, Board, Square
from game.events import BoardSeen
from game.plays.change import Change, compare, same_tile
from game.referee.corrected_sightings import corrected
from game.referee.position import Position, Turn
from game.referee.turn_rulings import NO_RULINGS
from game.values import replace

Place = Literal["off", "on"]
"""Where the tiles of the last play are: all taken off with every other tile in its place, or all
on their squares."""


def place_of_play(position: Position, seen: Board) -> Place | None:
    """Where a sighting shows the tiles of the last play; None where it shows neither."""
    if not position.turns or position.turns[-1].kind != "play":
        return None
    known, last = position.board, position.turns[-1]
    seen = corrected(seen, position, NO_RULINGS)[0]
    change = compare(known, seen)
    tiles = tiles_of(change, last)
    if len(tiles) < len(last.tiles):
        return None  # some went before the clock was stopped
    if all(same_tile(known[square], seen[square]) for square in tiles):
        return "on"
    alone = gone(change) == tiles and not change.placed and not change.turned_over
    return "off" if alone and all(seen[square] == EMPTY for square in tiles) else None


def played_over(position: Position, seen: Board) -> bool | None:
    """True if the next turn's board fits that the last play had been taken off before it.

    Returns:
        None where all its tiles lie there as they lay: they may have been put back.
    """
    change = compare(position.board, seen)
    tiles = tiles_of(change, position.turns[-1])
    if all(
        seen[square] == UNREADABLE or same_tile(position.board[square], seen[square])
        for square in tiles
    ):
        return None
    rest = compare(position.board.replace(dict.fromkeys(tiles, EMPTY)), seen)
    return not gone(rest) and not rest.turned_over


def seen_standing(position: Position, event: BoardSeen) -> Position:
    """Return the position with only those withdrawn tiles that were still seen on the board."""
    seen = Board.from_rows(event.rows)
    left = {s: tile for s, tile in position.withdrawn.items() if seen[s] in (tile, UNREADABLE)}
    return position if left == position.withdrawn else replace(position, withdrawn=left)


def tiles_of(change: Change, turn: Turn) -> set[Square]:
    """The squares of a turn's tiles that lay on the board before the change."""
    return {square for square in change.before.tiles() if square.name in turn.tiles}


def gone(change: Change) -> set[Square]:
    """The squares whose tile is no longer there."""
    return {*change.removed, *change.replaced, *(origin for origin, _ in change.moved)}
