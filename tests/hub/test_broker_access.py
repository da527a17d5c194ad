"""Who may come to the broker: mosquitto's dynamic-security plugin, as the hub uses it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading

import pytest

from hub.broker.access import CONTROL_USER, HUB_USER, WATCHER_USER, DynamicSecurity, hash_password
from hub.broker.mosquitto import CONFIGURATION
from hub.errors import HubError
from hub.wire.connection import Broker, BrokerConnection
from hub.wire.topics import Address
from tests.hub.hubkit import VENUE, HallTable, until
from tests.machine import PATIENCE_S


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
