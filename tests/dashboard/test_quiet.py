"""A server that is full says so once, in one line of ours."""

from __future__ import annotations

import http.client
import logging
import threading

from dashboard import server as serving
from dashboard.app import create_app
from dashboard.server import Server
from dashboard.server_log import EVERY_S, RepeatFilter
from table.server_config import Limits
from tests.dashboard.conftest import site_over
from tests.machine import PATIENCE_S, until


def record(text: str, *args: object) -> logging.LogRecord:
    return logging.LogRecord("waitress", logging.WARNING, "", 0, text, args, None)


FULL = "total open connections reached the connection limit, no longer accepting new connections"


def test_word_of_a_full_server_comes_once_in_some_minutes():
    now = 1000.0
    seldom = RepeatFilter(256, lambda: now)
    first = record(FULL)
    assert seldom.filter(first)
    assert first.getMessage().startswith("all 256 places for pages are taken at this moment;")
    assert not any(seldom.filter(record(FULL)) for _ in range(7))
    now += EVERY_S - 1
    assert not seldom.filter(record(FULL))
    now += 1
    again = record(FULL)
    assert seldom.filter(again)
    assert "(9 times since this was last logged)" in again.getMessage()
    assert not seldom.filter(record(FULL))
    assert not seldom.filter(record("total open connections dropped below the limit"))


def test_whatever_else_it_says_is_said():
    seldom = RepeatFilter(256)
    other = record("Exception while serving %s", "/")
    assert seldom.filter(other)
    assert other.getMessage() == "Exception while serving /"


def test_a_real_server_that_fills_again_and_again_says_it_once(log, game, monkeypatch, caplog):
    monkeypatch.setattr(serving, "_RESERVED", 0)
    limits = Limits(connections=16)
    app = create_app(site_over(log))
    go_on = threading.Event()

    @app.get("/slow")
    def slow() -> str:
        go_on.wait(PATIENCE_S)
        return ""

    server = Server(app, "127.0.0.1", 0, limits=limits)
    server.start()
    full = []

    def overflows() -> bool:
        """Whether waitress takes no more connections now."""
        return bool(server._server.in_connection_overflow)

    def connection() -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)

    with caplog.at_level(logging.INFO, logger="waitress"):
        for _ in range(3):
            # Those that are being answered are closed for nobody.
            for _ in range(18):
                full.append(connection())
                full[-1].request("GET", "/slow")
            until(overflows)
            go_on.set()
            while full:
                full.pop().close()
            until(lambda: not overflows())
            go_on.clear()
        # It serves again.
        again = connection()
        again.request("GET", "/")
        assert again.getresponse().status == 200
        again.close()
    server.stop()
    told = [one.getMessage() for one in caplog.records if "taken" in one.getMessage()]
    assert told == [
        "all 16 places for pages are taken at this moment; browsers wait their turn, and live pages"
        " go on"
    ]
    assert not [one for one in caplog.records if "total open" in one.getMessage()]
