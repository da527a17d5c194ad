"""The table's time base, which outlives the process and the machine's sleep.

Times in the log are on one monotonic base. While the machine runs that is ``CLOCK_MONOTONIC`` plus
an offset that never changes, so a process that is killed and started again finds the clocks running
as if nothing had happened. Over a reboot ``CLOCK_MONOTONIC`` starts anew: the time that passed is
then taken from the wall clock, which the log has with every event for this and nothing else.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from game.files import write_file

_LOG = logging.getLogger(__name__)
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_FILE: Final = "timebase.json"


@dataclass(frozen=True, slots=True)
class LastEvent:
    """When the newest event of the log happened, by both clocks."""

    mono_ns: int
    wall_ns: int


@dataclass(frozen=True, slots=True)
class TimeBase:
    """``CLOCK_MONOTONIC`` plus ``offset_ns``. ``lost``: how long it was off is not known."""

    offset_ns: int
    lost: bool = False

    def now_ns(self) -> int:
        """The table's time now."""
        return time.monotonic_ns() + self.offset_ns

    def of(self, monotonic_ns: int) -> int:
        """The table's time at a moment of ``CLOCK_MONOTONIC``."""
        return monotonic_ns + self.offset_ns


def boot_id() -> str:
    """Return the identifier of this run of the machine."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return "unknown"


def open_time_base(
    folder: Path,
    last: LastEvent | None,
    *,
    boot: str | None = None,
    monotonic_ns: int | None = None,
    wall_ns: int | None = None,
) -> TimeBase:
    """The time base of the table whose data is in ``folder``; ``last`` is the log's newest event.

    The other arguments are the clocks as they stand, for tests.
    """
    boot = boot_id() if boot is None else boot
    mono = time.monotonic_ns() if monotonic_ns is None else monotonic_ns
    wall = time.time_ns() if wall_ns is None else wall_ns
    kept = _read(folder / _FILE)
    if kept is not None and kept[0] == boot and boot != "unknown":
        base = TimeBase(kept[1])
        if last is None or mono + base.offset_ns >= last.mono_ns:
            return base
    base = _carried_over(last, mono, wall)
    state = {"boot_id": boot, "offset_ns": base.offset_ns}
    write_file(folder / _FILE, json.dumps(state).encode())
    return base


def _carried_over(last: LastEvent | None, mono: int, wall: int) -> TimeBase:
    if last is None:
        return TimeBase(0)
    passed = wall - last.wall_ns
    if passed < 0:
        _LOG.warning(
            "the wall clock stands %.0f s before the last event: how long the table was off is "
            "not known and nobody is charged for it",
            -passed / 1e9,
        )
        return TimeBase(last.mono_ns - mono, lost=True)
    return TimeBase(last.mono_ns + passed - mono)


def _read(path: Path) -> tuple[str, int] | None:
    try:
        data = json.loads(path.read_text("ascii"))
        return str(data["boot_id"]), int(data["offset_ns"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
