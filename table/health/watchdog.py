"""Feeds the watchdog while a table's devices are alive, or can still be reopened.

A device that fails is reopened again and again, which brings most of them back. Only a fresh
process helps against a driver that hangs, or that holds the camera against its own successor. So
the watchdog is not fed when

* a device that has worked in this process is gone for ``GONE_S``, all that time being reopened, or
* the opening of a device, or a camera's next picture, hangs for ``HUNG_S``.

A device that has not worked since the process began does not count: a new process has just been
tried. An unplugged camera thus costs one restart, not one every half minute, each of which would
lose the presses of the seconds it takes. The log needs no heartbeat: the loop that asks here
writes it, so a disk that hangs keeps the loop from asking. A disk that *refuses* is no
reason to restart: the events held in memory would be lost with the process.
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
        name: of the device, such as "camera".
        steady: True if it always delivers, as a camera does and buttons do not.
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
        """The time of the last sign of life."""
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


def first_trouble(pulses: Iterable[Heartbeat]) -> str | None:
    """Return why one of these devices wants a fresh process; None while none does."""
    return next((line for pulse in pulses if (line := pulse.trouble())), None)


_EVERY_S: Final = 1.0


class Notify:
    """Tells systemd that the table is ready, alive and how it stands (``Type=notify``).

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
        """The table is at work."""
        self._send("READY=1")

    def alive(self) -> None:
        """The loop goes round and its devices are alive or tended; sent once a second at most."""
        now_s = self._clock()
        if self._fed_s is None or now_s - self._fed_s >= _EVERY_S:
            self._fed_s = now_s
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """One line for ``systemctl status``; sent when it changes."""
        line = " ".join(text.split())
        if line != self._status:
            self._status = line
            self._send(f"STATUS={line}")

    def stopping(self) -> None:
        """The table is being stopped."""
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
