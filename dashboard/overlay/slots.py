"""Slots: the names in the addresses of overlays, each of which shows some table.

A scene of a stream is set up once, with the address of a slot in it, and the director says which
table the slot shows: the feature table changes every round, the scene never. A table's own id is a
slot that shows that table, and ``feature`` is the first table, until somebody says otherwise. A
slot may also follow a player to whatever table they play at.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import Final

from dashboard.site import Site, Table
from dashboard.web_db import WebDb
from game.errors import TilewatchError
from table.pairings.details import plain

FEATURE: Final = "feature"
"""The slot that every site has."""

MOST: Final = 64
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS slots (
    name TEXT PRIMARY KEY,
    table_id TEXT NOT NULL
) STRICT
"""
_PLAYERS: Final = """
CREATE TABLE IF NOT EXISTS slot_players (
    name TEXT PRIMARY KEY,
    player TEXT NOT NULL
) STRICT
"""
LONGEST_PLAYER: Final = 80


class SlotError(TilewatchError):
    """A slot that cannot be assigned, in one line."""


class Slots:
    """The table that each slot shows. Safe to use from any thread."""

    def __init__(self, db: WebDb | None = None) -> None:
        """Keep the assignments in ``db``; without it only in memory."""
        self._db = db
        self._lock = threading.Lock()
        self._tables: dict[str, str] = {}
        self._players: dict[str, str] = {}
        self._seats: dict[str, str] = {}
        """The table at which a slot's player was seen last."""
        if db is not None:
            db.prepare(_TABLE, _PLAYERS)
            self._tables = dict(db.rows("SELECT name, table_id FROM slots"))
            self._players = dict(db.rows("SELECT name, player FROM slot_players"))

    @property
    def assigned(self) -> Mapping[str, str]:
        """The ids of the assigned tables, by slot."""
        return dict(self._tables)

    @property
    def followed(self) -> Mapping[str, str]:
        """The names of the players whom slots follow, by slot."""
        return dict(self._players)

    def assign(self, name: str, table_id: str | None, player: str | None = None) -> None:
        """Assign a table to a slot, or a player to follow; None and None remove the assignment.

        Raises ``SlotError`` for a name that no address can have, and if there are too many slots;
        ``WebError`` if the assignment cannot be kept.
        """
        if _NAME.fullmatch(name) is None:
            raise SlotError(
                f"slot {name!r}: a name has up to 32 of the letters a-z, digits, - and _"
            )
        if player is not None and not (player.isprintable() and len(player) <= LONGEST_PLAYER):
            raise SlotError(f"player: a name of at most {LONGEST_PLAYER} letters")
        with self._lock:
            tables = _without(self._tables, name) | ({name: table_id} if table_id else {})
            players = _without(self._players, name) | ({name: player} if player else {})
            if len(tables) + len(players) > MOST:
                raise SlotError(f"there are {MOST} slots already; remove one first")
            if self._db is not None:
                with self._db.change() as connection:
                    connection.execute("DELETE FROM slots WHERE name = ?", (name,))
                    connection.execute("DELETE FROM slot_players WHERE name = ?", (name,))
                    if table_id:
                        connection.execute("INSERT INTO slots VALUES (?, ?)", (name, table_id))
                    if player:
                        connection.execute("INSERT INTO slot_players VALUES (?, ?)", (name, player))
            self._tables, self._players = tables, players
            self._seats.pop(name, None)

    def table(self, name: str, site: Site) -> Table | None:
        """Return the table that a slot shows now; None if no table is assigned or present."""
        tables = {table.id: table for table in site.tables}
        if (player := self._players.get(name)) is not None:
            seat = seat_of(player, site)
            if seat is not None:
                self._seats[name] = seat.id
            return tables.get(self._seats.get(name, ""))
        chosen = self._tables.get(name)
        if chosen is not None:
            return tables.get(chosen)
        if name == FEATURE and site.tables:
            return site.tables[0]
        return tables.get(name)

    def names(self, site: Site) -> list[str]:
        """Return the name of every slot: the feature table's, each table's, and assigned ones."""
        return list(
            dict.fromkeys(
                [FEATURE, *(table.id for table in site.tables), *self._tables, *self._players]
            )
        )

    def known(self, name: str, site: Site) -> bool:
        """True if there is such a slot, even if its table is not present now."""
        assigned = name in self._tables or name in self._players
        return assigned or self.table(name, site) is not None


def _without(kept: Mapping[str, str], name: str) -> dict[str, str]:
    return {slot: one for slot, one in kept.items() if slot != name}


def seat_of(player: str, site: Site) -> Table | None:
    """Return the table at which a player sits, by the public's view; None if at none.

    Of several, the one where they play, before one where they wait or have played.
    """
    found: list[tuple[int, Table]] = []
    for table in site.tables:
        latest = table.public.latest()
        seated = latest.view["players"].values() if latest is not None else ()
        if latest is not None and any(plain(one["name"]) == plain(player) for one in seated):
            found.append((_ORDER.index(latest.view["status"]), table))
    return min(found, key=lambda one: one[0])[1] if found else None


_ORDER: Final = ("running", "waiting", "ended")
