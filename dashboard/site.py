"""The tables that a dashboard serves, each with a feed for every audience and a desk to post to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias
from weakref import WeakSet

from flask import abort

from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import KEEP, KEEP_LATE, Clock, Feed, Views
from dashboard.feeds.shown import LiveRules, Publication, ShownFeed
from dashboard.interfaces import PhoneLink, SetupBackend
from dashboard.parts import part
from dashboard.streaming.streams import HEARTBEAT_S, StreamLimiter
from game.schema import Audience
from game.state.fold import GameState
from record.evidence import EvidenceStore
from record.log.event_log import LogReader
from table.desk import Desk
from table.folded_log import FoldedLog, steps_kept
from table.server_config import DEFAULT_LIMITS
from table.views.public_policy import FULLY_OPEN, WIDE, PublicPolicy
from table.views.publication import OPEN, Showing
from table.views.views import AUDIENCES

Beyond: TypeAlias = Callable[[GameState, GameState], Iterable[str]]

STREAMS: Final = 300
"""Event streams open at once, unless configured otherwise: a hall of spectators."""

STAFF_STREAMS: Final = 64
"""Further event streams at once, for observers and overlays."""

CLOCK_STREAMS: Final = 8
"""Event streams of each table's clock: its link may be in anybody's hands."""


@dataclass(frozen=True)
class Table:
    """A table as the dashboard knows it.

    ``feeds`` has one feed for each audience, cut down to what the audience may see; the public's is
    delayed as ``allowed`` says. ``clock`` returns nanoseconds on the table's monotonic base, which
    pages get only from their feed's ``now_ns``; ``rate`` is how fast this base runs beside real
    time: 1, or more for a simulated table. ``desk`` takes rulings, names and clock buttons; without
    one the table can only be watched. ``log`` and ``evidence`` are for disputes; without them the
    director sees the game alone.
    """

    id: str
    name: str
    feeds: Mapping[Audience, Views]
    clock: Clock
    rate: float = 1.0
    desk: Desk | None = None
    log: LogReader | None = None
    folded: FoldedLog | None = None
    """The games of ``log``; None without one."""
    evidence: EvidenceStore | None = None
    allowed: PublicPolicy = FULLY_OPEN
    bench: SetupBackend | None = None
    """The back end of the table's set-up pages; without one it cannot be set up from here."""
    edges: Path | None = None
    """The file with every raw edge of the clock's contacts, if there is one."""
    words: Container[str] | None = None
    """The word list that plays are checked against, if there is one."""
    phone: PhoneLink | None = None
    """The inbox of a phone's pictures, if a phone is the table's camera."""
    publication: Publication | None = None
    """How each game may be shown now. The feeds of the public and the broadcast follow it."""
    beyond: Beyond = lambda _before, _after: ()
    """Returns what an event changes outside its game, such as the round that the game counts for,
    in lines for people. Takes the game before and after the event."""

    def showing(self, game_id: str) -> Showing:
        """Return how a game may be shown now."""
        return OPEN if self.publication is None else self.publication.of(game_id)

    @property
    def public(self) -> Views:
        """The views that everybody may see."""
        return self.feeds["public"]

    def close(self) -> None:
        """End the table's feeds and every stream that follows them."""
        for feed in self.feeds.values():
            feed.close()


def table_over(
    log: LogReader,
    *,
    id: str,  # noqa: A002 - as it stands in an address
    name: str,
    clock: Clock,
    rate: float = 1.0,
    desk: Desk | None = None,
    folded: FoldedLog | None = None,
    evidence: EvidenceStore | None = None,
    words: Container[str] | None = None,
    public: PublicPolicy = FULLY_OPEN,
    rules: LiveRules | None = None,
    bench: SetupBackend | None = None,
    edges: Path | None = None,
    phone: PhoneLink | None = None,
) -> Table:
    """Return the table whose games are in ``log``, with a feed for every audience.

    ``words`` is a word list, and ``public`` says what the tournament shows everybody, and how late.
    ``rules`` says who may be shown, if that can change; else ``public`` says it.
    ``folded`` has the games of the log, if they are folded already.
    """
    folded = folded or FoldedLog(log, steps_kept(late=bool(public.behind)))
    feeds: dict[Audience, Views] = {
        audience: Feed(
            folded.views(audience, words, public),
            KEEP_LATE if public.behind and audience == "public" else KEEP,
            clock,
        )
        for audience in AUDIENCES
    }
    if public.behind:
        live = feeds["public"]
        assert isinstance(live, Feed)
        feeds["public"] = DelayedFeed(live, clock, rate, public.delay_ns, public.delay_turns)
    publication = Publication(folded, rules or LiveRules(public))
    return Table(
        id,
        name,
        with_publication(feeds, publication),
        clock,
        rate,
        desk,
        log,
        folded,
        evidence,
        public,
        bench,
        edges,
        words,
        phone,
        publication,
    )


def with_publication(
    feeds: Mapping[Audience, Views], publication: Publication
) -> dict[Audience, Views]:
    """Return the feeds, those of the public and the broadcast with only what may be shown."""
    return {
        audience: ShownFeed(feed, publication) if audience in WIDE else feed
        for audience, feed in feeds.items()
    }


@dataclass
class Site:
    """The tables of one dashboard, in the order in which they were added."""

    initial: tuple[Table, ...] = ()
    streams: int = STREAMS
    heartbeat_s: float = HEARTBEAT_S
    streams_per_address: int = DEFAULT_LIMITS.streams_per_address
    gate: StreamLimiter = field(init=False)
    """Limits the event streams of everybody."""
    staff: StreamLimiter = field(init=False)
    """Limits the streams of token holders, whom a full hall does not shut out."""
    clocks: StreamLimiter = field(init=False)
    """Limits the event streams of each table's clock."""
    directors: StreamLimiter = field(init=False)
    """Counts the streams of directors, which are not limited."""
    closed: bool = field(init=False, default=False)
    _tables: dict[str, Table] = field(init=False, default_factory=dict)
    _changing: threading.Lock = field(init=False, default_factory=threading.Lock)
    _others: WeakSet[Views] = field(init=False, default_factory=WeakSet)

    def __post_init__(self) -> None:
        self.gate = StreamLimiter(self.streams, self.streams_per_address)
        self.staff = StreamLimiter(STAFF_STREAMS)
        self.clocks = StreamLimiter(None, CLOCK_STREAMS)
        self.directors = StreamLimiter(None)
        for table in self.initial:
            self.add(table)

    def add(self, table: Table) -> None:
        """Serve a table, in place of one with the same id. Safe to use from any thread."""
        with self._changing:
            self._tables = {**self._tables, table.id: table}

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables now served."""
        return tuple(self._tables.values())

    def table(self, table_id: str) -> Table:
        """Return the table, or end the request with a 404."""
        table = self._tables.get(table_id)
        if table is None:
            abort(404, description=f"There is no table {table_id!r} here.")
        return table

    def close_too(self, views: Views) -> None:
        """Close these views, which follow a table's log, before the log may be closed."""
        self._others.add(views)

    def close(self) -> None:
        """End every feed."""
        self.closed = True
        for views in tuple(self._others):
            views.close()
        for table in self.tables:
            table.close()


def this_site() -> Site:
    """Return the site of the current application."""
    return part(Site)
