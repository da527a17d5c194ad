"""The time of a simulated table, running beside real time."""

from __future__ import annotations

import threading
import time
from typing import Final

_LAG_NS: Final = 300_000_000
"""Behind by more than this (a slow machine), the table waits for us rather than we skip frames."""

_AHEAD_NS: Final = 400_000_000
"""How far the time shown may run ahead of what has happened at the table."""


class DemoClock:
    """Maps real time to the table's: ``speed`` times as fast, and never far ahead of the table.

    With ``speed`` 0 nobody waits for anything.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._start = time.monotonic_ns()
        self._base = self._start
        self._reached = self._base
        self._stopped = threading.Event()

    def shift(self, offset_ns: int) -> None:
        """Show a time base that runs ahead of the machine's by so much. Before anybody looks."""
        self._base += offset_ns
        self._reached = self._base

    def set(self, t_ns: int) -> None:
        """It is this time at the table. Before anybody looks."""
        self._base, self._start = t_ns, time.monotonic_ns()
        self._reached = t_ns

    @property
    def rate(self) -> float:
        """How fast the table's time runs beside real time, as the pages need to know it."""
        return self.speed or 1.0

    def now_ns(self) -> int:
        """The table's time now."""
        if not self.speed:
            return self._reached
        return min(self._due(), self._reached + round(_AHEAD_NS * self.speed))

    def wait_until(self, t_ns: int) -> bool:
        """Wait for a moment of the table's time; ``False`` if stopped meanwhile."""
        if self.speed:
            behind = self._due() - t_ns
            if behind > _LAG_NS * self.speed:
                self._base -= behind
            elif behind < 0:
                self._stopped.wait(-behind / self.speed / 1e9)
        self._reached = max(self._reached, t_ns)
        return not self._stopped.is_set()

    def stop(self) -> None:
        """Wake whoever waits; nobody waits any more."""
        self._stopped.set()

    def _due(self) -> int:
        return self._base + round((time.monotonic_ns() - self._start) * self.speed)
