"""Scrabble's rules as pure code: board, tile sets, plays, scores, clocks and game records.

Nothing here reads a clock or a camera. :func:`read_gcg` alone reads files that did not ship with
it. The public names are those of ``__all__``; ``docs/game.md`` shows them at work.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from game.board import Board, Square
    from game.errors import TilewatchError
    from game.game import Game, ScoredTurn
    from game.gcg.check import check_gcg
    from game.gcg.reader import read_gcg
    from game.rulebooks.loading import load_rulebook, rulebook_ids
    from game.tileset import load_tile_set, tile_set_ids

__all__ = [
    "Board",
    "Game",
    "ScoredTurn",
    "Square",
    "TilewatchError",
    "check_gcg",
    "load_rulebook",
    "load_tile_set",
    "read_gcg",
    "rulebook_ids",
    "tile_set_ids",
]

_HOMES = {
    "Board": "game.board",
    "Square": "game.board",
    "TilewatchError": "game.errors",
    "Game": "game.game",
    "ScoredTurn": "game.game",
    "check_gcg": "game.gcg.check",
    "read_gcg": "game.gcg.reader",
    "load_rulebook": "game.rulebooks.loading",
    "rulebook_ids": "game.rulebooks.loading",
    "load_tile_set": "game.tileset",
    "tile_set_ids": "game.tileset",
}


def __getattr__(name: str) -> Any:
    # Loaded when asked for: most commands need only a part, and `tilewatch --help` none of it.
    if name not in _HOMES:
        raise AttributeError(f"module 'game' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
