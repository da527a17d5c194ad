"""Which connections are held and which are closed; where a request begins and ends; TLS."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import logging
import socket
import ssl
import threading
import time

import pytest
from flask import request

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.addresses import is_this_machine, same, share_of
from dashboard.app import create_app
from dashboard.clock.pages import KEY_HEADER
from dashboard.link_keys import LinkKeys
from dashboard.parts import part
from dashboard.server import Server
from dashboard.streaming.asgi import Turns
from dashboard.streaming.crowd import Connection, Held, Phase, overdue, surplus
from dashboard.streaming.streams import StreamLimiter
from table.certificates import certificate_of, pages_certificate
from table.config import load_config
from table.server_config import Limits, ServerAccess
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import site_over
from tests.dashboard.connectionkit import closed, everything, held_open, page
from tests.machine import PATIENCE_S, until

# --- a real server ---


def session(server: Server) -> str:
    """The cookie of a director who has logged in."""
    door = server.app.extensions["tilewatch.AuthContext"]
    return f"{SESSION_COOKIE}={door.sessions.open(add(door.db, 'Ann')).token}"


def clock_key(server: Server) -> str:
    with server.app.app_context():
        return part(LinkKeys).key("1")


HALF = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname="


def test_hundreds_of_idle_connections_shut_nobody_out(serve, opened):
    server = serve()
    cookie, key = session(server), clock_key(server)
    desk = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    desk.request("GET", "/director", headers={"Cookie": cookie})
    assert desk.getresponse().read()
    for sent in (b"", b"GET / HTTP/1.1\r\nHost: loc", HALF) * 130:
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


def test_a_server_may_be_stopped_before_its_thread_runs(log, monkeypatch):
    runner, runs = asyncio.Runner, threading.Event()

    def slow(**options):
        runs.wait()
        return runner(**options)

    monkeypatch.setattr(asyncio, "Runner", slow)
    monkeypatch.setattr("dashboard.server._PATIENCE_S", 0)
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.start()
    server.stop()
    runs.set()
    until(lambda: all(thread.name != "server" for thread in threading.enumerate()))
    with pytest.raises(ConnectionRefusedError):
        page(server)


def test_a_server_whose_start_is_interrupted_serves_nothing(log):
    """An interrupt stops it while ``start`` still waits for its thread, which then runs."""
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.stop()
    server.start()
    until(lambda: all(thread.name != "server" for thread in threading.enumerate()))
    with pytest.raises(ConnectionRefusedError):
        page(server)


@pytest.mark.parametrize("of_a_clock", [False, True])
def test_idle_connections_that_were_answered_once_shut_nobody_out(serve, opened, of_a_clock):
    server = serve(Limits(connections=16, connections_per_address=8))
    cookie, key = session(server), clock_key(server)
    path, header = "/tables/1/live", ""
    if of_a_clock:  # who holds its link is vouched for
        path, header = "/tables/1/clock/api/time", f"{KEY_HEADER}: {key}\r\n"
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n".encode()
    for place in range(40):
        connection = opened(server, request, f"127.0.0.{2 + place % 4}")
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
    site = server.app.extensions["tilewatch.Site"]
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
    server = serve(Limits(header_s=1.5, body_s=1.5, idle_s=1.5, stalled_s=1.5))
    go_on = threading.Event()

    def slow() -> str:
        go_on.wait(PATIENCE_S)
        return "done"

    server.app.add_url_rule("/slow", "slow", slow)
    connection = opened(server, b"GET /slow HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert closed(opened(server))  # whose time was up meanwhile
    go_on.set()
    assert everything(connection).endswith(b"done")


EVENTS = "/tables/1/live/events"


def test_one_address_does_not_take_every_stream_unless_it_is_this_machine(serve, opened):
    def opens(server: Server, count: int, visitor: str) -> list[int]:
        """The answers to a visitor whom a proxy names."""
        head = f"Host: localhost\r\nX-Forwarded-For: {visitor}\r\n\r\n"
        sent = f"GET {EVENTS} HTTP/1.1\r\n{head}".encode()
        return [int(opened(server, sent).recv(12)[-3:]) for _ in range(count)]

    server = serve(proxy="127.0.0.1", streams=6, streams_per_address=4)
    assert opens(server, 5, "203.0.113.7") == [200] * 4 + [503]
    assert opens(server, 2, "203.0.113.8") == [200, 200]
    # What somebody else than the proxy names is not believed.
    server = serve(streams=6, streams_per_address=2)
    assert opens(server, 7, "203.0.113.7") == [200] * 6 + [503]


def test_a_connection_that_is_answered_now_and_then_is_kept(serve):
    """Unsent bytes of an earlier answer say nothing of this one, or of a stream."""
    server = serve(Limits(stalled_s=2.0, header_s=2.0, idle_s=PATIENCE_S))
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    connection.request("GET", "/source.tar.gz")
    connection.getresponse().read()
    first = connection.sock
    time.sleep(2.5)  # longer than an answer may stall
    connection.request("GET", "/source.tar.gz")
    assert len(connection.getresponse().read()) > 1000
    assert connection.sock is first
    time.sleep(2.5)
    connection.request("GET", EVENTS)
    with connection.getresponse() as answer:
        assert answer.status == 200
        assert b"retry" in answer.readline()
    connection.close()


LIMITS = Limits(connections=16, connections_per_address=8, incomplete_per_address=3)


PHASES = {
    "header": Phase.HEADER, "body": Phase.BODY, "answer": Phase.ANSWERING, "send": Phase.SENDING,
    "idle": Phase.IDLE,
}  # fmt: skip


def some(count: int, share: str | None, phase: str, vouched: bool = False) -> list[tuple]:
    return [(share, PHASES[phase], vouched)] * count


ANSWERING, HALF_SENT = some(6, "a", "answer"), some(3, "a", "body")
FULL = [*some(2, "b", "idle"), *some(6, "a", "idle"), *some(8, "c", "answer")]


@pytest.mark.parametrize(
    ("held", "newcomer", "closed"),
    [
        (some(7, "a", "idle"), "a", []),  # there is room
        # An address has few half-sent requests.
        ([*some(1, "a", "idle"), *HALF_SENT[:2]], "a", []),
        ([*some(1, "a", "idle"), *HALF_SENT], "a", [1]),
        (some(3, "b", "header"), "a", []),
        # An address that has its share loses what waits longest.
        ([*ANSWERING, *some(2, "a", "idle")], "a", [6]),
        ([*ANSWERING, *some(2, "a", "send")], "a", [6]),
        # All of its share is being answered: nothing of that is cut off.
        (some(8, "a", "answer"), "a", [8]),
        # A full server closes what waits of whoever has most.
        (FULL, "d", [2]),
        # Where nothing waits it stays open: a place is free soon.
        ([one for share in "abcd" for one in some(4, share, "answer")], "e", []),
        # Who is vouched for is closed for nobody, and takes no share.
        ([*some(9, "a", "idle", vouched=True), *some(7, "b", "idle")], "a", [9]),
        (some(15, None, "header"), None, []),  # a proxy's are nobody's share
    ],
)
def test_which_connection_is_closed_for_a_newcomer(held, newcomer, closed):
    """They are numbered in the order in which their phases began."""
    described = [*held, (newcomer, Phase.HEADER, False)]
    connections = {
        number: Held(share, phase, float(number), vouched)
        for number, (share, phase, vouched) in enumerate(described)
    }
    assert surplus(connections, len(held), LIMITS) == closed


def test_every_phase_has_its_time():
    limits = Limits(header_s=10, body_s=30, idle_s=60, stalled_s=20)
    begun = {phase: Held("a", phase, 100.0) for phase in Phase}
    assert overdue(begun, limits, 109.0) == []
    assert overdue(begun, limits, 111.0) == [Phase.HEADER]
    assert overdue(begun, limits, 121.0) == [Phase.HEADER, Phase.SENDING]
    assert set(overdue(begun, limits, 161.0)) == set(Phase) - {Phase.ANSWERING, Phase.IDLE}


def test_visitors_take_turns():
    """A visitor with fifty requests keeps others waiting for one of them at most."""
    order: list[tuple[str, int]] = []

    async def answered(turns: Turns, visitor: str, number: int) -> None:
        async with turns.turn(visitor):
            order.append((visitor, number))
            await asyncio.sleep(0)

    async def crowd() -> None:
        turns = Turns(1)
        asked = [("greedy", number) for number in range(50)]
        asked += [("Ann", 1), ("Bob", 1), ("Ann", 2)]
        await asyncio.gather(*(answered(turns, *one) for one in asked))

    asyncio.run(crowd())
    assert order[:7] == [("greedy", 0), ("greedy", 1), ("Ann", 1), ("Bob", 1), ("greedy", 2),
                         ("Ann", 2), ("greedy", 3)]  # fmt: skip
    assert [number for _, number in order[7:]] == list(range(4, 50))


def test_a_request_that_is_given_up_keeps_no_place():
    async def crowd() -> None:
        turns = Turns(1)
        async with turns.turn("Ann"):
            given_up = asyncio.create_task(turns.turn("Bob").__aenter__())
            await asyncio.sleep(0)
            given_up.cancel()
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE_S), turns.turn("Cyd"):
            pass

    asyncio.run(crowd())


def test_whose_address_it_is():
    assert share_of("::ffff:192.0.2.1") == share_of("192.0.2.1")
    assert share_of("2001:db8::1") == share_of("2001:db8::ffff") != share_of("2001:db8:0:1::1")
    assert share_of("fe80::1%eth0") == share_of("fe80::2")
    assert share_of("unknown") == "unknown"
    assert is_this_machine("::ffff:127.0.0.1")
    assert not is_this_machine("127.0.0.2")
    assert same("::ffff:127.0.0.1", "127.0.0.1")
    assert not same("", "")


def test_no_visitor_has_more_than_a_share_of_the_places():
    gate = StreamLimiter(5, share=2)
    leave = gate.enter("a")
    assert gate.enter("a") is not None
    assert gate.enter("a") is None
    assert gate.enter("b") is not None
    assert leave is not None
    leave()
    leave()
    assert gate.enter("a") is not None
    assert gate.enter("a") is None
    assert [gate.enter() is not None for _ in range(3)] == [True, True, False]


def test_the_owners_file_sets_the_limits(tmp_path):
    """The rows that it refuses are in ``tests/table/commands/configurations.toml``."""
    file = tmp_path / "table.toml"
    file.write_text(
        "[serve]\nwebhook_hosts = ['scores.lan', '192.168.1.20:80', '[::1]:80']\n"
        "embed = ['https://club.example:8443']\n"
        "[serve.limits]\nconnections = 32\nheader_s = 2.5\n"
    )
    found = load_config(file).serve
    assert (found.limits.connections, found.limits.header_s, found.limits.body_s) == (32, 2.5, 30.0)
    assert found.webhook_hosts == ("scores.lan", "192.168.1.20:80", "[::1]:80")
    assert found.embed == ("https://club.example:8443",)


def test_requests_sent_one_right_after_the_other_are_answered_in_their_order(serve, opened):
    server = serve()
    server.app.add_url_rule("/many/<int:n>", "many", lambda n: b"%06d" % n * 50_000)
    sent = [f"GET /many/{n} HTTP/1.1\r\nHost: localhost\r\n\r\n" for n in range(40)]
    connection = opened(server, "".join(sent).encode())
    answers = connection.makefile("rb")
    for n in range(40):
        assert answers.readline().startswith(b"HTTP/1.1 200")
        head = iter(answers.readline, b"\r\n")
        assert b"content-length: 300000\r\n" in [line.lower() for line in head]
        assert answers.read(300_000) == b"%06d" % n * 50_000
    answers.close()


def test_no_header_passes_for_one_that_the_proxy_has_set(serve, opened):
    """WSGI names a header with a hyphen as it names one with an underscore."""
    server = serve(proxy="127.0.0.1")
    server.app.add_url_rule("/who", "who", lambda: request.remote_addr)
    real, forged = "X-Forwarded-For: 203.0.113.7\r\n", "X_Forwarded_For: 198.51.100.9\r\n"
    for headers in (real + forged, forged + real):
        text = f"GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"
        assert everything(opened(server, text.encode())).endswith(b"\r\n203.0.113.7")


@pytest.fixture
def taking(serve) -> tuple[Server, list[bytes]]:
    """A server, and the bodies of the requests that it has taken."""
    server, bodies = serve(), []
    server.app.add_url_rule(
        "/take", "take", lambda: bodies.append(request.data) or "", methods=["POST"]
    )
    return server, bodies


POST = b"POST /take HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def test_a_body_that_breaks_off_is_no_request(taking, opened):
    server, bodies = taking
    head = POST + b"Content-Length: 10\r\n\r\n"
    opened(server, head + b"0123").close()
    assert opened(server, head + b"0123456789").recv(12) == b"HTTP/1.1 200"
    assert page(server) == 200
    assert bodies == [b"0123456789"]


def test_a_body_in_chunks_comes_whole_or_is_refused(taking, opened):
    server, bodies = taking
    connection = opened(server, POST + CHUNKED + b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
    assert connection.recv(12) == b"HTTP/1.1 200"
    endless = opened(server, POST + CHUNKED)
    with contextlib.suppress(ConnectionError):
        for _ in range(20):
            endless.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
    with contextlib.suppress(ConnectionError):
        assert endless.recv(12) == b"HTTP/1.1 413"
    assert page(server) == 200
    assert bodies == [b"abcdefg"]


def test_a_request_with_two_lengths_is_refused_and_ends_its_connection(taking, opened):
    """A proxy may believe the other length, and take what follows for another visitor's request."""
    server, bodies = taking
    both = POST + b"Content-Length: 5\r\n" + CHUNKED + b"0\r\n\r\n"
    answer = everything(opened(server, both + POST + b"Content-Length: 1\r\n\r\nx"))
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1
    assert bodies == []


@pytest.fixture
def served(log, tmp_path, serving):
    made = certificate_of(ServerAccess(https=True), tmp_path, [])
    site = site_over(log)
    server = serving(create_app(site), tls=made)
    yield server, made


def test_pages_and_streams_come_over_tls(served):
    server, made = served
    assert server.url.startswith("https://")
    context = ssl.create_default_context(cafile=made.authority)
    connection = http.client.HTTPSConnection(
        "127.0.0.1", server.port, context=context, timeout=PATIENCE_S
    )
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert answer.status == 200
    assert b"tilewatch" in answer.read()
    connection.request("GET", "/authority.crt")  # to install it
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "application/x-x509-ca-cert"
    assert answer.read() == made.authority.read_bytes()
    connection.request("GET", "/api/v1/tables/1/events")
    with connection.getresponse() as events:
        assert events.readline().startswith(b"retry: ")
    connection.close()


def test_a_handshake_that_never_ends_is_ended(log, tmp_path, serving):
    made = certificate_of(ServerAccess(https=True), tmp_path, [])
    app = create_app(site_over(log))
    server = serving(app, limits=Limits(header_s=0.5), tls=made)
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as silent:
        silent.sendall(b"\x16\x03\x01")  # the beginning of one
        assert until(lambda: silent.recv(1) == b"")


def test_one_that_speaks_no_tls_gets_no_page(served):
    server, _ = served
    plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    with pytest.raises((http.client.HTTPException, OSError)):
        plain.request("GET", "/")
        plain.getresponse()
    plain.close()


def test_ones_own_certificate_is_used(tmp_path):
    brought = pages_certificate(tmp_path / "mine", [])
    access = ServerAccess(https=True, certificate=brought.certificate, key=brought.key)
    found = certificate_of(access, tmp_path, [])
    assert (found.certificate, found.authority) == (brought.certificate, None)
    assert certificate_of(ServerAccess(), tmp_path, []) is None


def test_a_real_server_that_fills_again_and_again_says_it_once(log, game, caplog, serving):
    app = create_app(site_over(log))
    go_on = threading.Event()

    @app.get("/slow")
    def slow() -> str:
        go_on.wait(PATIENCE_S)
        return "done"

    server = serving(app, limits=Limits(connections=16))

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
