"""Takes in the tables' messages in one thread: checks, stores and acknowledges them.

All messages that have come in are processed together, with the records of all tables in one
transaction, so a commit costs a hall no more than a table. The broker is not trusted: a record
counts if it is signed with a key pinned for its table and follows the table's last record. Anything
else is refused and noted as an incident, without effect on other tables.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from game.errors import TilewatchError
from game.printable import printable
from hub.errors import ForgedError, HubError, UnreadableError, WireError
from hub.presence import Presence
from hub.rate_limit import IncidentLimit, RateLimiter
from hub.repeating import Worker
from hub.store import Enrolled, HubStore
from hub.wire.connection import IncomingMessage
from hub.wire.messages import (
    OF_TABLES,
    Ack,
    Address,
    Announcement,
    Facts,
    RequestAnswer,
    parse_topic,
    seal,
    unseal,
)
from hub.wire.records import check_readable, records
from record.chain import LoggedEvent
from record.seals import GENESIS
from record.signing import TableKey

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 500
_WAITING: Final = 20_000
"""The most messages that wait; further ones are dropped, and the tables send them again."""

_AGAIN_S: Final = 0.5
UNKNOWN: Final = "unknown"
"""The id in incidents that belong to no enrolled table."""

Send = Callable[[str, bytes], bool]


def _ignore(*_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Callbacks of the intake, called from its thread with a table's id as the first argument."""

    on_records: Callable[[str, list[LoggedEvent]], None] = _ignore
    """Called when a table's records are on the hub's disk."""
    on_change: Callable[[str], None] = _ignore
    """Called when a table has reported something new about itself."""
    on_answer: Callable[[str, RequestAnswer], None] = _ignore
    """Called when a table has answered a request."""
    on_piece: Callable[[str, bytes], None] = _ignore
    """Called when a piece of a picture has arrived."""
    on_flood: Callable[[str, str], None] = _ignore
    """Called with the reason in a few words when a table sends more than it may."""


@dataclass(slots=True)
class _Mirror:
    """The last record of a table's log that the hub has."""

    seq: int = 0
    hash: str = GENESIS
    numbers: dict[str, int] = field(default_factory=dict)
    refused: str | None = None
    again_s: float = 0.0


class Intake:
    """Checks and stores messages in its own thread; ``put`` is called from the connection's."""

    def __init__(
        self,
        store: HubStore,
        presence: Presence,
        venue: str,
        key: TableKey,
        send: Send,
        listener: Listener,
    ) -> None:
        """``send`` publishes a message under a topic."""
        self._store, self.presence, self._venue, self._key = store, presence, venue, key
        self._send, self._listener = send, listener
        self.session = secrets.token_hex(8)
        self.trouble: str | None = None
        """The reason why no records can be stored, in one line; None if they can."""
        self._gate = RateLimiter()
        self._enrolled: Mapping[str, Enrolled] = store.enrolled()
        self._mirrors: dict[str, _Mirror] = {}
        self._limit = IncidentLimit()
        self._worker = Worker("intake", _WAITING, self._take, _AT_ONCE)
        self.start, self.stop = self._worker.start, self._worker.stop

    def put(self, message: IncomingMessage) -> None:
        """Queue a message that has arrived. Never waits."""
        if not self._worker.put(message):
            _LOG.warning("too much waits; a message on %s is left to be sent again", message.topic)

    @property
    def waiting(self) -> int:
        """The number of messages that wait to be processed."""
        return self._worker.waiting

    def enrolment_changed(self) -> None:
        """Read again which tables are enrolled."""
        self._enrolled = self._store.enrolled()

    def refused(self, table_id: str) -> str | None:
        """Return why a table's log is no longer accepted, in one line; None if it is."""
        mirror = self._mirrors.get(table_id)
        return None if mirror is None else mirror.refused

    # --- the thread ---

    def _take(self, messages: list[IncomingMessage]) -> None:
        try:
            self.take(messages)
        except Exception:
            self.forget()
            raise

    def take(self, messages: Iterable[IncomingMessage]) -> None:
        """Process messages now. The intake's thread calls this with those that were ``put``."""
        fresh: list[tuple[str, LoggedEvent]] = []
        ack: dict[str, bool] = {}
        for message in messages:
            self._hear(message, fresh, ack)
        if fresh:
            try:
                self._store.add(fresh)
            except HubError as error:
                self.trouble = f"nothing more can be kept: {error}"
                _LOG.error("%s", self.trouble)
                self.forget()
                return
            self.trouble = None
        self._answer(fresh, ack)

    def _hear(
        self,
        message: IncomingMessage,
        fresh: list[tuple[str, LoggedEvent]],
        ack: dict[str, bool],
    ) -> None:
        """Process one message; a fault in it does not affect other messages."""
        try:
            address, channel = parse_topic(message.topic)
        except HubError:
            return
        table = self._enrolled.get(address.table)
        if table is None or address.venue != self._venue:
            # Anybody may make up names at a broker that is not ours: no limit by those.
            self.incident(UNKNOWN, "unknown", f"{address} speaks and was never enrolled")
            return
        if table.revoked is not None:
            return
        if not self._gate.passes(table.id, len(message.payload)):
            self.incident(table.id, "flood", "sends more than a table may; left out")
            if self._gate.flooding(table.id):
                self._gate.reset(table.id)
                self._listener.on_flood(table.id, "it floods the broker")
            return
        try:
            self._take_one(table, address, channel, message, fresh, ack)
        except WireError as error:
            self.incident(table.id, error.kind, str(error))
        except TilewatchError as error:
            _LOG.warning("table %s: %s", table.id, printable(str(error)))
        except Exception:  # this message alone: what others have sent is dealt with
            _LOG.exception("table %s: a message on %s", table.id, channel)
            self.incident(
                table.id,
                "not understood",
                f"a message on {printable(channel)[:40]} could not be dealt with; the hub's "
                "log has the reason",
            )

    def _answer(self, fresh: Sequence[tuple[str, LoggedEvent]], ack: dict[str, bool]) -> None:
        """Acknowledge the stored events, and pass them to the listener."""
        by_table: dict[str, list[LoggedEvent]] = {}
        for table_id, event in fresh:
            by_table.setdefault(table_id, []).append(event)
            ack.setdefault(table_id, False)
        for table_id, again in ack.items():
            try:
                self._acknowledge(table_id, again=again)
            except HubError as error:
                _LOG.error("%s", error)
        for table_id, events in by_table.items():
            try:
                self._listener.on_records(table_id, events)
            except Exception:  # one table's records must not keep the others' from being shown
                _LOG.exception("records of table %s are kept and not shown", table_id)

    def forget(self) -> None:
        """Drop the cache, so that every table is read from the disk again."""
        self._mirrors.clear()

    def _mirror(self, table_id: str) -> _Mirror:
        mirror = self._mirrors.get(table_id)
        if mirror is None:
            mirror = self._mirrors[table_id] = _Mirror(*self._store.head(table_id))
        return mirror

    def _take_one(
        self,
        table: Enrolled,
        address: Address,
        channel: str,
        message: IncomingMessage,
        fresh: list[tuple[str, LoggedEvent]],
        ack: dict[str, bool],
    ) -> None:
        if channel == "events":
            self.presence.heard(table.id)
            self._records(table, message.payload, fresh, ack)
            return
        if channel == "have":
            self._listener.on_piece(table.id, message.payload)
            return
        if channel not in OF_TABLES:
            return
        heard = unseal(OF_TABLES[channel], address, message.payload, table.keys)
        if isinstance(heard, Announcement):
            if self.presence.announced(table.id, heard, retained=message.retained):
                self._mirror(table.id).refused = None  # it may have been mended since
                ack[table.id] = True
            self._listener.on_change(table.id)
        elif isinstance(heard, Facts):
            if self.presence.reported(table.id, heard, retained=message.retained):
                self._listener.on_change(table.id)
        elif isinstance(heard, RequestAnswer):
            self._listener.on_answer(table.id, heard)

    def _records(
        self,
        table: Enrolled,
        message: bytes,
        fresh: list[tuple[str, LoggedEvent]],
        ack: dict[str, bool],
    ) -> None:
        mirror = self._mirror(table.id)
        ack.setdefault(table.id, False)
        if mirror.refused is not None:
            return
        for event in records(message):
            self._check(table, event)
            if event.seq > mirror.seq + 1:
                # One was lost on the way: reported once, not for each that follows it.
                now = time.monotonic()
                if now - mirror.again_s > _AGAIN_S:
                    mirror.again_s, ack[table.id] = now, True
                return
            if event.seq <= mirror.seq:
                self._known(table, mirror, event, fresh)
                continue
            if event.prev_hash != mirror.hash:
                self._forked(table, mirror, event.seq - 1)
                return
            count = mirror.numbers.get(event.game_id)
            if count is None:
                count = self._store.numbers(table.id, event.game_id)
            if event.number != count + 1:
                raise WireError(f"event {event.seq} is wrongly numbered within its game")
            try:
                check_readable(event)
            except UnreadableError as error:
                mirror.refused = str(error)
                raise
            mirror.seq, mirror.hash = event.seq, event.hash
            mirror.numbers[event.game_id] = event.number
            fresh.append((table.id, event))

    def _check(self, table: Enrolled, event: LoggedEvent) -> None:
        """Raise ``ForgedError`` if a record is not the table's own or was altered."""
        if event.key not in table.keys:
            raise ForgedError(f"event {event.seq} is signed by a key that is not this table's")
        if event.hash != event.expected_hash():
            raise ForgedError(f"event {event.seq} was altered after it was written")
        if not event.has_valid_signature():
            raise ForgedError(f"event {event.seq} is forged: its signature is not valid")

    def _known(
        self,
        table: Enrolled,
        mirror: _Mirror,
        event: LoggedEvent,
        fresh: list[tuple[str, LoggedEvent]],
    ) -> None:
        """Process a record with a sequence that is stored already: the same record, or a fork."""
        own = next((e.hash for id_, e in fresh if id_ == table.id and e.seq == event.seq), None)
        if own is None:
            own = self._store.records(table.id, after=event.seq - 1, limit=1)[0].hash
        if own != event.hash:
            self._forked(table, mirror, event.seq)

    def _forked(self, table: Enrolled, mirror: _Mirror, seq: int) -> None:
        mirror.refused = (
            f"event {seq} of this table is another one here than at the table: there are two logs "
            "by its name; enrol the table under another name, or put its newest backup back"
        )
        self.incident(table.id, "fork", mirror.refused)

    def _acknowledge(self, table_id: str, *, again: bool) -> None:
        mirror = self._mirror(table_id)
        address = Address(self._venue, table_id)
        ack = Ack(
            seq=mirror.seq,
            hash=mirror.hash,
            hub=self.session,
            again=again,
            refused=mirror.refused,
        )
        self._send(address.topic(ack.channel), seal(ack, address, self._key))

    def incident(self, table_id: str, what: str, detail: str) -> None:
        """Note an incident, unless one of this kind at this table was noted shortly before.

        May be called from any thread.
        """
        what, detail = printable(what)[:40], printable(detail[:400])[:400]
        passed_over = self._limit.draw(table_id, what)
        if passed_over is None:
            return
        if passed_over:
            detail = f"{detail} (and {passed_over} more of this kind before)"
        _LOG.warning("table %s: %s: %s", table_id, what, detail)
        try:
            self._store.note(table_id, what, detail)
        except HubError as error:
            _LOG.error("%s", error)
        self._listener.on_change(table_id)
