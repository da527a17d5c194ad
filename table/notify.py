"""Tells systemd that the table is ready and alive (``Type=notify``), where systemd asks."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from typing import Final

_EVERY_S: Final = 1.0


class Notify:
    """A no-op where there is no ``NOTIFY_SOCKET``."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._last_s = 0.0

    def ready(self) -> None:
        """The table is at work."""
        self._send("READY=1")

    def alive(self) -> None:
        """The loop goes round and its devices are being read; sent once a second at most."""
        now_s = time.monotonic()
        if self._address and now_s - self._last_s >= _EVERY_S:
            self._last_s = now_s
            self._send("WATCHDOG=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        address = self._address
        if address.startswith("@"):
            address = f"\0{address[1:]}"
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock,
        ):
            sock.sendto(text.encode(), address)
