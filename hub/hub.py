"""The hub's core: its connection, its intake, and the mirrored logs of the tables."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from hub.intake import Intake, Listener
from hub.presence import Presence
from hub.store import HubStore
from hub.wire.connection import Broker, BrokerConnection
from hub.wire.messages import TABLE_SAYS, Address, HubMessage, all_tables, seal
from record.chain import LoggedEvent
from record.signing import TableKey

KEY: Final = "hub.key"
_NOBODY: Final = Listener()


class Hub:
    """Mirrors the logs of a venue's tables. Call ``start``, and ``stop`` at the end.

    ``listener`` is called from the intake's thread.
    """

    def __init__(
        self,
        folder: Path,
        venue: str,
        broker: Broker,
        listener: Listener = _NOBODY,
    ) -> None:
        """Open the hub's data in ``folder``. Raises ``TilewatchError``."""
        self.venue = venue
        self.store = HubStore(folder, serving=True)
        try:
            self.key = TableKey.open(folder / KEY)
            self.presence = Presence()
            self._logs: dict[str, MirroredLog] = {}
            self._opening = threading.Lock()
            self._listener = listener
            self.intake = Intake(
                self.store,
                self.presence,
                venue,
                self.key,
                lambda topic, payload: self.link.publish(topic, payload, qos=1),
                replace(listener, on_records=self._grown),
            )
            self.link = BrokerConnection(
                broker,
                f"hub-{venue}",
                [(all_tables(venue, channel), 1) for channel in TABLE_SAYS],
                self.intake.put,
                lambda: None,
                inflight=1000,
            )
        except BaseException:
            self.store.close()
            raise

    def start(self) -> None:
        """Begin to take in the tables' messages."""
        self.intake.start()
        self.link.start()

    def stop(self) -> None:
        """Process the messages that have arrived, and stop."""
        self.link.stop()
        self.intake.stop()
        self.store.close()

    def log(self, table_id: str) -> MirroredLog:
        """Return the hub's copy of a table's log."""
        with self._opening:
            log = self._logs.get(table_id)
            if log is None:
                log = self._logs[table_id] = MirroredLog(self.store, table_id)
            return log

    def send(self, table_id: str, message: HubMessage) -> bool:
        """Send a message to a table, sealed; False without a connection to the broker."""
        address = Address(self.venue, table_id)
        sealed = seal(message, address, self.key)
        return self.link.publish(address.topic(message.channel), sealed, qos=message.qos)

    def _grown(self, table_id: str, events: list[LoggedEvent]) -> None:
        self.log(table_id).grown()
        self._listener.on_records(table_id, events)


class MirroredLog:
    """The records of one table in a hub's store. Safe to use from several threads."""

    trouble: str | None = None
    """Always None: the hub's disk is watched elsewhere."""

    def __init__(self, store: HubStore, table_id: str, upto: int | None = None) -> None:
        """If ``upto`` is given, later records are ignored."""
        self._store, self._table, self._upto = store, table_id, upto
        self.path = store.path
        self._wakeup = threading.Condition()
        self._head = store.head(table_id)

    @property
    def last_seq(self) -> int:
        """The sequence of the newest event; 0 if there is none."""
        return self._head[0]

    @property
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the newest event; ``(0, 64 zeros)`` when there is none."""
        return self._head

    def grown(self) -> None:
        """Note that records were written, and wake the threads that wait in ``grew``."""
        head = self._store.head(self._table)
        with self._wakeup:
            self._head = head
        self.wake()

    def events(
        self, game_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> list[LoggedEvent]:
        """Events with a sequence above ``after``, oldest first, of one game or of all."""
        found = self._store.records(self._table, game_id, after, limit)
        upto = self._upto
        return found if upto is None else [one for one in found if one.seq <= upto]

    def game_ids(self) -> list[str]:
        """The games in the log, in order of their first events."""
        return self._store.games(self._table)

    def first_of(self, game_id: str) -> LoggedEvent | None:
        """The oldest event of a game; None if there is no such game."""
        found = self._store.records(self._table, game_id, limit=1)
        return found[0] if found else None

    def last_of(self, game_id: str) -> LoggedEvent | None:
        """The newest event of a game; None if there is no such game."""
        return self._store.last_of(self._table, game_id)

    def history(self) -> list[tuple[int, str, str]]:
        """Return an empty list: the history of the table's file is kept only at the table."""
        return []

    def grew(self, after: int, timeout: float, over: Callable[[], bool] = bool) -> bool:
        """Wait for an event above ``after``; False if time ran out or ``over()`` is true."""
        with self._wakeup:
            self._wakeup.wait_for(lambda: over() or self._head[0] > after, timeout)
            return self._head[0] > after

    def wake(self) -> None:
        """Wake the threads that wait in ``grew``."""
        with self._wakeup:
            self._wakeup.notify_all()
