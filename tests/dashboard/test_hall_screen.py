"""A table's page on a screen in the hall: read from afar."""

from __future__ import annotations

import pytest

from game.events import Finding, GameEnded, RackReported
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS, GameInLog

pytestmark = pytest.mark.browser


@pytest.mark.everyday
def test_a_screen_in_the_hall_is_read_from_afar(driver, server, game):
    for place, word in TURNS:
        game.play(place, word)
    size = {"width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, f"{server.url}/?hall")
        page.wait_for_turns(len(TURNS))
        root = "document.documentElement"
        assert page.js(f"{root}.scrollHeight") <= 1080
        assert page.js(f"{root}.scrollWidth") <= 1920
        # A twelfth and a twentieth of the screen's height: read from across the room.
        height = "parseFloat(getComputedStyle(document.querySelector('{}')).fontSize)"
        assert page.js(height.format(".score")) >= 1080 / 12
        assert page.js(height.format(".clock")) >= 1080 / 20
        assert page.js("getComputedStyle(document.querySelector('.walk')).display") == "none"
        for selector in (".score", ".clock", ".name"):
            assert page.in_cards(selector), selector
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_before_the_first_turn_a_screen_in_the_hall_is_read_from_afar_too(driver, server, game):
    size = {"width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, f"{server.url}/?hall")
        page.wait_for_turns(0)
        height = "parseFloat(getComputedStyle(document.querySelector('{}')).fontSize)"
        assert page.js(height.format("#no-turns")) >= 1080 / 45
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1366, 768), (1600, 900), (1920, 1080)])
def test_a_screen_in_the_hall_shows_the_totals_whatever_the_names_are(
    driver, server, log, width, height
):
    names = {"left": "Ioana Petrescu-Bălan", "right": "Kamala Iyer Subramaniam"}
    game = GameInLog(log, "game-2").start(names)
    game.play("8D", "FIRNS")
    game.play("H8", ".HOe")
    game.play("10F", "TO.LSANDBA")
    game.play("F10", ".A~", [Finding("uncertain_square", "F12", "may be X 62%, L 31%")])
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, f"{server.url}/tables/1?hall")
        page.wait_for_turns(4)
        assert "being checked" in page.text("#turns")
        right = "getBoundingClientRect().right"
        assert page.js(
            f"[...document.querySelectorAll('#turns td.total')].every((cell) => cell.{right}"
            f" <= document.querySelector('.turns').{right})"
        )
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080)])
def test_a_screen_in_the_hall_shows_the_whole_result(driver, server, log, width, height):
    names = {"left": "Maximiliana von Hohenberg-Österreich", "right": "Kamala Iyer Subramaniam"}
    game = GameInLog(log, "game-2").start(names)
    game.play("8D", "FIRNS")
    game.play("H1", "NYLEEOL.SIAEECD")
    game.put(RackReported("left", "AAEEIQZ", game.t_ns, "director"))
    game.put(RackReported("right", "IOUVVWW", game.t_ns, "director"))
    game.put(GameEnded("shortened", game.t_ns, "director"))
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, f"{server.url}/tables/1?hall")
        page.wait("document.querySelector('.turns').dataset.tab === 'result'")
        page.wait("document.querySelector('.course g[transform]') !== null")
        assert page.text(".verdict").startswith(names["right"])
        rem = page.js("parseFloat(getComputedStyle(document.documentElement).fontSize)")
        verdict = "parseFloat(getComputedStyle(document.querySelector('.verdict')).fontSize)"
        assert page.js(verdict) >= 1.8 * rem
        result = "document.querySelector('.result')"
        assert page.js(f"{result}.scrollHeight <= {result}.clientHeight")
        assert page.js(
            "[...document.querySelectorAll('.numbers td')].every((e) =>"
            " e.scrollWidth <= e.clientWidth && e.getClientRects().length < 2)"
        )
        lines = "document.querySelector('.course g').getBoundingClientRect().width"
        assert page.js(lines) > 0.55 * page.js(f"{result}.clientWidth")
        assert page.js("document.querySelector('#last').offsetWidth") == 0
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
