"""A visitor's end of a connection to a real server, and how many the server holds."""

from __future__ import annotations

import contextlib
import http.client
import socket
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
