"""A table's data goes to a folder while it runs and comes back on another machine, checked."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat

import pytest

from record.backup import LABEL, backup, restore
from record.errors import BackupError, LogError
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.signing import KEY_FILE, TableKey, digest
from table.cli import main
from table.doctor.data_folder import folder

from .bundlekit import GAME, bundle_of, everything, fill
from .crashkit import behind_its_back, remount, small_disk


def test_there_and_back_with_the_key_it_is_the_same_table(data, tmp_path):
    with EventLog(data / DATABASE, live=True):  # while it runs
        done = backup(data, tmp_path / "stick", with_key=True)
    assert (done.games, done.pictures, done.fresh, done.lost) == (2, 9, 9, ())
    back = restore(tmp_path / "stick", tmp_path / "other")
    assert (back.events, back.pictures, back.head) == (done.events, 9, done.head)
    assert everything(tmp_path / "other") == everything(data)
    assert stat.S_IMODE((tmp_path / "other" / KEY_FILE).stat().st_mode) == 0o600
    key = TableKey.open(tmp_path / "other" / KEY_FILE)
    assert key.public == TableKey.open(data / KEY_FILE).public
    assert done.key == back.key == key.fingerprint
    with EventLog(tmp_path / "other" / DATABASE) as log:
        log.append(GAME, {"type": "note"}, mono_ns=0, source="test")
        assert log.verify() is None
        assert log.history()[-1][1] == "restored"


def test_without_the_key_the_other_machine_signs_as_itself(data, tmp_path):
    backup(data, tmp_path / "stick")
    assert not (tmp_path / "stick" / KEY_FILE).exists()
    assert restore(tmp_path / "stick", tmp_path / "other").key is None
    old = TableKey.open(data / KEY_FILE)
    new = TableKey.open(tmp_path / "other" / KEY_FILE)
    assert new.public != old.public
    path = bundle_of(tmp_path / "other", tmp_path / "b.zip")
    assert main(["verify", str(path)]) == 1  # two keys: somebody has to say that both are good
    assert main(["verify", str(path), "--key", new.fingerprint, "--key", old.public]) == 0


def test_again_into_the_same_folder_copies_what_is_new(data, tmp_path):
    assert backup(data, tmp_path / "stick").fresh == 9
    fill(data, turns=2, game="saturday")
    again = backup(data, tmp_path / "stick")
    assert (again.fresh, again.pictures, again.games) == (6, 15, 4)
    assert everything(tmp_path / "stick") == everything(data)
    with pytest.raises(BackupError, match="has data already"):
        restore(tmp_path / "stick", data)


def test_nothing_else_is_written_over(data, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "mine.txt").write_text("mine")
    with pytest.raises(BackupError, match="not a backup of tilewatch"):
        backup(data, tmp_path / "photos")
    assert [p.name for p in (tmp_path / "photos").iterdir()] == ["mine.txt"]
    with pytest.raises(BackupError, match="not a backup of tilewatch"):
        restore(tmp_path / "photos", tmp_path / "new")
    with pytest.raises(LogError, match="no such event log"):
        backup(tmp_path / "nowhere", tmp_path / "stick")


@pytest.mark.parametrize("harm", ["event", "picture", "tail", "log", "version"])
def test_a_backup_that_does_not_hold_is_refused(data, tmp_path, harm):
    stick = tmp_path / "stick"
    backup(data, stick)
    if harm == "picture":
        next((stick / EVIDENCE).glob("*.jpg")).write_bytes(b"another")
    elif harm == "version":
        label = json.loads((stick / LABEL).read_text())
        (stick / LABEL).write_text(json.dumps({**label, "version": 2}))
    elif harm == "log":
        (stick / DATABASE).write_bytes(b"\xff" * 5000)
    else:
        behind_its_back(
            stick / DATABASE,
            "DELETE FROM events WHERE seq > 12"
            if harm == "tail"
            else "UPDATE events SET mono_ns = mono_ns + 1 WHERE seq = 4",
        )
    output = {
        "event": "event 4: its contents were changed",
        "picture": "no longer the picture",
        "tail": "ends with event 12",
        "log": "not an event log",
        "version": "version 2; update",
    }[harm]
    with pytest.raises((BackupError, LogError), match=output):
        restore(stick, tmp_path / "new")
    assert not (tmp_path / "new" / DATABASE).exists()


def test_lost_pictures_are_said_and_the_rest_is_saved(data, tmp_path, capsys):
    gone = sorted((data / EVIDENCE).glob("*.jpg"))[:2]
    gone[0].unlink()
    gone[1].write_bytes(b"rotten")
    assert main(["backup", str(tmp_path / "stick"), "--data", str(data)]) == 1
    out, err = capsys.readouterr()
    assert all(f"the picture {path.stem} belongs" in err for path in gone)
    assert "7 pictures" in out
    assert main(["restore", str(tmp_path / "stick"), "--data", str(tmp_path / "new")]) == 1


def test_a_stick_that_is_too_small_is_said_before_anything_is_copied(data, tmp_path, monkeypatch):
    monkeypatch.setattr("record.backup.free_bytes", lambda folder: 1000)
    with pytest.raises(BackupError, match="0 MB of pictures to copy and 0 MB free"):
        backup(data, tmp_path / "stick")
    assert not list((tmp_path / "stick" / EVIDENCE).glob("*.jpg"))


def test_a_backup_half_taken_is_made_whole_by_the_next(data, tmp_path):
    stick = tmp_path / "stick"
    backup(data, stick)
    shutil.rmtree(stick / EVIDENCE)
    (stick / f".{DATABASE}.0.{2**22 + 1}.tmp").write_bytes(b"of a run that was killed")
    assert backup(data, stick).fresh == 9
    assert restore(stick, tmp_path / "new").pictures == 9


def test_a_table_on_a_card_that_went_read_only_can_be_backed_up(tmp_path):
    """With the journal of a process that was killed: what is in it has to come along."""
    fill(tmp_path / "table", turns=2)
    with small_disk("16m", tmp_path) as disk:
        with EventLog(tmp_path / "table" / DATABASE) as log:
            log.append(GAME, {"type": "note"}, mono_ns=1, source="test")
            shutil.copytree(tmp_path / "table", disk / "table")  # as it lies on the disk, unclosed
        assert (disk / "table" / f"{DATABASE}-wal").stat().st_size > 0
        remount(disk, "ro")
        done = backup(disk / "table", tmp_path / "stick")
        assert list((tmp_path / "stick").glob("tmp*")) == []
        (check,) = folder(disk / "table")
        assert "read-only" in check.says
        remount(disk, "rw")
    with EventLog(tmp_path / "table" / DATABASE, readonly=True) as whole:
        assert done.events == len(whole.events())
        assert done.head == digest(whole.head[1])
    restore(tmp_path / "stick", tmp_path / "other")


def fill_up(disk):
    """Leave no byte free, and no room for another file's first page."""
    descriptor = os.open(disk / "filler", os.O_CREAT | os.O_WRONLY)
    try:
        with contextlib.suppress(OSError):
            while True:
                os.write(descriptor, b"x" * 4096)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("disk_is", ["read-only", "full"])
@pytest.mark.parametrize("journal", ["none", "alone", "with its index"])
def test_reading_writes_nothing_beside_the_source(tmp_path, capsys, disk_is, journal):
    """Backup and export work where SQLite can make neither journal nor index."""
    with small_disk("16m", tmp_path) as disk:
        fill(tmp_path / "table", turns=2)
        log = EventLog(tmp_path / "table" / DATABASE)
        log.append(GAME, {"type": "note"}, mono_ns=1, source="test")
        if journal == "none":
            log.close()
        data = disk / "table"
        shutil.copytree(tmp_path / "table", data)
        log.close()
        if journal == "alone":
            (data / f"{DATABASE}-shm").unlink()
        if disk_is == "full":
            fill_up(disk)
        else:
            remount(disk, "ro")
        for argv in (
            ("export", GAME, "-o", tmp_path / "game.zip"),
            ("retention",),
            ("backup", tmp_path / "stick", "--with-key"),
        ):
            assert main([str(one) for one in (*argv, "--data", data)]) == 0, capsys.readouterr()
        assert {path.name for path in tmp_path.iterdir()} >= {"game.zip", "stick"}
        assert list((tmp_path / "stick").glob("tmp*")) == []
    assert main(["verify", str(tmp_path / "game.zip")]) == 0
    restore(tmp_path / "stick", tmp_path / "other")
    assert everything(tmp_path / "other") == everything(tmp_path / "table")


def test_a_backup_makes_no_key_where_there_is_none(data, tmp_path):
    (data / KEY_FILE).unlink()
    with pytest.raises(BackupError, match="there is no key to copy"):
        backup(data, tmp_path / "stick", with_key=True)
    assert backup(data, tmp_path / "stick").key is None
    assert not (data / KEY_FILE).exists()
    restore(tmp_path / "stick", tmp_path / "other")
