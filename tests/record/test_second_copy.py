"""The log's second copy: what was cut off is noticed, said and put back; what is gone is said."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace

import pytest

from record.backup import LABEL
from record.chain import LoggedEvent
from record.log import mirror as log_mirror
from record.log.event_log import EventLog
from record.log.mirror import line_of, mirror_path
from record.log.repair import INSERT, row
from record.paths import DATABASE, EVIDENCE
from record.signing import KEY_FILE, TableKey
from table.cli import main
from table.health.alerts import ActiveAlerts
from table.health.monitor import HealthMonitor

from .bundlekit import GAME, everything
from .crashkit import behind_its_back


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
    assert "put back from tilewatch.db.mirror" in out
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
    assert "put back from tilewatch.db.mirror" in err
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
    assert f"event {len(due)} is another one in the second copy" in err


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
        conditions = ActiveAlerts()
        HealthMonitor(log, lambda _: None, conditions, lambda _: None, lambda: 7)
        (wrong,) = conditions.now()
        assert (wrong.code, wrong.message, wrong.stands) == ("log", line, False)
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
        assert f"the log is gone, but of an earlier run there is still {due} (" in line
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
