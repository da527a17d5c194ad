"""Writing the log's file: committed and mirrored, at last in the room set aside on the disk."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from record.chain import LoggedEvent
from record.errors import LogError
from record.log import repair, schema
from record.log.mirror import LogMirror, begins_a_log, mirror_path
from record.paths import EVIDENCE, HUB_FILE
from record.signing import KEY_FILE, TableKey
from record.sqlite import connect, transaction

_REPAIR: Final = (
    "tilewatch repair makes it good from the second copy beside it (on a read-only disk: copy the "
    "folder to another and repair that)"
)
_LEFT_BY_A_RUN: Final = (EVIDENCE, "spool", "timebase.json")
"""The files and folders that a table leaves beside its log. Empty folders do not count."""
RESERVE_BYTES: Final = 16 * 2**20
"""The bytes that a live table's log sets aside: thousands of events, dozens of games."""
_SPARE: Final = 4
"""The reserve is restored when this multiple of its size is free."""
_JOURNAL_PAGES: Final = 1000
_SHORT_JOURNAL_PAGES: Final = 8


class Reserve:
    """A file that only takes up disk space, until the log needs the space."""

    def __init__(self, path: Path, size: int = RESERVE_BYTES) -> None:
        self.path = path
        self.size = size

    @property
    def held(self) -> bool:
        """True while the space is set aside."""
        try:
            return self.path.stat().st_size >= self.size
        except OSError:
            return False

    def take(self) -> bool:
        """Set the reserve aside if the disk has room; True if it is set aside now."""
        if self.held:
            return True
        try:
            if shutil.disk_usage(self.path.parent).free < _SPARE * self.size:
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
        """Release the space; True if any was set aside."""
        with contextlib.suppress(OSError):
            self.path.unlink()
            return True
        return False


class LogDisk:
    """Writes records to the database and its mirror. Not safe to use from several threads."""

    def __init__(self, path: Path, reserve: int | None) -> None:
        """``reserve`` bytes are set aside for a live log; None for a log that is not live."""
        self.path = path
        self.connection: sqlite3.Connection | None = None
        self.trouble: str | None = None
        """A line for the director; None if all is well."""
        self.repairs: tuple[str, ...] = ()
        """Faults found when the file was opened, and their repairs, in lines for people."""
        self._own_key: str | None = None
        self._mirror = LogMirror(mirror_path(path))
        self._reserve = (
            None if reserve is None else Reserve(path.with_name(path.name + ".reserve"), reserve)
        )

    def open(self, key: TableKey, traces: str | None = None) -> list[str]:
        """Open the file, repairing it if need be; return what was done, in lines for people.

        ``traces`` names the files that show that a missing log once existed; None if none do.
        Raises ``LogError`` and ``OSError``.
        """
        self._own_key = key.public
        journal = self.path.with_name(self.path.name + "-wal")
        killed = journal.exists() and journal.stat().st_size > 0
        notes: list[str] = []
        repairs: list[str] = []
        with as_log_error(self.path):
            if repair.damaged(self.path, self._mirror.path):
                repairs += repair.rebuild(self.path, self._mirror.path)
            self.connection = connection = connect(self.path)
            schema.prepare(connection, self.path, readonly=False)
            if traces is not None:
                schema.note(connection, "begun_anew", {"found": traces})
                repairs.append(
                    f"{self.path}: the log is gone, but an earlier run left "
                    f"{traces}; a new log begins. To go on with the old one, stop and put it back: "
                    "tilewatch restore"
                )
            if killed:
                notes.append(
                    f"{self.path}: the last run did not close the log; it is complete up to event "
                    f"{repair.newest_seq(connection)}"
                )
            repairs += repair.repair_from_mirror(connection, self.path, self._mirror, key.public)
        self.repairs = tuple(repairs)
        notes += repairs
        if self._reserve is not None and not self._reserve.take():
            self.trouble = f"{self.path.parent}: the disk is nearly full; free some space"
        return notes

    def write(self, events: Sequence[LoggedEvent]) -> None:
        """Commit records in one transaction. If ``LogError`` is raised, none is in the file."""
        try:
            self._commit(events)
        except LogError as error:
            if self._reserve is None or not _is_full(error):
                raise
            self.trouble = str(error)
            # The journal takes ten times the room of what it holds.
            self._reserve.release()
            self._keep_journal(_SHORT_JOURNAL_PAGES)
            self._commit(events)
        if self._mirror.behind:
            with contextlib.suppress(sqlite3.Error):
                assert self.connection is not None
                repair.repair_from_mirror(self.connection, self.path, self._mirror, self._own_key)
        else:
            self._mirror.add(events)
        self._relieved()

    def _relieved(self) -> None:
        """Update the trouble now that everything is on the disk, and set room aside again."""
        if self.trouble is None:
            return
        if self._reserve is not None and self._reserve.take():
            self.trouble = None
            self._keep_journal(_JOURNAL_PAGES)
        else:
            self.trouble = (
                f"{self.path.parent}: the disk is full; events are still recorded, in the room set "
                "aside for them; free some space"
            )

    def _keep_journal(self, pages: int) -> None:
        """Checkpoint the journal now, and whenever it has ``pages`` pages."""
        with contextlib.suppress(sqlite3.Error):
            if self.connection is not None:
                self.connection.execute(f"PRAGMA wal_autocheckpoint={pages}")
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _commit(self, events: Sequence[LoggedEvent]) -> None:
        try:
            if self.connection is None:  # the disk failed; perhaps it is back
                self.connection = connect(self.path)
            with transaction(self.connection):
                self.connection.executemany(schema.INSERT, [schema.row(event) for event in events])
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            if self._has(events[-1]):  # only the file knows whether a failed COMMIT reached it
                return
            if isinstance(error, sqlite3.OperationalError) and "full" not in str(error):
                self._drop()
            raise LogError(explain(self.path, error)) from error

    def _has(self, event: LoggedEvent) -> bool:
        with contextlib.suppress(sqlite3.Error):
            if self.connection is not None:
                sql = "SELECT hash FROM events WHERE seq = ?"
                found = self.connection.execute(sql, (event.seq,)).fetchone()
                return found is not None and found[0] == event.hash
        return False

    def _drop(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            if self.connection is not None:
                self.connection.close()
        self.connection = None

    def close(self) -> None:
        """Close the database and the mirror, and release the space set aside."""
        self._drop()
        self._mirror.close()
        if self._reserve is not None:
            self._reserve.release()


def explain(path: Path, error: Exception) -> str:
    """Return SQLite's error in one line with the remedy."""
    text = str(error)
    if "disk is full" in text:
        return f"{path}: the disk is full; free some space"
    if "readonly" in text or "unable to open" in text:
        return f"{path}: cannot be written; is the disk or the folder read-only?"
    if repair.is_no_database(error) and begins_a_log(mirror_path(path)):
        return f"{path}: damaged; {_REPAIR}"
    if "not a database" in text:
        return f"{path}: not an event log of tilewatch; choose another folder, or move it away"
    if repair.is_damage(error):
        return f"{path}: damaged; {_REPAIR}"
    return f"{path}: {text or repr(error)}"


@contextlib.contextmanager
def as_log_error(path: Path) -> Iterator[None]:
    """Raise ``LogError`` for whatever SQLite raises."""
    try:
        yield
    except sqlite3.Error as error:
        raise LogError(explain(path, error)) from error


def _is_full(error: LogError) -> bool:
    return isinstance(error.__cause__, sqlite3.Error) and "full" in str(error.__cause__)


def traces(path: Path) -> str | None:
    """Name the files left by a table whose log at ``path`` and second copy are gone, or None."""
    if _has_content(path) or _has_content(mirror_path(path)):
        return None
    folder = path.parent
    names = [path.name + suffix for suffix in (".lock", ".mirror")]
    found = [folder / name for name in (*names, *_LEFT_BY_A_RUN) if _is_used(folder / name)]
    found += sorted(folder.glob(f"{path.name}.damaged-*"))[:1]
    key = folder / KEY_FILE
    if key.exists() and (found or not (folder / HUB_FILE).exists()):
        found.insert(0, key)  # a table that joins a hub before its first game has one, too
    if not found:
        return None
    with contextlib.suppress(OSError):
        day = time.strftime("%Y-%m-%d", time.gmtime(found[0].stat().st_mtime))
        return f"{' and '.join(one.name for one in found[:3])} ({found[0].name} of {day})"
    return found[0].name


def _is_used(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.exists()


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


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
"""The number of tries to copy a log, which a table at work may write to meanwhile."""


def connect_to_read(path: Path, scratch: Path | None, stack: ExitStack) -> sqlite3.Connection:
    """Return a connection to a log of this version; ``stack`` closes it and removes any copy.

    ``scratch`` is the first folder to try if a copy is needed.
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
    """Yield the path of a copy of a log, with its journal, as of one moment."""
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
        raise LogError(f"{path}: the log is being written; try again in a moment")


def _stamps(*paths: Path) -> list[tuple[int, int]]:
    found = [path.stat() for path in paths]
    return [(one.st_size, one.st_mtime_ns) for one in found]


@contextlib.contextmanager
def _folder_with_room(size: int, scratch: Path | None) -> Iterator[Path]:
    """Yield a temporary folder in the first place that has ``size`` bytes free."""
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
            raise OSError(errno.ENOSPC, "no disk has room for a copy of the log to read")
        yield folder
