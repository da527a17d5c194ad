"""One writer for a log: a lock file next to it that the kernel releases with the process."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

from record.errors import LogError


def take_writer_lock(path: Path) -> IO[str]:
    """Hold ``<path>.lock`` while this process lives; the kernel lets go even after SIGKILL.

    Raises ``LogError`` when another process holds it, and ``OSError``.
    """
    lock_path = path.with_name(path.name + ".lock")
    handle = lock_path.open("a+", encoding="ascii")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        owner = handle.read().strip() or "unknown"
        handle.close()
        raise LogError(
            f"{path}: another tilewatch (process {owner}) is writing it; "
            "stop that one or choose another --data"
        ) from None
    except OSError:
        handle.close()
        raise
    try:
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n")
        handle.flush()
    except OSError:
        pass  # a full disk: the holder's name is a courtesy, the lock is what counts
    return handle
