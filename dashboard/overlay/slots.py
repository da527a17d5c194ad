"""Slots: the names in the addresses of overlays, each of which shows some table.

A scene of a stream is set up once, with the address of a slot in it, and the director says which
table the slot shows: the feature table changes every round, the scene never. A table's own id is a
slot that shows that table, and ``feature`` is the first table, until somebody says otherwise.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import Final

from dashboard.site import Site, Table
from dashboard.web_db import WebDb
from game.errors import TilewatchError

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


class SlotError(TilewatchError):
    """A slot that cannot be assigned, in one line."""


class Slots:
    """The table that each slot shows. Safe to use from any thread."""

    def __init__(self, db: WebDb | None = None) -> None:
        """Keep the assignments in ``db``; without it only in memory."""
        self._db = db
        self._lock = threading.Lock()
        self._tables: dict[str, str] = {}
        if db is not None:
            db.prepare(_TABLE)
            self._tables = dict(db.rows("SELECT name, table_id FROM slots"))

    @property
    def assigned(self) -> Mapping[str, str]:
        """The ids of the assigned tables, by slot."""
        return dict(self._tables)

    def assign(self, name: str, table_id: str | None) -> None:
        """Assign a table to a slot; None removes the assignment.

        Raises ``SlotError`` for a name that no address can have, and if there are too many slots;
        ``WebError`` if the assignment cannot be kept.
        """
        if _NAME.fullmatch(name) is None:
            raise SlotError(
                f"slot {name!r}: a name has up to 32 of the letters a-z, digits, - and _"
            )
        with self._lock:
            tables = {slot: table for slot, table in self._tables.items() if slot != name}
            if table_id is not None:
                if len(tables) >= MOST:
                    raise SlotError(f"there are {MOST} slots already; remove one first")
                tables[name] = table_id
            if self._db is not None:
                with self._db.change() as connection:
                    connection.execute("DELETE FROM slots WHERE name = ?", (name,))
                    if table_id is not None:
                        connection.execute("INSERT INTO slots VALUES (?, ?)", (name, table_id))
            self._tables = tables

    def table(self, name: str, site: Site) -> Table | None:
        """Return the table that a slot shows now; None if no table is assigned or present."""
        tables = {table.id: table for table in site.tables}
        chosen = self._tables.get(name)
        if chosen is not None:
            return tables.get(chosen)
        if name == FEATURE and site.tables:
            return site.tables[0]
        return tables.get(name)

    def names(self, site: Site) -> list[str]:
        """Return the name of every slot: the feature table's, each table's, and assigned ones."""
        return list(dict.fromkeys([FEATURE, *(table.id for table in site.tables), *self._tables]))

    def known(self, name: str, site: Site) -> bool:
        """True if there is such a slot, even if its table is not present now."""
        return name in self._tables or self.table(name, site) is not None
