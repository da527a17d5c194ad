"""Which phone is a table's camera: the one that was paired last.

The director shows a code, as a QR code, which is good once and for ten minutes. The phone that
brings it gets the table's camera key in exchange, and the key of the phone before ends. Codes are
as long as keys, so that none can be guessed.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from typing import Final

from flask import Flask, current_app

from dashboard.link_keys import BYTES, LinkKeys

CODE_S: Final = 600.0


class Pairing:
    """The codes and keys of a site's cameras. Safe to use from any thread."""

    def __init__(self, keys: LinkKeys, clock: Callable[[], float] = time.monotonic) -> None:
        self.keys = keys
        self._clock = clock
        self._lock = threading.Lock()
        self._codes: dict[str, tuple[str, float]] = {}
        """By table: the code, and until when it is good."""

    def code(self, table_id: str) -> str:
        """A new code for a table; one that was made before is good no more."""
        code = secrets.token_urlsafe(BYTES)
        with self._lock:
            self._codes[table_id] = code, self._clock() + CODE_S
        return code

    def redeem(self, table_id: str, code: str) -> str | None:
        """The key of the table's camera for who brings the code; None if it is not good (any more).

        Raises ``WebError``.
        """
        with self._lock:
            known, until_s = self._codes.get(table_id, ("", 0.0))
            good = hmac.compare_digest(known.encode(), code.encode()) and self._clock() < until_s
            if not known or not good:
                return None
            del self._codes[table_id]
        return self.keys.renew(table_id)


def pairing() -> Pairing:
    """The pairing of the current application."""
    return pairing_of(current_app)


def pairing_of(app: Flask) -> Pairing:
    """The pairing of an application."""
    found = app.extensions["tilewatch.camera_pairing"]
    assert isinstance(found, Pairing)
    return found
