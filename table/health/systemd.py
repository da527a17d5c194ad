"""Tells systemd that the table is ready, alive and how it stands (``Type=notify``), where it asks.

The protocol is that of ``sd_notify(3)``: one datagram of ``NAME=value`` lines to the socket named
in ``NOTIFY_SOCKET``.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable
from typing import Final

_EVERY_S: Final = 1.0


class Notify:
    """A no-op if there is no ``NOTIFY_SOCKET``. ``clock`` gives seconds, monotonic."""

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
