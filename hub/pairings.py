"""The pairings of the whole hall."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from game.errors import TilewatchError
from hub.errors import HubError
from table.pairings.details import BYE, PairedGame, Seat, SeatGames, TshPlayer, at_seat, plain
from table.pairings.reading import read_pairings

_LOG = logging.getLogger(__name__)

Pair: TypeAlias = frozenset[str]
"""Two players, as :func:`pair_of` has them."""


@dataclass(frozen=True)
class Pairings:
    """The pairings of an event."""

    games: tuple[PairedGame, ...]
    """The pairings in the order of the file, with byes."""
    divisions: Mapping[str, Sequence[TshPlayer]] = field(default_factory=dict)
    """The players of a ``tourney.js`` by name of the division, in order of their numbers."""
    names: tuple[str, ...] = ()
    """The names of the divisions, those of a CSV too."""
    doubts: tuple[str, ...] = ()
    """Lines about what the file leaves open."""

    @cached_property
    def rounds(self) -> list[int]:
        """The rounds in which somebody sits at a table."""
        return sorted({one.round for one in self.games if one.table is not None})

    def at(self, seat: Seat) -> SeatGames:
        """The games that may be a table's, by round."""
        return at_seat(self._by_number.get(seat.number, ()), seat)

    @cached_property
    def _by_number(self) -> Mapping[int | None, Sequence[PairedGame]]:
        """The games by the number of their table: a hall asks for each table every few seconds."""
        found: dict[int | None, list[PairedGame]] = {}
        for game in self.games:
            found.setdefault(game.table, []).append(game)
        return found

    def meetings(self) -> dict[Pair, dict[int, tuple[PairedGame, ...]]]:
        """The rounds in which two players meet, by pair, each with its games.

        A player who has the name of the opponent looks like nobody, and is left out.
        """
        found: dict[Pair, dict[int, tuple[PairedGame, ...]]] = {}
        for game in self.games:
            if game.right != BYE:
                rounds = found.setdefault(pair_of(game.left, game.right), {})
                rounds[game.round] = (*rounds.get(game.round, ()), game)
        return {pair: dict(sorted(found[pair].items())) for pair in found if len(pair) == 2}


def load_pairings(path: Path) -> Pairings:
    """The pairings in a file, of all tables that it names. Raises ``TilewatchError``."""
    found = read_pairings(path)
    if not found.tsh and found.games and all(one.table is None for one in found.games):
        raise HubError(f"{path}: the first line must be round,table,left,right, and rows a table")
    return Pairings(found.games, found.tsh, tuple(found.divisions()), found.doubts)


class PairingsFile:
    """The pairings in a file that goes on being written. Safe to use from any thread."""

    def __init__(self, path: Path | None) -> None:
        """``path`` is None if the event has no such file."""
        self.fault: str | None = None
        """Why the file cannot be used as it is now, in one line; None if it can."""
        self._path = path
        self._known: Pairings | None = None
        self._stamp: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def read(self) -> Pairings | None:
        """The pairings as the file has them now, or had them when it could last be used.

        It is read again when it has changed.
        """
        with self._lock:
            if self._path is not None:
                fault = self._take_up(self._path)
                if fault is not None and fault != self.fault:
                    _LOG.warning("pairings: %s", fault)
                self.fault = fault
            return self._known

    def _take_up(self, path: Path) -> str | None:
        """Read a file that has changed; return why it cannot be used."""
        try:
            found = path.stat()
        except OSError as error:
            self._stamp = None
            return f"{path}: cannot be read ({error.strerror})"
        stamp = found.st_ino, found.st_mtime_ns, found.st_size
        if stamp == self._stamp:
            return self.fault
        self._stamp = stamp
        try:
            self._known = load_pairings(path)
        except TilewatchError as error:
            return str(error)
        return None


def pair_of(one: str, other: str) -> Pair:
    """Two players whichever side they sit on, by their names but for case and spaces."""
    return frozenset((plain(one), plain(other)))
