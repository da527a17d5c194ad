"""Every page, light and dark, small, large and enlarged: axe-core finds nothing on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.overlay.pages import PARTS
from dashboard.server import Server
from game.events import BlankDesignated, Finding
from sensors.phone import PhoneInbox, PhoneOptions
from table.certificates import pages_certificate
from tests.dashboard.axe import violations
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS
from tests.dashboard.desk_fixtures import desked

pytestmark = pytest.mark.browser

SCREENS = {
    "phone, light": (360, 740, 2, "light"),
    "phone, dark": (360, 740, 2, "dark"),
    "hall, dark": (1920, 1080, 1, "dark"),
    "enlarged, light": (960, 540, 2, "light"),  # 1920 × 1080 at 200%
}

STILL = (
    "document.getAnimations().every((a) => a.playState !== 'running'"
    " || a.effect.getTiming().iterations === Infinity || a.timeline !== document.timeline)"
)
"""Nothing moves but what never stops, or goes with the scrolling: what is half transparent has no
contrast yet."""

SPECTATORS = {
    "table": ("/", "document.querySelectorAll('tr.turn').length === 6"),
    "in the hall": ("/tables/1?hall", "document.querySelectorAll('tr.turn').length === 6"),
    "clock": ("/tables/1/clock#{key}", "document.querySelector('.half.running')"),
    "clock without its key": ("/tables/1/clock", "document.querySelector('#word').textContent"),
    "camera without its key": ("/tables/1/camera", "document.querySelector('#word').textContent"),
    "error": ("/nowhere", "document.querySelector('h1')"),
    "log in": ("/login", "document.querySelector('form')"),
}
DIRECTORS = {
    "desk": ("/director", "document.querySelector('#link').dataset.state === 'live'"),
    "a table": ("/director/tables/1", "document.querySelector('#link').dataset.state === 'live'"),
    "a turn": ("/director/tables/1/turns/2", "document.querySelector('main').textContent"),
    "a phone's pairing": (
        "/director/tables/1/camera",
        "document.querySelector('#says').textContent.includes('No phone is paired')",
    ),
    "links": ("/director/links", "document.querySelector('#clocks li')"),
}


@pytest.fixture
def hall(tmp_path, log, game, driver):
    """A game with everything in it that a page can show, and a director who is logged in."""
    for made in desked(log, game, tmp_path / "data"):
        for place, word in TURNS:
            findings = [Finding("misoriented_tile", "8D", "upside down")] if place == "H8" else []
            game.play(place, word, findings)
        game.put(BlankDesignated("11H", "S", "the player", "said so", game.t_ns))
        made.site.add(replace(made.table, phone=PhoneInbox(PhoneOptions())))
        door = made.app.extensions["tilewatch.door"]
        session = door.sessions.open(door.accounts.find("Ann"))
        server = Server(made.app, "127.0.0.1", 0)
        server.start()
        made.app.extensions["tilewatch.tls"] = pages_certificate(tmp_path, [])
        driver.set_script_timeout(60)
        driver.get(f"{server.url}/login")
        driver.add_cookie({"name": SESSION_COOKIE, "value": session.token})
        yield SimpleNamespace(
            url=server.url, key=made.app.extensions["tilewatch.clock_keys"].key("1")
        )
        driver.get("about:blank")
        driver.delete_all_cookies()
        server.stop()


@contextmanager
def seen(driver, width: int, height: int, scale: int, scheme: str) -> Iterator[int]:
    """The browser's window as such a screen."""
    size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500}
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        yield width
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(params=SCREENS)
def screen(request, driver) -> Iterator[int]:
    with seen(driver, *SCREENS[request.param]) as width:
        yield width


def look(driver, hall, pages, width) -> list[str]:
    """What is wrong with the pages."""
    found = []
    for name, (path, ready) in pages.items():
        page = Page(driver, hall.url + path.format(key=hall.key))
        page.wait(ready)
        page.wait(STILL)
        found += [f"{name}: {line}" for line in violations(driver)]
        wide = page.js("document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"{name}: {wide} px wide on {width}")
    return found


def test_pages_for_everybody(driver, hall, screen):
    assert look(driver, hall, SPECTATORS, screen) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_that_was_walked_back(driver, hall, scheme):
    with seen(driver, 1366, 768, 1, scheme):
        page = Page(driver, hall.url)
        page.wait(SPECTATORS["table"][1])
        page.click("tr.turn[data-number='2'] button")
        page.wait("document.querySelector('.walk').classList.contains('past')")
        assert violations(driver) == []


@pytest.mark.parametrize(("scheme", "parts"), [("dark", PARTS), ("light", ("scene",))])
@pytest.mark.everyday
def test_overlays(driver, hall, scheme, parts):
    shown = "document.querySelector('#stage').dataset.state === 'shown'"
    with seen(driver, 1920, 1080, 1, scheme) as width:
        pages = {part: (f"/overlay/1/{part}", shown) for part in parts}
        pages["a value"] = ("/obs/1/score", "document.body.textContent.trim()")
        assert look(driver, hall, pages, width) == []


def test_the_directors_pages(driver, hall, screen):
    assert look(driver, hall, DIRECTORS, screen) == []


@pytest.mark.everyday
def test_a_thumb_hits_whatever_is_pressed(driver, hall):
    """Nothing that is pressed is lower than 40 px on a phone, but a link in running text."""
    low = (
        "return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select,"
        " summary')].map((one) => [one, (one.closest('label') ?? one).getBoundingClientRect()])"
        ".filter(([one, box]) => box.width > 1 && box.height < 40"
        " && !one.closest('.sr, .skip, .foot, .line')"
        " && !(one.matches(':is(p, li) > a')"
        " && one.parentElement.textContent.length > one.textContent.length + 9)"
        " && getComputedStyle(one, '::after').position !== 'absolute')"  # a link may cover its card
        ".map(([one, box]) => `${one.outerHTML.slice(0, 80)} ${box.height}`)"
    )
    touch = "Emulation.setTouchEmulationEnabled"
    found = []
    with seen(driver, 390, 844, 1, "light"):
        driver.execute_cdp_cmd(touch, {"enabled": True})
        try:
            for name, (path, ready) in (SPECTATORS | DIRECTORS).items():
                page = Page(driver, hall.url + path.format(key=hall.key))
                page.wait(ready)
                found += [f"{name}: {line}" for line in driver.execute_script(low)]
        finally:
            driver.execute_cdp_cmd(touch, {"enabled": False})
    assert not found, "\n".join(found)


@pytest.mark.parametrize("deed", ["challenge", "blank", "tile", "score", "clock", "end", "more"])
def test_whatever_a_director_can_say(driver, hall, deed):
    for number in (0, -1):
        with seen(driver, *list(SCREENS.values())[number]) as width:
            page = Page(driver, f"{hall.url}/director/tables/1")
            page.wait(f"document.querySelector('#bar [data-deed={deed}]:not(:disabled)') !== null")
            page.click(f"#bar [data-deed={deed}]")
            if deed == "tile":  # the square is pressed next
                page.click("#board [data-name='8D']")
            page.wait("document.querySelector('dialog[open]') !== null")
            page.wait("document.querySelector('dialog [aria-busy=true]') === null")
            page.wait(STILL)
            assert violations(driver) == []
            assert page.js("document.documentElement.scrollWidth") <= width
