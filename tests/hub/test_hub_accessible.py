"""The hub's pages in a browser: axe-core finds nothing, and they fit."""

from __future__ import annotations

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.server import Server
from table.health.alerts import Alert
from tests.dashboard.axe import violations
from tests.dashboard.browsing import Page
from tests.hub.hubkit import until
from tests.hub.pagekit import Pages, result
from tests.hub.servicekit import play

pytestmark = pytest.mark.browser

SCREENS = ((360, 740, "light"), (1366, 768, "dark"))


@pytest.mark.everyday
def test_the_hubs_pages_are_for_everybody(venue, driver):
    for seed, table in ((3, venue.table("1")), (2, venue.table("2"))):
        play(table, seed, turns=6)
    pages = Pages(venue)
    hall = venue.service.hall.feeds["public"]
    assert until(lambda: len([row for row in hall.rows() if row["turns"]]) == 2)
    server = Server(pages.app, "127.0.0.1", 0)
    server.start()
    driver.set_script_timeout(60)
    try:
        driver.get(f"{server.url}/login")
        driver.add_cookie({"name": SESSION_COOKIE, "value": pages.token})
        found = []
        for width, height, scheme in SCREENS:
            size = {
                "width": width,
                "height": height,
                "deviceScaleFactor": 1,
                "mobile": width < 500,
            }
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            for path in ("/", "/director/hall", "/tables/1"):
                page = Page(driver, server.url + path)
                page.wait("document.body.textContent.includes('left of 1')")
                found += [f"{path}, {width}, {scheme}: {line}" for line in violations(driver)]
                wide = page.js("document.documentElement.scrollWidth")
                if wide > width:
                    found.append(f"{path}: {wide} px wide on {width}")
        assert found == []
    finally:
        driver.get("about:blank")
        driver.delete_all_cookies()
        server.stop()


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
    server = Server(Pages(venue).app, "127.0.0.1", 0)
    server.start()
    driver.set_script_timeout(60)
    try:
        found = []
        for width, height, scheme in SCREENS:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            for path in EVENT:
                page = Page(driver, server.url + path)
                page.wait("document.readyState === 'complete'")
                found += [f"{path}, {width}, {scheme}: {line}" for line in violations(driver)]
                wide = page.js("document.documentElement.scrollWidth")
                if wide > width:
                    found.append(f"{path}: {wide} px wide on {width}")
                # Nothing to be found by scrolling sideways, where nothing hints at it.
                hidden = page.js(
                    "[...document.querySelectorAll('.sheet, .site-nav')]"
                    ".filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.className)"
                )
                found += [f"{path}, {width}: {name} is cut off" for name in hidden]
                found += page.troubles()
        assert found == []
        page = Page(driver, f"{server.url}/event/standings")
        page.driver.find_element("css selector", "#q").send_keys("lee\n")
        page.wait("location.pathname === '/event/search'")
        page.click(".names a")
        page.wait("document.querySelector('h1')?.textContent === 'Ann Lee'")
        page.click(".sheet .score a")
        page.wait("location.pathname.startsWith('/tables/1/games/')")
        page = Page(driver, f"{server.url}/")
        page.driver.find_element("css selector", "#find").send_keys("ann\n")
        page.wait("location.pathname === '/event/search'")
    finally:
        driver.get("about:blank")
        server.stop()


LONG = "Maximiliana von Hohenberg-Österreich"


def test_a_long_name_can_be_read_on_the_screen_in_the_hall(venue, driver):
    server = Server(Pages(venue).app, "127.0.0.1", 0)
    server.start()
    rows = venue.service.hall.feeds["public"]
    size = {"width": 1366, "height": 768, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for number in range(1, 11):
            players = {side: {"name": name, "score": 345} for side, name in
                       (("left", "Ann Lee"), ("right", LONG))}  # fmt: skip
            row = {"id": f"table-{number}", "name": f"Table {number}", "status": "running"}
            more = {"players": players, "on_turn": "left", "settled": False, "final": False}
            rows.put(f"table-{number}", row | more)
        page = Page(driver, f"{server.url}/hall")
        page.wait("document.querySelectorAll('#rows > li').length === 10")
        page.wait("document.querySelector('.who.folded')")
        sizes = page.js(
            "[...document.querySelectorAll('#rows > li:first-child .who')].map((one) =>"
            " parseFloat(getComputedStyle(one).fontSize))"
        )
        assert sizes[1] > sizes[0] / 2
        assert page.js(
            "[...document.querySelectorAll('.who')].every((one) =>"
            " one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1)"
        )
    finally:
        driver.get("about:blank")
        server.stop()


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (844, 390), (390, 844)])
def test_two_long_names_on_one_card_leave_its_heading_whole(venue, driver, width, height):
    server = Server(Pages(venue).app, "127.0.0.1", 0)
    server.start()
    rows = venue.service.hall.feeds["public"]
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 900}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for number in range(1, 41):
            players = {side: {"name": LONG, "score": 345} for side in ("left", "right")}
            name = f"Table {number}, the feature table on the stage of the great hall"
            row = {"id": f"table-{number}", "name": name, "status": "running"}
            more = {"players": players, "on_turn": "left", "settled": False, "final": False}
            rows.put(f"table-{number}", row | more)
        page = Page(driver, f"{server.url}/hall")
        page.wait("document.querySelectorAll('#rows > li').length === 40")
        page.wait("document.querySelector('#rows').style.getPropertyValue('--card-w') !== ''")
        assert page.js("document.documentElement.scrollWidth") <= width
        cut = page.js(
            "[...document.querySelectorAll('#rows > li:not([hidden])')].filter((card) =>"
            " card.querySelector('header').getBoundingClientRect().top"
            " < card.getBoundingClientRect().top"
            " || card.querySelector('.pair').getBoundingClientRect().bottom"
            " > card.getBoundingClientRect().bottom"
            " || card.querySelector('.pair b').getBoundingClientRect().right"
            " > card.getBoundingClientRect().right).length"
        )
        assert cut == 0
    finally:
        driver.get("about:blank")
        server.stop()


def test_the_menu_of_the_event_takes_one_line_on_a_phone_held_sideways(venue, driver):
    app = Pages(venue).app
    app.jinja_env.globals["hub_name"] = "The Lakeside Open 2026"
    server = Server(app, "127.0.0.1", 0)
    server.start()
    size = {"width": 844, "height": 390, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, f"{server.url}/")
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        assert page.js("document.querySelector('.site-top').offsetHeight") < 70
    finally:
        driver.get("about:blank")
        server.stop()


def test_the_screen_in_the_hall_is_filled_by_however_many_tables(venue, driver):
    server = Server(Pages(venue).app, "127.0.0.1", 0)
    server.start()
    rows = venue.service.hall.feeds["public"]
    names = {side: {"name": f"A player {side}", "score": 345} for side in ("left", "right")}
    size = {"width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    shown = "[...document.querySelectorAll('#rows > li:not([hidden])')]"
    try:
        seen = []
        for many in (2, 3, 20, 200):
            for number in range(1, many + 1):
                row = {"id": f"table-{number}", "name": f"Table {number}", "status": "running"}
                more = {"players": names, "on_turn": "left", "settled": False, "final": False}
                rows.put(f"table-{number}", row | more)
            page = Page(driver, f"{server.url}/hall")
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
        assert [count for count, _ in seen][:3] == [2, 3, 20]
        assert (
            seen[0][1] >= seen[1][1] > seen[2][1] > seen[3][1] >= 18
        )  # px: read from some way off
        if seen[3][0] < 200:
            page.wait("document.querySelector('#page-no').textContent.startsWith('Page 2 of')")
    finally:
        driver.get("about:blank")
        server.stop()


def test_the_table_under_the_pointer_stays_there_when_another_needs_somebody(venue, driver):
    from selenium.webdriver.common.action_chains import ActionChains

    tables = [venue.table(name) for name in "12"]
    for table in tables:
        play(table, 3, turns=2)
    pages = Pages(venue)
    server = Server(pages.app, "127.0.0.1", 0)
    server.start()
    try:
        driver.get(f"{server.url}/login")
        driver.add_cookie({"name": SESSION_COOKIE, "value": pages.token})
        page = Page(driver, f"{server.url}/director/hall")
        order = "[...document.querySelectorAll('#rows [data-row]')].map((row) => row.dataset.row)"
        page.wait(f"{order}.join() === '1,2'")
        ActionChains(driver).move_to_element(
            driver.find_element("css selector", "[data-row='1'] h2 a")
        ).perform()
        tables[1].desk.alerts.begin(Alert("camera_lost", "no picture from the camera", 1))
        page.wait("document.querySelector(\"[data-row='2']\").dataset.level === 'trouble'")
        assert page.js(order) == ["1", "2"]
        ActionChains(driver).move_to_element(
            driver.find_element("css selector", ".brand")
        ).perform()
        page.wait(f"{order}.join() === '2,1'")
    finally:
        driver.get("about:blank")
        driver.delete_all_cookies()
        server.stop()
