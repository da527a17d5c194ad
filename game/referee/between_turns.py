"""Sightings while the clock stands after a play: were its tiles taken off?

A play that is challenged off leaves the board while the clock stands. The next turn may then cover
the same squares, so that the board at its end no longer tells; what was seen in between does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from game.board import EMPTY, UNREADABLE, Board, Square, is_blank
from game.events import BoardSeen
from game.flags import make_flag
from game.plays.change import Change, compare, same_tile
from game.referee.corrected_sightings import corrected, lies_there
from game.referee.position import Position, Turn
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.values import replace

Place = Literal["off", "on"]
"""Where the tiles of the last play are: all taken off with every other tile in its place, or all
on their squares, be it in another order."""


def place_of_play(position: Position, seen: Board) -> Place | None:
    """The squares on which a sighting shows the last play; None if it shows neither."""
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
    if put_back_swapped(known, seen, tiles):
        return "on"
    alone = gone(change) == tiles and not change.placed and not change.turned_over
    return "off" if alone and all(seen[square] == EMPTY for square in tiles) else None


def put_back_swapped(known: Board, seen: Board, squares: Iterable[Square]) -> bool:
    """True if the tiles of these squares lie on them again in another order."""
    before, now = (
        sorted("?" if is_blank(board[square]) else board[square] for square in squares)
        for board in (known, seen)
    )
    return bool(before) and before == now and len(set(before)) > 1


def played_over(position: Position, seen: Board) -> bool | None:
    """True if the next turn's board fits that the last play had been taken off before it.

    Returns:
        None if all its tiles lie there as they lay: they may have been put back.
    """
    change = compare(position.board, seen)
    tiles = tiles_of(change, position.turns[-1])
    if all(
        seen[square] == UNREADABLE or same_tile(position.board[square], seen[square])
        for square in tiles
    ) or put_back_swapped(position.board, seen, tiles):
        return None
    rest = compare(position.board.replace(dict.fromkeys(tiles, EMPTY)), seen)
    return not gone(rest) and not rest.turned_over


def seen_standing(position: Position, event: BoardSeen, rulings: TurnRulings) -> Position:
    """Return the position with only those withdrawn tiles that were still seen on the board.

    A play that was seen taken off, with nobody's word on it, is asked about: the next turn tells
    whether it was challenged off, but there may be none.
    """
    seen = Board.from_rows(event.rows)
    left = {
        s: tile
        for s, tile in position.withdrawn.items()
        if seen[s] == UNREADABLE or lies_there(tile, seen[s])
    }
    if left != position.withdrawn:
        position = replace(position, withdrawn=left)
    place = place_of_play(position, seen)
    if place == "on":
        return without_question(position)
    open_ = rulings.ruling is None and rulings.stop_reason in (None, "challenge")
    return _with_question(position) if place == "off" and open_ else position


def _with_question(position: Position) -> Position:
    last = without_question(position).turns[-1]
    flag = make_flag("challenge_unclear", variant="went_while_stopped", turn=last.number)
    turn = replace(last, flags=(*last.flags, flag))
    return replace(position, turns=(*position.turns[:-1], turn))


def without_question(position: Position) -> Position:
    """Return the position without the question whether its last play was challenged off."""
    if not position.turns:
        return position
    last = position.turns[-1]
    flags = tuple(
        flag for flag in last.flags if flag.code != "challenge_unclear" or flag.turn != last.number
    )
    if len(flags) == len(last.flags):
        return position
    return replace(position, turns=(*position.turns[:-1], replace(last, flags=flags)))


def tiles_of(change: Change, turn: Turn) -> set[Square]:
    """The squares of a turn's tiles that lay on the board before the change."""
    return {square for square in change.before.tiles() if square.name in turn.tiles}


def gone(change: Change) -> set[Square]:
    """The squares whose tile is no longer there."""
    return {*change.removed, *change.replaced, *(origin for origin, _ in change.moved)}
