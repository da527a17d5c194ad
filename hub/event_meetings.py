"""Two players in a round, and what is known of their game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from game.terms import SIDES, Side, other
from hub.results import Result
from table.pairings.details import BYE, plain

Row = Mapping[str, Any]
"""A table's line in the public edition of the hall."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two players in a round."""

    round: int
    table: str
    """The id of the table; empty if unknown."""
    number: int
    """The number of the table; 0 if unknown."""
    left: str
    right: str
    """The name of the right player; empty for a bye."""
    result: Result | None = None
    live: Row | None = None
    """The hall's line while they play, and until their result is final."""
    scores: tuple[int, int] | None = None
    """The scores in the file of pairings, if no result counts; else None."""

    @property
    def points(self) -> tuple[int, int] | None:
        """The scores of left and right; None if unknown or not shown."""
        if self.result is not None:
            found = (self.result.left_score, self.result.right_score)
            return found if self._is_as_paired(self.result.left) else (found[1], found[0])
        if self.live is not None and self.live.get("withheld") and not self.live["final"]:
            return None
        if self.live is not None:
            players = self.live["players"]
            found = (players["left"]["score"], players["right"]["score"])
            return found if self._is_as_paired(players["left"]["name"]) else (found[1], found[0])
        return self.scores

    @property
    def winner(self) -> str:
        """``left`` or ``right`` once somebody has won; empty before, and after a tie."""
        if self.result is not None:
            if self.result.provisional:
                return ""
            won = self.result.winner
            if won not in SIDES or self._is_as_paired(self.result.left):
                return won if won in SIDES else ""
            return "right" if won == "left" else "left"
        if self.scores is None or self.scores[0] == self.scores[1] or self.right == BYE:
            return ""
        return "left" if self.scores[0] > self.scores[1] else "right"

    @property
    def is_over(self) -> bool:
        """True once the game is over, even if the result is not final."""
        if self.live is not None:
            return bool(self.live["status"] == "ended")
        return self.result is not None or self.scores is not None

    def _is_as_paired(self, left: str) -> bool:
        return plain(left) == plain(self.left)


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A meeting as one of its players has it."""

    meeting: Meeting
    side: Side

    @property
    def round(self) -> int:
        """The number of the round."""
        return self.meeting.round

    @property
    def opponent(self) -> str:
        """The opponent's name; empty for a bye."""
        return self.meeting.right if self.side == "left" else self.meeting.left

    @property
    def points(self) -> tuple[int, int] | None:
        """The player's score and the opponent's; None if unknown. For a bye its spread and 0."""
        found = self.meeting.points
        return found if found is None or self.side == "left" else (found[1], found[0])

    @property
    def spread(self) -> int | None:
        """The player's score less the opponent's; None if unknown."""
        points, result = self.points, self.meeting.result
        if points is None or result is None or result.spread is None or not result.counts:
            return None if points is None else points[0] - points[1]
        return result.spread if self.outcome == "won" else -result.spread

    @property
    def outcome(self) -> str:
        """``won``, ``lost`` or ``tie`` once it counts; ``bye``; else empty."""
        meeting = self.meeting
        if not meeting.right:
            return "bye" if meeting.scores else ""
        if meeting.winner:
            return "won" if meeting.winner == self.side else "lost"
        result = meeting.result
        is_tie = result.decides if result is not None else meeting.scores is not None
        return "tie" if is_tie else ""

    @property
    def numbers(self) -> Mapping[str, Any]:
        """The numbers of the player's game, as ``Result.plays`` has them; empty if unknown."""
        result = self.meeting.result
        if result is None:
            return {}
        as_paired = plain(result.left) == plain(self.meeting.left)
        side = self.side if as_paired else other(self.side)
        return result.plays.get(side, {})

    @property
    def is_to_come(self) -> bool:
        """True if the game has neither begun nor a score."""
        return self.points is None and self.meeting.live is None and bool(self.opponent)
