"""Server-sent events: their framing, what a stream has to say, and the bound on how many are open.

A :class:`Follower` knows what one page still has to hear; :mod:`dashboard.streaming.sender` carries
it there. The page too many gets a time to come back (503, ``Retry-After``), and asks for the state
every few seconds instead.


Event streams in gzip, whose long events are compressed once for everybody.

A view is some ten kilobytes of JSON that shrink to a fifth: in a hall it is the air that is short,
when a turn is sent to three hundred phones at once. A gzip stream (RFC 1952) is a header and
deflate blocks (RFC 1951). Blocks that end with a full flush refer to nothing before them and end on
a whole byte, so the same compressed event fits into any stream, and every reader can decode it as
soon as it has come. What is short goes uncompressed, as a stored block.
"""

from __future__ import annotations

import threading
import zlib
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Protocol

from dashboard.feeds.feed import Clock, Message, Views, encode

HEARTBEAT_S: Final = 10.0
"""A word at least this often, so that both ends notice a dead connection."""

TICK_S: Final = 1.0
"""The time between two checks whether a silent stream is over."""

RETRY_MS: Final = 1500
"""The time that a page waits before it connects again."""


class StreamLimiter:
    """At most ``limit`` places, or with None as many as are asked for.

    With a ``share`` no visitor has more than so many of them. Each is given back exactly once.
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

        Without a ``visitor`` it is nobody's share.
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


class Follower(Protocol):
    """The source of one stream's messages. Used by one thread at a time."""

    @property
    def feed(self) -> Views:
        """The feed that it waits for; it may be another one after :meth:`news`."""

    @property
    def over(self) -> bool:
        """True if nothing more will come: the stream is to be closed."""

    def beat(self) -> bytes:
        """A word that says nothing new."""

    def new_frames(self, fresh: bool = False) -> bytes:
        """Everything since the last time, framed; empty if there is nothing.

        With ``fresh`` the log itself is asked, and not only what has been read of it.
        """

    def waits_for(self) -> str | None:
        """The id of the newest view that it has seen."""


class ViewFollower:
    """A feed's views after ``last_id``, each once and with the time before it."""

    def __init__(
        self,
        feed: Views,
        last_id: str | None,
        rate: float,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        self.feed = feed
        self._last_id = last_id
        self._rate = rate
        self._ended = ended

    @property
    def over(self) -> bool:
        """True if the feed has ended, or whoever follows may do so no longer."""
        return self.feed.closed or self._ended()

    def beat(self) -> bytes:
        """The table's time."""
        return time_frame(self.feed.now_ns, self._rate)

    def new_frames(self, fresh: bool = False) -> bytes:
        """The views after the last one sent, oldest first."""
        messages = self.feed.since(self._last_id, fresh)
        if not messages:
            return b""
        self._last_id = messages[-1].id
        now = self.beat()
        return b"".join(now + view_frame(message) for message in messages)

    def waits_for(self) -> str | None:
        """The id of the newest view that was sent."""
        return self._last_id


def frame(event: str, data: bytes, event_id: str | None = None) -> bytes:
    """One event of a stream. ``data`` has no line ends."""
    identity = b"" if event_id is None else b"id: " + event_id.encode() + b"\n"
    return b"event: " + event.encode() + b"\n" + identity + b"data: " + data + b"\n\n"


def time_frame(clock: Clock, rate: float) -> bytes:
    """The table's time now, which is also the heartbeat. It carries no id: it is no news."""
    return frame("time", encode({"now_ns": clock(), "rate": rate}))


def view_frame(message: Message) -> bytes:
    """One view with its id."""
    return frame("view", message.data, message.id)


def opening(follower: Follower) -> bytes:
    """Return the first bytes of every stream: delay before a retry, time, and first views."""
    return b"retry: %d\n\n" % RETRY_MS + follower.beat() + follower.new_frames(fresh=True)


HEADER: Final = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255))
"""The first bytes of a gzip stream: deflate, no name, no time, no particular system."""

_END: Final = b"\n\n"
_SHORT: Final = 512
_MOST_STORED: Final = 65535


def packed(data: bytes) -> bytes:
    """Whole events of a stream as deflate blocks."""
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
    """A block that is not compressed, and not the last."""
    if len(data) > _MOST_STORED:
        return _deflated(data)
    length = len(data).to_bytes(2, "little")
    return b"\x00" + length + bytes(byte ^ 0xFF for byte in length) + data


@lru_cache(maxsize=32)
def _deflated(data: bytes) -> bytes:
    """Blocks that refer to nothing before them."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
