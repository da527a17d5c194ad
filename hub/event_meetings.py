"""The meetings of two players in the rounds of an event, and the numbers that they make up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


def round_due(rounds: Mapping[int, Sequence[Meeting]]) -> int | None:
    """Return the round to be seated: the newest, or the next once its games are over, or None."""
    number = newest_round(rounds)
    if number is None:
        return None
    is_open = any(one.right and not one.is_over for one in rounds[number])
    later = [one for one in rounds if one > number]
    return number if is_open or not later else later[0]


def _is_begun(one: Meeting) -> bool:
    """Return True if a game has begun; a bye never counts, since its points may be known early."""
    return bool(one.right and (one.result or one.live or one.scores))


def newest_round(rounds: Mapping[int, Sequence[Meeting]]) -> int | None:
    """Return the current round: the last with a game under way or over, else the first, or None."""
    begun = [number for number, meetings in rounds.items() if any(map(_is_begun, meetings))]
    return begun[-1] if begun else next(iter(rounds), None)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many games of a round are over and being played, of how many."""

    over: int
    playing: int
    games: int


def progress_of(meetings: Iterable[Meeting]) -> Progress:
    """Return how far a round is; byes are no games."""
    games = [one for one in meetings if one.right]
    over = sum(one.is_over for one in games)
    playing = sum(one.live is not None and not one.is_over for one in games)
    return Progress(over, playing, len(games))


@dataclass(frozen=True, slots=True)
class Records:
    """The games to be told of; None without a game that is over and counts."""

    highest: Meeting | None
    """The game with the highest score of one player."""
    widest: Meeting | None
    closest: Meeting | None
    most: Meeting | None
    """The game with most points of both players together."""


def records_of(meetings: Iterable[Meeting]) -> Records:
    """Return the records of these games."""
    games = [(one, one.points or (0, 0)) for one in meetings if one.right and one.winner]
    played = [
        (one, points)
        for one, points in games
        if one.result is None or one.result.outcome == "played"
    ]

    def first(key: Callable[[tuple[int, int]], int]) -> Meeting | None:
        found = max(played, key=lambda game: key(game[1]), default=None)
        return found[0] if found is not None else None

    return Records(
        first(max),
        first(lambda points: abs(points[0] - points[1])),
        first(lambda points: -abs(points[0] - points[1])),
        first(sum),
    )


@dataclass(frozen=True, slots=True)
class PlayerNumbers:
    """A player's totals over games that are over.

    Averages are None without a game that has them. Bingos, turns and time are those of games that
    were read from a board.
    """

    games: int
    """Games with a score against an opponent."""
    own: float | None
    """The average score."""
    others: float | None
    """The opponents' average score."""
    highest: OwnGame | None
    read: int
    """The games that were read from a board."""
    bingos: int
    per_turn: float | None
    used_ns: int | None
    """The average time used in a game."""


def numbers_of(games: Iterable[OwnGame]) -> PlayerNumbers:
    """Return the numbers of a player's games."""
    played = [one for one in games if one.outcome in ("won", "lost", "tie")]
    scores = [one.points or (0, 0) for one in played]
    read = [one.numbers for one in played if "turns" in one.numbers]
    turns = sum(one["turns"] for one in read)
    used = [one["used_ns"] for one in read if one["used_ns"] is not None]
    return PlayerNumbers(
        len(played),
        _average([own for own, _ in scores]),
        _average([other for _, other in scores]),
        max(played, key=lambda one: (one.points or (0, 0))[0], default=None),
        len(read),
        sum(one["bingos"] for one in read),
        sum(one["points"] for one in read) / turns if turns else None,
        sum(used) // len(used) if used else None,
    )


def _average(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Line:
    """A player's game with the totals after it."""

    game: OwnGame
    wins: float
    losses: float
    spread: int


def running(games: Iterable[OwnGame]) -> list[Line]:
    """Return a player's games, each with the wins, losses and spread until then."""
    found, wins, losses, spread = [], 0.0, 0.0, 0
    for one in games:
        margin = one.spread or 0
        if one.outcome == "bye":
            wins, losses = wins + (margin > 0), losses + (margin < 0)
            spread += margin
        elif one.outcome:
            won = {"won": 1.0, "lost": 0.0, "tie": 0.5}[one.outcome]
            wins, losses, spread = wins + won, losses + 1 - won, spread + margin
        found.append(Line(one, wins, losses, spread))
    return found


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two players' games against each other, as the first of them has them."""

    opponent: str
    games: tuple[OwnGame, ...]

    @property
    def played(self) -> int:
        """How many of them are over and count."""
        return sum(bool(one.outcome) for one in self.games)

    @property
    def wins(self) -> float:
        """The first player's wins; a tie is half of one."""
        return sum({"won": 1.0, "tie": 0.5}.get(one.outcome, 0.0) for one in self.games)

    @property
    def losses(self) -> float:
        """The first player's losses; a tie is half of one."""
        return self.played - self.wins

    @property
    def spread(self) -> int:
        """The sum of the spreads."""
        return sum(one.spread or 0 for one in self.games if one.outcome)


def head_to_head(games: Iterable[OwnGame]) -> dict[str, HeadToHead]:
    """Return a player's games by the opponent's :func:`plain` name."""
    by: dict[str, list[OwnGame]] = {}
    for one in games:
        if one.opponent:
            by.setdefault(plain(one.opponent), []).append(one)
    return {key: HeadToHead(found[0].opponent, tuple(found)) for key, found in by.items()}
