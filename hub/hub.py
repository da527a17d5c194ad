"""The hub's core: its connection, its intake, and the mirrored logs that grow by it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hub.intake import Intake, Listener
from hub.mirrored_log import MirroredLog
from hub.presence import Presence
from hub.store import HubStore
from hub.wire.connection import Broker, BrokerConnection
from hub.wire.envelope import Kind, seal
from hub.wire.topics import TABLE_SAYS, Address, HubSays, all_tables
from record.chain import LoggedEvent
from record.signing import TableKey

KEY: Final = "hub.key"
_NOBODY: Final = Listener()

_KINDS: Final[Mapping[HubSays, Kind]] = {"ack": "ack", "requests": "request", "want": "want"}


class Hub:
    """Mirrors the logs of a venue's tables. ``start`` it, and ``stop`` it at the end.

    ``listener`` is called from the intake's thread.
    """

    def __init__(
        self,
        folder: Path,
        venue: str,
        broker: Broker,
        listener: Listener = _NOBODY,
    ) -> None:
        """Open what the hub keeps in ``folder``. Raises ``TilewatchError``."""
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
        for log in self._logs.values():
            log.close()
        self.store.close()

    def log(self, table_id: str) -> MirroredLog:
        """The hub's copy of a table's log."""
        with self._opening:
            log = self._logs.get(table_id)
            if log is None:
                log = self._logs[table_id] = MirroredLog(self.store, table_id)
            return log

    def send(self, table_id: str, channel: HubSays, body: Mapping[str, Any]) -> bool:
        """Send a sealed message to a table; False without a connection to the broker."""
        address = Address(self.venue, table_id)
        message = seal(_KINDS[channel], address, body, self.key)
        return self.link.publish(address.topic(channel), message, qos=1)

    def _grown(self, table_id: str, events: list[LoggedEvent]) -> None:
        self.log(table_id).grown()
        self._listener.on_records(table_id, events)
