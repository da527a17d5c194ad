"""One table's log, turned into a numbered series of views that any number of pages can follow.

The log is read and folded once by one thread, however many pages watch; each view is encoded once
and the same bytes go to everybody. A view is complete in itself, so a page that receives the
newest one is right, whatever it missed; a page that says where it stopped receives every view
since then, each once.

A view's id is ``<sequence>-<start of the event's hash>``. The hash names the log as well as the
place in it, so that a page that comes back to another log (a new game folder, a restored backup)
is given that log's newest view and not a wrong continuation.


A feed that cuts each view down: for a page that needs, or may see, only a part.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from game.errors import TilewatchError
from record.chain import LoggedEvent

_LOG = logging.getLogger(__name__)

KEEP: Final = 128
"""Views kept for pages that resume: half an hour's. Late in a game each takes 50 kB."""

KEEP_LATE: Final = 512
"""Views kept where some are shown an hour late."""

_RETRY_S: Final = 1.0
"""The wait before a log that cannot be read is read again."""

Clock = Callable[[], int]
"""The table's monotonic base: nanoseconds now."""

View = dict[str, Any]
"""The result of ``table.views.views.view``: JSON-able, already cut down to its audience."""


class Tail(Protocol):
    """The end of a log, from which a feed reads what is new."""

    def after(self, seq: int) -> Iterable[tuple[LoggedEvent, View | None]]:
        """Return the committed events after ``seq``, oldest first, each with the view after it.

        The view is ``None`` if the event gives none (no game yet).
        """

    def wait(self, seq: int, over: Callable[[], bool]) -> None:
        """Wait for an event after ``seq``, or until ``over()`` is true at a ``wake``."""

    def wake(self) -> None:
        """Wake the threads that wait."""


@dataclass(frozen=True, slots=True)
class Message:
    """One view and its place: ``id`` as given to pages, ``data`` the view as JSON in UTF-8.

    ``mono_ns`` is the time of the newest event that the view shows, on the table's base.
    """

    seq: int
    mono_ns: int
    id: str
    view: View
    data: bytes


class Views(ABC):
    """A numbered series of views that pages follow. Safe to use from any thread."""

    @abstractmethod
    def now_ns(self) -> int:
        """Return the time in these views, on the table's monotonic base."""

    @abstractmethod
    def kept(self, fresh: bool = True) -> list[Message]:
        """Return every view that is still remembered, oldest first.

        Without ``fresh`` the log is not read first: enough for a stream, which :meth:`wait` wakes.
        """

    @abstractmethod
    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until there is a view other than ``last_id``; ``False`` if time ran out."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """True if the series has ended."""

    @abstractmethod
    def close(self) -> None:
        """End the series, and every stream that follows it."""

    def since(self, last_id: str | None, fresh: bool = True) -> list[Message]:
        """Return the views that a page that last saw ``last_id`` has not seen, oldest first.

        That is every view after ``last_id``; or only the newest if the page is new, comes from
        another log, or was away for longer than the series remembers.
        """
        messages = self.kept(fresh)
        for place, message in enumerate(messages):
            if message.id == last_id:
                return messages[place + 1 :]
        return messages[-1:]

    def delayed(self, make: Callable[[Views], Views]) -> Views:
        """Return the views that ``make`` derives from these."""
        return make(self)

    def allows(self, message: Message) -> bool:  # noqa: ARG002
        """Return True if a view that was read before may still be shown."""
        return True

    def latest(self) -> Message | None:
        """Return the newest view; ``None`` before a first one."""
        newest = self.since(None)
        return newest[-1] if newest else None


class ViewsBehind(Views):
    """Views derived from those of ``feed``; they end when that feed ends."""

    def __init__(self, feed: Views) -> None:
        self._feed = feed

    def now_ns(self) -> int:
        """Return the time of the feed behind these views."""
        return self._feed.now_ns()

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until there is a view other than ``last_id``; ``False`` if time ran out."""
        return self._feed.wait(last_id, timeout)

    @property
    def closed(self) -> bool:
        """True if the feed behind these views has ended."""
        return self._feed.closed

    def close(self) -> None:
        """End the feed behind these views, and every stream that follows either."""
        self._feed.close()


class Closable(Views):
    """Views that threads wait on for changes until it is closed."""

    def __init__(self) -> None:
        self._wakeup = threading.Condition()
        self._closed = False

    @property
    def closed(self) -> bool:
        """True if the series has ended."""
        return self._closed

    def close(self) -> None:
        """End the series, and every stream that follows it."""
        with self._wakeup:
            self._closed = True
            self._wakeup.notify_all()

    def _wait_for(self, there_is_news: Callable[[], bool], timeout: float) -> bool:
        """Wait until there is news or the series has ended; ``False`` if time ran out."""
        with self._wakeup:
            return self._wakeup.wait_for(lambda: self._closed or there_is_news(), timeout)


class Feed(Closable):
    """The views of one table. Safe to use from any thread; :meth:`close` when done.

    ``clock`` is the table's monotonic base.
    """

    def __init__(
        self, tail: Tail, max_messages: int = KEEP, clock: Clock = time.monotonic_ns
    ) -> None:
        super().__init__()
        self._clock = clock
        self._tail = tail
        self._messages: deque[Message] = deque(maxlen=max_messages)
        self._seq = 0
        self._pulling = threading.Lock()
        self._thread: threading.Thread | None = None

    def now_ns(self) -> int:
        """Return the time on the table's base."""
        return self._clock()

    def kept(self, fresh: bool = True) -> list[Message]:
        """Return every view that is still remembered, oldest first."""
        if fresh:
            self._pull()
        with self._wakeup:
            return list(self._messages)

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until there is a view other than ``last_id``; ``False`` if time ran out."""
        self._follow()
        return self._wait_for(
            lambda: bool(self._messages) and self._messages[-1].id != last_id, timeout
        )

    def close(self) -> None:
        """End the feed, its thread, and every stream that follows it."""
        super().close()
        self._tail.wake()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=5)

    def _follow(self) -> None:
        with self._wakeup:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="feed", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closed:
            try:
                self._tail.wait(self._seq, lambda: self._closed)
                self._pull()
            except TilewatchError as error:
                _LOG.error("the log cannot be read: %s", error)
                self._wait_for(lambda: False, _RETRY_S)

    def _pull(self) -> None:
        with self._pulling:
            for entry, view in self._tail.after(self._seq):
                with self._wakeup:
                    self._seq = entry.seq
                    # An event that changes nothing for this audience leaves no trace: its mere
                    # existence could tell the players something.
                    if view is None or (self._messages and self._messages[-1].view == view):
                        continue
                    self._messages.append(
                        Message(
                            entry.seq,
                            entry.mono_ns,
                            f"{entry.seq}-{entry.hash[:12]}",
                            view,
                            encode(view),
                        )
                    )
                    self._wakeup.notify_all()


def encode(value: object) -> bytes:
    """Return compact JSON in UTF-8 without line ends, for one ``data:`` line of an event stream."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class NarrowedFeed(ViewsBehind):
    """The views of ``feed``, each cut down to the part that a page needs or may see."""

    def __init__(self, feed: Views, cut: Callable[[View], View]) -> None:
        super().__init__(feed)
        self._cut = cut
        self._cuts: dict[str, Message] = {}
        self._changing = threading.Lock()

    def kept(self, fresh: bool = True) -> list[Message]:
        """Return every view that is still remembered, oldest first."""
        return self._narrow(self._feed.kept(fresh))

    def since(self, last_id: str | None, fresh: bool = True) -> list[Message]:
        """Return the views that a page that last saw ``last_id`` has not seen, oldest first."""
        return self._narrow(self._feed.since(last_id, fresh))

    def _narrow(self, messages: list[Message]) -> list[Message]:
        with self._changing:
            known = self._cuts
            cuts = {
                message.id: known.get(message.id) or self._message(message) for message in messages
            }
            if cuts:
                self._cuts = {**dict(list(known.items())[-8:]), **cuts}
            return list(cuts.values())

    def _message(self, message: Message) -> Message:
        view = self._cut(message.view)
        return replace(message, view=view, data=encode(view))
