"""A feed that shows less of each view: for a page that needs, or may have, a part of it only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from dashboard.feeds.feed import Message, View, Views, encode

Cut = Callable[[View], View]


class NarrowedFeed:
    """The views of ``feed``, each cut down. Safe to use from any thread."""

    def __init__(self, feed: Views, cut: Cut) -> None:
        self.now_ns = feed.now_ns
        self._feed = feed
        self._cut = cut
        self._cuts: dict[str, Message] = {}
        self._changing = threading.Lock()

    def kept(self, fresh: bool = True) -> list[Message]:
        """Every view that is still remembered, oldest first."""
        return self._narrow(self._feed.kept(fresh))

    def latest(self) -> Message | None:
        """The newest view."""
        latest = self._feed.latest()
        return None if latest is None else self._narrow([latest])[-1]

    def since(self, last_id: str | None, fresh: bool = True) -> list[Message]:
        """Return the views that a page that last saw ``last_id`` has not seen, oldest first."""
        return self._narrow(self._feed.since(last_id, fresh))

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until there is a view other than ``last_id``; ``False`` if time ran out."""
        return self._feed.wait(last_id, timeout)

    @property
    def closed(self) -> bool:
        """True if it has ended."""
        return self._feed.closed

    def close(self) -> None:
        """End the feed behind it."""
        self._feed.close()

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
