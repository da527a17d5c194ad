"""The log's tables, their version, and a record as a row of them."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from record.chain import LoggedEvent
from record.errors import LogError
from record.sqlite import Schema, use_wal

APPLICATION_ID: Final = 0x74696C65  # "tile"
VERSION = 2
"""The version of the tables below."""

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
"""The table ``history`` has what happened to the file itself: recovered, rebuilt, restored."""

COLUMNS: Final = (
    "seq, game_id, number, mono_ns, wall_ns, source, type, version, payload, "
    "prev_hash, hash, key, signature"
)
INSERT: Final = f"INSERT INTO events ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608

SCHEMA: Final = Schema("an event log", APPLICATION_ID, VERSION, _CREATE, LogError)


def row(event: LoggedEvent) -> tuple[int | str, ...]:
    """Return the values of a record in the order of ``COLUMNS``."""
    return (
        event.seq, event.game_id, event.number, event.mono_ns, event.wall_ns, event.source,
        event.type, event.version, event.payload_text, event.prev_hash, event.hash, event.key,
        event.signature,
    )  # fmt: skip


def prepare(connection: sqlite3.Connection, path: Path, *, readonly: bool) -> None:
    """Create the tables in an empty file, and refuse one that is no log of this version.

    A refused file is left as it was, byte for byte. Raises ``LogError``.
    """
    if SCHEMA.is_new(connection, path):
        if readonly:
            raise LogError(f"{path}: an empty file, not an event log")
        SCHEMA.create_in(connection)
    if not readonly:
        use_wal(connection)


def note(connection: sqlite3.Connection, what: str, detail: Mapping[str, Any]) -> None:
    """Add an entry to the file's history."""
    connection.execute(
        "INSERT INTO history (wall_ns, what, detail) VALUES (?, ?, ?)",
        (time.time_ns(), what, json.dumps(detail, sort_keys=True)),
    )
