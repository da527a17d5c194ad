"""Where a request begins and ends: whole, in order, and nobody else's."""

from __future__ import annotations

import contextlib

from flask import request

from dashboard.server import Server
from tests.dashboard.connectionkit import everything, page


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


def takes(server: Server, bodies: list[bytes]) -> None:
    def take() -> str:
        bodies.append(request.data)
        return ""

    server.app.add_url_rule("/take", "take", take, methods=["POST"])


def test_a_body_that_breaks_off_is_no_request(serve, opened):
    server = serve()
    bodies: list[bytes] = []
    takes(server, bodies)
    head = "POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{}"
    opened(server, head.format("0123").encode()).close()
    assert opened(server, head.format("0123456789").encode()).recv(12) == b"HTTP/1.1 200"
    assert page(server) == 200
    assert bodies == [b"0123456789"]


def test_a_body_in_chunks_comes_whole_or_is_refused(serve, opened):
    server = serve()
    bodies: list[bytes] = []
    takes(server, bodies)
    head = b"POST /take HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection = opened(server, head + b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
    assert connection.recv(12) == b"HTTP/1.1 200"
    endless = opened(server, head)
    with contextlib.suppress(ConnectionError):
        for _ in range(20):
            endless.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
    with contextlib.suppress(ConnectionError):
        assert endless.recv(12) == b"HTTP/1.1 413"
    assert page(server) == 200
    assert bodies == [b"abcdefg"]


def test_a_request_with_two_lengths_is_refused_and_ends_its_connection(serve, opened):
    """A proxy may believe the other length, and take what follows for another visitor's request."""
    server, bodies = serve(), []
    takes(server, bodies)
    head = b"POST /take HTTP/1.1\r\nHost: localhost\r\n"
    both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answer = everything(opened(server, head + both + head + b"Content-Length: 1\r\n\r\nx"))
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1
    assert bodies == []


def test_a_body_larger_than_any_is_refused_before_it_is_stored(serve, opened):
    server = serve()
    head = "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n"
    large = opened(server, head.format(10_000_000).encode())
    assert large.recv(12) == b"HTTP/1.1 413"
