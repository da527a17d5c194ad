"""What feeds the watchdog: whether a table's devices are alive, or at least tended.

A device that fails is opened again and again, which brings most of them back. What a process
cannot mend from within is a driver that hangs, or that holds the camera against its own successor;
a fresh process can. So the watchdog goes hungry when

* a device that has worked in this process is gone for ``GONE_S``, all that time being reopened, or
* the opening of a device, or a camera's next picture, hangs for ``HUNG_S``.

A device that has not worked since the process began starves nobody: a new process has just been
tried. An unplugged camera thus costs one restart, not one every half minute, each of which would
lose the presses of the seconds it takes. The log needs no pulse of its own: it is written by the
loop that asks here, so a disk that hangs keeps the loop from asking. A disk that *refuses* is no
reason to restart: the events held in memory would be lost with the process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from table.health.limits import GONE_S, HUNG_S


class Heartbeat:
    """One device, told of by the thread that reads it. Thread-safe.

    Args:
        name: what it is, such as "camera".
        steady: whether it always has something to tell, as a camera has and buttons have not.
        clock: seconds, monotonic.
    """

    def __init__(
        self, name: str, *, steady: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self._steady = steady
        self._clock = clock
        self._lock = threading.Lock()
        self._stirred_s = clock()
        """When it was last tried, opened, failed or heard."""
        self._well_s: float | None = None
        """When it last worked; None if it has not yet."""
        self._open = False

    def tried(self) -> None:
        """It is about to be opened."""
        with self._lock:
            self._open = False
            self._stirred_s = self._clock()

    def opened(self) -> None:
        """It is open; buttons count as working then, a camera once it gives a picture."""
        with self._lock:
            self._open = True
            self._stirred_s = self._clock()
            if not self._steady:
                self._well_s = self._stirred_s

    def heard(self) -> None:
        """It gave a frame or a press."""
        with self._lock:
            self._stirred_s = self._well_s = self._clock()

    def failed(self) -> None:
        """It gave up; it will be tried again."""
        with self._lock:
            now = self._clock()
            if self._open and not self._steady:
                self._well_s = now
            self._open = False
            self._stirred_s = now

    def trouble(self) -> str | None:
        """Why a fresh process is wanted, in one line; None while this one will do."""
        with self._lock:
            now = self._clock()
            waits = self._open and not self._steady
            if not waits and now - self._stirred_s > HUNG_S:
                return f"the driver of the {self.name} hangs"
            if not waits and self._well_s is not None and now - self._well_s > GONE_S:
                return f"the {self.name} cannot be opened again"
            return None


class DeviceWatchdog:
    """All the devices of a table."""

    def __init__(self, *pulses: Heartbeat) -> None:
        self._pulses = pulses

    def trouble(self) -> str | None:
        """The first trouble of any."""
        return next((said for pulse in self._pulses if (said := pulse.trouble())), None)
