"""The hub as one object: the broker, the tables' logs, requests, pictures, hall and results."""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

from dashboard.site import Site
from game.events import HOUSEKEEPING, TableDescribed
from game.files import SMALL, create_private_file, read_file
from game.state.fold import GameState
from hub.binding import Binding, Decisions, bind
from hub.broker.access import HUB_USER, new_password
from hub.broker.mosquitto import BrokerIncident, MosquittoBroker
from hub.config import HubConfig, own_address
from hub.consequences import consequences
from hub.divisions import Divisions
from hub.enrolment.codes import Enrolment, HubDetails
from hub.errors import HubError
from hub.hall import HallView
from hub.hub import Hub
from hub.intake import UNKNOWN, Listener
from hub.pairings import Pairings, PairingsFile
from hub.picture_fetcher import PictureFetcher
from hub.repeating import Repeating
from hub.requests import Requests
from hub.results import Result, Results
from hub.store import AUTHORITY, NONE_WANTED, OUT, WANTED, Enrolled
from hub.table_registry import TableRegistry
from hub.wire.connection import Broker
from record.chain import LoggedEvent
from record.evidence import EvidenceStore
from record.paths import EVIDENCE
from table.address import is_of_this_machine
from table.desk import TIMEOUT_S, Desk, NamePlayers
from table.pairings.details import PairedGame

_LOG = logging.getLogger(__name__)

BROKER_FOLDER: Final = "broker"
SECRET: Final = "hub.secret"  # noqa: S105 (a file's name)
_LOOK_S: Final = 1.0
_MANY: Final = 50
"""Messages that wait: a hall that comes back at once."""

_WANTED_S: Final = 120.0
"""The time for which pictures that another process wants go before all others."""

_BAN_S: Final = 60.0
"""The time for which a table that flooded the broker is cut off."""


class HubService:
    """All parts of a hub, wired together. ``start`` it, and ``stop`` it at the end."""

    def __init__(self, config: HubConfig, folder: Path) -> None:
        """``folder`` holds the hub's data. Raises ``TilewatchError``."""
        self.config, self.folder = config, folder
        self.run = secrets.token_hex(4)
        """Names this run of the hub, to the pages."""
        serve = config.serve
        self.site = Site(
            streams=serve.streams, streams_per_address=serve.limits.streams_per_address
        )
        self.broker = self._broker()
        self.hub = Hub(folder, config.venue, self._own_way(), self._listener())
        self.store, self.presence = self.hub.store, self.hub.presence
        try:
            self.requests = self._new_requests()
            self.pictures = self._new_pictures()
            self.tables = TableRegistry(
                self.site,
                self.hub.log,
                self.presence,
                self.requests,
                self.pictures,
                folder / EVIDENCE,
                config.public,
                self._beyond,
            )
            self.results = Results(self.store)
            self.decisions = Decisions(self.store)
            self.divisions = Divisions(self.store)
            self.hall = HallView(
                self.tables.table,
                self.presence,
                self.requests,
                self.hub.intake.refused,
                lambda: self.hub.intake.waiting > _MANY,
            )
            self.pairings = PairingsFile(config.pairings)
        except BaseException:
            self.store.close()
            raise
        self.enrolment = Enrolment(self.store, self.details, self._let_in)
        self.enrol_again = self._strangers()
        """Names of tables that have to be enrolled again."""
        self._banned: dict[str, float] = {}
        self._here: set[str] = set()
        self._version = self.store.version()
        self._enrolling = threading.Lock()
        self._looking = Repeating("hub", _LOOK_S, self._look)

    def _listener(self) -> Listener:
        return Listener(
            on_records=self._records,
            on_change=self._changed,
            on_answer=self._answered,
            on_piece=self._piece,
            on_flood=self._ban,
        )

    def _new_requests(self) -> Requests:
        return Requests(
            self.store,
            lambda table, body: self.hub.send(table, "requests", body),
            self.presence.absence,
            on_change=self._changed,
        )

    def _new_pictures(self) -> PictureFetcher:
        config = self.config.pictures
        pictures = PictureFetcher(
            EvidenceStore(self.folder / EVIDENCE),
            self.folder / "pictures",
            lambda table, body: self.hub.send(table, "want", body),
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
        """Return what a table needs that reaches this hub from an address.

        Raises ``HubError``, for one where the broker cannot be reached from there, too.
        """
        broker = self.config.broker
        ca = self.broker.ca if self.broker is not None else broker.ca
        try:
            text = read_file(ca, SMALL, HubError).decode("ascii") if ca is not None else ""
        except (OSError, UnicodeDecodeError) as error:
            raise HubError(f"{ca}: the authority's certificate cannot be read") from error
        host = own_address(broker.listen) if self.broker is not None else broker.host
        if broker.advertise:
            host = broker.advertise
        elif is_of_this_machine(host) and not is_of_this_machine(source):
            raise HubError(
                f"no other machine can reach this hub's broker, which is at {host}: set listen, "
                "or the address under which tables find it as advertise, in [broker] of hub.toml"
            )
        return HubDetails(self.config.venue, host, broker.port, text, self.hub.key.public)

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
        """Every table; one that floods the broker may not come for a while."""
        tables = self.store.enrolled()
        for table_id in tables.keys() & list(self._banned):
            tables[table_id] = replace(tables[table_id], revoked="it floods the broker")
        return tables

    def _mark_kept_out(self, enrolled: Mapping[str, Enrolled]) -> None:
        """Say of every table that may not connect why that is."""
        out = {one.id: one.kept_out for one in enrolled.values() if one.kept_out is not None}
        for table_id, until in list(self._banned.items()):
            again = time.localtime(time.time() + until - time.monotonic())
            line = f"{OUT}: it floods the broker; it may come again at"
            out.setdefault(table_id, f"{line} {time.strftime('%H:%M:%S', again)}")
        self.presence.keep_out(out)

    def _ban(self, table_id: str, why: str) -> None:
        """A table floods: it is cut off for a minute, and its log goes on later."""
        self._banned[table_id] = time.monotonic() + _BAN_S
        self._mark_kept_out(self.store.enrolled())
        if self.broker is not None:
            self.broker.security.update()
        self.hub.intake.incident(table_id, OUT, f"{why}; it may come again in {_BAN_S:.0f} s")

    # --- pairings ---

    def read_pairings(self) -> Pairings | None:
        """The pairings as their file has them now, or had them when it could last be used."""
        return self.pairings.read()

    def binding(self, results: Sequence[Result] | None = None) -> Binding:
        """Which results count for which round, by the pairings as they can be had now.

        Without ``results`` those that have come in.
        """
        known, pairings = self.results.all() if results is None else results, self.read_pairings()
        seats = self.divisions.seats(pairings.names if pairings is not None else ())
        return bind(known, pairings, self.decisions.all(), seats)

    def _beyond(self, table_id: str, state: GameState, after: GameState) -> list[str]:
        known = self.results.all()
        return consequences(self.store, known, self.binding, table_id, state, after)

    def seat(self, round_: int, source: str) -> dict[str, str]:
        """Send every table the names of its players in a round; return the outcome by table.

        All are asked at once; whichever is there has some seconds to answer. A table that may have
        either of two games gets none. Raises ``TilewatchError``.
        """
        pairings = self.read_pairings()
        if pairings is None or round_ not in pairings.rounds:
            raise HubError(f"there are no pairings of round {round_}")
        seats = self.divisions.seats(pairings.names)
        here = [
            (table.id, table.desk, pairings.at(seats.of(table.id)))
            for table in self.site.tables
            if table.desk is not None
        ]
        named = [(id_, desk, game) for id_, desk, games in here if (game := games.game(round_))]

        def name(table_id: str, desk: Desk, game: PairedGame) -> str:
            is_here = self.presence.absence(table_id) is None
            why, timeout_s = f"the pairings of round {round_}", TIMEOUT_S if is_here else 0
            answer = desk.post(
                NamePlayers(game.names, source, why=why, announced=game.announced), timeout_s
            )
            return answer.refused or "done"

        with ThreadPoolExecutor(max(1, len(named))) as pool:
            asked = {one[0]: pool.submit(name, *one) for one in named}
            outcomes = {id_: answer.result() for id_, answer in asked.items()}
        open_ = "say which division the table is of; nothing was sent"
        return outcomes | {
            id_: open_ for id_, _, games in here if id_ not in outcomes and games.open(round_)
        }

    # --- what happens ---

    def _records(self, table_id: str, events: list[LoggedEvent]) -> None:
        self.requests.logged(table_id, events)
        if self.config.pictures.background:
            self.pictures.know(table_id, events)
        if any(event.type == TableDescribed.__name__ for event in events):
            self.tables.described(table_id)
        table = self.tables.table(table_id)
        folded = None if table is None else table.folded
        if folded is not None and any(_may_end(event) for event in events):
            self.results.seen(table_id, events, folded.game)
        self.hall.changed(table_id)

    def _changed(self, table_id: str) -> None:
        self.hall.changed(table_id)
        self.tables.pace(table_id)
        here = self.presence.state(table_id) == "here"
        if here and table_id not in self._here:
            self._here.add(table_id)
            self.requests.here(table_id)
        elif not here:
            self._here.discard(table_id)

    def _answered(self, table_id: str, body: Mapping[str, Any]) -> None:
        self.requests.answered(table_id, body)

    def _piece(self, table_id: str, message: bytes) -> None:
        self.pictures.piece(table_id, message)

    def _broker_incident(self, incident: BrokerIncident) -> None:
        client = incident.client
        known = self.tables.table(client) is not None or client == HUB_USER
        who = client if known else UNKNOWN
        detail = incident.detail if known else f"somebody at {client} {incident.detail}"
        self.hub.intake.incident(who, incident.what, detail)

    def _look(self) -> None:
        """Take up changes by other processes, and end bans that have lasted long enough."""
        version, now = self.store.version(), time.monotonic()
        over = [id_ for id_, one in list(self._banned.items()) if one <= now]
        for table_id in over:
            del self._banned[table_id]
        if version != self._version or over:
            self._version = version
            self.admit()
            self._fetch_what_is_wanted()

    def _fetch_what_is_wanted(self) -> None:
        """Fetch the pictures that another process needs, such as ``tilewatch export``."""
        wanted = self.store.setting(WANTED)
        if wanted in (None, NONE_WANTED):
            return
        self.store.keep_setting(WANTED, NONE_WANTED)
        for table_id, sha256 in json.loads(wanted or NONE_WANTED):
            self.pictures.want(table_id, [sha256], _WANTED_S)

    # --- the broker ---

    def _broker(self) -> MosquittoBroker | None:
        broker = self.config.broker
        if not broker.run:
            return None
        return MosquittoBroker(
            self.folder / BROKER_FOLDER,
            self.config.venue,
            self._password(SECRET),
            self._at_the_broker,
            host=broker.listen,
            port=broker.port,
            more=broker.extra,
            on_incident=self._broker_incident,
        )

    def _own_way(self) -> Broker:
        broker = self.config.broker
        if self.broker is not None:
            host = broker.listen or "127.0.0.1"
            password = self._password(SECRET)
            return Broker(host, broker.port, HUB_USER, password, self.broker.ca)
        password_file_ = broker.password_file
        try:
            text = read_file(password_file_, SMALL, HubError) if password_file_ else b""
            secret = text.decode().strip() or None
        except UnicodeDecodeError as error:
            raise HubError(f"{password_file_}: not UTF-8 text") from error
        except OSError as error:
            raise HubError(f"{password_file_}: cannot be read ({error.strerror})") from error
        user = HUB_USER if secret else None
        return Broker(broker.host, broker.port, user, secret, broker.ca)

    def _password(self, name: str) -> str:
        """The hub's own password at its broker, made when there is none."""
        path = self.folder / name
        try:
            if not path.exists():
                create_private_file(path, new_password().encode())
            return path.read_text("ascii").strip()
        except OSError as error:
            raise HubError(f"{path}: cannot be used ({error.strerror})") from error


def _may_end(event: LoggedEvent) -> bool:
    """True if a game's result may be another one after this record."""
    return event.type not in {kind.__name__ for kind in get_args(HOUSEKEEPING)}
