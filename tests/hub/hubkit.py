"""A hall for tests: a real mosquitto, a hub, tables with the real outbox, and a bad network."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

from game.events import Event, to_payload
from hub.broker.access import HUB_USER, hash_password
from hub.broker.mosquitto import BrokerIncident, MosquittoBroker
from hub.hub import Hub
from hub.intake import Listener
from hub.store import HubStore
from hub.table_side.outbox import Outbox
from hub.wire.connection import Broker, BrokerConnection, IncomingMessage
from hub.wire.messages import Address
from record.log.event_log import EventLog
from record.signing import TableKey
from tests.game.gamekit import random_game
from tests.machine import free_port, until

VENUE = "hall"

__all__ = ["VENUE", "BadNetwork", "Hall", "HallTable", "every_incident", "free_port", "until"]


class HallTable:
    """One table: a log that grows by the events of real games, and its outbox."""

    def __init__(self, hall: Hall, name: str, seed: int, broker: Broker) -> None:
        self.hall, self.name, self.broker = hall, name, broker
        self.folder = hall.folder / name
        self.folder.mkdir(exist_ok=True)
        self.log = EventLog(self.folder / "tilewatch.db")
        assert self.log.key is not None
        self.key: TableKey = self.log.key
        self.outbox: Outbox | None = None
        self._rng = random.Random(seed)
        self._events: list[Event] = []
        self._game = ""

    def play(self, events: int = 1) -> None:
        """Log so many more events of its games."""
        for _ in range(events):
            if not self._events:
                self._events = list(random_game(self._rng.randrange(1000)).events)
                self._game = f"{self.name}-g{len(self.log.game_ids()) + 1}"
                self._events[0] = replace(self._events[0], game_id=self._game)  # type: ignore[call-arg]
            self.log.append(
                self._game,
                to_payload(self._events.pop(0)),
                mono_ns=time.monotonic_ns(),
                source="recorder",
            )

    def connect(self, **options) -> Outbox:
        self.outbox = Outbox(
            self.log,
            Address(VENUE, self.name),
            self.broker,
            self.hall.hub.key.public,
            **{"facts_s": 0.5, **options},
        )
        self.outbox.start()
        return self.outbox

    def disconnect(self) -> None:
        if self.outbox is not None:
            self.outbox.stop(flush_s=0)
            self.outbox = None

    def arrived(self) -> bool:
        """Whether the hub has all that this table has, byte for byte."""
        return self.hall.hub.store.head(self.name) == self.log.head

    def same(self) -> bool:
        """Whether both ends have the very same records."""
        return self.hall.hub.store.records(self.name) == self.log.events()


def every_incident(store: HubStore) -> list[tuple[str, str, str]]:
    """(table, what, detail) of every incident, newest first."""
    rows = store.read("SELECT table_id, what, detail FROM incidents ORDER BY id DESC")
    return [(table, what, detail) for table, what, detail in rows]


class Hall:
    """A broker, a hub and its tables, all on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.broker_incidents: list[BrokerIncident] = []
        self.passwords = {HUB_USER: "hub-secret"}
        self.broker = self.new_broker(free_port())
        self.tables: dict[str, HallTable] = {}
        self.hub = self.new_hub()
        self.broker.start()
        self.hub.start()

    def new_broker(self, port: int, **options) -> MosquittoBroker:
        return MosquittoBroker(
            self.folder / "broker",
            VENUE,
            self.passwords[HUB_USER],
            lambda: self.hub.store.enrolled(),  # noqa: PLW0108 (another hub after a restart)
            host="127.0.0.1",
            port=port,
            on_incident=self.broker_incidents.append,
            **options,
        )

    @property
    def broker_pid(self) -> int:
        """The broker's process."""
        return int((self.broker.folder / "mosquitto.pid").read_text("ascii"))

    def new_hub(self, listener: Listener | None = None) -> Hub:
        return Hub(self.folder / "hub", VENUE, self.at(HUB_USER), listener or Listener())

    def restart_hub(self, listener: Listener | None = None) -> None:
        self.hub.stop()
        self.hub = self.new_hub(listener)
        self.hub.start()

    def at(self, user: str, port: int | None = None, password: str | None = None) -> Broker:
        """How a user reaches the broker, or something in between on another port."""
        return Broker(
            "127.0.0.1",
            port or self.broker.port,
            user,
            password or self.passwords[user],
            self.broker.ca,
        )

    def table(self, name: str, seed: int = 1, *, port: int | None = None) -> HallTable:
        """A table that is enrolled, and not connected yet."""
        self.passwords[name] = f"secret-of-{name}"
        table = HallTable(self, name, seed, self.at(name, port))
        self.hub.store.enrol(
            name, name.title(), table.key.public, hash_password(self.passwords[name])
        )
        self.hub.intake.enrolment_changed()
        self.broker.security.set_password(name, self.passwords[name])
        self.tables[name] = table
        return table

    def connection(
        self, user: str, heard: list[IncomingMessage] | None = None, **options
    ) -> BrokerConnection:
        """A bare connection, as somebody with a user's password might make it; it is started."""
        got = [] if heard is None else heard
        topics = options.pop("subscriptions", [])
        broker = self.at(user, **options)
        one = BrokerConnection(broker, f"evil-{user}", topics, got.append, lambda: None)
        one.start()
        return one

    def incidents(self) -> list[tuple[str, str]]:
        """(table, what) of every incident, newest first."""
        return [(table, what) for table, what, _ in every_incident(self.hub.store)]

    def close(self) -> None:
        for table in self.tables.values():
            table.disconnect()
            table.log.close()
        self.hub.stop()
        self.broker.stop()


class BadNetwork(contextlib.AbstractContextManager):
    """A proxy between a table and the broker: it can be cut, slow, stuck or torn.

    TCP hides single packets, so what a lossy network does to a connection is what can be seen of
    it: bytes come late and in odd pieces, connections hang without a word, and are reset halfway
    through a message.
    """

    def __init__(self, to_port: int, seed: int = 0) -> None:
        self._to, self._rng = to_port, random.Random(seed)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.cut = False
        """Nothing goes through, and new connections are refused."""
        self.stuck = False
        """Nothing goes through, and nobody is told."""
        self.delay_s = 0.0
        self.tear = 0.0
        """How likely a piece is the last of its connection."""
        self._closing = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while not self._closing:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if self.cut or self._closing:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                near.close()
                continue
            self._pairs.append((near, far))
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := one.recv(self._rng.choice((7, 100, 1400, 16384))):
                while self.stuck and not self._closing:
                    time.sleep(0.02)
                if self.delay_s:
                    time.sleep(self._rng.random() * 2 * self.delay_s)
                if self.cut:
                    break
                if self._rng.random() < self.tear:
                    other.sendall(piece[: self._rng.randrange(len(piece) + 1)])
                    break
                other.sendall(piece)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def sever(self) -> None:
        """Reset every connection and let none through until ``mend``."""
        self.cut = True
        for pair in self._pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def mend(self) -> None:
        self.cut = self.stuck = False
        self.delay_s = self.tear = 0.0

    def __exit__(self, *_: object) -> None:
        self._closing = True
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.sever()
        self._thread.join()
