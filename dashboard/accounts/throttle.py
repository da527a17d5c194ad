"""Guessing passwords is slowed down: every failure makes the next attempt wait longer.

Strangers' failures are counted for each pair of account and address, and for each address over all
accounts. Each account also answers a limited number of strangers' attempts. Addresses that have not
failed before have a budget of their own there, so that somebody who logs in from a new device does
not compete with those who guess again and again.

A device that has logged in to the account before (:mod:`dashboard.accounts.sessions`), and the
machine itself, wait for their own failures alone. No number of strangers can make either wait.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final

from dashboard.addresses import is_this_machine, share_of

FORGET_S: Final = 3600.0
"""Seconds without another failure after which the failures are forgotten."""

_MOST_KEYS: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Measure:
    free: int
    """The number of failures after which the next attempt need not wait."""
    longest_s: float


_PAIR: Final = _Measure(3, 900)
_ADDRESS: Final = _Measure(10, 900)
_TRUSTED: Final = _Measure(5, 30)


@dataclass(frozen=True, slots=True)
class _Rate:
    burst: int
    every_s: float


_CLEAN_RATE: Final = _Rate(750, 5.0)
"""The attempts that an account answers from addresses whose first failures are still free. Each
address has three: even 250 addresses that guess at once do not use more than these up."""
_OTHERS_RATE: Final = _Rate(10, 30.0)


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last_s: float = 0.0


@dataclass(slots=True)
class _Budget:
    """A budget of attempts: a burst of ``rate.burst``, then one every ``rate.every_s`` seconds."""

    rate: _Rate
    full_s: float = 0.0
    """The time at which the whole budget is available again."""

    def wait_s(self, now: float) -> float:
        """Return the seconds until an attempt may be taken; 0 if one may be now."""
        return max(0.0, self.full_s - (self.rate.burst - 1) * self.rate.every_s - now)

    def take(self, now: float) -> None:
        self.full_s = max(self.full_s, now) + self.rate.every_s

    def give_back(self) -> None:
        self.full_s -= self.rate.every_s


@dataclass(slots=True)
class _Account:
    """The attempts that strangers may make at one account."""

    clean: _Budget = field(default_factory=lambda: _Budget(_CLEAN_RATE))
    others: _Budget = field(default_factory=lambda: _Budget(_OTHERS_RATE))


class Throttle:
    """Counts failures and says how long to wait. Safe to use from any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failures: dict[Hashable, _Failures] = {}
        self._accounts: dict[str, _Account] = {}

    def is_clean(self, account: str, address: str) -> bool:
        """True if a stranger's failures at this account, from this address, cause no wait yet."""
        with self._lock:
            return self._is_clean(_keys(_name(account), address, None)[0][0], self._now())

    def begin(self, account: str, address: str, device: str | None = None) -> float:
        """Begin an attempt; return 0 if it may go on, else the seconds to wait before the next.

        ``device`` is one that has logged in to the account before. The attempt counts as failed
        until :meth:`passed`, so that many at once are slowed down too.
        """
        name = _name(account)
        keys = _keys(name, address, device)
        with self._lock:
            now = self._now()
            wait_s = max(self._left_s(key, how, now) for key, how in keys)
            if wait_s > 0:
                return wait_s
            self._make_room(now)
            if not trusted(address, device):
                limits = self._accounts.setdefault(name, _Account())
                budget = limits.clean if self._is_clean(keys[0][0], now) else limits.others
                wait_s = budget.wait_s(now)
                if wait_s > 0:
                    return wait_s
                budget.take(now)
            for key, _ in keys:
                one = self._failures.setdefault(key, _Failures())
                if now - one.last_s > FORGET_S:
                    one.count = 0
                one.count += 1
                one.last_s = now
        return 0.0

    def passed(self, account: str, address: str, device: str | None = None) -> None:
        """Note that the password was right: the attempt does not count."""
        name = _name(account)
        pair, *others = _keys(name, address, device)
        with self._lock:
            self._failures.pop(pair[0], None)
            for key, _ in others:
                if key in self._failures:
                    self._failures[key].count = max(0, self._failures[key].count - 1)
            if not trusted(address, device) and name in self._accounts:
                self._accounts[name].clean.give_back()

    def _is_clean(self, pair: Hashable, now: float) -> bool:
        one = self._failures.get(pair)
        return one is None or one.count < _PAIR.free or now - one.last_s > FORGET_S

    def _left_s(self, key: Hashable, how: _Measure, now: float) -> float:
        one = self._failures.get(key)
        if one is None or one.count < how.free:
            return 0.0
        waits = min(how.longest_s, 2.0 ** min(one.count - how.free, 20))
        return max(0.0, one.last_s + waits - now)

    def _make_room(self, now: float) -> None:
        """Drop old entries, and the oldest half if too many are left."""
        if len(self._failures) >= _MOST_KEYS:
            by_age = sorted(self._failures, key=lambda key: self._failures[key].last_s)
            for place, key in enumerate(by_age):
                if place < _MOST_KEYS // 2 or now - self._failures[key].last_s > FORGET_S:
                    del self._failures[key]
        if len(self._accounts) >= _MOST_KEYS:
            # An account whose budget is whole again is as good as one never heard of.
            by_need = sorted(self._accounts, key=lambda name: self._accounts[name].others.full_s)
            for name in by_need[: _MOST_KEYS // 2]:
                del self._accounts[name]


def trusted(address: str, device: str | None) -> bool:
    """True if an attempt comes from a known device or from this machine itself."""
    return device is not None or is_this_machine(address)


def _name(account: str) -> str:
    return account.strip().casefold()[:100]


def _keys(name: str, address: str, device: str | None) -> list[tuple[Hashable, _Measure]]:
    """Return the keys under which failures are counted; the pair of name and origin is first."""
    if device is not None:
        return [(("device", name, device), _TRUSTED)]
    if is_this_machine(address):
        return [(("machine", name), _TRUSTED)]
    share = share_of(address)
    return [(("pair", name, share), _PAIR), (("address", share), _ADDRESS)]
