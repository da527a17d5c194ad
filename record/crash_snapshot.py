"""A snapshot on disk that a killed recorder leaves for the next one.

The picture of the last still segment is in a file of its own; a second file has the time of a press
until the press's turn is logged. Neither is synced: both only have to outlive the process. Data
that must outlive a power cut is in the log. The second file is written in place, by one call that a
kill cannot interrupt, because renaming a file over another may wait for the disk.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from game.files import remove_leftovers, write_file

_PICTURE = "rest.jpg"
_ABOUT = "rest.json"
_PRESS = "press.json"
_LOOKED = "looked.json"
_BYTES = 128
"""The length of every record of times, so that a new one overwrites the old one completely."""
_EVERY_NS = 500_000_000
"""The least time between two records of the newest picture's time."""


class CrashSnapshot:
    """A folder with the picture of the newest still segment."""

    def __init__(self, folder: Path) -> None:
        """Use ``folder``, creating it."""
        self._folder = folder
        self._looked_ns = 0
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            remove_leftovers(folder)

    def save(self, jpeg: bytes, t_ns: int) -> None:
        """Store the picture of the still board at ``t_ns``."""
        with contextlib.suppress(OSError):
            self._put(_PICTURE, jpeg)
            self._put(_ABOUT, json.dumps({"t_ns": t_ns}).encode())

    def pressed(self, press_ns: int, rest_ns: int) -> None:
        """Store the time of a press, which found the board as it was at ``rest_ns``."""
        self._put_times(_PRESS, press_ns=press_ns, rest_ns=rest_ns)

    def looked(self, t_ns: int) -> None:
        """Store the time of a picture that was read, twice a second at most."""
        if abs(t_ns - self._looked_ns) >= _EVERY_NS:
            self._looked_ns = t_ns
            self._put_times(_LOOKED, t_ns=t_ns)

    def looked_ns(self) -> int | None:
        """Return the approximate time of the newest picture that was read; None if unknown."""
        return self._read(_LOOKED).get("t_ns")

    def picture(self) -> tuple[bytes, int] | None:
        """Return the newest picture of the still board and its time; None if there is none."""
        about = self._read(_ABOUT)
        try:
            jpeg = (self._folder / _PICTURE).read_bytes()
        except OSError:
            return None
        return (jpeg, about["t_ns"]) if jpeg and "t_ns" in about else None

    def at_press(self, press_ns: int) -> bytes | None:
        """Return the picture of the board at this press; None if the board was not still then."""
        press, kept = self._read(_PRESS), self.picture()
        if kept is None or press.get("press_ns") != press_ns or press.get("rest_ns") != kept[1]:
            return None
        return kept[0]

    def _put_times(self, name: str, **times: int) -> None:
        with contextlib.suppress(OSError):
            about = json.dumps(times).ljust(_BYTES).encode()
            descriptor = os.open(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
            try:
                os.pwrite(descriptor, about, 0)
            finally:
                os.close(descriptor)

    def _put(self, name: str, data: bytes) -> None:
        write_file(self._folder / name, data, durable=False)

    def _read(self, name: str) -> dict[str, int]:
        try:
            data = json.loads((self._folder / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}
