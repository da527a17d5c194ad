"""Opens every SQLite file of tilewatch with the same settings, and checks that it is one of ours.

WAL mode, so that readers never wait for the writer; ``synchronous=FULL``, so that a commit is on
the disk when it returns; foreign keys enforced; up to ten seconds of waiting for another writer.
If only one process may write, a lock file beside the database names this process.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from game.errors import TilewatchError
from game.files import create_private_file
from record.errors import LogError

_BUSY_S: Final = 10


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one kind of file, and the marks in its header by which it is recognised."""

    kind: str
    """The kind of file with its article, for messages."""
    application_id: int
    version: int
    create: str
    """SQL that makes the tables in an empty file."""
    error: type[TilewatchError]
    """Raised for a file of another kind or version."""

    def is_new(self, connection: sqlite3.Connection, path: Path) -> bool:
        """True if a file is empty, False if it has these tables. Changes nothing.

        Raises ``error`` for a file of another kind or version.
        """
        application, version = (
            pragma(connection, "application_id"),
            pragma(connection, "user_version"),
        )
        if application == version == pragma(connection, "schema_version") == 0:
            return True
        if application != self.application_id:
            raise self.error(f"{path}: a database of some other program, not {self.kind}")
        if version != self.version:
            whose, remedy = ("an older", "use that one")
            if version > self.version:
                whose, remedy = ("a newer", "update tilewatch")
            raise self.error(
                f"{path}: written by {whose} tilewatch (version {version}, this one knows "
                f"{self.version}); {remedy} or choose another --data"
            )
        return False

    def create_in(self, connection: sqlite3.Connection) -> None:
        """Make the tables and the header's marks, all or nothing."""
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{self.create}\n"
                f"PRAGMA application_id={self.application_id};\n"
                f"PRAGMA user_version={self.version};\nCOMMIT;"
            )
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def open_database(path: Path, schema: Schema) -> sqlite3.Connection:
    """Open a file for writing, made for its owner alone if there is none.

    A refused file stays as it was, byte for byte.
    Raises ``schema.error``, ``sqlite3.Error`` and ``OSError``.
    """
    # SQLite's journals take their permissions from the file. One that is there is never opened
    # except by SQLite: closing any descriptor of it drops all POSIX locks that this process holds
    # on it, and the next program that closes the database deletes its journal under us.
    if not path.exists():
        with suppress(FileExistsError):  # another process was faster
            create_private_file(path, b"")
    connection = connect(path)
    try:
        if schema.is_new(connection, path):
            schema.create_in(connection)
        use_wal(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect(path: Path, *, readonly: bool = False, immutable: bool = False) -> sqlite3.Connection:
    """Open a connection; the caller ensures that one thread at a time uses it.

    ``immutable`` is for reading a file on a disk that nobody can write. Raises ``sqlite3.Error``.
    """
    # Not mode=ro: a reader of a WAL file must be able to make its shared-memory index.
    mode = "immutable=1" if immutable else "mode=rw" if readonly else "mode=rwc"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=_BUSY_S,
    )
    try:
        if readonly:
            connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
    except UnicodeDecodeError as error:
        # SQLite's message quotes the damaged name of a table, and Python cannot decode it.
        connection.close()
        raise sqlite3.DatabaseError("malformed database schema") from error
    except BaseException:
        connection.close()
        raise
    return connection


def use_wal(connection: sqlite3.Connection) -> None:
    """Switch a file to WAL mode. This writes to the file, so check first that it is ours."""
    connection.execute("PRAGMA journal_mode=WAL")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Commit the block's changes at its end, or roll all of them back if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return the value of a numeric setting."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def take_writer_lock(path: Path) -> IO[str]:
    """Lock ``<path>.lock`` while this process lives; the kernel unlocks it even after SIGKILL.

    Raises ``LogError`` if another process has the lock, and ``OSError``.
    """
    lock_path = path.with_name(path.name + ".lock")
    handle = lock_path.open("a+", encoding="ascii")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        owner = handle.read().strip() or "unknown"
        handle.close()
        raise LogError(
            f"{path}: another tilewatch (process {owner}) is writing it; "
            "stop that one or choose another --data"
        ) from None
    except OSError:
        handle.close()
        raise
    try:
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n")
        handle.flush()
    except OSError:
        pass  # a full disk: the holder's name is a courtesy, the lock is what counts
    return handle
