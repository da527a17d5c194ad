"""The sighting of one turn: its tiles on the board before it, and the squares in doubt.

An observation may also show tiles of the next turn, and an arm may occlude tiles of this one that
an earlier observation shows. The sighting of a turn leaves out the next turn's tiles, and adds its
own that were occluded. Occluded squares are in doubt only where they may hold a part of the play.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, SQUARES, UNREADABLE, Board, Square
from game.plays.change import compare, may_hold_play
from game.state.fold import GameState
from vision.reading import rows_of
from vision.tracking.findings import open_questions
from vision.tracking.observer import BoardObserver
from vision.tracking.sighting import Sighting, hidden, overlaid
from vision.tracking.tile_timeline import TileTimeline

_NAMED: Final = 7
"""The most squares that are named."""


@dataclass(frozen=True)
class TurnView:
    """The sighting of a turn: each square as it was seen last."""

    sighting: Sighting
    doubt: frozenset[Square] | None
    """Occluded squares that may hold a part of the play; None: any square may."""
    covered: int
    """The number of occluded squares."""

    def note(self, when: str) -> str | None:
        """Return a note on what was occluded; None if nothing was."""
        if not self.covered:
            return None
        which = "and perhaps a" if self.doubt != frozenset() else "but no"
        return f"{named(self.sighting)} {when}, {which} part of the play".lstrip()


def named(seen: Sighting) -> str:
    """Return the occluded squares of a sighting by name; many by their number."""
    names = [Square(row, col).name for row, col in np.argwhere(seen.merged.covered).tolist()]
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} squares"


def view_turn(
    observer: BoardObserver,
    timeline: TileTimeline,
    state: GameState,
    base: Sighting,
    tiles: frozenset[Square],
    doubtful: frozenset[Square],
    *,
    moved: bool = False,
) -> TurnView:
    """Return the sighting of a turn.

    Args:
        observer: gives the posterior of an observation.
        timeline: the tiles that have come, with the observations that show them.
        state: the game before the turn.
        base: the sighting to start from.
        tiles: the squares of the turn's tiles, also where no observation shows one.
        doubtful: squares that may hold a tile of the turn, or be bare.
        moved: True if something moved since the sighting, before the turn ended.
    """
    if not base.legible:
        return TurnView(base, None, base.unreadable)
    covered, seen = base.merged.covered, base.observation
    # Other new tiles are of later turns, or are none.
    new = {square for square in timeline.tiles if state.board[square] == EMPTY}
    others = new - tiles - doubtful
    if others:
        seen = hidden(seen, _mask(others), covered)
    hidden_ones = {s: timeline.tiles.get(s) for s in tiles if not base.shows_tile(s)}
    shown = {square: tile.shown for square, tile in hidden_ones.items() if tile is not None}
    shown |= {square: view for square, view in timeline.others.items() if covered[square]}
    unsure = [s for s, tile in hidden_ones.items() if tile is not None and not tile.readable]
    for square, view in shown.items():
        seen = overlaid(seen, _mask((square,)), view)
    sighting = base
    if seen is not base.observation:
        sighting = observer.update(seen, len(state.turns) + 1)
    unknown = ~_mask(tiles) if moved else covered & ~_mask(shown)
    return _marked(state, sighting, unknown, tiles, others, doubtful - tiles | set(unsure))


def _marked(
    state: GameState,
    sighting: Sighting,
    unknown: NDArray[np.bool_],
    tiles: Collection[Square],
    others: Collection[Square],
    unread: frozenset[Square],
) -> TurnView:
    """Mark the unknown squares that may hold a part of the play as unreadable; others are bare."""
    merged = sighting.merged
    rows = [list(row) for row in merged.rows]
    board = state.board
    bare = {square for square in SQUARES if board[square] == EMPTY and square not in tiles}
    for square in bare:
        if unknown[square] and square not in others:
            rows[square.row][square.col] = UNREADABLE
        elif rows[square.row][square.col] == UNREADABLE or square in others:
            rows[square.row][square.col] = EMPTY
    for square in unread.union(s for s in tiles if rows[s.row][s.col] == EMPTY):
        rows[square.row][square.col] = UNREADABLE
    joined = rows_of(rows)
    seen = Board.from_rows(joined)
    may_hold = may_hold_play(compare(state.known_board(seen), seen))
    doubt = frozenset(square for square in may_hold if unknown[square] and square in bare)
    asked = {square for _, square in open_questions(state)}
    for square in bare:
        if square in asked and merged.symbol(square) == UNREADABLE:
            rows[square.row][square.col] = UNREADABLE
        elif unknown[square] and (square not in doubt or not tiles):
            rows[square.row][square.col] = EMPTY
    if len(tiles) <= state.rulebook.rack_tiles:  # else one of them was perhaps knocked there
        for square in board.tiles():
            if merged.covered[square]:
                rows[square.row][square.col] = str(merged.belief.symbols[square])
    marked = replace(sighting, merged=replace(merged, rows=rows_of(rows)))
    return TurnView(marked, doubt if tiles or not doubt else None, int(merged.covered.sum()))


def _mask(squares: Iterable[Square]) -> NDArray[np.bool_]:
    mask = np.zeros((SIZE, SIZE), np.bool_)
    for square in squares:
        mask[square] = True
    return mask
