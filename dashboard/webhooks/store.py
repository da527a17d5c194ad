"""The webhooks of a data folder, and how far each has got."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from dashboard.web_db import WebDb
from game.errors import TilewatchError
from game.schema import Audience

MOST: Final = 16
"""The most webhooks: each has a thread."""

LONGEST_URL: Final = 500

_TABLES: Final = (
    """
CREATE TABLE IF NOT EXISTS webhooks (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    audience TEXT NOT NULL,
    secret TEXT NOT NULL,
    made_by TEXT NOT NULL,
    made_s INTEGER NOT NULL
) STRICT
""",
    """
CREATE TABLE IF NOT EXISTS webhook_places (
    hook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    table_id TEXT NOT NULL,
    last_id TEXT NOT NULL,
    known TEXT NOT NULL,
    PRIMARY KEY (hook, table_id)
) STRICT
""",
)


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that gets messages about what ``audience`` may see; without its secret."""

    id: str
    url: str
    audience: Audience
    made_by: str
    made_s: int


@dataclass(frozen=True, slots=True)
class DeliveryCursor:
    """The progress of a webhook at a table: the id and the summary of the last view sent."""

    last_id: str
    known: Mapping[str, Any]


class Webhooks:
    """The webhooks of a data folder. Safe to use from any thread.

    Secrets are stored unhashed, because they sign messages; only the owner can read the file.
    """

    def __init__(self, db: WebDb, now: Callable[[], float] = time.time) -> None:
        self._db, self._now = db, now
        db.prepare(*_TABLES)

    def make(self, url: str, audience: Audience, by: str) -> tuple[Webhook, str]:
        """Return a new webhook, and the secret that its messages are signed with.

        Raises ``TilewatchError`` for an unsuitable address, and if there are too many webhooks.
        """
        check_url(url)
        if audience not in ("public", "director"):
            raise TilewatchError(f"audience: {audience!r} is neither public nor director")
        if len(self.all()) >= MOST:
            raise TilewatchError(f"there are {MOST} webhooks already; remove one first")
        hook = Webhook(secrets.token_hex(4), url, audience, by, int(self._now()))
        secret = secrets.token_urlsafe(32)
        with self._db.change() as change:
            change.execute(
                "INSERT INTO webhooks VALUES (?, ?, ?, ?, ?, ?)",
                (hook.id, url, audience, secret, by, hook.made_s),
            )
        return hook, secret

    def all(self) -> list[Webhook]:
        """Return every webhook, oldest first."""
        return [
            Webhook(*row)
            for row in self._db.rows(
                "SELECT id, url, audience, made_by, made_s FROM webhooks ORDER BY made_s, rowid"
            )
        ]

    def remove(self, hook_id: str) -> bool:
        """Delete a webhook; return True if there was one."""
        with self._db.change() as change:
            return change.execute("DELETE FROM webhooks WHERE id = ?", (hook_id,)).rowcount > 0

    def secret(self, hook_id: str) -> str | None:
        """Return the secret that signs a webhook's messages; ``None`` if it was removed."""
        rows = self._db.rows("SELECT secret FROM webhooks WHERE id = ?", (hook_id,))
        return str(rows[0][0]) if rows else None

    def place(self, hook_id: str, table_id: str) -> DeliveryCursor | None:
        """Return a webhook's progress at a table; ``None`` if nothing was sent there yet."""
        rows = self._db.rows(
            "SELECT last_id, known FROM webhook_places WHERE hook = ? AND table_id = ?",
            (hook_id, table_id),
        )
        return DeliveryCursor(rows[0][0], json.loads(rows[0][1])) if rows else None

    def reach(self, hook_id: str, table_id: str, place: DeliveryCursor) -> None:
        """Store the progress of a webhook; nothing happens if it was removed."""
        with self._db.change() as change:
            change.execute(
                "INSERT OR REPLACE INTO webhook_places"
                " SELECT id, ?, ?, ? FROM webhooks WHERE id = ?",
                (table_id, place.last_id, json.dumps(place.known), hook_id),
            )


def check_url(url: str) -> None:
    """Refuse an address that is unsuitable for a webhook. Raises ``TilewatchError``."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    good = (
        parts.scheme in ("http", "https")
        and parts.hostname
        and "@" not in parts.netloc
        and url.isascii()
        and url.isprintable()
        and " " not in url
        and len(url) <= LONGEST_URL
    )
    if not good:
        raise TilewatchError(
            "url: give an address that begins with https:// or http://, without a password in it"
        )
