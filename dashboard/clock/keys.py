"""Who may press a clock on a page: whoever was given its link.

Each table has one key, a random text that stands in its link after the ``#`` and so in no server's
log. The director hands the link out (on the table's card, in a message) and can make another, which
ends the old one at once. A key opens the clock of its table and nothing else.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from typing import Final
from urllib.parse import quote

from flask import Flask, current_app, url_for

from dashboard.web_db import WebDb

_BYTES: Final = 16
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS clock_keys (
    table_id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    made_s INTEGER NOT NULL
) STRICT
"""


class ClockKeys:
    """The keys of a site's tables. Safe to use from any thread."""

    def __init__(self, db: WebDb | None = None) -> None:
        """Keep them in ``db``, or without one in memory alone."""
        self._db = db
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        if db is not None:
            db.prepare(_TABLE)
            self._keys = dict(db.rows("SELECT table_id, key FROM clock_keys"))

    def key(self, table_id: str) -> str:
        """The table's key, made when it has none. Raises ``WebError``."""
        with self._lock:
            return self._keys.get(table_id) or self._make(table_id)

    def renew(self, table_id: str) -> str:
        """Another key; the one before opens nothing any more. Raises ``WebError``."""
        with self._lock:
            return self._make(table_id)

    def opens(self, table_id: str, key: str) -> bool:
        """True if it is the table's key."""
        known = self._keys.get(table_id)
        return known is not None and hmac.compare_digest(known.encode(), key.encode())

    def _make(self, table_id: str) -> str:
        key = secrets.token_urlsafe(_BYTES)
        if self._db is not None:
            with self._db.change() as connection:
                connection.execute(
                    "INSERT INTO clock_keys VALUES (?, ?, ?) ON CONFLICT (table_id)"
                    " DO UPDATE SET key = excluded.key, made_s = excluded.made_s",
                    (table_id, key, int(time.time())),
                )
        self._keys[table_id] = key
        return key


def clock_keys() -> ClockKeys:
    """Those of the application at hand."""
    return _keys_of(current_app)


def clock_path(table_id: str) -> str:
    """The link to a table's clock, key included: for the director's eyes. Raises ``WebError``."""
    return f"{url_for('clock.page', table_id=table_id)}#{clock_keys().key(table_id)}"


def clock_address(app: Flask, table_id: str) -> str:
    """The same without a request: for whoever starts the table. Raises ``WebError``."""
    return f"/tables/{quote(table_id, safe='')}/clock#{_keys_of(app).key(table_id)}"


def _keys_of(app: Flask) -> ClockKeys:
    keys = app.extensions["tilewatch.clock_keys"]
    assert isinstance(keys, ClockKeys)
    return keys
