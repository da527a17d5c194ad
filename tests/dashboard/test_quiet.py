"""A server that is full says so once, in one line of ours."""

from __future__ import annotations

import http.client
import logging
import threading

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.streaming.connections import Phase
from table.server_config import Limits
from tests.dashboard.conftest import site_over
from tests.machine import PATIENCE_S, until


def test_a_real_server_that_fills_again_and_again_says_it_once(log, game, caplog):
    app = create_app(site_over(log))
    go_on = threading.Event()

    @app.get("/slow")
    def slow() -> str:
        go_on.wait(PATIENCE_S)
        return "done"

    server = Server(app, "127.0.0.1", 0, limits=Limits(connections=16))
    server.start()

    def ask(path: str) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        connection.request("GET", path)
        return connection

    def phases() -> list[Phase]:
        return [one.held.phase for one in list(server._crowd._connections.values())]

    def lines() -> list[str]:
        return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]

    full = (
        "all 16 places for pages are taken at this moment; "
        "further browsers are asked to come again, and live pages go on"
    )
    try:
        for _ in range(3):
            held = [ask("/slow") for _ in range(16)]
            until(lambda: phases().count(Phase.ANSWERING) == 16)
            for _ in range(3):
                refused = ask("/").getresponse()
                assert refused.status == 503
                assert int(refused.getheader("Retry-After") or 0) > 0
                refused.close()
            go_on.set()
            for one in held:  # those that are being answered are closed for nobody
                assert one.getresponse().read() == b"done"
                one.close()
            until(lambda: Phase.ANSWERING not in phases())
            go_on.clear()
            again = ask("/")
            assert again.getresponse().status == 200
            again.close()
        assert lines() == [full]
    finally:
        go_on.set()
        server.stop()


def test_what_strangers_send_is_no_news(log, game, caplog):
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    connection.request("GET", "/", headers={"Host": "a b"})
    assert connection.getresponse().status == 421
    connection.close()
    connection.connect()
    connection.sock.sendall(b"no request at all\r\n\r\n")
    answer = http.client.HTTPResponse(connection.sock)
    answer.begin()
    assert answer.status == 400
    answer.close()
    connection.close()
    server.stop()
    assert caplog.records == []
