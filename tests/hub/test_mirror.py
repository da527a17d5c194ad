"""A table's log is at the hub, byte for byte, whatever happens; and the hub's own troubles."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time

import pytest

from hub.errors import HubError
from hub.intake import Listener
from hub.rate_limit import QUIET_S, IncidentLimit
from hub.store import HubStore
from hub.wire.connection import IncomingMessage
from record.chain import first_fault
from tests.hub.hubkit import BadNetwork, until


def test_what_was_logged_before_the_hub_is_caught_up_on(hall):
    table = hall.table("t1")
    table.play(400)
    table.connect()
    assert until(table.arrived)
    assert table.same()
    assert until(lambda: table.outbox.acked == table.log.last_seq)
    assert first_fault(hall.hub.log("t1").events()) is None
    assert hall.incidents() == []


def test_the_hub_stopped_and_started_at_random_moments(hall):
    tables = [hall.table(f"t{n}", seed=n) for n in range(3)]
    for table in tables:
        table.connect()
    rng = random.Random(5)
    for _ in range(8):
        for _ in range(rng.randrange(30)):
            rng.choice(tables).play()
            time.sleep(rng.random() * 0.004)
        hall.restart_hub()
    assert until(lambda: all(table.arrived() for table in tables))
    assert all(table.same() for table in tables)
    assert all(first_fault(hall.hub.log(table.name).events()) is None for table in tables)


def test_a_broker_that_dies_is_started_again_by_itself(hall):
    table = hall.table("t1")
    table.connect()
    for _ in range(2):
        table.play(15)
        assert until(table.arrived)
        os.kill(hall.broker_pid, signal.SIGKILL)
        table.play(15)
    assert until(table.arrived)
    assert table.same()


def test_a_bad_network_loses_doubles_and_reorders_nothing(hall):
    with BadNetwork(hall.broker.port, seed=3) as network:
        table = hall.table("t1", port=network.port)
        network.delay_s, network.tear = 0.003, 0.01
        table.connect()
        for _ in range(60):
            table.play()
            time.sleep(0.01)
        network.mend()
        assert until(table.arrived)
    assert table.same()
    assert first_fault(hall.hub.log("t1").events()) is None
    table.disconnect()


def test_tables_cut_off_and_brought_back_together(hall):
    with BadNetwork(hall.broker.port) as network:
        tables = [hall.table(f"t{n}", seed=n, port=network.port) for n in range(5)]
        for table in tables:
            table.connect()
            table.play(5)
        assert until(lambda: all(table.arrived() for table in tables))
        network.sever()
        for table in tables:
            table.play(60)
        assert not any(table.arrived() for table in tables)
        network.mend()
        assert until(lambda: all(table.arrived() for table in tables))
        assert all(table.same() for table in tables)
        for table in tables:
            table.disconnect()


@pytest.mark.slow
def test_a_silent_table_is_told(hall):
    with BadNetwork(hall.broker.port) as network:
        table = hall.table("t1", port=network.port)
        table.connect(facts_s=2.5)
        assert until(lambda: hall.hub.presence.state("t1") == "here")
        network.stuck = True  # no word, and no end of the connection either
        assert until(lambda: hall.hub.presence.state("t1") in ("silent", "lost"))
        network.mend()
        assert until(lambda: hall.hub.presence.state("t1") == "here")
        table.disconnect()
        assert until(lambda: hall.hub.presence.state("t1") == "stopped")


def test_clocks_that_are_wrong_change_nothing(hall):
    table = hall.table("t1")
    table.connect(clock=lambda: time.monotonic_ns() - 10**15)
    for wall in (0, 2**62, 1):
        table.log.append(
            "g", {"type": "HoldCalled", "turn": 1, "by": "left", "t_ns": 0},
            mono_ns=-5, source="recorder", wall_ns=wall,
        )  # fmt: skip
    assert until(table.arrived)
    assert table.same()

    def near() -> bool:
        now = hall.hub.presence.now_ns("t1")
        return abs(now - (time.monotonic_ns() - 10**15)) < 2_000_000_000

    assert until(near)


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
