"""A game in a log, and the dashboard over it."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.board import Board, Square, parse_position
from game.events import (
    ButtonPressed,
    Event,
    Finding,
    GameStarted,
    Side,
    TurnSeen,
    other,
    to_payload,
)
from record.log.event_log import EventLog
from table.server_config import Limits
from tests.dashboard import client_streams

if TYPE_CHECKING:
    from tests.dashboard.desk_fixtures import Desked

SECOND = 1_000_000_000
NAMES = {"left": "Ada <b>Byron</b>", "right": "José & Søren"}


@dataclass
class GameInLog:
    """Writes a game into a log, turn by turn, as a recorder would."""

    log: EventLog
    game_id: str = "game-1"
    board: Board = field(default_factory=Board.empty)
    side: Side = "left"
    t_ns: int = 1000 * SECOND

    def put(self, event: Event) -> None:
        self.log.append(self.game_id, to_payload(event), mono_ns=self.t_ns, source="test")

    def start(self, names: dict[str, str] = NAMES, tile_set: str = "english") -> GameInLog:
        self.put(GameStarted(self.game_id, names, "wespa-2007", tile_set, "left", self.t_ns))
        self.put(ButtonPressed("right", self.t_ns))
        return self

    def play(self, place: str, word: str, findings: Iterable[Finding] = ()) -> None:
        """``.`` leaves a square alone; an empty word is an exchange."""
        if word:
            start, across = parse_position(place)
            self.board = self.board.replace(
                {start.step(across, i): s for i, s in enumerate(word) if s != "."}
            )
        self.press(findings)

    def press(self, findings: Iterable[Finding] = ()) -> None:
        """The player on turn ends the turn with the board as it is."""
        self.t_ns += 30 * SECOND
        side = self.side
        self.put(ButtonPressed(side, self.t_ns))
        self.put(TurnSeen(side, self.t_ns, self.board.rows, self.t_ns, findings=tuple(findings)))
        self.side = other(side)

    def square(self, name: str) -> str:
        return self.board[Square.parse(name)]


TURNS = (
    ("8D", "FIRNS"),
    ("H8", ".HOe"),
    ("", ""),
    ("10F", "TO.LS"),
    ("F10", ".AX"),
    ("12E", "OX."),
)
"""A few turns to play; the third is an exchange."""


@pytest.fixture(autouse=True)
def _streams_go_on(monkeypatch) -> None:
    """Let Flask's test client see whole event streams."""
    monkeypatch.setattr(Flask, "wsgi_app", client_streams.wsgi_app)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with EventLog(tmp_path / "tilewatch.db") as opened:
        yield opened


@pytest.fixture
def game(log: EventLog) -> GameInLog:
    return GameInLog(log).start()


@pytest.fixture
def server(log: EventLog, game: GameInLog) -> Iterator[Server]:
    """The pages of a game that is only watched, served."""
    made = Server(create_app(site_over(log)), "127.0.0.1", 0)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def desk(log: EventLog, game: GameInLog, tmp_path: Path) -> Iterator[Desked]:
    """A table with a desk."""
    from tests.dashboard.desk_fixtures import desked  # it plays games from here

    yield from desked(log, game, tmp_path / "data")


@pytest.fixture
def ann(desk: Desked) -> FlaskClient:
    """The browser of a director who has logged in."""
    return desk.client("Ann")


@pytest.fixture
def url(desk: Desked) -> Iterator[str]:
    """Where a real server over that table is found."""
    server = Server(desk.app, "127.0.0.1", 0)
    server.start()
    yield server.url
    server.stop()


@pytest.fixture(name="browser")
def browser_of_ann(driver, desk: Desked, url: str):
    """The real browser, logged in as Ann."""
    driver.get(f"{url}/login")
    driver.delete_all_cookies()
    door = desk.app.extensions["tilewatch.door"]
    session = door.sessions.open(door.accounts.find("Ann"))
    driver.add_cookie({"name": "tilewatch_session", "value": session.token, "path": "/"})
    yield driver
    driver.delete_all_cookies()


def site_over(log: EventLog, streams: int = 4, heartbeat_s: float = 10.0, **options: int) -> Site:
    now = 2000 * SECOND
    table = table_over(log, id="1", name="Table 1", clock=lambda: now)
    return Site((table,), streams=streams, heartbeat_s=heartbeat_s, **options)


@pytest.fixture
def site(log: EventLog) -> Iterator[Site]:
    made = site_over(log)
    yield made
    made.close()


@pytest.fixture
def client(site: Site):
    app = create_app(site)
    app.testing = True
    return app.test_client()


@pytest.fixture
def serve(log, game, tmp_path) -> Iterator[Callable[..., Server]]:
    """Starts servers with limits; their addresses are those of this machine."""
    running: list[Server] = []

    def start(limits: Limits | None = None, proxy: str | None = None, **site: int) -> Server:
        app = create_app(site_over(log, **site), tmp_path / "data")
        server = Server(app, "127.0.0.1", 0, proxy, limits or Limits())
        server.app = app
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def opened() -> Iterator[Callable[..., socket.socket]]:
    """Opens connections, and closes them in the end."""
    with contextlib.ExitStack() as stack:

        def connect(
            server: Server, sent: bytes = b"", source: str = "127.0.0.1", buffer: int | None = None
        ) -> socket.socket:
            connection = stack.enter_context(socket.socket())
            connection.settimeout(20)
            if buffer is not None:  # before it connects, or Linux takes more
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            connection.bind((source, 0))
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(sent)
            return connection

        yield connect


@dataclass(frozen=True)
class ServerEvent:
    """One event of a stream."""

    kind: str
    id: str | None
    data: dict

    @classmethod
    def parse(cls, block: str) -> ServerEvent | None:
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if "data" not in fields:
            return None
        return cls(fields["event"], fields.get("id"), json.loads(fields["data"]))


def events_in(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events in a stream's bytes, as they come."""
    buffer = b""
    for chunk in chunks:
        buffer += chunk
        while b"\n\n" in buffer:
            block, buffer = buffer.split(b"\n\n", 1)
            event = ServerEvent.parse(block.decode())
            if event is not None:
                yield event


def views(chunks: Iterable[bytes], count: int) -> list[ServerEvent]:
    """The next ``count`` views of a stream."""
    found: list[ServerEvent] = []
    for event in events_in(chunks):
        if event.kind == "view":
            found.append(event)
            if len(found) == count:
                return found
    return found


@pytest.fixture
def clicks(browser, desk, url, game):
    """A game with a blank that has no letter, and a page on which clicks are counted."""
    from tests.dashboard.browsing import Page
    from tests.dashboard.directorpages import TABLE, Clicks  # it takes names from here

    game.play(*TURNS[0])
    game.play("H8", ".HO?")
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=challenge]:not(:disabled)') !== null")
    page.wait("document.querySelectorAll('.asker').length === 1")
    return Clicks(page)
