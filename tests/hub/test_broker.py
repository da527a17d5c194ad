"""The broker: who may come to it, its certificates, and its bridge to that of a wider hall."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from cryptography import x509

from hub.broker.access import CONTROL_USER, HUB_USER, WATCHER_USER, DynamicSecurity, hash_password
from hub.broker.certificates import (
    CA,
    CERTIFICATE,
    PRIVATE_KEY,
    authority_id,
    certificate_id,
    make_certificates,
)
from hub.broker.mosquitto import CONFIGURATION, MosquittoBroker
from hub.errors import HubError
from hub.wire.connection import Broker, BrokerConnection
from hub.wire.messages import Address
from hub.wire.records import records
from record.chain import first_fault
from table.certificates import AUTHORITY_KEY, CertificateFiles, refusal
from tests.hub.hubkit import VENUE, HallTable
from tests.machine import PATIENCE_S, free_port, until
from tests.table.test_certificates import as_before


def is_refused(hall, user, password) -> bool:
    one = hall.connection(user, password=password)
    refused = until(lambda: one.trouble is not None) and f"refuses {user}" in one.trouble
    one.stop()
    return refused


def test_nobody_comes_in_by_a_name_without_a_password(hall):
    for password in ("", "x", hall.passwords[HUB_USER]):
        hall.passwords[WATCHER_USER] = password
        assert is_refused(hall, WATCHER_USER, password)
    hall.table("t1")
    for user in (HUB_USER, CONTROL_USER, "t1"):
        assert is_refused(hall, user, "guessed")
    assert until(lambda: any(one.what == "refused" for one in hall.broker_incidents))


def test_a_table_cannot_tell_the_plugin_anything(hall):
    victim, bad = hall.table("victim"), hall.table("bad")
    victim.connect()
    heard: list = []
    response = "$CONTROL/dynamic-security/v1/response"
    evil = hall.connection("bad", heard, subscriptions=[(response, 1), ("$CONTROL/#", 1)])
    assert until(lambda: evil.up)
    for command in (
        {"command": "deleteClient", "username": "victim"},
        {"command": "addClientRole", "username": "bad", "rolename": HUB_USER},
        {"command": "listClients", "verbose": True},
    ):
        text = json.dumps({"commands": [command]}).encode()
        evil.publish("$CONTROL/dynamic-security/v1", text, qos=1)
    assert until(lambda: any(one.what == "denied" for one in hall.broker_incidents))
    victim.play(3)
    assert until(victim.arrived)
    assert heard == []
    evil.stop()
    assert bad.log.last_seq == 0


def test_the_hub_itself_cannot_tell_the_plugin_anything_as_it_hears_the_tables(hall):
    hall.table("t1")
    command = b'{"commands": [{"command": "deleteClient", "username": "t1"}]}'
    # Nothing is sent before the hub is connected.
    assert until(lambda: hall.hub.link.publish("$CONTROL/dynamic-security/v1", command, qos=1))
    assert until(lambda: any(one.client == HUB_USER for one in hall.broker_incidents))
    one = hall.connection("t1")
    assert until(lambda: one.up)
    one.stop()


def test_a_new_password_cuts_off_who_came_by_the_old_one(hall):
    table = hall.table("t1")
    outbox = table.connect()
    assert until(lambda: outbox.up)
    hall.broker.security.set_password("t1", "another")
    assert until(lambda: "refuses t1" in (outbox.trouble or ""))
    one = hall.connection("t1", password="another")
    assert until(lambda: one.up)
    one.stop()


def test_tables_that_joined_under_an_older_hub_are_still_let_in(hall):
    """Their passwords are in the store alone, and a broker of another configuration runs."""
    hall.broker.leave()
    old = hall.broker_pid
    conf = hall.broker.folder / "mosquitto.conf"
    conf.write_text(conf.read_text().replace("max_keepalive 600", "max_keepalive 601"))
    hall.passwords["t1"] = "of old"
    table = hall.tables["t1"] = HallTable(hall, "t1", 1, hall.at("t1"))
    hall.hub.store.enrol("t1", "T1", table.key.public, hash_password("of old"))
    hall.hub.intake.enrolment_changed()
    hall.broker = hall.new_broker(hall.broker.port)
    hall.broker.start()
    assert hall.broker_pid != old
    table.connect()
    table.play(3)
    assert until(table.arrived)


def test_a_broker_that_is_taken_over_keeps_out_who_was_revoked_meanwhile(hall):
    good, bad = hall.table("good"), hall.table("bad")
    stays, goes = good.connect(), bad.connect()
    assert until(lambda: stays.up and goes.up)
    hall.broker.leave()
    hall.hub.store.revoke("bad", "stolen")
    assert goes.up
    pid = hall.broker_pid
    hall.broker = hall.new_broker(hall.broker.port)
    hall.broker.start()
    assert hall.broker_pid == pid
    assert until(lambda: "refuses bad" in (goes.trouble or ""))
    assert stays.up


@pytest.mark.parametrize("left", [b"", b'{"clients": [', None])
def test_a_plugin_file_that_a_power_cut_left_torn_keeps_nobody_out(hall, left):
    table = hall.table("t1")
    table.connect()
    table.play(2)
    assert until(table.arrived)
    path = hall.broker.folder / "dynamic-security.json"
    path.unlink() if left is None else path.write_bytes(left)
    os.kill(hall.broker_pid, signal.SIGKILL)
    table.play(2)
    assert until(table.arrived)
    assert Address(VENUE, "t1").topic("events") in path.read_text()


def test_a_broker_that_is_away_lets_nobody_in_and_it_is_said(hall, monkeypatch):
    monkeypatch.setattr("hub.broker.access._ANSWER_S", 0.2)
    nowhere = DynamicSecurity(hall.at(HUB_USER, port=1), VENUE, dict)
    with pytest.raises(HubError, match="cannot let in t1: it has not been reached yet; try again"):
        nowhere.set_password("t1", "x")
    assert nowhere._waiting == {}


def test_no_connection_is_dropped_before_its_login():
    """Debian 13's mosquitto drops some at once where its limit is that of a login, 60 s."""
    found = re.search(r"(?m)^max_keepalive (\d+)$", CONFIGURATION)
    assert found is not None and int(found[1]) > 60


def test_a_connection_that_is_stopped_while_it_is_made_leaves_no_socket(monkeypatch):
    """The broker would wait for the login of somebody who has gone."""
    connecting, stopped = threading.Event(), threading.Event()
    create = socket.create_connection

    def slowly(*where, **options) -> socket.socket:
        connecting.set()
        assert stopped.wait(PATIENCE_S)
        return create(*where, **options)

    monkeypatch.setattr(socket, "create_connection", slowly)
    with socket.create_server(("127.0.0.1", 0)) as server:
        broker = Broker("127.0.0.1", server.getsockname()[1])
        one = BrokerConnection(broker, "x", [], lambda _m: None, lambda: None)
        one.start()
        assert connecting.wait(PATIENCE_S)
        stopping = threading.Thread(target=one.stop)
        stopping.start()
        stopping.join(0.2)  # time enough to ask for a stop before there is a socket
        stopped.set()
        stopping.join(PATIENCE_S)
        server.settimeout(PATIENCE_S)
        near, _ = server.accept()
        near.settimeout(PATIENCE_S)
        with near:
            while near.recv(1024):
                pass  # its greeting, and then the end


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


def made(folder) -> CertificateFiles:
    make_certificates(folder, "hall")
    return CertificateFiles.own(folder, "broker")


def test_a_table_on_python_3_13_takes_the_brokers_certificate(tmp_path):
    files = made(tmp_path)
    assert refusal(files) is None
    for path in (files.key, (files.folder / AUTHORITY_KEY)):
        assert path.stat().st_mode & 0o077 == 0
    for path in (files.authority, files.certificate):
        found = x509.load_pem_x509_certificate(path.read_bytes())
        assert found.not_valid_before_utc.timestamp() == 0  # a machine without a clock begins there


@pytest.mark.parametrize("forgotten", [False, True])
def test_they_stay_as_long_as_they_are_good(tmp_path, forgotten):
    """Also where the authority's key was forgotten."""
    files = made(tmp_path)
    if forgotten:
        (files.folder / AUTHORITY_KEY).unlink()
    before = certificate_id(tmp_path)
    made(tmp_path)
    assert certificate_id(tmp_path) == before
    assert (files.folder / AUTHORITY_KEY).exists() != forgotten


@pytest.mark.parametrize("name", [CA, CERTIFICATE, PRIVATE_KEY])
def test_what_is_lost_is_made_again_and_the_tables_trust_it(tmp_path, name):
    files = made(tmp_path)
    before = authority_id(tmp_path)
    (tmp_path / name).unlink()
    made(tmp_path)
    assert authority_id(tmp_path) == before
    assert refusal(files) is None


def test_an_authority_whose_key_was_forgotten_gives_way_when_it_would_be_refused(tmp_path):
    files = CertificateFiles.own(tmp_path / "broker", "broker")
    as_before(files)
    (files.folder / AUTHORITY_KEY).unlink()
    before = authority_id(files.folder)
    assert "Key Identifier" in (refusal(files) or "")
    made(files.folder)
    assert authority_id(files.folder) != before
    assert refusal(files) is None


def test_what_cannot_be_made_again_for_the_tables_is_one_line(tmp_path):
    made(tmp_path)
    for name in (AUTHORITY_KEY, PRIVATE_KEY):
        (tmp_path / name).unlink()
    with pytest.raises(HubError, match=r"broker.key: missing; put it back .* enrol the tables"):
        make_certificates(tmp_path, "hall")
