"""The hub's tables as the dashboard serves them: each over its mirrored log, with a desk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import Feed, Views
from dashboard.feeds.shown import Publication
from dashboard.site import Site, Table, with_publication
from game.errors import TilewatchError
from game.events import TableDescribed, TroubleNoted, from_payload
from game.schema import Audience
from game.state.fold import GameState
from game.troubles import TroubleCode, make_trouble
from hub.errors import HubError
from hub.hub import MirroredLog
from hub.picture_fetcher import HubEvidence, PictureFetcher
from hub.presence import Presence
from hub.public_rules import HubRules
from hub.requests import Requests
from hub.store import Enrolled
from hub.wire.posts import as_json
from table.desk import TIMEOUT_S, Answer, Desk, Post
from table.folded_log import FoldedLog
from table.views.public_policy import PublicPolicy
from table.views.views import AUDIENCES

_KEPT: Final = 8
"""Views kept of each table for pages that resume: two hundred tables' take room, and the newest
view is complete in itself."""

_KEPT_LATE: Final = 256
"""Views kept for a delayed public until it sees them."""

_DESCRIBED_WITHIN: Final = 10
_GAMES: Final = 3
"""The number of a game's first records that are searched for its table's description."""


class TableRegistry:
    """Adds tables to a site when they are enrolled. Safe to use from any thread."""

    def __init__(
        self,
        site: Site,
        log_of: Callable[[str], MirroredLog],
        presence: Presence,
        requests: Requests,
        pictures: PictureFetcher,
        evidence: Path,
        rules: HubRules,
        beyond: Callable[[str, GameState, GameState], Iterable[str]] = lambda *_: (),
    ) -> None:
        """``evidence`` is the folder of the hub's pictures.

        ``rules`` has the hub's policy, and says who may be shown. A table's own policy, as its log
        has it, holds if it is stricter.
        ``beyond`` says what an event of a table's game changes outside of it.
        """
        self._beyond = beyond
        self._site, self._log_of, self._presence = site, log_of, presence
        self._requests, self._pictures, self._evidence = requests, pictures, evidence
        self._rules, self._public = rules, rules.own
        self._tables: dict[str, Table] = {}
        self._changing = threading.Lock()

    def table(self, table_id: str) -> Table | None:
        """A table; None for one that was never enrolled."""
        return self._tables.get(table_id)

    def register(self, enrolled: Enrolled) -> None:
        """Serve a table; one that is served already gets its new name."""
        with self._changing:
            known = self._tables.get(enrolled.id)
            table = (
                self._made(enrolled.id, enrolled.name)
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

    def described(self, table_id: str) -> None:
        """A table has described itself: serve it anew if its policy for the public has changed."""
        known = self._tables.get(table_id)
        if known is None or known.allowed == self._policy(table_id):
            return
        with self._changing:
            self._tables[table_id] = changed = self._made(table_id, known.name)
            self._site.add(changed)
        # Whoever follows the old feeds comes again; nobody waits until their threads have ended.
        threading.Thread(target=known.close, name="feeds-closer", daemon=True).start()

    def may_be_told(self, table_id: str, seq: int) -> bool:
        """True if everybody may know of a record of a table's log."""
        table = self._tables.get(table_id)
        if not (self._public if table is None else table.allowed).behind:
            return True
        latest = None if table is None else table.public.latest()
        return latest is not None and seq <= latest.seq

    def _policy(self, table_id: str) -> PublicPolicy:
        """The stricter of the hub's policy and the table's own."""
        log = self._log_of(table_id)
        newest = reversed(log.game_ids()[-_GAMES:])
        for logged in (one for game in newest for one in log.events(game, limit=_DESCRIBED_WITHIN)):
            with suppress(TilewatchError, ValidationError):  # of a version that is not known here
                event = from_payload(logged.payload)
                if isinstance(event, TableDescribed) and "public" in event.settings:
                    return self._public.stricter(_public(event.settings["public"]))
        return self._public

    def close(self) -> None:
        """End every table's feeds."""
        for table in self._tables.values():
            table.close()

    def _shown_ns(self, table_id: str) -> int:
        return self._presence.shown_ns(table_id)

    def _rate(self, table_id: str) -> float:
        return self._presence.facts_of(table_id).rate

    def _made(self, table_id: str, name: str) -> Table:
        log, public = self._log_of(table_id), self._policy(table_id)
        kept = _KEPT_LATE if public.behind else _KEPT
        folded = FoldedLog(log, kept, from_newest_game=True)
        desk = HubDesk(table_id, self._presence, self._requests, lambda: log.last_seq)
        rate = self._rate(table_id)
        feeds: dict[Audience, Views] = {}
        for audience in AUDIENCES:
            late = audience == "public" and bool(public.behind)
            tail = folded.views(audience, None, public, newest_first=not late)
            feed = Feed(tail, kept if late else _KEPT, partial(self._shown_ns, table_id))
            feeds[audience] = feed
            if late:
                feeds[audience] = DelayedFeed(
                    feed, desk.now_ns, rate, public.delay_ns, public.delay_turns
                )
        publication = Publication(folded, self._rules.of_table(table_id, public))
        return Table(
            table_id,
            name,
            with_publication(feeds, publication),
            desk.now_ns,
            rate,
            desk,
            log,
            folded,
            HubEvidence(self._evidence, table_id, self._pictures),
            public,
            publication=publication,
            beyond=partial(self._beyond, table_id),
        )


def _public(given: object) -> PublicPolicy:
    """Return a table's policy from its log; fields of newer versions are ignored."""
    known = PublicPolicy.model_fields
    if isinstance(given, Mapping):
        given = {name: value for name, value in given.items() if name in known}
    return PublicPolicy.model_validate(given)


# --- a table's desk ---

_MIRRORED_S: Final = 2.0
_ABSENT: Final[Mapping[str, TroubleCode]] = {"stopped": "table_off", "out": "table_out"}


class HubDesk(Desk):
    """A table's desk at the hub: requests go to the table, and their records come in its log.

    A table that is not connected answers later: the request waits for it and says until when. The
    newest picture stays at the table.
    """

    def __init__(
        self, table_id: str, presence: Presence, requests: Requests, last_seq: Callable[[], int]
    ) -> None:
        """``last_seq`` is that of the table's log as it is here."""
        self._table, self._presence = table_id, presence
        self._requests, self._last_seq = requests, last_seq

    def now_ns(self) -> int:
        """Return the time on the table's base, as far as it is known here."""
        return self._presence.now_ns(self._table)

    @property
    def phase(self) -> str:
        """The phase that the table reports."""
        return self._presence.facts_of(self._table).phase

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The tiles of no turn yet that the table reports."""
        return self._presence.facts_of(self._table).uncounted

    def post(self, post: Post, timeout_s: float = TIMEOUT_S) -> Answer:
        """Ask the table, and wait for its answer or for word that it will come later."""
        try:
            answer = self._requests.ask(self._table, as_json(post), self._last_seq(), timeout_s)
        except HubError as error:
            return Answer(None, str(error))
        # Who asked looks at the game again next: let the record be here by then.
        deadline = time.monotonic() + _MIRRORED_S
        while answer.seq is not None and self._last_seq() < answer.seq:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        return answer

    def trouble(self) -> tuple[TroubleNoted, ...]:
        """The faults that the table reports, and its silence."""
        found: list[TroubleNoted] = []
        state = self._presence.state(self._table)
        silent_s = self._presence.silent_s(self._table)
        if state != "here":
            since = self.now_ns() - int((silent_s or 0) * 1e9)
            out = self._presence.kept_out(self._table)
            code = _ABSENT.get(state, "table_silent")
            line = f"this table is {out}" if out is not None else _silence(state, silent_s)
            found.append(make_trouble(code, line, since))
        for one in self._requests.not_done(self._table):
            asked = time.strftime("%H:%M:%S", time.localtime(one.asked_ns / 1e9))
            line = f"{one.words} was asked at {asked}, and not done: {one.answer or one.status}"
            found.append(make_trouble("not_done", line, self.now_ns()))
        return (*found, *self._presence.facts_of(self._table).trouble)


def _silence(state: str, silent_s: float | None) -> str:
    if state == "never":
        return "this table was not heard since the hub was started"
    since = "" if silent_s is None else f" since {time.strftime('%H:%M:%S', _ago(silent_s))}"
    if state == "stopped":
        return f"this table was switched off{since and ', and not heard' + since}"
    return f"nothing is heard of this table{since}; look whether it has power and a network"


def _ago(seconds: float) -> time.struct_time:
    return time.localtime(time.time() - seconds)
