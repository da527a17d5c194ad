"""The source of a slot's overlay: the table that is in the slot now, with the delay asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import Message, Views, encode
from dashboard.show.state import OnAir
from dashboard.site import Table
from dashboard.streaming.streams import ViewFollower, frame
from game.errors import TilewatchError
from game.schema import Audience

MOST_DELAYS: Final = 16
"""The most different delays that are served at once to overlays with a token."""

SECOND: Final = 1_000_000_000


_UNUSED_S: Final = 60.0
"""Seconds without a request after which a delayed feed is dropped. Streams ask every second."""


class DelayNotOfferedError(TilewatchError):
    """A delay that is offered only with a token."""


class TooManyDelaysError(TilewatchError):
    """Too many different delays are in use already."""


class Nothing(Views):
    """The views of a slot without a table: none, until it gets one."""

    def __init__(self) -> None:
        self._over = threading.Event()

    def now_ns(self) -> int:
        """Return 0, as there is no table."""
        return 0

    def kept(self, fresh: bool = True) -> list[Message]:  # noqa: ARG002
        """Return no views."""
        return []

    def wait(self, last_id: str | None, timeout: float) -> bool:  # noqa: ARG002
        """Wait for ``timeout`` seconds; return False."""
        return self._over.wait(timeout)

    @property
    def closed(self) -> bool:
        """Return False: a table may be assigned later."""
        return False

    def close(self) -> None:
        """Do nothing, as there is nothing to end."""


NOTHING: Final = Nothing()


def require_offered(table: Table, audience: Audience, delay_s: int) -> None:
    """Refuse a delay that the public may not choose. Raises ``DelayNotOfferedError``."""
    offered = table.allowed.overlay_delays
    if delay_s and audience == "public" and delay_s not in offered:
        listed = ", ".join(map(str, offered)) or "none"
        raise DelayNotOfferedError(
            f"a delay of {delay_s} s needs a token; without one choose from: {listed}"
        )


class DelayedFeeds:
    """The delayed feeds that overlays asked for. Safe to use from any thread.

    Without a token an overlay may have only the delays that the owner's file lists, so that
    strangers cannot use all delays up. With a token any delay is allowed, as long as no
    more than :data:`MOST_DELAYS` different ones are in use; however many overlays and tables share
    a delay, it counts once.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._made: dict[_Key, _Made] = {}

    def feed(self, table: Table, audience: Audience, delay_s: int) -> Views:
        """Return an audience's feed of a table, delayed by ``delay_s``.

        Raises ``DelayNotOfferedError`` and ``TooManyDelaysError``.
        """
        behind = table.feeds[audience]
        if not delay_s:
            return behind
        require_offered(table, audience, delay_s)
        key = (table.id, audience, delay_s)
        with self._lock:
            made = self._made.get(key)
            if made is None or made.behind is not behind:
                self._drop_unused()
                if audience != "public":
                    self._require_room(delay_s)
                delayed = behind.delayed(
                    lambda feed: DelayedFeed(feed, table.clock, table.rate, delay_s * SECOND)
                )
                made = self._made[key] = _Made(behind, delayed, 0.0)
            made.used_s = self._now()
            return made.delayed

    def _require_room(self, delay_s: int) -> None:
        in_use = {delay for _, audience, delay in self._made if audience != "public"}
        if delay_s not in in_use and len(in_use) >= MOST_DELAYS:
            raise TooManyDelaysError(
                f"{MOST_DELAYS} different delays are in use already; take one of those"
            )

    def _drop_unused(self) -> None:
        unused = [k for k, made in self._made.items() if self._now() - made.used_s >= _UNUSED_S]
        for key in unused:
            del self._made[key]


_Key = tuple[str, Audience, int]
"""Table, audience, and the delay in seconds."""


@dataclass(slots=True)
class _Made:
    behind: Views
    """The feed that the delayed one lags behind."""
    delayed: Views
    used_s: float


class SlotFollower(ViewFollower):
    """The views of the table that is in a slot; it follows the slot when another table is assigned.

    ``where`` returns the table in the slot and its feed, or None; ``on_air`` what the show has on
    air there. A page also gets ``slot`` events, which say if there is no table, and ``show`` events
    with what is on air.
    """

    def __init__(
        self,
        where: Callable[[], tuple[Table, Views] | None],
        last_id: str | None,
        ended: Callable[[], bool] = lambda: False,
        on_air: Callable[[], OnAir] = OnAir,
    ) -> None:
        super().__init__(NOTHING, last_id, 1.0, ended)
        self._where, self._begun = where, False
        self._on_air = on_air
        self._last_show: OnAir | None = None

    @property
    def feed(self) -> Views:
        """The feed of the table that the slot shows now."""
        there = self._where()
        return there[1] if there else NOTHING

    @property
    def over(self) -> bool:
        """True if the follower may read no longer. A stopped table ends nothing: it may return."""
        return self._ended()

    def new_frames(self, fresh: bool = False) -> bytes:
        """Return the views since the last call, oldest first; of a new table the newest."""
        show = self._on_air()
        changed = show != self._last_show
        self._last_show = show
        return (frame("show", encode(asdict(show))) if changed else b"") + self._views(fresh)

    def _views(self, fresh: bool) -> bytes:
        there = self._where()
        feed = there[1] if there else NOTHING
        if not self._begun or feed is not self._feed:
            if self._begun:
                self._last_id = None
            self._begun, self._feed, fresh = True, feed, True
            self._rate = there[0].rate if there else 1.0
        parts = super().new_frames(fresh)
        if parts:
            return parts
        empty = frame("slot", b'{"table":null}')
        if there is None and self._last_id is None:
            self._last_id = ""
            return empty
        return empty if there is not None and fresh and feed.latest() is None else b""
