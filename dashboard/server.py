"""Serving an application with waitress, in a thread, until told to stop."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from flask import Flask
from waitress.server import create_server

from dashboard.accounts.guard import LONGEST_BODY
from dashboard.server_log import install_log_filter
from dashboard.site import Site
from dashboard.streaming.channel import Crowd
from dashboard.streaming.connections import FairQueue
from dashboard.streaming.hand_over import StreamChannel
from dashboard.streaming.sender import Sender
from dashboard.webhooks.sender import WebhookSenders
from game.errors import TilewatchError
from table.server_config import DEFAULT_LIMITS, Limits

_PAGE_THREADS: Final = 8
"""Requests that are answered at once. Event streams need none of them."""

_RESERVED: Final = 32
"""Connections besides, for when each of the others is being answered and none can be closed."""

_LOOK_S: Final = 1
"""How often it is looked whether a connection's time is up."""

LONGEST_HEADER: Final = 32 * 1024
"""Bytes of a request's header: several accounts' cookies and a long address."""

_PROXY_SAYS: Final = frozenset({"x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"})
"""Headers of a trusted proxy that are believed."""


class _Waitress(Protocol):
    task_dispatcher: Any
    trigger: Any
    active_channels: dict[int, Any]
    channel_class: type[StreamChannel]
    sender: Sender
    crowd: Crowd
    maintenance: Callable[[float], None]

    def run(self) -> None: ...
    def close(self) -> None: ...


class Server:
    """An application on a host and port. The port is taken when this is made.

    Raises ``TilewatchError`` if it cannot be. Port 0 takes any that is free. ``trusted_proxy`` is
    the address of the one proxy whose word on its visitors is taken, and ``limits`` what one
    visitor may take (``table.server_config``).
    """

    def __init__(
        self,
        app: Flask,
        host: str,
        port: int,
        trusted_proxy: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        site = cast("Site", app.extensions["tilewatch"])
        self._site = site
        self._couriers = cast("WebhookSenders | None", app.extensions.get("tilewatch.couriers"))
        install_log_filter(limits.connections)
        listening = _bound(host, port)
        self._server = cast(
            "_Waitress",
            create_server(
                app,
                sockets=[listening],
                threads=_PAGE_THREADS,
                connection_limit=limits.connections + _RESERVED,
                cleanup_interval=_LOOK_S,
                max_request_header_size=LONGEST_HEADER,
                max_request_body_size=LONGEST_BODY + 1,  # waitress refuses this many, too
                asyncore_use_poll=True,  # select() knows no more than 1024 connections
                # With it a stream learns that its page has gone before it has begun.
                channel_request_lookahead=1,
                ident=None,
                clear_untrusted_proxy_headers=True,
                **_proxied(listening, trusted_proxy),
            ),
        )
        self._sender = Sender(site.heartbeat_s)
        self._server.sender = self._sender
        self._server.crowd = Crowd(self._server.active_channels, limits, trusted_proxy)
        self._server.maintenance = self._server.crowd.look_after
        self._server.task_dispatcher.queue = FairQueue[StreamChannel](lambda one: one.visitor)
        self._server.channel_class = StreamChannel
        self.host = host
        self.port: int = listening.getsockname()[1]
        self._thread = threading.Thread(target=self._server.run, name="waitress", daemon=True)

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it."""
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104
        return f"http://{name}:{self.port}"

    def start(self) -> None:
        """Serve, in a thread of its own."""
        self._thread.start()
        if self._couriers is not None:
            self._couriers.start()

    def stop(self) -> None:
        """End every stream and every connection, and give the port back."""
        if self._couriers is not None:
            self._couriers.stop()
        self._site.close()
        self._server.task_dispatcher.shutdown(timeout=2)
        if self._thread.is_alive():
            # In waitress's own thread: nobody else may touch what it waits on.
            self._server.trigger.pull_trigger(self._hang_up)
            self._thread.join(timeout=5)
        else:
            self._hang_up()
        # Last: until now connections could still come to it.
        self._sender.close()

    def _hang_up(self) -> None:
        # Connections that browsers keep open would otherwise wait for ever for an answer.
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()
        self._server.close()


def _proxied(listening: socket.socket, proxy: str | None) -> dict[str, Any]:
    """What waitress is told of a proxy."""
    if proxy is None:
        return {}
    if listening.family == socket.AF_INET6 and "." in proxy:
        proxy = f"::ffff:{proxy}"  # as such a socket sees it
    return {"trusted_proxy": proxy, "trusted_proxy_headers": _PROXY_SAYS}


def _bound(host: str, port: int) -> socket.socket:
    """A socket on that address: made here, so that a failure leaves nothing open."""
    if not 0 <= port <= 65535:  # getaddrinfo would quietly take another
        raise TilewatchError(f"there is no port {port}; choose a port from 1 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise TilewatchError(
            f"{host} port {port} is no address to serve on; choose another host or port"
        ) from error
    try:
        # A port whose last connections are still being wound up is free; one in use is not.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(1)
    except OSError as error:
        made.close()
        raise TilewatchError(_explain(error, host, port)) from error
    return made


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; stop what uses it or choose another port"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used without more rights; choose a port above 1023"
    return f"cannot serve on {host}:{port} ({error.strerror}); choose another host or port"
