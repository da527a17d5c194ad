"""Links that are given out for a table: to its clock, and to be its camera.

Each table has one key of each kind: a random text after the link's ``#``, so it is in no server's
log. Its holder may press this table's clock, or be its camera, and nothing else. A new key ends the
old one at once. The director hands the clock's link out. For the camera they show a
code, as a QR code, which is good once and for ten minutes; the phone that brings it gets the key.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from typing import Final, Literal
from urllib.parse import quote

from flask import Flask, url_for

from dashboard.parts import part
from dashboard.web_db import WebDb

BYTES: Final = 16
CODE_S: Final = 600.0
"""Seconds for which a code to pair a phone is valid."""

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
        """Keep the keys in ``db``; without it only in memory."""
        self._db, self._rows = db, f"{kind}_keys"
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        if db is not None:
            db.prepare(_TABLE.format(kind=kind))
            self._keys = dict(db.rows(f"SELECT table_id, key FROM {self._rows}"))  # noqa: S608

    def key(self, table_id: str) -> str:
        """Return the table's key, made if there is none. Raises ``WebError``."""
        with self._lock:
            return self._keys.get(table_id) or self._make(table_id)

    def made(self, table_id: str) -> bool:
        """True if the table has a key."""
        return table_id in self._keys

    def renew(self, table_id: str) -> str:
        """Make and return a new key, which ends the one before. Raises ``WebError``."""
        with self._lock:
            return self._make(table_id)

    def opens(self, table_id: str, key: str) -> bool:
        """True if ``key`` is the table's key."""
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


def clock_path(table_id: str) -> str:
    """Return the secret link to a table's clock, with its key. Raises ``WebError``."""
    return f"{url_for('clock.page', table_id=table_id)}#{part(LinkKeys).key(table_id)}"


def clock_address(app: Flask, table_id: str) -> str:
    """Return :func:`clock_path` outside a request, to print at the start. Raises ``WebError``."""
    return f"/tables/{quote(table_id, safe='')}/clock#{part(LinkKeys, app).key(table_id)}"


class Pairing:
    """Pairs phones as tables' cameras; the phone paired last is a table's camera.

    It has the keys and codes of a site's cameras; a code is as long as a key. Safe to use from
    any thread.
    """

    def __init__(self, keys: LinkKeys, clock: Callable[[], float] = time.monotonic) -> None:
        self.keys = keys
        self._clock = clock
        self._lock = threading.Lock()
        self._codes: dict[str, tuple[str, float]] = {}
        """By table: the code, and until when it is valid."""

    def code(self, table_id: str) -> str:
        """Make a code for a table, which ends the one before."""
        code = secrets.token_urlsafe(BYTES)
        with self._lock:
            self._codes[table_id] = code, self._clock() + CODE_S
        return code

    def redeem(self, table_id: str, code: str) -> str | None:
        """Return a new key of the table's camera; None if the code is wrong or has expired.

        Raises ``WebError``.
        """
        with self._lock:
            known, until_s = self._codes.get(table_id, ("", 0.0))
            good = hmac.compare_digest(known.encode(), code.encode()) and self._clock() < until_s
            if not known or not good:
                return None
            del self._codes[table_id]
        return self.keys.renew(table_id)


def camera_address(app: Flask, table_id: str) -> str:
    """Return the path that pairs one phone as a table's camera, to append to the site's address.

    Raises ``WebError``.
    """
    return f"/tables/{quote(table_id, safe='')}/camera#{part(Pairing, app).code(table_id)}"
