"""Checks that the machine's clock is synchronised.

The order of events never depends on it. The time of day in the records does, and so does the time
that a table was off if it is switched on again in the middle of a game.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from typing import Final

from table.doctor.check import Check, fine, unknown, wrong
from table.doctor.machine import Machine

_EARLIEST_S: Final = 1_767_225_600
"""2026-01-01: a machine that believes it is earlier has no clock and no network."""
_TIME_ERROR: Final = 5
"""``adjtimex(2)``'s answer for a clock that is not synchronised."""
_TIMEX_BYTES: Final = 1024
"""More than a ``struct timex`` takes on any machine; all zeros only asks."""


def kernel_synchronised() -> bool | None:
    """True if the kernel says that its clock is synchronised; None if it may not be asked."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        state = libc.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != _TIME_ERROR


def synchronised(
    machine: Machine, kernel: Callable[[], bool | None] = kernel_synchronised
) -> bool | None:
    """True if a time service keeps the clock right; None if that is unknown."""
    if machine.path("/run/systemd/timesync/synchronized").exists():
        return True
    answer = machine.ask(("timedatectl", "show", "--property=NTPSynchronized", "--value"))
    if answer is not None and answer.strip() in {"yes", "no"}:
        if answer.strip() == "yes":
            return True
    else:
        answer = None
    chrony = machine.ask(("chronyc", "-c", "tracking"))
    if chrony is not None:
        # The last field is the leap status, "Not synchronised" while it has no source.
        return not chrony.strip().endswith("Not synchronised")
    return False if answer is not None else kernel()


def timesync(
    machine: Machine,
    wall_s: Callable[[], float] = time.time,
    kernel: Callable[[], bool | None] = kernel_synchronised,
) -> Iterator[Check]:
    """The wall clock."""
    now = wall_s()
    day = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    known = synchronised(machine, kernel)
    if now < _EARLIEST_S:
        yield wrong(
            "time",
            f"it is not {day}",
            "connect the network until the clock is set (a Raspberry Pi forgets the time without "
            "power), or fit a clock with a battery",
            synchronised=known,
        )
    elif known is None:
        yield unknown(
            "time", f"{day}; nothing here tells whether it is kept right", synchronised=None
        )
    elif not known:
        yield wrong(
            "time",
            f"{day}, not synchronised with any time server",
            "connect the network, and see that timedatectl says: System clock synchronized: yes; "
            "where there is none, set it by hand",
            synchronised=False,
        )
    else:
        yield fine("time", f"{day}, synchronised", synchronised=True)
