"""Server-sent events: the framing, and the bound on how many streams are open at once.

A stream holds one of waitress's threads for as long as it lives, so an unbounded number of them
would starve the pages. The one too many is told when to come back (503, ``Retry-After``), and the
page then asks for the state every few seconds instead.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from dashboard.feed import Clock, Message, Views, encode

HEARTBEAT_S: Final = 10.0
"""A word at least this often, so that both ends notice a dead connection."""

_TICK_S: Final = 1.0
"""How often a silent stream looks whether its page has gone."""

RETRY_MS: Final = 1500
"""How long a page waits before it connects again."""


class Gate:
    """At most ``limit`` places; each is given back exactly once."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """Places in use."""
        return self._taken

    def enter(self) -> Callable[[], None] | None:
        """Take a place and get the function that gives it back, or ``None`` when all are taken."""
        with self._lock:
            if self._taken >= self.limit:
                return None
            self._taken += 1
        left = threading.Event()

        def leave() -> None:
            with self._lock:
                if not left.is_set():
                    left.set()
                    self._taken -= 1

        return leave


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


def follow(
    feed: Views,
    last_id: str | None,
    rate: float,
    *,
    gone: Callable[[], bool] = lambda: False,
    heartbeat_s: float = HEARTBEAT_S,
) -> Iterator[bytes]:
    """The bytes of one stream: first the time, then every view after ``last_id``, for ever.

    Ends when the feed is closed or ``gone`` says that nobody listens any more.
    """
    yield b"retry: %d\n\n" % RETRY_MS + time_frame(feed.now_ns, rate)
    spoke = time.monotonic()
    fresh = True
    while not feed.closed and not gone():
        messages = feed.since(last_id, fresh)
        fresh = False
        for message in messages:
            yield time_frame(feed.now_ns, rate) + view_frame(message)
            last_id = message.id
        now = time.monotonic()
        if messages:
            spoke = now
        elif now - spoke >= heartbeat_s:
            yield time_frame(feed.now_ns, rate)
            spoke = now
        feed.wait(last_id, min(_TICK_S, heartbeat_s))
