"""Finds traces of an earlier log where there is none any more."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Final

from record.log import mirror
from record.paths import EVIDENCE, HUB_FILE
from record.signing import KEY_FILE

_LEFT_BY_A_RUN: Final = (EVIDENCE, "spool", "timebase.json")
"""Folders count when something is in them."""


def traces(path: Path) -> str | None:
    """Name the files left of a table whose log at ``path`` and its second copy are gone."""
    if _has_content(path) or _has_content(mirror.mirror_path(path)):
        return None
    folder = path.parent
    names = [path.name + suffix for suffix in (".lock", ".mirror")]
    found = [folder / name for name in (*names, *_LEFT_BY_A_RUN) if _is_used(folder / name)]
    found += sorted(folder.glob(f"{path.name}.damaged-*"))[:1]
    key = folder / KEY_FILE
    if key.exists() and (found or not (folder / HUB_FILE).exists()):
        found.insert(0, key)  # a table that joins a hub before its first game has one, too
    if not found:
        return None
    with contextlib.suppress(OSError):
        day = time.strftime("%Y-%m-%d", time.gmtime(found[0].stat().st_mtime))
        return f"{' and '.join(one.name for one in found[:3])} ({found[0].name} of {day})"
    return found[0].name


def _is_used(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.exists()


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
