"""The reports for commentators as a series that pages follow.

A rack that was seen changes no view, so the series follows the log's records themselves, as late as
the page asks. A report is worked out in the series' own thread, the newest one alone, and an
engine's answer is added when it comes.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Final

from dashboard.commentary.seat import Seat
from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import KEEP_LATE, Closable, Feed, Message, View, Views, encode
from dashboard.overlay.followers import MOST_DELAYS
from dashboard.site import Site, Table
from table.folded_log import Following, Step

_LOG = logging.getLogger(__name__)

SECOND: Final = 1_000_000_000
_UNUSED_S: Final = 10.0
"""Seconds after which nobody's reports are worked out no longer. Streams ask every second."""


def _game_after(step: Step) -> View | None:
    """Return which game a record leaves on the table, and the record's sequence."""
    game = step.shown
    return None if game is None else {"game_id": game.game_id, "seq": step.logged.seq}


class Reports(Closable):
    """The reports of one table with one delay. Safe to use from any thread."""

    def __init__(self, table: Table, seat: Seat, delay_s: int) -> None:
        super().__init__()
        assert table.folded is not None
        self._table, self._seat = table, seat
        records = Feed(Following(table.folded, _game_after), KEEP_LATE, table.clock)
        self._behind: Views = records
        if delay_s:
            self._behind = DelayedFeed(records, table.clock, table.rate, delay_s * SECOND)
        self._newest: list[Message] = []
        self._seen: str | None = None
        self._working = threading.Lock()
        self._thread: threading.Thread | None = None
        self._engine: threading.Thread | None = None
        self.used_s = time.monotonic()

    def now_ns(self) -> int:
        """Return the time in the reports."""
        return self._behind.now_ns()

    def kept(self, fresh: bool = True) -> list[Message]:
        """Return the newest report alone; it is complete in itself."""
        self.used_s = time.monotonic()
        if fresh:
            self._look(fresh)
        with self._wakeup:
            return list(self._newest)

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until there is a report other than ``last_id``; ``False`` if time ran out."""
        self.used_s = time.monotonic()
        with self._wakeup:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="commentary", daemon=True)
                self._thread.start()
        return self._wait_for(
            lambda: bool(self._newest) and self._newest[-1].id != last_id, timeout
        )

    def close(self) -> None:
        """End the series, and every stream that follows it."""
        super().close()
        self._behind.close()
        for thread in (self._thread, self._engine):  # the engine is ended by then
            if thread is not None and thread is not threading.current_thread():
                thread.join(timeout=5)

    def _run(self) -> None:
        while not self._closed:
            self._behind.wait(self._seen, 1.0)
            try:
                self._look(fresh=False)
            except Exception:  # a fault of ours: the next record is another chance
                _LOG.exception("no report for commentators")
            if time.monotonic() - self.used_s > _UNUSED_S:
                break
        with self._wakeup:
            self._thread = None

    def _look(self, fresh: bool) -> None:
        """Work out the report of the newest record, if it is another."""
        with self._working:
            kept = self._behind.kept(fresh)
            if not kept or kept[-1].id == self._seen:
                return
            newest = kept[-1]
            self._seen = newest.id
            report = self._seat.report(self._table, newest.view["game_id"], newest.seq)
            self._put(newest, {"withheld": True} if report is None else report)

    def _put(self, at: Message, report: dict[str, Any]) -> None:
        with self._wakeup:
            before = self._newest[-1].view if self._newest else {}
            engine = before.get("engine")
            if before and {**report, "engine": engine} == before:
                return
            known = bool(before) and {**report, **_no_position(before)} == before
            if known and not (engine or {}).get("waits"):
                waits, report["engine"] = False, engine
            else:
                waits = bool(self._seat.options.engine) and "withheld" not in report
                report["engine"] = {"waits": True} if waits else None
            message = Message(at.seq, at.mono_ns, at.id, report, encode(report))
            self._newest = [message]
            self._wakeup.notify_all()
        if waits:
            self._engine = threading.Thread(target=self._ask, args=(message,), name="engine")
            self._engine.daemon = True
            self._engine.start()

    def _ask(self, message: Message) -> None:
        """Add what the engine says to a report, unless there is a newer one."""
        says: dict[str, Any] | None = {"trouble": "the engine could not be asked; see the log"}
        try:
            says = self._seat.engine_says(
                self._table,
                message.view["game_id"],
                message.seq,
                lambda: self._closed or self._newest[-1] is not message,
            )
        except Exception:  # a fault of ours: the page must not wait for ever
            _LOG.exception("no engine for commentators")
        with self._wakeup:
            if self._newest[-1] is message:
                view = {**message.view, "engine": says}
                whole = Message(message.seq, message.mono_ns, f"{message.id}-e", view, encode(view))
                self._newest = [whole]
                self._wakeup.notify_all()


def _no_position(report: View) -> dict[str, Any]:
    """Return what of a report does not belong to the position that the engine was asked about."""
    return {name: report[name] for name in ("clocks", "engine") if name in report}


class AllReports:
    """The reports that pages ask for, by table and delay. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[tuple[str, int], tuple[Table, Reports]] = {}

    def of(self, site: Site, table: Table, seat: Seat, delay_s: int) -> Reports | None:
        """Return the reports of a table; None if it has no log, or too many delays are in use."""
        if table.folded is None:
            return None
        key = (table.id, delay_s)
        with self._lock:
            table_then, reports = self._made.get(key, (None, None))
            if reports is None or table_then is not table:
                self._drop_unused()
                if len([one for one in self._made if one[0] == table.id]) >= MOST_DELAYS:
                    return None
                reports = Reports(table, seat, delay_s)
                site.close_too(reports)
                self._made[key] = (table, reports)
            return reports

    def _drop_unused(self) -> None:
        now = time.monotonic()
        unused = [key for key, (_, one) in self._made.items() if now - one.used_s > _UNUSED_S]
        for key in unused:
            self._made.pop(key)[1].close()
