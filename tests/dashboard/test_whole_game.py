"""A whole game while everybody watches: two spectators' views, a director, a phone, two overlays.

The pages are real ones in a real browser, each in a window of its own. Beside them two listeners
keep every byte that the public and the players are sent, in which nothing may stand that is not
theirs to know.
"""

from __future__ import annotations

import functools
import http.client
import threading
from collections.abc import Iterator

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.events import (
    ButtonPressed,
    GameEnded,
    RackReported,
    SquareCorrected,
    TurnSeen,
    other,
)
from game.flags import CODES
from record.evidence import EvidenceStore
from simulation import Script, generate
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import SECOND, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS, Loop
from tests.machine import PATIENCE_S, until

pytestmark = pytest.mark.browser


@functools.cache
def script() -> Script:
    """The demo's first game, made when it is first wanted."""
    return generate(8)


RACK = "JQXZKVW"
"""Reported in the middle of the game: seven tiles that no one rack has, and no word either."""

FORBIDDEN = (
    '"unseen":',
    '"phoney":',
    '"rulings":',
    '"remedies":',
    '"visibility":',
    '"suggestions":',
    RACK,
    *(code for code, known in CODES.items() if known.visibility == "director"),
)
"""What must be in nothing that the public or a player gets while the game goes on."""


class Listener:
    """Keeps every byte that somebody at these addresses is sent, headers and all."""

    def __init__(self, port: int, stream: str, pages: tuple[str, ...], key: str = "") -> None:
        self._port, self._pages = port, pages
        self._headers = {"X-Clock-Key": key} if key else {}
        self.kept = bytearray()
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._connection.request("GET", stream, headers=self._headers)
        self._stream = self._connection.getresponse()
        assert self._stream.status == 200
        self.kept += str(self._stream.headers).encode()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while line := self._stream.readline():
            self.kept += line

    def look(self) -> None:
        """Ask for every page and part of the API once."""
        for path in self._pages:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
            assert answer.status == 200, path
            self.kept += str(answer.headers).encode() + answer.read()
            connection.close()

    def close(self) -> None:
        self._thread.join(timeout=PATIENCE_S)
        assert not self._thread.is_alive()
        self._stream.close()
        self._connection.close()


class Windows:
    """The pages, each in a window of its own."""

    def __init__(self, driver) -> None:
        self.driver = driver
        self.first = driver.current_window_handle
        self.handles: dict[str, str] = {}

    def open(self, name: str, url: str) -> None:
        self.driver.switch_to.new_window("window")
        self.handles[name] = self.driver.current_window_handle
        self.driver.get(url)

    def js(self, name: str, script: str, *values):
        self.driver.switch_to.window(self.handles[name])
        return self.driver.execute_script(script, *values)

    def wait(self, name: str, script: str, *values) -> None:
        from selenium.common.exceptions import TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        self.driver.switch_to.window(self.handles[name])
        try:
            WebDriverWait(self.driver, PATIENCE_S, 0.03).until(
                lambda driver: driver.execute_script(script, *values)
            )
        except TimeoutException:
            text = self.driver.execute_script("return document.body.innerText")
            pytest.fail(f"{name}: never came true: {script} {values}; it shows {text[:1500]}")

    def close(self) -> None:
        for handle in self.handles.values():
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(self.first)


@pytest.fixture
def hall(log, tmp_path, driver) -> Iterator:
    game = GameInLog(log).start(dict(script().players))
    loop = Loop(log)
    table = table_over(
        log,
        id="1",
        name="Table 1",
        clock=lambda: NOW_NS,
        desk=loop.desk,
        evidence=EvidenceStore(tmp_path / "data" / "evidence"),
        words=frozenset(),  # by it every word is a phoney, and nobody but the director may know
    )
    app = create_app(Site((table,)), tmp_path / "data")
    server = Server(app, "127.0.0.1", 0)
    server.start()
    windows = Windows(driver)
    hall = Hall(game, loop, app, server, windows)
    yield hall
    windows.close()
    server.stop()
    loop.close()
    app.extensions["tilewatch.door"].db.close()


class Hall:
    def __init__(self, game, loop, app, server, windows) -> None:
        self.game, self.loop, self.app, self.windows = game, loop, app, windows
        self.port = server.port
        self.key = app.extensions["tilewatch.clock_keys"].key("1")
        # Two names of one machine: a browser opens six connections to each at most.
        near, far = f"http://127.0.0.1:{self.port}", f"http://localhost:{self.port}"
        door = app.extensions["tilewatch.door"]
        session = door.sessions.open(add(door.db, "Ann"))
        driver = windows.driver
        driver.get(f"{far}/login")
        driver.add_cookie({"name": SESSION_COOKIE, "value": session.token, "path": "/"})
        _, token = app.extensions["tilewatch.tokens"].make("OBS", "overlay", by="Ann")
        windows.open("spectator", f"{near}/tables/1")
        windows.open("scene", f"{near}/overlay/feature/scene?token={token}")
        windows.open("scores", f"{near}/overlay/1/scores")
        windows.open("director", f"{far}/director/tables/1")
        windows.open("phone", f"{far}/tables/1/clock#{self.key}")

    def totals(self, name: str) -> dict[str, int]:
        """Every turn's total as a page with turns shows it."""
        scripts = {
            "spectator": """
                return Object.fromEntries([...document.querySelectorAll('#turns tr.turn')].map(
                  (row) => [row.querySelector('.number').textContent.trim(),
                            Number(row.querySelector('.total').textContent)]));""",
            "director": """
                return Object.fromEntries([...document.querySelectorAll('#turns tr[id]')].map(
                  (row) => [row.cells[0].textContent.trim(),
                            Number([...row.querySelectorAll('.num')].at(-1).textContent)]));""",
        }
        return self.windows.js(name, scripts[name])

    def reached(self, turns: int, scores: dict[str, int]) -> None:
        """Wait until so many turns and these scores stand on every page."""
        wait = self.windows.wait
        rows = "return document.querySelectorAll(arguments[0]).length === arguments[1]"
        wait("spectator", rows, "#turns tr.turn", turns)
        wait("director", rows, "#turns tr[id]", turns)
        shown = """
            return ['left', 'right'].every((side) =>
              Number(document.querySelector(`[data-side=${side}] ${arguments[0]}`)
                .textContent.replace('−', '-')) === arguments[1][side])"""
        for name, place in (
            ("spectator", "output"),
            ("director", "output"),
            ("scene", "output"),
            ("scores", "output"),
            ("phone", ".score"),
        ):
            wait(name, shown, place, scores)


def test_every_turn_reaches_everybody_and_nothing_that_is_not_theirs(hall):
    game, loop = hall.game, hall.loop
    public = Listener(
        hall.port,
        "/api/v1/tables/1/events",
        (
            "/",
            "/tables/1",
            "/api/v1/tables",
            "/api/v1/tables/1",
            "/api/v1/tables/1/turns",
            "/api/v1/tables/1/clocks",
            "/api/v1/tables/1/game.gcg",
            "/obs/feature/last_play",
            "/obs/feature/blank1.txt",
        ),
    )
    player = Listener(
        hall.port,
        "/tables/1/clock/api/events",
        ("/tables/1/clock", "/tables/1/clock/api"),
        hall.key,
    )
    scores = {"left": 0, "right": 0}
    seen: set[str] = set()
    for number, (turn, board) in enumerate(
        zip(script().turns, script().boards(), strict=True), start=1
    ):
        if turn.out:
            break
        game.t_ns += 20 * SECOND
        game.put(ButtonPressed(turn.side, game.t_ns))
        game.put(TurnSeen(turn.side, game.t_ns, board.rows, game.t_ns))
        game.side = other(turn.side)
        scores[turn.side] = turn.total
        hall.reached(number, scores)
        if number == 5:
            game.put(RackReported("left", RACK, game.t_ns))
            # Why the clock stands is asked of the director alone.
            game.put(ButtonPressed("neutral", game.t_ns + SECOND))
            seen |= {word for word in FORBIDDEN if word in director_sees(hall)}
        if number % 6 == 0:
            public.look()
            player.look()
    turns = number - 1 if turn.out else number
    before = hall.totals("spectator")
    assert before == hall.totals("director")
    assert len(before) == turns >= 20

    # The director corrects a tile of turn 3; everything after it is scored again.
    third = script().turns[2]
    square, letter = next((s, t) for s, t in third.tiles.items() if t.isupper())
    wrong = "Q" if letter != "Q" else "Z"
    output = SquareCorrected(3, square.name, wrong, "Ann", "it was misread", NOW_NS)
    assert loop.desk.rule(game.game_id, output).done
    hall.windows.wait(
        "spectator",
        """return [...document.querySelectorAll('#turns tr.turn')].some((row) =>
             row.querySelector('.number').textContent.trim() === '3'
             && Number(row.querySelector('.total').textContent) !== arguments[0])""",
        before["3"],
    )
    after = hall.totals("spectator")
    mine = [n for n in range(3, turns + 1) if script().turns[n - 1].side == third.side]
    assert all(after[str(n)] != before[str(n)] for n in mine)
    assert [after["1"], after["2"]] == [before["1"], before["2"]]
    scores = {
        side: after[str(max(n for n in range(1, turns + 1) if script().turns[n - 1].side == side))]
        for side in ("left", "right")
    }
    hall.reached(turns, scores)
    assert hall.totals("director") == after

    # Nothing forbidden has been sent to anybody of the public, or to a player.
    public.look()
    player.look()
    until(lambda: public.kept.count(b"event: view") >= 2 * turns)
    until(lambda: player.kept.count(b"event: view") >= turns)
    kept = {"public": bytes(public.kept), "player": bytes(player.kept)}
    for who, text in kept.items():
        for word in FORBIDDEN:
            assert word.encode() not in text, (who, word)
        assert b"tilewatch_session" not in text
    assert {"clock_stopped", '"remedies":', '"rulings":'} <= seen

    game.put(GameEnded("agreed", game.t_ns))
    hall.windows.wait(
        "spectator", "return document.querySelector('#link').dataset.state === 'final'"
    )
    for name in hall.windows.handles:
        assert troubles(hall.windows, name) == []
    hall.app.extensions["tilewatch"].close()
    public.close()
    player.close()


def director_sees(hall) -> str:
    client = hall.app.test_client()
    door = hall.app.extensions["tilewatch.door"]
    session = door.sessions.open(door.accounts.find("Ann"))
    client.set_cookie(SESSION_COOKIE, session.token)
    return client.get("/api/v1/tables/1?audience=director").text


def troubles(windows: Windows, name: str) -> list[str]:
    """What a page's console has to complain of."""
    windows.driver.switch_to.window(windows.handles[name])
    return [
        entry["message"]
        for entry in windows.driver.get_log("browser")
        if entry["level"] in ("WARNING", "SEVERE")
    ]
