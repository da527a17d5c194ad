"""The other end of a connection: a visitor's, a receiver's, and that of Flask's test client.

The test client speaks no ASGI: an event stream goes on in its answer.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path
from types import SimpleNamespace

from flask import Flask
from werkzeug.wsgi import ClosingIterator

from dashboard.server import Server
from dashboard.streaming.exchange import KEY
from dashboard.streaming.streams import TICK_S, Follower
from tests.machine import PATIENCE_S


def ask(
    port: int, path: str = "/", method: str = "GET", body: str | None = None, **headers: str
) -> tuple[int, Message, bytes]:
    """Status, headers and body of the answer of a server on this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def page(server: Server, path: str = "/", **headers: str) -> int:
    return ask(server.port, path, **headers)[0]


def closed(connection: socket.socket) -> bool:
    """Whether the server has closed it, or does within a generous time."""
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def everything(connection: socket.socket) -> bytes:
    """What still comes on a connection until it is closed."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while more := connection.recv(1 << 20):
            received += more
    return received


def held_open(server: Server) -> int:
    """Connections to the server's port that Linux has open at its end."""
    lines = Path("/proc/self/net/tcp").read_text("ascii").splitlines()[1:]
    local = f"0100007F:{server.port:04X}"
    return sum(line.split()[1] == local and line.split()[3] == "01" for line in lines)


class Peer:
    """A server on this machine that notes who connects and what it is sent."""

    def __init__(
        self,
        answer: Callable[[socket.socket], None],
        family: int = socket.AF_INET,
        host: str = "127.0.0.1",
    ) -> None:
        self.got: list[bytes] = []
        self.connections = 0
        self._answer = answer
        self._listening = socket.socket(family, socket.SOCK_STREAM)
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listening.bind((host, 0))
        self._listening.listen()
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.settimeout(20)
                try:
                    self.got.append(connection.recv(65536))
                    self._answer(connection)
                except OSError:
                    pass

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


_served = Flask.wsgi_app


def wsgi_app(app: Flask, environ, start_response):
    """Answer a request; a stream that it is granted follows the answer's beginning."""
    if KEY in environ:  # a real server's
        return _served(app, environ, start_response)
    environ[KEY] = connection = SimpleNamespace(granted=None, vouch=lambda _: None)
    answer = _served(app, environ, start_response)
    granted = connection.granted
    if granted is None:
        return answer
    heartbeat_s = app.extensions["tilewatch.Site"].heartbeat_s
    whole = itertools.chain(answer, later(granted.follower, heartbeat_s))
    return ClosingIterator(whole, [answer.close, granted.leave])


def later(follower: Follower, heartbeat_s: float) -> Iterator[bytes]:
    """The rest of a stream after its beginning, until it is over."""
    spoke = time.monotonic()
    while not follower.over:
        new_frames = follower.new_frames()
        now = time.monotonic()
        if not new_frames and now - spoke >= heartbeat_s:
            new_frames = follower.beat()
        if new_frames:
            yield new_frames
            spoke = now
        follower.feed.wait(follower.waits_for(), min(TICK_S, heartbeat_s))
