"""Compares a log with the second copy next to it.

A log whose newest records were cut off is sound in itself: what is left still holds, hash by hash.
Its second copy shows that there were more. Only records that are signed by the table count, or by
a key that the log itself knows: anybody can append lines to a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from record.log import mirror
from record.log.reader import LogReader
from record.signing import KEY_FILE, TableKey


@dataclass(frozen=True)
class Discrepancy:
    """The difference between a log and its second copy."""

    copy: str
    """The name of its file."""
    log_end: int
    """Sequence of the log's newest event."""
    copy_end: int
    """Sequence of the newest event in the second copy."""
    other: int | None
    """The first event that is another one in the second copy."""

    def __str__(self) -> str:
        if self.other is not None:
            return f"event {self.other} is another one in the second copy beside it ({self.copy})"
        first = self.log_end + 1
        which = f"event {first}" if first == self.copy_end else f"events {first} to {self.copy_end}"
        return f"{which}, which the second copy beside it ({self.copy}) has, cut off or lost"

    def as_json(self) -> dict[str, Any]:
        """As a bundle's or a backup's own statement has it."""
        return {
            "second_copy": self.copy,
            "log_end": self.log_end,
            "second_copy_end": self.copy_end,
            "differs_at": self.other,
        }


def discrepancy(log: LogReader, path: Path) -> Discrepancy | None:
    """Compare the log at ``path`` with its second copy; None if the copy has nothing else.

    A copy that is behind, torn or missing is no discrepancy: it costs a log nothing.
    """
    copy = mirror.mirror_path(path)
    # The copy is written after the log, so it is read first: a table may be at work.
    mirrored = [event for _, event in mirror.read(copy) if event is not None]
    events = log.events()
    due = {event.seq: event.hash for event in events}
    keys = {event.key for event in events} | _own_keys(path)
    mirrored = [event for event in mirrored if event.key in keys]
    end = max(due, default=0)
    copy_end = max((event.seq for event in mirrored), default=0)
    other = next((e.seq for e in mirrored if e.seq <= end and due.get(e.seq) != e.hash), None)
    if other is None and copy_end <= end:
        return None
    return Discrepancy(copy.name, end, copy_end, other)


def uncompared(path: Path) -> str | None:
    """Why the log at ``path`` could not be compared with a second copy; None if it could."""
    copy = mirror.mirror_path(path)
    if any(event is not None for _, event in mirror.read(copy)):
        return None
    return f"nothing shows whether events were cut off: no second copy to read at {copy}"


def _own_keys(path: Path) -> set[str]:
    """The public key of the table whose log is at ``path``; empty if it has none yet."""
    key = path.parent / KEY_FILE
    return {TableKey.open(key).public} if key.exists() else set()


def repair_advice(data: Path) -> str:
    """The remedy for a discrepancy, in a clause."""
    return (
        f"put them back with: tilewatch repair --data {data} (on a read-only disk: copy the "
        "folder to another, and repair that)"
    )
