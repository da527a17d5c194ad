"""The director's pages in a real browser: logging in, by keyboard, live, on every screen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from game.events import ButtonPressed, GameEnded
from sensors.interfaces import Frame
from table.health.alerts import Alert
from table.table_picture import ShownFrame
from tests.dashboard.accounts_fixtures import PASSWORD
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import TABLE, doubtful, keys, shown

AT_REST = "document.querySelector('#attention').dataset.moved === undefined"

pytestmark = pytest.mark.browser


@pytest.mark.everyday
def test_logging_in_leads_to_the_page_that_was_asked_for(driver, desk, url, game):
    game.play(*TURNS[0])
    driver.delete_all_cookies()
    page = Page(driver, f"{url}{TABLE}")
    page.wait("location.pathname === '/login'")
    keys(driver, "Ann", "\ue004", PASSWORD, "\ue007")
    page.wait(f"location.pathname === '{TABLE}'")
    page.wait("document.querySelectorAll('#turns tr').length === 1")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    assert page.text(".who span") == "Ann"
    page.click(".who button")
    page.wait("location.pathname === '/login'")
    driver.get(f"{url}/director")
    page.wait("location.pathname === '/login'")
    assert page.troubles() == []
    driver.delete_all_cookies()


def test_a_card_that_is_pushed_from_under_a_finger_takes_no_tap(browser, desk, url, game):
    doubtful(desk)
    touch = "Emulation.setTouchEmulationEnabled"
    browser.execute_cdp_cmd(touch, {"enabled": True})
    try:
        page = Page(browser, f"{url}{TABLE}")
        page.wait("matchMedia('(hover: none)').matches")
        page.wait("document.querySelectorAll('.asker').length === 2")
        assert page.js(AT_REST)
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        page.js(
            "(window.tapped = new Promise((done) => new MutationObserver(() => {"
            "  document.querySelectorAll('.asker .button')[0].dispatchEvent("
            "    new MouseEvent('click', {bubbles: true, detail: 1})); done(true);"
            "}).observe(document.querySelector('#attention'), {childList: true})), true)"
        )
        game.put(ButtonPressed("neutral", game.t_ns + SECOND))  # a question that comes first
        page.wait(
            "document.querySelector('#attention').firstChild.dataset.code === 'clock_stopped'"
        )
        assert page.js("window.tapped")
        page.wait(AT_REST)
        assert desk.events("SquareCorrected") == []
        page.click(".asker .button")
        page.wait("document.querySelectorAll('.asker').length === 1")
    finally:
        browser.execute_cdp_cmd(touch, {"enabled": False})


@pytest.mark.everyday
def test_squares_are_settled_by_keyboard_alone(browser, desk, url):
    doubtful(desk)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.asker').length === 2")
    focus = "document.activeElement"
    # From the top of the page, with the Tab key and nothing else.
    for _ in range(60):
        keys(browser, "\ue004")
        if page.js(f"{focus}.classList.contains('asker')"):
            break
    assert page.js(f"{focus}.dataset.square") == "8E"
    assert page.js(f"{focus}.ariaLabel").startswith("8E: what lay there?")
    keys(browser, "1")
    page.wait(f"{focus}.dataset.square === '8G'")
    assert desk.events("SquareCorrected") == [
        {
            "type": "SquareCorrected", "turn": 1, "square": "8E", "symbol": "I", "by": "Ann",
            "why": "the camera could not tell what lies there", "t_ns": 2000 * SECOND,
            "misoriented": "",
        }
    ]  # fmt: skip
    assert page.text("#done p").startswith("8E: I.")
    keys(browser, "n")
    page.wait("document.querySelectorAll('.asker').length === 0")
    assert page.js(f"{focus}.id") == "attention-title"
    assert [event["symbol"] for event in desk.events("SquareCorrected")] == ["I", "N"]
    page.wait("document.querySelector('.player[data-side=left] output').textContent === '24'")
    assert page.label("8G") == "8G, N, 1 point, laid last turn"
    # And back again, by keyboard too.
    keys(browser, "\ue004")
    assert page.js(f"{focus}.id") == "undo"
    keys(browser, "\ue007")
    page.wait("document.querySelectorAll('.asker').length === 1")
    assert desk.events("Retracted")[0]["by"] == "Ann"
    assert page.troubles() == []


def test_a_double_tap_answers_one_question(browser, desk, url):
    from selenium.webdriver.common.action_chains import ActionChains

    doubtful(desk)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.asker').length === 2")
    # And another tap as soon as one card is gone, before the other has come to rest.
    page.js(
        "(new MutationObserver((_, watch) => {"
        " const left = document.querySelectorAll('.asker');"
        " if (left.length !== 1) return;"
        " watch.disconnect();"
        " left[0].querySelector('.button').dispatchEvent("
        "  new MouseEvent('click', {detail: 1, bubbles: true, cancelable: true}));"
        " document.body.dataset.tapped = '';"
        "}).observe(document.querySelector('#attention'), {childList: true, subtree: true}), 0)"
    )
    ActionChains(browser).double_click(
        browser.find_element("css selector", ".asker .button")
    ).perform()
    page.wait("document.body.dataset.tapped !== undefined")
    page.wait(AT_REST)
    assert page.js("document.querySelectorAll('.asker').length") == 1
    assert page.js("!document.querySelector('#done').hidden")


def test_a_blank_is_a_letter_with_shift_and_a_click_settles_too(browser, desk, url):
    from selenium.webdriver.common.action_chains import ActionChains

    doubtful(desk)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.asker').length === 2")
    browser.execute_script("document.querySelector('.asker[data-square=\"8E\"]').focus()")
    ActionChains(browser).key_down("\ue008").send_keys("i").key_up("\ue008").perform()
    page.wait("document.querySelectorAll('.asker').length === 1")
    page.wait(AT_REST)
    page.click(".asker .button")
    page.wait("document.querySelectorAll('.asker').length === 0")
    assert [event["symbol"] for event in desk.events("SquareCorrected")] == ["i", "N"]


@pytest.mark.everyday
def test_turns_come_while_the_page_is_open(browser, desk, url, game):
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    for place, word in TURNS[:3]:
        game.play(place, word)
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 3")
    page.wait("document.querySelectorAll('#say span').length > 0")
    assert page.js("document.querySelectorAll('.name b').length") == 0
    assert page.troubles() == []
    desk_page = Page(browser, f"{url}/director")
    desk_page.wait("document.querySelectorAll('.table-card').length === 1")
    assert "Table <1>" in desk_page.text(".table-card h2")
    assert desk_page.js("document.querySelectorAll('.table-card b').length") == 0


def test_whoever_is_logged_out_is_asked_to_log_in(browser, desk, url, game):
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    door = desk.app.extensions["tilewatch.door"]
    door.accounts.remove("Ann")
    page.wait("location.pathname === '/login'")
    assert "next=" in page.js("location.search")


@pytest.mark.parametrize(
    ("width", "height", "scale"), [(360, 740, 1), (1920, 1080, 1), (960, 540, 2)]
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_fit_every_screen(browser, desk, url, game, width, height, scale, scheme):
    """960×540 at two pixels for one is 1920×1080 at 200% zoom."""
    doubtful(desk)
    for place, word in TURNS[1:4]:
        game.play(place, word)
    shown(desk, "at", game.t_ns)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for path, ready in (
            ("/director", ".table-card"),
            (TABLE, ".asker"),
            (f"{TABLE}/turns/1", "#squares tr"),
        ):
            page = Page(browser, f"{url}{path}")
            page.wait(f"document.querySelector('{ready}') !== null")
            assert page.js("document.documentElement.scrollWidth") <= width, path
            assert page.troubles() == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_director_who_is_logged_in_can_try_the_players_clock(browser, desk, url, game):
    """The link's key is all that the clock goes by; a session beside it is not in its way."""
    key = desk.app.extensions["tilewatch.clock_keys"].key("1")
    page = Page(browser, f"{url}/tables/1/clock#{key}")
    page.wait("document.querySelector('#clocks').dataset.state === 'live'")
    page.wait("document.querySelector('.half.running')")
    browser.execute_script(
        "document.querySelector('.half.running').dispatchEvent("
        "new PointerEvent('pointerdown', {bubbles: true, button: 0}))"
    )
    for _ in range(100):
        if desk.loop.posted:
            break
        page.js("new Promise((done) => setTimeout(done, 50))")
    assert desk.loop.posted == [("press", "left")]


@pytest.mark.everyday
def test_the_list_of_tables_follows_one_stream_and_asks_for_nothing(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}/director")
    lastly = "document.querySelector('.lastly')?.textContent ?? ''"
    page.wait(f"{lastly}.startsWith('Turn 1')")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    page.wait("document.querySelector('.clock').textContent !== ''")
    assert page.text("#summary") == "No table needs you now"
    game.play(*TURNS[1])
    page.wait(f"{lastly}.startsWith('Turn 2')")
    called = Alert("director_called", "a player called", NOW_NS, stands=False)
    desk.loop.desk.alerts.begin(called)
    page.wait("document.querySelector('.needs').textContent.includes('a player called')")
    assert page.text("#summary") == "1 of 1 needs somebody"
    asked = "performance.getEntriesByType('resource').filter(e => e.name.includes('/api/')).length"
    assert page.js(asked) <= 1  # the stream, once it has ended
    assert page.troubles() == []
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start()
    link = "document.querySelector('.earlier a')"
    page.wait(f"{link} !== null")
    assert page.text(".earlier").startswith("Not signed: ")
    assert page.text("#summary") == "1 of 1 needs somebody. 1 earlier game is not signed"
    assert page.js(f"{link}.getAttribute('href')") == "/director/tables/1?game=game-1"
    page.click(".earlier a")  # and not the card, which leads to the game on the table
    page.wait("document.querySelector('#earlier')?.hidden === false")
    page = Page(browser, f"{url}/director")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    # A session that has ended elsewhere leads to the log-in page.
    door = desk.app.extensions["tilewatch.door"]
    door.sessions.close(browser.get_cookie("tilewatch_session")["value"])
    page.wait("location.pathname === '/login'")
    assert page.js("location.search") == "?next=%2Fdirector"


STARTS = ("start-left", "start-right")
PLACES = (
    "return [...document.querySelectorAll('#bar button')].map((button) => {"
    " const { x, y, width, height } = button.getBoundingClientRect();"
    " return [button.dataset.deed, x, y, width, height].join(' '); })"
)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1366, 768)])
def test_the_buttons_keep_their_places_as_the_clock_stops_and_goes_on(
    browser, desk, url, game, width, height
):
    game.play(*TURNS[0])
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 900}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(browser, f"{url}{TABLE}")
        page.wait("document.querySelector('#bar [data-deed=stop]:not(:disabled)') !== null")
        running = browser.execute_script(PLACES)
        assert all(
            page.js(f"document.querySelector('[data-deed={one}]').disabled") for one in STARTS
        )
        game.put(ButtonPressed("neutral", game.t_ns + SECOND))
        page.wait("document.querySelector('#bar [data-deed=stop]').disabled")
        assert browser.execute_script(PLACES) == running
        assert not any(
            page.js(f"document.querySelector('[data-deed={one}]').disabled") for one in STARTS
        )
        game.put(GameEnded("six_zeros", game.t_ns + SECOND))
        page.wait("document.querySelector('#bar [data-deed=sign]') !== null")
        over = [one.split(" ", 1) for one in browser.execute_script(PLACES)]
        assert [place for _, place in over] == [one.split(" ", 1)[1] for one in running]
        assert [deed for deed, _ in over[2:4]] == ["sign", "next"]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(("width", "height"), [(360, 740), (390, 844), (844, 390), (1366, 768)])
def test_whatever_can_be_done_is_in_reach(browser, desk, url, game, width, height):
    """The buttons lie at the foot of the screen, and what needs somebody begins above them."""
    doubtful(desk)
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 900}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(browser, f"{url}{TABLE}")
        page.wait("document.querySelectorAll('.asker').length === 2")
        page.wait("document.querySelector('#bar [data-deed=stop]') !== null")
        seen = """
        [...document.querySelectorAll('#bar button')].map((button) => {
          const box = button.getBoundingClientRect();
          const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return [button.dataset.deed, button.contains(hit), box.height >= 44,
                  button.scrollWidth <= button.clientWidth];
        })
        """
        found = page.js(seen.strip())
        deeds = ["challenge", "stop", *STARTS, "blank", "tile", "score", "clock", "end", "more"]
        assert [name for name, *_ in found] == deeds
        assert [name for name, *good in found if not all(good)] == []
        thumb = "document.querySelector('#bar').getBoundingClientRect().top"
        assert page.js(thumb) > height * 0.55
        first = "document.querySelector('.concern').getBoundingClientRect().top"
        assert page.js(first) < page.js(thumb)
        assert page.js("document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(
    ("hidden", "line"),
    [
        (0, "Live, read"),
        (1, "Live, read; 1 square is covered or unreadable"),
        (3, "Live, read; 3 squares are covered or unreadable"),
    ],
)
def test_the_live_picture_says_how_many_squares_are_covered(browser, desk, url, game, hidden, line):
    game.play(*TURNS[0])
    image = np.full((90, 120, 3), 80, np.uint8)
    jpeg = cv2.imencode(".jpg", image)[1].tobytes()
    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    rows = ("A" + "~" * hidden + "." * (14 - hidden),) + ("." * 15,) * 14
    frame = Frame(image, NOW_NS, 1, jpeg)
    desk.loop.desk.show(ShownFrame(frame, corners, rows, NOW_NS, True))
    page = Page(browser, f"{url}{TABLE}")
    page.wait(f"document.querySelector('#picture-age').textContent === {line!r}")
    # Of a picture in which no board was found, nothing is said of its squares.
    desk.loop.desk.show(ShownFrame(frame, None, rows, None, True))
    page.wait("document.querySelector('#picture-age').textContent === 'Live, no board found'")
    assert page.troubles() == []
