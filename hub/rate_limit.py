"""Limits on one table: its messages, the ban when it sends far more, and incidents of one kind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MESSAGES_PER_S: Final = 40.0
MESSAGES_AT_ONCE: Final = 400.0
BYTES_PER_S: Final = 2_000_000.0
BYTES_AT_ONCE: Final = 8_000_000.0

_TOO_MANY: Final = 400
"""The number of messages over the limit in ten seconds that keeps a table out for a while."""

_WINDOW_S: Final = 10.0


class Bucket:
    """A token bucket: it fills at a rate up to a limit, and amounts are drawn from it."""

    def __init__(self, per_s: float, limit: float, now: float) -> None:
        self._per_s, self._limit = per_s, limit
        self._level, self._then = limit, now

    def draw(self, amount: float, now: float) -> bool:
        """Draw an amount and return True; if there is less in it, draw nothing and return False."""
        self._level = min(self._limit, self._level + (now - self._then) * self._per_s)
        self._then = now
        if amount > self._level:
            return False
        self._level -= amount
        return True

    def wait_s(self, amount: float, now: float) -> float:
        """Return the seconds until an amount can be drawn; 0 if it can be now."""
        level = min(self._limit, self._level + (now - self._then) * self._per_s)
        return max(0.0, (min(amount, self._limit) - level) / self._per_s)


@dataclass(slots=True)
class _Meter:
    messages: Bucket
    octets: Bucket
    since: float
    over: int = 0


class RateLimiter:
    """Limits the messages and bytes of each table. Used from one thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._meters: dict[str, _Meter] = {}

    def passes(self, table_id: str, size: int) -> bool:
        """Return True if a message of this size may pass."""
        now = self._clock()
        meter = self._meters.get(table_id)
        if meter is None:
            meter = self._meters[table_id] = _Meter(
                Bucket(MESSAGES_PER_S, MESSAGES_AT_ONCE, now),
                Bucket(BYTES_PER_S, BYTES_AT_ONCE, now),
                now,
            )
        if meter.messages.draw(1, now) and meter.octets.draw(size, now):
            return True
        if now - meter.since > _WINDOW_S:
            meter.since, meter.over = now, 0
        meter.over += 1
        return False

    def flooding(self, table_id: str) -> bool:
        """Return True if a table is so far over its limit that it must be cut off."""
        meter = self._meters.get(table_id)
        return meter is not None and meter.over >= _TOO_MANY

    def reset(self, table_id: str) -> None:
        """Forget a table's earlier messages."""
        self._meters.pop(table_id, None)


BAN_S: Final = 60.0
"""The time for which a table that flooded the broker is cut off."""


class Bans:
    """The tables that flooded the broker, each cut off for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until_s: dict[str, float] = {}

    def add(self, table_id: str) -> None:
        """Cut a table off from now on."""
        self._until_s[table_id] = self._clock() + BAN_S

    def lines(self) -> dict[str, str]:
        """Return the tables that are cut off, each with a line on the reason and the end."""
        found = {}
        for table_id, until_s in list(self._until_s.items()):
            again = time.localtime(time.time() + until_s - self._clock())
            when = time.strftime("%H:%M:%S", again)
            found[table_id] = f"it floods the broker; it may come again at {when}"
        return found

    def end(self) -> bool:
        """End the bans whose time is over; return True if there were any."""
        now = self._clock()
        over = [table_id for table_id, until_s in list(self._until_s.items()) if until_s <= now]
        for table_id in over:
            del self._until_s[table_id]
        return bool(over)


QUIET_S: Final = 30.0
"""The least seconds between two noted incidents of one kind at one table."""

_MOST_KINDS: Final = 10_000


@dataclass(slots=True)
class _Noted:
    at_s: float
    passed_over: int = 0


class IncidentLimit:
    """Limits the rate of incidents by table *and* kind. Safe to use from any thread.

    A trivial incident never hides a serious one: each kind has a limit of its own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._noted: dict[tuple[str, str], _Noted] = {}

    def draw(self, table_id: str, kind: str) -> int | None:
        """Count the incidents of this kind skipped since the last one that was noted.

        None if this one must be skipped, too.
        """
        now = self._clock()
        with self._lock:
            known = self._noted.get((table_id, kind))
            if known is not None and now - known.at_s < QUIET_S:
                known.passed_over += 1
                return None
            if len(self._noted) >= _MOST_KINDS:
                self._noted.clear()
            self._noted[table_id, kind] = _Noted(now)
            return known.passed_over if known is not None else 0
