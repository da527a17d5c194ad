"""The hub's pages in a browser: axe-core finds nothing, they fit, and take as few clicks."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from game.events import SquareCorrected
from table.health.alerts import Alert
from tests.dashboard.axe import violations
from tests.dashboard.browsing import Page
from tests.dashboard.directorpages import Clicks
from tests.dashboard.test_steady_lists import hover, under
from tests.hub.hubkit import until
from tests.hub.pagekit import TOURNEY, Pages, put_row, result, served
from tests.hub.servicekit import play

pytestmark = pytest.mark.browser

SCREENS = ((360, 740, "light"), (1366, 768, "dark"))


def faults_on(driver, page: Page, name: str, width: int) -> list[str]:
    """The findings of axe-core on a page, parts wider than the screen, and script errors."""
    found = [f"{name}: {line}" for line in violations(driver)]
    wide = page.js("document.documentElement.scrollWidth")
    if wide > width:
        found.append(f"{name}: {wide} px wide")
    # Nothing to be found by scrolling sideways, where nothing hints at it.
    hidden = page.js(
        "[...document.querySelectorAll('.sheet, .site-nav')]"
        ".filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.className)"
    )
    return found + [f"{name}: {one} is cut off" for one in hidden]


@pytest.mark.everyday
def test_the_hubs_pages_are_for_everybody(venue, driver):
    for seed, table in ((3, venue.table("1")), (2, venue.table("2"))):
        play(table, seed, turns=6)
    hall = venue.service.hall.feeds["public"]
    assert until(lambda: len([row for row in hall.rows() if row["turns"]]) == 2)
    pages, found = Pages(venue), []
    for width, height, scheme in SCREENS:
        with served(driver, pages, width, height, scheme=scheme) as url:
            for path in ("/", "/director/hall", "/tables/1"):
                page = Page(driver, url + path)
                page.wait("document.body.textContent.includes('left of 1')")
                found += faults_on(driver, page, f"{path}, {width}", width)
    assert found == []


EVENT = (
    "/", "/hall", "/event/rounds/1", "/event/standings", "/results", "/event/players",
    "/event/players/ann%20lee", "/event/plays", "/event/search?q=an", "/tables/1/games",
)  # fmt: skip


def test_the_public_site_of_an_event_is_for_everybody(venue, driver):
    play(venue.table("1"), 3, turns=6)
    best = {"bingos": 1, "word": "ZEALOTS", "position": "8D", "score": 88, "turn": 1}
    venue.service.results.put(
        result("1", "Ann Lee", "Bo", (402, 371), plays={"left": best, "right": {"bingos": 0}})
    )
    pages, found = Pages(venue), []
    for width, height, scheme in SCREENS:
        with served(driver, pages, width, height, scheme=scheme) as url:
            for path in EVENT:
                page = Page(driver, url + path)
                page.wait("document.readyState === 'complete'")
                found += faults_on(driver, page, f"{path}, {width}", width) + page.troubles()
    assert found == []
    with served(driver, pages) as url:
        page = Page(driver, f"{url}/event/standings")
        page.driver.find_element("css selector", "#q").send_keys("lee\n")
        page.wait("location.pathname === '/event/search'")
        page.click(".names a")
        page.wait("document.querySelector('h1')?.textContent === 'Ann Lee'")
        page.click(".sheet .score a")
        page.wait("location.pathname.startsWith('/tables/1/games/')")
        page = Page(driver, f"{url}/")
        page.driver.find_element("css selector", "#find").send_keys("ann\n")
        page.wait("location.pathname === '/event/search'")


LONG = "Maximiliana von Hohenberg-Österreich"


def test_a_long_name_can_be_read_on_the_screen_in_the_hall(venue, driver):
    """And it does not make its opponent's name small."""
    for number in range(1, 11):
        put_row(venue, number, right=LONG)
    with served(driver, Pages(venue)) as url:
        page = Page(driver, f"{url}/hall")
        page.wait("document.querySelectorAll('#rows > li').length === 10")
        page.wait("document.querySelector('.who.folded')")
        short, long = page.js(
            "[...document.querySelectorAll('#rows > li:first-child .who')].map((one) =>"
            " parseFloat(getComputedStyle(one).fontSize))"
        )
        assert short / 2 < long < short
        page.wait(
            "[...document.querySelectorAll('.who')].every((one) =>"
            " one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1)"
        )


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (844, 390), (390, 844)])
def test_two_long_names_on_one_card_leave_its_heading_whole(venue, driver, width, height):
    for number in range(1, 41):
        name = f"Table {number}, the feature table on the stage of the great hall"
        put_row(venue, number, LONG, LONG, name=name)
    with served(driver, Pages(venue), width, height) as url:
        page = Page(driver, f"{url}/hall")
        page.wait("document.querySelectorAll('#rows > li').length === 40")
        page.wait("document.querySelector('#rows').style.getPropertyValue('--card-w') !== ''")
        assert page.js("document.documentElement.scrollWidth") <= width
        page.wait(
            "[...document.querySelectorAll('#rows > li:not([hidden])')].filter((card) =>"
            " card.querySelector('header').getBoundingClientRect().top"
            " < card.getBoundingClientRect().top"
            " || card.querySelector('.pair').getBoundingClientRect().bottom"
            " > card.getBoundingClientRect().bottom"
            " || card.querySelector('.pair b').getBoundingClientRect().right"
            " > card.getBoundingClientRect().right).length === 0"
        )


def test_the_screen_in_the_hall_is_filled_by_however_many_tables(venue, driver):
    shown = "[...document.querySelectorAll('#rows > li:not([hidden])')]"
    seen = []
    with served(driver, Pages(venue), 1920, 1080) as url:
        for many in (2, 3, 20, 200):
            for number in range(1, many + 1):
                put_row(venue, number, "A player left", "A player right")
            page = Page(driver, f"{url}/hall")
            page.wait(f"document.querySelectorAll('#rows > li').length === {many}")
            page.wait("document.querySelector('#link').dataset.state === 'live'")
            boxes = page.js(
                f"{shown}.map((e) => e.getBoundingClientRect())"
                ".map((box) => [box.left, box.right, box.top, box.bottom])"
            )
            lefts, rights, tops, bottoms = zip(*boxes, strict=True)
            assert min(lefts) < 40
            assert max(rights) > 1880
            assert max(bottoms) <= 1080
            assert max(bottoms) - min(tops) > 500, many
            last = [box for box in boxes if box[2] == max(tops)]
            middle = (last[0][0] + last[-1][1]) / 2  # a row that is not full stands in the middle
            assert middle == pytest.approx((min(lefts) + max(rights)) / 2, abs=1)
            text = "parseFloat(getComputedStyle(document.querySelector('.pair b')).fontSize)"
            seen.append((len(boxes), page.js(text)))
        counts, sizes = zip(*seen, strict=True)
        assert counts[:3] == (2, 3, 20)
        assert sizes[0] >= sizes[1] > sizes[2] > sizes[3] >= 18  # px: read from some way off
        if counts[3] < 200:
            page.wait("document.querySelector('#page-no').textContent.startsWith('Page 2 of')")


def test_the_table_under_the_pointer_stays_there_when_another_needs_somebody(venue, driver):
    tables = [venue.table(name) for name in "12"]
    for table in tables:
        play(table, 3, turns=2)
    with served(driver, Pages(venue)) as url:
        page = Page(driver, f"{url}/director/hall")
        order = "[...document.querySelectorAll('#rows [data-row]')].map((row) => row.dataset.row)"
        page.wait(f"{order}.join() === '1,2'")

        def point_at(selector: str) -> None:
            there = driver.find_element("css selector", selector)
            ActionChains(driver).move_to_element(there).perform()

        point_at("[data-row='1'] h2 a")
        tables[1].desk.alerts.begin(Alert("camera_lost", "no picture from the camera", 1))
        page.wait("document.querySelector(\"[data-row='2']\").dataset.level === 'trouble'")
        assert page.js(order) == ["1", "2"]
        point_at(".brand")
        page.wait(f"{order}.join() === '2,1'")


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
