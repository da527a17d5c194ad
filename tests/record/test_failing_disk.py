"""A disk that is full, broken or read-only: the game goes on, and what is written is whole."""

from __future__ import annotations

import os
import shutil
import sqlite3

import pytest

from record.errors import EvidenceError, LogError
from record.evidence import EvidenceStore
from record.log import mirror as log_mirror
from record.log.disk import mirror_path
from record.log.event_log import EventLog

from .crashkit import failing_disk, note, remount, small_disk


def test_a_full_disk_stops_pictures_first_and_never_the_game(tmp_path):
    with small_disk("4m", tmp_path) as disk:
        store = EvidenceStore(disk / "evidence", keep_free=2 << 20)
        log = EventLog(disk / "tilewatch.db", live=True, reserve=1 << 18)
        while True:
            try:
                store.store(os.urandom(100_000))
            except EvidenceError as error:
                assert "pictures are no longer kept" in str(error)
                break
        assert note(log).on_disk
        assert log.trouble is None
        hog = disk / "hog"
        with pytest.raises(OSError, match="No space"), hog.open("wb") as handle:
            while True:
                handle.write(bytes(65536))
                handle.flush()
        acknowledged = [note(log) for _ in range(20)]
        assert all(event.on_disk for event in acknowledged)
        while note(log, 3000).on_disk:
            pass
        assert "the disk is full" in log.trouble
        assert "in memory alone" in log.trouble
        on_disk = [event for event in log.events() if event.on_disk]
        held = [note(log, 3000) for _ in range(30)]
        assert not any(event.on_disk for event in held)
        assert log.last_seq == log.events()[-1].seq == held[-1].seq  # clock and scores go on
        assert log.grew(held[-2].seq, 0.1)
        assert log.events(after=held[-2].seq) == held[-1:]
        with EventLog(disk / "tilewatch.db", readonly=True) as other:  # what a crash would leave
            assert other.events()[: len(on_disk)] == on_disk
            assert other.verify() is None
        hog.unlink()
        assert log.retry()
        assert log.held == 0
        assert note(log).on_disk
        assert log.verify() is None
        log.close()
        with EventLog(disk / "tilewatch.db", readonly=True) as other:
            assert [event.hash for event in held] == [
                event.hash for event in other.events() if event.seq in {h.seq for h in held}
            ]


def test_a_disk_full_from_the_start(tmp_path):
    with small_disk("400k", tmp_path) as disk:
        with EventLog(disk / "tilewatch.db", live=True) as log:
            assert "nearly full" in log.trouble
            assert note(log).on_disk
        (disk / "hog").write_bytes(bytes(os.statvfs(disk).f_bavail * 4096))
        with pytest.raises(LogError) as caught, EventLog(disk / "other.db") as log:
            note(log, 100_000)
        assert "\n" not in str(caught.value)
        (disk / "hog").unlink()
        with EventLog(disk / "tilewatch.db") as log:
            assert len(log.events()) == 1
            assert log.verify() is None


def test_a_disk_that_goes_read_only_and_comes_back(tmp_path):
    with small_disk("8m", tmp_path) as disk:
        log = EventLog(disk / "tilewatch.db", live=True, reserve=1 << 18)
        acknowledged = [note(log) for _ in range(5)]
        # What a failing SD card does: the kernel takes the writers' right away.
        shutil.copytree(disk, tmp_path / "copy")
        log.close()
        remount(disk, "ro")
        with pytest.raises(LogError) as caught:
            EventLog(disk / "tilewatch.db")
        assert "\n" not in str(caught.value)
        with EventLog(disk / "tilewatch.db", readonly=True) as other:
            assert other.events() == acknowledged
        remount(disk, "rw")
        with EventLog(disk / "tilewatch.db") as log:
            assert log.events() == acknowledged


def test_a_file_system_that_goes_read_only_under_a_running_table(tmp_path):
    """A real one: ext4 finds a fault in itself and refuses every write from then on."""
    with failing_disk(tmp_path) as disk:
        folder = disk.folder
        log = EventLog(folder / "tilewatch.db", live=True, reserve=1 << 18)
        store = EvidenceStore(folder / "evidence", keep_free=0)
        sha = store.store(b"picture" * 100)
        acknowledged = [note(log, n=n) for n in range(5)]
        assert all(event.on_disk for event in acknowledged)
        disk.fail()
        with pytest.raises(OSError, match="Read-only file system"):
            (folder / "probe").touch()

        held = [note(log, n=n) for n in range(5, 8)]
        assert [event.on_disk for event in held] == [False] * 3
        assert "the newest 3 events are in memory alone" in log.trouble
        assert "not recorded" not in log.trouble
        with pytest.raises(EvidenceError) as caught:
            store.store(b"another" * 100)
        assert "\n" not in str(caught.value)
        assert log.events() == [*acknowledged, *held]  # clock and scores go on
        assert log.verify() is None
        assert not log.retry()
        with pytest.raises(LogError, match="3 events in memory were lost"):
            log.close()

        disk.mend()
        with EventLog(folder / "tilewatch.db") as log:
            assert log.events() == acknowledged
            assert log.verify() is None
            assert "up to event 5" in log.opening[0]
        assert EvidenceStore(folder / "evidence").load(sha) == b"picture" * 100


def test_the_disk_fails_under_a_running_table(tmp_path, monkeypatch):
    """I/O errors, then a disk that is back: nothing is lost, nothing is written twice."""
    path = tmp_path / "tilewatch.db"
    log = EventLog(path, live=True, reserve=1 << 16)
    note(log)

    class Broken:
        def execute(self, *_):
            raise sqlite3.OperationalError("disk I/O error")

        executemany = execute

        def close(self):
            pass

    with monkeypatch.context() as patch:
        log._disk.connection.close()
        log._disk.connection = Broken()
        patch.setattr("record.log.disk.connect", lambda *a, **k: Broken())
        held = [note(log, n=n) for n in range(3)]
        assert [event.on_disk for event in held] == [False] * 3
        assert "disk I/O error; the newest 3 events are in memory alone" in log.trouble
        assert not log.retry()
    assert note(log).on_disk
    assert (log.held, log.trouble) == (0, None)
    assert log.verify() is None
    log.close()
    with EventLog(path) as log:
        assert len(log.events()) == 5
        assert [event for _, event in log_mirror.read(mirror_path(path))] == log.events()


def test_what_could_never_be_written_is_said_at_the_end(tmp_path, monkeypatch):
    log = EventLog(tmp_path / "tilewatch.db", live=True, reserve=1 << 16)

    def gone(events):
        raise LogError("the disk is gone")

    monkeypatch.setattr(log._disk, "write", gone)
    assert not note(log).on_disk
    with pytest.raises(LogError, match="the disk is gone; 1 events in memory were lost"):
        log.close()


def test_a_log_that_is_not_live_refuses_instead_and_goes_on_when_there_is_room(tmp_path):
    with small_disk("600k", tmp_path) as disk, EventLog(disk / "tilewatch.db") as log:
        hog = disk / "hog"
        hog.write_bytes(bytes(200_000))
        full = r"disk is full; free some space; the event was not recorded"
        with pytest.raises(LogError, match=full):
            for _ in range(10_000):
                note(log, 3000)
        assert log.verify() is None
        last = log.last_seq
        hog.unlink()
        assert note(log).seq == last + 1
        assert log.verify() is None
