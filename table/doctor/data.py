"""Checks the data: their folder, the disk under it and the event log."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from record.evidence import PICTURES_STOP_BYTES
from record.log.event_log import EventLog
from record.log.mirror import discrepancy
from record.paths import DATABASE, EVIDENCE
from record.seals import fingerprint
from record.signing import KEY_FILE
from table.doctor.check import Check, fine, wrong
from table.doctor.machine import Machine


def existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists.

    Raises ``OSError`` if this user lacks the permission to see whether it exists. (From Python 3.14
    on ``Path.exists`` would return False then.)
    """
    for one in (folder, *folder.parents):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            one.stat()
            return one
    return Path("/")


def folder(data: Path) -> Check:
    """Check the permissions of the data folder and of what is in it."""
    there = existing(data)
    user = _user(os.geteuid())
    if not there.is_dir():
        return wrong(
            "data folder",
            f"{there} is a file",
            "choose a folder (data in table.toml, or --data)",
        )
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        return wrong(
            "data folder",
            f"{there} is on a disk that is read-only",
            "a failing card does that: tilewatch backup to another disk, then replace the card",
        )
    if not os.access(there, os.W_OK | os.X_OK):
        return wrong(
            "data folder",
            f"{there} belongs to {_owner(there)} and cannot be written by {user}",
            f"run as {_owner(there)}, or: sudo chown -R {user} {there}",
        )
    foreign = [
        one
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}.mirror", KEY_FILE, EVIDENCE)
        if (one := data / name).exists() and not os.access(one, os.R_OK | os.W_OK)
    ]
    if foreign:
        return wrong(
            "data folder",
            f"{foreign[0]} belongs to {_owner(foreign[0])} and cannot be written by {user}",
            f"sudo chown -R {user} {data}",
        )
    key = data / KEY_FILE
    if key.exists() and key.stat().st_mode & 0o077:
        return wrong(
            "data folder", f"{key} can be read by others", f"chmod 600 {key}: it signs the games"
        )
    if there != data:
        return fine("data folder", f"{data} will be made at the first start")
    return fine("data folder", f"{data} can be written by {user}")


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _owner(path: Path) -> str:
    return _user(path.stat().st_uid)


GAME_BYTES: Final = 40_000_000
"""The most that a game of thirty turns takes with its pictures."""
GAMES: Final = 12
"""The number of games that a table plays on a long day."""
FEW_NODES: Final = 5_000
"""The number of files that must still be possible on the disk: a game makes some hundreds."""

SYNC_MS: Final = 50.0
"""The largest good median for a write of an event with its fsync: a scored turn should be on the
page within 150 ms."""
WORST_MS: Final = 1000.0
WRITE_MB_S: Final = 4.0
"""The least good speed of large writes: a turn's pictures are about 1.3 MB."""
_EVENTS: Final = 24
_EVENT_BYTES: Final = 4096
_CHUNKS, _CHUNK_BYTES = 8, 1 << 20

_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})


def mount_of(machine: Machine, folder: Path) -> tuple[str, str, str, frozenset[str]] | None:
    """Return device, mount point, file system and options of a folder's mount; None if unknown."""
    best: tuple[str, str, str, frozenset[str]] | None = None
    for line in (machine.text(machine.path("/proc/self/mounts")) or "").splitlines():
        fields = line.split(" ")
        if len(fields) < 4:
            continue
        place = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[1])
        if not folder.is_relative_to(place):
            continue
        if best is None or len(place) >= len(best[1]):
            best = (fields[0], place, fields[2], frozenset(fields[3].split(",")))
    return best


def storage(machine: Machine, folder: Path) -> Check:
    """Check that written data survive a restart."""
    mount = mount_of(machine, existing(folder).resolve())
    if mount is None:
        return fine("storage", "a disk that keeps what is written", kind=None)
    device, place, kind, options = mount
    if kind in _IN_MEMORY:
        return wrong(
            "storage",
            f"{folder} is in the machine's memory ({kind} at {place})",
            "keep the data on a card or a disk (data in table.toml, or --data): there it is lost "
            "with the power",
            kind=kind,
        )
    if kind == "overlay" and _read_only_system(machine, device):
        return wrong(
            "storage",
            f"{folder} is on a read-only system's overlay in memory",
            "keep the data on a partition of its own, or switch the overlay off (raspi-config)",
            kind=kind,
        )
    if "ro" in options:
        return wrong(
            "storage",
            f"{place} is mounted read-only",
            "a failing card does that: check dmesg, replace the card; else remount it for writing",
            kind=kind,
        )
    return fine("storage", "a disk that keeps what is written", kind=kind)


def space(folder: Path) -> Check:
    """Check that the disk has room for a day's games."""
    there = existing(folder)
    free = shutil.disk_usage(there).free
    games = max(0, free - PICTURES_STOP_BYTES) // GAME_BYTES
    figures = {"free_bytes": free, "games": games}
    nodes = os.statvfs(there)
    if games < GAMES:
        return wrong(
            "space",
            f"{free / 1e9:.2f} GB free, room for {games} games",
            f"free {(GAMES * GAME_BYTES + PICTURES_STOP_BYTES - free) / 1e9:.1f} GB for a day's "
            f"{GAMES} (tilewatch backup to a stick, then tilewatch retention)",
            **figures,
        )
    if nodes.f_files and nodes.f_favail < FEW_NODES:
        return wrong(
            "space",
            f"only {nodes.f_favail} more files can be made on this disk",
            "delete small files, or make the file system anew with more inodes",
            **figures,
        )
    return fine("space", f"{free / 1e9:.1f} GB free, room for {games} games", **figures)


def _read_only_system(machine: Machine, device: str) -> bool:
    line = machine.text(machine.path("/proc/cmdline")) or ""
    return device == "overlayroot" or "boot=overlay" in line or "overlayroot=" in line


def speed(folder: Path, clock: Callable[[], float] = time.perf_counter) -> Check:
    """Check the disk's speed: small synced writes as for the log, a large one as for pictures."""
    there = existing(folder)
    scratch = there / f".tilewatch-doctor-{os.getpid()}"
    try:
        syncs, rate = _measured(scratch, clock)
    except OSError as error:
        return wrong(
            "card",
            f"{there}: cannot be written ({error.strerror})",
            "make the folder writable for this user, or choose another with --data",
        )
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()
    median, worst = statistics.median(syncs), max(syncs)
    figures = {"sync_ms": round(median, 3), "worst_ms": round(worst, 3), "mb_s": round(rate, 1)}
    says = f"an event is safe in {median:.1f} ms (at worst {worst:.0f}), {rate:.0f} MB/s"
    if median > SYNC_MS or worst > WORST_MS or rate < WRITE_MB_S:
        return wrong(
            "card",
            f"too slow: {says}",
            f"use a card of class A1 or better, or an SSD ({SYNC_MS:.0f} ms and "
            f"{WRITE_MB_S:.0f} MB/s are wanted)",
            **figures,
        )
    return fine("card", says, **figures)


def _measured(scratch: Path, clock: Callable[[], float]) -> tuple[list[float], float]:
    """Return the ms of each small write with fsync, and the MB/s of a large one with fsync."""
    syncs = []
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        for _ in range(_EVENTS):
            began = clock()
            os.write(descriptor, os.urandom(_EVENT_BYTES))
            os.fsync(descriptor)
            syncs.append((clock() - began) * 1e3)
        chunk = os.urandom(_CHUNK_BYTES)
        began = clock()
        for _ in range(_CHUNKS):
            os.write(descriptor, chunk)
        os.fsync(descriptor)
        took = clock() - began
    finally:
        os.close(descriptor)
    return syncs, _CHUNKS * _CHUNK_BYTES / 1e6 / max(took, 1e-9)


def records(data: Path) -> Check:
    """Check the hashes and signatures of the log from its first event to its last."""
    path = data / DATABASE
    if not path.exists():
        return fine("log", "none yet; it begins with the first game", events=0)
    remedy = (
        "keep a copy of the folder as it is, then tilewatch repair, which puts back lost and "
        "torn pages from the second copy beside it and says so; what stays damaged costs its own "
        "game alone, which a backup or a bundle has"
    )
    try:
        with EventLog(path, readonly=True) as log:
            fault = log.verify()
            last = log.events(after=max(0, log.last_seq - 1))
            games = len(log.game_ids())
            found = discrepancy(log.events, path)
    except TilewatchError as error:
        return wrong("log", str(error), remedy)
    if fault is not None or found is not None:
        return wrong("log", f"{path}: {fault or found}", remedy)
    key = f", key {fingerprint(last[-1].key)}" if last else ""
    count = last[-1].seq if last else 0
    return fine("log", f"{count} events of {games} games hold{key}", events=count, games=games)
