"""A connection of waitress, held to what :mod:`dashboard.streaming.connections` says."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, Final

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser

from dashboard.addresses import same, share_of
from dashboard.streaming.connections import Held, Phase, overdue, surplus
from dashboard.streaming.vouching import Voucher
from table.server_config import Limits

_VOUCHED_S: Final = 300.0
"""How long a connection is vouched for after it was last known who uses it."""


class _OneRequest(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """Takes one request, and gives back what came after it."""

    def __init__(self, adj: Any, give_back: Callable[[bytes], None]) -> None:
        super().__init__(adj)
        self._give_back = give_back

    def received(self, data: bytes) -> int:
        """Take what is of this request; all of ``data`` counts as taken."""
        taken = int(super().received(data))
        if not self.completed or self.empty:
            return taken
        self._give_back(data[taken:])
        return len(data)


class LimitedChannel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """A connection that knows what it waits for, since when, and whose it is.

    Requests may come one right after the other. Each is looked at when the answer before it has
    been taken: one answer is all that a connection can have lying here, no thread waits for a page
    that takes nothing, and whoever sends a thousand at once waits their turn for each.
    """

    _voucher: Voucher | None = None
    _vouched_s = 0.0
    _answering = False
    """Whether a thread is at work for it; also at the end, when it has taken its request off."""
    _answered = False
    """Whether a request has been answered on it."""
    _begun_s = 0.0
    """When the request began that is on its way."""
    _ahead = b""
    """What has come after the request at hand. In waitress's own thread."""

    def __init__(self, server: Any, *rest: Any, **options: Any) -> None:
        self._waiting_s = time.monotonic()  # for a request: since the start, or the last answer
        self._unsent, self._unsent_s = 0, self._waiting_s
        super().__init__(server, *rest, **options)
        self.parser_class = lambda adj: _OneRequest(adj, self._keep_rest)
        self._behind_proxy = server.crowd.is_proxy(self.addr[0])
        server.crowd.admit(self)

    @property
    def held(self) -> Held:
        """It as the limits see it. For waitress's own thread."""
        now = time.monotonic()
        share = None if self._behind_proxy else share_of(self.addr[0])
        vouched = self.voucher is not None
        request, unsent = self.request, self.total_outbufs_len
        if self.requests or self._answering:
            return Held(share, Phase.ANSWERING, now, vouched)
        if unsent != self._unsent:  # it was looked at a second ago at most
            self._unsent, self._unsent_s = unsent, now
        if unsent or self.close_when_flushed:
            return Held(share, Phase.SENDING, max(self._unsent_s, self._waiting_s), vouched)
        if request is None and self._answered:
            return Held(share, Phase.IDLE, self._waiting_s, vouched)
        in_body = request is not None and request.headers_finished
        # What came before the last answer's end was not waited for until then.
        since = max(self._begun_s, self._waiting_s)
        return Held(share, Phase.BODY if in_body else Phase.HEADER, since, vouched)

    @property
    def visitor(self) -> Hashable:
        """Who waits for the answer to its next request."""
        if self._behind_proxy:
            # The last is what the proxy itself has added.
            named = self.requests[0].headers.get("X_FORWARDED_FOR", "") if self.requests else ""
            return share_of(named.rpartition(",")[2].strip())
        return self.voucher or share_of(self.addr[0])

    @property
    def voucher(self) -> Voucher | None:
        """Who uses it, where that is known."""
        known = time.monotonic() - self._vouched_s < _VOUCHED_S
        return self._voucher if known else None

    def vouch(self, voucher: Voucher) -> None:
        """It is known who uses it. A proxy's connection is never one person's."""
        if not self._behind_proxy:
            self._vouched_s, self._voucher = time.monotonic(), voucher

    def readable(self) -> bool:
        """Whether more may be read."""
        return not self._ahead and bool(super().readable())

    def writable(self) -> bool:
        """Whether there is something to send, or to go on with once all is sent."""
        return bool(super().writable()) or self._may_go_on

    def received(self, data: bytes) -> bool:
        """Take what has come of a request."""
        if self.requests or self._answering:
            self._ahead += data
            return True
        before = self.request
        taken = bool(super().received(data))
        if self.request is not None and self.request is not before:
            self._begun_s = time.monotonic()
        return taken

    def go_on(self) -> None:
        """Take the next request that has come already, once the answer before it was taken."""
        if self._may_go_on and not self.total_outbufs_len:
            data, self._ahead = self._ahead, b""
            self.received(data)

    def service(self) -> None:
        """Answer a request, in a thread of its own."""
        self._answering = True
        super().service()
        self._waiting_s = time.monotonic()
        self._answered = True
        self._answering = False
        if self._ahead:
            self.server.pull_trigger()

    @property
    def _may_go_on(self) -> bool:
        return bool(self._ahead) and not (self.requests or self._answering)

    def _keep_rest(self, rest: bytes) -> None:
        self._ahead = rest

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Here waitress would keep the thread until the page has taken enough."""


class Crowd:
    """All connections of a server. For waitress's own thread."""

    def __init__(
        self, channels: Mapping[int, LimitedChannel], limits: Limits, proxy: str | None
    ) -> None:
        """``channels`` are those of the server, kept by it; ``proxy`` is the trusted one."""
        self._channels, self._limits, self._proxy = channels, limits, proxy

    def is_proxy(self, address: str) -> bool:
        """Whether connections from there are many visitors'."""
        return self._proxy is not None and same(address, self._proxy)

    def admit(self, newcomer: LimitedChannel) -> None:
        """Make room for a connection that has just been opened, or close it."""
        for channel in surplus(self._held(), newcomer, self._limits):
            channel.handle_close()

    def look_after(self, _now_s: float = 0.0) -> None:
        """Close the connections whose time is up. waitress's own time may jump."""
        for channel in overdue(self._held(), self._limits, time.monotonic()):
            # At once: who takes nothing of an answer is never ready for more of it.
            channel.handle_close()

    def _held(self) -> dict[LimitedChannel, Held]:
        """All of them, oldest first. Whoever has more than their places has the rest as anybody."""
        held: dict[LimitedChannel, Held] = {}
        counted: Counter[Voucher] = Counter()
        for channel in self._channels.values():
            one, voucher = channel.held, channel.voucher
            if voucher is not None:
                counted[voucher] += 1
                if counted[voucher] > voucher.most:
                    one = replace(one, vouched=False)
            held[channel] = one
        return held
