"""A visitor's end of a connection to a real server, and how many the server holds."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Callable
from email.message import Message
from pathlib import Path

from dashboard.server import Server
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
        self._thread.join(timeout=30)
