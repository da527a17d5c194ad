"""Plays that were made while the camera showed nothing, told by how they lie on the board.

A camera may fail for seconds, and players do not wait for it. When it is back, the board shows the
plays of all turns since. Each turn has its press, so where there are as many plays as turns, and
those can have been made in one order only, each is its turn's.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Final

from game.board import Square
from game.plays.in_order import plays_in_order
from game.referee.position import Turn
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.tracking.board_tracker import ReadingCorrection

LEAST_GAP_NS: Final = 2_500_000_000
"""Nobody makes a play within so short a time without pictures."""

_MOST_UNSEEN: Final = 2
"""Plays are found for so many turns before of which there is no picture: more have many orders."""

_WHY: Final = "laid while there was no picture, and the play of this turn by the order of all plays"


class PictureGap:
    """The newest stretch of time from which there is no picture."""

    def __init__(self) -> None:
        self._latest_ns: int | None = None
        self._from_ns, self._until_ns = 0, 0

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        if self._latest_ns is not None and frame.t_ns - self._latest_ns > LEAST_GAP_NS:
            self._from_ns, self._until_ns = self._latest_ns, frame.t_ns
        self._latest_ns = frame.t_ns

    def until(self, press_ns: int) -> int:
        """When the first picture after a press came, if it fell into the gap; else the press."""
        return self._until_ns if self._from_ns < press_ns < self._until_ns else press_ns


def unseen_turns(state: GameState) -> tuple[Turn, ...]:
    """Return the last turns of which there is no picture and nobody has entered what they were."""
    last = takewhile(_is_unseen, reversed(state.turns))
    return tuple(reversed(tuple(last)))


def answer(state: GameState, tiles: Mapping[Square, str]) -> frozenset[Square]:
    """Return the tiles of the play that follows a turn's, which lies there too.

    None unless ``tiles`` are a play for each unseen turn, one for this turn, and one more.
    """
    count = len(unseen_turns(state)) + 2
    if count > _MOST_UNSEEN + 2:
        return frozenset()
    plays = plays_in_order(state.board, tiles, count, state.rulebook.rack_tiles)
    return frozenset() if plays is None else plays[-1]


def plays_of_unseen(state: GameState, tiles: Mapping[Square, str]) -> tuple[ReadingCorrection, ...]:
    """Return which of ``tiles`` the unseen turns placed; the others are this turn's play."""
    turns = unseen_turns(state)
    if not 0 < len(turns) <= _MOST_UNSEEN:
        return ()
    plays = plays_in_order(state.board, tiles, len(turns) + 1, state.rulebook.rack_tiles)
    return tuple(
        ReadingCorrection(turn.number, square, tiles[square], _WHY)
        for turn, squares in zip(turns, plays or (), strict=False)
        for square in sorted(squares)
    )


def _is_unseen(turn: Turn) -> bool:
    return turn.kind == "not_known" and not turn.open_tiles
