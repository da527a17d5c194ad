"""Every page, light and dark, small, large and enlarged: axe-core finds nothing on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dashboard.overlay.pages import PARTS
from game.events import BlankDesignated, Finding
from sensors.phone import PhoneInbox, PhoneOptions
from table.certificates import pages_certificate
from tests.dashboard.browsing import Page, violations
from tests.dashboard.conftest import TURNS
from tests.machine import PATIENCE_S

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
    "the show": ("/director/show", "document.querySelector('#tables li')"),
}


@pytest.fixture
def hall(tmp_path, game, desk, browser, url):
    """A game with everything in it that a page can show, and a director who is logged in."""
    for place, word in TURNS:
        findings = [Finding("misoriented_tile", "8D", "upside down")] if place == "H8" else []
        game.play(place, word, findings)
    game.put(BlankDesignated("11H", "S", "the player", "said so", game.t_ns))
    desk.site.add(replace(desk.table, phone=PhoneInbox(PhoneOptions())))
    desk.app.extensions["tilewatch.tls"] = pages_certificate(tmp_path, [])
    browser.set_script_timeout(PATIENCE_S)
    return SimpleNamespace(url=url, key=desk.app.extensions["tilewatch.LinkKeys"].key("1"))


@pytest.fixture
def seen(driver, screen) -> Callable[..., int]:
    """Lets the browser's window be such a screen; its width."""

    def shown(width: int, height: int, scale: int, scheme: str) -> int:
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        screen(width, height, scale, mobile=width < 500)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        return width

    return shown


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


@pytest.mark.parametrize("name", SCREENS)
def test_pages_for_everybody_and_for_directors(driver, seen, hall, name):
    width = seen(*SCREENS[name])
    assert look(driver, hall, SPECTATORS | DIRECTORS, width) == []
    page = Page(driver, hall.url)  # walked back
    page.wait(SPECTATORS["table"][1])
    page.there("tr[data-number='2'] button")  # the server's rows have none
    page.js("document.querySelector('tr[data-number=\"2\"] button').click()")
    page.there(".walk.past")
    assert violations(driver) == []


@pytest.mark.parametrize(
    ("scheme", "parts"),
    [("dark", PARTS), pytest.param("light", ("scene",), marks=pytest.mark.everyday)],
)
def test_overlays(driver, seen, hall, scheme, parts):
    shown = "document.querySelector('#stage').dataset.state === 'shown'"
    width = seen(1920, 1080, 1, scheme)
    pages = {part: (f"/overlay/1/{part}", shown) for part in parts}
    pages["a value"] = ("/obs/1/score", "document.body.textContent.trim()")
    assert look(driver, hall, pages, width) == []


@pytest.mark.everyday
def test_a_thumb_hits_whatever_is_pressed(driver, seen, hall):
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
    found = []
    seen(390, 844, 1, "light")
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for name, (path, ready) in (SPECTATORS | DIRECTORS).items():
        page = Page(driver, hall.url + path.format(key=hall.key))
        page.wait(ready)
        found += [f"{name}: {line}" for line in driver.execute_script(low)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("number", [0, -1])
def test_whatever_a_director_can_say(driver, seen, hall, number):
    width = seen(*list(SCREENS.values())[number])
    page = Page(driver, f"{hall.url}/director/tables/1")
    for deed in ("challenge", "blank", "tile", "score", "clock", "end", "more"):
        page.click(f"#bar [data-deed={deed}]:not(:disabled)")
        if deed == "tile":  # the square is pressed next
            page.click("#board [data-name='8D']")
        page.there("dialog[open]")
        page.there("dialog [aria-busy=true]", 0)
        page.wait(STILL)
        assert violations(driver) == [], deed
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        page.js("document.querySelector('dialog[open]').close()")
        page.there("dialog[open]", 0)
