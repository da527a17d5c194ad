"""A whole hub with its broker, and tables that are tied to it as a running table is."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

from game.events import SIDES, Event, Picture, PicturesKept, Side, to_payload
from game.state.fold import fold
from hub.config import HubConfig
from hub.enrolment import new_code
from hub.service import HubService
from hub.table_side.connector import HubConnector, Membership
from hub.wire.handshake import EnrolCode, TableExchange
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.signing import KEY_FILE, TableKey
from table.coming_games import ComingGames
from table.desk import Desk, Ruling, TableDesk
from table.game_setup import GameSetup
from table.recorder import RecorderStores
from table.session import TableSession
from tests.game.gamekit import random_game
from tests.hub.hubkit import free_port
from tests.readerkit import OneLook


class NoReader(OneLook):
    """These tables see nothing."""

    def read(self, image, corners=None, known=None):
        raise AssertionError("nobody looks")


class TiedTable:
    """A table as it runs: a loop that owns its session and serves its desk, and its tie."""

    def __init__(self, folder: Path, member: Membership, key: TableKey) -> None:
        self.folder, self.member, self._key = folder, member, key
        self.open()

    def open(self) -> None:
        self.log = EventLog(self.folder / "tilewatch.db", live=True, key=self._key, reserve=1 << 16)
        self.evidence = EvidenceStore(self.folder / "evidence", keep_free=0)
        self.desk = TableDesk(time.monotonic_ns)
        setup = GameSetup("english", "wespa-2007", {"left": "Ann", "right": "Bob"})
        self.session = TableSession(
            NoReader(),
            RecorderStores(self.log, self.evidence),
            ComingGames(self.member.name, setup, time.monotonic_ns),
            time.monotonic_ns,
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._thread.start()
        self.tie = HubConnector(
            self.member,
            self.folder,
            self.log,
            self.desk,
            self.evidence,
            name=self.member.name,
            game=lambda: self.session.state,
        )
        self.tie.outbox._facts_s = 0.3  # a page's tests do not wait for the next word

    def _loop(self) -> None:
        while not self._stop.wait(0.005):
            for posted in self.desk.take():
                self.session.serve(posted)
            self.desk.phase = self.session.phase

    @property
    def id(self) -> str:
        return self.member.table

    @property
    def game(self) -> str:
        return self.session.state.game_id

    def say(self, event: Event, source: str = "director: local") -> None:
        answer = self.desk.post(Ruling(self.game, event, source))
        assert answer.done, answer.refused

    def keep_picture(self, content: bytes) -> str:
        """Keep a picture of its game, and link it in its log; its name."""
        sha = self.evidence.store(content)
        kept = PicturesKept(1, (Picture("at", sha, 1, None, None),), self.desk.now_ns())
        self.session.recorder.record(kept)
        return sha

    def connect(self) -> TiedTable:
        self.tie.start()
        return self

    def close(self) -> None:
        self.tie.stop()
        self._stop.set()
        self._thread.join()
        self.desk.close()
        self.log.close()

    def restart(self) -> TiedTable:
        self.close()
        self.open()
        return self.connect()


def no_broker(**settings) -> HubConfig:
    """The settings of a hub that nobody starts."""
    broker = {"run": False, "host": "127.0.0.1", "port": 1}
    return HubConfig.model_validate({"venue": "hall", "broker": broker, **settings})


class Venue:
    """A hub's service in a folder, and tables that were let in by a code."""

    def __init__(self, folder: Path, **settings) -> None:
        self.folder = folder
        self.config = HubConfig.model_validate(
            {
                "venue": "hall",
                "broker": {"port": free_port(), "listen": "127.0.0.1", "advertise": "127.0.0.1"},
                **settings,
            }
        )
        self.tables: list[TiedTable] = []
        self.service = HubService(self.config, folder / "hub")
        self.service.start()

    def enrol(self, table_id: str, name: str | None = None) -> Membership:
        """What a table is told when it is let in; its files are in its folder afterwards."""
        folder = self.folder / table_id
        folder.mkdir(exist_ok=True)
        code = new_code(self.service.store, table_id, name or table_id.title())
        exchange = TableExchange(EnrolCode.parse(str(code)), TableKey.open(folder / KEY_FILE))
        answer = self.service.enrolment.answer
        confirmation = exchange.confirm(answer(exchange.opening, "192.0.2.1"))
        reported = exchange.read(answer(confirmation, "192.0.2.1"))
        ca = reported.pop("ca")
        member = Membership(**reported)
        member.save(folder, ca)
        return member

    def table(self, table_id: str, *, connect: bool = True) -> TiedTable:
        member = self.enrol(table_id)
        folder = self.folder / table_id
        table = TiedTable(folder, member, TableKey.open(folder / KEY_FILE))
        self.tables.append(table)
        return table.connect() if connect else table

    def desk(self, table: TiedTable) -> Desk:
        """The table's desk as the hub's pages have it."""
        found = self.service.tables.table(table.id)
        assert found is not None and found.desk is not None
        return found.desk

    def same(self, table: TiedTable) -> bool:
        return self.service.store.records(table.id) == table.log.events()

    def restart(self) -> None:
        self.service.stop()
        self.service = HubService(self.config, self.folder / "hub")
        self.service.start()

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self.service.stop()


def play(table: TiedTable, seed: int = 1, turns: int = 100, names: dict[Side, str] | None = None):
    """Log a game, as a recorder would, under a name of its own; the state that it ends in."""
    events = list(random_game(seed).events)
    start = events[0]
    game_id = f"{table.id}-played-{seed}-{len(table.log.game_ids())}"
    players = names or {side: f"{side} of {table.id}" for side in SIDES}
    events[0] = replace(start, game_id=game_id, players=players)  # type: ignore[call-arg]
    for event in events[: 2 * turns]:
        table.log.append(game_id, to_payload(event), mono_ns=time.monotonic_ns(), source="recorder")
    return game_id, fold(events[: 2 * turns])
