"""A writer that is killed, disks that fill up or break, and files as a power cut leaves them."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from record.chain import LoggedEvent
from record.log.event_log import EventLog

WRITER = """
import sys
from pathlib import Path
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
log = EventLog(folder / "tilewatch.db", live=seed % 2 == 0, reserve=1 << 18)
store = EvidenceStore(folder / "evidence", keep_free=0)
print("open", flush=True)
n = 0
while True:
    n += 1
    if n % 3 == 0:
        sha = store.store(b"%d %d " % (seed, n) * 800)
        print("picture", sha, flush=True)
    event = log.append("g", {"type": "note", "text": "x" * (n * 37 % 900)}, mono_ns=n, source="t")
    assert event.on_disk
    print("event", event.seq, event.hash, flush=True)
"""


def kill_at_random(folder: Path, rng: random.Random, seed: int) -> list[str]:
    """Run a writer, kill it at a random moment, and return the lines that it got out whole."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(seed)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first == b"open\n", process.stderr.read() if process.stderr else first
        # However slow the machine, some get some way.
        begun = b"".join(process.stdout.readline() for _ in range(seed % 5))
        # A moment in time, not after a line: any instruction may be the last.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.random() ** 2 * 0.06)
        process.kill()
        rest = (begun + process.stdout.read()).decode()
    whole = rest[: rest.rfind("\n") + 1]
    return whole.splitlines()


@contextlib.contextmanager
def small_disk(size: str, folder: Path) -> Iterator[Path]:
    """A tmpfs of its own, or a skipped test where this user may mount none."""
    place = Path(tempfile.mkdtemp(dir=folder))
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tilewatch-test", str(place)],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
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
        done = subprocess.run(
            ["mount", "-o", "loop,errors=remount-ro", str(self._image), str(self.folder)],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            pytest.skip(f"no loop device can be mounted here: {done.stderr.strip()}")

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
