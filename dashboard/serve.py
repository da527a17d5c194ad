"""Serving an application with waitress, in a thread, until told to stop."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterable
from typing import Any, Final, Protocol, cast

from flask import Flask
from waitress.server import create_server

from dashboard.app import Site
from game.errors import TilewatchError

_PAGE_THREADS: Final = 8
"""Threads beside one for each event stream."""


class _Waitress(Protocol):
    effective_port: int
    task_dispatcher: Any

    def run(self) -> None: ...
    def close(self) -> None: ...


class Server:
    """An application on a host and port. The port is taken when this is made.

    Raises ``TilewatchError`` if it cannot be. Port 0 takes any that is free.
    """

    def __init__(self, app: Flask, host: str, port: int) -> None:
        site = cast("Site", app.extensions["tilewatch"])
        self._feeds: Iterable[Any] = [table.feed for table in site.tables]
        try:
            self._server = cast(
                "_Waitress",
                create_server(
                    app,
                    host=host,
                    port=port,
                    threads=site.streams + _PAGE_THREADS,
                    # With it a stream learns that its page has gone without sending to it.
                    channel_request_lookahead=1,
                    ident=None,
                    clear_untrusted_proxy_headers=True,
                ),
            )
        except OSError as error:
            raise TilewatchError(_explain(error, host, port)) from error
        except (ValueError, OverflowError) as error:
            raise TilewatchError(
                f"{host}:{port} is no address to serve on; choose another --host or --port"
            ) from error
        self.host = host
        self.port = self._server.effective_port
        self._thread = threading.Thread(target=self._server.run, name="waitress", daemon=True)

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it."""
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104
        return f"http://{name}:{self.port}"

    def start(self) -> None:
        """Serve, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End every stream and give the port back."""
        for feed in self._feeds:
            feed.close()
        self._server.task_dispatcher.shutdown(timeout=2)
        self._server.close()
        if self._thread.is_alive():
            self._thread.join(timeout=5)


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; stop what uses it or choose another --port"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used without more rights; choose a --port above 1023"
    return f"cannot serve on {host}:{port} ({error.strerror}); choose another --host or --port"
