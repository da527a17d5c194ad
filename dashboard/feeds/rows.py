"""Lines that are kept up to date: each is sent once, and again when it has changed.

For pages that show many tables at a glance. Each change has a number, so that a page that comes
back gets what it missed and no more.
"""

from __future__ import annotations

import time
from typing import Any

from dashboard.feeds.feed import Closable, Message, encode


class Rows(Closable):
    """Lines by table. The series of views has no content but the version of the lines."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, tuple[int, bytes, dict[str, Any]]] = {}
        self._version = 0

    def put(self, table_id: str, row: dict[str, Any]) -> bool:
        """Take a table's newest row; True if it differs from the one before."""
        with self._wakeup:
            before = self._rows.get(table_id)
            if before is not None and before[2] == row:
                return False
            self._version += 1
            self._rows[table_id] = (self._version, encode(row), row)
            self._wakeup.notify_all()
        return True

    def drop(self, table_id: str) -> None:
        """Remove a table's line."""
        with self._wakeup:
            self._rows.pop(table_id, None)

    def rows(self) -> list[dict[str, Any]]:
        """Return every line, in the order in which the tables were added."""
        with self._wakeup:
            return [row for _, _, row in self._rows.values()]

    def newer(self, version: int) -> tuple[int, dict[str, bytes]]:
        """Return the current version, and by table the lines changed since ``version``, as JSON."""
        with self._wakeup:
            if version > self._version:  # of a run before this one
                version = 0
            rows = self._rows.items()
            return self._version, {id_: data for id_, (at, data, _) in rows if at > version}

    def now_ns(self) -> int:
        """Return the machine's time, because the lines belong to many tables."""
        return time.monotonic_ns()

    def kept(self, fresh: bool = True) -> list[Message]:  # noqa: ARG002 - there is nothing staler
        """Return the current version as a message without data; :meth:`newer` gives the lines."""
        with self._wakeup:
            return [Message(self._version, 0, str(self._version), {}, b"")]

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until the version differs from ``last_id``; ``False`` if time ran out."""
        return self._wait_for(lambda: str(self._version) != last_id, timeout)
