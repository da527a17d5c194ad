"""One connection to a broker."""

from __future__ import annotations

import socket
import threading

from hub.wire.connection import Broker, BrokerConnection
from tests.machine import PATIENCE_S


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
