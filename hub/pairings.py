"""The pairings of the whole hall, and the place of each table in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

from hub.errors import HubError
from hub.store import HubStore
from table.pairings.details import (
    BYE,
    PairedGame,
    Seat,
    SeatGames,
    TshPlayer,
    at_seat,
    plain,
    table_number,
)
from table.pairings.reading import read_pairings

SETTING: Final = "tables.divisions"

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


def pair_of(one: str, other: str) -> Pair:
    """Two players whichever side they sit on, by their names but for case and spaces."""
    return frozenset((plain(one), plain(other)))


class Divisions:
    """The division of each table as the director has said it, kept in the hub's store.

    Every division of an event may count its tables from 1. So where two games of a round have one
    number, the hub asks which division a table is of, and gives no names until that is said.
    """

    def __init__(self, store: HubStore) -> None:
        self._store = store

    def all(self) -> dict[str, str]:
        """The division that was entered for each table, by the table's id."""
        found = json.loads(self._store.setting(SETTING) or "{}")
        return {str(table): str(division) for table, division in found.items()}

    def seats(self, known: Iterable[str]) -> Seats:
        """The place of each table in the pairings, which have the divisions ``known``.

        What was said of a division that they have not is open again.
        """
        names = {plain(one) for one in known}
        return Seats({table: one for table, one in self.all().items() if plain(one) in names})

    def choose(self, table_id: str, division: str, known: Sequence[str]) -> None:
        """Say which division a table is of; empty leaves it open. Raises ``HubError``."""
        chosen = next((one for one in known if plain(one) == plain(division)), "")
        if division and not chosen:
            raise HubError(
                f"the pairings have no division {division[:40]!r}; they have "
                f"{', '.join(known) or 'none'}"
            )
        kept = {table: one for table, one in self.all().items() if table != table_id}
        if chosen:
            kept[table_id] = chosen
        self._store.keep_setting(SETTING, json.dumps(kept))


class Seats:
    """The place of each table in the pairings: its number and its division."""

    def __init__(self, divisions: dict[str, str] | None = None) -> None:
        self._divisions = divisions or {}

    def of(self, table_id: str) -> Seat:
        """The place of the table with that id."""
        return Seat(table_number(table_id), self._divisions.get(table_id, ""))
