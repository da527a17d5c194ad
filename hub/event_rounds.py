"""The rounds of an event: which one is played, how far it is, and its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hub.event_meetings import Meeting


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
