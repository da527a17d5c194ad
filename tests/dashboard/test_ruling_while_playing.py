"""Rulings on the director's page while the game goes on, or the next one begins, in a browser."""

from __future__ import annotations

from datetime import datetime

import pytest

from game.events import ButtonPressed, GameStarted, PenaltyAdded, Retracted, TurnRuled
from table.desk import SeenTurn
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import (
    CONFIRM,
    FAULT,
    FORM,
    OFF,
    TABLE,
    because,
    challenged,
    choice,
    chosen,
    doubtful,
    foreseen,
    pressed,
)

pytestmark = pytest.mark.browser

SECOND_GAME = {"left": "Cleo", "right": "Dan"}


def next_game(log, page: Page) -> GameInLog:
    """Another game begins at the table, and the page shows it."""
    game = GameInLog(log, "game-2").start(SECOND_GAME)
    game.play(*TURNS[0])
    page.wait("document.querySelector('.player[data-side=left] .name').textContent === 'Cleo'")
    return game


def ruled(desk, kind: str) -> list[str]:
    """The games in which such an event was entered."""
    return [event.game_id for event in desk.game.log.events() if event.type == kind]


@pytest.mark.everyday
def test_a_dialog_stays_with_the_game_that_it_was_opened_in(browser, desk, url, game, log):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    next_game(log, page)
    moved = "document.querySelector('#dialog .whose.gone')"
    page.wait(f"{moved} !== null")
    assert f"{NAMES['left']} – {NAMES['right']}" in page.js(f"{moved}.textContent")
    because(page, "no such word")
    page.click(OFF)
    page.wait("!document.querySelector('#dialog').open")
    assert ruled(desk, "TurnRuled") == ["game-1"]
    # Another game's score stands beside it, so it says whose this one is.
    score = f"The score is now {NAMES['left']} 0 : 0 {NAMES['right']}."
    names = f"{NAMES['left']} – {NAMES['right']}"
    assert page.text("#done p") == f"Entered in {names}: turn 1: challenged off the board. {score}"
    # What is undone is that, and no event of the same number in the next game.
    page.click("#undo")
    page.wait("document.querySelector('#done p').textContent.startsWith('Taken back')")
    assert ruled(desk, "Retracted") == ["game-1"]
    assert page.js("document.querySelector('.player[data-side=left] output').textContent") == "24"
    assert page.troubles() == []


def test_the_menu_of_games_follows_and_leads_to_the_one_before(browser, desk, url, game, log):
    from selenium.webdriver.support.ui import Select

    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    options = "[...document.querySelectorAll('#game option')].map((one) => one.textContent)"
    names = f"{NAMES['left']} – {NAMES['right']}"
    begun = datetime.now().astimezone().strftime("%H:")
    first = f"{names} (not signed)"
    page.wait(f"{options}.length === 1")
    assert page.js(options)[0].startswith(begun)
    assert page.js(options)[0].endswith(f" {names} (on the table)")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 1")
    next_game(log, page)
    page.wait(f"{options}.length === 2")
    shown = page.js(options)
    assert shown[0].endswith(" Cleo – Dan (on the table)")
    assert shown[1].endswith(f" {first}")
    assert page.js("document.querySelector('#game').value") == "game-2"
    Select(browser.find_element("css selector", "#game")).select_by_index(1)
    page.wait("location.search === '?game=game-1'")
    page.wait("!document.querySelector('#earlier').hidden")
    page.wait(f"document.querySelector('.name').textContent === {NAMES['left']!r}")
    # From there, too, a game that begins is seen.
    GameInLog(log, "game-3").start({"left": "Eve", "right": "Fay"})
    page.wait(f"{options}.length === 3")
    assert page.js("document.querySelector('#game').value") == "game-1"
    Select(browser.find_element("css selector", "#game")).select_by_index(0)
    page.wait("document.querySelector('.name')?.textContent === 'Eve'")
    assert page.js("document.querySelector('#earlier').hidden") is True


def test_a_question_of_the_game_before_is_not_answered_in_the_next(browser, desk, url, log):
    """The cards stay until the record of the next game is here: it may be slow in coming."""
    doubtful(desk)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.asker').length === 2")
    browser.execute_script(
        "const asked = window.fetch; window.fetch = (...what) =>"
        "  String(what[0]).endsWith('/games/game-2') ? new Promise(() => {}) : asked(...what);"
    )
    next_game(log, page)
    page.click(".asker .button")
    page.wait("!document.querySelector('#done').hidden")
    assert ruled(desk, "SquareCorrected") == ["game-1"]


def overtaken(browser, url, game):
    """A challenge with its reason, while the next turn comes."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    because(page, "no such word")
    game.play(*TURNS[1])
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    return page


def test_why_it_was_not_entered_stays_to_be_read(browser, desk, url, game):
    page = overtaken(browser, url, game)
    browser.execute_script(
        "window.vanished = 0; new MutationObserver((changes) => {"
        f"  for (const {{ oldValue }} of changes)"
        f"    if (oldValue === null && {FAULT}.hidden) window.vanished += 1;"
        f"}}).observe({FAULT}, {{attributeFilter: ['hidden'], attributeOldValue: true}});"
    )
    page.click(OFF)
    page.wait(f"!{FAULT}.hidden")
    foreseen(page)
    assert page.js(f"{FAULT}.textContent").startswith("The game has gone on since")
    assert page.js(f"{FAULT}.hidden") is False
    assert page.js("window.vanished") == 0
    # It is where it can be seen, however long the effect is.
    assert page.js(
        f"(({{left, top}}) => {FAULT}.contains(document.elementFromPoint(left + 9, top + 9)))"
        f"({FAULT}.getBoundingClientRect())"
    )
    assert desk.events("TurnRuled") == []
    page.click(OFF)
    page.wait("!document.querySelector('#dialog').open")
    assert len(desk.events("TurnRuled")) == 1


def test_the_clock_can_be_stopped_where_the_game_has_gone_on(browser, desk, url, game):
    page = overtaken(browser, url, game)
    page.click(OFF)
    page.wait(f"{FAULT}.querySelector('button') !== null")
    foreseen(page)
    page.click("#dialog .fault button")
    page.wait(f"{FAULT}.textContent.startsWith('The clock stands.')")
    assert page.js(f"{FAULT}.classList.contains('information')")  # it is no error
    foreseen(page)
    assert page.js(f"{FORM}.why.value") == "no such word"
    assert desk.loop.posted[-1] == ("press", "neutral")
    # Its reason is known: the stop is for this ruling.
    assert [(one["reason"], one["why"]) for one in desk.events("StopExplained")] == [
        ("director", "stopped for a ruling")
    ]
    page.click(OFF)
    page.wait("!document.querySelector('#dialog').open")
    assert len(desk.events("TurnRuled")) == 1


def test_a_clock_that_stands_by_then_is_not_to_be_stopped(browser, desk, url, game):
    page = overtaken(browser, url, game)
    page.click(OFF)
    page.wait(f"{FAULT}.querySelector('button') !== null")
    game.put(ButtonPressed("neutral", game.t_ns))
    page.wait(f"{FAULT}.querySelector('button') === null")
    assert page.js(f"{FAULT}.textContent").startswith("The game has gone on since")


def test_the_line_on_the_score_goes_when_somebody_else_changes_it(browser, desk, url, game):
    for turn in TURNS[:2]:
        game.play(*turn)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    pressed(page, "challenge")
    chosen(page, "challenge_upheld")
    page.wait("document.querySelector('#done p').textContent.includes('The score is now')")
    entered = len(game.log.events(game.game_id))
    game.put(Retracted(entered, "Bea", "the word is good", game.t_ns))
    page.wait("!document.querySelector('#done p').textContent.includes('The score is now')")
    assert page.text("#done p").startswith("Entered: ")


def test_a_clock_that_was_started_meanwhile_is_not_started_again(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "start-left")
    page.wait(f"document.querySelector('#dialog').open && !{CONFIRM}.disabled")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.wait(f"{CONFIRM}.disabled")
    assert page.text("#dialog .fault") == "José & Søren’s clock was started meanwhile."
    assert not page.js(f"{FAULT}.hidden")
    game.put(ButtonPressed("neutral", game.t_ns + 3 * SECOND))
    page.wait(f"!{CONFIRM}.disabled && {FAULT}.hidden")
    page.click("#dialog .primary")
    page.wait("!document.querySelector('#dialog').open")
    assert desk.loop.posted == [("press", "right")]
    assert desk.loop.seen == [SeenTurn(2, "right")]
    assert page.troubles() == []


def test_a_clock_that_the_director_stopped_is_not_started_unnoticed(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "stop")
    page.wait("document.querySelector('#done p').textContent === 'The clock was stopped.'")
    page.wait("document.querySelector('#dialog').open")  # why it was stopped
    page.click("#dialog .buttons button")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.wait("!document.querySelector('#bar [data-deed=start-right]').disabled")
    pressed(page, "clock")
    page.wait("document.querySelector('#dialog').open")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.wait("document.querySelector('#dialog .whose.gone') !== null")
    assert page.text("#dialog .whose") == "The clock runs again: José & Søren is on turn."
    assert page.text("#done p") == (
        "The clock that you stopped runs again, and was not started from this page: "
        "José & Søren is on turn."
    )
    assert page.troubles() == []


def test_a_start_of_the_other_clock_says_that_it_ends_the_turn(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page = Page(browser, f"{url}{TABLE}")
    on_turn, other = "#bar [data-deed=start-right]", "#bar [data-deed=start-left]"
    page.wait(f"document.querySelector('{on_turn}:not(:disabled)') !== null")
    assert "primary" in page.js(f"document.querySelector('{on_turn}').className")
    assert "primary" not in page.js(f"document.querySelector('{other}').className")
    pressed(page, "start-left")
    page.wait(f"document.querySelector('#dialog').open && !{CONFIRM}.disabled")
    assert page.text("#dialog .soft").startswith(f"It is {NAMES['right']}’s turn. This ends it")
    # All of the reason is selected, and a long one shows its start.
    why = "document.querySelector('#dialog [name=why]')"
    assert page.js(f"{why}.selectionDirection") == "backward"
    assert page.js(f"{why}.selectionEnd - {why}.selectionStart") == len("the game goes on")
    assert page.js(f"{why}.scrollLeft") == 0
    page.click("#dialog button.button:not(.primary)")
    page.wait("!document.querySelector('#dialog').open")
    pressed(page, "start-right")  # ends nothing, so nothing is asked
    page.wait("document.querySelector('#done p').textContent.endsWith('’s clock runs.')")
    assert desk.loop.posted == [("press", "left")]
    assert desk.loop.seen == [SeenTurn(2, "right")]
    assert page.troubles() == []


def test_a_penalty_that_somebody_else_has_just_entered_is_not_entered_again(
    browser, desk, url, game
):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "more")
    page.wait("document.querySelector('#menu').open")
    page.click("#menu [data-deed='Penalty…']")
    ten = "#dialog [data-choice=left-10]:not(:disabled)"
    page.wait(f"document.querySelector('{ten} .brief') !== null")
    game.put(PenaltyAdded("left", 10, None, "Bea", "late", game.t_ns + SECOND))
    page.click(ten)
    page.wait(f"!{FAULT}.hidden")
    page.wait(f"document.querySelector('{ten} .brief') !== null")
    assert len(desk.events("PenaltyAdded")) == 1
    page.click(ten)  # somebody who means it presses again
    page.wait("!document.querySelector('#dialog').open")
    assert len(desk.events("PenaltyAdded")) == 2


def test_a_game_does_not_begin_at_one_press_of_the_desk(browser, desk, url, game, log):
    fresh = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    fresh.put(GameStarted("game-2", SECOND_GAME, "wespa-2021", "english", None, fresh.t_ns))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('.player[data-side=left] .name')?.textContent === 'Cleo'")
    pressed(page, "start-left")
    page.wait(f"document.querySelector('#dialog').open && !{CONFIRM}.disabled")
    assert desk.loop.posted == []
    assert not page.js("document.querySelector('#dialog').textContent.includes('This ends it')")


def test_a_player_resigns_although_a_turn_has_come_since(browser, desk, url, game):
    """Who resigns loses to the same opponent by whatever margin the score makes."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "end")
    page.wait(f'document.querySelector("{choice("left-resigned")}") !== null')
    game.play(*TURNS[1])
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    chosen(page, "left-resigned")
    assert len(desk.events("GameForfeited")) == 1
    assert page.troubles() == []


def test_an_ending_shows_what_it_makes_of_the_score_as_it_is_now(browser, desk, url, game):
    """What is entered is what the button shows, whatever was played since the window was opened."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "end")
    shown = "document.querySelector('#dialog [data-choice=director] .brief')?.textContent"
    page.wait(f"{shown} === {NAMES['left'] + ' wins by 24'!r}")
    game.play(*TURNS[1])
    page.wait(f"{shown} === {NAMES['left'] + ' wins by 18'!r}")
    chosen(page, "director")
    page.wait("document.querySelector('#done p').textContent.includes('wins by')")
    assert f"{NAMES['left']} wins by 18." in page.text("#done p")
    assert page.troubles() == []


def test_a_running_game_is_ended_at_the_first_try(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    pressed(page, "end")
    page.wait(f'document.querySelector("{choice("director")}") !== null')
    assert "the clock stops" in page.text("#dialog .common")
    desk.loop.passed_ns = 8 * SECOND
    because(page, "the hall closes")
    chosen(page, "director")
    (ended,) = desk.events("GameEnded")
    assert (ended["t_ns"], ended["why"]) == (NOW_NS + 8 * SECOND, "the hall closes")
    assert page.troubles() == []


def test_a_challenge_stays_with_its_play_when_somebody_else_rules_on_it(browser, desk, url, game):
    for turn in TURNS[:2]:
        game.play(*turn)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    pressed(page, "challenge")
    foreseen(page)
    game.put(TurnRuled(2, "challenge_upheld", "Ann", "not good", game.t_ns))
    note = "document.querySelector('#dialog .choices .note')?.textContent"
    page.wait(f"{note}?.startsWith('This play has just been ruled on')")
    assert page.js("document.querySelector('#dialog [data-choice]')") is None
    assert page.js(f"{FORM}.turn.value") == "2"
    assert page.js(f"{FORM}.turn.selectedOptions[0].textContent").endswith("ruled on by now")
    browser.execute_script(
        f"{FORM}.turn.value = '1';{FORM}.turn.dispatchEvent(new Event('input', {{bubbles: true}}))"
    )
    chosen(page, "challenge_upheld")
    assert [one["turn"] for one in desk.events("TurnRuled")] == [2, 1]


@pytest.mark.parametrize("told_by", ["input", "change", None])
def test_the_play_that_is_shown_is_the_one_that_is_ruled_on(browser, desk, url, game, told_by):
    """Drivers and assistive tools may tell a choice in a list by one event, or by none."""
    for turn in TURNS[:2]:
        game.play(*turn)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    pressed(page, "challenge")
    foreseen(page)
    tell = f"{FORM}.turn.dispatchEvent(new Event('{told_by}', {{bubbles: true}}))"
    browser.execute_script(f"{FORM}.turn.value = '1'; {tell if told_by else ''}")
    if told_by is None:  # the press itself finds it out, and shows it first
        page.click(OFF)
        page.wait(f"{FAULT}.textContent.startsWith('A field has changed')")
        assert desk.events("TurnRuled") == []
    chosen(page, "challenge_upheld")
    assert [one["turn"] for one in desk.events("TurnRuled")] == [1]


def test_a_challenge_that_was_ruled_on_is_not_offered_again_until_it_is_taken_back(
    browser, desk, url, game
):
    for turn in TURNS[:2]:
        game.play(*turn)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    plays = f"[...{FORM}.turn.options].map((one) => one.value)"

    def opened() -> list[str]:
        pressed(page, "challenge")
        foreseen(page)
        found = page.js(plays)
        page.js("document.querySelector('#dialog').close()")
        return found

    assert opened() == ["2", "1"]
    pressed(page, "challenge")
    chosen(page, "challenge_upheld")
    page.wait("!document.querySelector('#dialog').open")
    page.wait("document.querySelectorAll('#statements li').length === 1")
    assert opened() == ["1"]  # what was ruled off is not on the board any more
    page.click("#undo")
    page.wait("document.querySelector('#statements .gone') !== null")
    assert opened() == ["2", "1"]
    # A challenge that failed leaves its play there, with another ruling to be made of it.
    pressed(page, "challenge")
    chosen(page, "challenge_failed")
    page.wait("!document.querySelector('#dialog').open")
    page.wait("document.querySelectorAll('#statements li').length === 3")
    assert opened() == ["2", "1"]
    assert page.troubles() == []
