"""Broadcast slots: a table by another name, which the director points at one after the other.

A slot is served like any table, so whatever a broadcaster has set up for it (an overlay, a text
file, a stream) goes on with the next table when the director switches, without a hand on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial

from dashboard.feed import Message, Views
from dashboard.site import Table
from table.public import NOTHING_SAID
from table.views import AUDIENCES, Audience

_STEP_S = 0.2


class SlotFeed:
    """The views of whatever feed the slot is pointed at (``dashboard.feed.Views``)."""

    def __init__(self, now: Callable[[], Views | None]) -> None:
        self._now = now
        self._closed = False

    def now_ns(self) -> int:
        """What time it is at that table."""
        feed = self._now()
        return feed.now_ns() if feed is not None else 0

    def latest(self) -> Message | None:
        """The newest view of that table."""
        feed = self._now()
        return feed.latest() if feed is not None else None

    def kept(self, fresh: bool = True) -> list[Message]:
        """Every view of that table that is still remembered."""
        feed = self._now()
        return feed.kept(fresh) if feed is not None else []

    def since(self, last_id: str | None, fresh: bool = True) -> list[Message]:
        """What a page still has to see; of a table that it did not see yet, the newest alone."""
        feed = self._now()
        return feed.since(last_id, fresh) if feed is not None else []

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until there is another view, be it another table's."""
        deadline = time.monotonic() + timeout
        begun = self._now()
        while not self._closed:
            feed, left = self._now(), deadline - time.monotonic()
            if feed is not begun:
                return True
            if left <= 0:
                return False
            if feed is None:
                time.sleep(min(left, _STEP_S))
            elif feed.wait(last_id, min(left, _STEP_S)):
                return True
        return True

    @property
    def closed(self) -> bool:
        """Whether the slot has ended."""
        return self._closed

    def close(self) -> None:
        """End it; the table's own feed goes on."""
        self._closed = True


class Slot:
    """One slot. Safe to use from any thread."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self._table: Table | None = None
        self._changing = threading.Lock()
        self.feeds: Mapping[Audience, SlotFeed] = {
            audience: SlotFeed(partial(self._feed, audience)) for audience in AUDIENCES
        }

    @property
    def table(self) -> Table | None:
        """The table that it shows."""
        return self._table

    def point(self, table: Table | None) -> Table:
        """Show another table from now on, or none; the slot as a table of the site."""
        with self._changing:
            self._table = table
            return self.as_table()

    def as_table(self) -> Table:
        """The slot as the site serves it: to be watched, not ruled on."""
        table = self._table
        return Table(
            self.id,
            table.name if table is not None else self.id,
            self.feeds,
            lambda: self._table.clock() if self._table is not None else 0,
            table.rate if table is not None else 1.0,
            log=table.log if table is not None else None,
            allowed=table.allowed if table is not None else NOTHING_SAID,
        )

    def _feed(self, audience: Audience) -> Views | None:
        return self._table.feeds[audience] if self._table is not None else None
