"""A table's own games by round: names from the configuration or the tournament's pairings."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from game.errors import TilewatchError
from game.events import SIDES, Side
from game.rulebooks.announcing import announced
from game.rulebooks.rulebook import Rulebook
from game.state.fold import GameState
from game.terms import nameless
from table.pairings.details import PairingsError, Seat, SeatGames, at_seat, is_of
from table.pairings.reading import KEPT, WatchedPairings, read_pairings

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class PairedRound:
    """All that is known in advance about one round at one table."""

    names: Mapping[Side, str] | None = None
    """The players' names by side; None before the round is paired."""
    announced: Mapping[str, Any] | None = None
    """The settings announced for the round; None without any."""
    first: Side | None = None
    """The side that begins; None if unknown."""


@dataclass(frozen=True)
class Schedule:
    """The rounds that a table plays."""

    first_round: int = 1
    pairings: RosterFile | None = None
    always_first: Side | None = None
    """The side that begins in all rounds for which the pairings do not name one."""

    def paired(self, round_: int) -> PairedRound:
        """Return what is known about a round now."""
        game = self.pairings.games.game(round_) if self.pairings is not None else None
        if game is None:
            return PairedRound(first=self.always_first)
        return PairedRound(game.names, game.announced, game.first or self.always_first)

    def doubt(self, round_: int, state: GameState) -> str | None:
        """Return the pairings' fault or open question in one line; None if there is neither.

        ``state`` is the game of the round: a question is answered once its players were named.
        """
        if self.pairings is None:
            return None
        waits = state.status == "waiting" and any(
            state.players[side] == nameless(side) for side in SIDES
        )
        found = self.pairings.games.open(round_) if waits else ()
        if not found:
            return self.pairings.fault
        return (
            f"which game of round {round_} is played here? The pairings give this table's number "
            f"to {', and to '.join(game.in_words() for game in found)}. Name the players, and set "
            "division in [players] of table.toml for the rounds to come"
        )


class RosterFile:
    """Pairings in a file that is extended during the tournament, round by round.

    Raises ``PairingsError`` if it cannot be read when made.
    """

    def __init__(self, path: Path, seat: Seat, book: Rulebook | None = None) -> None:
        self._file = WatchedPairings(path, lambda path: load_games(path, seat, book), SeatGames())
        self._file.require()

    @property
    def fault(self) -> str | None:
        """The present fault of the file, in one line; None if there is none."""
        self._file.newest()
        return None if self._file.fault is None else f"{self._file.fault}; {KEPT}"

    @property
    def games(self) -> SeatGames:
        """Return the games that may be this table's, from the present file."""
        return self._file.newest()


def load_games(path: Path, seat: Seat, book: Rulebook | None = None) -> SeatGames:
    """Return the pairings of a table, from a CSV or a ``tourney.js``.

    A row of a CSV without a table belongs to this one. If the rulebook ``book`` is given, the
    announced settings are checked against it. Open questions of the file are logged. Raises
    ``PairingsError``, also if the file has divisions but not this table's.
    """
    event = read_pairings(path)
    divisions = event.divisions()
    if divisions and not any(is_of(one, seat.division) for one in divisions):
        raise PairingsError(
            f"{path}: there is no division {seat.division[:40]!r}; there are {', '.join(divisions)}"
        )
    for line in event.doubts:
        _LOG.warning("%s: %s", path, line)
    found = (
        replace(one, table=seat.number) if one.table is None and one.line else one
        for one in event.games
    )
    games = at_seat(found, seat)
    for game in (one for round_ in games.by_round.values() for one in round_):
        if book is not None and game.announced:
            try:
                announced(book, game.announced)
            except TilewatchError as error:
                raise PairingsError(f"{path}, line {game.line}: {error}") from error
    return games
