"""The director's pages in a real browser: by keyboard, by clicks, on every screen."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from dashboard.serve import Server
from game.board import Square
from game.events import ButtonPressed, Finding, GameStarted, Picture, PicturesKept
from table.conditions import Condition
from tests.dashboard.accounts_fixtures import PASSWORD
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS, Desked, desked

pytestmark = pytest.mark.browser

TABLE = "/director/tables/1"


@pytest.fixture
def desk(log, game, tmp_path) -> Iterator[Desked]:
    yield from desked(log, game, tmp_path / "data")


@pytest.fixture
def url(desk: Desked) -> Iterator[str]:
    server = Server(desk.app, "127.0.0.1", 0)
    server.start()
    yield server.url
    server.stop()


@pytest.fixture
def browser(driver, desk: Desked, url: str):
    """The browser, logged in as Ann."""
    driver.get(f"{url}/login")
    driver.delete_all_cookies()
    door = desk.app.extensions["tilewatch.door"]
    session = door.sessions.open(door.accounts.find("Ann"))
    driver.add_cookie({"name": "tilewatch_session", "value": session.token, "path": "/"})
    yield driver
    driver.delete_all_cookies()


def keys(driver, *pressed: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(*pressed).perform()


def doubtful(desk: Desked) -> None:
    """A turn with two squares that the camera could not tell."""
    desk.game.play(
        "8D",
        "F~R~S",
        [
            Finding("uncertain_square", "8E", "may be I 62%, L 31%, . 7%"),
            Finding("uncertain_square", "8G", "may be N 55%, M 40%"),
        ],
    )
    for square in ("8E", "8G"):
        shown(desk, "crop", desk.game.t_ns, square=square)


def shown(desk: Desked, role: str, t_ns: int, tile: int | None = None, square=None) -> str:
    """Keep a picture: a board-like pattern, with one more tile where asked."""
    image = np.full((240, 320, 3), 90, np.uint8)
    image[::24] = image[:, ::24] = 160
    if tile is not None:
        cv2.rectangle(image, (tile, 96), (tile + 22, 118), (160, 220, 240), -1)
    jpeg = cv2.imencode(".jpg", image)[1].tobytes()
    sha = desk.table.evidence.store(jpeg)
    desk.game.put(PicturesKept(1, (Picture(role, sha, t_ns, square),), t_ns))
    return sha


# --- logging in ---


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
    driver.find_element("css selector", ".who button").click()
    page.wait("location.pathname === '/login'")
    driver.get(f"{url}/director")
    page.wait("location.pathname === '/login'")
    assert page.troubles() == []
    driver.delete_all_cookies()


# --- settling squares ---


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


def test_a_blank_is_a_letter_with_shift_and_a_click_settles_too(browser, desk, url):
    from selenium.webdriver.common.action_chains import ActionChains

    doubtful(desk)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.asker').length === 2")
    browser.execute_script("document.querySelector('.asker[data-square=\"8E\"]').focus()")
    ActionChains(browser).key_down("\ue008").send_keys("i").key_up("\ue008").perform()
    page.wait("document.querySelectorAll('.asker').length === 1")
    browser.find_element("css selector", ".asker .button").click()
    page.wait("document.querySelectorAll('.asker').length === 0")
    assert [event["symbol"] for event in desk.events("SquareCorrected")] == ["i", "N"]


# --- ruling ---


def test_a_correction_shows_its_effect_before_it_is_made(browser, desk, url, game):
    for place, word in TURNS:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 6")
    before = page.text(".player[data-side=left] output")
    browser.find_element("css selector", "[data-correct='1']").click()
    page.wait("document.querySelector('#dialog').open")
    assert page.js("document.activeElement.name") == "what"
    browser.execute_script(
        "const form = document.querySelector('#dialog form');"
        "form.elements.ruling.value = 'challenge_upheld';"
        "form.dispatchEvent(new Event('input'))"
    )
    page.wait("document.querySelectorAll('#dialog .effect tbody tr').length > 2")
    assert "24" in page.text("#dialog .effect tbody tr")
    assert desk.events("TurnRuled") == []
    # Nothing is entered before somebody says why.
    confirm = "document.querySelector('#dialog .primary')"
    page.wait(f"!{confirm}.disabled")
    assert page.js("document.querySelector('#dialog form').checkValidity()") is False
    browser.execute_script("document.querySelector('#dialog form').elements.why.focus()")
    keys(browser, "no such word")
    page.wait(f"!{confirm}.disabled")
    browser.execute_script(f"{confirm}.click()")
    page.wait("!document.querySelector('#dialog').open")
    page.wait(
        f"document.querySelector('.player[data-side=left] output').textContent !== '{before}'"
    )
    assert desk.events("TurnRuled")[0]["why"] == "no such word"
    page.wait("document.querySelectorAll('#said li').length === 1")
    assert page.js("document.activeElement.dataset.correct") == "1"
    assert page.troubles() == []


def test_a_remedy_is_a_button_under_its_rule(browser, desk, url, log):
    game = GameInLog(log, "game-2")
    game.put(GameStarted("game-2", NAMES, "naspa-2017", "english", "left", game.t_ns))
    game.put(ButtonPressed("right", game.t_ns))
    game.play("8A", "FIRNS")
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.concern[data-code=off_centre]').length === 1")
    assert "Rule III.G.1" in page.text(".concern[data-code=off_centre] .about")
    browser.find_element("css selector", ".concern[data-code=off_centre] .offer .button").click()
    page.wait("document.querySelector('#dialog .effect') !== null")
    assert page.text("#dialog .rule") == "Rule III.G.1"
    keys(browser, "\ue00c")  # Escape
    page.wait("!document.querySelector('#dialog').open")
    assert page.js("document.activeElement.dataset.offer").startswith("1:off_centre")
    assert desk.game.log.last_seq == len(desk.sources())
    assert desk.events("TurnRuled") == []


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


# --- a turn ---


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
    page.wait(f"{caption}.startsWith('Picture 3 of 3: after, +1.000 s')")
    keys(browser, "\ue014")
    assert page.js(caption).startswith("Picture 3 of 3")
    keys(browser, "\ue012", "\ue012")
    page.wait(f"{caption}.startsWith('Picture 1 of 3: before, −1.000 s')")
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


def photograph(desk: Desked, role: str, t_ns: int, tile: str | None, *, turned: bool) -> None:
    """Keep a picture of a board whose place in it is known; ``turned`` by a quarter."""
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
    points = tuple(tuple(map(float, corner)) for corner in corners)
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


# --- every screen ---


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


def test_a_square_of_the_board_opens_its_turn(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    browser.execute_script("document.querySelector('[data-name=\"8D\"]').focus()")
    keys(browser, "\ue007")
    page.wait("document.querySelector('#dialog').open")
    form = "document.querySelector('#dialog form').elements"
    assert page.text("#dialog-title").startswith("Correct turn 1:")
    assert page.js(f"[{form}.what.value, {form}.square.value]") == ["square", "8D"]
    browser.execute_script(f"{form}.symbol.focus()")
    keys(browser, "f")
    page.wait("document.querySelector('#dialog .effect') !== null")
    assert "→" in page.text("#dialog .effect .scores")
    keys(browser, "\ue00c")
    page.wait("!document.querySelector('#dialog').open")
    assert page.js("document.activeElement.dataset.name") == "8D"
    assert page.troubles() == []


def test_a_verdict_on_a_challenge_and_the_rights_that_are_open(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    page.wait("document.querySelectorAll('#rights li').length > 0")
    right = page.text("#rights li")
    assert right.startswith(NAMES["left"])
    assert "hold or challenge the last play" in right
    assert right.endswith("Rule 4.1, 4.6.3")
    browser.find_element("css selector", "[data-deed='Challenge…']").click()
    page.wait("document.querySelector('#dialog .effect') !== null")
    form = "document.querySelector('#dialog form').elements"
    assert page.js(f"{form}.turn.value") == "2"
    assert page.js(f"{form}.words.closest('label').hidden") is True
    browser.execute_script(
        f"{form}.ruling.value = 'challenge_failed';"
        "document.querySelector('#dialog form').dispatchEvent(new Event('change'));"
        f"{form}.words.value = '2'; {form}.why.value = 'both words are good';"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    page.wait("!document.querySelector('#dialog .primary').disabled")
    browser.find_element("css selector", "#dialog .primary").click()
    page.wait("!document.querySelector('#dialog').open")
    ruled = desk.events("TurnRuled")[0]
    assert (ruled["turn"], ruled["ruling"], ruled["words"]) == (2, "challenge_failed", 2)
    assert page.troubles() == []


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


def test_whatever_is_done_by_a_button_asks_for_a_reason(browser, desk, url, game):
    game.play(*TURNS[0])
    called = Condition("director_called", "a player called", NOW_NS, stands=False)
    desk.loop.desk.conditions.begin(called)
    page = Page(browser, f"{url}{TABLE}")
    seen_to = "document.querySelector('.concern[data-code=director_called] button')"
    page.wait(f"{seen_to}?.textContent === 'Seen to'")
    page.js(f"{seen_to}.focus()")
    keys(browser, "\ue007")
    page.wait("document.querySelector('#dialog').open")
    # The offered reason is selected: typing replaces it.
    assert page.js("document.activeElement.value") == ("seen to at the table")
    keys(browser, "a question about time", "\ue007")
    page.wait("!document.querySelector('#dialog').open")
    page.wait("document.querySelectorAll('.concern[data-code=director_called]').length === 0")
    assert desk.loop.posted == [("attended", "seen to: a player called")]
    page.js("document.querySelector('#stop').click()")
    asked = "document.querySelector('#dialog-title').textContent"
    page.wait(f"{asked} === 'Why was the clock stopped?'")
    keys(browser, "\ue00c")
    assert desk.loop.said == [
        ("Ann", "a question about time"),
        ("Ann", "stopped at the director’s desk"),
    ]
    game.put(ButtonPressed("neutral", game.t_ns))
    page.wait("!document.querySelector('[data-start=left]').hidden")
    page.js("document.querySelector('[data-start=left]').click()")
    page.wait("document.querySelector('#dialog').open")
    page.js("document.querySelector('#dialog [name=why]').value = ' '")
    keys(browser, "\ue007")
    page.wait("!document.querySelector('#dialog .fault').hidden")
    assert page.text("#dialog .fault") == "Say why: it stands in the record for good."
    keys(browser, "all is well", "\ue007")
    page.wait("!document.querySelector('#dialog').open")
    assert desk.loop.posted[-1] == ("press", "right")
    assert desk.loop.said[-1] == ("Ann", "all is well")
    assert page.troubles() == []


def test_the_list_of_tables_follows_one_stream_and_asks_for_nothing(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}/director")
    lastly = "document.querySelector('.lastly')?.textContent ?? ''"
    page.wait(f"{lastly}.startsWith('Turn 1')")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    page.wait("document.querySelector('.clock').textContent !== ''")
    game.play(*TURNS[1])
    page.wait(f"{lastly}.startsWith('Turn 2')")
    called = Condition("director_called", "a player called", NOW_NS, stands=False)
    desk.loop.desk.conditions.begin(called)
    page.wait("document.querySelector('.needs').textContent.includes('a player called')")
    asked = "performance.getEntriesByType('resource').filter(e => e.name.includes('/api/')).length"
    assert page.js(asked) <= 1  # the stream, once it has ended
    assert page.troubles() == []
    # A session that has ended elsewhere leads to the log-in page.
    door = desk.app.extensions["tilewatch.door"]
    door.sessions.close(browser.get_cookie("tilewatch_session")["value"])
    page.wait("location.pathname === '/login'")
    assert page.js("location.search") == "?next=%2Fdirector"


@pytest.mark.parametrize(("width", "first"), [(360, "attention"), (1400, "deeds")])
def test_on_a_phone_what_needs_somebody_comes_first(browser, desk, url, width, first):
    doubtful(desk)
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page = Page(browser, f"{url}{TABLE}")
        page.wait("document.querySelectorAll('.asker').length === 2")
        panels = "[...document.querySelectorAll('.attention, .deeds')]"
        assert page.js(f"{panels}[0].classList.contains('{first}')")
        top = f"{panels}.map((one) => one.getBoundingClientRect()).map((box) => box.top)"
        if width == 360:
            assert page.js(f"(([a, b]) => a < b)({top})")
        assert page.js("document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
