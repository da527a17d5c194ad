"""Copies a table's data to a folder, such as a USB stick, and restores it on another machine.

A backup is a folder: the log as one file, the pictures, the public key, and ``backup.json`` that
lists the contents. The table may run meanwhile: the log is copied as of one moment, then the
pictures that it links. A second backup into the same folder copies only new pictures, and deletes
those that were erased on request. The private
key is copied only on request, since whoever has it can sign as the table.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.files import (
    SMALL,
    create_private_file,
    read_file,
    remove_leftovers,
    replacing,
    sync,
    write_file,
)
from record import statement
from record.chain import LoggedEvent, first_fault
from record.errors import BackupError, LogError
from record.evidence import MAX_BYTES, EvidenceStore
from record.linked_pictures import deleted_pictures, linked_pictures
from record.log.event_log import EventLog
from record.log.mirror import Discrepancy, discrepancy, mirror_path, repair_advice
from record.paths import DATABASE, EVIDENCE
from record.seals import digest, sha256
from record.signing import KEY_FILE, TableKey

LABEL: Final = "backup.json"
FORMAT: Final = "tilewatch backup"
VERSION: Final = 1


@dataclass(frozen=True)
class BackupResult:
    """The contents of a backup or a restored table, after they were checked."""

    folder: Path
    events: int
    games: int
    pictures: int
    fresh: int
    """The number of pictures copied this time."""
    head: str
    """Digest of the newest event; empty without any."""
    key: str | None
    """Fingerprint of the signing key, if the backup has it."""
    lost: tuple[str, ...]
    """Hashes of pictures that events link and that are in neither place."""
    discrepancy: Discrepancy | None = None
    """The difference between the log and its second copy, which is then in the backup; else
    None."""
    repairs: tuple[str, ...] = ()
    """Repairs made when a backup was restored, in lines for people."""


def backup(
    data: Path, target: Path, *, with_key: bool = False, as_it_stands: bool = False
) -> BackupResult:
    """Copy a table's data into a folder, and check the copy.

    Nothing is written beside the source, which may be on a read-only or a full disk. Raises
    ``BackupError`` if the folder has other contents or no room, or if the copy fails its checks. If
    the log's second copy has other events than the log, it raises ``BackupError`` too, or with
    ``as_it_stands`` backs up both. Raises ``LogError`` if there is no log.
    """
    source = data / DATABASE
    if not source.is_file():
        EventLog(source, readonly=True)  # says what is missing
    require_own(target)
    key = _own_key(data)
    if with_key and key is None:
        raise BackupError(f"{data / KEY_FILE}: there is no key to copy; leave out --with-key")
    named = key.fingerprint if with_key and key is not None else None
    try:
        target.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target)
        with EventLog(source, readonly=True, scratch=target) as log:
            found = discrepancy(log.events, source)
            if found is not None and not as_it_stands:
                raise BackupError(
                    f"{source}: {found}; {repair_advice(data)}; or back up both with --as-it-stands"
                )
            _copy_log(log, target / DATABASE)
        with EventLog(target / DATABASE, readonly=True) as copy:
            events = copy.events()
        _require_chain(target, events)
        _copy_second(source, target / DATABASE, found)
        linked = kept_pictures(events)
        lost: list[str] = []
        fresh = copy_pictures(data / EVIDENCE, target / EVIDENCE, linked, lost)
        drop_erased(target / EVIDENCE, events)
        if named is not None and not (target / KEY_FILE).exists():
            create_private_file(target / KEY_FILE, read_file(data / KEY_FILE, SMALL, BackupError))
        _write_label(target, events, len(linked) - len(lost), key, found)
    except OSError as error:
        raise BackupError(f"{target}: {error.strerror or error}") from error
    require_pictures(target, events)
    return replace(_copied(target, events, linked, fresh, named, lost), discrepancy=found)


def _own_key(data: Path) -> TableKey | None:
    """Return the table's key, or None; a backup never makes a key."""
    return TableKey.open(data / KEY_FILE) if (data / KEY_FILE).exists() else None


def _copy_second(source: Path, target: Path, found: Discrepancy | None) -> None:
    """Copy the log's second copy too if it has other events; ``restore`` restores them."""
    second = mirror_path(target)
    second.unlink(missing_ok=True)
    if found is not None:
        shutil.copyfile(mirror_path(source), second)
        sync(second)


def restore(source: Path, data: Path) -> BackupResult:
    """Check a backup and restore it as a table's data.

    Raises ``BackupError`` if the folder is no backup, fails the checks, or the table has data.
    """
    label = read_label(source)
    if (data / DATABASE).exists() or (data / KEY_FILE).exists():
        raise BackupError(f"{data}: has data already; move it away first, or choose another --data")
    with EventLog(source / DATABASE, readonly=True) as log:
        events = log.events()
    _require_chain(source, events)
    require_pictures(source, events)
    head = {"seq": events[-1].seq, "hash": events[-1].hash} if events else None
    if head != label["head"]:
        raise BackupError(
            f"{source}: its log ends with event {events[-1].seq if events else 0}, not where "
            f"{LABEL} says; it was cut off or changed"
        )
    linked = kept_pictures(events)
    lost: list[str] = []
    try:
        data.mkdir(parents=True, exist_ok=True)
        fresh = copy_pictures(source / EVIDENCE, data / EVIDENCE, linked, lost)
        key = None
        if (source / KEY_FILE).exists():
            create_private_file(data / KEY_FILE, read_file(source / KEY_FILE, SMALL, BackupError))
            key = TableKey.open(data / KEY_FILE).fingerprint
        with EventLog(source / DATABASE, readonly=True, scratch=data) as log:
            if mirror_path(source / DATABASE).is_file():
                shutil.copyfile(mirror_path(source / DATABASE), mirror_path(data / DATABASE))
            _copy_log(log, data / DATABASE)  # last: with it, the table has its data
    except OSError as error:
        raise BackupError(f"{data}: {error.strerror or error}") from error
    with EventLog(data / DATABASE) as restored:
        events, repairs = restored.events(), restored.opening
        _require_chain(data, events)
        require_pictures(data, events)
        restored.remember("restored", {"from": str(source), "taken_wall_ns": label["wall_ns"]})
    return replace(_copied(data, events, linked, fresh, key, lost), repairs=repairs)


def _copied(
    folder: Path,
    events: list[LoggedEvent],
    linked: Iterable[str],
    fresh: int,
    key: str | None,
    lost: list[str],
) -> BackupResult:
    return BackupResult(
        folder,
        len(events),
        len({event.game_id for event in events}),
        len(set(linked)) - len(lost),
        fresh,
        digest(events[-1].hash) if events else "",
        key,
        tuple(lost),
    )


def require_own(target: Path, format_: str = FORMAT) -> None:
    """Refuse a target that is neither a new or empty folder nor a backup of this kind.

    Raises ``BackupError``.
    """
    if target.is_dir() and any(target.iterdir()):
        read_label(target, format_)
    elif target.exists() and not target.is_dir():
        raise BackupError(f"{target}: not a folder")


def format_of(folder: Path) -> str | None:
    """Return the kind of backup in a folder, by its label; None if the folder is no backup."""
    return _label(folder).get("format")


def read_label(folder: Path, format_: str = FORMAT) -> dict[str, Any]:
    """Return the label of a backup of one kind. Raises ``BackupError`` for another kind or none."""
    label = _label(folder)
    if label.get("format") != format_ or not {"head", "wall_ns"} <= label.keys():
        what = "not a backup of tilewatch" if folder.exists() else "no such folder"
        raise BackupError(
            f"{folder}: {what}; name the folder of a backup (to back up, a new or empty one)"
        )
    if label.get("version") != VERSION:
        raise BackupError(f"{folder}: a backup of version {label.get('version')}; update tilewatch")
    return label


def _label(folder: Path) -> dict[str, Any]:
    """Return the label of a backup; empty if there is no readable one."""
    try:
        label = json.loads(read_file(folder / LABEL, SMALL, BackupError))
    except (OSError, ValueError, RecursionError, BackupError):
        return {}
    return label if isinstance(label, dict) else {}


def _copy_log(log: EventLog, target: Path) -> None:
    """Copy the log as of this moment into one file, whole or not at all."""
    try:
        with replacing(target) as temporary:
            log.copy_to(temporary)
            for suffix in ("-wal", "-shm"):  # of whoever looked at the copy before
                target.with_name(target.name + suffix).unlink(missing_ok=True)
    except LogError as error:
        raise BackupError(f"{target}: the log cannot be copied ({error})") from error


def copy_pictures(source: Path, target: Path, linked: list[str], lost: list[str]) -> int:
    """Copy new pictures, checked by hash; return their number. Add missing ones to ``lost``."""
    wanted = []
    for sha in linked:
        name = f"{sha}.jpg"
        if not (target / name).is_file():
            if (source / name).is_file():
                wanted.append(source / name)
            else:
                lost.append(sha)
    size = sum(path.stat().st_size for path in wanted)
    target.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(target).free
    if size > free:
        raise BackupError(
            f"{target}: {size / 1e6:.0f} MB of pictures to copy, but {free / 1e6:.0f} MB free; "
            "free some space"
        )
    for path in wanted:
        picture = read_file(path, MAX_BYTES, BackupError)
        if sha256(picture) == path.stem:
            with replacing(target / path.name, durable=False) as temporary:
                temporary.write_bytes(picture)
                sync(temporary)
        else:
            lost.append(path.stem)
    sync(target)
    return len(wanted)


def drop_erased(folder: Path, events: Iterable[LoggedEvent]) -> None:
    """Delete pictures of an earlier backup that a person has erased since."""
    asked = (one.payload for one in events if one.payload.get("by") is not None)
    for sha in deleted_pictures(asked):
        (folder / f"{sha}.jpg").unlink(missing_ok=True)


def kept_pictures(events: Iterable[LoggedEvent]) -> list[str]:
    """Return the hash of each picture that the events link and that was not deleted."""
    payloads = [event.payload for event in events]
    deleted = deleted_pictures(payloads)
    linked = dict.fromkeys(sha for _, _, sha in linked_pictures(payloads))
    return [sha for sha in linked if sha not in deleted]


def _require_chain(folder: Path, events: list[LoggedEvent]) -> None:
    fault = first_fault(events)
    if fault is not None:
        raise BackupError(f"{folder / DATABASE}: {fault}")


def require_pictures(folder: Path, events: Iterable[LoggedEvent]) -> None:
    """Check the hashes of the linked pictures in ``folder``; missing ones pass.

    Raises ``BackupError``.
    """
    store = EvidenceStore(folder / EVIDENCE, readonly=True)
    for sha in kept_pictures(events):
        if store.path(sha).exists():
            try:
                store.load(sha)
            except TilewatchError as error:
                raise BackupError(str(error)) from error


def _write_label(
    target: Path,
    events: list[LoggedEvent],
    pictures: int,
    key: TableKey | None,
    found: Discrepancy | None,
) -> None:
    label = {
        "format": FORMAT,
        "version": VERSION,
        "wall_ns": time.time_ns(),
        "software": statement.software(),
        "head": {"seq": events[-1].seq, "hash": events[-1].hash} if events else None,
        "pictures": pictures,
        "key": None if key is None else key.public,
        "fingerprint": None if key is None else key.fingerprint,
        "discrepancy": None if found is None else found.as_json(),
    }
    write_file(target / LABEL, (json.dumps(label, indent=1) + "\n").encode())
