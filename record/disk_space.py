"""Room on the disk: how much there is, and some that is set aside for the log."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 16 * 2**20
"""Bytes that a live table's log sets aside: room for thousands of events, dozens of games."""

PICTURES_STOP_BYTES: Final = 64 * 2**20
"""No picture is kept when less than this would be left free."""

_SPARE: Final = 4
"""The reserve is restored when this multiple of its size is free."""


def free_bytes(folder: Path) -> int:
    """Bytes that this process may still write on the folder's disk. Raises ``OSError``."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


class Reserve:
    """A file that does nothing but take up room, until it is given up for something better."""

    def __init__(self, path: Path, size: int = RESERVE_BYTES) -> None:
        self.path = path
        self.size = size

    @property
    def held(self) -> bool:
        """True while the room is set aside."""
        try:
            return self.path.stat().st_size >= self.size
        except OSError:
            return False

    def take(self) -> bool:
        """Set the reserve aside if the disk has room; True if it is set aside now."""
        if self.held:
            return True
        try:
            if free_bytes(self.path.parent) < _SPARE * self.size:
                return False
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, self.size)
            finally:
                os.close(descriptor)
        except OSError:
            self.release()
            return False
        return True

    def release(self) -> bool:
        """Give the room up; True if there was any."""
        with contextlib.suppress(OSError):
            self.path.unlink()
            return True
        return False
