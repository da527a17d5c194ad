"""The time of a simulated table, which follows real time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

_LAG_NS: Final = 300_000_000
"""If a slow machine is more than this behind, the table's time waits; no frames are skipped."""

_LOOK_S: Final = 0.1
"""A longer wait is interrupted after each of this many seconds."""


class DemoClock:
    """Maps real time to the table's time: ``speed`` times as fast, and never ahead of the table.

    The clock runs up to the moment that ``wait_until`` waits for, and stops there until the next
    call. So everything before the time shown has already happened at the table. The time never
    steps back, even if the table waits for a slow machine. With ``speed`` 0 no call waits.
    """

    def __init__(self, speed: float, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """``monotonic_ns`` is real time."""
        self.speed = speed
        self._real_ns = monotonic_ns
        self._start = self._real_ns()
        self._base = self._start
        self._reached = self._base
        self._stopped = threading.Event()

    def shift(self, offset_ns: int) -> None:
        """Add ``offset_ns`` to the table's time; allowed only before the time was first read."""
        self._base += offset_ns
        self._reached = self._base

    def set(self, t_ns: int) -> None:
        """Set the table's time; allowed only before the time was first read."""
        self._base, self._start = t_ns, self._real_ns()
        self._reached = t_ns

    @property
    def rate(self) -> float:
        """The speed of the table's time for the pages, in multiples of real time; 1 for speed 0."""
        return self.speed or 1.0

    def now_ns(self) -> int:
        """Return the table's present time, in ns."""
        if not self.speed:
            return self._reached
        return min(self._due(), self._reached)

    def wait_until(self, t_ns: int, meanwhile: Callable[[], None] = lambda: None) -> bool:
        """Wait for a moment of the table's time; return False if stopped meanwhile, else True.

        ``meanwhile`` is called again and again during a long wait.
        """
        if not self.speed:
            self._reached = max(self._reached, t_ns)
            return not self._stopped.is_set()
        behind = self._due() - t_ns
        if behind > _LAG_NS * self.speed:
            # To where the time shown stands by now, so that it does not step back.
            self._base -= min(behind, self._due() - self._reached)
        self._reached = max(self._reached, t_ns)
        while (left_s := -behind / self.speed / 1e9) > _LOOK_S:
            if self._stopped.wait(_LOOK_S):
                return False
            meanwhile()
            behind = self._due() - t_ns
        if behind < 0 and not self._stopped.wait(left_s):
            self._base += max(0, t_ns - self._due())  # woken a moment too early
        return not self._stopped.is_set()

    def rest(self) -> None:
        """Let a moment of real time go by, in which the table's time stands still."""
        self._stopped.wait(_LOOK_S)

    @property
    def stopped(self) -> bool:
        """True after :meth:`stop`."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Wake all who wait; from now on, waits end at once."""
        self._stopped.set()

    def _due(self) -> int:
        return self._base + round((self._real_ns() - self._start) * self.speed)
