"""Which squares that could not be seen may hold a part of a play."""

from __future__ import annotations

from collections.abc import Collection

from game.board import CENTRE, EMPTY, UNREADABLE, Board, Square, neighbours
from game.plays.change import Change


def may_hold_play(change: Change) -> frozenset[Square]:
    """Return the squares that could not be seen and may hold a part of the play.

    A play is one unbroken line. Where some of its tiles are in sight, more can only lie next to
    their ends or between them; where none is, all of it can lie only if it would join earlier
    tiles, or on the centre.
    """
    hidden = set(change.unreadable)
    bridged = {square for square, symbol in change.placed.items() if symbol == UNREADABLE}
    placed = [square for square in change.placed if square not in bridged]
    if not placed:
        return frozenset(_joined(change.before, hidden | bridged))
    rows, cols = {s.row for s in placed}, {s.col for s in placed}
    ways = [way for way, lines in ((True, rows), (False, cols)) if len(lines) == 1]
    found = set(bridged)
    for square in placed:
        for across in ways or (True, False):
            for by in (1, -1):
                at = square.step(across, by)
                while at not in hidden and change.after.get(at) != EMPTY:
                    at = at.step(across, by)
                if at in hidden:
                    found.add(at)  # if it is empty, nothing beyond it matters
    return frozenset(found)


def _joined(before: Board, hidden: Collection[Square]) -> set[Square]:
    """Return the hidden squares that a chain of them joins to an earlier tile, or to the centre."""
    opening = not before.symbols
    frontier = [s for s in hidden if before.touches(s) or (opening and s == CENTRE)]
    joined = set(frontier)
    while frontier:
        for near in neighbours(frontier.pop()):
            if near in hidden and near not in joined:
                joined.add(near)
                frontier.append(near)
    return joined
