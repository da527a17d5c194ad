"""The division of each table, as the director has said it.

Every division of an event may count its tables from 1. So where two games of a round have one
number, the hub asks which division a table is of, and gives no names until that is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from hub.errors import HubError
from hub.store import HubStore
from table.pairings.details import Seat, plain, table_number

SETTING: Final = "tables.divisions"


class Divisions:
    """The tables' divisions, kept in the hub's store."""

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
