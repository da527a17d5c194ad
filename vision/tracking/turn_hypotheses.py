"""A window of tiles, presses and arms, and the hypotheses that divide it into turns.

A *window* is the evidence since a position that is certain: the tiles that have come, each with the
interval in which it was laid and the arms seen there, and the presses. A *hypothesis* divides the
window into turns. Players take turns; a turn has a side, tiles, an end, and at most one press;
tiles may be added to its play after the press; the tiles of the turn that has not ended are left
over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.board import Board, Square
from game.events import Side

SideLikelihoods = Mapping[Square, tuple[float, float]]
"""For each tile, the log-likelihood of the arms seen over it if the left player laid it, and if the
right player did."""


@dataclass(frozen=True, slots=True)
class TileEvent:
    """A tile that has come to lie on a square."""

    symbol: str
    after_ns: int
    """The square was still bare at this time."""
    by_ns: int
    """The tile was first seen there at this time."""
    p: float = 1.0
    """Probability that a tile lies there at all, by the appearance of its square alone."""
    bare_ns: int = 0
    """The square was last read as bare for sure, in plain sight, at this time; 0 if never."""


@dataclass(frozen=True, slots=True)
class PressSeen:
    """A press of a player's button."""

    side: Side
    t_ns: int
    passed_on: bool = True
    """True if the presser's clock was running: the press stopped it and started the opponent's."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded turn: its press, if it had one, and the tiles that are surely its own."""

    side: Side
    tiles: frozenset[Square]
    press_ns: int | None
    whole: bool = False
    """True if it was in sight at its end: no other tile lay there then."""


@dataclass(frozen=True)
class Window:
    """The evidence since the last position that is certain."""

    board: Board
    """The board in that position."""
    side: Side | None
    """The side on turn in that position; None if unknown."""
    rack: int
    """The most tiles that a player can lay."""
    began_ns: int
    """Time at which the first turn after that position began."""
    tiles: Mapping[Square, TileEvent]
    presses: tuple[PressSeen, ...] = ()
    """The presses since that position, in the order of their times."""
    unpressed: float | None = None
    """Prior probability that a turn ends without a press; None without buttons."""
    seen_ns: int | None = None
    """Time at which the board was last seen: tiles laid later are unknown. None: it is in sight."""
    seen: NDArray[np.int64] | None = field(default=None, compare=False)
    """int64 (15, 15): the time at which each square was seen last. None: ``seen_ns`` for all."""
    recorded: tuple[Recorded, ...] = ()
    """The turns since that position that are recorded already."""
    over: bool = False
    """True if no more frames will come: the last turn has ended, too."""


@dataclass(frozen=True, slots=True)
class DecodedTurn:
    """A turn of a hypothesis."""

    side: Side
    tiles: frozenset[Square]
    ended_ns: int
    press_ns: int | None = None
    added: frozenset[Square] = frozenset()
    """Squares of tiles that the same player added to the play after the press."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A division of a window: the ended turns, the open turn's tiles, and its posterior."""

    turns: tuple[DecodedTurn, ...]
    side: Side
    """The side of the open turn."""
    rest: frozenset[Square]
    p: float

    @property
    def began(self) -> Side:
        """The side of the first turn."""
        return self.turns[0].side if self.turns else self.side

    @property
    def tiles(self) -> frozenset[Square]:
        """The squares of all tiles, of ended turns and of the open one."""
        return self.rest.union(*(turn.tiles | turn.added for turn in self.turns))
