"""Checks that the data folder is writable and that nobody else can read the key in it."""

from __future__ import annotations

import contextlib
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from record.paths import DATABASE, EVIDENCE
from record.signing import KEY_FILE
from table.doctor.check import Check, fine, wrong


def existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there.

    Raises ``OSError`` where this user may not look: whether it is there is then unknown. (From
    Python 3.14 on ``Path.exists`` would call it absent.)
    """
    for one in (folder, *folder.parents):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            one.stat()
            return one
    return Path("/")


def folder(data: Path) -> Iterator[Check]:
    """Permissions of the data folder and of what is in it."""
    there = existing(data)
    user = _user(os.geteuid())
    if not there.is_dir():
        yield wrong(
            "data folder",
            f"{there} is a file",
            "choose a folder (data in table.toml, or --data)",
        )
        return
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        yield wrong(
            "data folder",
            f"{there} is on a disk that is read-only",
            "a failing card does that: tilewatch backup to another disk, then replace the card",
        )
        return
    if not os.access(there, os.W_OK | os.X_OK):
        yield wrong(
            "data folder",
            f"{there} belongs to {_owner(there)} and cannot be written by {user}",
            f"run as {_owner(there)}, or: sudo chown -R {user} {there}",
        )
        return
    foreign = [
        one
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}.mirror", KEY_FILE, EVIDENCE)
        if (one := data / name).exists() and not os.access(one, os.R_OK | os.W_OK)
    ]
    if foreign:
        yield wrong(
            "data folder",
            f"{foreign[0]} belongs to {_owner(foreign[0])} and cannot be written by {user}",
            f"sudo chown -R {user} {data}",
        )
        return
    key = data / KEY_FILE
    if key.exists() and key.stat().st_mode & 0o077:
        yield wrong(
            "data folder", f"{key} can be read by others", f"chmod 600 {key}: it signs the games"
        )
        return
    if there != data:
        yield fine("data folder", f"{data} will be made at the first start")
    else:
        yield fine("data folder", f"{data} can be written by {user}")


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _owner(path: Path) -> str:
    return _user(path.stat().st_uid)
