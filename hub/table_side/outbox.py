"""A table's outbox: its log, sent to the hub as it grows, until the hub has it on its disk.

The log itself is the queue; nothing else is kept, in memory or on disk. After any interruption the
hub reports the last record that it has (``ack``), and the table goes on after that one. On a new
connection the table sends nothing before this report. Records without an acknowledgement are sent
again, after ever longer pauses; the hub ignores a record that it has already. If the hub has
another record than this log under the same sequence, or records that this log never had, nothing
more is sent and both sides report it: people must find out why two logs have one name.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Literal

from game.errors import TilewatchError
from hub.errors import HubError
from hub.wire.connection import Broker, BrokerConnection, IncomingMessage
from hub.wire.messages import (
    HUB_SAYS,
    OF_HUBS,
    Ack,
    Address,
    Announcement,
    Facts,
    HubMessage,
    TableFacts,
    TableMessage,
    seal,
    unseal,
)
from hub.wire.records import batches
from record.log.event_log import EventLog

_LOG = logging.getLogger(__name__)

FACTS_S: Final = 2.5
"""Interval of the table's facts: a hub that has heard nothing for 8 s calls it silent."""

IF_REFUSED: Final = "enrol this table again, if it was not kept out on purpose"
"""The remedy where a table and its hub's broker refuse each other."""

WINDOW: Final = 256 * 1024
"""Bytes that may be on their way unacknowledged."""

_RESEND_S: Final = (2.0, 16.0)
_PACE_S: Final = 0.02
"""Between two messages of records: other traffic gets its turn while a long log is caught up on."""

_WAIT_S: Final = 0.25
_READ: Final = 256
"""Records that are read from the log at once."""


class Outbox:
    """Sends a log to a hub. Safe to use from any thread; ``start`` it, and ``stop`` it at the end.

    ``hub_key`` is the public half of the hub's key, pinned when the table was enrolled.
    """

    def __init__(
        self,
        log: EventLog,
        address: Address,
        broker: Broker,
        hub_key: str,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        facts: Callable[[], TableFacts] = TableFacts,
        heard: Callable[[HubMessage], None] = lambda _message: None,
        facts_s: float = FACTS_S,
    ) -> None:
        """``clock`` gives nanoseconds on the base that the log's ``mono_ns`` are on.

        ``facts`` returns the table's facts, and is called from the outbox's thread. ``heard`` takes
        the hub's messages besides its acknowledgements, their signatures checked.
        Raises ``HubError`` for a log that is opened for reading only.
        """
        if log.key is None:
            raise HubError(f"{log.path}: opened for reading only; only its writer has a hub")
        self._log, self._key, self.address = log, log.key, address
        self._clock = clock
        self._hub_key = hub_key
        self._facts, self._heard = facts, heard
        self._facts_s = facts_s
        self.session = secrets.token_hex(8)
        self._reports = 0
        self.fork: str | None = None
        """The difference between this log and the hub's, after which nothing is sent; else None."""
        self._held_back: str | None = None
        self._change = threading.Condition()
        self._greeted = False  # whether the hub of this connection has listed what it has
        self._hub_session: str | None = None
        self._acked = 0
        self._sent = 0
        self._flying: deque[tuple[int, int]] = deque()  # (last sequence, bytes) of each message
        self._since = time.monotonic()
        self._patience = _RESEND_S[0]
        self._stopping = threading.Event()
        self._link = BrokerConnection(
            broker,
            f"table-{address.table}",
            [(address.topic(channel), 1) for channel in HUB_SAYS],
            self._arrived,
            self._up,
            will=(address.topic("presence"), self._sealed(self._presence("lost"))),
            if_refused=IF_REFUSED,
        )
        self._threads = [
            threading.Thread(target=self._send_forever, name="outbox", daemon=True),
            threading.Thread(target=self._send_facts_forever, name="facts", daemon=True),
        ]

    # --- for the table ---

    @property
    def acked(self) -> int:
        """Sequence of the last record that is on the hub's disk, as far as is known."""
        return self._acked

    @property
    def up(self) -> bool:
        """True while there is a connection to the broker, as far as is known."""
        return self._link.up

    @property
    def trouble(self) -> str | None:
        """A line for the people at the table; None if all is well."""
        return self.fork or self._held_back or self._link.trouble

    def start(self) -> None:
        """Begin to send."""
        self._link.start()
        for thread in self._threads:
            thread.start()

    def stop(self, flush_s: float = 1.0) -> None:
        """Stop; what the hub has not got by then it gets at the next start."""
        deadline = time.monotonic() + flush_s
        with self._change:
            while self._link.up and not self.fork and self._acked < self._log.last_seq:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._change.wait(min(left, _WAIT_S))
        self._stopping.set()
        with self._change:
            self._change.notify_all()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(timeout=5)
        stopped = self._presence("stopped")
        self._link.publish_and_wait(self.address.topic(stopped.channel), self._sealed(stopped))
        self._link.stop()

    def send(self, message: TableMessage) -> bool:
        """Send a message, sealed; False without a connection."""
        topic, sealed = self.address.topic(message.channel), self._sealed(message)
        return self._link.publish(topic, sealed, qos=message.qos, retain=message.retained)

    def send_chunk(self, piece: bytes) -> bool:
        """Send a piece of a picture; it is checked by the picture's hash."""
        return self._link.publish(self.address.topic("have"), piece, qos=0)

    # --- messages of the hub ---

    def _up(self) -> None:
        with self._change:
            self._greeted = False
            self._change.notify_all()
        self.send(self._presence("here"))

    def _arrived(self, message: IncomingMessage) -> None:
        channel = message.topic.rsplit("/", 1)[-1]
        try:
            heard = unseal(OF_HUBS[channel], self.address, message.payload, {self._hub_key})
            if isinstance(heard, Ack):
                self._acknowledged(heard)
            else:
                self._heard(heard)
        except TilewatchError as error:
            _LOG.warning("the hub's %s is not taken: %s", channel, error)

    def _acknowledged(self, ack: Ack) -> None:
        seq, fork = ack.seq, self._forked(ack.seq, ack.hash)
        with self._change:
            self.fork = fork or (ack.refused or None)
            again = not self._greeted or ack.hub != self._hub_session or ack.again
            self._greeted, self._hub_session = True, ack.hub
            if seq > self._acked:
                self._since, self._patience = time.monotonic(), _RESEND_S[0]
            self._acked = seq
            while self._flying and self._flying[0][0] <= seq:
                self._flying.popleft()
            if again or seq > self._sent:
                self._go_back()
            self._change.notify_all()

    def _forked(self, seq: int, own: str) -> str | None:
        """Describe a fork: a last record at the hub that is not in this log. None if it is."""
        if seq == 0:
            return None
        if seq > self._log.last_seq:
            return (
                f"the hub has {seq} events of this table and this log only {self._log.last_seq}: "
                "this is another log, or an older copy of it; put the newest backup back, or enrol "
                "the table under another name"
            )
        mine = self._log.events(after=seq - 1, limit=1)
        if mine and mine[0].hash != own:
            return (
                f"event {seq} of this log is not the one that the hub has: there are two logs by "
                "this table's name; enrol this one under another name"
            )
        return None

    def _go_back(self) -> None:
        """Send again from the first record that is not acknowledged. With the lock held."""
        self._sent = self._acked
        self._flying.clear()
        self._since = time.monotonic()

    # --- sending ---

    def _send_forever(self) -> None:
        while not self._stopping.is_set():
            try:
                self._send_some()
            except TilewatchError as error:
                self._held_back = str(error)
                self._stopping.wait(1.0)

    def _send_some(self) -> None:
        with self._change:
            if not self._may_send():
                self._change.wait(_WAIT_S)
                return
            sent = self._sent
        if self._log.last_seq <= sent and not self._log.grew(sent, _WAIT_S):
            return
        fresh = [event for event in self._log.events(after=sent, limit=_READ) if event.on_disk]
        if not fresh:
            # Held in memory alone. What is not on this disk is not sent: after a crash the hub
            # would know more than the table's own log.
            self._stopping.wait(_WAIT_S)
            return
        for carried, message in batches(fresh):
            with self._change:
                if not self._may_send() or self._sent != carried[0].seq - 1:
                    return
                if not self._link.publish(self.address.topic("events"), message, qos=1):
                    self._greeted = False
                    return
                if not self._flying:
                    self._since = time.monotonic()
                self._sent = carried[-1].seq
                self._flying.append((self._sent, len(message)))
                self._held_back = None
            if len(fresh) > len(carried):
                self._stopping.wait(_PACE_S)

    def _may_send(self) -> bool:
        """True if anything may be sent now; goes back where an acknowledgement is overdue."""
        if self._stopping.is_set() or self.fork or not self._link.up or not self._greeted:
            return False
        if self._flying and time.monotonic() - self._since > self._patience:
            self._patience = min(2 * self._patience, _RESEND_S[1])
            self._go_back()
        return sum(size for _, size in self._flying) < WINDOW

    # --- the table's facts ---

    def _send_facts_forever(self) -> None:
        hello = 0
        while not self._stopping.wait(self._facts_s if self._link.up else _WAIT_S):
            if not self._link.up:
                continue
            try:
                facts = self._facts()
            except TilewatchError as error:
                _LOG.error("the table's facts: %s", error)
                facts = TableFacts()
            self.send(self._report(facts))
            hello += 1
            if not self._greeted and hello % 2 == 0:
                self._up()  # the hub was not there, or its answer was lost

    def _report(self, facts: TableFacts) -> Facts:
        self._reports += 1
        seq, own = self._log.head
        return Facts(
            session=self.session,
            n=self._reports,
            mono_ns=self._clock(),
            seq=seq,
            hash=own,
            facts=facts,
        )

    def _presence(self, state: Literal["here", "lost", "stopped"]) -> Announcement:
        return Announcement(state=state, session=self.session)

    def _sealed(self, message: TableMessage) -> bytes:
        return seal(message, self.address, self._key)
