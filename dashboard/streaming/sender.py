"""Carries all event streams to their pages.

A stream sends something a few times a minute and is silent in between. One thread asks all
followers with news for their next messages: that may read the log, or the sessions, and wait for a
disk. The server's event loop sends it. A follower is asked again when its page has taken what came
before, so that a slow page holds up nobody and piles up nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from dashboard.feeds.feed import Views
from dashboard.streaming.crowd import Connection
from dashboard.streaming.exchange import GrantedStream, Receive, Send, until_gone
from dashboard.streaming.streams import HEARTBEAT_S, TICK_S, packed
from game.errors import TilewatchError

_LOG = logging.getLogger(__name__)

MAX_BEHIND: Final = 500_000
"""The most bytes sent to one page at once: some forty views, or ten times as many in gzip."""


class _Stream:
    """One page's stream."""

    def __init__(self, granted: GrantedStream) -> None:
        self.follower, self.gzip = granted.follower, granted.gzip
        self.feed: Views | None = None
        self.last_sent_s = time.monotonic()
        self.due = True  # whatever came between its opening and now
        self.idle = True
        """True while the page has taken everything sent."""
        self.outbox: asyncio.Queue[bytes] = asyncio.Queue()
        """The bytes to send next; an empty item ends the stream."""


class Sender:
    """Holds streams and feeds them. All but :meth:`close` is for the server's event loop."""

    def __init__(self, heartbeat_s: float = HEARTBEAT_S) -> None:
        self._heartbeat_s = heartbeat_s
        self._thread = ThreadPoolExecutor(1, "streams")
        self._streams: dict[_Stream, None] = {}
        self._waiters: dict[int, _Waiter] = {}
        self._wakeup = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def carry(
        self, granted: GrantedStream, connection: Connection, receive: Receive, send: Send
    ) -> None:
        """Send a stream until it is over or its page has gone; its answer has begun."""
        stream = _Stream(granted)
        if self._closed:
            stream.outbox.put_nowait(b"")
        self._streams[stream] = None
        self._wakeup.set()
        gone = asyncio.create_task(until_gone(receive))
        gone.add_done_callback(lambda _: stream.outbox.put_nowait(b""))
        try:
            while data := await stream.outbox.get():
                if len(data) > MAX_BEHIND:
                    _LOG.warning("a page that reads too slowly is dropped; it may come back")
                    connection.close()
                    break
                connection.count(len(data))
                await send({"type": "http.response.body", "body": data, "more_body": True})
                stream.idle = True
                if stream.due:  # there was news meanwhile
                    self._wakeup.set()
            await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            del self._streams[stream]

    async def run(self) -> None:
        """Ask the followers whenever there is news, and all of them now and then; for ever."""
        self._loop = asyncio.get_running_loop()
        tick_s = min(TICK_S, self._heartbeat_s)
        next_s = 0.0
        while not self._closed:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wakeup.wait(), tick_s)
            self._wakeup.clear()
            everybody = self._loop.time() >= next_s
            if everybody:
                next_s = self._loop.time() + tick_s
                self._stop_waiters({id(stream.feed) for stream in self._streams})
            asked = [one for one in self._streams if one.idle and (one.due or everybody)]
            frames = await self._loop.run_in_executor(self._thread, self._ask, asked)
            for stream, data in zip(asked, frames, strict=True):
                if data is not None:
                    stream.idle = False
                    stream.outbox.put_nowait(data)
        self._stop_waiters(set())
        for stream in self._streams:
            stream.outbox.put_nowait(b"")
        self._thread.shutdown(wait=False)

    def close(self) -> None:
        """End every stream. Safe from any thread."""
        self._closed = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended already
                self._loop.call_soon_threadsafe(self._wakeup.set)

    def look(self) -> None:
        """Ask every follower at once. Safe from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended already
                self._loop.call_soon_threadsafe(self._mark_all)

    def _mark_all(self) -> None:
        for stream in self._streams:
            stream.due = True
        self._wakeup.set()

    def _stop_waiters(self, followed: set[int]) -> None:
        for key in [key for key in self._waiters if key not in followed]:
            self._waiters.pop(key).stop()

    def _mark_due(self, feed: Views) -> None:
        for stream in self._streams:
            stream.due = stream.due or stream.feed is feed
        self._wakeup.set()

    # --- its thread ---

    def _ask(self, streams: list[_Stream]) -> list[bytes | None]:
        """Return each stream's next bytes: ``None`` for nothing yet, empty if it is over."""
        return [self._frames_for(stream) for stream in streams]

    def _frames_for(self, stream: _Stream) -> bytes | None:
        data = b""
        try:
            if stream.follower.over:
                return b""
            now, due, stream.due = time.monotonic(), stream.due, False
            feed, before = stream.follower.feed, stream.feed
            stream.feed = feed
            if due or feed is not before:  # it follows another now
                data = stream.follower.new_frames()
            if not data and now - stream.last_sent_s >= self._heartbeat_s:
                data = stream.follower.beat()
            if id(feed) not in self._waiters:
                self._waiters[id(feed)] = _Waiter(feed, stream.follower.waits_for(), self._tell)
        except TilewatchError as error:
            _LOG.error("a stream is closed because its permission cannot be checked: %s", error)
            return b""
        except Exception:  # whatever is wrong with this one, the others go on
            _LOG.exception("a stream ends")
            return b""
        if not data:
            return None
        stream.last_sent_s = now
        return packed(data) if stream.gzip else data

    def _tell(self, feed: Views) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self._mark_due, feed)


class _Waiter:
    """A thread that waits for one feed's news and reports it."""

    def __init__(self, feed: Views, last_id: str | None, tell: Callable[[Views], None]) -> None:
        self._feed, self._last_id, self._tell = feed, last_id, tell
        self._stopped = False
        threading.Thread(target=self._run, name="news", daemon=True).start()

    def stop(self) -> None:
        """Wait no longer."""
        self._stopped = True

    def _run(self) -> None:
        while not self._stopped and not self._feed.closed:
            if not self._feed.wait(self._last_id, TICK_S):
                continue
            messages = self._feed.since(self._last_id, fresh=False)
            if messages:
                self._last_id = messages[-1].id
            self._tell(self._feed)
