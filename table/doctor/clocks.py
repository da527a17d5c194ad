"""Checks that frames and presses can be compared: the clocks that stamp them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from sensors.clock_bases import boottime_ahead_ns
from table.doctor.check import Check, fine, wrong
from table.doctor.machine import Machine

LOOSE_NS: Final = 1_000_000
"""The most by which two readings of the difference may differ on a busy machine."""
COARSE_NS: Final = 1_000_000
"""A clock with a coarser tick cannot order two presses."""
_APART_S: Final = 0.2


def clocks(
    machine: Machine,
    ahead_ns: Callable[[], int] = boottime_ahead_ns,
    resolution_ns: Callable[[], float] = lambda: time.get_clock_info("monotonic").resolution * 1e9,
) -> Iterator[Check]:
    """``CLOCK_BOOTTIME``, by which the Pi's camera stamps, against ``CLOCK_MONOTONIC``."""
    tick = resolution_ns()
    if tick > COARSE_NS:
        yield wrong(
            "clocks",
            f"the monotonic clock ticks only every {tick / 1e6:.0f} ms",
            "use a kernel with high-resolution timers (Raspberry Pi OS has one)",
            tick_ns=tick,
        )
        return
    first = ahead_ns()
    machine.sleep(_APART_S)
    second = ahead_ns()
    figures: dict[str, float] = {"ahead_ns": second, "apart_ns": abs(second - first)}
    if abs(second - first) > LOOSE_NS:
        yield wrong(
            "clocks",
            f"the boot clock and the monotonic clock moved {abs(second - first) / 1e6:.1f} ms "
            "against each other while looked at",
            "stop the machine from sleeping, and close programs that load its processor",
            **figures,
        )
    elif second < -LOOSE_NS:
        yield wrong(
            "clocks",
            f"the boot clock is {-second / 1e6:.1f} ms behind the monotonic one, which cannot be",
            "restart the machine; in a container, run on the machine itself",
            **figures,
        )
    elif second > LOOSE_NS:
        yield fine(
            "clocks",
            f"the machine has slept for {second / 1e9:.1f} s since its start; frames are moved by "
            "that onto the buttons' clock",
            **figures,
        )
    else:
        yield fine("clocks", "camera and buttons share a base of time", **figures)
