"""Opens an event log to read it if nothing can be written beside it.

SQLite makes an index in shared memory, and perhaps a journal, beside a log in WAL mode even for a
reader. On a read-only or a full disk it cannot, and there of all places a log has to be read. A
log without a journal is then opened as a file that nobody changes; one with a journal, which holds
its newest records, is copied together with it to wherever there is room.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from record.errors import LogError
from record.log import schema
from record.sqlite import connect

_CANNOT_WRITE: Final = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)
_TRIES: Final = 5
"""A table that is at work may write while its log is copied."""


def connect_to_read(path: Path, scratch: Path | None, stack: ExitStack) -> sqlite3.Connection:
    """A connection to a log of this version; ``stack`` closes it and removes what was copied.

    ``scratch`` is a folder where a copy may be made, if need be, before any other.
    Raises ``LogError``, ``sqlite3.Error`` and ``OSError``.
    """
    try:
        return _prepared(stack, connect(path, readonly=True), path)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _CANNOT_WRITE:
            raise
    journal = path.with_name(path.name + "-wal")
    if not journal.exists() or journal.stat().st_size == 0:
        return _prepared(stack, connect(path, readonly=True, immutable=True), path)
    copied = stack.enter_context(_copied(path, journal, scratch))
    return _prepared(stack, connect(copied, readonly=True), path)


def _prepared(stack: ExitStack, connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    try:
        schema.prepare(connection, path, readonly=True)
    except BaseException:
        connection.close()
        raise
    return stack.enter_context(closing(connection))


@contextlib.contextmanager
def _copied(path: Path, journal: Path, scratch: Path | None) -> Iterator[Path]:
    """A copy of a log and its journal as they were at one moment."""
    size = path.stat().st_size + journal.stat().st_size
    with _folder_with_room(size, scratch) as folder:
        copy = folder / path.name
        for _ in range(_TRIES):
            before = _stamps(path, journal)
            # Not opened and closed as a file: that would drop the locks that SQLite holds on it
            # elsewhere in this process.
            with closing(connect(path, readonly=True, immutable=True)) as log:
                copy.write_bytes(log.serialize())
            shutil.copyfile(journal, folder / journal.name)
            if _stamps(path, journal) == before:
                yield copy
                return
        raise LogError(f"{path}: it is being written and cannot be copied; try again")


def _stamps(*paths: Path) -> list[tuple[int, int]]:
    found = [path.stat() for path in paths]
    return [(one.st_size, one.st_mtime_ns) for one in found]


@contextlib.contextmanager
def _folder_with_room(size: int, scratch: Path | None) -> Iterator[Path]:
    """A folder of our own, in the first place where so much can be written."""
    places = [scratch, os.environ.get("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"]  # noqa: S108
    with ExitStack() as stack:
        for place in places:
            with contextlib.suppress(OSError):
                if place is None or shutil.disk_usage(place).free < size:
                    continue
                made = tempfile.TemporaryDirectory(suffix="-tilewatch", dir=place)
                folder = Path(stack.enter_context(made))
                break
        else:
            raise OSError(errno.ENOSPC, "no disk has room for a copy of it to read")
        yield folder
