"""Feeds the watchdog while a table's devices are alive, or can still be reopened.

A device that fails is reopened again and again, which brings most of them back. Only a new process
helps if a driver hangs, or keeps the camera from being reopened. So the watchdog is not fed if

* a device that has worked in this process cannot be reopened for ``GONE_S``, or
* the opening of a device, or the wait for a camera's next picture, hangs for ``HUNG_S``.

A device that has not worked since the process began does not count: a new process has just been
tried. So an unplugged camera costs one restart, not one every half minute, and each restart would
lose the presses of some seconds. The log needs no heartbeat: the loop that feeds the watchdog also
writes the log, so it stops if the disk hangs. If the disk *refuses* to write, there must be no
restart: the events held in memory would be lost with the process.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from table.health.limits import GONE_S, HUNG_S


class Heartbeat:
    """The signs of life of one device, from the thread that reads it. Thread-safe.

    Args:
        name: the name of the device, such as "camera".
        steady: True if it delivers all the time, as a camera does and buttons do not.
        clock: returns monotonic seconds.
    """

    def __init__(
        self, name: str, *, steady: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self._steady = steady
        self._clock = clock
        self._lock = threading.Lock()
        self._stirred_s = clock()
        """The time of the last sign of life."""
        self._well_s: float | None = None
        """When the device last worked; None if it has not yet."""
        self._open = False

    def tried(self) -> None:
        """Note that the device is about to be opened."""
        with self._lock:
            self._open = False
            self._stirred_s = self._clock()

    def opened(self) -> None:
        """Note that the device is open. Buttons then count as working; a camera with a picture."""
        with self._lock:
            self._open = True
            self._stirred_s = self._clock()
            if not self._steady:
                self._well_s = self._stirred_s

    def heard(self) -> None:
        """Note that the device has given a frame or a press."""
        with self._lock:
            self._stirred_s = self._well_s = self._clock()

    def failed(self) -> None:
        """Note that the device has failed and will be opened again."""
        with self._lock:
            now = self._clock()
            if self._open and not self._steady:
                self._well_s = now
            self._open = False
            self._stirred_s = now

    def trouble(self) -> str | None:
        """Return why the process should be restarted, in one line; None if it need not be."""
        with self._lock:
            now = self._clock()
            waits = self._open and not self._steady
            if not waits and now - self._stirred_s > HUNG_S:
                return f"the driver of the {self.name} hangs"
            if not waits and self._well_s is not None and now - self._well_s > GONE_S:
                return f"the {self.name} cannot be opened again"
            return None


def first_trouble(pulses: Iterable[Heartbeat]) -> str | None:
    """Return why one of these devices needs a restart of the process; None if none does."""
    return next((line for pulse in pulses if (line := pulse.trouble())), None)


_EVERY_S: Final = 1.0


class Notify:
    """Tells systemd that the table is ready and alive, and its status (``Type=notify``).

    The protocol is that of ``sd_notify(3)``: one datagram of ``NAME=value`` lines to the socket
    named in ``NOTIFY_SOCKET``. Without that name nothing is sent. ``clock`` gives seconds,
    monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._fed_s: float | None = None
        self._status = ""

    def ready(self) -> None:
        """Tell systemd that the table is ready."""
        self._send("READY=1")

    def alive(self) -> None:
        """Tell systemd, at most once a second, that the loop runs and no device needs a restart."""
        now_s = self._clock()
        if self._fed_s is None or now_s - self._fed_s >= _EVERY_S:
            self._fed_s = now_s
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Send a line for ``systemctl status`` if it has changed."""
        line = " ".join(text.split())
        if line != self._status:
            self._status = line
            self._send(f"STATUS={line}")

    def stopping(self) -> None:
        """Tell systemd that the table is being stopped."""
        self._send("STOPPING=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        address = self._address
        if address.startswith("@"):  # of Linux's abstract namespace
            address = f"\0{address[1:]}"
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock,
        ):
            sock.setblocking(False)  # a manager that does not read must not stop the loop
            sock.sendto(text.encode(), address)
