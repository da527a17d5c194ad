"""What tells a board that was cleared from one on which nothing was played yet."""

from __future__ import annotations

from typing import Final

from game.board import EMPTY, Square
from game.errors import TilewatchError
from game.state.fold import GameState
from table.refusals import NOT_EMPTY
from vision.tracking.sighting import Observation

_STRAY: Final = 1
"""An empty board may still show something on this many squares."""


def played_tiles(state: GameState) -> int:
    """The number of tiles played; 0 if challenging off the last play would empty the board."""
    last = state.turns[-1:]
    withdrawn = bool(last) and set(state.board.tiles()) <= {Square.parse(n) for n in last[0].tiles}
    return 0 if withdrawn else sum(len(turn.tiles) for turn in state.turns)


def shows_empty(look: Observation) -> bool:
    """True if nothing lies on the board."""
    return _tiles_in(look) <= _STRAY


def refuse_uncleared(state: GameState, look: Observation | None, despite: bool) -> None:
    """Refuse a next game whose first turn would be the tiles of the last, unless ``despite`` them.

    Raises:
        TilewatchError: the game on the table is over, and its tiles are seen.
    """
    if despite or state.status != "ended" or look is None or shows_empty(look):
        return
    raise TilewatchError(
        f"{NOT_EMPTY}: {_tiles_in(look)} tiles are seen on it, and would be the first turn of the "
        "next game. Clear it first."
    )


def _tiles_in(look: Observation) -> int:
    return sum(len(row) - row.count(EMPTY) for row in look.reading.rows)
