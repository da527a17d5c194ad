"""The numbers by which a player's event is told: averages, bingos, best plays, time used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hub.event_meetings import OwnGame
from table.pairings.details import plain


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
