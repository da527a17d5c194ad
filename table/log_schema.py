"""The log's tables, their version, and how an older version becomes this one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from table.errors import LogError

APPLICATION_ID = 0x74696C65  # "tile"
VERSION = 1

_CREATE = """
CREATE TABLE events (
    seq       INTEGER PRIMARY KEY CHECK (seq > 0),
    game_id   TEXT    NOT NULL,
    mono_ns   INTEGER NOT NULL,
    wall_ns   INTEGER NOT NULL,
    source    TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    payload   TEXT    NOT NULL,
    prev_hash TEXT    NOT NULL,
    hash      TEXT    NOT NULL UNIQUE
) STRICT;
CREATE INDEX events_of_game ON events (game_id, seq);
CREATE TRIGGER events_keep BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is never shortened'); END;
CREATE TRIGGER events_stand BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is never changed'); END;
"""

MIGRATIONS: Mapping[int, str] = {}
"""SQL that takes a log from the version in the key to the next one."""


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """A connection with the log's own settings. Raises ``sqlite3.Error``."""
    if readonly:
        # Not mode=ro: a reader of a WAL file must be able to make its shared-memory index.
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=10,
        )
        connection.execute("PRAGMA query_only=ON")
    else:
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=10
        )
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def prepare(connection: sqlite3.Connection, path: Path, *, readonly: bool) -> None:
    """Create the tables in an empty file, migrate an older log, refuse anything else.

    A log is copied to ``<name>.v<version>.bak`` before it is migrated. A file that is refused is
    left as it was, byte for byte. Raises ``LogError``.
    """
    _check_and_migrate(connection, path, readonly=readonly)
    if not readonly:
        connection.execute("PRAGMA journal_mode=WAL")


def _check_and_migrate(connection: sqlite3.Connection, path: Path, *, readonly: bool) -> None:
    version = _pragma(connection, "user_version")
    application = _pragma(connection, "application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application == 0 and version == 0 and tables == 0:
        if readonly:
            raise LogError(f"{path}: an empty file, not an event log")
        _run(connection, _CREATE, VERSION)
        return
    if application != APPLICATION_ID:
        raise LogError(f"{path}: a database of some other program, not an event log")
    if version > VERSION:
        raise LogError(
            f"{path}: written by a newer tilewatch (log version {version}, this one knows "
            f"{VERSION}); update tilewatch or choose another --data"
        )
    if version == VERSION:
        return
    if readonly:
        raise LogError(f"{path}: of an older version {version}; open it once for writing first")
    backup = path.with_name(f"{path.name}.v{version}.bak")
    with sqlite3.connect(backup) as copy:
        connection.backup(copy)
    copy.close()
    for step in range(version, VERSION):
        if step not in MIGRATIONS:
            raise LogError(
                f"{path}: log version {step} is too old for this tilewatch; "
                "open it with an earlier release first"
            )
        _run(connection, MIGRATIONS[step], step + 1)


def _run(connection: sqlite3.Connection, script: str, version: int) -> None:
    """Run a script and stamp its version, all or nothing."""
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{script}\nPRAGMA application_id={APPLICATION_ID};\n"
            f"PRAGMA user_version={version};\nCOMMIT;"
        )
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
