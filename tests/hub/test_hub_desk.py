"""A director's work at the hub takes as many clicks as at the table."""

from __future__ import annotations

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.server import Server
from game.events import SquareCorrected
from tests.dashboard.browsing import Page
from tests.dashboard.directorpages import Clicks
from tests.hub.hubkit import until
from tests.hub.servicekit import play
from tests.hub.test_pages import Pages

pytestmark = pytest.mark.browser


@pytest.fixture
def address(venue, driver):
    """Where the hub's pages are, with the director signed in."""
    pages = Pages(venue)
    server = Server(pages.app, "127.0.0.1", 0)
    server.start()
    driver.get(f"{server.url}/login")
    driver.add_cookie({"name": SESSION_COOKIE, "value": pages.token})
    yield server.url
    driver.get("about:blank")
    driver.delete_all_cookies()
    server.stop()


def test_the_hubs_desk_takes_as_few_clicks(venue, driver, address):
    table = venue.table("1")
    game, state = play(table, 3, turns=6)
    played = next(turn for turn in reversed(state.turns) if turn.tiles)
    blank = next(reversed(played.tiles))
    correction = SquareCorrected(played.number, blank, "?", "ann", "a blank", 0)
    assert table.desk.rule(game, correction, "director: local").done
    assert until(lambda: venue.same(table))
    page = Page(driver, f"{address}/director/tables/1?game={game}")
    page.wait("document.querySelector('#bar [data-deed=challenge]:not(:disabled)') !== null")
    effort = {}
    for name, *path in (
        ("clock", "#bar [data-deed=clock]", "[data-choice='left+1:00']"),
        ("blank", "#bar [data-deed=blank]", "#dialog [data-choice=E]"),
        ("challenge", "#bar [data-deed=challenge]", "[data-choice=challenge_failed]"),
        ("tile", "#bar [data-deed=tile]",
         f"#board [data-name='{next(iter(state.turns[0].tiles))}']", "#dialog [data-choice=Q]"),
        ("ending", "#bar [data-deed=end]", "[data-choice=right-resigned]"),
    ):  # fmt: skip
        clicks = Clicks(page)
        for selector in path:
            clicks.on(f"{selector}:not(:disabled)")
        clicks.until_closed()
        effort[name] = clicks.made
    assert effort == {"clock": 2, "blank": 2, "challenge": 2, "tile": 3, "ending": 2}
    entered = [one for one in table.log.events(game) if one.payload.get("by") == "ann"]
    assert [one.type for one in entered] == [
        "SquareCorrected", "ClockAdjusted", "BlankDesignated", "TurnRuled", "SquareCorrected",
        "GameForfeited",
    ]  # fmt: skip
    assert all(one.payload["why"] for one in entered)
    assert (entered[2].payload["square"], entered[2].payload["letter"]) == (blank, "E")


def test_a_table_is_kept_out_only_after_a_second_look(venue, driver, address):
    venue.table("1")
    store = venue.service.store
    page = Page(driver, f"{address}/director/hall")
    button = "document.querySelector('#access-button').textContent"
    page.wait(f"{button} === 'Keep out…'")
    page.click("#access-button")
    page.wait("document.querySelector('#keep-out').open")
    assert "Keep" in page.js("document.querySelector('#keep-out-title').textContent")
    page.click("#keep-out .buttons button[value='']")
    page.wait("!document.querySelector('#keep-out').open")
    assert store.enrolled()["1"].revoked is None
    page.click("#access-button")
    page.wait("document.querySelector('#keep-out').open")
    driver.find_element("css selector", "#keep-out-why").send_keys("it was stolen")
    page.click("#keep-out button[value=revoke]")
    page.wait(f"{button} === 'Let in again'")
    assert store.enrolled()["1"].revoked == "kept out by ann: it was stolen"
    page.click("#access-button")
    page.wait(f"{button} === 'Keep out…'")
    assert store.enrolled()["1"].revoked is None
