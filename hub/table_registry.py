"""The hub's tables as the dashboard serves them: each over its mirrored log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import Feed, Views
from dashboard.site import Site, Table
from game.events import Event
from game.state.fold import GameState
from hub.folded_log import FoldedLog, FoldTail
from hub.mirrored_log import MirroredLog
from hub.picture_fetcher import HubEvidence, PictureFetcher
from hub.presence import Presence
from hub.remote_desk import HubDesk
from hub.requests import Requests
from hub.store import Enrolled
from table.views.public_policy import PublicPolicy
from table.views.views import AUDIENCES, Audience

_KEPT: Final = 8
"""Views kept of each table for pages that resume: two hundred tables' take room, and the newest
view is complete in itself."""

_KEPT_LATE: Final = 256
"""Of a public that is behind: what happened until it sees it."""

_CLOSERS: Final = 32
_SLOWEST: Final = 0.1
_FASTEST: Final = 100.0


class TableRegistry:
    """Adds tables to a site as they are enrolled. Safe to use from any thread."""

    def __init__(
        self,
        site: Site,
        log_of: Callable[[str], MirroredLog],
        presence: Presence,
        requests: Requests,
        pictures: PictureFetcher,
        evidence: Path,
        public: PublicPolicy,
        beyond: Callable[[str, GameState, Event], Iterable[str]] = lambda *_: (),
    ) -> None:
        """``evidence`` is the folder of the hub's pictures.

        ``beyond`` says what an event of a table's game changes outside of it.
        """
        self._beyond = beyond
        self._site, self._log_of, self._presence = site, log_of, presence
        self._requests, self._pictures, self._evidence = requests, pictures, evidence
        self._public = public
        self._tables: dict[str, Table] = {}
        self._folds: dict[str, FoldedLog] = {}
        self._changing = threading.Lock()

    def table(self, table_id: str) -> Table | None:
        """A table; None for one that was never enrolled."""
        return self._tables.get(table_id)

    def fold(self, table_id: str) -> FoldedLog | None:
        """A table's game as it stands."""
        return self._folds.get(table_id)

    def register(self, enrolled: Enrolled) -> None:
        """Serve a table; one that is served already gets its new name."""
        with self._changing:
            known = self._tables.get(enrolled.id)
            table = (
                self._made(enrolled)
                if known is None
                else replace(known, name=enrolled.name, rate=self._rate(enrolled.id))
            )
            if table != known:
                self._tables[enrolled.id] = table
                self._site.add(table)

    def pace(self, table_id: str) -> None:
        """A table has reported how fast its clock runs."""
        known = self._tables.get(table_id)
        rate = self._rate(table_id)
        if known is not None and rate != known.rate:
            with self._changing:
                self._tables[table_id] = changed = replace(known, rate=rate)
                self._site.add(changed)

    def close(self) -> None:
        """End every table's feeds, all at once: one after the other would take minutes."""
        for fold in self._folds.values():
            fold.log.close()
        with ThreadPoolExecutor(_CLOSERS) as pool:
            list(pool.map(Table.close, self._tables.values()))

    def _shown_ns(self, table_id: str) -> int:
        return self._presence.shown_ns(table_id)

    def _rate(self, table_id: str) -> float:
        rate = self._presence.facts_of(table_id).get("rate", 1.0)
        good = isinstance(rate, int | float) and _SLOWEST <= rate <= _FASTEST
        return float(rate) if good else 1.0

    def _made(self, enrolled: Enrolled) -> Table:
        log = self._log_of(enrolled.id)
        fold = self._folds[enrolled.id] = FoldedLog(
            log, _KEPT_LATE if self._public.behind else _KEPT
        )
        desk = HubDesk(enrolled.id, self._presence, self._requests, lambda: log.last_seq)
        rate = self._rate(enrolled.id)
        feeds: dict[Audience, Views] = {}
        for audience in AUDIENCES:
            late = audience == "public" and bool(self._public.behind)
            tail = FoldTail(fold, audience, self._public, whole=late)
            feed = Feed(tail, _KEPT_LATE if late else _KEPT, partial(self._shown_ns, enrolled.id))
            feeds[audience] = feed
            if late:
                feeds[audience] = DelayedFeed(
                    feed, desk.now_ns, rate, self._public.delay_ns, self._public.delay_turns
                )
        return Table(
            enrolled.id,
            enrolled.name,
            feeds,
            desk.now_ns,
            rate,
            desk,
            log,
            HubEvidence(self._evidence, enrolled.id, self._pictures),
            self._public,
            beyond=partial(self._beyond, enrolled.id),
        )
