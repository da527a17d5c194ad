"""A game as a list of turns: what is known of it before anybody moves a hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from game.board import EMPTY, Board, Square
from game.errors import TilewatchError
from game.events import ChallengeBonus, Side

Kind = Literal["play", "exchange", "pass", "withdrawn"]
"""``withdrawn``: a play that is made, challenged, and taken off again."""


@dataclass(frozen=True)
class ScriptTurn:
    """One turn as its player means it.

    ``tiles`` has a lower-case letter for a blank. ``score`` and ``total`` are what the turn is
    worth, if the script's source has it. ``out``: it empties the rack with an empty bag, and its
    player stops both clocks instead of starting the opponent's.
    """

    side: Side
    kind: Kind
    tiles: Mapping[Square, str] = field(default_factory=dict)
    score: int | None = None
    total: int | None = None
    out: bool = False
    afterwards: tuple[ChallengeBonus, ...] = ()
    """Points for challenges in vain, announced after the turn."""


@dataclass(frozen=True)
class Script:
    """A whole game."""

    players: Mapping[Side, str]
    tile_set: str
    turns: tuple[ScriptTurn, ...]
    finals: Mapping[Side, int] = field(default_factory=dict)
    """The result with everything settled at the end, where it is known."""

    def boards(self) -> list[Board]:
        """The board after every turn, before any tile is taken off again by a challenge.

        Raises ``TilewatchError`` if a turn puts a tile on another.
        """
        out: list[Board] = []
        board = Board.empty()
        for number, turn in enumerate(self.turns, start=1):
            for square in turn.tiles:
                if board[square] != EMPTY:
                    raise TilewatchError(
                        f"turn {number} of the game puts a tile on {square.name}, which has one"
                    )
            played = board.replace(turn.tiles)
            out.append(played)
            if turn.kind != "withdrawn":
                board = played
        return out
