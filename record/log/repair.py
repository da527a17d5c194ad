"""Checks a log when it is opened for writing, and repairs a damaged one.

Three things may have happened since the log was closed. The process was killed: SQLite's journal
brings the log to its last acknowledged record. The disk lost or tore the newest pages: the mirror
has their records. An older page was damaged: the file is set aside, never deleted, and a new one is
made of the records that the file and the mirror still have. Only records with the right hash and
signature are restored, and every repair is reported.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from game.files import sync
from record.chain import LoggedEvent, first_fault
from record.log import mirror as log_mirror
from record.log.schema import APPLICATION_ID, COLUMNS, INSERT, VERSION, note, prepare, row
from record.seals import GENESIS
from record.sqlite import connect, pragma, transaction

_SIGNS_OF_DAMAGE: Final = (
    "malformed",
    "Could not decode to UTF-8",
    "no such column",
    "unsupported file format",
)
"""Parts of messages of SQLite and of Python's ``sqlite3`` about a damaged file."""
_LOOK_BACK: Final = 500
"""The number of newest records that every opening checks against the chain."""


def damaged(path: Path, mirror: Path) -> bool:
    """True if the file is a damaged log of this version. Raises ``sqlite3.Error``.

    A file without the header of a log counts as a damaged log if its second copy begins a log.
    """
    if not path.exists() or path.stat().st_size == 0:
        return False
    try:
        with closing(connect(path)) as connection:
            if pragma(connection, "application_id") != APPLICATION_ID:
                return log_mirror.begins_a_log(mirror)
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return True
            if pragma(connection, "user_version") == VERSION:
                _read_all(connection)
            return _lacks_something(connection) and log_mirror.begins_a_log(mirror)
    except sqlite3.DatabaseError as error:
        if is_damage(error) or (is_no_database(error) and log_mirror.begins_a_log(mirror)):
            return True
        raise


def _read_all(connection: sqlite3.Connection) -> None:
    """Read every record, because SQLite's own check misses noise inside a text."""
    if "events" in _tables(connection):
        for _ in connection.execute(f"SELECT {COLUMNS} FROM events"):  # noqa: S608 (constants)
            pass


def _tables(connection: sqlite3.Connection) -> set[str]:
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return {name for (name,) in found}


def _lacks_something(connection: sqlite3.Connection) -> bool:
    """True if a log lacks its version number, or a table of this version."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return version < 1 or (version == VERSION and not {"events", "history"} <= _tables(connection))


def is_damage(error: Exception) -> bool:
    """True if SQLite's error reports damaged pages or damaged contents."""
    return isinstance(error, sqlite3.DatabaseError) and any(
        sign in str(error) for sign in _SIGNS_OF_DAMAGE
    )


def is_no_database(error: Exception) -> bool:
    """True if SQLite's error says that the file is not a SQLite database."""
    return isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error)


def rebuild(path: Path, mirror: Path) -> list[str]:
    """Set a damaged log aside; make a new one of the records that it and its mirror still have.

    Returns what was done, in lines for people. Raises ``OSError`` and ``sqlite3.Error``.
    """
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}")
    number = 1
    while aside.exists():
        number += 1
        aside = aside.with_name(f"{aside.name.split('~')[0]}~{number}")
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    fresh = path.with_name(f".{path.name}.rebuilding")
    for suffix in ("-wal", "-shm", "-journal", ""):
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
    known: dict[int, LoggedEvent] = {}
    for event in _readable(aside):
        if event.hash == event.expected_hash() and event.has_valid_signature():
            known[event.seq] = event
    for _, mirrored in log_mirror.read(mirror):
        if mirrored is not None:
            known.setdefault(mirrored.seq, mirrored)
    kept = _joined(known)
    with closing(connect(fresh)) as connection:
        prepare(connection, fresh, readonly=False)
        beyond = len(known) - len(kept)
        with transaction(connection):
            connection.executemany(INSERT, [row(event) for event in kept])
            detail = {"from": aside.name, "events": len(kept), "beyond_a_gap": beyond}
            note(connection, "rebuilt", detail)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")  # leaves one file, fit to be renamed
    fresh.rename(path)
    sync(path.parent)
    notes = [
        f"{path}: was damaged and has been rebuilt with {len(kept)} events; "
        f"the damaged file is {aside}"
    ]
    if beyond:
        notes.append(f"{path}: {beyond} later events follow a gap and were left in {aside}")
    return notes


def _joined(known: dict[int, LoggedEvent]) -> list[LoggedEvent]:
    """Return the records from the first on, as long as each follows the one before."""
    kept: list[LoggedEvent] = []
    prev_hash = GENESIS
    while (event := known.get(len(kept) + 1)) is not None and event.prev_hash == prev_hash:
        kept.append(event)
        prev_hash = event.hash
    return kept


def _readable(path: Path) -> Iterator[LoggedEvent]:
    """Yield every record that can still be read from a damaged file, one by one."""
    try:
        with closing(connect(path)) as connection:
            if pragma(connection, "user_version") != VERSION:
                return
            seq = 0
            misses = 0
            while misses <= _LOOK_BACK:
                seq += 1
                try:
                    found = connection.execute(
                        f"SELECT {COLUMNS} FROM events WHERE seq = ?",  # noqa: S608 (constants)
                        (seq,),
                    ).fetchone()
                except (sqlite3.DatabaseError, UnicodeError):
                    found = None
                if found is None:
                    misses += 1
                    continue
                misses = 0
                yield LoggedEvent(*found)
    except sqlite3.Error:
        return


def newest_seq(connection: sqlite3.Connection) -> int:
    """Return the sequence of the newest record, 0 if there is none."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])


def repair_from_mirror(
    connection: sqlite3.Connection, path: Path, mirror: log_mirror.LogMirror, own_key: str | None
) -> list[str]:
    """Bring a sound log and its mirror to the same newest record.

    Only records signed by ``own_key`` or by a key that the log knows are restored, because anybody
    who can write the file can append records. Returns the repairs and the faults found, in lines
    for people.
    """
    notes: list[str] = []
    newest = _newest(connection)
    size, there = log_mirror.last(mirror.path)
    head = newest[-1] if newest else None
    fault = None
    if newest:
        fault = first_fault(newest[1:], (newest[0].seq, newest[0].hash), signatures=False)
    if fault is not None:
        # It goes on all the same: a table that refuses to record helps nobody.
        notes.append(f"{path}: {fault}; every check from now on will say so")
    if there == head:
        mirror.open(size)
        return notes
    due: dict[int, str] = dict(connection.execute("SELECT seq, hash FROM events"))
    keys = {str(key) for (key,) in connection.execute("SELECT DISTINCT key FROM events")}
    known = {*keys, own_key} if due and own_key is not None else None
    found = log_mirror.compared(log_mirror.read(mirror.path), due, known)
    if found.lost:
        seqs = [found.lost[0].seq, found.lost[-1].seq]
        with transaction(connection):
            connection.executemany(INSERT, [row(event) for event in found.lost])
            note(connection, "recovered", {"from": "mirror", "seqs": seqs})
        which = f"event {seqs[0]}" if len(found.lost) == 1 else f"events {seqs[0]} to {seqs[1]}"
        notes.append(f"{path}: {which}, lost by the disk, restored from {mirror.path.name}")
    if found.other is not None:
        aside = mirror.path.with_name(f"{mirror.path.name}.other-{time.time_ns()}")
        mirror.path.rename(aside)
        notes.append(
            f"{path}: {mirror.path.name} has another event {found.other}, signed by the table; "
            f"kept as {aside.name}"
        )
        found = log_mirror.Compared()
    mirror.open(found.good)
    mirror.add(_all(connection, found.seq))
    return notes


def _newest(connection: sqlite3.Connection) -> list[LoggedEvent]:
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM events ORDER BY seq DESC LIMIT {_LOOK_BACK}"  # noqa: S608
    ).fetchall()
    return [LoggedEvent(*one) for one in reversed(rows)]


def _all(connection: sqlite3.Connection, after: int) -> Iterator[LoggedEvent]:
    for one in connection.execute(
        f"SELECT {COLUMNS} FROM events WHERE seq > ? ORDER BY seq",  # noqa: S608
        (after,),
    ):
        yield LoggedEvent(*one)
