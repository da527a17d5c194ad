"""All tables at a glance, as they change: what the director's desk follows.

What a table's line says comes from its log and from what is wrong at it now. Both are looked at ten
times a second while somebody follows, in the thread that waits for news on behalf of all who do: to
see that nothing has changed costs a comparison, and a line is made anew only where something has.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from dashboard.director.game_record import summary
from dashboard.feeds.feed import encode
from dashboard.feeds.rows import Rows
from dashboard.site import Site, Table
from dashboard.streaming.streams import RowsFollower, frame

_LOOK_S: Final = 0.1


class Overview(Rows):
    """The lines of a site's tables. Safe to use from any thread."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self._site = site
        self._seen: dict[str, tuple[object, ...]] = {}
        self._looking = threading.Lock()
        self.run = secrets.token_hex(4)
        """Names this run of the program: a page of an earlier one is given every line."""

    def look(self) -> None:
        """See which tables' lines have changed."""
        with self._looking:
            for table in self._site.tables:
                now = _signs(table)
                if self._seen.get(table.id) != now:
                    row = summary(table)
                    del row["now_ns"]
                    self.put(table.id, row)
                    self._seen[table.id] = now

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Look until some line is news."""
        give_up = time.monotonic() + timeout
        while not self.closed:
            self.look()
            left_s = give_up - time.monotonic()
            if self.since(last_id) or left_s <= 0:
                break
            time.sleep(min(_LOOK_S, left_s))
        return bool(self.since(last_id))

    @property
    def closed(self) -> bool:
        """True if the site is closed."""
        return self._site.closed

    def times(self, tables: Iterable[str] | None = None) -> bytes:
        """Return the time at these tables, or at all of them, framed."""
        wanted = None if tables is None else set(tables)
        now = {
            table.id: {"now_ns": table.feeds["director"].now_ns(), "rate": table.rate}
            for table in self._site.tables
            if wanted is None or table.id in wanted
        }
        return frame("time", encode(now))


class OverviewFollower(RowsFollower):
    """The messages for one director's page: lines, each with the time at its table."""

    def __init__(self, glance: Overview, last_id: str | None, ended: Callable[[], bool]) -> None:
        super().__init__(glance, glance.run, last_id, ended)
        self._glance = glance

    def beat(self) -> bytes:
        """The time at every table."""
        return self._glance.times()

    def new_frames(self, fresh: bool = False) -> bytes:
        """The lines that have changed, and what time it is if they have."""
        if fresh:
            self._glance.look()
        lines = self.fresh()
        return self._glance.times(lines) + self.framed(lines) if lines else b""


def _signs(table: Table) -> tuple[object, ...]:
    """Return what a line depends on, as cheaply as possible."""
    desk, log = table.desk, table.log
    newest = log.last_seq if log is not None else table.feeds["director"].latest()
    return (
        table,
        newest,
        None if log is None else log.trouble,
        None if desk is None else (desk.phase, desk.trouble()),
    )
