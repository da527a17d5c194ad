"""The Back key on the director's pages: it closes an open window, and else leaves the page."""

from __future__ import annotations

import pytest

from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS
from tests.dashboard.directorpages import (
    TABLE,
    because,
    challenged,
    chosen,
    foreseen,
    keys,
    pressed,
)

pytestmark = pytest.mark.browser

OPEN = "document.querySelector('dialog[open]') !== null"
SETTLED = f"!({OPEN}) && history.state === null"


@pytest.fixture
def page(browser, desk, url, game) -> Page:
    """A table's page with one turn, reached from the list of tables."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}/director")
    page.wait("document.querySelector('.table-card') !== null")
    browser.execute_script("location.assign(arguments[0])", f"{TABLE}#turn-1")
    page.wait("document.querySelector('[data-correct=\"1\"]') !== null")
    return page


def leaves(page: Page) -> None:
    """One press of Back goes to the page before."""
    page.wait(SETTLED)
    page.driver.back()
    page.wait("location.pathname === '/director'")


@pytest.mark.everyday
def test_back_closes_a_window_and_stays(page):
    for _ in range(2):
        pressed(page, "challenge")
        page.wait(OPEN)
        page.driver.back()
        page.wait(SETTLED)
        assert page.js("location.pathname + location.hash") == f"{TABLE}#turn-1"
        page.wait("document.activeElement.dataset.deed === 'challenge'")
    leaves(page)


def test_back_closes_a_window_that_another_one_led_to(page):
    pressed(page, "more")
    page.click("#menu [data-deed='Points…']")
    page.wait("document.querySelector('#dialog').open")
    page.driver.back()
    page.wait(SETTLED)
    leaves(page)
    assert page.troubles() == []


@pytest.mark.parametrize("how", ["escape", "cancel", "enter"])
def test_a_window_that_was_closed_leaves_nothing_to_go_back_through(page, how):
    challenged(page)
    if how == "escape":
        keys(page.driver, "\ue00c")
    elif how == "cancel":
        page.click("#dialog .buttons button[type=button]:not(.plain)")
    else:
        chosen(page, "challenge_upheld")
    leaves(page)


def test_back_leaves_the_mode_in_which_a_square_is_pressed(page):
    for way in ("back", "escape", "cancel", "back"):
        pressed(page, "tile")
        page.wait("!document.querySelector('#picking').hidden && history.state !== null")
        if way == "back":
            page.driver.back()
        elif way == "escape":
            keys(page.driver, "\ue00c")
        else:
            page.click("#stop-picking")
        page.wait(f"document.querySelector('#picking').hidden && {SETTLED}")
        assert page.js("location.pathname + location.hash") == f"{TABLE}#turn-1"
    pressed(page, "tile")
    page.click("#board [data-name='8D']")
    page.wait(OPEN)
    page.driver.back()
    page.wait(f"document.querySelector('#picking').hidden && {SETTLED}")
    leaves(page)


def test_back_asks_first_where_something_was_typed(page):
    challenged(page)
    because(page, "seen by both")
    for leave in (False, True):
        page.js(
            f"window.asked = 0, window.confirm = () => (window.asked += 1, {str(leave).lower()})"
        )
        page.driver.back()
        page.wait("window.asked === 1")
        assert page.js(OPEN) is not leave
    leaves(page)


def test_a_page_that_is_loaded_again_under_a_window_is_left_at_once(page):
    challenged(page)
    page.driver.refresh()
    page.wait("document.querySelector('[data-correct=\"1\"]') !== null")
    leaves(page)


def test_what_the_menu_leads_down_to_stays_in_sight(page):
    page.driver.set_window_size(500, 700)
    pressed(page, "more")
    page.click("#menu .buttons button:not(:last-child)")
    page.wait(SETTLED)
    assert page.js("document.querySelector('#statements-title').getBoundingClientRect().top") < 700


def test_a_ruling_on_a_turn_s_own_page_is_not_in_the_way_back(page, url):
    page.driver.get(f"{url}{TABLE}/turns/1")
    page.wait("!document.querySelector('#rule').hidden")
    page.click("#rule")
    page.wait(OPEN)
    foreseen(page)
    page.js("window.before = true")
    page.click("#dialog [data-choice=challenge_upheld]:not(:disabled)")
    page.wait("window.before === undefined && document.querySelector('#rule')?.hidden === false")
    page.wait(SETTLED)
    page.driver.back()
    page.wait(f"location.pathname === '{TABLE}'")
