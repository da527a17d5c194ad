"""The pairings of the whole hall, and the place of each table in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from hub.errors import HubError
from hub.store import HubStore
from table.pairings.details import EventDetails, Seat, plain, table_number
from table.pairings.reading import read_pairings

SETTING: Final = "tables.divisions"


def load_pairings(path: Path) -> EventDetails:
    """Return the pairings in a file, of all its tables. Raises ``TilewatchError``."""
    found = read_pairings(path)
    if not found.tsh and found.games and all(one.table is None for one in found.games):
        raise HubError(f"{path}: the first line must be round,table,left,right, and rows a table")
    return found


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
