"""Copies a hub's data to a folder while the hub runs, and puts it back on another machine.

A backup is a folder: a consistent copy of ``hub.db``, the pictures, and ``backup.json``, which
lists the expected contents. Every table's chain and signatures are checked in the copy. A second
backup into the same folder copies only new pictures. With the keys, another machine can go on as
this hub; without them, the tables must be enrolled again.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dashboard.web_db import FILE as WEB_DB
from dashboard.web_db import SECRET_FILE as WEB_SECRET
from game.files import (
    SMALL,
    create_private_file,
    read_file,
    remove_leftovers,
    replacing,
    write_file,
)
from hub.broker.certificates import KEY_FILES
from hub.broker.setup import FOLDER as BROKER_FOLDER
from hub.broker.setup import SECRET
from hub.errors import HubError
from hub.hub import KEY
from hub.store import APPLICATION_ID, DATABASE, VERSION
from record import statement
from record.backup import (
    LABEL,
    copy_pictures,
    drop_erased,
    kept_pictures,
    read_label,
    require_own,
    require_pictures,
)
from record.chain import LoggedEvent, first_fault
from record.errors import BackupError
from record.log.schema import COLUMNS
from record.paths import EVIDENCE
from record.signing import TableKey
from record.sqlite import connect, pragma

FORMAT: Final = "tilewatch hub backup"

KEYS: Final = (
    KEY,
    SECRET,
    WEB_SECRET,
    *(f"{BROKER_FOLDER}/{name}" for name in KEY_FILES),
)
"""The files that let another machine replace this hub for its tables and its directors."""


@dataclass(frozen=True, slots=True)
class HubBackup:
    """The contents of a hub's backup, or of a restored hub, after they were checked."""

    folder: Path
    tables: int
    games: int
    events: int
    pictures: int
    fresh: int
    """The number of pictures that were copied this time."""
    missing: dict[str, int]
    """The number of pictures by table that its log links and the hub lacks."""
    key: str | None
    """The fingerprint of the hub's key, if the keys were copied; else None."""


def backup_hub(folder: Path, target: Path, *, with_keys: bool = False) -> HubBackup:
    """Copy a hub's data into a folder, and check the copy.

    Raises ``BackupError`` if the folder holds something else or has no room, or if a table's log is
    faulty; ``HubError`` if there is no hub.
    """
    source = folder / DATABASE
    if not source.is_file():
        raise HubError(f"{source}: there is none; name a hub's data folder with --data")
    require_own(target, FORMAT)
    try:
        target.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target)
        _copy_database(source, target / DATABASE, "DELETE FROM codes")
        copied = _checked(target)
        missing: dict[str, list[str]] = {}
        fresh = _copy_pictures(folder, target, copied, missing)
        for events in copied.values():
            drop_erased(target / EVIDENCE, events)
        key = None
        if with_keys:
            key = TableKey.open(folder / KEY).fingerprint
            _copy_keys(folder, target)
        _write_label(target, copied)
    except OSError as error:
        raise BackupError(f"{target}: {error.strerror or error}") from error
    return _summed_up(target, copied, fresh, missing, key)


def restore_hub(source: Path, folder: Path) -> HubBackup:
    """Put a backup back as a hub's data, after checking it.

    Raises ``BackupError`` if it is no backup of a hub, is faulty, or the folder already has data.
    """
    label = read_label(source, FORMAT)
    if (folder / DATABASE).exists() or (folder / KEY).exists():
        raise BackupError(
            f"{folder}: has data already; move it away first, or choose another --data"
        )
    copied = _checked(source)
    if _heads(copied) != label["head"]:
        raise BackupError(
            f"{source}: its logs do not end where {LABEL} says; it was cut off or changed"
        )
    missing: dict[str, list[str]] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = _copy_pictures(source, folder, copied, missing)
        key = None
        if (source / KEY).exists():
            _copy_keys(source, folder)
            key = TableKey.open(folder / KEY).fingerprint
        _copy_database(source / DATABASE, folder / DATABASE)  # last: with it, the hub has its data
    except OSError as error:
        raise BackupError(f"{folder}: {error.strerror or error}") from error
    return _summed_up(folder, _checked(folder), fresh, missing, key)


def _summed_up(
    folder: Path,
    copied: dict[str, list[LoggedEvent]],
    fresh: int,
    missing: dict[str, list[str]],
    key: str | None,
) -> HubBackup:
    linked = sum(len(kept_pictures(events)) for events in copied.values())
    away = {table_id: len(shas) for table_id, shas in missing.items() if shas}
    return HubBackup(
        folder,
        len(copied),
        len({(table_id, event.game_id) for table_id, events in copied.items() for event in events}),
        sum(map(len, copied.values())),
        linked - sum(away.values()),
        fresh,
        away,
        key,
    )


def _copy_database(source: Path, target: Path, *then: str) -> None:
    """Copy a database in its present state to one file, written completely or not at all."""
    try:
        with replacing(target, private=True) as temporary:
            with (
                closing(connect(source, readonly=True)) as reader,
                closing(sqlite3.connect(temporary, isolation_level=None)) as copy,
            ):
                reader.backup(copy)
                for sql in then:
                    copy.execute(sql)
                copy.execute("PRAGMA journal_mode=DELETE")
            for suffix in ("-wal", "-shm"):  # of whoever looked at the copy before
                target.with_name(target.name + suffix).unlink(missing_ok=True)
    except sqlite3.Error as error:
        raise BackupError(f"{source}: cannot be copied ({error})") from error


def _checked(folder: Path) -> dict[str, list[LoggedEvent]]:
    """Check chains and signatures in a copy and return every table's records.

    Raises ``BackupError``.
    """
    path = folder / DATABASE
    try:
        with closing(connect(path, readonly=True, immutable=True)) as reader:
            if (pragma(reader, "application_id"), pragma(reader, "user_version")) != (
                APPLICATION_ID,
                VERSION,
            ):
                raise BackupError(f"{path}: not a hub's database of this version of tilewatch")
            keys = _keys(reader)
            found = {table_id: list(_records(reader, table_id)) for table_id in keys}
    except sqlite3.Error as error:
        raise BackupError(f"{path}: cannot be read ({error})") from error
    for table_id, events in found.items():
        fault = first_fault(events)
        if fault is not None:
            raise BackupError(f"{path}: {table_id}, {fault}")
        stranger = next((event.seq for event in events if event.key not in keys[table_id]), None)
        if stranger is not None:
            raise BackupError(f"{path}: {table_id}, event {stranger}: signed by another's key")
        require_pictures(folder, events)
    return found


def _keys(reader: sqlite3.Connection) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {
        str(table_id): set()
        for (table_id,) in reader.execute("SELECT id FROM tables ORDER BY length(id), id")
    }
    for table_id, key in reader.execute("SELECT table_id, key FROM table_keys"):
        found[table_id].add(key)
    return found


def _records(reader: sqlite3.Connection, table_id: str) -> Iterator[LoggedEvent]:
    sql = f"SELECT {COLUMNS} FROM records WHERE table_id = ? ORDER BY seq"  # noqa: S608
    for row in reader.execute(sql, (table_id,)):
        yield LoggedEvent(*row)


def _copy_pictures(
    source: Path,
    target: Path,
    copied: dict[str, list[LoggedEvent]],
    missing: dict[str, list[str]],
) -> int:
    return sum(
        copy_pictures(
            source / EVIDENCE,
            target / EVIDENCE,
            kept_pictures(events),
            missing.setdefault(table_id, []),
        )
        for table_id, events in copied.items()
    )


def _copy_keys(source: Path, target: Path) -> None:
    for name in KEYS:
        if (source / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).unlink(missing_ok=True)
            create_private_file(target / name, read_file(source / name, SMALL, BackupError))
    if (source / WEB_DB).exists():
        _copy_database(source / WEB_DB, target / WEB_DB)


def _heads(copied: dict[str, list[LoggedEvent]]) -> dict[str, Any]:
    return {
        table_id: {"seq": events[-1].seq, "hash": events[-1].hash}
        for table_id, events in copied.items()
        if events
    }


def _write_label(target: Path, copied: dict[str, list[LoggedEvent]]) -> None:
    label = {
        "format": FORMAT,
        "version": 1,
        "wall_ns": time.time_ns(),
        "software": statement.software(),
        "head": _heads(copied),
    }
    write_file(target / LABEL, (json.dumps(label, indent=1) + "\n").encode())
