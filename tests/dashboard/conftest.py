"""A game in a log, and the dashboard over it."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.accounts.guard import SESSION_COOKIE, AuthContext
from dashboard.accounts.store import Account
from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from dashboard.tokens import Scope, Tokens
from game.board import Board, Square, parse_position
from game.events import (
    ButtonPressed,
    Event,
    Finding,
    GameEnded,
    GameStarted,
    RackReported,
    Side,
    TurnSeen,
    other,
    to_payload,
)
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from table.server_config import Api, Limits
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from tests.dashboard import connectionkit
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.browsing import Page, as_it_was, as_screen, troubles
from tests.machine import PATIENCE_S

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

    def start(
        self,
        names: dict[str, str] = NAMES,
        tile_set: str = "english",
        rulebook: str = "wespa-2007",
    ) -> GameInLog:
        self.put(GameStarted(self.game_id, names, rulebook, tile_set, "left", self.t_ns))
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

    def plays(self, turns: Iterable[tuple[str, str]]) -> None:
        for place, word in turns:
            self.play(place, word)

    def press(self, findings: Iterable[Finding] = ()) -> None:
        """The player on turn ends the turn with the board as it is."""
        self.t_ns += 30 * SECOND
        side = self.side
        self.put(ButtonPressed(side, self.t_ns))
        self.put(TurnSeen(side, self.t_ns, self.board.rows, self.t_ns, findings=tuple(findings)))
        self.side = other(side)

    def end(self) -> None:
        """Have the director end it, with what both racks have left."""
        self.put(RackReported("left", "AAEEIQZ", self.t_ns, "director"))
        self.put(RackReported("right", "IOUVVWW", self.t_ns, "director"))
        self.put(GameEnded("shortened", self.t_ns, "director"))

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
    monkeypatch.setattr(Flask, "wsgi_app", connectionkit.wsgi_app)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with EventLog(tmp_path / "tilewatch.db") as opened:
        yield opened


@pytest.fixture
def rulebook() -> str:
    """The rules of ``game``; a test takes others by a parameter of this name."""
    return "wespa-2007"


@pytest.fixture
def game(log: EventLog, rulebook: str) -> GameInLog:
    return GameInLog(log).start(rulebook=rulebook)


@pytest.fixture
def serving() -> Iterator[Callable[..., Server]]:
    """Serves an application until the test is over."""
    running: list[Server] = []

    def start(app: Flask, proxy: str | None = None, host: str = "127.0.0.1", **options) -> Server:
        running.append(Server(app, host, 0, proxy, **options))
        running[-1].start()
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def server(log: EventLog, game: GameInLog, serving) -> Server:
    """The pages of a game that is only watched, served."""
    return serving(create_app(site_over(log)))


JPEG = b"\xff\xd8\xff\xe0 not much of a picture \xff\xd9"


@dataclass
class Hall:
    """A site at work."""

    app: Flask
    site: Site
    evidence: EvidenceStore
    sha256: str
    """The SHA-256 of the one picture that is kept."""

    @property
    def door(self) -> AuthContext:
        door = self.app.extensions["tilewatch.AuthContext"]
        assert isinstance(door, AuthContext)
        return door

    @property
    def tokens(self) -> Tokens:
        kept = self.app.extensions["tilewatch.Tokens"]
        assert isinstance(kept, Tokens)
        return kept

    def visitor(self) -> FlaskClient:
        return self.app.test_client()

    def director_account(self) -> Account:
        """An account that may rule."""
        return add(self.door.db, f"Ann {len(self.door.accounts.all())}")

    def director(self) -> tuple[FlaskClient, dict[str, str]]:
        """Somebody who has logged in, and the headers that their pages send."""
        session = self.door.sessions.open(self.director_account())
        client = self.app.test_client()
        client.set_cookie(SESSION_COOKIE, session.token)
        token = self.door.sessions.form_token(session.token)
        return client, {"X-CSRF-Token": token, "X-Why": "the%20final"}

    def token(self, scope: Scope, table: str | None = None) -> dict[str, Any]:
        """The headers of somebody with a token."""
        return {"Authorization": f"Bearer {self.tokens.make('t', scope, by='Ann', table=table)[1]}"}

    def close(self) -> None:
        self.site.close()
        self.door.db.close()


def hall_over(
    log: EventLog,
    folder: Path,
    public: PublicPolicy = FULLY_OPEN,
    api_for: Api = "public",
    webhook_hosts: tuple[str, ...] = (),
    **options: Any,
) -> Hall:
    """The hall whose one table's games are in ``log``. It is 2000 s on the table's time."""
    evidence = EvidenceStore(folder / "evidence")
    sha256 = evidence.store(JPEG)
    table = table_over(
        log, id="1", name="Table 1", clock=lambda: 2000 * SECOND, evidence=evidence, public=public
    )
    site = Site((table,), **options)
    app = create_app(site, folder, api_for=api_for, webhook_hosts=webhook_hosts)
    app.testing = True
    return Hall(app, site, evidence, sha256)


@pytest.fixture
def halls(log: EventLog, tmp_path: Path) -> Iterator[Callable[..., Hall]]:
    """Opens the hall whose one table's games are in the log, as the test wants it."""
    with contextlib.ExitStack() as stack:

        def opened(**options) -> Hall:
            return stack.enter_context(
                contextlib.closing(hall_over(log, tmp_path / "data", **options))
            )

        yield opened


@pytest.fixture
def hall(halls: Callable[..., Hall]) -> Hall:
    return halls()


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
def url(desk: Desked, serving) -> str:
    """Where a real server over that table is found."""
    return serving(desk.app).url


REFUSED = r"status of (401|403|409)|net::ERR_"
"""The complaints of a browser whose server does as it should, or is out of reach."""


@pytest.fixture(name="browser")
def browser_of_ann(driver, desk: Desked, url: str):
    """The real browser, logged in as Ann; its pages give it nothing to complain of."""
    driver.get(f"{url}/login")
    desk.log_in(driver, "Ann")
    yield driver
    complaints = troubles(driver)
    driver.delete_all_cookies()
    assert [one for one in complaints if not re.search(REFUSED, one)] == []


@pytest.fixture
def screen(driver) -> Iterator[Callable[..., None]]:
    """Lets the browser be a screen of so many pixels, until the test is over."""
    yield partial(as_screen, driver)
    as_it_was(driver)


@pytest.fixture
def touch(driver, screen) -> None:
    """The screen is touched."""
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})


@pytest.fixture
def at_desk(browser, url: str, game: GameInLog) -> Callable[..., Page]:
    """Plays so many turns and opens the director's page of the table, once it shows them."""

    def shown(turns: int = 0) -> Page:
        game.plays(TURNS[:turns])
        page = Page(browser, f"{url}/director/tables/1")
        page.there("#bar button")
        if turns:
            page.there("#turns [data-correct]", turns)
        return page

    return shown


@pytest.fixture
def watched(driver, server: Server, game: GameInLog) -> Callable[..., Page]:
    """Plays so many turns and opens the spectators' page, once it shows them."""

    def shown(turns: int = 0) -> Page:
        game.plays(TURNS[:turns])
        page = Page(driver, server.url)
        page.there("#link[data-state=live]")
        page.wait_for_turns(turns)
        return page

    return shown


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
def serve(log, game, tmp_path, serving) -> Callable[..., Server]:
    """Starts servers with limits; their addresses are those of this machine."""

    def start(limits: Limits | None = None, proxy: str | None = None, **site: int) -> Server:
        app = create_app(site_over(log, **site), tmp_path / "data")
        server = serving(app, proxy, limits=limits or Limits())
        server.app = app
        return server

    return start


@pytest.fixture
def opened() -> Iterator[Callable[..., socket.socket]]:
    """Opens connections, and closes them in the end."""
    with contextlib.ExitStack() as stack:

        def connect(
            server: Server, sent: bytes = b"", source: str = "127.0.0.1", buffer: int | None = None
        ) -> socket.socket:
            connection = stack.enter_context(socket.socket())
            connection.settimeout(PATIENCE_S)
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


@pytest.fixture
def clicks(browser, desk, url, game):
    """A game with a blank that has no letter, and a page on which clicks are counted."""
    from tests.dashboard.directorpages import TABLE, Clicks  # it takes names from here

    game.play(*TURNS[0])
    game.play("H8", ".HO?")
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=challenge]:not(:disabled)') !== null")
    page.wait("document.querySelectorAll('.asker').length === 1")
    return Clicks(page)
