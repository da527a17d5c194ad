"""The hub as one object: the broker, the tables' logs, requests, pictures, hall and results."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

from dashboard.site import Site
from game.events import HOUSEKEEPING, PicturesDeleted, TableDescribed
from game.state.fold import GameState
from hub.broker.access import HUB_USER
from hub.broker.mosquitto import BrokerIncident
from hub.broker.setup import hubs_way, own_broker, tables_way
from hub.config import HubConfig
from hub.enrolment import Enrolment, HubDetails
from hub.event_results import EventResults
from hub.hall import HallView
from hub.hub import Hub
from hub.intake import UNKNOWN, Listener
from hub.picture_fetcher import PictureFetcher
from hub.public_rules import HubRules
from hub.rate_limit import BAN_S, Bans
from hub.repeating import Repeating
from hub.requests import Requests
from hub.store import AUTHORITY, NONE_WANTED, OUT, WANTED, Enrolled
from hub.table_registry import TableRegistry
from hub.wire.messages import RequestAnswer
from hub.wire.posts import as_json
from record.chain import LoggedEvent
from record.evidence import EvidenceStore
from record.paths import EVIDENCE

_LOOK_S: Final = 1.0
_MANY: Final = 50
"""With this many waiting messages the hub is busy, as when a whole hall reconnects at once."""

_WANTED_S: Final = 120.0
"""The seconds for which pictures that another process needs are fetched before all others."""


class HubService:
    """All parts of a hub, wired together. Call ``start``, and ``stop`` at the end."""

    def __init__(self, config: HubConfig, folder: Path) -> None:
        """``folder`` holds the hub's data. Raises ``TilewatchError``."""
        self.config, self.folder = config, folder
        self.run = secrets.token_hex(4)
        """The id of this run of the hub, for the pages."""
        serve = config.serve
        self.site = Site(
            streams=serve.streams, streams_per_address=serve.limits.streams_per_address
        )
        self.broker = own_broker(config, folder, self._at_the_broker, self._broker_incident)
        listener = Listener(
            on_records=self._records,
            on_change=self._changed,
            on_answer=self._answered,
            on_piece=self._piece,
            on_flood=self._ban,
        )
        self.hub = Hub(folder, config.venue, hubs_way(config, folder, self.broker), listener)
        self.store, self.presence = self.hub.store, self.hub.presence
        try:
            self.requests = Requests(
                self.store, self.hub.send, self.presence.absence, on_change=self._changed
            )
            self.pictures = self._new_pictures()
            self.rules = HubRules(self.store, config.public)
            self.tables = TableRegistry(
                self.site,
                self.hub.log,
                self.presence,
                self.requests,
                self.pictures,
                folder / EVIDENCE,
                self.rules,
                self._consequences,
            )
            self.event = EventResults(
                self.store, config.pairings, self.rules, self.tables.may_be_told
            )
            self.hall = HallView(
                self.site,
                self.tables.table,
                self.presence,
                self.requests,
                self.hub.intake.refused,
                lambda: self.hub.intake.waiting > _MANY,
                self.event,
            )
        except BaseException:
            self.store.close()
            raise
        self.enrolment = Enrolment(self.store, self.details, self._let_in)
        self.enrol_again = self._strangers()
        """The names of tables that must be enrolled again."""
        self._bans = Bans()
        self._here: set[str] = set()
        self._lists_sent: dict[str, Mapping[str, Any]] = {}
        """The list that each table was sent last."""
        self._version = self.store.version()
        self._enrolling = threading.Lock()
        self._looking = Repeating("hub", _LOOK_S, self._look)

    def _new_pictures(self) -> PictureFetcher:
        config = self.config.pictures
        pictures = PictureFetcher(
            EvidenceStore(self.folder / EVIDENCE),
            self.folder / "pictures",
            self.hub.send,
            lambda table: self.presence.state(table) == "here",
            bytes_per_s=config.background_kbit * 125.0,
            records=lambda table, after, limit: self.store.records(table, None, after, limit),
            idle=lambda: self.hub.intake.waiting < 10,
            noted=self.hub.intake.incident,
        )
        if config.background:
            pictures.look_through(self.store.enrolled())
        return pictures

    # --- life ---

    def start(self) -> None:
        """Begin: the broker, the tables, and what looks after them. Raises ``HubError``."""
        self.admit()
        if self.broker is not None:
            self.broker.start()
        self.hall.start()
        self.requests.start()
        self.pictures.start()
        self.hub.start()
        self._looking.start()

    def stop(self) -> None:
        """Stop everything, in the opposite order."""
        self._looking.stop()
        self.requests.stop()
        self.pictures.stop()
        self.close_streams()
        self.hub.stop()
        if self.broker is not None:
            self.broker.stop()

    def close_streams(self) -> None:
        """End every stream, so that the server can be stopped."""
        self.hall.stop()
        self.tables.close()
        self.site.close()

    # --- who may come ---

    def details(self, source: str = "127.0.0.1") -> HubDetails:
        """The details by which a table at the address ``source`` reaches this hub.

        Raises ``HubError``, also if the broker cannot be reached from there.
        """
        return tables_way(self.config, self.broker, self.hub.key.public, source)

    def admit(self) -> None:
        """Admit the enrolled tables at the broker, show each of them, and cut off the others.

        Raises ``HubError``.
        """
        with self._enrolling:
            enrolled = self.store.enrolled()
            self.hub.intake.enrolment_changed()
            self._mark_kept_out(enrolled)
            for table in enrolled.values():
                self.tables.register(table)
                self.hall.changed(table.id)
            if self.broker is not None:
                self.broker.security.update()

    def _strangers(self) -> list[str]:
        """Note the tables that were enrolled while the broker had another authority."""
        if self.broker is None:
            return []
        known, now = self.store.setting(AUTHORITY), self.broker.authority_id
        tables = [] if known == now else list(self.store.enrolled().values())
        for table in tables:
            why = "the broker's certificates are new, and this table refuses them"
            self.store.note(table.id, "enrol it again", why)
        self.store.keep_setting(AUTHORITY, now)
        return [table.name for table in tables]

    def _let_in(self, table_id: str, password: str) -> None:
        if self.broker is not None:
            self.broker.security.set_password(table_id, password)
        self.admit()

    def _at_the_broker(self) -> dict[str, Enrolled]:
        """Return every table by its id; one that is banned counts as revoked."""
        tables = self.store.enrolled()
        for table_id, why in self._bans.lines().items():
            if table_id in tables:
                tables[table_id] = replace(tables[table_id], revoked=why)
        return tables

    def _mark_kept_out(self, enrolled: Mapping[str, Enrolled]) -> None:
        """Note for every table that may not connect the reason."""
        banned = {table_id: f"{OUT}: {why}" for table_id, why in self._bans.lines().items()}
        revoked = {one.id: one.kept_out for one in enrolled.values() if one.kept_out is not None}
        self.presence.keep_out(banned | revoked)

    def _ban(self, table_id: str, why: str) -> None:
        """Cut a table off for a while; its log goes on later."""
        self._bans.add(table_id)
        self._mark_kept_out(self.store.enrolled())
        if self.broker is not None:
            self.broker.security.update()
        self.hub.intake.incident(table_id, OUT, f"{why}; it may come again in {BAN_S:.0f} s")

    # --- what happens ---

    def _records(self, table_id: str, events: list[LoggedEvent]) -> None:
        self.requests.logged(table_id, events)
        if self.config.pictures.background:
            self.pictures.know(table_id, events)
        if any(event.type == PicturesDeleted.__name__ for event in events):
            self.pictures.delete(events)
        if any(event.type == TableDescribed.__name__ for event in events):
            self.tables.described(table_id)
        table = self.tables.table(table_id)
        folded = None if table is None else table.folded
        if folded is not None and any(_may_end(event) for event in events):
            self.event.results.seen(table_id, events, folded.game)
        self.hall.changed(table_id)

    def list_player(self, name: str, words: Sequence[str]) -> None:
        """Set how a player is shown, at all tables; without words as the event's default says.

        Raises ``HubError``.
        """
        self.rules.put(name, words)
        for table in self.site.tables:
            self.hall.changed(table.id)

    def _changed(self, table_id: str) -> None:
        self.hall.changed(table_id)
        self.tables.pace(table_id)
        here = self.presence.state(table_id) == "here"
        if here and table_id not in self._here:
            self._here.add(table_id)
            self.requests.here(table_id)
        elif not here:
            self._here.discard(table_id)

    def _answered(self, table_id: str, answer: RequestAnswer) -> None:
        self.requests.answered(table_id, answer)

    def _piece(self, table_id: str, message: bytes) -> None:
        self.pictures.piece(table_id, message)

    def _consequences(self, table_id: str, state: GameState, after: GameState) -> list[str]:
        return self.event.consequences(table_id, state, after)

    def _broker_incident(self, incident: BrokerIncident) -> None:
        client = incident.client
        known = self.tables.table(client) is not None or client == HUB_USER
        who = client if known else UNKNOWN
        detail = incident.detail if known else f"somebody at {client} {incident.detail}"
        self.hub.intake.incident(who, incident.what, detail)

    def _look(self) -> None:
        """Apply changes by other processes, and end bans whose time is over."""
        self._send_list()
        version, over = self.store.version(), self._bans.end()
        if version != self._version or over:
            self._version = version
            self.admit()
            self._fetch_what_is_wanted()

    def _send_list(self) -> None:
        """Send the director's list of players to the tables that do not have it as it is now."""
        post = as_json(self.rules.for_tables())
        if not (self.rules.was_listed or self._lists_sent):
            return
        for table_id in sorted(self._here):
            if self._lists_sent.get(table_id) != post:
                self._lists_sent[table_id] = post
                self.requests.ask(table_id, post, self.hub.log(table_id).last_seq, 0)

    def _fetch_what_is_wanted(self) -> None:
        """Fetch the pictures that another process needs, such as ``tilewatch export``."""
        wanted = self.store.setting(WANTED)
        if wanted in (None, NONE_WANTED):
            return
        self.store.keep_setting(WANTED, NONE_WANTED)
        for table_id, sha256 in json.loads(wanted or NONE_WANTED):
            self.pictures.want(table_id, [sha256], _WANTED_S)


def _may_end(event: LoggedEvent) -> bool:
    """Return True if this record may change a game's result."""
    return event.type not in {kind.__name__ for kind in get_args(HOUSEKEEPING)}
