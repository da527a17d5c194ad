"""A table's data is copied and comes back, checked; what its second copy has is not lost."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import zipfile
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

from record.backup import LABEL, backup, restore
from record.chain import LoggedEvent
from record.errors import BackupError, LogError
from record.log import mirror as log_mirror
from record.log.event_log import EventLog
from record.log.mirror import line_of, mirror_path
from record.log.schema import INSERT, row
from record.paths import DATABASE, EVIDENCE
from record.seals import digest
from record.signing import KEY_FILE, TableKey
from table.cli import main
from table.doctor.data import folder
from table.health.monitor import ActiveTroubles, HealthMonitor

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
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(BackupError, match="0 MB of pictures to copy, but 0 MB free"):
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
        check = folder(disk / "table")
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


def cut(data, after):
    """Take the newest events out of the database, as somebody without the key can."""
    behind_its_back(data / DATABASE, f"DELETE FROM events WHERE seq > {after}")


def ran(capsys, *argv):
    status = main([str(one) for one in argv])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_cut_off_tail_is_neither_exported_nor_backed_up_unsaid(data, tmp_path, capsys):
    end = len(everything(data))
    cut(data, end - 3)
    where = f"events {end - 2} to {end}, which the second copy beside it (tilewatch.db.mirror) has"
    target = tmp_path / "b.zip"
    for argv in (("export", GAME, "-o", target), ("backup", tmp_path / "stick")):
        status, out, err = ran(capsys, *argv, "--data", data)
        assert (status, out) == (2, "")
        assert where in err
        assert f"tilewatch repair --data {data}" in err
        assert err.count("\n") == 1
    assert not target.exists()
    assert not (tmp_path / "stick" / LABEL).exists()


def test_repair_puts_the_tail_back(data, tmp_path, capsys):
    due = everything(data)
    cut(data, len(due) - 3)
    status, out, _ = ran(capsys, "repair", "--data", data)
    assert status == 0
    assert "restored from tilewatch.db.mirror" in out
    assert f"{len(due)} events hold" in out
    assert everything(data) == due
    assert ran(capsys, "export", GAME, "-o", tmp_path / "b.zip", "--data", data)[0] == 0
    assert ran(capsys, "repair", "--data", tmp_path / "none")[0] == 2


def test_exported_as_it_stands_the_bundle_says_so(data, tmp_path, capsys):
    end = len(everything(data))
    cut(data, end - 1)
    target = tmp_path / "b.zip"
    status, _, err = ran(capsys, "export", GAME, "-o", target, "--data", data, "--as-it-stands")
    assert status == 0
    assert f"event {end}, which the second copy" in err
    with zipfile.ZipFile(target) as bundle:
        (entry,) = json.loads(bundle.read("manifest.json"))["log_history"]
    assert entry["what"] == "exported_as_it_stands"
    assert entry["detail"] == {
        "second_copy": "tilewatch.db.mirror",
        "log_end": end - 1,
        "second_copy_end": end,
        "differs_at": None,
    }
    status, out, _ = ran(capsys, "verify", target)
    assert status == 0
    assert "exported_as_it_stands" in out


def test_backed_up_as_it_stands_it_is_put_back_where_it_is_restored(data, tmp_path, capsys):
    due = everything(data)
    cut(data, len(due) - 2)
    stick, other = tmp_path / "stick", tmp_path / "other"
    assert ran(capsys, "backup", stick, "--data", data, "--as-it-stands")[0] == 0
    status, _, err = ran(capsys, "restore", stick, "--data", other)
    assert status == 0
    assert "restored from tilewatch.db.mirror" in err
    assert everything(other) == due
    # The next backup of a log that is whole again takes no second copy along.
    assert ran(capsys, "repair", "--data", data)[0] == 0
    assert ran(capsys, "backup", stick, "--data", data)[0] == 0
    assert not mirror_path(stick / DATABASE).exists()


def insert(data, event: LoggedEvent) -> None:
    """Put an event in, as somebody with the key can."""
    with closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as connection:
        connection.execute(INSERT, row(event))


def another(event: LoggedEvent, key: TableKey) -> LoggedEvent:
    """The same place in the chain, saying something else."""
    return replace(event, mono_ns=event.mono_ns + 1).sealed(key)


def test_another_event_that_the_table_signed_is_named(data, tmp_path, capsys):
    """A tail that was made anew by somebody with the key."""
    due = everything(data)
    last = another(due[-1], TableKey.open(data / KEY_FILE))
    cut(data, len(due) - 1)
    insert(data, last)
    status, _, err = ran(capsys, "export", GAME, "-o", tmp_path / "b.zip", "--data", data)
    assert status == 2
    assert f"event {len(due)} differs in the second copy" in err


def test_a_stranger_s_lines_count_for_nothing(data, tmp_path, capsys):
    """Whoever can write the file but has no key can neither stop an export nor add an event."""
    due = everything(data)
    stranger = TableKey.open(tmp_path / "stranger.key")
    added = replace(
        due[-1], seq=due[-1].seq + 1, number=due[-1].number + 1, prev_hash=due[-1].hash
    ).sealed(stranger)
    with mirror_path(data / DATABASE).open("ab") as handle:
        handle.write(line_of(added))
        handle.write(line_of(another(due[-1], stranger)))
    assert ran(capsys, "export", GAME, "-o", tmp_path / "b.zip", "--data", data)[0] == 0
    with EventLog(data / DATABASE) as log:
        assert log.events() == due
        assert log.repairs == ()
    assert [event for _, event in log_mirror.read(mirror_path(data / DATABASE))] == due


def test_a_second_copy_that_is_behind_or_missing_is_no_discrepancy(data, tmp_path, capsys):
    mirror = mirror_path(data / DATABASE)
    lines = mirror.read_bytes().splitlines(keepends=True)
    for content in (b"".join(lines[:-2]), b"".join(lines)[:-40], None):
        mirror.unlink()
        if content is not None:
            mirror.write_bytes(content)
        assert ran(capsys, "export", GAME, "-o", tmp_path / "b.zip", "--data", data)[0] == 0


# --- damage ---


@pytest.mark.parametrize("harm", ["zeroed", "noise", "first page", "application"])
def test_a_log_whose_header_is_lost_is_made_anew_from_its_second_copy(data, harm, capsys):
    due = everything(data)
    path = data / DATABASE
    content = bytearray(path.read_bytes())
    begin, end = {"first page": (0, 4096), "application": (68, 72)}.get(harm, (0, 100))
    content[begin:end] = (b"\xa5" if harm == "noise" else b"\0") * (end - begin)
    path.write_bytes(content)
    status, _, err = ran(capsys, "export", GAME, "-o", data / "b.zip", "--data", data)
    assert status == 2
    if harm != "application":
        assert "damaged; tilewatch repair makes it good" in err
    with EventLog(path) as log:
        assert log.events() == due
        assert log.verify() is None
        (line,) = log.repairs
        assert f"was damaged and has been rebuilt with {len(due)} events" in line
        assert log.history()[0][1] == "rebuilt"
        conditions = ActiveTroubles()
        HealthMonitor(log, lambda _: None, conditions, lambda _: None, lambda: 7)
        (wrong,) = conditions.now()
        assert (wrong.code, wrong.message, wrong.state) == ("log_repaired", line, "happened")
    (aside,) = data.glob(f"{DATABASE}.damaged-*")
    assert aside.read_bytes() == content


def test_what_is_no_log_is_still_left_alone(tmp_path, capsys):
    path = tmp_path / DATABASE
    path.write_bytes(b"somebody's own file" * 400)
    assert "not an event log" in ran(capsys, "repair", "--data", tmp_path)[2]
    assert path.read_bytes() == b"somebody's own file" * 400


# --- gone ---


@pytest.mark.parametrize("left", ["key", "pictures", "lock"])
def test_a_table_whose_log_is_gone_says_that_it_begins_anew(data, left):
    for one in data.glob(f"{DATABASE}*"):
        one.unlink()
    if left != "pictures":
        shutil.rmtree(data / EVIDENCE)
    if left != "key":
        (data / KEY_FILE).unlink()
    if left == "lock":
        (data / f"{DATABASE}.lock").touch()
    due = {"key": KEY_FILE, "pictures": EVIDENCE, "lock": f"{DATABASE}.lock"}[left]
    with EventLog(data / DATABASE, live=True) as log:
        (line,) = log.repairs
        assert f"the log is gone, but an earlier run left {due} (" in line
        assert "tilewatch restore" in line
        assert line in log.opening
        assert log.history()[0][1] == "begun_anew"
    with EventLog(data / DATABASE, live=True) as log:
        assert log.opening == ()


def test_a_new_table_says_nothing(tmp_path):
    with EventLog(tmp_path / "new" / DATABASE, live=True) as log:
        assert log.opening == ()
    (tmp_path / "joined").mkdir()
    TableKey.open(tmp_path / "joined" / KEY_FILE)
    (tmp_path / "joined" / "hub.json").write_text("{}")
    with EventLog(tmp_path / "joined" / DATABASE, live=True) as log:
        assert log.opening == ()


@pytest.mark.parametrize(
    "harm", ["PRAGMA user_version=0", "DROP TABLE events", "DROP TABLE history"]
)
def test_a_log_that_lost_its_version_or_a_table_is_made_anew(data, harm, capsys):
    before = everything(data)
    behind_its_back(data / DATABASE, harm)
    status, out, _ = ran(capsys, "repair", "--data", data)
    assert status == 0
    assert "has been rebuilt" in out
    assert [event.hash for event in everything(data)] == [event.hash for event in before]


def test_that_there_is_no_second_copy_to_compare_with_is_said(data, tmp_path, capsys):
    _, _, err = ran(capsys, "export", "last", "--data", data, "-o", tmp_path / "1.zip")
    assert "not compared" not in err
    mirror_path(data / DATABASE).unlink()
    for target in (["export", "last", "-o", tmp_path / "2.zip"], ["backup", tmp_path / "copy"]):
        status, _, err = ran(capsys, *target, "--data", data)
        assert status == 0
        assert "not compared" in err


@pytest.mark.parametrize("text", ["null", "[1]", "7", "[" * 100_000])
def test_a_payload_that_is_no_object_is_one_line(data, tmp_path, capsys, text):
    """Signed by the table's own key, so that the chain holds."""
    due = everything(data)
    bad = replace(due[-1], payload_text=text).sealed(TableKey.open(data / KEY_FILE))
    cut(data, len(due) - 1)
    insert(data, bad)
    mirror_path(data / DATABASE).unlink()
    for argv in (("backup", tmp_path / "stick"), ("export", GAME, "-o", tmp_path / "b.zip")):
        status, _, err = ran(capsys, *argv, "--data", data)
        assert status == 2
        assert f"event {bad.seq} of {GAME} is damaged" in err
