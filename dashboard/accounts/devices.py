"""Browsers that have logged in to an account before (OWASP's device cookies).

A signed cookie says so. It opens nothing: it only sets a browser apart from the strangers whose
guesses an account's limit is about, so that nobody can keep its owner out by guessing.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from typing import Final

LASTS_S: Final = 180 * 24 * 3600
"""The time after its last log-in for which a browser counts as known."""


LINK_S: Final = 3600
"""The time for which a link that makes a new browser known may be opened."""


class Devices:
    """Signs and checks the cookies of a data folder. Safe to use from any thread."""

    def __init__(self, secret: bytes, now: Callable[[], float] = time.time) -> None:
        self._secret, self._now = secret, now

    def cookie(self, account: str) -> str:
        """The name of the cookie that is about this account; it does not tell the account."""
        return "tilewatch_device_" + self._signed("name", _key(account))[:16]

    def issue(self, account: str) -> str:
        """The value for a browser that has just logged in."""
        device, now_s = secrets.token_hex(8), int(self._now())
        return f"{device}.{now_s}.{self._signed('value', _key(account), device, now_s)}"

    def known(self, account: str, value: str) -> str | None:
        """The device that the cookie's value is of; ``None`` if it is not ours or too old."""
        return self._checked("value", account, value, LASTS_S)

    def link_code(self, account: str) -> str:
        """A code for a link that makes the browser which opens it known, within ``LINK_S``."""
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
