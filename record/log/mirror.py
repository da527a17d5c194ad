"""The log's second copy: every record again as a line of plain text, in another file.

If a disk acknowledges data that it never wrote, or tears a page, the database loses its newest
records, and SQLite cannot restore them. Each line here can be read alone, has its own hash and
signature, and is appended right after the database has the record. The copy is not synced, so it
costs no time: only the database acknowledges. Records that the copy has and the database lost are
restored at the next opening (``record.log.repair``).

If the newest records of a log are cut off, the rest is still sound, hash by hash; the second copy
shows that there were more. Only records count that are signed by the table or by a key that the log
itself knows, because anybody can append lines to a file.

A line is the JSON array ``[body, prev_hash, hash, key, signature]``.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.files import open_file
from record.chain import LoggedEvent
from record.seals import GENESIS
from record.signing import KEY_FILE, TableKey

_MOST_BYTES: Final = 1 << 36
_BLOCK: Final = 1 << 16
_LONGEST: Final = 1 << 26
"""The most bytes in a line; a file with a longer line is no second copy of a log."""


def mirror_path(path: Path) -> Path:
    """Return the path of a log's second copy."""
    return path.with_name(path.name + ".mirror")


def line_of(event: LoggedEvent) -> bytes:
    """Return a record as a line of the mirror."""
    form = [event.body, event.prev_hash, event.hash, event.key, event.signature]
    text = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"


def event_of(line: bytes) -> LoggedEvent | None:
    """Return the record of a line; ``None`` if the line is torn or was changed."""
    try:
        body, prev_hash, own, key, signature = json.loads(line)
        event = from_body(body, prev_hash, own, key, signature)
    except (ValueError, TypeError, RecursionError):
        return None
    good = (
        line_of(event) == line
        and event.hash == event.expected_hash()
        and event.has_valid_signature()
    )
    return event if good else None


def from_body(body: str, prev_hash: str, own: str, key: str, signature: str) -> LoggedEvent:
    """Return the record with this body. Raises ``ValueError`` or ``TypeError`` for a wrong body."""
    seq, game_id, number, mono_ns, wall_ns, source, type_, version, payload = json.loads(body)
    text = json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if not isinstance(payload, dict):
        raise ValueError("its payload is no object")
    return LoggedEvent(
        seq, game_id, number, mono_ns, wall_ns, source, type_, version, text,
        prev_hash, own, key, signature,
    )  # fmt: skip


class LogMirror:
    """Writes the second copy. A fault here never affects the log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._size = 0
        self.behind = True
        """True if records are missing at the end of the copy."""

    def open(self, good_size: int) -> None:
        """Open the copy for appending after its first ``good_size`` bytes; truncate the rest."""
        with contextlib.suppress(OSError):
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.ftruncate(self._descriptor, good_size)
            self._size = good_size
            self.behind = False

    def add(self, events: Iterable[LoggedEvent]) -> None:
        """Append each record as a whole line; on a fault truncate the file and set ``behind``."""
        if self._descriptor is None or self.behind:
            return
        for event in events:
            line = line_of(event)
            try:
                done = os.pwrite(self._descriptor, line, self._size)
            except OSError:
                done = 0
            if done != len(line):
                self.behind = True
                with contextlib.suppress(OSError):
                    os.ftruncate(self._descriptor, self._size)
                return
            self._size += done

    def close(self) -> None:
        """Sync the copy to the disk and close it."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


def read(path: Path) -> Iterator[tuple[int, LoggedEvent | None]]:
    """Yield each line as (the offset of its end, its record or ``None``)."""
    offset = 0
    try:
        with open_file(path, _MOST_BYTES) as handle:
            while line := handle.readline(_LONGEST):
                offset += len(line)
                yield offset, event_of(line)
                if len(line) == _LONGEST:
                    return
    except (OSError, TilewatchError):
        return


def begins_a_log(path: Path) -> bool:
    """True if the file begins with an undamaged first record of a log."""
    first = next(read(path), (0, None))[1]
    return first is not None and first.seq == 1 and first.prev_hash == GENESIS


def last(path: Path) -> tuple[int, LoggedEvent | None]:
    """Return the file's size and the record on its last line, None if that is torn."""
    try:
        with open_file(path, _MOST_BYTES) as handle:
            size = handle.seek(0, os.SEEK_END)
            tail, start = b"", size
            while start > 0 and tail.count(b"\n", 0, -1) == 0:
                start = max(0, start - _BLOCK)
                handle.seek(start)
                tail = handle.read(size - start)
                if len(tail) > _LONGEST:
                    return size, None
    except (OSError, TilewatchError):
        return 0, None
    if not tail.endswith(b"\n"):
        return size, None
    return size, event_of(tail[tail.rfind(b"\n", 0, -1) + 1 :])


@dataclass
class Compared:
    """A second copy compared with its log."""

    good: int = 0
    """The bytes at the start of the copy that are the log's own records, in order."""
    seq: int = 0
    """The sequence of the last record within these bytes."""
    end: int = 0
    """The sequence of the copy's newest record."""
    lost: list[LoggedEvent] = field(default_factory=list)
    """The copy's records that follow the log's newest, in order."""
    other: int | None = None
    """The sequence of the first record that differs from the log's; None if none does."""


def compared(
    lines: Iterable[tuple[int, LoggedEvent | None]],
    due: Mapping[int, str],
    keys: Collection[str] | None,
) -> Compared:
    """Compare the lines of a copy (:func:`read`) with a log.

    ``due`` has the hash of each of the log's records by sequence. Only records signed by one of
    ``keys`` count; if ``keys`` is None, all do.
    """
    found = Compared()
    newest = max(due, default=0)
    last_hash = due.get(newest, GENESIS)
    whole = True
    for at, event in lines:
        if event is None or (keys is not None and event.key not in keys):
            whole = False  # torn, rotten or a stranger's: the log itself has it
            continue
        found.end = max(found.end, event.seq)
        if event.seq <= newest:
            if found.other is None and due.get(event.seq) != event.hash:
                found.other = event.seq
        elif event.seq == newest + len(found.lost) + 1 and event.prev_hash == last_hash:
            found.lost.append(event)
            last_hash = event.hash
        else:
            whole = False
        whole = whole and event.seq == found.seq + 1
        if whole:
            found.good, found.seq = at, event.seq
    return found


@dataclass(frozen=True)
class Discrepancy:
    """The difference between a log and its second copy."""

    copy: str
    """The name of the second copy's file."""
    log_end: int
    """Sequence of the log's newest event."""
    copy_end: int
    """Sequence of the newest event in the second copy."""
    other: int | None
    """Sequence of the first event that differs in the second copy; None if none does."""

    def __str__(self) -> str:
        if self.other is not None:
            return f"event {self.other} differs in the second copy beside it ({self.copy})"
        first = self.log_end + 1
        which = f"event {first}" if first == self.copy_end else f"events {first} to {self.copy_end}"
        return f"lacks {which}, which the second copy beside it ({self.copy}) has"

    def as_json(self) -> dict[str, Any]:
        """Return the difference as bundles and backups state it."""
        return {
            "second_copy": self.copy,
            "log_end": self.log_end,
            "second_copy_end": self.copy_end,
            "differs_at": self.other,
        }


def discrepancy(events_of: Callable[[], Sequence[LoggedEvent]], path: Path) -> Discrepancy | None:
    """Compare the log at ``path`` with its second copy; None if the copy has no other events.

    ``events_of`` reads the log's records.

    A copy that is behind, torn or missing is no discrepancy.
    """
    copy = mirror_path(path)
    # The copy is written after the log, so it is read first: a table may be at work.
    lines = list(read(copy))
    events = events_of()
    due = {event.seq: event.hash for event in events}
    found = compared(lines, due, {event.key for event in events} | _own_keys(path))
    end = max(due, default=0)
    if found.other is None and found.end <= end:
        return None
    return Discrepancy(copy.name, end, found.end, found.other)


def uncompared(path: Path) -> str | None:
    """Return why the log at ``path`` has no second copy to compare with; None if it has one."""
    copy = mirror_path(path)
    if any(event is not None for _, event in read(copy)):
        return None
    return f"nothing shows whether events were cut off: no second copy to read at {copy}"


def _own_keys(path: Path) -> set[str]:
    """Return the public key of the table whose log is at ``path``; empty if there is none yet."""
    key = path.parent / KEY_FILE
    return {TableKey.open(key).public} if key.exists() else set()


def repair_advice(data: Path) -> str:
    """Return the remedy for a discrepancy, as a clause for a message."""
    return (
        f"put them back with: tilewatch repair --data {data} (on a read-only disk: copy the "
        "folder to another, and repair that)"
    )
