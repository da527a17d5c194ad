"""A writer that is killed, disks that fill up or break, and files as a power cut leaves them."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from record.chain import LoggedEvent
from record.log.event_log import EventLog

PROGRAM = """
import os, sys
from pathlib import Path
from record.evidence import EvidenceStore
from record.log.event_log import EventLog

def write(folder, seed):
    log = EventLog(folder / "tilewatch.db", live=seed % 2 == 0, reserve=1 << 18)
    store = EvidenceStore(folder / "evidence", keep_free=0)
    print("open", os.getpid(), flush=True)
    n = 0
    while True:
        n += 1
        if n % 3 == 0:
            sha = store.store(b"%d %d " % (seed, n) * 800)
            print("picture", sha, flush=True)
        payload = {"type": "note", "text": "x" * (n * 37 % 900)}
        event = log.append("g", payload, mono_ns=n, source="t")
        assert event.on_disk
        print("event", event.seq, event.hash, flush=True)

for line in sys.stdin:
    writer = os.fork()
    if writer == 0:
        try:
            write(Path(sys.argv[1]), int(line))
        finally:
            os._exit(1)
    os.waitpid(writer, 0)
    print("\\0", flush=True)
"""


class KilledWriters:
    """Writers of one folder's log and pictures, one after another, each killed at some moment.

    They are forked from a process that has imported what they need: most of what a new one would
    take is its start.
    """

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self._rng = rng
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def kill_one(self, seed: int) -> list[str]:
        """Run a writer, kill it at a random moment, and return the lines that it got out whole."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(b"%d\n" % seed)
        stdin.flush()
        word, pid = stdout.readline().split()
        assert word == b"open"
        # However slow the machine, some get some way.
        lines = [stdout.readline() for _ in range(seed % 5)]
        # A moment in time, not after a line: any instruction may be the last.
        time.sleep(self._rng.random() ** 2 * 0.06)
        os.kill(int(pid), signal.SIGKILL)
        while not lines or not lines[-1].endswith(b"\0\n"):
            lines.append(stdout.readline())
            assert lines[-1], "the writers' process has ended"
        return [line.decode() for line in lines[:-1]]  # the last may have been cut off

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def behind_its_back(path: Path, *statements: str) -> None:
    """Change a log's file as somebody without its program can, its guards taken off."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        guards = "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        for (name,) in connection.execute(guards).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for sql in statements:
            connection.executescript(sql)


def mount(*words: str | Path) -> None:
    """Mount a file system, or skip the test where this user may mount none."""
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


@contextlib.contextmanager
def small_disk(size: str, folder: Path) -> Iterator[Path]:
    """A tmpfs of its own, or a skipped test where this user may mount none."""
    place = Path(tempfile.mkdtemp(dir=folder))
    mount("-t", "tmpfs", "-o", f"size={size}", "tilewatch-test", place)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def remount(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


class FailingDisk:
    """An ext4 of its own that can be made to find a fault in itself."""

    def __init__(self, image: Path, folder: Path) -> None:
        self._image, self.folder = image, folder

    def mount(self) -> None:
        mount("-o", "loop,errors=remount-ro", self._image, self.folder)

    @property
    def _trigger(self) -> Path:
        device = self.folder.stat().st_dev
        name = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve().name
        return Path("/sys/fs/ext4", name, "trigger_fs_error")

    @property
    def can_fail(self) -> bool:
        return os.access(self._trigger, os.W_OK)

    def fail(self) -> None:
        """What a failing card does to a file system: no write from now on, open files or not."""
        self._trigger.write_text("tilewatch test")

    def mend(self) -> None:
        """What the next start of the machine does."""
        self.unmount()
        done = subprocess.run(["e2fsck", "-p", str(self._image)], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stdout
        self.mount()

    def unmount(self) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)


@contextlib.contextmanager
def failing_disk(folder: Path) -> Iterator[FailingDisk]:
    """Such a disk, or a skipped test where this user may mount none."""
    make = shutil.which("mkfs.ext4")
    if make is None or os.geteuid() != 0:
        pytest.skip("an ext4 of one's own takes root and mkfs.ext4")
    image, place = folder / "disk.img", folder / "disk"
    with image.open("wb") as handle:
        handle.truncate(32 << 20)
    place.mkdir()
    subprocess.run([make, "-q", "-F", str(image)], check=True, capture_output=True)
    disk = FailingDisk(image, place)
    disk.mount()
    try:
        if not disk.can_fail:
            pytest.skip("this kernel lets nobody break a file system")
        yield disk
    finally:
        disk.unmount()


def snapshot(folder: Path, target: Path) -> None:
    """The files of a log as they are at this moment; the shared memory dies with the machine."""
    target.mkdir(parents=True)
    for path in folder.iterdir():
        if path.is_file() and not path.name.endswith(("-shm", ".lock", ".reserve")):
            shutil.copyfile(path, target / path.name)


def torn(before: Path, after: Path, target: Path, rng: random.Random, name: str) -> None:
    """Files of ``before``, but of file ``name`` only some 512-byte sectors of ``after`` came."""
    target.mkdir(parents=True)
    for path in before.iterdir():
        shutil.copyfile(path, target / path.name)
    old = (before / name).read_bytes() if (before / name).exists() else b""
    new = (after / name).read_bytes()
    kept = bytearray(old)
    for at in range(0, len(new), 512):
        chance = rng.random()
        if chance < 0.5:
            piece = new[at : at + 512]
        elif chance < 0.6:
            piece = os.urandom(min(512, len(new) - at))
            if at < len(old) and new[at : at + 512] == old[at : at + 512]:
                continue  # nobody was writing there
        else:
            continue
        if len(kept) < at:
            kept.extend(bytes(at - len(kept)))
        kept[at : at + len(piece)] = piece
    (target / name).write_bytes(kept)


def note(log: EventLog, size: int = 300, n: int = 0) -> LoggedEvent:
    """Append an event of so many letters."""
    return log.append("g", {"type": "note", "text": "x" * size}, mono_ns=n, source="test")


def fill(path, count: int = 20) -> list[str]:
    """A log of so many events; their digests."""
    with EventLog(path) as log:
        return [note(log, n=n).hash for n in range(count)]
