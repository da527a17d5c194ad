"""A turn's page in a real browser: its pictures, and what changed between them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from game.board import Square
from game.events import Finding, Picture, PicturesKept, PlayersNamed
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS
from tests.dashboard.desk_fixtures import Desked
from tests.dashboard.directorpages import TABLE, keys, shown

pytestmark = pytest.mark.browser

LONG = "Oluwaseun Adebayo-Richards the Younger"


@pytest.mark.everyday
def test_pictures_are_stepped_through_with_the_arrow_keys(browser, desk, url, game):
    game.play(*TURNS[0])
    press = game.t_ns
    shown(desk, "before", press - SECOND)
    shown(desk, "at", press - SECOND // 20, tile=100)
    shown(desk, "after", press + SECOND, tile=200)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    caption = "document.querySelector('#caption').textContent"
    page.wait(f"{caption}.startsWith('Picture 2 of 3: at the press')")
    keys(browser, "\ue014")
    page.wait(f"{caption}.startsWith('Picture 3 of 3: after the press, +1.000 s')")
    keys(browser, "\ue014")
    assert page.js(caption).startswith("Picture 3 of 3")
    keys(browser, "\ue012", "\ue012")
    page.wait(f"{caption}.startsWith('Picture 1 of 3: before the press, −1.000 s')")
    keys(browser, "\ue014")
    browser.execute_script(
        "const other = document.querySelector('#other'); other.value = '0';"
        "other.dispatchEvent(new Event('change'))"
    )
    page.wait("document.querySelector('#changed').textContent.includes('differs')")
    assert len(browser.find_elements("css selector", "#line .mark")) == 3
    assert len(browser.find_elements("css selector", "#line .edge.press")) == 1
    assert len(browser.find_elements("css selector", "#squares tr")) == 5
    assert page.troubles() == []


def photograph(
    desk: Desked, role: str, t_ns: int, tile: str | None, *, turned: bool, found: bool = True
) -> None:
    """Keep a picture of a board, ``turned`` by a quarter; its place is kept if ``found``."""
    rng = np.random.default_rng(len(role))
    image = np.full((340, 400, 3), 70, np.uint8)
    for row in range(15):
        for col in range(15):
            colour = (150, 190, 60 + 40 * ((row * 7 + col * 3) % 5))
            top, left = 20 + 20 * row, 50 + 20 * col
            cv2.rectangle(image, (left, top), (left + 18, top + 18), colour, -1)
            if tile == Square(row, col).name:
                cv2.rectangle(image, (left, top), (left + 18, top + 18), (240, 250, 250), -1)
    corners = np.array([[49, 19], [349, 19], [349, 319], [49, 319]], np.float32)
    if turned:
        image = np.ascontiguousarray(np.rot90(image, -1))
        corners = np.column_stack([340 - corners[:, 1], corners[:, 0]])
    image = np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)
    sha = desk.table.evidence.store(cv2.imencode(".jpg", image)[1].tobytes())
    points = tuple(tuple(map(float, corner)) for corner in corners) if found else None
    desk.game.put(PicturesKept(1, (Picture(role, sha, t_ns, corners=points),), t_ns))


@pytest.mark.parametrize("turned", [False, True])
def test_what_changed_is_told_by_square_even_when_the_board_was_turned(
    browser, desk, url, game, turned
):
    game.play(*TURNS[0])
    photograph(desk, "before", game.t_ns - SECOND, None, turned=False)
    photograph(desk, "at", game.t_ns, "8H", turned=turned)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("document.querySelectorAll('#film button').length === 2")
    browser.execute_script(
        "const other = document.querySelector('#other'); other.value = '0';"
        "other.dispatchEvent(new Event('change'))"
    )
    changed = "document.querySelector('#changed').textContent"
    page.wait(f"{changed} === 'On the board changed: 8H.'")
    assert page.troubles() == []


def test_the_picture_lies_upright_and_can_be_turned_zoomed_and_played(browser, desk, url, game):
    game.play(*TURNS[0])
    photograph(desk, "before", game.t_ns - SECOND // 5, None, turned=True)
    photograph(desk, "at", game.t_ns, "8H", turned=True)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("document.querySelector('#caption').textContent.startsWith('Picture 2 of 2')")
    angle = (
        "(() => { const m = new DOMMatrix(getComputedStyle(document.querySelector('#canvas'))"
        ".transform); return Math.round(Math.atan2(m.b, m.a) * 180 / Math.PI); })()"
    )
    scale = (
        "(() => { const m = new DOMMatrix(getComputedStyle(document.querySelector('#canvas'))"
        ".transform); return Math.hypot(m.a, m.b); })()"
    )
    assert page.js(angle) == -90
    before = page.js(scale)
    page.click("#turn-picture")
    assert page.js(angle) == 0
    page.click("#nearer")
    assert page.js(scale) > before
    page.click("#upright")
    assert (page.js(angle), page.js(scale)) == (-90, before)
    page.click("#back")
    page.wait("document.querySelector('#caption').textContent.startsWith('Picture 1 of 2')")
    page.click("#play")
    page.wait("document.querySelector('#caption').textContent.startsWith('Picture 2 of 2')")
    page.wait("document.querySelector('#play').textContent.includes('Play')")
    assert page.troubles() == []


def test_a_board_that_was_turned_meanwhile_lies_upright_as_the_pictures_play(
    browser, desk, url, game
):
    game.play(*TURNS[0])
    photograph(desk, "before", game.t_ns - 2 * SECOND, None, turned=False)
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    photograph(desk, "after", game.t_ns + SECOND, "8H", turned=True, found=False)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("document.querySelector('#caption').textContent.startsWith('Picture 2 of 3')")
    width = "document.querySelector('#play').offsetWidth"
    before = page.js(width)
    page.click("#play")
    assert page.js(width) == before
    page.wait("document.querySelector('#caption').textContent.startsWith('Picture 3 of 3')")
    angle = (
        "(() => { const m = new DOMMatrix(getComputedStyle(document.querySelector('#canvas'))"
        ".transform); return Math.round(Math.atan2(m.b, m.a) * 180 / Math.PI); })()"
    )
    page.wait(f"{angle} === -90")
    assert page.troubles() == []


def test_a_clip_says_when_it_is_saved(browser, desk, url, game):
    game.play(*TURNS[0])
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("document.querySelector('#caption').textContent.startsWith('Picture 1 of 1')")
    browser.execute_script(
        "const asked = window.fetch, gate = new Promise((go) => (window.go = go));"
        "window.fetch = async (...what) => { await gate; return asked(...what); };"
    )
    page.click("#clip")
    page.wait("document.querySelector('#clip-note progress') !== null")
    assert page.text("#clip") == "Making a clip…"
    page.wait(
        "/The clip of 1 picture, [1-9]\\u00a0s$/.test("
        "document.querySelector('#clip-note').innerText)"
    )
    box = "document.querySelector('#clip-note').getBoundingClientRect()"
    assert page.js(f"{box}.width > 0 && {box}.bottom <= innerHeight")
    browser.execute_script("window.go()")
    page.wait("document.querySelector('#clip').textContent === 'Keep a clip'")
    page.wait(
        "/^Saved as .*turn-1\\.webm\\.$/.test(document.querySelector('#clip-note').textContent)"
    )
    assert page.troubles() == []


def test_a_turn_without_a_picture_is_ruled_on_from_its_page(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("!document.querySelector('#rule').hidden")
    page.click("#rule")
    page.wait("document.querySelector('#dialog').open")
    assert "Turn 1:" in page.js("document.querySelector('#dialog-title').textContent")
    film = page.js("document.querySelector('#film').textContent")
    assert film == "No picture of this turn was kept."
    assert page.troubles() == []


def test_each_answer_says_what_it_would_change(browser, desk, url, game):
    """Two plays lie there, and the first was not pressed for: one answer parts them."""
    first = [f"8{column}" for column in "DEFGH"]
    both = dict(zip(first, "FIRNS", strict=True)) | {"9H": "H", "10H": "O"}
    game.board = game.board.replace({Square.parse(name): tile for name, tile in both.items()})
    game.press([Finding("press_forgotten", name) for name in first])
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("document.querySelectorAll('#turn .brief').length === 2")
    briefs = page.js("[...document.querySelectorAll('#turn .brief')].map((one) => one.textContent)")
    assert any("→" in brief for brief in briefs)
    assert page.troubles() == []


def test_an_observer_is_offered_nothing_that_would_be_refused(browser, desk, url, game):
    game.play("8D", "F~RNS", [Finding("uncertain_square", "8E", "may be I 62%, L 31%")])
    door = desk.app.extensions["tilewatch.door"]
    session = door.sessions.open(door.accounts.find("Otto"))
    browser.delete_all_cookies()
    browser.add_cookie({"name": SESSION_COOKIE, "value": session.token, "path": "/"})
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.wait("document.querySelectorAll('#turn li').length > 0")
    assert page.js("document.querySelector('#rule').hidden")
    assert page.js("document.querySelector('#turn button')") is None


def test_picture_board_and_time_line_are_in_one_look(browser, desk, url, game):
    game.play(*TURNS[0])
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    size = {"width": 1366, "height": 768, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(browser, f"{url}{TABLE}/turns/1")
        page.wait("document.querySelectorAll('#film button').length === 1")
        for selector in ("#viewer", "#line", "#play", ".dispute .board", "#rule", ".dispute .sum"):
            bottom = f"document.querySelector('{selector}').getBoundingClientRect().bottom"
            assert page.js(bottom) <= 768, selector
        assert page.js("document.documentElement.scrollWidth") <= 1366
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [390, 1366])
def test_long_names_stay_on_the_time_line(browser, desk, url, game, width):
    desk.game.put(PlayersNamed({"right": LONG}, "ann", desk.game.t_ns))
    game.play(*TURNS[0])
    game.play(*TURNS[1])
    size = {"width": width, "height": 768, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page = Page(browser, f"{url}{TABLE}/turns/2")
    page.wait("document.querySelector('#line .edge.press span') !== null")
    beyond = page.js(
        "[...document.querySelectorAll('#line .edge span:not([hidden])')]"
        ".map((one) => one.getBoundingClientRect()).filter((box) => box.left <"
        " document.querySelector('#line').getBoundingClientRect().left || box.right >"
        " document.querySelector('#line').getBoundingClientRect().right).length"
    )
    assert beyond == 0


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_a_turn_prints_whole_and_without_what_is_pressed(browser, desk, url, game, size):
    """On a phone one part is shown at a time; on paper there are all."""
    game.play(*TURNS[0])
    press = game.t_ns
    for role, at, tile in (("before", -SECOND, 50), ("at", 0, 100), ("after", SECOND, 200)):
        shown(desk, role, press + at, tile=tile)
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 900}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(browser, f"{url}{TABLE}/turns/1")
        page.wait("document.querySelectorAll('#film img').length === 3")
        assert page.js("document.querySelector('#film-note').hidden")
        browser.execute_script("window.printed = 0; window.print = () => (window.printed += 1)")
        page.click("[data-print]" if width > 900 else "[data-shows=more]")
        if width < 900:
            page.js("document.querySelector('.print-too [data-print]').click()")
        assert page.js("window.printed") == 1
        page.js("dispatchEvent(new Event('beforeprint'))")
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        seen = (
            "{!r}.split('; ').filter((one) => [...document.querySelectorAll(one)]"
            ".some((part) => part.checkVisibility() && part.getBoundingClientRect().height > 0))"
        )
        due = ".on-paper; h1; .story .facts; #turn; #film img; #squares tr; #known tr; .hashes"
        assert page.js(seen.format(due)) == due.split("; ")
        pressed = ".bar; .steps; .tabs; .controls; .viewer; [data-print]; .archive button"
        assert page.js(seen.format(pressed)) == []
        names = "document.querySelector('.on-paper').textContent"
        assert page.js(f"{names}.includes(' against ')")
        assert page.js("document.documentElement.scrollWidth <= innerWidth")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
