"""The pages of a table at which no game has been played yet."""

from __future__ import annotations

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.server import Server
from game.events import ButtonPressed, GameStarted
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, GameInLog
from tests.dashboard.desk_fixtures import Desked, desked
from tests.dashboard.directorpages import TABLE

pytestmark = pytest.mark.browser


@pytest.fixture
def fresh(log, tmp_path):
    """A table with a desk and no game."""
    yield from desked(log, GameInLog(log), tmp_path / "data")


@pytest.fixture
def server(fresh: Desked):
    running = Server(fresh.app, "127.0.0.1", 0)
    running.start()
    yield running
    running.stop()


def test_the_desk_says_that_no_game_has_been_played_and_shows_nothing_empty(driver, fresh, server):
    door = fresh.app.extensions["tilewatch.door"]
    driver.get(f"{server.url}/login")
    session = door.sessions.open(door.accounts.find("Ann"))
    driver.add_cookie({"name": SESSION_COOKIE, "value": session.token, "path": "/"})
    try:
        page = Page(driver, f"{server.url}{TABLE}")
        page.wait("document.querySelector('#phase').textContent !== ''")
        shown = "!document.querySelector('#{}').hidden"
        for part in ("no-game", "no-turns", "no-statements"):
            assert page.js(shown.format(part)), part
        assert page.js("document.querySelector('#game').offsetWidth") == 0
        assert page.js("document.querySelector('#bar').offsetHeight") == 0
        fresh.game.start()
        page.wait("document.querySelector('#bar button') !== null")
        assert page.js("document.querySelector('#no-game').hidden")
    finally:
        driver.get("about:blank")
        driver.delete_all_cookies()


def test_a_table_without_a_game_says_that_alone(driver, server):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page = Page(driver, f"{server.url}/")
    page.wait("document.querySelector('#link').dataset.state === 'waiting'")
    assert page.js("document.body.innerText").count("Waiting for") == 1
    assert page.text("#last .who span") == "Waiting for the next game"
    hidden = "document.querySelector('{}').offsetWidth === 0"
    for part in ("#last .asked", ".players", ".walk", "#order", "#link", ".scroll"):
        assert page.js(hidden.format(part)), part
    assert page.js("document.querySelector('.top').offsetHeight") < 60


@pytest.mark.everyday
def test_a_game_that_begins_takes_the_place_of_that(driver, fresh, server):
    page = Page(driver, f"{server.url}/")
    page.wait("document.querySelector('#link').dataset.state === 'waiting'")
    fresh.game.put(GameStarted("game-1", NAMES, "wespa-2007", "english", "left", fresh.game.t_ns))
    page.wait("document.querySelector('.players').offsetWidth > 0")
    page.wait("document.querySelector('#link').textContent === 'Not begun'")
    assert page.text("#last .who span") == "The board is empty"
    fresh.game.put(ButtonPressed("right", fresh.game.t_ns))
    page.wait("document.querySelector('#link').textContent === 'Live'")
    assert page.troubles() == []
