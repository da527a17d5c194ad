"""The overview of the hall: a line for every table, kept up to date.

A page gets every line once and then the changed ones; each change has a number, so that a page that
reconnects gets only what it missed. There are two editions: the director's, and the public's, which
contains only data from the public view of each table.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from dashboard.director.overview import summary
from dashboard.feeds.rows import Rows
from dashboard.site import Table
from game.errors import TilewatchError
from hub.presence import Presence
from hub.requests import Requests
from table.pairings.details import table_number

_LOG = logging.getLogger(__name__)

Edition = Literal["director", "public"]
EDITIONS: Final[tuple[Edition, ...]] = ("director", "public")

_LOOK_S: Final = 1.0
_BUSY_S: Final = 1.0
_MOST: Final = 4
"""The most concerns of one table that are shown at a time."""


class HallView:
    """Keeps both editions up to date in a thread of its own."""

    def __init__(
        self,
        table_of: Callable[[str], Table | None],
        presence: Presence,
        requests: Requests,
        refused: Callable[[str], str | None],
        busy: Callable[[], bool] = lambda: False,
    ) -> None:
        """Make lines for the tables that ``table_of`` finds.

        ``refused`` returns the reason why a table's log is no longer accepted, or None. ``busy``
        returns True if so much comes in that lines should be updated less often.
        """
        self._table_of, self._presence, self._requests = table_of, presence, requests
        self._refused, self._busy = refused, busy
        self.feeds: Mapping[Edition, Rows] = {edition: Rows() for edition in EDITIONS}
        self.on_drawn: Callable[[str], None] = lambda _: None
        """Called with a table once its lines are up to date."""
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
        for feed in self.feeds.values():
            feed.close()

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
        offset = table.clock() - time.time_ns()
        if state != "here":
            line["clocks"] = _standing(line["clocks"], line["now_ns"])
        refused = self._refused(table_id)
        concerns = line.pop("concerns")
        if refused is not None:
            concerns.insert(0, {"level": "trouble", "code": "log_refused", "text": refused})
        line.pop("now_ns")
        self.feeds["director"].put(
            table_id,
            {
                **line,
                "state": state,
                "offset_ns": _rounded(offset),
                "concerns": [
                    {key: one.get(key) for key in ("level", "code", "text", "about")}
                    for one in concerns[:_MOST]
                ],
                "more": max(0, len(concerns) - _MOST),
                "requests": [
                    {"id": one.id, "words": one.words, "by": one.by, "status": one.status}
                    for one in self._requests.open(table_id)
                ],
                "seq": table.log.last_seq if table.log is not None else 0,
            },
        )
        self.feeds["public"].put(table_id, public_row(table))


def _standing(clocks: Mapping[str, Any] | None, now_ns: int) -> Mapping[str, Any] | None:
    """Return the last known clocks of a silent table, stopped, so that no page counts them on."""
    if clocks is None or (side := clocks["running"]) is None or clocks["since_ns"] is None:
        return clocks
    left = dict(clocks["remaining_ns"])
    left[side] -= max(0, now_ns - clocks["since_ns"])
    return {**clocks, "running": None, "since_ns": None, "remaining_ns": left}


def public_row(table: Table) -> dict[str, Any]:
    """Return a table's public line: its public view in short."""
    latest = table.public.latest()
    view: Mapping[str, Any] | None = latest.view if latest else None
    return {
        "id": table.id,
        "name": table.name,
        "status": view["status"] if view else "waiting",
        "players": view["players"] if view else None,
        "on_turn": view["on_turn"] if view else None,
        "turns": len(view["turns"]) if view else 0,
        "bag_count": view["bag_count"] if view else None,
        "settled": view["settled"] if view else False,
        "final": view["final"] if view else False,
        "no_result": view["no_result"] if view else False,
        "provisional": view["provisional"] if view else False,
        "winner": _winner(view) if view else None,
    }


def _winner(view: Mapping[str, Any]) -> str | None:
    """Return the winner once nothing can change the result; None before."""
    if not view["final"] or view["provisional"] or view["outcome"] is None:
        return None
    winner: str | None = view["outcome"]["winner"]
    return winner


def by_number(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return lines in order of the tables' numbers, 2 before 10, as ``hall.js`` does."""
    return sorted(rows, key=lambda row: (table_number(row["id"]) or 0, row["id"]))


def _rounded(offset_ns: int) -> int:
    """Return a table's clock offset rounded to a fifth of a second, so that lines change rarely."""
    step = 200_000_000
    return round(offset_ns / step) * step
