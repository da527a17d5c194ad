"""The hub's public pages in a browser: what a visitor reaches, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dashboard.browsing import Page
from tests.hub.pagekit import Pages, put_row, result, served
from tests.hub.test_hall_browser import PHONE

pytestmark = pytest.mark.browser

LONG = "Maximiliana Wilhelmina von Hohenberg-Öst"


@pytest.fixture
def without_script(driver) -> Iterator[None]:
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.usefixtures("without_script")
@pytest.mark.parametrize(("width", "height"), [PHONE, (1366, 768)])
@pytest.mark.everyday
def test_without_script_every_table_of_the_hall_is_reached(venue, driver, width, height):
    for number in range(42):
        put_row(venue, number, right=LONG)
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


def test_every_public_page_begins_at_the_same_edge(venue, driver):
    put_row(venue, 1)
    with served(driver, Pages(venue), 1920, 1080) as url:
        edges = set()
        for path in ("/", "/event/rounds", "/event/standings", "/results", "/event/players"):
            page = Page(driver, url + path)
            page.wait("document.readyState === 'complete'")
            heading = page.js("document.querySelector('main h1:not(.sr)')?.innerText")
            if heading:
                edges.add(page.js("document.querySelector('main h1').getBoundingClientRect().left"))
        assert len(edges) == 1


def test_on_a_phone_the_first_number_of_a_line_says_what_it_is(venue, driver):
    venue.service.store.enrol("t1", "T1", "0" * 64, None)
    best = {"bingos": 1, "word": "ZEALOTS", "position": "8D", "score": 88, "turn": 1}
    venue.service.results.put(
        result("t1", "Ann Lee", "Bo", (402, 371), plays={"left": best, "right": {"bingos": 0}})
    )
    label = "getComputedStyle(document.querySelector('.stack tbody .num'), '::before').content"
    with served(driver, Pages(venue), *PHONE) as url:
        for path, word in (
            ("/results", "Round"),
            ("/event/players/bo", "Round"),
            ("/event/plays", "Points"),
        ):
            page = Page(driver, url + path)
            page.wait("document.readyState === 'complete'")
            assert word in page.js(label), path
            first = "document.querySelector('.stack tbody .num')"
            assert page.js(f"{first}.scrollWidth <= {first}.clientWidth"), path


def test_a_director_s_few_tables_fill_the_width(venue, driver):
    for number in (1, 2, 3):
        venue.table(f"t{number}")
    with served(driver, Pages(venue), 1920, 1080) as url:
        page = Page(driver, f"{url}/director/hall")
        page.wait("document.querySelectorAll('#rows > *').length === 3")
        right = "document.querySelector('{}').getBoundingClientRect().right"
        grid = page.js(right.format("#rows"))
        assert page.js(right.format("#rows > :last-child")) == pytest.approx(grid, abs=1)


@pytest.fixture
def finger(driver) -> Iterator[None]:
    touch = "Emulation.setTouchEmulationEnabled"
    driver.execute_cdp_cmd(touch, {"enabled": True})
    yield
    driver.execute_cdp_cmd(touch, {"enabled": False})


@pytest.fixture
def forced_colours(driver) -> Iterator[None]:
    media = "Emulation.setEmulatedMedia"
    driver.execute_cdp_cmd(media, {"features": [{"name": "forced-colors", "value": "active"}]})
    yield
    driver.execute_cdp_cmd(media, {"features": []})


@pytest.mark.usefixtures("finger")
def test_on_a_phone_what_a_player_plays_now_reads_as_one_sentence(venue, driver):
    put_row(venue, 1, right=LONG)
    with served(driver, Pages(venue), *PHONE) as url:
        page = Page(driver, f"{url}/event/players/ann%20lee")
        now = page.text(".lead .now")
        assert now == f"Playing at Table 1 against {LONG}, 300 : 345"
        assert page.js("getComputedStyle(document.querySelector('.lead .now')).display") == (
            "inline-block"
        )


@pytest.mark.usefixtures("forced_colours")
def test_in_forced_colours_whose_turn_it_is_and_the_page_of_the_menu_are_seen(venue, driver):
    put_row(venue, 1)
    with served(driver, Pages(venue)) as url:
        page = Page(driver, url)
        page.wait("document.querySelector('.sign.on')")
        ground = "getComputedStyle(document.querySelector('{}'), '{}').backgroundColor"
        plain = page.js(ground.format("body", ""))
        assert page.js(ground.format(".sign.on", "::before")) != plain
        assert page.js(ground.format(".live i", "")) != plain
        current, other = (
            page.js(ground.format(f".site-nav a{one}", ""))
            for one in ("[aria-current]", ":not([aria-current])")
        )
        assert current != other


@pytest.mark.usefixtures("finger")
@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_the_director_s_menu_stays_clear_of_the_dot(venue, driver, width):
    with served(driver, Pages(venue), width, 780) as url:
        page = Page(driver, f"{url}/director/hall")
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        box = "document.querySelector('{}').getBoundingClientRect()"
        assert page.js(f"{box.format('.help a')}.right") <= page.js(f"{box.format('#link i')}.left")
        assert page.js(f"{box.format('.bar nav a')}.left") >= page.js(
            f"{box.format('.bar nav')}.left"
        )
