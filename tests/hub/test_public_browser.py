"""The hub's public pages in a browser: what a visitor reaches, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dashboard.browsing import Page
from tests.hub.pagekit import Pages
from tests.hub.servicekit import Venue
from tests.hub.test_hall_browser import PHONE, served

pytestmark = pytest.mark.browser

LONG = "Maximiliana Wilhelmina von Hohenberg-Öst"


def put(venue: Venue, number: int, left: str = "Ann Lee", right: str = "Bo") -> None:
    """Let a table that is being played stand in the hall's public list."""
    players = {"left": {"name": left, "score": 1}, "right": {"name": right, "score": 20}}
    row = {"id": f"t{number:02}", "name": f"T{number}", "status": "running", "final": False}
    venue.service.hall.feeds["public"].put(
        f"t{number:02}", {**row, "players": players, "on_turn": "left"}
    )


@pytest.fixture
def without_script(driver) -> Iterator[None]:
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.usefixtures("without_script")
@pytest.mark.parametrize(("width", "height"), [PHONE, (1366, 768)])
def test_without_script_every_table_of_the_hall_is_reached(venue, driver, width, height):
    for number in range(42):
        put(venue, number, right=LONG)
    with served(driver, Pages(venue), width, height) as url:
        page = Page(driver, f"{url}/hall")
        assert page.js("document.querySelector('.noscript').checkVisibility()")
        top = "document.querySelectorAll('.row')[{}].getBoundingClientRect().top"
        header = page.js("document.querySelector('.hall-top').getBoundingClientRect().bottom")
        assert page.js(top.format(0)) > header
        driver.execute_script("scrollTo(0, 1e6)")
        assert page.js(top.format(41)) < height
        assert page.js(
            "[...document.querySelectorAll('.who')].every((e) => e.scrollWidth <= e.clientWidth)"
        )


@pytest.mark.usefixtures("without_script")
def test_without_script_there_is_no_button_for_colours(venue, driver):
    with served(driver, Pages(venue)) as url:
        for path in ("/", "/event/rounds"):
            page = Page(driver, url + path)
            assert not page.js("document.querySelector('.theme').checkVisibility()"), path
