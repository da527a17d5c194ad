"""The machine that is looked at: its files below one root, its commands, its clocks.

Tests put another root and other answers in its place.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PATIENCE_S: Final = 5.0

Ask = Callable[[Sequence[str]], str | None]


def ask(command: Sequence[str]) -> str | None:
    """Return the output of a command; None if it is missing, fails or takes too long."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands, no shell
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True)
class Machine:
    """Where the checks look."""

    root: Path = Path("/")
    ask: Ask = ask
    sleep: Callable[[float], None] = time.sleep

    def path(self, absolute: str) -> Path:
        """A file of the system, such as ``/sys/class/thermal``."""
        return self.root / absolute.lstrip("/")

    def text(self, path: Path) -> str | None:
        """A file's text, stripped; None when it is not there or cannot be read."""
        try:
            return path.read_text("utf-8", errors="replace").strip("\0 \n\t")
        except OSError:
            return None

    def number(self, path: Path) -> int | None:
        """A file with one whole number; None when it is not there or no number."""
        try:
            return int(self.text(path) or "")
        except ValueError:
            return None

    @property
    def model(self) -> str | None:
        """The board's model, such as "Raspberry Pi 5 Model B Rev 1.0"; None if unknown."""
        return self.text(self.path("/proc/device-tree/model")) or None

    @property
    def is_pi(self) -> bool:
        """True if it is a Raspberry Pi."""
        return "Raspberry Pi" in (self.model or "")
