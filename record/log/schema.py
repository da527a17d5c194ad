"""The log's tables, their version, and how an older version becomes this one."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from game.files import sync
from record.errors import LogError, OldLogError
from record.log import migrations
from record.signing import TableKey
from record.sqlite import Schema, transaction, use_wal

APPLICATION_ID: Final = 0x74696C65  # "tile"
VERSION = 2
"""Of the tables below: 1 is what tilewatch 0.1.0 wrote, 2 what it writes since 0.2.0."""

_CREATE: Final = """
CREATE TABLE events (
    seq       INTEGER PRIMARY KEY CHECK (seq > 0),
    game_id   TEXT    NOT NULL,
    number    INTEGER NOT NULL CHECK (number > 0),
    mono_ns   INTEGER NOT NULL,
    wall_ns   INTEGER NOT NULL,
    source    TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    payload   TEXT    NOT NULL,
    prev_hash TEXT    NOT NULL,
    hash      TEXT    NOT NULL UNIQUE,
    key       TEXT    NOT NULL,
    signature TEXT    NOT NULL,
    UNIQUE (game_id, number)
) STRICT;
CREATE TRIGGER events_keep BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is never shortened'); END;
CREATE TRIGGER events_stand BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is never changed'); END;
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,
    wall_ns INTEGER NOT NULL,
    what    TEXT    NOT NULL,
    detail  TEXT    NOT NULL
) STRICT;
"""
"""``history`` is what happened to the file itself: migrated, recovered, rebuilt, restored."""

SCHEMA: Final = Schema("an event log", APPLICATION_ID, VERSION, _CREATE, LogError)

Migration = Callable[[sqlite3.Connection, TableKey], dict[str, Any]]

MIGRATIONS: Mapping[int, Migration] = {1: migrations.from_1}
"""Each takes a log from the version in the key to the next one, and returns what it did."""


def prepare(
    connection: sqlite3.Connection, path: Path, key: TableKey | None, *, readonly: bool
) -> list[str]:
    """Create the tables in an empty file, migrate an older log, refuse anything else.

    A log is copied to ``<name>.v<version>.bak`` before it is migrated. A file that is refused is
    left as it was, byte for byte. Returns what was done, in lines for people.
    Raises ``LogError``.
    """
    notes = _check_and_migrate(connection, path, key, readonly=readonly)
    if not readonly:
        use_wal(connection)
    return notes


def note(connection: sqlite3.Connection, what: str, detail: Mapping[str, Any]) -> None:
    """Write into the file's history."""
    connection.execute(
        "INSERT INTO history (wall_ns, what, detail) VALUES (?, ?, ?)",
        (time.time_ns(), what, json.dumps(detail, sort_keys=True)),
    )


def _check_and_migrate(
    connection: sqlite3.Connection, path: Path, key: TableKey | None, *, readonly: bool
) -> list[str]:
    version = SCHEMA.version_of(connection, path)
    if version is None:
        if readonly:
            raise LogError(f"{path}: an empty file, not an event log")
        SCHEMA.create_in(connection)
        return []
    if version == VERSION:
        return []
    if readonly or key is None:
        raise OldLogError(f"{path}: of an older version {version}; open it once for writing first")
    for step in range(version, VERSION):
        if step not in MIGRATIONS:
            raise LogError(
                f"{path}: log version {step} is too old for this tilewatch; "
                "open it with an earlier release first"
            )
    return _migrate(connection, path, key, version)


def _migrate(connection: sqlite3.Connection, path: Path, key: TableKey, version: int) -> list[str]:
    backup = _back_up(connection, path, version)
    try:
        with transaction(connection):
            for step in range(version, VERSION):
                done = MIGRATIONS[step](connection, key)
                found = {"from": step, "to": step + 1, "backup": backup.name, **done}
                note(connection, "migrated", found)
                connection.execute(f"PRAGMA user_version={step + 1}")
    except LogError as error:
        raise LogError(f"{path}: cannot be migrated: {error}; it stands as it was") from error
    return [f"migrated from log version {version} to {VERSION}; the old file is {backup}"]


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """A copy of the log beside it that is on the disk. Never over an earlier one."""
    backup, number = path.with_name(f"{path.name}.v{version}.bak"), 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.v{version}.bak{number}")
    copy = sqlite3.connect(backup)
    try:
        connection.backup(copy)
    except BaseException:
        copy.close()
        backup.unlink(missing_ok=True)
        raise
    copy.close()
    sync(backup)
    return backup
