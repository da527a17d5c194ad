"""The table's time base, and the record of the time until which the table was watched.

Times in the log are on one monotonic base: ``CLOCK_MONOTONIC`` plus an offset that never changes
while the machine runs. At a reboot ``CLOCK_MONOTONIC`` begins again at zero, and the table's time
goes on from the last watched moment: time in which no process watched does not count.

A file in the table's folder says until when everything that happened is in the log. From then to
the next moment that a process watches is a :class:`Gap`. ``CLOCK_BOOTTIME``, which goes on while
the machine sleeps, gives its length. After a reboot only the wall clock does, which anybody may
set. That length is then only proposed to the director and changes no clock.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from game.files import write_file
from table.health.limits import RESTARTED_NS

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_FILE: Final = "timebase.json"
_BYTES: Final = 256
"""The length of every record, so that a new one replaces the old one completely."""
_TICK_S: Final = 1.0
_SYNCED: Final = 5
"""One record in this number is synced to the disk. A power cut may lose the others:
the clocks then stand a few seconds earlier."""


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The time of the log's newest event, by both clocks, in ns."""

    mono_ns: int
    wall_ns: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which nobody watched the table."""

    from_ns: int
    """The last moment that was watched, on the table's base."""
    until_ns: int
    """The first moment that was watched again, on the table's base."""
    passed_ns: int | None
    """The length of the gap in ns; None if unknown."""
    measured: bool
    """True if ``CLOCK_BOOTTIME`` gave the length, False if only the wall clock did."""

    @property
    def short(self) -> bool:
        """True if the gap is known to be no longer than a restart."""
        return self.measured and self.passed_ns is not None and self.passed_ns <= RESTARTED_NS


@dataclass(frozen=True, slots=True)
class TimeBase:
    """``CLOCK_MONOTONIC`` plus ``offset_ns``."""

    offset_ns: int
    boot: str
    gap: Gap | None = None
    """The gap before this process, in which none watched; None at a table's first start."""

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


def boottime_ns() -> int:
    """Return ``CLOCK_BOOTTIME``, which goes on while the machine sleeps."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def open_time_base(
    folder: Path,
    last: LastEvent | None,
    *,
    boot: str | None = None,
    mono_ns: int | None = None,
    since_boot_ns: int | None = None,
    wall_ns: int | None = None,
) -> TimeBase:
    """Return the time base of the table with its data in ``folder``.

    ``last`` is the log's newest event. Nothing is written: once the gap is in the log, a
    :class:`PauseWatch` begins the next record. The other arguments are the present clocks, for
    tests.
    """
    boot = boot_id() if boot is None else boot
    mono_ns = time.monotonic_ns() if mono_ns is None else mono_ns
    since_boot_ns = boottime_ns() if since_boot_ns is None else since_boot_ns
    wall_ns = time.time_ns() if wall_ns is None else wall_ns
    note = _read(folder / _FILE)
    goes_on = note is not None and note.boot_id == boot != "unknown"
    offset_ns = note.offset_ns if note is not None and goes_on else 0
    from_ns, by_wall_ns = _last_watched(note, last)
    if from_ns is None:
        return TimeBase(offset_ns, boot)
    passed_ns: int | None
    if goes_on:
        until_ns = max(mono_ns + offset_ns, from_ns)
        passed_ns = until_ns - from_ns
        if note is not None:
            watched_ns, then_ns, _ = note.watched
            passed_ns = max(0, since_boot_ns - then_ns - (from_ns - watched_ns))
    else:
        until_ns = from_ns
        passed_ns = None if by_wall_ns is None or wall_ns < by_wall_ns else wall_ns - by_wall_ns
    gap = Gap(from_ns, until_ns, passed_ns, measured=goes_on)
    return TimeBase(until_ns - mono_ns, boot, gap)


class PauseWatch:
    """Records until when a table is watched, and finds times in which its process was paused.

    A thread writes the record every second. If it could not for longer than a restart takes, the
    whole process was paused or the machine slept, so the table was not watched.
    """

    def __init__(self, folder: Path, base: TimeBase, now_ns: Callable[[], int]) -> None:
        """``now_ns`` is the table's time. Raises ``OSError``."""
        self._base, self._now_ns = base, now_ns
        self._lock = threading.Lock()
        self._stirred = now_ns(), boottime_ns()
        self._gaps: list[Gap] = []
        self._reached: _Watched = (now_ns(), boottime_ns(), time.time_ns())
        write_file(folder / _FILE, _text(base, self._reached))
        self._handle = os.open(folder / _FILE, os.O_WRONLY | os.O_CLOEXEC)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def reached(self, t_ns: int) -> None:
        """Note that everything that happened until ``t_ns`` is in the log."""
        self._reached = (t_ns, boottime_ns(), time.time_ns())

    def look(self) -> Gap | None:
        """Return a new time in which the table was not watched, once; None if there was none."""
        self._stir()
        with self._lock:
            return self._gaps.pop(0) if self._gaps else None

    def _stir(self) -> None:
        """Note that the process runs, and how long it was paused."""
        with self._lock:
            now_ns, since_boot_ns = self._now_ns(), boottime_ns()
            then_ns, then_boot_ns = self._stirred
            self._stirred = now_ns, since_boot_ns
            if (passed_ns := since_boot_ns - then_boot_ns) > RESTARTED_NS:
                from_ns = min(max(then_ns, self._reached[0]), now_ns)
                self._gaps.append(Gap(from_ns, now_ns, passed_ns, measured=True))

    def _run(self) -> None:
        count = 0
        while not self._closed.wait(_TICK_S):
            self._stir()
            count += 1
            self._write(synced=count % _SYNCED == 0)

    def _write(self, *, synced: bool) -> None:
        with contextlib.suppress(OSError):  # a disk that refuses is noticed by the log
            os.pwrite(self._handle, _text(self._base, self._reached), 0)
            if synced:
                os.fdatasync(self._handle)

    def __enter__(self) -> PauseWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()
        self._write(synced=True)
        os.close(self._handle)


_Watched = tuple[int, int, int]
"""A moment by the table's time, by ``CLOCK_BOOTTIME`` and by the wall clock, in ns."""


@dataclass(frozen=True, slots=True)
class _Note:
    boot_id: str
    offset_ns: int
    watched: _Watched
    """The time until which the table was watched."""


def _last_watched(note: _Note | None, last: LastEvent | None) -> tuple[int | None, int | None]:
    """Return the last watched moment by the table's time and by the wall clock; None if unknown."""
    moments = [] if last is None else [(last.mono_ns, last.wall_ns)]
    if note is not None and last is not None:
        moments.append((note.watched[0], note.watched[2]))
    return max(moments, default=(None, None))


def _text(base: TimeBase, watched: _Watched) -> bytes:
    note = {"boot_id": base.boot, "offset_ns": base.offset_ns, "watched": watched}
    return json.dumps(note).ljust(_BYTES).encode()


def _read(path: Path) -> _Note | None:
    try:
        data = json.loads(path.read_text("ascii"))
        watched_ns, since_boot_ns, wall_ns = (int(one) for one in data["watched"])
        return _Note(
            str(data["boot_id"]), int(data["offset_ns"]), (watched_ns, since_boot_ns, wall_ns)
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
