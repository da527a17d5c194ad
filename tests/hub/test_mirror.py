"""What a table logs is at the hub, byte for byte, whatever happens in between."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from tests.hub.hubkit import bad_network, until


def test_what_was_logged_before_the_hub_is_caught_up_on(hall):
    table = hall.table("t1")
    table.play(400)
    table.connect()
    assert until(table.arrived)
    assert table.same()
    assert until(lambda: table.outbox.acked == table.log.last_seq)
    assert hall.hub.log("t1").verify() is None
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
    assert all(hall.hub.log(table.name).verify() is None for table in tables)


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
    with bad_network(hall.broker.port, seed=3) as network:
        table = hall.table("t1", port=network.port)
        network.delay_s, network.tear = 0.003, 0.01
        table.connect()
        for _ in range(60):
            table.play()
            time.sleep(0.01)
        network.mend()
        assert until(table.arrived)
    assert table.same()
    assert hall.hub.log("t1").verify() is None
    table.disconnect()


def test_tables_cut_off_and_brought_back_together(hall):
    with bad_network(hall.broker.port) as network:
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
    with bad_network(hall.broker.port) as network:
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
