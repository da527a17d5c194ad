"""The keys in the links that are given out for a table: to its clock, to its camera.

Each table has one of each kind, a random text. Whoever holds it may do what it is for, at its
table, and nothing else. Another one ends the one before at once.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from typing import Final, Literal

from dashboard.web_db import WebDb

BYTES: Final = 16
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS {kind}_keys (
    table_id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    made_s INTEGER NOT NULL
) STRICT
"""


class LinkKeys:
    """The keys of one kind of a site's tables. Safe to use from any thread."""

    def __init__(self, kind: Literal["clock", "camera"], db: WebDb | None = None) -> None:
        """Keep them in ``db``, or without one in memory alone."""
        self._db, self._rows = db, f"{kind}_keys"
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        if db is not None:
            db.prepare(_TABLE.format(kind=kind))
            self._keys = dict(db.rows(f"SELECT table_id, key FROM {self._rows}"))  # noqa: S608

    def key(self, table_id: str) -> str:
        """The table's key, made when it has none. Raises ``WebError``."""
        with self._lock:
            return self._keys.get(table_id) or self._make(table_id)

    def made(self, table_id: str) -> bool:
        """True if the table has one."""
        return table_id in self._keys

    def renew(self, table_id: str) -> str:
        """Another key; the one before opens nothing any more. Raises ``WebError``."""
        with self._lock:
            return self._make(table_id)

    def opens(self, table_id: str, key: str) -> bool:
        """True if it is the table's key."""
        known = self._keys.get(table_id)
        return known is not None and hmac.compare_digest(known.encode(), key.encode())

    def _make(self, table_id: str) -> str:
        key = secrets.token_urlsafe(BYTES)
        if self._db is not None:
            with self._db.change() as connection:
                connection.execute(
                    f"INSERT INTO {self._rows} VALUES (?, ?, ?) ON CONFLICT (table_id)"  # noqa: S608
                    " DO UPDATE SET key = excluded.key, made_s = excluded.made_s",
                    (table_id, key, int(time.time())),
                )
        self._keys[table_id] = key
        return key
