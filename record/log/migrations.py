"""Logs of older versions: how each becomes one of the next.

Version 1 had a chain over another canonical form and no signatures. Its records keep their order,
times and payloads to the letter, and are sealed anew with the table's key on the day of migration;
what their chain ended in then goes into the log's history, so that a digest noted before still says
something. A chain that was broken already is refused: sealing it would hide that.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from typing import Any, Final

from record.chain import LoggedEvent
from record.errors import LogError
from record.seals import GENESIS
from record.signing import TableKey

_EVENTS_2: Final = """
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
) STRICT
"""
"""As version 2 had it, whatever later versions have."""

_HISTORY_2: Final = """
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,
    wall_ns INTEGER NOT NULL,
    what    TEXT    NOT NULL,
    detail  TEXT    NOT NULL
) STRICT
"""

_GUARDS_2: Final = (
    "CREATE TRIGGER events_keep BEFORE DELETE ON events "
    "BEGIN SELECT RAISE(ABORT, 'the event log is never shortened'); END",
    "CREATE TRIGGER events_stand BEFORE UPDATE ON events "
    "BEGIN SELECT RAISE(ABORT, 'the event log is never changed'); END",
)

_COLUMNS_1: Final = (
    "seq, game_id, mono_ns, wall_ns, source, type, version, payload, prev_hash, hash"
)


def from_1(connection: sqlite3.Connection, key: TableKey) -> dict[str, Any]:
    """Seal the records of a version 1 log anew, within the caller's transaction.

    Returns what the history is to say. Raises ``LogError`` at a record that was changed.
    """
    for name in ("events_keep", "events_stand"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    connection.execute("DROP INDEX IF EXISTS events_of_game")
    connection.execute("ALTER TABLE events RENAME TO events_1")
    connection.execute(_EVENTS_2)
    connection.execute(_HISTORY_2)
    last, old_head = 0, GENESIS
    prev_hash = GENESIS
    counted: dict[str, int] = {}
    for row in _rows_1(connection):
        seq, game_id, mono_ns, wall_ns, source, type_, version, payload, _, old_head = row
        number = counted[game_id] = counted.get(game_id, 0) + 1
        event = LoggedEvent(
            seq, game_id, number, mono_ns, wall_ns, source, type_, version, payload, prev_hash,
            "", "", "",
        ).sealed(key)  # fmt: skip
        connection.execute(
            "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                seq, game_id, number, mono_ns, wall_ns, source, type_, version, payload,
                prev_hash, event.hash, event.key, event.signature,
            ),
        )  # fmt: skip
        last, prev_hash = seq, event.hash
    connection.execute("DROP TABLE events_1")
    for guard in _GUARDS_2:
        connection.execute(guard)
    return {"last_seq": last, "old_head": old_head, "new_head": prev_hash, "key": key.public}


def _rows_1(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """The records of a version 1 log, each checked against the chain of version 1."""
    expected, prev_hash = 1, GENESIS
    for row in connection.execute(f"SELECT {_COLUMNS_1} FROM events_1 ORDER BY seq"):  # noqa: S608 (a constant)
        seq, *fields, payload, prev, own = row
        form = json.dumps(
            [seq, *fields, payload, prev], ensure_ascii=False, separators=(",", ":")
        ).encode("utf-8", "surrogatepass")
        if seq != expected or prev != prev_hash or hashlib.sha256(form).hexdigest() != own:
            raise LogError(f"event {expected} is missing or was changed after it was written")
        yield row
        expected, prev_hash = expected + 1, own
