"""The hub's pages in a browser: axe-core finds nothing, and they fit."""

from __future__ import annotations

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.server import Server
from tests.dashboard.axe import violations
from tests.dashboard.browsing import Page, browser
from tests.hub.hubkit import until
from tests.hub.servicekit import play
from tests.hub.test_pages import Pages

pytestmark = pytest.mark.browser

SCREENS = ((360, 740, "light"), (1366, 768, "dark"))


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    yield from browser(tmp_path_factory.mktemp("chromium"))


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
