"""What a recorder that is killed leaves for the one that comes after it.

The picture of the last stretch at rest lies in a file of its own, and beside it, from a press until
its turn is logged, the time of that press. Neither is forced to the disk: both outlive the process,
which is all that they are for. What must outlive a power cut is in the log.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from game.files import remove_leftovers, write_file

_PICTURE = "rest.jpg"
_ABOUT = "rest.json"
_PRESS = "press.json"


class CrashSnapshot:
    """A folder with the newest stretch at rest."""

    def __init__(self, folder: Path) -> None:
        """Use ``folder``, creating it."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            remove_leftovers(folder)

    def keep(self, jpeg: bytes, t_ns: int) -> None:
        """The board at rest at ``t_ns``."""
        with contextlib.suppress(OSError):
            self._put(_PICTURE, jpeg)
            self._put(_ABOUT, json.dumps({"t_ns": t_ns}).encode())

    def pressed(self, press_ns: int, rest_ns: int) -> None:
        """A press found the board lying as it did at ``rest_ns``."""
        with contextlib.suppress(OSError):
            self._put(_PRESS, json.dumps({"press_ns": press_ns, "rest_ns": rest_ns}).encode())

    def picture(self) -> tuple[bytes, int] | None:
        """The newest picture at rest and its time."""
        about = self._read(_ABOUT)
        try:
            jpeg = (self._folder / _PICTURE).read_bytes()
        except OSError:
            return None
        return (jpeg, about["t_ns"]) if jpeg and "t_ns" in about else None

    def at_press(self, press_ns: int) -> bytes | None:
        """The picture of the board at this press, if it lay at rest then."""
        press, kept = self._read(_PRESS), self.picture()
        if kept is None or press.get("press_ns") != press_ns or press.get("rest_ns") != kept[1]:
            return None
        return kept[0]

    def _put(self, name: str, data: bytes) -> None:
        write_file(self._folder / name, data, durable=False)

    def _read(self, name: str) -> dict[str, int]:
        try:
            data = json.loads((self._folder / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}
