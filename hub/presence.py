"""Keeps track of each table's connection, last report and clock."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hub.wire.messages import Announcement, Facts, TableFacts

SILENT_S: Final = 8.0
"""A table that was not heard for this many seconds is silent: it has missed three reports."""

_OFFSETS: Final = 12
_SESSIONS: Final = 200

State = Literal["never", "here", "silent", "lost", "stopped", "out"]
"""The connection of a table.

``lost`` has lost its connection, ``stopped`` was stopped on purpose, and ``out`` is kept out, by a
director or for a while.
"""


@dataclass(slots=True)
class _Seen:
    session: str | None = None
    state: State = "never"
    heard_s: float | None = None
    away_s: float | None = None
    """The time at which the table was lost or stopped; None while it is here."""
    n: int = 0
    facts: TableFacts = field(default_factory=TableFacts)
    offsets: deque[int] = field(default_factory=lambda: deque(maxlen=_OFFSETS))
    gone: deque[str] = field(default_factory=lambda: deque(maxlen=_SESSIONS))
    """The newest sessions that have ended because another one followed."""


class Presence:
    """The state of all tables that were heard. Safe to use from any thread."""

    def __init__(self, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock_ns = clock_ns
        self._seen: dict[str, _Seen] = {}
        self._out: Mapping[str, str] = {}
        self._out_s: Mapping[str, float] = {}
        self._lock = threading.Lock()

    def keep_out(self, tables: Mapping[str, str]) -> None:
        """Set the tables that may not connect now, each with a line that gives the reason."""
        now_s = self._now_s()
        with self._lock:
            self._out_s = {table_id: self._out_s.get(table_id, now_s) for table_id in tables}
            self._out = dict(tables)

    def kept_out(self, table_id: str) -> str | None:
        """Return why a table may not connect now, in a line; None if it may."""
        return self._out.get(table_id)

    def assume(self, table_id: str, mono_ns: int) -> None:
        """Take ``mono_ns`` for the present time on the base of a table that was not heard."""
        with self._lock:
            self._seen.setdefault(table_id, _Seen()).offsets.append(mono_ns - self._clock_ns())

    def heard(self, table_id: str) -> None:
        """Note that any message came from a table."""
        with self._lock:
            seen = self._seen.setdefault(table_id, _Seen())
            seen.heard_s = self._now_s()
            if seen.state in ("never", "silent"):
                seen.state = "here"

    def announced(self, table_id: str, announced: Announcement, *, retained: bool) -> bool:
        """Take a table's announcement or its last will; return True if it is here."""
        state, session = announced.state, announced.session
        with self._lock:
            seen = self._seen.setdefault(table_id, _Seen())
            if session in seen.gone:
                return False  # an old announcement, sent again
            if state == "here":
                self._begin(seen, session)
                if not retained:
                    self._is_here(seen)
                return True
            if seen.session in (None, session):
                seen.session = session
                seen.state = state
                seen.away_s = self._now_s() if seen.away_s is None else seen.away_s
            return False

    def reported(self, table_id: str, report: Facts, *, retained: bool) -> bool:
        """Take the facts that a table reports; return True if they are new."""
        session, n = report.session, report.n
        with self._lock:
            seen = self._seen.setdefault(table_id, _Seen())
            if session in seen.gone:
                return False
            if session == seen.session and n <= seen.n:
                return False  # doubled, or an old report sent again
            self._begin(seen, session)
            seen.n, seen.facts = n, report.facts
            if not retained:
                self._is_here(seen)
                offset = report.mono_ns - self._clock_ns()
                if seen.offsets and offset < max(seen.offsets) - round(SILENT_S * 1e9):
                    seen.offsets.clear()  # no way is so long: its machine slept, and its time stood
                seen.offsets.append(offset)
            return True

    def _is_here(self, seen: _Seen) -> None:
        seen.heard_s, seen.away_s, seen.state = self._now_s(), None, "here"

    def _begin(self, seen: _Seen, session: str) -> None:
        if seen.session != session:
            if seen.session is not None:
                seen.gone.append(seen.session)
            seen.session, seen.n = session, 0
            seen.offsets.clear()

    def state(self, table_id: str) -> State:
        """Return the state of a table's connection."""
        if table_id in self._out:
            return "out"
        with self._lock:
            seen = self._seen.get(table_id)
            if seen is None:
                return "never"
            if seen.state == "here" and self._age_s(seen) > SILENT_S:
                return "silent"
            return seen.state

    def absence(self, table_id: str) -> str | None:
        """Return why a table cannot be asked now, as the rest of a sentence after "the table".

        None if the table is here.
        """
        if self.state(table_id) == "here":
            return None
        out = self.kept_out(table_id)
        return "is not there" if out is None else f"is {out}"

    def silent_s(self, table_id: str) -> float | None:
        """Return the seconds since a table was last heard; None if it never was."""
        with self._lock:
            seen = self._seen.get(table_id)
            if seen is None or seen.heard_s is None:
                return None
            return self._age_s(seen)

    def facts_of(self, table_id: str) -> TableFacts:
        """Return the facts that a table reported last."""
        with self._lock:
            seen = self._seen.get(table_id)
            return TableFacts() if seen is None else seen.facts

    def now_ns(self, table_id: str) -> int:
        """Return the present time on a table's own base, in ns, as exactly as the network allows.

        A report takes some time to arrive, so the one of the newest that took least is used.
        """
        with self._lock:
            seen = self._seen.get(table_id)
            offset = max(seen.offsets) if seen is not None and seen.offsets else 0
            return self._clock_ns() + offset

    def shown_ns(self, table_id: str) -> int:
        """Return the time on a table's base that pages show, in ns.

        It stops when the table is no longer here (:meth:`state`), because the hub does not know how
        its clocks have gone on. It is 0 before this hub has heard from the table.
        """
        with self._lock:
            seen = self._seen.get(table_id)
            if seen is None or seen.heard_s is None:
                return 0
            offset = max(seen.offsets) if seen.offsets else 0
            ends_s = (seen.heard_s + SILENT_S, seen.away_s, self._out_s.get(table_id))
            stands_s = min(one for one in ends_s if one is not None)
            return min(self._clock_ns(), round(stands_s * 1e9)) + offset

    def _now_s(self) -> float:
        return self._clock_ns() / 1e9

    def _age_s(self, seen: _Seen) -> float:
        return float("inf") if seen.heard_s is None else self._now_s() - seen.heard_s
