"""Which connections are held and which are closed, by a real server under attack."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.app import create_app
from dashboard.clock.keys import clock_keys
from dashboard.clock.pages import KEY_HEADER
from dashboard.server import Server
from dashboard.site import Site
from dashboard.streaming.crowd import Connection
from table.server_config import Limits
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import site_over
from tests.dashboard.connectionkit import closed, everything, held_open, page
from tests.machine import PATIENCE_S, until

# --- a real server ---


def session(server: Server) -> str:
    """The cookie of a director who has logged in."""
    door = server.app.extensions["tilewatch.door"]
    return f"{SESSION_COOKIE}={door.sessions.open(add(door.db, 'Ann')).token}"


def clock_key(server: Server) -> str:
    with server.app.app_context():
        return clock_keys().key("1")


HALF = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname="


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: loc", HALF])
def test_hundreds_of_idle_connections_shut_nobody_out(serve, opened, sent):
    server = serve()
    cookie, key = session(server), clock_key(server)
    desk = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    desk.request("GET", "/director", headers={"Cookie": cookie})
    assert desk.getresponse().read()
    for _ in range(400):
        with contextlib.suppress(ConnectionError):  # closed again before it has sent everything
            opened(server, sent)
    assert page(server) == 200
    assert page(server, "/director", Cookie=cookie) == 200
    assert page(server, "/tables/1/clock/api/time", **{KEY_HEADER: key}) == 200
    # The connection that the desk had open is still there.
    before = desk.sock
    desk.request("GET", "/director", headers={"Cookie": cookie})
    assert desk.getresponse().read()
    assert desk.sock is before
    desk.close()


def test_a_hall_that_comes_at_once_is_answered(log, game, opened):
    """All have sent their request before the server looks at the first of them."""
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    sent = b"GET /tables/1/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    hall = [opened(server, sent) for _ in range(100)]
    server.start()
    try:
        assert [one.recv(12) for one in hall] == [b"HTTP/1.1 200"] * 100
    finally:
        server.stop()


def test_no_part_of_an_answer_waits_for_the_page(serve, opened):
    """With Nagle's algorithm each answer in two pieces takes 40 ms."""
    server = serve()
    connection = opened(server, b"GET /tables/1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(12) == b"HTTP/1.1 200"
    accepted = server._crowd.of(connection.getsockname()).transport.get_extra_info("socket")
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_idle_connections_that_were_answered_once_shut_nobody_out(serve, opened):
    server = serve(Limits(connections=16, connections_per_address=8))
    cookie = session(server)
    request = b"GET /tables/1/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for place in range(40):
        connection = opened(server, request, f"127.0.0.{2 + place % 4}")
        assert connection.recv(12) == b"HTTP/1.1 200"
    assert page(server) == 200
    assert page(server, "/director", Cookie=cookie) == 200


def test_who_holds_a_clocks_link_shuts_nobody_out(serve, opened):
    server = serve(Limits(connections=16, connections_per_address=8))
    cookie, key = session(server), clock_key(server)
    request = f"GET /tables/1/clock/api/time HTTP/1.1\r\nHost: localhost\r\n{KEY_HEADER}: {key}\r\n"
    first = opened(server, f"{request}\r\n".encode(), "127.0.0.8")
    assert first.recv(12) == b"HTTP/1.1 200"
    for _ in range(60):
        connection = opened(server, f"{request}\r\n".encode(), "127.0.0.9")
        assert connection.recv(12) == b"HTTP/1.1 200"
    assert page(server) == 200
    assert page(server, "/director", Cookie=cookie) == 200


def test_who_holds_a_clocks_link_takes_no_streams_from_overlays(serve, opened):
    server = serve()
    key = clock_key(server)
    request = f"GET /tables/1/clock/api/events?key={key} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answers = [opened(server, request.encode(), "127.0.0.9").recv(12) for _ in range(70)]
    assert answers[:2] == [b"HTTP/1.1 200"] * 2
    assert answers[-1] == b"HTTP/1.1 503"
    site = server.app.extensions["tilewatch"]
    assert site.staff.enter() is not None


def test_addresses_do_not_take_from_each_other(serve, opened):
    server = serve(Limits(connections=64, connections_per_address=32, incomplete_per_address=4))
    other = opened(server, b"GET /tables/1/live HTTP/1.1\r\nHost: localh", "127.0.0.9")
    for _ in range(100):
        opened(server, b"GET /", "127.0.0.8")
    other.sendall(b"ost\r\n\r\n")
    assert other.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize(
    ("limits", "sent"),
    [
        ({"header_s": 0.2}, b""),
        ({"header_s": 0.2}, b"GET / HTTP/1.1\r\nHost: "),
        ({"body_s": 0.2}, HALF),
        ({"idle_s": 0.2}, b"GET /tables/1/live HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ],
)
def test_what_takes_too_long_is_closed(serve, opened, limits, sent):
    server = serve(Limits(**limits))
    assert closed(opened(server, sent))


def test_a_request_that_comes_in_drops_is_closed_however_busy_it_is(serve, opened):
    server = serve(Limits(header_s=0.5))
    connection = opened(server, b"GET / HTTP/1.1\r\n")
    end = time.monotonic() + 20
    with contextlib.suppress(ConnectionError):
        while time.monotonic() < end:
            connection.sendall(b"X-More: and more\r\n")
            time.sleep(0.02)
        pytest.fail("it may go on for ever")


class Big:
    """An answer that no connection takes at once, and how often it was made."""

    def __init__(self, server: Server, size: int = 6_000_000) -> None:
        self.made = 0
        self.body = b"x" * size
        server.app.add_url_rule("/big", "big", self)

    def __call__(self) -> bytes:
        self.made += 1
        return self.body


def reads_nothing(
    connection: socket.socket, requests: int = 1, buffer: int = 4096
) -> socket.socket:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n" * requests)
    return connection


def test_an_answer_that_nobody_takes_is_dropped(serve, opened):
    server = serve(Limits(stalled_s=0.5))
    big = Big(server)
    connection = reads_nothing(opened(server))
    until(lambda: big.made == 1)
    until(lambda: held_open(server) == 0)
    assert len(everything(connection)) < len(big.body)


def test_an_answer_whose_reader_has_gone_is_written_no_further(serve, opened, monkeypatch, caplog):
    """For each write after a connection is lost asyncio logs a line without address or time."""
    server = serve()
    big, pieces = Big(server), []

    def lost(connection: Connection, sent: int) -> None:
        pieces.append(sent)
        if len(pieces) == 3:
            connection.close()  # as when a write fails, in the middle of the answer

    monkeypatch.setattr(Connection, "count", lost)
    assert len(everything(reads_nothing(opened(server), buffer=1 << 20))) < len(big.body)
    assert len(pieces) == 3
    monkeypatch.undo()
    assert page(server) == 200
    assert [record.getMessage() for record in caplog.records] == []


LAST = b"GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
"""A request whose answer is handed over whole, to a connection that closes once it is sent."""


def test_last_answers_that_nobody_takes_count_as_connections(serve, opened):
    server = serve(Limits(connections_per_address=8, stalled_s=600))
    big = Big(server, 60_000)
    for n in range(24):
        opened(server, LAST, buffer=4096)
        until(lambda n=n: big.made > n)
    assert page(server) == 200
    assert held_open(server) <= 8


def test_an_answer_that_is_taken_slowly_comes_whole(serve, opened):
    server = serve(Limits(stalled_s=1.5))
    big = Big(server, 3_000_000)
    connection = reads_nothing(opened(server), buffer=65536)
    begun, received = time.monotonic(), 0
    while time.monotonic() - begun < 4:  # far longer than it may stand still
        received += len(connection.recv(8192))
        time.sleep(0.02)
    connection.settimeout(PATIENCE_S)
    while received < len(big.body):
        more = connection.recv(1 << 20)
        assert more, received
        received += len(more)


def test_answers_that_nobody_takes_keep_no_thread(serve, opened):
    """Requests were sent one right after the other, and none of their answers was read."""
    server = serve(Limits(stalled_s=3.0))
    big = Big(server)
    for _ in range(12):
        reads_nothing(opened(server), 8)
    until(lambda: big.made >= 12)
    for _ in range(10):
        assert page(server) == 200
    # One answer waits for each, and not eight.
    assert big.made == 12
    until(lambda: held_open(server) == 0)


def test_a_slow_request_is_not_cut_off(serve, opened):
    server = serve(Limits(header_s=0.2, body_s=0.2, idle_s=0.2, stalled_s=0.2))
    go_on = threading.Event()

    def slow() -> str:
        go_on.wait(20)
        return "done"

    server.app.add_url_rule("/slow", "slow", slow)
    connection = opened(server, b"GET /slow HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert closed(opened(server))  # whose time was up meanwhile
    go_on.set()
    received = b""
    while more := connection.recv(4096):
        received += more
    assert received.endswith(b"done")


# --- streams ---


EVENTS = "/tables/1/live/events"


@pytest.fixture
def stream() -> Iterator[Callable[[Server, str], int]]:
    """Opens an event stream of a visitor whom a proxy names; its status."""
    connections: list[http.client.HTTPConnection] = []
    answers: list[http.client.HTTPResponse] = []

    def start(server: Server, address: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connections.append(connection)
        connection.request("GET", EVENTS, headers={"X-Forwarded-For": address})
        answers.append(connection.getresponse())
        return answers[-1].status

    yield start
    for one in (*answers, *connections):
        one.close()


def test_one_address_does_not_take_every_stream(serve, stream):
    server = serve(proxy="127.0.0.1", streams=6, streams_per_address=4)
    assert [stream(server, "203.0.113.7") for _ in range(5)] == [200] * 4 + [503]
    assert [stream(server, "203.0.113.8") for _ in range(2)] == [200, 200]


def test_this_machine_itself_may_have_every_stream(serve, stream):
    server = serve(streams=6, streams_per_address=2)
    # What somebody else than the proxy names is not believed.
    assert [stream(server, "203.0.113.7") for _ in range(7)] == [200] * 6 + [503]


def test_a_site_gives_an_address_the_default_share():
    assert Site(()).gate.share == Limits().streams_per_address


def test_a_connection_that_is_answered_now_and_then_is_kept(serve):
    """What was unsent of an earlier answer says nothing of the one at hand."""
    server = serve(Limits(stalled_s=0.5, header_s=0.5, idle_s=30.0))
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/source.tar.gz")
    connection.getresponse().read()
    first = connection.sock
    time.sleep(1.6)  # longer than an answer may stall
    connection.request("GET", "/source.tar.gz")
    assert len(connection.getresponse().read()) > 1000
    assert connection.sock is first
    connection.close()


def test_a_stream_begins_on_a_connection_that_was_open_for_long(serve):
    server = serve(Limits(stalled_s=0.5, header_s=0.5, idle_s=30.0))
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/tables/1/live")
    connection.getresponse().read()
    time.sleep(1.6)
    connection.request("GET", EVENTS)
    answer = connection.getresponse()
    assert answer.status == 200
    assert b"retry" in answer.readline()
    answer.close()
    connection.close()
