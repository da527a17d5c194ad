"""The durations of steps, kept for percentiles."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_KEEP = 20_000
"""The number of newest measurements kept: half an hour of frames, to save memory."""


class Timings:
    """Durations of one kind of work, in milliseconds."""

    def __init__(self) -> None:
        self._ms: deque[float] = deque(maxlen=_KEEP)

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Measure the time of the ``with`` block, whether it succeeds or not."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add((time.perf_counter() - start) * 1e3)

    def add(self, ms: float) -> None:
        """Add one duration."""
        self._ms.append(ms)

    def __len__(self) -> int:
        return len(self._ms)

    def percentile(self, share: float) -> float | None:
        """Return the duration that a ``share`` (0 to 1) of all do not exceed; None without any."""
        if not self._ms:
            return None
        ordered = sorted(self._ms)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    def summary(self) -> dict[str, float | None]:
        """``{"p50", "p99"}`` in milliseconds, to the hundredth; None if nothing was measured."""
        return {
            name: None if value is None else round(value, 2)
            for name, value in (("p50", self.percentile(0.5)), ("p99", self.percentile(0.99)))
        }


@dataclass
class RecorderTimings:
    """The time from a press until its turn was on disk, and the time that each frame took."""

    per_press: Timings = field(default_factory=Timings)
    per_frame: Timings = field(default_factory=Timings)
