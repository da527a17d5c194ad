"""Sessions: who has logged in on which browser, kept on the server.

A browser holds a random token. The server keeps its keyed hash alone, so that a copy of the file
opens nothing. A session ends by logging out, by lying idle, by its age, and when its account is
removed or its password changed.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dashboard.accounts.store import Account, Accounts
from dashboard.web_db import WebDb

IDLE_S: Final = 12 * 3600
"""A session that nobody uses for so long is over: a long day's play, not a night's."""

OLDEST_S: Final = 3 * 24 * 3600
"""No session lives longer: a weekend's tournament."""

_TOUCH_S: Final = 60
"""The shortest time between two writes of the time of last use."""

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS sessions (
    hash TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    stamp TEXT NOT NULL,
    made_s INTEGER NOT NULL,
    used_s INTEGER NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has logged in."""

    account: Account
    token: str
    """The token in the browser; never logged, never in a page."""


class Sessions:
    """The sessions of a data folder."""

    def __init__(
        self,
        db: WebDb,
        accounts: Accounts,
        secret: bytes,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._db, self._accounts, self._secret, self._now = db, accounts, secret, now
        db.prepare(_TABLE)

    def open(self, account: Account) -> Session:
        """A new session, under a token that nobody has had before."""
        token = secrets.token_urlsafe(32)
        now = int(self._now())
        stamp = self._accounts.stamp(account.name)
        with self._db.change() as change:
            change.execute(
                "DELETE FROM sessions WHERE used_s < ? OR made_s < ?",
                (now - IDLE_S, now - OLDEST_S),
            )
            change.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)",
                (self._hash(token), account.name, stamp, now, now),
            )
        return Session(account, token)

    def find(self, token: str) -> Session | None:
        """The session of a token, while it lasts."""
        rows = self._db.rows(
            "SELECT account, stamp, made_s, used_s FROM sessions WHERE hash = ?",
            (self._hash(token),),
        )
        if not rows:
            return None
        name, stamp, made_s, used_s = rows[0]
        now = int(self._now())
        account = self._accounts.find(str(name))
        changed = account is None or stamp != self._accounts.stamp(account.name)
        if changed or now - int(used_s) > IDLE_S or now - int(made_s) > OLDEST_S:
            self.close(token)
            return None
        assert account is not None
        if now - int(used_s) >= _TOUCH_S:
            with self._db.change() as change:
                change.execute(
                    "UPDATE sessions SET used_s = ? WHERE hash = ?", (now, self._hash(token))
                )
        return Session(account, token)

    def close(self, token: str) -> None:
        """Log out."""
        with self._db.change() as change:
            change.execute("DELETE FROM sessions WHERE hash = ?", (self._hash(token),))

    def form_token(self, token: str) -> str:
        """Return the token that a form of this session (or of the visit before it) must have."""
        return hmac.new(self._secret, b"form " + token.encode(), hashlib.sha256).hexdigest()

    def _hash(self, token: str) -> str:
        return hmac.new(self._secret, b"session " + token.encode(), hashlib.sha256).hexdigest()
