"""The overview of the hall: a line for every table, kept up to date.

A page gets every line once and then the changed ones; each change has a number, so that a page that
reconnects gets only what it missed. There are two editions: the director's, and the public's, which
contains only data from the public view of each table.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from dashboard.director.overview import Overview, summary
from dashboard.feeds.rows import Rows
from dashboard.site import Site, Table
from game.errors import TilewatchError
from game.terms import SIDES
from hub.event_results import EventResults
from hub.presence import Presence
from hub.public_row import public_row
from hub.requests import Requests

_LOG = logging.getLogger(__name__)

_LOOK_S: Final = 1.0
_BUSY_S: Final = 1.0
_STRAYS_NS: Final = 300_000_000
"""A table's time may be estimated so far off before its line is sent again for it."""


class HallView:
    """Keeps both editions up to date in a thread of its own."""

    def __init__(
        self,
        site: Site,
        table_of: Callable[[str], Table | None],
        presence: Presence,
        requests: Requests,
        refused: Callable[[str], str | None],
        busy: Callable[[], bool],
        event: EventResults,
    ) -> None:
        """Make lines for the tables of ``site``, which ``table_of`` finds.

        ``refused`` returns the reason why a table's log is no longer accepted, or None. ``busy``
        returns True if so much comes in that lines should be updated less often. ``event`` knows
        the players, the round, and if a game's result counts.
        """
        self._table_of, self._presence, self._requests = table_of, presence, requests
        self._refused, self._busy = refused, busy
        self.director, self.public = Overview(site, made_here=False), Rows()
        self.on_drawn: Callable[[str], None] = lambda _: None
        """Called with a table once its lines are up to date."""
        self._event = event
        self._offsets: dict[str, int] = {}
        self._rounds: dict[str, tuple[object, int | None]] = {}
        self._states: dict[str, str] = {}
        self._changed: set[str] = set()
        self._wakeup = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and every stream that follows this view."""
        with self._wakeup:
            self._stopping = True
            self._wakeup.notify_all()
        if self._thread.ident is not None:
            self._thread.join(timeout=5)
        for edition in (self.director, self.public):
            edition.close()

    def changed(self, table_id: str) -> None:
        """Note that something has happened at a table. Callable from any thread; never waits."""
        with self._wakeup:
            self._changed.add(table_id)
            self._wakeup.notify()

    def _run(self) -> None:
        looked = 0.0
        while True:
            with self._wakeup:
                self._wakeup.wait_for(lambda: self._stopping or bool(self._changed), _LOOK_S)
                if self._stopping:
                    return
                if self._busy():
                    self._wakeup.wait_for(lambda: self._stopping, _BUSY_S)
                changed, self._changed = self._changed, set()
            now = time.monotonic()
            if now - looked >= _LOOK_S:
                looked = now
                # Silence says nothing by itself: it has to be looked for.
                changed |= {id_ for id_, was in self._states.items() if self._is_due(id_, was)}
            for table_id in changed:
                try:
                    self.draw(table_id)
                    self.on_drawn(table_id)
                except TilewatchError as error:
                    _LOG.error("the hall's line of %s: %s", table_id, error)
                except Exception:  # one table's line must not stop the others'
                    _LOG.exception("the hall's line of %s", table_id)

    def _is_due(self, table_id: str, was: str) -> bool:
        table = self._table_of(table_id)
        late = table is not None and bool(table.allowed.behind)  # what is due changes by itself
        return late or self._state(table_id) != was

    def _state(self, table_id: str) -> str:
        return self._presence.state(table_id)

    def draw(self, table_id: str) -> None:
        """Update a table's line now. The view's thread calls this for changed tables."""
        table = self._table_of(table_id)
        if table is None:
            return
        state = self._states[table_id] = self._state(table_id)
        line = summary(table)
        if state != "here":
            line["clocks"] = _standing(line["clocks"], table.feeds["director"].now_ns())
        refused = self._refused(table_id)
        if refused is not None:
            refusal = {"level": "trouble", "code": "log_refused", "text": refused, "about": None}
            line["concerns"].insert(0, refusal)
        line["requests"] = [one.words for one in self._requests.open(table_id)]
        line["seq"] = table.log.last_seq if table.log is not None else 0
        self.director.put(table_id, {**line, "state": state})
        self.public.put(table_id, self._public_row(table, silent=state != "here"))

    def _public_row(self, table: Table, *, silent: bool) -> dict[str, Any]:
        latest = table.public.latest()
        view: Mapping[str, Any] | None = latest.view if latest else None
        if view is None:
            return public_row(table.id, table.name, None)
        now_ns = table.public.now_ns()
        if silent:
            view = {**view, "clocks": _standing(view["clocks"], now_ns)}
        if view["final"] and self._event.waits(table.id, view["game_id"]):
            view = {**view, "provisional": True}
        names = {side: str(view["players"][side]["name"]) for side in SIDES}
        known = (view["game_id"], *names.values())
        if self._rounds.get(table.id, (None, None))[0] != known:
            self._rounds[table.id] = known, self._event.round_now(*names.values())
        return public_row(
            table.id,
            table.name,
            view,
            offset_ns=self._offset(table, now_ns),
            rate=table.rate,
            round_=self._rounds[table.id][1],
            entrants={side: self._event.entrant(name) for side, name in names.items()},
        )

    def _offset(self, table: Table, now_ns: int) -> int:
        """Return a table's time less the wall time, the same as before unless it has strayed."""
        if table.allowed.delay_turns:
            return 0  # its clocks stand, and its time tells nothing of theirs
        found, before = now_ns - time.time_ns(), self._offsets.get(table.id)
        if before is None or abs(found - before) > _STRAYS_NS:
            self._offsets[table.id] = before = found
        return before


def _standing(clocks: Mapping[str, Any] | None, now_ns: int) -> Mapping[str, Any] | None:
    """Return the last known clocks of a silent table, stopped, so that no page counts them on."""
    if clocks is None or (side := clocks["running"]) is None or clocks["since_ns"] is None:
        return clocks
    left = dict(clocks["remaining_ns"])
    left[side] -= max(0, now_ns - clocks["since_ns"])
    return {**clocks, "running": None, "since_ns": None, "remaining_ns": left}
