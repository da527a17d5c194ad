"""A venue's broker bridged to a wider one: who listens there can check every record."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from hub.broker.access import WATCHER_USER
from hub.broker.mosquitto import MosquittoBroker
from hub.errors import HubError
from hub.wire.connection import Broker, BrokerConnection
from hub.wire.records import records
from record.chain import first_fault
from tests.hub.hubkit import VENUE
from tests.machine import PATIENCE_S, free_port, until


@pytest.fixture
def wide(tmp_path, broker_program):
    """The port of a wider broker."""
    port = free_port()
    conf = tmp_path / "wide.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    process = subprocess.Popen([broker_program, "-c", str(conf)], stderr=subprocess.DEVNULL)
    yield port
    process.terminate()
    process.wait()


def test_a_wider_hall_hears_what_tables_say(hall, wide):
    hall.broker.stop()
    bridge = (
        f"connection wide\naddress 127.0.0.1:{wide}\nlocal_username {WATCHER_USER}\n"
        "cleansession true\ntry_private false\nnotifications false\n"
        f"topic tilewatch/{VENUE}/+/events out 1\ntopic tilewatch/{VENUE}/+/facts out 0\n"
    )
    hall.broker = hall.new_broker(hall.broker.port, more=bridge)
    hall.broker.start()
    got = []
    listener = BrokerConnection(Broker("127.0.0.1", wide), "wide", [("tilewatch/#", 1)], got.append,
                    lambda: None)  # fmt: skip
    listener.start()
    assert until(lambda: listener.up)
    table = hall.table("t1")
    table.connect()
    # The bridge stands: what is said before that goes no further.
    assert until(lambda: any(m.topic.endswith("/facts") for m in got))
    table.play(6)
    assert until(table.arrived)

    def heard():
        found = [m for m in got if m.topic.endswith("/events")]
        return {event.seq: event for m in found for event in records(m.payload)}

    assert until(lambda: list(heard()) == [1, 2, 3, 4, 5, 6])
    assert list(heard().values()) == table.log.events()
    assert first_fault(heard().values()) is None
    listener.stop()


def broker_in(folder, **options) -> MosquittoBroker:
    return MosquittoBroker(
        folder, VENUE, "secret", dict, host="127.0.0.1", port=free_port(), **options
    )


@pytest.mark.usefixtures("broker_program")
def test_a_configuration_that_mosquitto_refuses_is_said(tmp_path):
    with pytest.raises(HubError, match=r"mosquitto does not start: .*nonsense"):
        broker_in(tmp_path / "b", more="nonsense true\n").start()


@pytest.mark.usefixtures("broker_program")
def test_a_broker_that_dies_right_after_its_pid_file_has_not_started(tmp_path, monkeypatch):
    """Mosquitto writes that file before it opens its port, which may be another's."""
    program = tmp_path / "mosquitto"
    program.write_text(
        f"#!/bin/sh\necho $$ > {tmp_path}/b/mosquitto.pid\nsleep 0.5\n"
        "echo 'Error: Address already in use' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(HubError, match="is in use"):
        broker_in(tmp_path / "b").start()


def test_a_broker_that_is_stopped_while_it_is_started_again_is_not_left_running(hall, monkeypatch):
    launching, stopping, popen = threading.Event(), threading.Event(), subprocess.Popen
    launched: list[int] = []

    def slowly(*words, **options):
        launching.set()
        assert stopping.wait(PATIENCE_S)
        process = popen(*words, **options)
        launched.append(process.pid)
        return process

    monkeypatch.setattr(subprocess, "Popen", slowly)
    os.kill(hall.broker_pid, signal.SIGKILL)
    assert launching.wait(PATIENCE_S)
    stop = threading.Thread(target=hall.broker.kill, args=(signal.SIGTERM,))
    stop.start()
    stop.join(0.2)  # time enough to look at it before it has been started
    stopping.set()
    stop.join(PATIENCE_S)
    hall.broker.leave()  # its own thread has ended: whatever it started has been started
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in launched))
