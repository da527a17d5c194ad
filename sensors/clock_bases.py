"""Moves times from ``CLOCK_BOOTTIME`` to ``CLOCK_MONOTONIC``.

libcamera stamps frames by ``CLOCK_BOOTTIME``, which goes on while the machine sleeps; button edges
and everything else here are on ``CLOCK_MONOTONIC``, which does not. The difference is nought until
the machine first sleeps, and changes only then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

_TRIES: Final = 5


def _monotonic_ns() -> int:
    return time.monotonic_ns()


def _boottime_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def boottime_ahead_ns(
    monotonic_ns: Callable[[], int] = _monotonic_ns,
    boottime_ns: Callable[[], int] = _boottime_ns,
) -> int:
    """By how much ``CLOCK_BOOTTIME`` is ahead of ``CLOCK_MONOTONIC``, in nanoseconds.

    The two can't be read at once: the boot time is read between two readings of the other, and the
    try whose readings lie closest together is believed, so being scheduled away does no harm.
    """
    tries = []
    for _ in range(_TRIES):
        before = monotonic_ns()
        boot = boottime_ns()
        after = monotonic_ns()
        tries.append((after - before, boot - (before + after) // 2))
    return min(tries)[1]
