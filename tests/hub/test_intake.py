"""The hub's own troubles: a full disk, a second look, a table's records among many."""

from __future__ import annotations

import sqlite3

import pytest

from hub.errors import HubError
from hub.intake import Listener
from hub.rate_limit import QUIET_S, IncidentLimit
from hub.store import HubStore
from hub.wire.connection import IncomingMessage
from tests.hub.hubkit import until


def test_a_hub_whose_disk_is_full_acknowledges_nothing_and_says_so(hall):
    table, other = hall.table("t1"), hall.table("t2")
    table.connect()
    other.connect()
    table.play(2)
    assert until(lambda: table.arrived() and table.outbox.acked == 2)
    add = hall.hub.store.add

    def full(_records):
        raise HubError("the disk is full")

    hall.hub.store.add = full
    table.play(3)
    other.play(3)
    assert until(lambda: hall.hub.intake.trouble is not None)
    assert "the disk is full" in hall.hub.intake.trouble
    assert table.outbox.acked == 2
    hall.hub.store.add = add
    assert until(lambda: table.arrived() and other.arrived())
    assert table.same()
    assert other.same()
    assert until(lambda: hall.hub.intake.trouble is None)


def test_whatever_goes_wrong_in_showing_records_they_are_kept(hall):
    table = hall.table("t1")
    shown: list[int] = []

    def breaks(_table, events):
        shown.extend(event.seq for event in events)
        raise RuntimeError("a page broke")

    hall.restart_hub(Listener(on_records=breaks))
    table.connect()
    for _ in range(3):
        table.play(2)
    assert until(table.arrived)
    assert table.same()
    assert until(lambda: shown == [1, 2, 3, 4, 5, 6])


def test_records_can_be_neither_changed_nor_deleted(tmp_path, hall):
    table = hall.table("t1")
    table.connect()
    table.play(2)
    assert until(table.arrived)
    for sql in ("DELETE FROM records", "UPDATE records SET payload = '{}'"):
        with pytest.raises(HubError, match="never"), hall.hub.store.write() as connection:
            connection.execute(sql)
    assert table.same()


def test_a_hub_of_another_version_or_another_program_is_refused(tmp_path):
    for pragma in ("user_version=9", "application_id=5"):
        folder = tmp_path / pragma
        HubStore(folder).close()
        connection = sqlite3.connect(folder / "hub.db")
        connection.execute(f"PRAGMA {pragma}")
        connection.close()
        with pytest.raises(HubError, match=r"newer tilewatch|other program"):
            HubStore(folder)
    folder = tmp_path / "nonsense"
    folder.mkdir()
    (folder / "hub.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(HubError, match="cannot be opened"):
        HubStore(folder)


def test_what_was_passed_over_is_counted_and_kinds_do_not_hide_each_other():
    now = 0.0
    limit = IncidentLimit(lambda: now)
    assert [limit.draw("t1", "refused") for _ in range(4)] == [0, None, None, None]
    assert limit.draw("t1", "forged") == 0
    assert limit.draw("t2", "refused") == 0
    now = QUIET_S
    assert limit.draw("t1", "refused") == 3
    assert limit.draw("t1", "forged") == 0


def test_strangers_who_make_up_names_are_one_kind(hall):
    for n in range(30):
        hall.hub.intake.put(IncomingMessage(f"tilewatch/hall/made-up-{n}/events", b"x", False))
    assert until(lambda: hall.hub.intake.waiting == 0 and bool(hall.incidents()))
    assert hall.incidents() == [("unknown", "unknown")]
