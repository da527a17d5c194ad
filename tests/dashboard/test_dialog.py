"""The dialogs of the director's page: what they show, and when it can be entered, in a browser."""

from __future__ import annotations

import pytest

from game.events import GameEnded, GameReopened, ScoreAgreed, TurnRuled
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import (
    CONFIRM,
    FAULT,
    FORM,
    OFF,
    TABLE,
    because,
    challenged,
    from_the_menu,
    keys,
    pressed,
    ready,
)

pytestmark = pytest.mark.browser


def test_a_play_is_written_with_its_square_first(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    where = desk.client().get("/director/api/tables/1/games/game-1").json["view"]["turns"][0]
    play = f"{where['position']} {where['words'][0]['text']}"
    assert page.text("#turns .play").startswith(play)
    # An O is easily taken for a zero.
    assert page.js("document.querySelector('#turns .play .deed').title") == (
        "across from row 8, column D"
    )
    assert play in page.text("#dialog h2")


@pytest.mark.parametrize("deed", ["challenge", "end", "clock", "tile"])
def test_the_buttons_of_a_dialog_stay_in_place_as_the_effects_come(browser, desk, url, game, deed):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=end]') !== null")
    browser.execute_script(
        "const asked = window.fetch, gate = new Promise((go) => (window.go = go));"
        "window.fetch = async (...what) => {"
        "  if (String(what[0]).endsWith('/preview')) await gate; return asked(...what); };"
    )
    if deed == "tile":
        page.click("#board [data-name='8E']")
    else:
        pressed(page, deed)
    page.wait("document.querySelector('#dialog .choices button:disabled') !== null")
    where = (
        "['.choices button', '.buttons'].map((one) =>"
        " document.querySelector(`#dialog ${one}`).getBoundingClientRect().top)"
    )
    last = "[...document.querySelectorAll('#dialog .choices button')].at(-1)"
    choice_before, cancel_before = page.js(where)
    last_before = page.js(f"{last}.getBoundingClientRect().top")
    browser.execute_script("window.go()")
    page.wait("document.querySelector('#dialog .choices button:not(:disabled)') !== null")
    choice_now, cancel_now = page.js(where)
    assert choice_now == pytest.approx(choice_before, abs=24)
    assert page.js(f"{last}.getBoundingClientRect().top") == pytest.approx(last_before, abs=30)
    assert cancel_now == pytest.approx(cancel_before, abs=60)  # a line or two more of an effect


def test_the_reason_is_typed_beside_the_effect(browser, desk, url, game):
    """It changes nothing of what is shown, so it takes nothing away and stops nobody."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    browser.execute_script(
        f'const confirm = document.querySelector("{OFF}");'
        "window.dead = 0; new MutationObserver(() => {"
        "  if (confirm.disabled) window.dead += 1;"
        "}).observe(confirm, {attributes: true});"
    )
    because(page, "no such word")
    assert "24 → 0" in page.text(OFF)
    assert page.js("window.dead") == 0
    page.click(OFF)
    page.wait("!document.querySelector('#dialog').open")
    assert desk.events("TurnRuled")[0]["why"] == "no such word"


@pytest.mark.parametrize("deed", ["challenge", "score"])
@pytest.mark.everyday
def test_an_open_window_says_that_one_must_log_in_again(browser, desk, url, game, deed):
    """As after the table has started again: nobody has pressed anything yet."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=end]') !== null")
    pressed(page, deed)
    page.wait("document.querySelector('#dialog').open")
    browser.delete_all_cookies()
    page.wait(f"!{FAULT}.hidden")
    assert "logged out" in page.text("#dialog .fault")
    page.js("new Promise((done) => setTimeout(done, 3000))")  # the stream tries again meanwhile
    assert page.text("#link") == "Logged out"
    page.click("#dialog .fault a")
    page.wait("location.pathname === '/login'")
    assert page.js("new URLSearchParams(location.search).get('next')") == TABLE


def test_under_the_menu_one_is_led_to_log_in(browser, desk, url, game):
    """Nothing has been typed there that could be lost."""
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=end]') !== null")
    pressed(page, "more")
    page.wait("document.querySelector('#menu').open")
    browser.delete_all_cookies()
    page.wait("location.pathname === '/login'")


@pytest.mark.parametrize("by", ["key", "press"])
def test_entering_before_the_effect_is_there_is_answered(browser, desk, url, game, by):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    from_the_menu(page, "Points…")
    words = "document.querySelector('#dialog [aria-live]').textContent"
    page.wait(f"{words} === 'Choose one under “Player”.'")
    assert page.js("document.querySelector('#dialog [name=side]:checked')") is None
    page.click("#dialog .pick label:last-child")
    ready(page)
    browser.execute_script(f"{FORM}.points.focus(); {FORM}.points.select()")
    browser.execute_script(
        # However slowly it is typed, nothing is answered before all of it stands there.
        "const asked = window.fetch, gate = new Promise((go) => (window.go = go));"
        "window.fetch = async (...what) => { await gate; return asked(...what); };"
    )
    keys(browser, "25", *(["\ue007"] if by == "key" else []))
    assert page.text("#dialog [aria-live]") == "Working out what it changes …"
    if by == "press":
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        middle = page.js(
            "(({left, top, width, height}) => [left + width / 2, top + height / 2])"
            "(document.querySelector('#dialog .primary').getBoundingClientRect())"
        )
        hand = ActionBuilder(browser, mouse=PointerInput("mouse", "hand"))
        hand.pointer_action.move_to_location(*map(int, middle)).pointer_down().pointer_up()
        hand.perform()
    browser.execute_script("window.go()")
    page.wait(f"!{FAULT}.hidden")
    output = page.js(f"{FAULT}.textContent")
    assert output == "This is what it changes. Enter it once more to do it."
    assert page.js(f"{FAULT}.classList.contains('information')")  # it is no error
    assert desk.events("PenaltyAdded") == []


def test_what_cannot_be_entered_says_why(browser, desk, url, game):
    page = Page(browser, f"{url}{TABLE}")
    from_the_menu(page, "Late start…")
    page.click("#dialog .pick label")
    ready(page)
    browser.execute_script(
        f"{FORM}.time.value = 'a while'; {FORM}.why.value = 'late';"
        f"{FORM}.time.dispatchEvent(new Event('input', {{bubbles: true}}))"
    )
    page.wait(f"document.querySelector('#dialog .effect') === null && !{CONFIRM}.disabled")
    page.click("#dialog .primary")
    page.wait(f"!{FAULT}.hidden")
    assert page.js(f"{FAULT}.textContent") == "Time lost: minutes and seconds, as 5:00."
    assert desk.events("LateStart") == []


@pytest.mark.everyday
def test_what_was_typed_stays_when_the_session_ends(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    because(page, "no such word")
    browser.delete_all_cookies()
    page.click(OFF)
    page.wait(f"!{FAULT}.hidden")
    assert page.text("#dialog .fault").startswith("You have been logged out")
    assert page.js(f"{FORM}.why.value") == "no such word"
    assert desk.events("TurnRuled") == []
    page.click("#dialog .buttons button[type=button]")
    page.wait("location.pathname === '/login'")


def test_leaving_the_page_asks_first_where_something_was_typed(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    left = (
        "(() => { const going = new Event('beforeunload', { cancelable: true });"
        " return dispatchEvent(going); })()"
    )
    challenged(page)
    assert page.js(left)
    because(page, "seen by both")
    assert not page.js(left)
    page.js("document.querySelector('#dialog').close()")
    assert page.js(left)


def test_escape_asks_first_where_something_was_typed(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    because(page, "seen by both")
    is_open = "document.querySelector('#dialog').open"
    for leave in (False, True):
        page.js(
            f"window.asked = 0, window.confirm = () => (window.asked += 1, {str(leave).lower()})"
        )
        page.click("#dialog h2")
        keys(browser, "\ue00c")
        page.wait("window.asked === 1")
        assert page.js(is_open) is not leave


def test_a_reason_that_is_as_long_as_one_can_be_says_so(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    because(page, "x" * 405)
    assert page.text("#field-why-hint") == "No more than 400 characters."
    assert page.js("document.querySelector('#field-why').value.length") == 400


def test_a_long_reason_does_not_widen_the_dialog_that_takes_it_back(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(TurnRuled(1, "challenge_upheld", "Ann", "x" * 400, game.t_ns))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('[data-back]') !== null")
    browser.execute_script("document.querySelector('[data-back]').click()")
    page.wait("document.querySelector('#dialog').open")
    dialog = "document.querySelector('#dialog')"
    assert page.js(f"{dialog}.scrollWidth <= {dialog}.clientWidth")


SAYS = "document.querySelector('#dialog').innerText.split(arguments[0]).length - 1"


def test_what_somebody_else_has_done_meanwhile_is_said_once(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(GameEnded("director", game.t_ns, "Ann"))
    page = Page(browser, f"{url}{TABLE}")
    from_the_menu(page, "Reopen…")
    ready(page)
    game.put(GameReopened("the game goes on", "Bo", "too early", game.t_ns))
    page.wait("document.querySelector('#bar [data-deed=end]:not(:disabled)') !== null")
    page.click("#dialog .primary")
    page.wait(f"!{FAULT}.hidden")
    page.wait("!document.querySelector('#dialog .primary').disabled")
    words = "Only a game that has ended can be reopened."
    assert browser.execute_script(f"return {SAYS}", words) == 1
    page.click("#dialog .primary")
    page.wait("!document.querySelector('#dialog .primary').disabled")
    assert browser.execute_script(f"return {SAYS}", words) == 1


def test_a_choice_that_is_refused_says_so_once(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "end")
    page.wait("document.querySelector('#dialog [data-choice=director]:not(:disabled)') !== null")
    game.put(GameEnded("confirmed", game.t_ns, "Bo"))
    page.click("#dialog [data-choice=director]:not(:disabled)")
    page.wait("document.querySelector('#dialog .choices .note') !== null")
    note = page.text("#dialog .choices .note")
    assert note[0].isupper()
    assert note.endswith(".")
    assert browser.execute_script(f"return {SAYS}", note) == 1


@pytest.mark.parametrize("deed", ["take back", "score", "Names…", "Hold…"])
def test_typing_replaces_what_a_field_had_ready(browser, desk, url, game, deed):
    game.play(*TURNS[0])
    game.put(ScoreAgreed(1, "left", 30, "Ann", "both players agree", game.t_ns))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('[data-back]') !== null")
    if deed == "take back":
        page.click("[data-back]")
        page.wait("document.querySelector('#dialog').open")
    elif deed == "score":
        pressed(page, deed)
    else:
        from_the_menu(page, deed)
    assert page.js("document.activeElement.value") != ""
    keys(browser, "12")
    assert page.js("document.activeElement.value") == "12"


def test_what_cannot_be_read_is_said_once_the_field_is_left(browser, desk, url, game):
    page = Page(browser, f"{url}{TABLE}")
    from_the_menu(page, "Late start…")
    page.click("#dialog .pick label")
    ready(page)
    words = "document.querySelector('#dialog [aria-live]').textContent"
    page.click("#field-time")
    browser.execute_script(f"{FORM}.time.select()")
    keys(browser, "soon")
    page.wait(f"{words} === '' && !{CONFIRM}.disabled")
    keys(browser, "\ue004")
    page.wait(f"{words} === 'Time lost: minutes and seconds, as 5:00.'")
    browser.execute_script(f"{FORM}.time.select()")
    page.click("#field-time")
    keys(browser, "\ue00fx")  # nothing is said while it is typed again
    page.wait(f"{words} === '' && !{CONFIRM}.disabled")
    browser.execute_script(f"{FORM}.time.select()")
    keys(browser, "4:00", "\ue004")
    ready(page)


def test_a_field_that_is_left_does_not_ask_for_the_next(browser, desk, url, game, log):
    unnamed = {"left": "Left", "right": "Right"}
    GameInLog(log, "game-2", t_ns=game.t_ns + SECOND).start(unnamed)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#unnamed button').checkVisibility()")
    page.click("#unnamed button")
    page.wait("document.querySelector('#dialog').open")
    words = "document.querySelector('#dialog [aria-live]').textContent"
    keys(browser, "Ann", "\ue004")
    page.wait(f"{words} === '' && !{CONFIRM}.disabled")
    page.js("new Promise((done) => setTimeout(done, 400))")
    assert page.js(words) == ""
    keys(browser, " ", "\ue004")
    page.wait(f"{words}.startsWith('Two names')")
