"""One thread that carries all event streams to their pages.

A stream says something a few times a minute and is silent in between, so a thread for each would
be waste: three hundred of them are three hundred stacks, and as many that wake at once for every
turn. Here one thread holds every connection, waits for whatever comes first (a feed's news, room
in a socket, a page that leaves, a heartbeat that is due), and never blocks on a page that reads
slowly: what does not fit waits in memory, and who falls too far behind is dropped and may resume.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dashboard.feeds.feed import Views
from dashboard.streaming.compression import packed
from dashboard.streaming.streams import HEARTBEAT_S, TICK_S, Follower
from game.errors import TilewatchError

_LOG = logging.getLogger(__name__)

MAX_BEHIND: Final = 500_000
"""Bytes that wait for one page at most: some forty views, or ten times as many in gzip."""

_DEAD_S: Final = 30
"""A page that acknowledges nothing for so long has gone, whatever its connection says."""


@dataclass(frozen=True, slots=True)
class Form:
    """In what form a page takes a stream's bytes."""

    chunked: bool = False
    """In chunks (HTTP/1.1)."""
    gzip: bool = False
    """Compressed; what began it has sent the header."""


class _Stream:
    """One page's connection."""

    def __init__(
        self,
        connection: socket.socket,
        follower: Follower,
        leave: Callable[[], None],
        form: Form,
    ) -> None:
        self.connection = connection
        self.follower = follower
        self.leave = leave
        self.form = form
        self.spoke = time.monotonic()
        self.behind = 0
        self._waiting: deque[memoryview] = deque()

    def put(self, data: bytes) -> None:
        """Send ``data``, as soon as there is room. Raises ``OSError`` when the page has gone."""
        if self.form.gzip:
            data = packed(data)
        if self.form.chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        self._waiting.append(memoryview(data))
        self.behind += len(data)
        self.flush()

    def flush(self) -> None:
        """Send what there is room for. Raises ``OSError`` when the page has gone."""
        while self._waiting:
            try:
                sent = self.connection.send(self._waiting[0])
            except (BlockingIOError, InterruptedError):
                return
            self.behind -= sent
            if sent < len(self._waiting[0]):
                self._waiting[0] = self._waiting[0][sent:]
            else:
                self._waiting.popleft()


class Sender:
    """Holds streams and feeds them. Safe to use from any thread; :meth:`close` when done."""

    def __init__(self, heartbeat_s: float = HEARTBEAT_S) -> None:
        self._heartbeat_s = heartbeat_s
        self._selector = selectors.DefaultSelector()
        self._hears, self._calls = socket.socketpair()
        for end in (self._hears, self._calls):
            end.setblocking(False)
        self._selector.register(self._hears, selectors.EVENT_READ)
        self._new: deque[_Stream] = deque()
        self._streams: set[_Stream] = set()
        self._waiters: dict[int, _Waiter] = {}
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
        self._thread.start()

    def add(
        self,
        connection: socket.socket,
        follower: Follower,
        leave: Callable[[], None],
        form: Form,
    ) -> None:
        """Take a connection over whose answer has begun; ``leave`` is called when it has ended."""
        connection.setblocking(False)
        with contextlib.suppress(OSError, AttributeError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_S * 1000)
        self._new.append(_Stream(connection, follower, leave, form))
        if self._closing:
            self._end_new()
        else:
            self._wake()

    def close(self) -> None:
        """End every stream."""
        self._closing = True
        self._wake()
        self._thread.join(timeout=5)
        self._end_new()

    # --- its thread ---

    def _run(self) -> None:
        looked = time.monotonic()
        step = min(TICK_S, self._heartbeat_s)
        while not self._closing:
            for key, events in self._selector.select(step):
                if key.data is None:
                    with contextlib.suppress(BlockingIOError):
                        self._hears.recv(4096)
                else:
                    self._serve(key.data, events)
            while self._new:
                self._begin(self._new.popleft())
            for waiter in list(self._waiters.values()):
                if waiter.take():
                    self._tell(waiter.feed)
            if time.monotonic() - looked >= step:
                looked = time.monotonic()
                self._look_after()
        for stream in list(self._streams):
            self._end(stream)
        for waiter in self._waiters.values():
            waiter.stop()
        self._selector.close()
        self._hears.close()
        self._calls.close()

    def _begin(self, stream: _Stream) -> None:
        self._streams.add(stream)
        self._selector.register(stream.connection, selectors.EVENT_READ, stream)
        # Whatever came between its opening and now.
        self._say(stream, stream.follower.new_frames)

    def _tell(self, feed: Views) -> None:
        for stream in list(self._streams):
            if stream.follower.feed is feed:
                self._say(stream, stream.follower.new_frames)

    def _look_after(self) -> None:
        """What is due by time: ends and heartbeats, and feeds that nobody follows any more."""
        due = time.monotonic() - self._heartbeat_s
        for stream in list(self._streams):
            if self._is_over(stream):
                self._end(stream)
            elif id(stream.follower.feed) not in self._waiters:  # it follows another now
                self._say(stream, stream.follower.new_frames)
            elif stream.spoke <= due:
                self._say(stream, stream.follower.beat)
        followed = {id(stream.follower.feed) for stream in self._streams}
        for key in [key for key in self._waiters if key not in followed]:
            self._waiters.pop(key).stop()

    def _is_over(self, stream: _Stream) -> bool:
        try:
            return stream.follower.over
        except TilewatchError as error:
            _LOG.error("a stream ends, as nobody can tell whether it may go on: %s", error)
            return True

    def _say(self, stream: _Stream, words: Callable[[], bytes]) -> None:
        """Send what ``words`` gives, and see that its feed is waited for."""
        try:
            if framed := words():
                stream.spoke = time.monotonic()
                stream.put(framed)
        except OSError:
            self._end(stream)
            return
        except Exception:  # whatever is wrong with this one, the others go on
            _LOG.exception("a stream ends")
            self._end(stream)
            return
        if stream.behind > MAX_BEHIND:
            _LOG.warning("a page that reads too slowly is dropped; it may come back")
            self._end(stream)
            return
        self._watch(stream)
        feed = stream.follower.feed
        if id(feed) not in self._waiters:
            self._waiters[id(feed)] = _Waiter(feed, stream.follower.waits_for(), self._wake)

    def _serve(self, stream: _Stream, events: int) -> None:
        if stream not in self._streams:
            return
        try:
            if events & selectors.EVENT_READ and not stream.connection.recv(4096):
                raise ConnectionResetError
            stream.flush()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self._end(stream)
            return
        self._watch(stream)

    def _watch(self, stream: _Stream) -> None:
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if stream.behind else 0)
        if self._selector.get_key(stream.connection).events != wanted:
            self._selector.modify(stream.connection, wanted, stream)

    def _end(self, stream: _Stream) -> None:
        self._streams.discard(stream)
        if stream.form.chunked and not stream.behind:
            with contextlib.suppress(OSError):
                stream.connection.send(b"0\r\n\r\n")
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(stream.connection)
        stream.connection.close()
        stream.leave()

    def _end_new(self) -> None:
        """End what came too late."""
        while self._closing:
            try:
                stream = self._new.popleft()
            except IndexError:
                return
            stream.connection.close()
            stream.leave()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it is awake already
            self._calls.send(b"!")


class _Waiter:
    """Waits for one feed's news, and wakes the sender for it."""

    def __init__(self, feed: Views, last_id: str | None, wake: Callable[[], None]) -> None:
        self.feed = feed
        self._last_id = last_id
        self._wake = wake
        self._wakeup = threading.Event()
        self._stopped = False
        threading.Thread(target=self._run, name="news", daemon=True).start()

    def take(self) -> bool:
        """Whether there has been news since this was last asked."""
        if not self._wakeup.is_set():
            return False
        self._wakeup.clear()
        return True

    def stop(self) -> None:
        """Wait no longer."""
        self._stopped = True

    def _run(self) -> None:
        while not self._stopped and not self.feed.closed:
            if not self.feed.wait(self._last_id, TICK_S):
                continue
            messages = self.feed.since(self._last_id, fresh=False)
            if messages:
                self._last_id = messages[-1].id
            self._wakeup.set()
            self._wake()
