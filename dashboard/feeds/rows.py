"""Lines that are kept up to date: each is sent once, and again when it has changed.

For pages that show many tables at a glance. Each change has a number, so that a page that comes
back gets what it missed and no more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from dashboard.feeds.feed import Closable, Message, encode
from dashboard.sent import whole_number
from dashboard.streaming.streams import frame


class Rows(Closable):
    """Lines by table: what a stream waits for (``dashboard.feeds.feed.Views``)."""

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
        """A table is no longer there."""
        with self._wakeup:
            self._rows.pop(table_id, None)

    def rows(self) -> list[dict[str, Any]]:
        """Every line, in the order in which the tables came."""
        with self._wakeup:
            return [row for _, _, row in self._rows.values()]

    def newer(self, version: int) -> tuple[int, dict[str, bytes]]:
        """The version now, and the lines by table that changed after one, each as JSON."""
        with self._wakeup:
            if version > self._version:  # of a run before this one
                version = 0
            rows = self._rows.items()
            return self._version, {id_: data for id_, (at, data, _) in rows if at > version}

    # --- as a stream waits for it ---

    def now_ns(self) -> int:
        """No table's time."""
        return time.monotonic_ns()

    def latest(self) -> Message | None:
        """The version now, for who waits for another; the lines are had by :meth:`newer`."""
        with self._wakeup:
            return Message(self._version, 0, str(self._version), {}, b"")

    def kept(self, fresh: bool = True) -> list[Message]:  # noqa: ARG002 - there is nothing staler
        """The version now."""
        latest = self.latest()
        return [] if latest is None else [latest]

    def since(self, last_id: str | None, fresh: bool = True) -> list[Message]:
        """The version now, if it is another than ``last_id``."""
        return [one for one in self.kept(fresh) if one.id != last_id]

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until the version is another than ``last_id``; ``False`` if time ran out."""
        return self._wait_for(lambda: str(self._version) != last_id, timeout)


class RowsFollower:
    """The rows that one page has not had yet (``dashboard.streaming.streams.Follower``)."""

    def __init__(
        self,
        feed: Rows,
        epoch: str,
        last_id: str | None,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        """``epoch`` names this run of the program: a page of an earlier one is given everything."""
        self.feed = feed
        self._epoch, self._ended = epoch, ended
        run, _, version = (last_id or "").partition("-")
        self._version = (whole_number(version) or 0) if run == epoch else 0

    @property
    def over(self) -> bool:
        """True if nothing more will come."""
        return self.feed.closed or self._ended()

    def beat(self) -> bytes:
        """A word that says nothing new."""
        return frame("beat", b"{}")

    def new_frames(self, fresh: bool = False) -> bytes:  # noqa: ARG002 - there is nothing staler
        """The lines that have changed since the last time."""
        return self.framed(self.fresh())

    def fresh(self) -> dict[str, bytes]:
        """The changed lines by table, each as JSON."""
        self._version, lines = self.feed.newer(self._version)
        return lines

    def framed(self, lines: Mapping[str, bytes]) -> bytes:
        """Lines, framed."""
        data = b"[" + b",".join(lines.values()) + b"]"
        return frame("rows", data, f"{self._epoch}-{self._version}") if lines else b""

    def waits_for(self) -> str | None:
        """The version that it has seen."""
        return str(self._version)
