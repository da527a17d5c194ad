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
"""Two players, as :func:`pair_of` returns them."""


@dataclass(frozen=True)
class Pairings:
    """The pairings of a tournament."""

    games: tuple[PairedGame, ...]
    """The pairings in the order of the file, with byes."""
    divisions: Mapping[str, Sequence[TshPlayer]] = field(default_factory=dict)
    """The players of a ``tourney.js`` by name of the division, in order of their numbers."""
    names: tuple[str, ...] = ()
    """The names of the divisions, also of a CSV."""
    doubts: tuple[str, ...] = ()
    """Lines about questions that the file leaves open."""

    @cached_property
    def rounds(self) -> list[int]:
        """The rounds in which somebody sits at a table."""
        return sorted({one.round for one in self.games if one.table is not None})

    def at(self, seat: Seat) -> SeatGames:
        """Return the games that may be played at a table, by round."""
        return at_seat(self._by_number.get(seat.number, ()), seat)

    @cached_property
    def _by_number(self) -> Mapping[int | None, Sequence[PairedGame]]:
        """The games by the number of their table, cached because a hall asks every few seconds."""
        found: dict[int | None, list[PairedGame]] = {}
        for game in self.games:
            found.setdefault(game.table, []).append(game)
        return found

    def meetings(self) -> dict[Pair, dict[int, tuple[PairedGame, ...]]]:
        """The rounds in which two players meet, by pair, each with its games.

        A game of two players with the same name cannot be a pair, and is left out.
        """
        found: dict[Pair, dict[int, tuple[PairedGame, ...]]] = {}
        for game in self.games:
            if game.right != BYE:
                rounds = found.setdefault(pair_of(game.left, game.right), {})
                rounds[game.round] = (*rounds.get(game.round, ()), game)
        return {pair: dict(sorted(found[pair].items())) for pair in found if len(pair) == 2}


def load_pairings(path: Path) -> Pairings:
    """Return the pairings in a file, of all its tables. Raises ``TilewatchError``."""
    found = read_pairings(path)
    if not found.tsh and found.games and all(one.table is None for one in found.games):
        raise HubError(f"{path}: the first line must be round,table,left,right, and rows a table")
    return Pairings(found.games, found.tsh, tuple(found.divisions()), found.doubts)


def pair_of(one: str, other: str) -> Pair:
    """Return two players without their sides, by names without differences of case and spaces."""
    return frozenset((plain(one), plain(other)))


class Divisions:
    """The division of each table as the director has entered it, kept in the hub's store.

    Every division of a tournament may count its tables from 1. So if two games of a round have the
    same table number, the hub asks for the table's division, and sends no names before the answer.
    """

    def __init__(self, store: HubStore) -> None:
        self._store = store

    def all(self) -> dict[str, str]:
        """Return the division that was entered for each table, by the table's id."""
        found = json.loads(self._store.setting(SETTING) or "{}")
        return {str(table): str(division) for table, division in found.items()}

    def seats(self, known: Iterable[str]) -> Seats:
        """Return the place of each table in the pairings, which have the divisions ``known``.

        Entries of a division that the pairings do not have are ignored.
        """
        names = {plain(one) for one in known}
        return Seats({table: one for table, one in self.all().items() if plain(one) in names})

    def choose(self, table_id: str, division: str, known: Sequence[str]) -> None:
        """Set a table's division; an empty one leaves it open. Raises ``HubError``."""
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
        """Return the place of the table with that id."""
        return Seat(table_number(table_id), self._divisions.get(table_id, ""))
