"""Guessing passwords is slowed down: every failure makes the next attempt wait longer.

Failures are counted for an account from one address, for an address whatever the account, and for
an account whatever the address. The last starts late and waits least, so that somebody who guesses
from elsewhere does not keep the director out for long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

FORGET_S: Final = 3600.0
"""Failures are forgotten after so long without another."""

_MOST_KEYS: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Measure:
    free: int
    """Failures that cost nothing."""
    longest_s: float


_PAIR: Final = _Measure(3, 900)
_ADDRESS: Final = _Measure(10, 900)
_ACCOUNT: Final = _Measure(30, 30)


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last_s: float = 0.0


class Throttle:
    """Counts failures and says how long to wait. Safe to use from any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failures: dict[Hashable, _Failures] = {}

    def begin(self, account: str, address: str) -> float:
        """Begin an attempt: 0 when it may go on, else the seconds to wait before the next.

        It counts as failed until :meth:`passed`, so that many at once are slowed down too.
        """
        keys = _keys(account, address)
        with self._lock:
            wait_s = max(self._left_s(key, how) for key, how in keys)
            if wait_s > 0:
                return wait_s
            now = self._now()
            if len(self._failures) >= _MOST_KEYS:
                self._forget(now)
            for key, _ in keys:
                one = self._failures.setdefault(key, _Failures())
                if now - one.last_s > FORGET_S:
                    one.count = 0
                one.count += 1
                one.last_s = now
        return 0.0

    def passed(self, account: str, address: str) -> None:
        """It was the right password: the attempt does not count."""
        pair, *others = _keys(account, address)
        with self._lock:
            self._failures.pop(pair[0], None)
            for key, _ in others:
                if key in self._failures:
                    self._failures[key].count = max(0, self._failures[key].count - 1)

    def _left_s(self, key: Hashable, how: _Measure) -> float:
        one = self._failures.get(key)
        if one is None or one.count < how.free:
            return 0.0
        waits = min(how.longest_s, 2.0 ** min(one.count - how.free, 20))
        return max(0.0, one.last_s + waits - self._now())

    def _forget(self, now: float) -> None:
        """Let go of what is old; of too many that are not, the oldest half."""
        by_age = sorted(self._failures, key=lambda key: self._failures[key].last_s)
        for place, key in enumerate(by_age):
            if place < _MOST_KEYS // 2 or now - self._failures[key].last_s > FORGET_S:
                del self._failures[key]


def _keys(account: str, address: str) -> list[tuple[Hashable, _Measure]]:
    name = account.strip().casefold()[:100]
    return [
        (("pair", name, address), _PAIR),
        (("address", address), _ADDRESS),
        (("account", name), _ACCOUNT),
    ]
