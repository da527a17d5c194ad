"""Checks that the pages can be served at the configured address."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator

from table.config import Serve
from table.doctor.check import Check, fine, unknown, wrong


def port(serve: Serve, running: bool) -> Iterator[Check]:
    """Bind it for a moment. ``running``: a table at work holds it by right."""
    where = f"{serve.host}:{serve.port}"
    if not serve.on:
        yield fine("port", "no pages are served")
        return
    if running:
        if serve.port == 0 or _answers(serve):
            yield fine("port", f"served by the running table on {where}")
        else:
            says = f"a table is running, but nothing listens on {where}; is this its configuration?"
            yield unknown("port", says)
        return
    try:
        found = socket.getaddrinfo(
            serve.host, serve.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
    except socket.gaierror:
        yield wrong("port", f"{serve.host}: no such address", 'host = "0.0.0.0" serves on all')
        return
    except OSError as error:
        yield wrong("port", f"{where}: {os.strerror(error.errno or 0)}", _remedy(error.errno))
        return
    yield fine("port", f"{where} is free")


def _answers(serve: Serve) -> bool:
    """True if something listens there."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(serve.host, serve.host)  # noqa: S104
    try:
        socket.create_connection((host, serve.port), timeout=2).close()
    except OSError:
        return False
    return True


def _remedy(number: int | None) -> str:
    if number == errno.EADDRINUSE:
        return "stop what listens there (sudo ss -ltnp shows it), or choose another port in [serve]"
    if number == errno.EACCES:
        return "ports below 1024 belong to root; choose another in [serve]"
    if number == errno.EADDRNOTAVAIL:
        return 'this machine has no such address; host = "0.0.0.0" serves on all it has'
    return "choose another host or port in [serve]"
