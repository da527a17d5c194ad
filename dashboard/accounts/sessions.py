"""Sessions: who has logged in on which browser, kept on the server.

A browser holds a random token. The server stores only the token's keyed hash, so a copy of the file
logs nobody in. A session ends by logging out, when it has been idle or has lasted too long, and
when its account is removed or gets another password.

A signed cookie marks a browser that has logged in to an account before (OWASP's device cookies).
The cookie logs nobody in: it exempts the browser from the limit on strangers' guesses at the
account, so that guessing cannot lock the owner out.
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
"""Seconds without use after which a session ends: it lasts a long day of play, but not
overnight."""

OLDEST_S: Final = 3 * 24 * 3600
"""Seconds after which every session ends: a weekend's tournament."""

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
    """An account that has logged in on a browser."""

    account: Account
    token: str
    """The token in the browser; never logged, never in a page."""


class Sessions:
    """The sessions that are stored in a data folder."""

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
        """Open a session under a new token."""
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
        """Return the session of a token; None if there is none or it has ended."""
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
        """End the session of a token."""
        with self._db.change() as change:
            change.execute("DELETE FROM sessions WHERE hash = ?", (self._hash(token),))

    def form_token(self, token: str) -> str:
        """Return the token that forms of this session (or of the visit before log-in) must have."""
        return hmac.new(self._secret, b"form " + token.encode(), hashlib.sha256).hexdigest()

    def _hash(self, token: str) -> str:
        return hmac.new(self._secret, b"session " + token.encode(), hashlib.sha256).hexdigest()


LASTS_S: Final = 180 * 24 * 3600
"""The time after its last log-in for which a browser counts as known."""


LINK_S: Final = 3600
"""The time for which a link that makes a new browser known may be opened."""


class Devices:
    """Signs and checks the cookies that mark known browsers. Safe to use from any thread."""

    def __init__(self, secret: bytes, now: Callable[[], float] = time.time) -> None:
        self._secret, self._now = secret, now

    def cookie(self, account: str) -> str:
        """Return the name of an account's cookie. The account cannot be read from the name."""
        return "tilewatch_device_" + self._signed("name", _key(account))[:16]

    def issue(self, account: str) -> str:
        """Return the cookie's value for a browser that has just logged in."""
        device, now_s = secrets.token_hex(8), int(self._now())
        return f"{device}.{now_s}.{self._signed('value', _key(account), device, now_s)}"

    def known(self, account: str, value: str) -> str | None:
        """Return the device in a cookie's value; ``None`` if the value is forged or too old."""
        return self._checked("value", account, value, LASTS_S)

    def link_code(self, account: str) -> str:
        """Return the code of a link that makes the browser known if opened within ``LINK_S``."""
        nonce, now_s = secrets.token_hex(8), int(self._now())
        return f"{nonce}.{now_s}.{self._signed('link', _key(account), nonce, now_s)}"

    def is_link_code(self, account: str, code: str) -> bool:
        """True if the code is ours, for this account, and not too old."""
        return self._checked("link", account, code, LINK_S) is not None

    def _checked(self, purpose: str, account: str, value: str, lasts_s: int) -> str | None:
        first, _, rest = value.partition(".")
        issued_s, _, signature = rest.partition(".")
        if not (issued_s.isascii() and issued_s.isdigit() and len(issued_s) <= 12):
            return None
        due = self._signed(purpose, _key(account), first, int(issued_s))
        if not hmac.compare_digest(due.encode(), signature.encode()):
            return None
        return first if 0 <= self._now() - int(issued_s) <= lasts_s else None

    def _signed(self, *parts: object) -> str:
        text = "\0".join(("device", *map(str, parts)))
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()


def _key(account: str) -> str:
    return account.strip().casefold()
