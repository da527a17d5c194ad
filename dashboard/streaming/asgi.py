"""The ASGI application: Flask in a few threads, and event streams in none.

An answer is finished before any of it is sent, and a body has come whole before a thread reads it,
so that no thread waits for a slow page. This is why the bridge to WSGI is ours: those of a2wsgi and
asgiref keep the thread until the page has taken everything.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any, Final, TypeAlias
from wsgiref.types import WSGIApplication

from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.accounts.guard import LONGEST_BODY
from dashboard.addresses import share_of
from dashboard.streaming.crowd import Connection, Crowd, Phase
from dashboard.streaming.exchange import KEY, Message, Receive, Send, until_gone
from dashboard.streaming.refusals import refuse
from dashboard.streaming.sender import Sender

_LOG = logging.getLogger(__name__)

LongestBody: TypeAlias = Callable[[str, Mapping[bytes, bytes]], int]
"""Returns the most bytes of a request's body, from its path and its headers."""

_THREADS: Final = 8
"""The most requests that are answered at the same time."""

_IN_MEMORY: Final = 1 << 20
"""Bytes of an answer that wait in memory; longer ones wait in a temporary file."""

_PIECE: Final = 1 << 16


class Application:
    """A WSGI application and its event streams, as uvicorn calls it."""

    def __init__(
        self,
        app: WSGIApplication,
        crowd: Crowd,
        sender: Sender,
        longest: LongestBody = lambda _path, _headers: LONGEST_BODY,
    ) -> None:
        """``longest`` returns how long a request's body may be."""
        self._crowd, self._sender, self._longest = crowd, sender, longest
        self._app, self._proxied = app, ProxyFix(app, x_for=1, x_proto=1, x_host=1)
        self._threads = ThreadPoolExecutor(_THREADS, "pages")
        self._turns = Turns(_THREADS)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        connection = self._crowd.of(scope["client"])
        try:
            if self._crowd.must_refuse(connection):
                await refuse(send, scope, 503)
            elif _has_two_lengths(scope):
                text = "The request gives the length of its body twice."
                await refuse(send, scope, 400, text)
            elif (body := await self._body_of(scope, receive, connection)) is None:
                await refuse(send, scope, 413)
            else:
                await self._answer(scope, body, connection, receive, send)
        except asyncio.CancelledError:
            if not connection.closed:  # by a server that stops
                raise
        connection.enter(Phase.IDLE)

    def close(self) -> None:
        """Answer no further requests."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _body_of(
        self, scope: Message, receive: Receive, connection: Connection
    ) -> bytes | None:
        """Return a request's body; ``None`` if the body is too long."""
        connection.enter(Phase.BODY)
        headers = dict(scope["headers"])
        longest = self._longest(scope["path"], headers)
        if int(headers.get(b"content-length", b"0")) > longest:
            return None
        body, more = bytearray(), True
        while more:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > longest:
                return None
            more = message.get("more_body", False)
        return bytes(body)

    async def _answer(
        self, scope: Message, body: bytes, connection: Connection, receive: Receive, send: Send
    ) -> None:
        connection.enter(Phase.ANSWERING)
        environ = {**_environ(scope, body), KEY: connection}
        app = self._proxied if connection.behind_proxy else self._app
        try:
            async with self._turns.turn(_visitor(environ, connection)):
                if connection.closed:  # while it waited
                    await until_gone(receive)
                    return
                loop = asyncio.get_running_loop()
                try:
                    answer = await loop.run_in_executor(self._threads, _Answer, app, environ)
                except Exception:  # Flask answers its views' errors itself; this is one of its own
                    _LOG.exception("no answer to %s %s", scope["method"], scope["path"])
                    await refuse(send, scope, 500)
                    return
            with closing(answer):
                connection.enter(Phase.SENDING)
                taken = await answer.send(connection, send)
            if not taken:
                await until_gone(receive)
            elif connection.granted is not None:
                connection.enter(Phase.ANSWERING)
                await self._sender.carry(connection.granted, connection, receive, send)
        finally:
            if connection.granted is not None:
                connection.granted.leave()


class _Answer:
    """The whole answer of a WSGI application. Made in a thread."""

    def __init__(self, app: WSGIApplication, environ: dict[str, Any]) -> None:
        self._body = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - `close` closes it
        self._status = 500
        self._headers: list[tuple[bytes, bytes]] = []
        try:
            chunks = app(environ, self._start)
            try:
                for chunk in chunks:
                    self._body.write(chunk)
            finally:
                getattr(chunks, "close", lambda: None)()
        except BaseException:
            self._body.close()
            raise
        self._body.seek(0)

    def _start(self, status: str, headers: list[tuple[str, str]], _error: Any = None) -> Any:
        self._status = int(status[:3])
        self._headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in headers
            if name.lower() != "date"  # the server gives it
        ]
        return self._body.write

    async def send(self, connection: Connection, send: Send) -> bool:
        """Send the answer as fast as it is taken; False if its page went away meanwhile.

        If a stream follows, the answer stays open.
        """
        whole = connection.granted is None
        headers = self._headers if whole else [*self._headers, (b"connection", b"close")]
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        more = True
        while more:
            if connection.closed:  # asyncio logs a line for each write after that
                return False
            piece = self._body.read(_PIECE)
            more = len(piece) == _PIECE
            connection.count(len(piece))
            last = whole and not more
            await send({"type": "http.response.body", "body": piece, "more_body": not last})
        return True

    def close(self) -> None:
        """Drop the rest of the answer."""
        self._body.close()


class Turns:
    """The limited places for requests answered at the same time. Visitors take turns for them."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._lines: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, visitor: Hashable) -> AsyncIterator[None]:
        """Wait for a place, and hold it in the block."""
        if self._free:
            self._free -= 1
        else:
            ready = asyncio.get_running_loop().create_future()
            self._lines.setdefault(visitor, deque()).append(ready)
            await ready
        try:
            yield
        finally:
            self._give_on()

    def _give_on(self) -> None:
        while self._lines:
            visitor, line = self._lines.popitem(last=False)
            ready = line.popleft()
            if line:
                self._lines[visitor] = line  # at the end: the others come first
            if not ready.done():  # it was not cancelled
                ready.set_result(None)
                return
        self._free += 1


def _has_two_lengths(scope: Message) -> bool:
    """True if a request gives its length twice, so a proxy may see another end (RFC 9112, 6.1)."""
    return {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}


def _visitor(environ: dict[str, Any], connection: Connection) -> Hashable:
    """Return the visitor who waits for the answer to a request."""
    if connection.behind_proxy:
        # The last is what the proxy itself has added.
        return share_of(environ.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip())
    return connection.voucher or share_of(connection.address)


def _environ(scope: Message, body: bytes) -> dict[str, Any]:
    """Return a request as WSGI has it (PEP 3333)."""
    host, port = scope["server"] or ("localhost", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "REMOTE_ADDR": scope["client"][0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        # With "_" it would pass for one that a trusted proxy has set; the body is in no chunks now.
        if b"_" in name or name == b"transfer-encoding":
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        text = value.decode("latin-1")
        joint = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{joint}{text}" if key in environ else text
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ
