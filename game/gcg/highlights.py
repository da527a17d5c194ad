"""The highlights of a round, from its game records: best plays, closest game, biggest comeback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from game.gcg.record import GameRecord


@dataclass(frozen=True, slots=True)
class BestPlay:
    """A play that stayed on the board, and its points."""

    player: str
    opponent: str
    position: str
    word: str
    points: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a game, and how far behind its winner once was."""

    winner: str
    loser: str
    scores: tuple[int, int]
    """The winner's and the loser's."""
    behind: int
    """The most points by which the winner was behind after a turn; 0 if never."""

    @property
    def spread(self) -> int:
        """The points between the scores."""
        return self.scores[0] - self.scores[1]


@dataclass(frozen=True, slots=True)
class Highlights:
    """The highlights of some games. A game that was not played to its end has only plays."""

    plays: tuple[BestPlay, ...]
    """The best plays, best first."""
    closest: Finished | None
    comeback: Finished | None
    """None if no winner was ever behind."""
    highest: Finished | None
    """The game with the highest score of a winner."""


def highlights(records: Iterable[GameRecord], most: int = 5) -> Highlights:
    """Return the highlights of a round's games, with up to ``most`` plays."""
    whole = list(records)
    plays = sorted((p for one in whole for p in _plays(one)), key=lambda play: -play.points)
    games = [game for one in whole if (game := _finished(one)) is not None]
    behind = max(games, key=lambda game: game.behind, default=None)
    return Highlights(
        tuple(plays[:most]),
        min(games, key=lambda game: game.spread, default=None),
        behind if behind is not None and behind.behind else None,
        max(games, key=lambda game: game.scores[0], default=None),
    )


def _plays(record: GameRecord) -> Iterator[BestPlay]:
    names = [player.name for player in record.players]
    after = (*record.entries[1:], None)
    for entry, later in zip(record.entries, after, strict=True):
        gone = later is not None and later.kind in ("withdrawn", "no_score")
        if entry.kind == "play" and not gone:
            player, other = names[entry.player], names[1 - entry.player]
            yield BestPlay(player, other, entry.position or "", entry.word or "", entry.score)


def _finished(record: GameRecord) -> Finished | None:
    if record.incomplete or not record.ended:
        return None
    totals, leads = [0, 0], []
    for entry in record.entries:
        totals[entry.player] = entry.total
        leads.append(totals[0] - totals[1])
    if leads[-1] == 0:
        return None
    winner = 0 if leads[-1] > 0 else 1
    behind = max((-lead if winner == 0 else lead) for lead in leads)
    names = [record.players[side].name for side in (winner, 1 - winner)]
    return Finished(names[0], names[1], (totals[winner], totals[1 - winner]), max(0, behind))
