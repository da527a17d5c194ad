"""The pages of a table at which no game has been played yet."""

from __future__ import annotations

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.server import Server
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import GameInLog
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


def test_nothing_is_walked_through_before_the_first_turn(driver, server):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page = Page(driver, f"{server.url}/")
    page.wait("document.querySelector('#link').dataset.state === 'waiting'")
    assert page.text("#last .who span") == "No game has begun yet"
    assert page.js("document.querySelector('#last .asked').offsetWidth") == 0
    assert page.js("document.querySelectorAll('.walk button:not(.now):disabled').length") == 2
    assert page.js("document.querySelector('.top').offsetHeight") < 60
