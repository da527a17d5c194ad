"""Overlays in a real browser: transparent, to the pixel, and along with the game."""

from __future__ import annotations

import base64

import cv2
import numpy as np
import pytest

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.events import ButtonPressed, Finding, GameEnded, SquareCorrected
from record.log.event_log import EventLog
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.machine import PATIENCE_S

pytestmark = pytest.mark.browser

SHOWN = "document.querySelector('#stage').dataset.state === 'shown'"


@pytest.fixture
def hall(tmp_path, log, game, driver):
    with EventLog(tmp_path / "two" / "tilewatch.db") as second:
        GameInLog(second, "game-2").start({"left": "Cleo", "right": "Dan"})
        now = 2000 * SECOND
        tables = tuple(
            table_over(each, id=name, name=f"Table {name}", clock=lambda: now)
            for name, each in (("1", log), ("2", second))
        )
        app = create_app(Site(tables))
        server = Server(app, "127.0.0.1", 0)
        server.start()
        size = {"width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        clear = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}
        driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", clear)
        yield server.url, app.extensions["tilewatch.slots"]
        driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", {})
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.get("about:blank")
        server.stop()


def alpha_at(driver, x: int, y: int) -> int:
    """How opaque the page is at a point: 0 where OBS shows what lies below."""
    clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    png = np.frombuffer(base64.b64decode(shot["data"]), np.uint8)
    pixel = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)[0, 0]
    return int(pixel[3]) if len(pixel) == 4 else 255


def names(page: Page) -> list[str]:
    return page.js("[...document.querySelectorAll('.player .name')].map((e) => e.textContent)")


def test_the_scene_is_whole_and_transparent(driver, hall, game):
    url, _ = hall
    for place, word in TURNS:
        game.play(place, word)
    page = Page(driver, f"{url}/overlay/feature/scene")
    page.wait(SHOWN)
    page.wait("!document.getAnimations().some((a) => a.playState === 'running')")
    root = "document.documentElement"
    assert page.js(f"[{root}.scrollWidth, {root}.scrollHeight]") == [1920, 1080]
    boxes = page.driver.execute_script(
        "return ['.board', '.camera', '.last', '.unseen', '.third'].map((one) => {"
        " const box = document.querySelector(one).getBoundingClientRect();"
        " return [box.left, box.top, box.right, box.bottom].map(Math.round); })"
    )
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= 1920, boxes
        assert 0 <= top < bottom <= 1080, boxes
    for one, other in [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]:
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)
    left, top, right, bottom = boxes[1]
    assert alpha_at(driver, (left + right) // 2, (top + bottom) // 2) == 0
    assert alpha_at(driver, 3, 3) == 0
    assert alpha_at(driver, boxes[0][0] + 300, boxes[0][1] + 300) == 255
    assert page.label("8D") == "8D, F, 4 points"
    assert page.troubles() == []
    assert page.hosts() == {url.removeprefix("http://")}


def test_a_panel_of_the_scene_with_nothing_in_it_is_not_seen(driver, hall, game):
    url, _ = hall
    page = Page(driver, f"{url}/overlay/1/scene")
    page.wait(SHOWN)
    seen = "getComputedStyle(document.querySelector('#unseen')).visibility"
    assert page.js(seen) == "hidden"
    game.play(*TURNS[0])
    game.play(*TURNS[1])
    page.wait(f"{seen} === 'visible'")


@pytest.mark.everyday
def test_it_goes_along_with_the_game_and_a_correction(driver, hall, game):
    url, _ = hall
    page = Page(driver, f"{url}/overlay/1/scene")
    page.wait(SHOWN)
    scores = "[...document.querySelectorAll('output')].map((e) => e.textContent).join(' ')"
    game.play(*TURNS[0])
    page.wait(f"{scores} === '24 0'")
    assert page.text(".last .gain") == "+24"
    game.play(*TURNS[1])
    page.wait("document.querySelector('.last .who').textContent.endsWith('at H8')")
    before = page.js(scores)
    game.put(SquareCorrected(1, "8D", "B", "director", "a B", game.t_ns))
    page.wait(f"{scores} !== '{before}' && {scores}.startsWith('2')")
    page.wait("document.querySelector('[data-name=\"8D\"]').ariaLabel.startsWith('8D, B')")
    assert page.text(".middle b") == page.text("#bag")


def test_a_tile_face_down_is_an_empty_square_among_the_turns_before(driver, hall, game):
    url, _ = hall
    game.play("8D", "B#K", [Finding("face_down", "8E")])
    game.play("", "")
    page = Page(driver, f"{url}/overlay/1/unseen")
    page.wait(SHOWN)
    page.wait("document.querySelector('#recent li span')?.textContent === 'B▢K'")


def test_a_gap_in_a_play_is_an_empty_square_not_a_tile_with_a_dot(driver, hall, game):
    url, _ = hall
    game.play("8F", "BO.K", [Finding("gap", "8H")])
    page = Page(driver, f"{url}/overlay/1/last")
    page.wait(SHOWN)
    page.wait("document.querySelectorAll('.rack .tile').length === 4")
    assert page.js("document.querySelectorAll('.rack .tile.gap').length") == 1
    assert page.js("document.querySelectorAll('.rack .tile.lit').length") == 3


def test_a_name_alone_stands_in_the_middle_of_its_card(driver, hall, game):
    url, _ = hall
    page = Page(driver, f"{url}/overlay/1/scores")
    page.wait(SHOWN)
    off = page.js(
        "[...document.querySelectorAll('.player')].map((card) => {"
        " const middle = (one) => { const box = one.getBoundingClientRect();"
        "  return (box.top + box.bottom) / 2; };"
        " return Math.abs(middle(card.querySelector('.name'))"
        "  - middle(card.querySelector('.score'))); })"
    )
    assert max(off) <= 2, off


def test_a_long_name_is_folded_before_it_is_cut(driver, hall, log):
    url, _ = hall
    game = GameInLog(log, "game-3", t_ns=1500 * SECOND)
    game.start({"left": "Maximiliana von Hohenberg-Österreich", "right": "O"})
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    for part in ("names", "scores", "clocks", "lower", "last", "result"):
        page = Page(driver, f"{url}/overlay/1/{part}")
        page.wait(SHOWN)
        name = "document.querySelector('.name, .who')"
        page.wait(f"{name}.textContent.startsWith('Maxi')")
        whole = (
            "(({scrollWidth, clientWidth, scrollHeight, clientHeight}) =>"
            " scrollWidth <= clientWidth && scrollHeight <= clientHeight + 1)"
            f"({name})"
        )
        assert page.js(whole), part


def test_a_scene_of_more_sources_than_a_browser_opens_connections(driver, hall, game):
    url, _ = hall
    from selenium.webdriver.support.ui import WebDriverWait

    shown = "return document.querySelector('output, #content').textContent.trim() === '24'"
    main = driver.current_window_handle
    opened = []
    driver.set_page_load_timeout(PATIENCE_S)
    try:
        for number in range(8):
            driver.switch_to.new_window("tab")
            opened.append(driver.current_window_handle)
            driver.get(f"{url}/{'obs/1/p1_score' if number == 7 else 'overlay/1/scores?size=50'}")
        game.play(*TURNS[0])
        for window in opened:
            driver.switch_to.window(window)
            WebDriverWait(driver, PATIENCE_S).until(lambda d: d.execute_script(shown))
    finally:
        for window in opened:
            driver.switch_to.window(window)
            driver.close()
        driver.switch_to.window(main)


@pytest.mark.everyday
def test_the_slot_gets_another_table_and_the_page_goes_along(driver, hall, game):
    url, slots = hall
    page = Page(driver, f"{url}/overlay/feature/names")
    page.wait(SHOWN)
    assert names(page)[1] == "José & Søren"
    slots.assign("feature", "2")
    page.wait("document.querySelector('.name').textContent === 'Cleo'")
    slots.assign("feature", "none-yet")
    page.wait("document.querySelector('#stage').dataset.state === 'empty'")
    slots.assign("feature", "1")
    page.wait(SHOWN)
    page.wait("document.querySelector('.name').textContent.startsWith('Ada')")
    assert page.js("document.querySelectorAll('.name b').length") == 0


def test_the_address_says_how_it_looks(driver, hall, game):
    url, _ = hall
    game.play(*TURNS[0])
    asked = "size=50&accent=00ff88&ground=102030&left=ff00ff&font=Fira%20Sans"
    page = Page(driver, f"{url}/overlay/1/lower?{asked}")
    page.wait(SHOWN)
    style = "getComputedStyle(document.querySelector('{}'), {}).{}"
    assert page.js(style.format(".player", "null", "backgroundColor")) == "rgb(16, 32, 48)"
    assert page.js(style.format(".player", "'::before'", "backgroundColor")) == "rgb(255, 0, 255)"
    assert page.js(style.format("body", "null", "fontFamily")).startswith('"Fira Sans"')
    assert page.js("document.querySelector('.third').getBoundingClientRect().width") == 928
    game.put(ButtonPressed("neutral", game.t_ns))
    assert page.troubles() == []


def test_a_name_of_any_length_stays_in_its_place(driver, hall, log):
    url, _ = hall
    game = GameInLog(log, "game-3", t_ns=1500 * SECOND)
    long = "Wolfeschlegelsteinhausenbergerdorff " * 2
    game.start({"left": long, "right": "O"})
    for part in ("scene", "lower", "names", "scores", "clocks"):
        page = Page(driver, f"{url}/overlay/1/{part}")
        page.wait(SHOWN)
        page.wait("document.querySelector('.name').textContent.startsWith('Wolfe')")
        assert page.js(
            "[...document.querySelectorAll('.player')].every((card) => {"
            " const box = card.getBoundingClientRect();"
            " return [...card.children].filter((one) => !one.hidden).every((one) => {"
            "  const inner = one.getBoundingClientRect();"
            "  return inner.left >= box.left && inner.right <= box.right"
            "   && inner.bottom <= box.bottom; }); })"
        ), part
        assert page.js("document.documentElement.scrollWidth") <= 1920
