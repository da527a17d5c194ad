"""The hub's pages in a browser: what is told, where things stand, and that all can use them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from dashboard.event import install
from game.events import GameEnded, ResultSigned, SquareCorrected, to_payload
from game.state.fold import fold
from game.troubles import make_trouble
from hub.public_row import public_row
from hub.run import event_of
from table.desk import Ruling
from table.pairings.details import Entrant
from table.views.views import view
from tests.dashboard.browsing import PHONE, Page, violations
from tests.dashboard.directorpages import Clicks
from tests.dashboard.test_steady_lists import hover, under
from tests.game.gamekit import random_game
from tests.hub.hubkit import until
from tests.hub.pagekit import TOURNEY, Pages, keep_results, put_row, result, served
from tests.hub.servicekit import play

pytestmark = pytest.mark.browser

LONG = "Maximiliana Wilhelmina von Hohenberg-Öst"
ZEALOTS = {"bingos": 1, "word": "ZEALOTS", "position": "8D", "score": 88, "turn": 1}
BEST = result("t1", "Ann Lee", "Bo", (402, 371), plays={"left": ZEALOTS, "right": {"bingos": 0}})
EMULATED = {
    "no script": ("setScriptExecutionDisabled", {"value": True}, {"value": False}),
    "a finger": ("setTouchEmulationEnabled", {"enabled": True}, {"enabled": False}),
    "forced colours": (
        "setEmulatedMedia",
        {"features": [{"name": "forced-colors", "value": "active"}]},
        {"features": []},
    ),
}


@pytest.fixture
def emulated(driver, request) -> Iterator[None]:
    """The browser is for one test as ``EMULATED`` says."""
    command, begun, ended = EMULATED[request.param]
    driver.execute_cdp_cmd(f"Emulation.{command}", begun)
    yield
    driver.execute_cdp_cmd(f"Emulation.{command}", ended)


def emulating(what: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("emulated", [what], indirect=True)


def choose(page: Page, selector: str, value: str) -> None:
    page.js(
        f"(() => {{ const field = document.querySelector('{selector}'); field.value = '{value}';"
        " field.dispatchEvent(new Event('change')); })()"
    )


def outcome(panel: str) -> str:
    """The script for what a panel says that was done."""
    return f"document.querySelector('[aria-labelledby={panel}] .outcome').textContent"


def test_a_director_is_asked_before_games_get_the_names_of_another_round(opened, driver):
    venue = opened(pairings="round,table,left,right\n1,1,Ann Lee,Bo\n2,1,Cem,Dora\n")
    table = venue.table("table-1")
    play(table, 3, turns=3, names={"left": "Ann Lee", "right": "Bo"})
    rows = venue.service.hall.director
    assert until(lambda: any(row["status"] == "running" for row in rows.rows()))
    with served(driver, Pages(venue), 1920, 1080) as url:
        page = Page(driver, f"{url}/director/hall")
        button = "document.querySelector('#seat').textContent"
        page.wait(f"{button} === 'Send the names of round 1 to 1 table'")
        driver.execute_script(
            "document.querySelector('#seat').textContent ="
            " 'Send the names of round 1 to 40 tables';"
            "const label = document.createRange();"
            "label.selectNode(document.querySelector('#seating label').firstChild);"
            "window.label = label.getBoundingClientRect().height;"
        )
        assert page.js("window.label") < 30  # one line, whatever stands beside it
        choose(page, "#round", "2")
        assert page.text("#seat") == "Send the names of round 2 to 1 table"
        page.click("#seat")
        page.wait("document.querySelector('#send-names').open")
        assert page.text("#send-names-title") == "Send the names of round 2?"
        assert "1 table of 1: Table-1." in page.text("#send-names-playing")
        assert "would get the names of round 2" in page.text("#send-names-others")
        page.click("#send-names [value='']")
        page.wait("!document.querySelector('#send-names').open")
        assert venue.service.requests.newest() == []
        page.click("#seat")
        page.click("#send-names-button")
        page.wait(f"{outcome('t-rounds')}.startsWith('✓ The names of round 2 were sent')")
        assert until(lambda: len(venue.service.requests.newest()) == 1)
        choose(page, "[data-slot=feature]", "table-1")
        page.wait(f"{outcome('t-slots')} === '✓ Slot “feature” shows Table-1.'")
        store = venue.service.store
        page.click("#access summary")
        driver.find_element("css selector", "#access [name=why]").send_keys("it was stolen")
        assert page.text("#keep-out") == "Keep out"
        page.click("#keep-out")  # no table is chosen
        assert store.enrolled()["table-1"].revoked is None
        choose(page, "#access-table", "table-1")
        assert page.text("#keep-out") == "Keep Table-1 out"
        page.click("#keep-out")
        page.wait(f"{outcome('t-enrol')} === '✓ Table-1 is kept out.'")
        assert store.enrolled()["table-1"].revoked == "kept out by ann: it was stolen"
        page.wait("document.querySelector('#access-table').length === 1")
        page.wait("document.querySelector('#keep-out').textContent === 'Keep out'")
        page.click("#out button")
        page.wait("document.querySelector('#access-table').length === 2")
        assert store.enrolled()["table-1"].revoked is None
        assert page.troubles() == []


def test_a_director_says_of_which_division_a_table_is(opened, driver):
    rows = "round,table,division,left,right\n1,1,A,Ann Lee,Bo\n1,1,B,Cem,Dora\n"
    venue = opened(pairings=rows)
    path = venue.config.pairings
    venue.table("table-1")
    with served(driver, Pages(venue)) as url:
        page = Page(driver, f"{url}/director/hall")
        page.wait("document.querySelectorAll('#open-seats button').length === 2")
        shown = page.text("#open-seats li")
        assert "division A: Ann Lee – Bo, and to division B: Cem – Dora" in shown
        assert page.text("#seat") == "Say first which division the tables of round 1 are of"
        page.click("#open-seats button:last-of-type")
        page.wait(f"{outcome('t-rounds')} === '✓ Table-1 is of division B.'")
        page.wait("document.querySelector('#open-seats').hidden")
        page.wait("document.querySelector('#seat').textContent.startsWith('Send the names')")
        # Each table has its own list, which stands on what holds.
        page.wait("document.querySelector('#division-table-1').value === 'B'")
        page.click("#divisions summary")
        choose(page, "#division-table-1", "")
        page.wait(f"{outcome('t-rounds')} === '✓ The division of Table-1: open.'")
        page.wait("!document.querySelector('#open-seats').hidden")
        path.write_text(rows + "2,1,A,Ann Lee,\n")
        page.wait("!document.querySelector('#pairings-fault').hidden")
        assert "pairings.csv, line 4: it needs the names" in page.text("#pairings-fault")
        assert page.troubles() == []


def test_the_halls_clocks_are_right_on_a_device_whose_own_time_is_wrong(venue, driver):
    table = venue.table("t1")
    play(table, 3, turns=3)
    rows = venue.service.hall.director
    assert until(lambda: any((row["clocks"] or {}).get("running") for row in rows.rows()))
    seen = venue.service.tables.table("t1").feeds["director"]
    wrong = "const right = Date.now; Date.now = () => right() + 3 * 3600e3;"
    add, remove = (f"Page.{one}ScriptToEvaluateOnNewDocument" for one in ("add", "remove"))
    script = driver.execute_cdp_cmd(add, {"source": wrong})
    try:
        with served(driver, Pages(venue)) as url:
            page = Page(driver, f"{url}/director/hall")
            shown = "document.querySelector('.clock.running')?.textContent ?? ''"

            def is_right() -> bool:
                (row,) = rows.rows()
                clocks, now_ns = row["clocks"], seen.now_ns()
                left_ns = clocks["remaining_ns"][clocks["running"]] - (now_ns - clocks["since_ns"])
                minutes, _, seconds = page.js(shown).replace("−", "").partition(":")
                return (
                    bool(seconds)
                    and abs(abs(left_ns) / 1e9 - 60 * int(minutes) - int(seconds)) < 60
                )

            assert until(is_right)
    finally:
        driver.execute_cdp_cmd(remove, script)


def test_an_empty_hub_says_so_where_it_is_seen(venue, driver):
    with served(driver, Pages(venue)) as url:
        page = Page(driver, f"{url}/hall")
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        top, bottom = page.js(
            "(({top, bottom}) => [top, bottom])"
            "(document.querySelector('.nobody').getBoundingClientRect())"
        )
        assert 250 < top < bottom < 550
        page = Page(driver, f"{url}/director/hall")
        assert not page.js("document.querySelector('.find').checkVisibility()")
        driver.find_element("css selector", "#enrol-table").send_keys("table-7")
        page.click("#enrol button")
        page.wait("document.querySelector('#code code').textContent.includes(' --hub http')")
        # The option and its value stand in one line, though the whole command does not.
        assert page.js("document.querySelector('#code code > span').getClientRects().length") == 1
        assert page.js("document.querySelector('#code .address button').textContent") == "Copy"


def test_on_a_phone_each_score_stands_in_its_players_line(venue, driver):
    won = {"winner": "right", "spread": 9}
    keep_results(venue, result("t1", "Ann Lee", LONG, (371, 402), **won))
    with served(driver, Pages(venue), *PHONE) as url:
        for path in ("/results", "/event/rounds/1"):
            page = Page(driver, url + path)
            page.wait("document.readyState === 'complete'")
            tops = page.js(
                "['.left a', '.points:first-child', '.right a', '.points:last-child'].map((one) =>"
                " { const range = document.createRange();"
                " range.selectNodeContents(document.querySelector(`.duo tbody ${one}`));"
                " return range.getClientRects()[0].top; })"
            )
            left, left_score, right, right_score = tops
            assert left == pytest.approx(left_score, abs=4), path
            assert right == pytest.approx(right_score, abs=4), path
            assert right > left + 15, path


@emulating("a finger")
@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("size", [PHONE, (360, 640), (844, 390)])
def test_on_a_phone_a_directors_tables_begin_high(venue, driver, size):
    for name in ("t1", "t2"):
        venue.table(name)
    with served(driver, Pages(venue), *size) as url:
        page = Page(driver, f"{url}/director/hall")
        page.there("#tables > li", 2)
        top = page.js("document.querySelector('#tables').getBoundingClientRect().top")
        assert top <= 240
        assert page.js("document.documentElement.scrollWidth") <= size[0]
        assert page.js("document.querySelector('.find label').checkVisibility()")
        right = "document.querySelector('.bar .help a').getBoundingClientRect().right"
        for dot in ("#link", "#link i"):
            left = f"document.querySelector('{dot}').getBoundingClientRect().left"
            assert page.js(f"{right} <= {left}")
        box = "document.querySelector('{}').getBoundingClientRect().left"
        assert page.js(f"{box.format('.bar nav a')} >= {box.format('.bar nav')}")


@pytest.mark.parametrize(
    ("size", "part"), [(PHONE, ".site-nav').{}.top"), ((1920, 1080), "main h1:not(.sr)')?.{}.left")]
)
def test_the_menu_and_the_edge_of_the_pages_stay_where_they_are(venue, driver, size, part):
    put_row(venue, 1)
    where = part.format("getBoundingClientRect()")
    with served(driver, Pages(venue), *size) as url:
        found = set()
        for path in ("/", "/event/rounds", "/event/standings", "/results", "/event/players"):
            page = Page(driver, url + path)
            page.wait("document.readyState === 'complete'")
            found.add(page.js(f"document.querySelector('{where}"))
        assert len(found - {None}) == 1


def test_a_heading_follows_the_round_while_the_page_stays_open(venue, driver):
    pages = Pages(venue)
    put_row(venue, 1, status="ended")
    pages.app.view_functions["event.now"] = lambda: {"round": 4}
    with served(driver, pages) as url:
        page = Page(driver, f"{url}/")
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        page.wait("document.querySelector('[data-drawn]')")
        assert page.text("#round").startswith("All tables of")
        page.js("Math.random = () => -0.49")
        put_row(venue, 1)
        page.wait("document.querySelector('#round').textContent === 'Round 4'")


LONG_NAME = "The 14th International English Language Open Championship of Bucharest"


@pytest.mark.parametrize(
    ("name", "width", "height", "most"),
    [
        (LONG_NAME, 844, 600, 200),
        (LONG_NAME, 1366, 600, 200),
        ("The Lakeside Open 2026", 844, 390, 70),  # a phone held sideways
    ],
)
def test_however_long_the_event_s_name_is_the_menu_is_whole_and_nothing_drops_out(
    opened, driver, name, width, height, most
):
    venue = opened(name=name)
    with served(driver, Pages(venue), width, height) as url:
        for path in ("/", "/event/rounds", "/results"):
            page = Page(driver, url + path)
            page.wait("document.readyState === 'complete'")
            assert page.js("document.documentElement.scrollWidth") <= width
            tops = page.js(
                "[...document.querySelectorAll('.site-nav a')].map((one) =>"
                " one.getBoundingClientRect().top)"
            )
            assert len(set(tops)) == 1, path
            if path == "/":
                page.wait("document.querySelector('#link').dataset.state === 'live'")
                assert page.js("document.querySelector('.site-top').offsetHeight") < most
            middle = "(({top, bottom}) => (top + bottom) / 2)({}.getBoundingClientRect())"
            brand = middle.replace("{}", "document.querySelector('.brand')", 1)
            theme = page.js(brand.replace(".brand", ".theme"))
            assert page.js(brand) == pytest.approx(theme, abs=6), path


@emulating("no script")
@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize(("width", "height"), [PHONE, (1366, 768)])
@pytest.mark.everyday
def test_without_script_every_table_of_the_hall_is_reached(venue, driver, width, height):
    for number in range(42):
        put_row(venue, number, right=LONG)
    with served(driver, Pages(venue), width, height) as url:
        page = Page(driver, f"{url}/hall")
        assert page.js("document.querySelector('.noscript').checkVisibility()")
        top = "document.querySelectorAll('.row')[{}].getBoundingClientRect().top"
        header = page.js("document.querySelector('.site-top').getBoundingClientRect().bottom")
        assert page.js(top.format(0)) > header
        driver.execute_script("scrollTo(0, 1e6)")
        assert page.js(top.format(41)) < height
        assert page.js(
            "[...document.querySelectorAll('.who')].every((e) => e.scrollWidth <= e.clientWidth)"
        )
        for path in ("/", "/event/rounds"):  # nor is there a button for colours
            page = Page(driver, url + path)
            assert not page.js("document.querySelector('.theme').checkVisibility()"), path


def test_on_a_phone_the_first_number_of_a_line_says_what_it_is(venue, driver):
    keep_results(venue, BEST)
    label = "getComputedStyle(document.querySelector('.stack tbody .num'), '::before').content"
    with served(driver, Pages(venue), *PHONE) as url:
        for path in ("/results", "/event/players/bo"):
            page = Page(driver, url + path)
            page.wait("document.readyState === 'complete'")
            assert "Round" in page.js(label), path
            first = "document.querySelector('.stack tbody .num')"
            assert page.js(f"{first}.scrollWidth <= {first}.clientWidth"), path


def test_a_director_s_few_tables_fill_the_width(venue, driver):
    for number in (1, 2, 3):
        venue.table(f"t{number}")
    with served(driver, Pages(venue), 1920, 1080) as url:
        page = Page(driver, f"{url}/director/hall")
        page.wait("document.querySelectorAll('#tables > *').length === 3")
        right = "document.querySelector('{}').getBoundingClientRect().right"
        grid = page.js(right.format("#tables"))
        assert page.js(right.format("#tables > :last-child")) == pytest.approx(grid, abs=1)


def test_a_result_that_nobody_has_signed_needs_a_director(venue, driver):
    for name in "12":
        venue.table(name)
    hall = venue.service.hall.director
    assert until(lambda: [row["state"] for row in hall.rows()] == ["here"] * 2)
    ended = {"status": "ended", "state": "silent", "phase": "waiting", "clocks": None}
    for name, signed in ("3", False), ("4", True):
        hall.put(name, {**hall.rows()[0], **ended, "id": name, "name": name, "signed": signed})
    with served(driver, Pages(venue)) as url:
        page = Page(driver, f"{url}/director")
        page.says("#summary", "1 of 4 needs somebody. 1 result is not signed")
        page.click("#only")
        page.says("#count", "1 of 4 tables")
        page.says("#tables > li:not([hidden]) h2 a", "3")


@emulating("a finger")
@pytest.mark.usefixtures("emulated")
def test_on_a_phone_what_a_player_plays_now_reads_as_one_sentence(venue, driver):
    put_row(venue, 1, right=LONG)
    with served(driver, Pages(venue), *PHONE) as url:
        page = Page(driver, f"{url}/event/players/ann%20lee")
        now = page.text(".call .now")
        assert now == f"Playing at Table 1 against {LONG}, 300 : 345"
        assert page.js("getComputedStyle(document.querySelector('.call .now')).display") == (
            "inline-block"
        )


@emulating("forced colours")
@pytest.mark.usefixtures("emulated")
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


SCREENS = ((360, 740, "light"), (1366, 768, "dark"))


def faults_on(driver, page: Page, name: str, width: int) -> list[str]:
    """The findings of axe-core on a page, parts wider than the screen, and script errors."""
    found = [f"{name}: {line}" for line in violations(driver)]
    wide = page.js("document.documentElement.scrollWidth")
    if wide > width:
        found.append(f"{name}: {wide} px wide")
    # Nothing to be found by scrolling sideways, where nothing hints at it; the standings' rounds
    # go on behind the edge, beside names that stay.
    hidden = page.js(
        "[...document.querySelectorAll('.sheet:not(:has(.cross))')]"
        ".filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.className)"
    )
    # A phone's menu fades at its edge; the page that is open stays in sight.
    hidden += page.js(
        "[...document.querySelectorAll('.site-nav [aria-current]')]"
        ".map((e) => [e.textContent, e.getBoundingClientRect()])"
        ".filter(([_, box]) => box.left < 0 || box.right > innerWidth).map(([text]) => text)"
    )
    return found + [f"{name}: {one} is cut off" for one in hidden]


@pytest.mark.everyday
def test_the_hubs_pages_are_for_everybody(venue, driver):
    for seed, table in ((3, venue.table("1")), (2, venue.table("2"))):
        play(table, seed, turns=6)
    hall = venue.service.hall.public
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
    "/event/rounds/1/pairings", "/event/players/ann%20lee/against/bo",
)  # fmt: skip


def test_the_public_site_of_an_event_is_for_everybody(venue, driver):
    play(venue.table("1"), 3, turns=6)
    venue.service.event.results.put(replace(BEST, table="1"))
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
        page.click(".coming a")
        page.wait("document.querySelector('h1')?.textContent === 'Ann Lee'")
        page.click(".sheet .score a")
        page.wait("location.pathname.startsWith('/tables/1/games/')")
        page = Page(driver, f"{url}/")
        page.driver.find_element("css selector", "#find").send_keys("ann\n")
        page.wait("location.pathname === '/event/search'")


def test_a_round_s_scores_go_on_while_the_page_stays_open(opened, driver):
    """The players of the second game sit the other way round than they are paired."""
    paired = "round,table,left,right\n1,1,Ann Lee,Bo\n1,2,Cem,Dora\n"
    venue = opened(pairings=paired)
    put_row(venue, 1)
    put_row(venue, 2, left="Dora", right="Cem")
    pages = Pages(venue)
    with served(driver, pages) as url:
        page = Page(driver, f"{url}/event/rounds/1")
        score = "[...document.querySelectorAll('td.score')].map((one) => one.textContent.trim())"
        assert page.js(score) == ["300 : 345", "345 : 300"]
        sides = {"left": {"name": "Dora", "score": 321}, "right": {"name": "Cem", "score": 345}}
        put_row(venue, 2, players=sides)
        page.wait(f"{score}[1] === '345 : 321'")
        assert page.js(score)[0] == "300 : 345"
        over = {"status": "ended", "provisional": True}
        put_row(venue, 2, players=sides, **over)
        page.wait("document.querySelector('progress').value === 1")
        assert page.troubles() == []


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
        assert sizes[0] >= sizes[1] > sizes[2]  # with boards; 200 have the scores alone
        assert min(sizes) >= 18  # px: read from some way off
        if counts[3] < 200:
            page.wait("document.querySelector('#page-no').textContent.startsWith('Page 2 of')")


@pytest.mark.everyday
def test_the_script_draws_a_card_as_the_server_does(venue, driver):
    for number, seed in ((1, 3), (2, 5), (3, 8)):
        seen = view(fold(random_game(seed).events[: 20 + 7 * number]), "public")
        seen |= {"clocks": None}
        entrants = {"left": Entrant("", "NZL", 1500)}
        row = public_row(f"table-{number}", f"Table {number}", seen, entrants=entrants)
        venue.service.hall.public.put(row["id"], row)
    shape = """[...document.querySelectorAll('#rows > li, #moments > li')].map((card) =>
      [...card.querySelectorAll('*')].map((one) => [one.tagName, one.textContent.trim(),
        ...['d', 'x', 'y', 'href', 'class', 'aria-label', 'data-side', 'hidden'].map((name) =>
          (one.getAttribute(name) ?? '').trim())].join('|')).join('\\n')).sort()"""
    with served(driver, Pages(venue)) as url:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        page = Page(driver, url)
        drawn = page.js(shape)
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        page = Page(driver, url)
        page.wait("document.querySelectorAll('[data-drawn]').length === 3")
        assert page.js(shape) == drawn


@pytest.mark.everyday
def test_the_page_of_a_game_tells_of_the_event_and_draws_its_course(opened, driver):
    rows = (
        "round,table,left,right,left_country,left_rating\n1,1,Ann Lee,Bo,NZL,1500\n2,1,Bo,Cem,,\n"
    )
    venue = opened(pairings=rows)
    play(venue.table("table-1"), 3, turns=9, names={"left": "Ann Lee", "right": "Bo"})
    pages = Pages(venue)
    install(pages.app, event_of(venue.service))
    hall = venue.service.hall.public
    assert until(lambda: any(row["turns"] == 8 for row in hall.rows()))
    bars = "[...document.querySelectorAll('#bars path')].map((path) => path.getAttribute('d'))"
    with served(driver, pages) as url:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        page = Page(driver, f"{url}/tables/table-1")
        drawn, total = page.js(bars), page.text("#last .sum")
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        page = Page(driver, f"{url}/tables/table-1")
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        assert page.js(bars) == drawn
        assert any(drawn)
        assert page.text("#last .sum") == total
        assert "= " in total
        assert page.text("[data-side=left] .from") == "NZL1500"
        assert page.text("#table-round a") == "Round 1"
        page.js("document.querySelector('.track .bars').dispatchEvent(new MouseEvent('click'))")
        assert page.js("document.querySelector('.walk').classList.contains('past')")
    around = pages.get("/tables/table-1/around").get_json()
    assert around["next"]["round"] == 2
    assert around["players"]["left"]["rating"] == 1500


def test_a_page_that_stays_open_calls_a_result_final_once_it_is_signed(venue, driver):
    table = venue.table("t1")
    names = {"left": "Ann Lee", "right": "Bo"}
    game, state = play(table, 5, turns=200, names=names)
    pages = Pages(venue)
    install(pages.app, event_of(venue.service))
    hall = venue.service.hall.public
    assert until(lambda: any(row["turns"] for row in hall.rows()))
    with served(driver, pages) as url:
        page = Page(driver, f"{url}/tables/t1")
        page.there("#link[data-state=over]")
        at_ns = state.turns[-1].press_ns
        ended = to_payload(GameEnded("confirmed", at_ns))
        table.log.append(game, ended, mono_ns=1, source="director: ann")
        page.wait("document.querySelector('#result').innerText.includes('not yet final')")
        page.there("#link[data-state=provisional]")
        page.there(".player.won", 0)
        assert "won" not in " ".join(page.announced())
        signed = to_payload(ResultSigned("both", at_ns + 1))
        table.log.append(game, signed, mono_ns=1, source="x")
        page.there("#link[data-state=final]")
        page.there(".player.won")
        page.wait("!document.querySelector('#result').innerText.includes('not yet final')")


def test_the_reader_chooses_the_order_and_no_table_jumps_while_one_is_read(venue, driver):
    order = "[...document.querySelectorAll('#rows > li')].map((card) => card.dataset.table)"
    for number, excites in ((1, 20), (2, 60), (3, 40)):
        put_row(venue, number, drama=excites)
    with served(driver, Pages(venue), 390, 500) as url:
        page = Page(driver, url)
        page.wait("document.querySelectorAll('[data-drawn]').length === 3")
        assert page.js(order) == ["table-2", "table-3", "table-1"]
        page.js("scrollTo(0, 1e6)")
        put_row(venue, 1, drama=90)
        page.wait("document.querySelector('[data-table=table-1]').dataset.drama === '90'")
        time.sleep(1.5)
        assert page.js(order) == ["table-2", "table-3", "table-1"]
        page.js("document.querySelector('[data-order=number]').click()")
        assert page.js(order) == ["table-1", "table-2", "table-3"]
        page = Page(driver, url)
        page.wait("document.querySelectorAll('[data-drawn]').length === 3")
        assert page.js(order) == ["table-1", "table-2", "table-3"]
        page.js("document.querySelector('[data-order=drama]').click()")
        assert page.js(order) == ["table-1", "table-2", "table-3"]  # 90, 60, 40


def test_the_table_under_the_pointer_stays_there_when_another_needs_somebody(venue, driver):
    tables = [venue.table(name) for name in "12"]
    for table in tables:
        play(table, 3, turns=2)
    with served(driver, Pages(venue)) as url:
        page = Page(driver, f"{url}/director/hall")
        order = "[...document.querySelectorAll('#tables [data-row]')].map((row) => row.dataset.row)"
        page.wait(f"{order}.join() === '1,2'")

        def point_at(selector: str) -> None:
            there = driver.find_element("css selector", selector)
            ActionChains(driver).move_to_element(there).perform()

        point_at("[data-row='1'] h2 a")
        tables[1].desk.active_troubles.begin(
            make_trouble("camera_lost", "no picture from the camera", 1)
        )
        page.wait(
            "document.querySelector(\"[data-row='2'] .table-card\").dataset.level === 'trouble'"
        )
        assert page.js(order) == ["1", "2"]
        point_at(".brand")
        page.wait(f"{order}.join() === '2,1'")


@pytest.mark.everyday
def test_the_hubs_desk_takes_as_few_clicks(venue, driver):
    table = venue.table("1")
    game, state = play(table, 3, turns=6)
    played = next(turn for turn in reversed(state.turns) if turn.tiles)
    blank = next(reversed(played.tiles))
    correction = SquareCorrected(played.number, blank, "?", "ann", "a blank", 0)
    assert table.desk.post(Ruling(game, correction, "director: local")).done
    assert until(lambda: venue.same(table))
    effort = {}
    with served(driver, Pages(venue)) as address:
        page = Page(driver, f"{address}/director/tables/1?game={game}")
        page.wait("document.querySelector('#bar [data-deed=challenge]:not(:disabled)') !== null")
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
    assert [one.payload["why"] for one in entered[1:]] == [""] * 5  # nobody gave a reason
    assert (entered[2].payload["square"], entered[2].payload["letter"]) == (blank, "E")


def test_the_button_under_the_pointer_stays_while_claims_come_and_one_leads_to_its_game(
    opened, driver
):
    venue = opened(pairings=TOURNEY)

    def claim(number: int) -> None:
        """Tell the hub that a table has the players of another."""
        keep_results(venue, result(f"table-{number}", "Aiko Ito", "Bo", (402, 371), game_id="g"))

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
        keep_results(venue, result("table-1", "Left", "Right", (402, 371), game_id="g 1"))
        unnamed = "[data-row='claim table-1 g 1']"
        page.wait(f'document.querySelector("{unnamed} a") !== null')
        assert "nobody has said who played it" in page.text(unnamed)
        link = page.js(f"document.querySelector(\"{unnamed} a\").getAttribute('href')")
        assert link == "/director/tables/table-1?game=g%201"
