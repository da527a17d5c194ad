"""What tells a board that was cleared from one on which nothing was played yet."""

from __future__ import annotations

from typing import Final

from game.board import EMPTY, Square
from game.state.fold import GameState
from vision.tracking.observer import Observation

_STRAY: Final = 1
"""An empty board may still show something on this many squares."""


def played_tiles(state: GameState) -> int:
    """The number of tiles played; 0 if challenging off the last play would empty the board."""
    last = state.turns[-1:]
    withdrawn = bool(last) and set(state.board.tiles()) <= {Square.parse(n) for n in last[0].tiles}
    return 0 if withdrawn else sum(len(turn.tiles) for turn in state.turns)


def shows_empty(look: Observation) -> bool:
    """True if nothing lies on the board."""
    return sum(len(row) - row.count(EMPTY) for row in look.reading.rows) <= _STRAY
