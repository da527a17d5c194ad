"""Which connections a server holds, and which it closes.

Connections are few, so one address must not be able to take them all, by holding them idle or by
sending requests that never end. Nothing here knows of a server: the connections come in, and those
to close go out. Whoever has proved who they are (by a director's session, a clock's key) is
*vouched* for: such a connection counts against no share and is never closed to make room.


The server's connections, kept within these limits.

uvicorn limits how many requests run at once, and how long an idle connection stays open. It has
no limit for one address, for a request that never ends or for an answer that nobody takes; we add
those limits.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import socket
import time
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final, TypeVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dashboard.addresses import same, share_of
from dashboard.streaming.exchange import GrantedStream, Voucher
from dashboard.streaming.refusals import refusal
from table.server_config import Limits

Key = TypeVar("Key", bound=Hashable)


class Phase(enum.Enum):
    """The state of a connection."""

    HEADER = "header"
    """The connection was just opened, or a request's header is not complete yet."""
    BODY = "body"
    ANSWERING = "answering"
    SENDING = "sending"
    """The answer is made, and the client has not taken all of it."""
    IDLE = "idle"
    """The last request was answered; the connection is kept open for the next."""


_INCOMPLETE: Final = (Phase.HEADER, Phase.BODY)
_WAITING: Final = (*_INCOMPLETE, Phase.IDLE)
"""Phases in which the client has to act next: closing such a connection loses no answer."""


@dataclass(frozen=True, slots=True)
class Held:
    """A connection, as far as limits are concerned."""

    share: str | None
    """The address whose limit the connection counts against; ``None`` behind a proxy."""
    phase: Phase
    since_s: float
    """When the phase began; in ``SENDING``, when the client last took something."""
    vouched: bool = False


def overdue(held: Mapping[Key, Held], limits: Limits, now_s: float) -> list[Key]:
    """Return the connections whose time is up; uvicorn itself closes idle ones."""
    allowed_s = {
        Phase.HEADER: limits.header_s,
        Phase.BODY: limits.body_s,
        Phase.SENDING: limits.stalled_s,
    }
    return [
        key
        for key, one in held.items()
        if one.phase in allowed_s and now_s - one.since_s > allowed_s[one.phase]
    ]


def surplus(held: Mapping[Key, Held], newcomer: Key, limits: Limits) -> list[Key]:
    """Return the connections to close because of a newcomer, perhaps the newcomer itself.

    The address with the most connections loses one first, and of one address the connection that
    has waited longest. No connection is closed while its request is being answered.
    """
    closed: list[Key] = []
    share = held[newcomer].share
    others = {key: one for key, one in held.items() if key != newcomer and not one.vouched}
    if share is not None:
        own = {key: one for key, one in others.items() if one.share == share}
        incomplete = _oldest(own, _INCOMPLETE)
        if len(incomplete) >= limits.incomplete_per_address:
            closed.append(incomplete[0])
        elif len(own) >= limits.connections_per_address:
            waiting = _oldest(own, _WAITING) or _oldest(own, (Phase.SENDING,))
            # All are being answered: it has as much as it can have.
            closed.append(waiting[0] if waiting else newcomer)
    if not closed and len(held) > limits.connections:
        of_share = Counter(one.share for one in others.values())
        for phases in (_WAITING, (Phase.SENDING,)):
            if found := _oldest(others, phases):
                # Sorted by age: of those with most connections, the one that has waited longest.
                closed.append(max(found, key=lambda key: of_share[others[key].share]))
                break
    return closed


def _oldest(held: Mapping[Key, Held], phases: tuple[Phase, ...]) -> list[Key]:
    """Return the connections in these phases; those longest in their phase come first."""
    found = [key for key, one in held.items() if one.phase in phases]
    return sorted(found, key=lambda key: held[key].since_s)


_LOG = logging.getLogger(__name__)

LONGEST_HEADER: Final = 32 * 1024
"""Bytes of a request's header: several accounts' cookies and a long address."""

_VOUCHED_S: Final = 300.0
"""The time for which a connection is vouched for after its user was last known."""

_DEAD_MS: Final = 30_000
"""Milliseconds without any acknowledgement after which a page counts as gone."""

_UNSENT: Final = 16 * 1024
"""The most unsent bytes that Linux buffers for a connection; asyncio buffers as many before an
answer waits. They are few, so that the bytes taken are about those that the page has read."""

_LOOK_S: Final = 1.0
"""Seconds between two looks for connections whose time is up."""

_REPEAT_S: Final = 300.0
"""Seconds between two lines in the log that say that every place is taken."""


class Connection(H11Protocol):
    """A connection with its phase, the time when the phase began, and its user.

    It extends the methods that asyncio calls on a protocol, and the method by which uvicorn refuses
    a request that cannot be read.
    """

    def __init__(self, crowd: Crowd, **options: Any) -> None:
        super().__init__(**options)
        self._crowd = crowd
        self._phase, self._since_s = Phase.HEADER, time.monotonic()
        self._voucher: Voucher | None = None
        self._vouched_s = 0.0
        self._sent = self._taken = 0
        self._taken_s = 0.0
        self.granted: GrantedStream | None = None
        """The event stream on this connection, which then counts in no limit on connections."""
        self.in_excess = False
        """True if the connection was opened while requests in progress took every place."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection into the crowd."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.behind_proxy = self._crowd.is_proxy(self.address)
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_MS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
        transport.set_write_buffer_limits(_UNSENT)
        self._crowd.admit(self)

    def data_received(self, data: bytes) -> None:
        """Note when a request begins."""
        if self._phase is Phase.IDLE:
            self.enter(Phase.HEADER)
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - as uvicorn has it
        """Refuse, in our own words, a request that is no HTTP or whose header is too long."""
        unread, _ = self.conn.trailing_data
        status = 431 if len(unread) > LONGEST_HEADER else 400
        headers, body = refusal(status, reader=b"text/html" in bytes(unread).lower())
        for event in (
            h11.Response(status_code=status, headers=headers, reason=HTTPStatus(status).phrase),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the crowd."""
        self._crowd.remove(self)
        super().connection_lost(exc)

    def enter(self, phase: Phase) -> None:
        """Begin another phase."""
        self._phase, self._since_s = phase, time.monotonic()

    def count(self, sent: int) -> None:
        """Note that so many bytes of an answer are given to the connection to be sent."""
        self._sent += sent

    def close(self) -> None:
        """Close the connection at once, whatever is still to be sent."""
        self.transport.abort()

    @property
    def closed(self) -> bool:
        """True once nothing more can be sent on the connection."""
        return self.transport.is_closing()

    @property
    def gone(self) -> bool:
        """True once the connection is closed and nothing waits to be sent."""
        return self.closed and not self.transport.get_write_buffer_size()

    @property
    def voucher(self) -> Voucher | None:
        """The user of the connection; None if unknown, or last known too long ago."""
        return self._voucher if time.monotonic() - self._vouched_s < _VOUCHED_S else None

    def vouch(self, voucher: Voucher) -> None:
        """Note the user, except of a proxy's connection. Safe to use from any thread."""
        if not self.behind_proxy:
            self._vouched_s, self._voucher = time.monotonic(), voucher

    @property
    def held(self) -> Held:
        """The connection as the limits see it."""
        now, unsent = time.monotonic(), self.transport.get_write_buffer_size()
        taken = self._sent - unsent
        if taken > self._taken or not unsent:
            self._taken, self._taken_s = taken, now
        phase, since = self._phase, self._since_s
        after = self.granted or self.closed or phase is Phase.IDLE
        if phase is Phase.SENDING or (unsent and after):
            phase, since = Phase.SENDING, max(since, self._taken_s)
        share = None if self.behind_proxy else share_of(self.address)
        return Held(share, phase, since, self.voucher is not None)


class Crowd:
    """All connections of a server. Used in the server's event loop alone."""

    def __init__(self, limits: Limits, proxy: str | None) -> None:
        """``proxy`` is the address of the trusted proxy, if there is one."""
        self._limits, self._proxy = limits, proxy
        self._connections: dict[Any, Connection] = {}
        self._log_again_s = 0.0

    def is_proxy(self, address: str) -> bool:
        """True if this is the proxy's address, whose connections carry many visitors."""
        return self._proxy is not None and same(address, self._proxy)

    def of(self, client: Any) -> Connection:
        """Return the connection of the ``client`` of an ASGI scope."""
        return self._connections[client]

    def admit(self, newcomer: Connection) -> None:
        """Make room for a connection that has just been opened, or close it."""
        self._connections[newcomer.client] = newcomer
        held = self._held()
        closed = surplus(held, newcomer, self._limits)
        for connection in closed:
            connection.close()
        newcomer.in_excess = len(held) - len(closed) > self._limits.connections

    def remove(self, connection: Connection) -> None:
        """Forget a connection that was closed."""
        if self._connections.get(connection.client) is connection:  # its port may be another's now
            del self._connections[connection.client]

    def must_refuse(self, connection: Connection) -> bool:
        """True if a request must be refused because every place is taken; logged now and then."""
        places = self._limits.connections
        if not connection.in_excess or len(self._held()) <= places:
            connection.in_excess = False
            return False
        if time.monotonic() >= self._log_again_s:
            self._log_again_s = time.monotonic() + _REPEAT_S
            _LOG.warning(
                "all %d places for pages are taken at this moment; "
                "further browsers are asked to come again, and live pages go on",
                places,
            )
        return True

    async def run(self) -> None:
        """Close the connections whose time is up, for ever. Run it in the server's event loop."""
        while True:
            everybody = {one: one.held for one in self._connections.values() if not one.gone}
            for connection in overdue(everybody, self._limits, time.monotonic()):
                connection.close()
            await asyncio.sleep(_LOOK_S)

    def close(self) -> None:
        """Close every connection."""
        for connection in list(self._connections.values()):
            connection.close()

    def _held(self) -> dict[Connection, Held]:
        """Return the connections that count against limits, oldest first; vouched ones do not."""
        held: dict[Connection, Held] = {}
        counted: Counter[Voucher] = Counter()
        for connection in self._connections.values():
            if connection.gone or (connection.granted and not connection.closed):
                continue
            one, voucher = connection.held, connection.voucher
            if voucher is not None:
                counted[voucher] += 1
                if counted[voucher] > voucher.most:
                    one = replace(one, vouched=False)
            held[connection] = one
        return held
