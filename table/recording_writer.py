"""Writes a table's frames and presses as a recording, to be replayed or made a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TextIO

from game.files import os_error_as
from record.errors import EvidenceError
from record.picture_keeper import jpeg_of
from sensors.interfaces import Frame, Press
from table.config import TableConfig

EVERY_NS: Final = 200_000_000
"""At most five pictures a second are kept: a moving hand needs no more."""

_MS: Final = 1_000_000


class RecordingOut:
    """A recording in a new or empty folder. Use as a context manager."""

    def __init__(self, folder: Path, config: TableConfig) -> None:
        """Begin one. Raises ``EvidenceError`` when the folder is not empty or cannot be made."""
        self._folder = folder
        self._zero_ns: int | None = None
        self._last_ns: int | None = None
        with os_error_as(EvidenceError, f"{folder}: cannot be written"):
            if folder.exists() and any(folder.iterdir()):
                raise EvidenceError(f"{folder}: not empty; choose another folder to record into")
            (folder / "frames").mkdir(parents=True, exist_ok=True)
            names = config.players
            lines = [
                f"name = {json.dumps(config.name)}",
                f"tile_set = {json.dumps(config.tile_set)}",
                f"rulebook = {json.dumps(config.rulebook)}",
                f"players = {{ left = {json.dumps(names.left or 'Left')}, "
                f"right = {json.dumps(names.right or 'Right')} }}",
            ]
            if config.announced:
                settings = (
                    f"{json.dumps(k)} = {json.dumps(v)}" for k, v in config.announced.items()
                )
                lines.append(f"announced = {{ {', '.join(settings)} }}")
            if (hands := config.buttons.hands) is not None:
                edges = ", ".join(f"{side} = {json.dumps(edge)}" for side, edge in hands.items())
                lines.append(f'buttons = {{ kind = "none", {edges} }}')
            (folder / "recording.toml").write_text("\n".join(lines) + "\n", "utf-8")
            self._buttons: TextIO | None = None
            if hands is None:
                self._buttons = (folder / "buttons.csv").open("w", encoding="ascii")
                self._write("t_ms,button")

    def add(self, item: Frame | Press) -> None:
        """One more frame or press; frames that come too soon after the last are left out."""
        if self._zero_ns is None:
            self._zero_ns = item.t_ns
        t_ms = (item.t_ns - self._zero_ns) // _MS
        if isinstance(item, Press):
            self._write(f"{t_ms},{item.button}")
            return
        if self._last_ns is not None and item.t_ns - self._last_ns < EVERY_NS:
            return
        self._last_ns = item.t_ns
        path = self._folder / "frames" / f"{t_ms:09d}.jpg"
        with os_error_as(EvidenceError, f"{path}: cannot be written"):
            path.write_bytes(jpeg_of(item))

    def close(self) -> None:
        """Finish it."""
        if self._buttons is not None:
            self._buttons.close()

    def _write(self, line: str) -> None:
        if self._buttons is not None:  # without a clock a page's press is refused
            self._buttons.write(f"{line}\n")
            self._buttons.flush()

    def __enter__(self) -> RecordingOut:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
