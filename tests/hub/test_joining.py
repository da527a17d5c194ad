"""``join`` against whatever answers at the address that somebody typed."""

from __future__ import annotations

import socket
import threading

import pytest

from hub.errors import HubError
from hub.table_side.joining import join

CODE = "K7QM-2D9F-XW3T"


@pytest.fixture
def answering():
    """Answers every connection with the same bytes; the address."""
    listening = socket.create_server(("127.0.0.1", 0))
    answer = [b""]

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10)
                received = connection.recv(65536)
                while b"\r\n\r\n" not in received or not received.endswith(b"}"):
                    received += connection.recv(65536)
                connection.sendall(answer[0])

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    def at(text: bytes) -> str:
        answer[0] = text
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield at
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join(10)


def http(body: bytes, status: str = "200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


@pytest.mark.parametrize(
    "text",
    [
        http(b"[" * 60_000),
        http(b'{"a":' * 12_000),
        http(b"[" * 60_000, "403 Forbidden"),
        http(b'{"error": ["\\ud800"]}', "403 Forbidden"),
        http(b'{"error": "no\\u001b[2J"}', "500 Broken"),
        http(b"9" * 5000),
        http(b'{"exchange": "\\ud800"}'),
        http(b'{"exchange": 1}'),
        http(b"<html>"),
        http(b"\xff\xfe"),
        http(b"[]"),
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"",
    ],
)
def test_whatever_answers_is_told_in_one_line(tmp_path, answering, text):
    address = answering(text)
    with pytest.raises(HubError) as caught:
        join(CODE, address, tmp_path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "where",
    ["http://[", "http://h:99999", "http://a b/", "//", "http://:8000", "http://\ud800", ""],
)
def test_what_is_no_address_is_told_in_one_line(tmp_path, where):
    with pytest.raises(HubError, match=r"no address of a hub|no hub answers"):
        join(CODE, where, tmp_path)
