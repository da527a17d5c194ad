"""Serving an application with uvicorn, in a thread, until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import functools
import math
import os
import socket
import threading
from typing import Any, Final, cast

import uvicorn
from flask import Flask

from dashboard.camera import longest_body
from dashboard.parts import find, part
from dashboard.show.state import Shows
from dashboard.site import Site
from dashboard.streaming.asgi import Application
from dashboard.streaming.crowd import LONGEST_HEADER, Connection, Crowd
from dashboard.streaming.sender import Sender
from dashboard.webhooks.sender import WebhookSenders
from game.errors import TilewatchError
from table.certificates import CertificateFiles
from table.server_config import DEFAULT_LIMITS, Limits

_BACKLOG: Final = 1024
"""Connections that wait to be accepted."""

_PATIENCE_S: Final = 2
"""Seconds for which a server that stops waits for answers under way."""


class _Uvicorn(uvicorn.Server):
    """A uvicorn server that accepts one connection at a time.

    asyncio accepts as many at once as its backlog allows before it reads from any: if all phones of
    a hall reconnect together, they would look like idle connections that send nothing complete.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, with a longer backlog in the kernel itself."""
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(_BACKLOG)


class _Loop(asyncio.SelectorEventLoop):
    """Limits a TLS handshake to the time allowed for a request's header, which uvicorn cannot set.

    A connection joins no :class:`Crowd` before its handshake is over.
    """

    def __init__(self, handshake_s: float) -> None:
        super().__init__()
        self._handshake_s = handshake_s

    async def create_server(self, *args: Any, **options: Any) -> Any:
        """Listen, with the limit on TLS handshakes."""
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = self._handshake_s
        return await super().create_server(*args, **options)


class Server:
    """An application on a host and port. The constructor takes the port.

    Raises ``TilewatchError`` if the port cannot be taken. Port 0 takes any free one.
    ``trusted_proxy`` is the address of the one proxy whose headers on its visitors are trusted, and
    ``limits`` are those of one visitor (``table.server_config``). With a certificate it speaks TLS,
    and nothing else.
    """

    def __init__(
        self,
        app: Flask,
        host: str,
        port: int,
        trusted_proxy: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        tls: CertificateFiles | None = None,
    ) -> None:
        self._site = part(Site, app)
        self._senders = find(WebhookSenders, app)
        self._socket = _bound(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._scheme = "https" if tls else "http"
        app.extensions["tilewatch.tls"] = tls
        self._limits = limits
        self._crowd = Crowd(limits, trusted_proxy)
        self._sender = Sender(self._site.heartbeat_s)
        part(Shows, app).on_change = self._sender.look
        self._app = Application(app, self._crowd, self._sender, longest_body(app))
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                cast("Any", self._app),
                http=cast("Any", functools.partial(Connection, self._crowd)),
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="error",  # what strangers send is no news to whoever runs a table
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=1,  # see _Uvicorn
                timeout_keep_alive=math.ceil(limits.idle_s),
                timeout_graceful_shutdown=_PATIENCE_S + 1,
                h11_max_incomplete_event_size=LONGEST_HEADER,
                ssl_certfile=tls.certificate if tls else None,
                ssl_keyfile=tls.key if tls else None,
            )
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104
        return f"{self._scheme}://{name}:{self.port}"

    def start(self) -> None:
        """Serve, in a thread of its own."""
        self._thread.start()
        if self._senders is not None:
            self._senders.start()

    def stop(self) -> None:
        """End every stream and every connection, and give the port back."""
        if self._senders is not None:
            self._senders.stop()
        self._site.close()
        self._sender.close()
        self._uvicorn.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=_PATIENCE_S)
        if self._thread.is_alive() and self._loop is not None:
            self._loop.call_soon_threadsafe(self._crowd.close)
            self._thread.join(timeout=5)
        self._app.close()
        if self._thread.ident is None:
            self._socket.close()

    def _run(self) -> None:
        def loop() -> asyncio.AbstractEventLoop:
            return _Loop(self._limits.header_s)

        # The thread itself closes the socket: a slow machine may start it after ``stop``.
        with self._socket:
            if self._uvicorn.should_exit:
                return
            with asyncio.Runner(loop_factory=loop) as runner:
                runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        beside = [asyncio.create_task(one.run()) for one in (self._crowd, self._sender)]
        try:
            await self._uvicorn.serve(sockets=[self._socket])
        finally:
            for task in beside:
                task.cancel()
            self._crowd.close()
            await asyncio.sleep(0)  # so that they are closed


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address; a failure leaves nothing open."""
    if not 0 <= port <= 65535:  # getaddrinfo would quietly take another
        raise TilewatchError(f"there is no port {port}; choose a port from 1 to 65535")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise TilewatchError(
            f"{host} port {port} is no address to serve on; choose another host or port"
        ) from error
    family, _, _, _, address = found[0]
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, dualstack_ipv6=both)
    except OSError as error:
        raise TilewatchError(_explain(error, host, port)) from error


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; stop what uses it or choose another port"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used without more rights; choose a port above 1023"
    reason = os.strerror(error.errno or 0)
    return f"cannot serve on {host}:{port} ({reason}); choose another host or port"
