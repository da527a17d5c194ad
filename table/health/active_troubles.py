"""The troubles at a table now.

A trouble that lasts is over when its source says so: the camera sees again, the turn that was held
open is settled. A trouble that happened (a double press, a call of the director) stays until
somebody attends to it.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from game.events import TroubleNoted


class ActiveTroubles:
    """The troubles that are not over. Thread-safe."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._now: dict[tuple[str, str], TroubleNoted] = {}

    def begin(self, trouble: TroubleNoted) -> bool:
        """Add a trouble; return True if it is new.

        A trouble that lasts already keeps its time and gets the new line; one that happens again
        has the new time.
        """
        key, lasts = (trouble.code, trouble.what), trouble.state == "begins"
        with self._changing:
            before = self._now.get(key)
            if before is not None and lasts:
                trouble = replace(trouble, t_ns=before.t_ns)
            self._now = {**self._now, key: trouble}
        return before is None or not lasts

    def end(self, code: str, what: str = "") -> TroubleNoted | None:
        """Remove a trouble that is over or was attended to; return it, None if there was none."""
        with self._changing:
            left = dict(self._now)
            gone = left.pop((code, what), None)
            self._now = left
        return gone

    def now(self) -> tuple[TroubleNoted, ...]:
        """Return the active troubles, oldest first."""
        return tuple(sorted(self._now.values(), key=lambda one: one.t_ns))
