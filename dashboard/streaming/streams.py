"""Server-sent events: a stream's messages, their framing in gzip, and how many streams may be open.

A :class:`Follower` has the messages for one page; :mod:`dashboard.streaming.sender` sends them. A
page for which no place is left gets a 503 with ``Retry-After``, and asks for the state every few
seconds instead.

A view is some ten kilobytes of JSON, which gzip shrinks to a fifth: in a hall the radio is the
bottleneck when a turn is sent to three hundred phones at once. A gzip stream (RFC 1952) is a header
and deflate blocks (RFC 1951). Blocks that end with a full flush refer to nothing before them and
end on a whole byte, so the same compressed event fits into any stream, and every reader can decode
it as soon as it has come: an event is compressed once for everybody, which no library's gzip does.
Short events are sent uncompressed, in a stored block.
"""

from __future__ import annotations

import threading
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from dashboard.feeds.feed import Views, encode
from dashboard.feeds.rows import Rows
from dashboard.sent import whole_number

HEARTBEAT_S: Final = 10.0
"""The longest silence of a stream, so that both ends notice a dead connection."""

TICK_S: Final = 1.0
"""The time between two checks whether a silent stream is over."""

RETRY_MS: Final = 1500
"""The time that a page waits before it connects again."""


class StreamLimiter:
    """At most ``limit`` places, or any number if ``limit`` is None.

    No visitor has more than ``share`` of the places. Each is given back exactly once.
    """

    def __init__(self, limit: int | None, share: int | None = None) -> None:
        self.limit = limit
        self.share = share
        self._taken = 0
        self._shares: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """Places in use."""
        return self._taken

    def enter(self, visitor: str | None = None) -> Callable[[], None] | None:
        """Take a place and get the function that gives it back, or ``None`` if there is none.

        Without a ``visitor`` the place counts in no share.
        """
        with self._lock:
            if self.limit is not None and self._taken >= self.limit:
                return None
            if visitor is not None and self.share is not None:
                if self._shares[visitor] >= self.share:
                    return None
                self._shares[visitor] += 1
            self._taken += 1
        left = threading.Event()

        def leave() -> None:
            with self._lock:
                if left.is_set():
                    return
                left.set()
                self._taken -= 1
                if visitor is not None and self.share is not None:
                    self._shares[visitor] -= 1
                    if not self._shares[visitor]:
                        del self._shares[visitor]

        return leave


class Follower(ABC):
    """The source of one stream's messages. Used by one thread at a time."""

    def __init__(self, last_id: str | None, ended: Callable[[], bool] = lambda: False) -> None:
        """``last_id`` is the page's newest id; ``ended`` returns True once the stream must end."""
        self._last_id, self._ended = last_id, ended

    @property
    @abstractmethod
    def feed(self) -> Views:
        """The feed to wait for; :meth:`new_frames` may change it."""

    @property
    def over(self) -> bool:
        """True if nothing more will come, so the stream is to be closed."""
        return self._ended()

    @abstractmethod
    def beat(self) -> bytes:
        """Return a message without news, which keeps the connection alive."""

    @abstractmethod
    def new_frames(self, fresh: bool = False) -> bytes:
        """Return all events since the last call as bytes of the stream; empty if there are none.

        With ``fresh`` the log is read first.
        """

    def waits_for(self) -> str | None:
        """Return the id of the newest view sent; None before the first."""
        return self._last_id


class ViewFollower(Follower):
    """A feed's views after ``last_id``, each sent once, after the table's time."""

    def __init__(
        self,
        feed: Views,
        last_id: str | None,
        rate: float,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(last_id, ended)
        self._feed, self._rate = feed, rate

    @property
    def feed(self) -> Views:
        """The feed whose views are sent."""
        return self._feed

    @property
    def over(self) -> bool:
        """True if the feed has ended, or the follower may read no longer."""
        return self._feed.closed or self._ended()

    def beat(self) -> bytes:
        """Return the table's time, as an event of the stream."""
        return frame("time", encode({"now_ns": self.feed.now_ns(), "rate": self._rate}))

    def new_frames(self, fresh: bool = False) -> bytes:
        """Return the views after the last one sent, oldest first."""
        messages = self._feed.since(self._last_id, fresh)
        if not messages:
            return b""
        self._last_id = messages[-1].id
        now = self.beat()
        return b"".join(now + frame("view", one.data, one.id) for one in messages)


class RowsFollower(Follower):
    """The rows that one page has not received yet."""

    def __init__(
        self,
        feed: Rows,
        epoch: str,
        last_id: str | None,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        """``epoch`` names this run of the program; a page from an earlier run is sent all rows."""
        super().__init__(last_id, ended)
        self._rows, self._epoch = feed, epoch
        run, _, version = (last_id or "").partition("-")
        self._version = (whole_number(version) or 0) if run == epoch else 0

    @property
    def feed(self) -> Views:
        """The rows."""
        return self._rows

    @property
    def over(self) -> bool:
        """True if the rows have ended, or the follower may read no longer."""
        return self._rows.closed or self._ended()

    def beat(self) -> bytes:
        """Return a message without news, which keeps the connection alive."""
        return frame("beat", b"{}")

    def new_frames(self, fresh: bool = False) -> bytes:  # noqa: ARG002 - there is nothing staler
        """Return the lines that have changed since the last time."""
        return self.framed(self.fresh())

    def fresh(self) -> dict[str, bytes]:
        """Return the changed lines by table, each as JSON."""
        self._version, lines = self._rows.newer(self._version)
        return lines

    def framed(self, lines: Mapping[str, bytes]) -> bytes:
        """Return lines as one event of the stream."""
        data = b"[" + b",".join(lines.values()) + b"]"
        return frame("rows", data, f"{self._epoch}-{self._version}") if lines else b""

    def waits_for(self) -> str | None:
        """Return the newest version sent."""
        return str(self._version)


def frame(event: str, data: bytes, event_id: str | None = None) -> bytes:
    """Return one event of a stream. ``data`` has no line ends."""
    identity = b"" if event_id is None else b"id: " + event_id.encode() + b"\n"
    return b"event: " + event.encode() + b"\n" + identity + b"data: " + data + b"\n\n"


def opening(follower: Follower) -> bytes:
    """Return the first bytes of every stream: delay before a retry, time, and first views."""
    return b"retry: %d\n\n" % RETRY_MS + follower.beat() + follower.new_frames(fresh=True)


HEADER: Final = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255))
"""The first bytes of a gzip stream: deflate, no name, no time, no particular system."""

_END: Final = b"\n\n"
_SHORT: Final = 512
_MOST_STORED: Final = 65535


def packed(data: bytes) -> bytes:
    """Return whole events of a stream as deflate blocks, which are cached."""
    events = data.split(_END)
    blocks = []
    short = b""
    for event in events[:-1]:
        if len(event) < _SHORT and len(short) + len(event) < _MOST_STORED - len(_END):
            short += event + _END
            continue
        if short:
            blocks.append(_stored(short))
            short = b""
        blocks.append(_deflated(event + _END))
    short += events[-1]
    if short:
        blocks.append(_stored(short))
    return b"".join(blocks)


def _stored(data: bytes) -> bytes:
    """Return an uncompressed block that is not the last; longer data is compressed instead."""
    if len(data) > _MOST_STORED:
        return _deflated(data)
    length = len(data).to_bytes(2, "little")
    return b"\x00" + length + bytes(byte ^ 0xFF for byte in length) + data


@lru_cache(maxsize=32)
def _deflated(data: bytes) -> bytes:
    """Return compressed blocks that refer to nothing before them."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
