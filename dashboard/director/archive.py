"""The evidence of a game as one signed archive, made by ``tilewatch export`` itself.

It runs in a process of its own, at a low priority: to read a whole game, with a hash of each
picture, takes seconds, and the table goes on being read and shown meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Final

from game.errors import TilewatchError
from record.log.event_log import LogReader

_LONGEST_S: Final = 300
_NICENESS: Final = 10
_AT_ONCE = threading.Lock()


class ArchiveError(TilewatchError):
    """Why there is no archive, in one line."""


def make_archive(log: LogReader, game_id: str) -> IO[bytes]:
    """Return the archive of a game, open to be read; its file is gone once that is closed.

    Raises ``ArchiveError`` where the command refuses, and while another archive is made.
    """
    if not _AT_ONCE.acquire(blocking=False):
        raise ArchiveError("another archive is being made; try again in a moment")
    try:
        with tempfile.TemporaryDirectory(prefix="tilewatch-export-") as folder:
            made = Path(folder, "archive.zip")
            error = _run("--data", str(log.path.parent), "--out", str(made), "--", game_id)
            if not made.exists():
                raise ArchiveError(error or "the archive could not be made")
            return made.open("rb")
    finally:
        _AT_ONCE.release()


def _run(*arguments: str) -> str:
    """Run the command, and return the last line of what it complains of."""
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(  # noqa: S603 - our own command, no shell
        [sys.executable, "-m", "table.cli", "export", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        try:
            _, complaints = process.communicate(timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise ArchiveError(f"the archive was not made within {_LONGEST_S} s") from None
    return complaints.strip().rpartition("\n")[2]
