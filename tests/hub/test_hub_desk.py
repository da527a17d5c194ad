"""A director's work at the hub takes as many clicks as at the table."""

from __future__ import annotations

import pytest

from game.events import SquareCorrected
from tests.dashboard.browsing import Page
from tests.dashboard.directorpages import Clicks
from tests.dashboard.test_steady_lists import hover, under
from tests.hub.hubkit import until
from tests.hub.pagekit import TOURNEY, Pages, result, served
from tests.hub.servicekit import play

pytestmark = pytest.mark.browser


@pytest.fixture
def address(venue, driver):
    """The address of the hub's pages for a director."""
    with served(driver, Pages(venue)) as url:
        yield url


@pytest.mark.everyday
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
    assert page.troubles() == []
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


def test_a_game_whose_players_nobody_named_leads_to_where_they_are_named(opened, driver):
    venue = opened(pairings=TOURNEY)
    with served(driver, Pages(venue)) as address:
        venue.service.store.enrol("table-1", "Table 1", "0" * 64, None)
        unnamed = result("table-1", "Left", "Right", (402, 371), game_id="g 1")
        venue.service.results.put(unnamed)
        page = Page(driver, f"{address}/director/hall")
        page.wait("document.querySelector('#claims li a') !== null")
        assert "nobody has said who played it" in page.text("#claims li")
        link = page.js("document.querySelector('#claims li a').getAttribute('href')")
        assert link == "/director/tables/table-1?game=g%201"


def test_the_button_under_the_pointer_stays_there_while_claims_come(opened, driver):
    venue = opened(pairings=TOURNEY)

    def claim(number: int) -> None:
        """Tell the hub that a table has the players of another."""
        venue.service.store.enrol(f"table-{number}", f"Table {number}", "0" * 64, None)
        claimed = result(f"table-{number}", "Aiko Ito", "Bo", (402, 371), game_id="g")
        venue.service.results.put(claimed)

    with served(driver, Pages(venue)) as address:
        claim(9)
        page = Page(driver, f"{address}/director/hall")
        button = "[data-row='claim table-9 g'] button"
        page.wait(f'document.querySelector("{button}") !== null')
        point = hover(page, button)
        page.js(f'document.querySelector("{button}").focus()')
        claim(7)
        claim(8)
        page.wait("document.querySelectorAll('#claims li').length === 3")
        assert under(page, point) == "claim table-9 g"
        assert page.js(f'document.activeElement === document.querySelector("{button}")')
