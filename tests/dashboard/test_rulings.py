"""Rulings on the director's page in a real browser: each effect first, while the game goes on."""

from __future__ import annotations

from datetime import datetime

import pytest

from game.events import ButtonPressed, GameStarted, Retracted, TurnRuled
from table.desk import SeenTurn
from table.health.alerts import Alert
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
    from_the_menu,
    keys,
    pressed,
)

pytestmark = pytest.mark.browser


@pytest.mark.everyday
def test_a_correction_shows_its_effect_before_it_is_made(at_desk, browser, desk):
    page = at_desk(6)
    before = page.text(".player[data-side=left] output")
    page.click("[data-correct='1']")
    page.there("#dialog[open]")
    off = choice("challenge_upheld")
    page.says(off, has="34 → 10")
    page.click("#dialog [data-choice=challenge_upheld] + details summary")
    rows = "document.querySelectorAll('#dialog [data-choice=challenge_upheld] + details tbody tr')"
    page.wait(f"{rows}.length > 2")
    assert desk.events("TurnRuled") == []
    browser.execute_script("document.querySelector('#dialog form').elements.why.focus()")
    keys(browser, "no such word")
    chosen(page, "challenge_upheld")
    page.wait(
        f"document.querySelector('.player[data-side=left] output').textContent !== '{before}'"
    )
    assert desk.events("TurnRuled")[0]["why"] == "no such word"
    page.there("#statements li", 1)
    page.gives("document.activeElement.dataset.correct", "1")
    assert page.troubles() == []


@pytest.mark.parametrize(
    ("deed", "field", "line"),
    [
        ("score", "points", "Points: a whole number."),
        ("clock", "time", "Another amount: minutes and seconds"),
        ("end", "margin", "Spread of a forfeit: a number"),
        ("Points…", "points", "Points: a whole number of at most three digits"),
        ("Late start…", "time", "Time lost: minutes and seconds"),
        ("Turn missing…", "ago", "How long before the next press: minutes and seconds"),
    ],
)
def test_a_letter_is_never_a_digit_and_the_line_names_the_field(
    at_desk, browser, deed, field, line
):
    page = at_desk(1)
    if deed.endswith("…"):
        from_the_menu(page, deed)
    else:
        pressed(page, deed)
        page.there("#dialog[open]")
    for typed in ("7O", "l5", "7e1"):
        browser.execute_script(
            f"const one = document.querySelector('#dialog [name={field}]');"
            "if (one.closest('details')) one.closest('details').open = true;"
            "const side = document.querySelector('#dialog [name=side]');"
            "if (side && !document.querySelector('#dialog [name=side]:checked')) side.click();"
            "one.focus(); one.value = arguments[0];"
            "one.dispatchEvent(new Event('input', { bubbles: true }));",
            typed,
        )
        if page.js(f"{CONFIRM} !== null"):
            page.wait(f"!{CONFIRM}.disabled")
            page.click("#dialog .primary")
        page.wait(f"document.querySelector('#dialog').textContent.includes({line!r})")
        page.wait("document.querySelector('#dialog [data-choice]:not(:disabled)') === null")
    assert page.troubles() == []


def test_what_was_shown_for_another_entry_cannot_be_confirmed(at_desk, browser):
    """The answer on what is no longer in the form comes late, on a slow network say."""
    page = at_desk(1)
    browser.execute_script(
        "const asked = window.fetch; window.fetch = async (...what) => {"
        "  const answer = await asked(...what);"
        "  if (String(what[0]).endsWith('/preview')) await new Promise((go) => (window.go = go));"
        "  return answer;"
        "};"
    )
    pressed(page, "score")
    page.wait("window.go !== undefined")
    late = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "const form = document.querySelector('#dialog form');"
        "form.elements.points.value = '40';"
        "form.dispatchEvent(new Event('input')); window.go();"
        "setTimeout(() => done([document.querySelector('#dialog .primary').disabled,"
        "                       document.querySelector('#dialog .effect') !== null]), 50);"
    )
    assert late == [True, False]


def test_a_penalty_that_the_rulebook_names_fills_in_its_points_and_rule(
    at_desk, browser, desk, log
):
    game = GameInLog(log, "game-2")
    game.put(GameStarted("game-2", NAMES, "naspa-2017", "english", "left", game.t_ns))
    game.put(ButtonPressed("right", game.t_ns))
    game.play(*TURNS[0])
    page = at_desk()
    from_the_menu(page, "Points…")
    page.click("#dialog .pick label")
    page.gives(
        f"[...{FORM}.kind.options].map((one) => one.text)",
        [
            "something else",
            "an exchange with fewer than seven tiles in the bag, found late: "
            "30 points off the score (IV.E.2.b)",
            "looking up the words of a challenge one by one: 10 points off the score (IV.J.2)",
        ],
    )

    def chosen(kind):
        browser.execute_script(
            f"{FORM}.kind.value = '{kind}';"
            f"{FORM}.kind.dispatchEvent(new Event('change', {{bubbles: true}}))"
        )
        return page.js(f"['on', 'points', 'rule', 'why'].map((name) => {FORM}[name].value)")

    assert chosen(1)[1:3] == ["10", "IV.J.2"]
    late = chosen(0)
    assert late[:3] == ["penalty", "30", "IV.E.2.b"]
    page.wait(f"!{CONFIRM}.disabled")
    page.click("#dialog .primary")
    page.there("#dialog:not([open])")
    (entered,) = desk.events("PenaltyAdded")
    assert [entered[part] for part in ("points", "rule", "why")] == [30, "IV.E.2.b", late[3]]


def test_a_remedy_is_a_button_under_its_rule(at_desk, browser, desk, log):
    game = GameInLog(log, "game-2")
    game.put(GameStarted("game-2", NAMES, "naspa-2017", "english", "left", game.t_ns))
    game.put(ButtonPressed("right", game.t_ns))
    game.play("8A", "FIRNS")
    page = at_desk()
    page.there(".concern[data-code=off_centre]", 1)
    page.says(".concern[data-code=off_centre] .about", has="Rule III.G.1")
    page.click(".concern[data-code=off_centre] .offer .button")
    page.there("#dialog .effect")
    page.says("#dialog .rule", "Rule III.G.1")
    keys(browser, "\ue00c")  # Escape
    page.there("#dialog:not([open])")
    page.reads("document.activeElement.dataset.offer", starts="1:off_centre")
    assert desk.game.log.last_seq == len(desk.sources())
    assert desk.events("TurnRuled") == []


def test_a_square_of_the_board_opens_its_turn(at_desk, browser):
    page = at_desk(2)
    browser.execute_script("document.querySelector('[data-name=\"8D\"]').focus()")
    keys(browser, "\ue007")
    page.says("#dialog-title", "What lies on 8D?")
    page.there(choice("P"))
    page.reads(f'document.querySelector("{choice("P")}").ariaLabel', has="→")
    keys(browser, "\ue00c")
    page.there("#dialog:not([open])")
    page.gives("document.activeElement.dataset.name", "8D")
    assert page.troubles() == []


@pytest.mark.everyday
def test_a_verdict_on_a_challenge_and_the_rights_that_are_open(at_desk, desk):
    page = at_desk(2)
    page.there("#rights li")
    right = page.text("#rights li")
    assert right.startswith(NAMES["left"])
    assert "hold or challenge the last play" in right
    assert right.endswith("Rule 4.1, 4.6.3")
    pressed(page, "challenge")
    page.there(choice("challenge_failed"))
    page.gives("document.querySelector('#dialog form').elements.turn.value", "2")
    chosen(page, "challenge_failed")
    ruled = desk.events("TurnRuled")[0]
    assert (ruled["turn"], ruled["ruling"], ruled["words"]) == (2, "challenge_failed", 1)
    assert ruled["why"] == "challenged, and good"
    assert page.troubles() == []


def test_whatever_is_done_by_a_button_asks_for_a_reason(at_desk, browser, desk, game):
    game.play(*TURNS[0])
    called = Alert("director_called", "a player called", NOW_NS, stands=False)
    desk.loop.desk.alerts.begin(called)
    page = at_desk()
    seen_to = "document.querySelector('.concern[data-code=director_called] button')"
    page.wait(f"{seen_to}?.textContent === 'Seen to'")
    page.js(f"{seen_to}.focus()")
    keys(browser, "\ue007")
    page.there("#dialog[open]")
    # The offered reason is selected: typing replaces it.
    page.gives("document.activeElement.value", "seen to at the table")
    keys(browser, "a question about time", "\ue007")
    page.there("#dialog:not([open])")
    page.there(".concern[data-code=director_called]", 0)
    assert desk.loop.posted == [("attended", "seen to: a player called")]
    page.click("[data-deed=stop]")
    asked = "document.querySelector('#dialog-title').textContent"
    page.wait(f"{asked} === 'Why was the clock stopped?'")
    keys(browser, "\ue00c")
    assert desk.loop.attributions == [
        ("Ann", "a question about time"),
        ("Ann", "stopped at the director’s desk"),
    ]
    game.put(ButtonPressed("neutral", game.t_ns))
    page.there("[data-deed=start-left]:enabled")
    page.js("document.querySelector('[data-deed=start-left]').click()")
    page.there("#dialog[open]")
    page.js("document.querySelector('#dialog [name=why]').value = ' '")
    keys(browser, "\ue007")
    page.there("#dialog .fault:not([hidden])")
    page.says("#dialog .fault", "Say why: it stands in the record for good.")
    keys(browser, "all is well", "\ue007")
    page.there("#dialog:not([open])")
    assert desk.loop.posted[-1] == ("press", "right")
    assert desk.loop.attributions[-1] == ("Ann", "all is well")
    assert page.troubles() == []


SECOND_GAME = {"left": "Cleo", "right": "Dan"}


def next_game(log, page: Page) -> GameInLog:
    """Another game begins at the table, and the page shows it."""
    game = GameInLog(log, "game-2").start(SECOND_GAME)
    game.play(*TURNS[0])
    page.says(".player[data-side=left] .name", "Cleo")
    return game


def ruled(desk, kind: str) -> list[str]:
    """The games in which such an event was entered."""
    return [event.game_id for event in desk.game.log.events() if event.type == kind]


@pytest.mark.everyday
def test_a_dialog_stays_with_the_game_that_it_was_opened_in(at_desk, desk, game, log):
    page = at_desk(1)
    challenged(page)
    next_game(log, page)
    moved = "document.querySelector('#dialog .whose.gone')"
    page.wait(f"{moved} !== null")
    page.reads(f"{moved}.textContent", has=f"{NAMES['left']} – {NAMES['right']}")
    because(page, "no such word")
    page.click(OFF)
    page.there("#dialog:not([open])")
    assert ruled(desk, "TurnRuled") == ["game-1"]
    # Another game's score stands beside it, so it says whose this one is.
    score = f"The score is now {NAMES['left']} 0 : 0 {NAMES['right']}."
    names = f"{NAMES['left']} – {NAMES['right']}"
    page.says("#done p", f"Entered in {names}: turn 1: challenged off the board. {score}")
    # What is undone is that, and no event of the same number in the next game.
    page.click("#undo")
    page.says("#done p", starts="Taken back")
    assert ruled(desk, "Retracted") == ["game-1"]
    page.gives("document.querySelector('.player[data-side=left] output').textContent", "24")
    assert page.troubles() == []


def test_the_menu_of_games_follows_and_leads_to_the_one_before(at_desk, browser, game, log):
    from selenium.webdriver.support.ui import Select

    page = at_desk(1)
    options = "[...document.querySelectorAll('#game option')].map((one) => one.textContent)"
    names = f"{NAMES['left']} – {NAMES['right']}"
    begun = datetime.now().astimezone().strftime("%H:")
    first = f"{names} (not signed)"
    page.wait(f"{options}.length === 1")
    assert page.js(options)[0].startswith(begun)
    assert page.js(options)[0].endswith(f" {names} (on the table)")
    page.there("#turns [data-correct]", 1)
    next_game(log, page)
    page.wait(f"{options}.length === 2")
    shown = page.js(options)
    assert shown[0].endswith(" Cleo – Dan (on the table)")
    assert shown[1].endswith(f" {first}")
    page.gives("document.querySelector('#game').value", "game-2")
    Select(browser.find_element("css selector", "#game")).select_by_index(1)
    page.wait("location.search === '?game=game-1'")
    page.there("#earlier:not([hidden])")
    page.wait(f"document.querySelector('.name').textContent === {NAMES['left']!r}")
    # From there, too, a game that begins is seen.
    GameInLog(log, "game-3").start({"left": "Eve", "right": "Fay"})
    page.wait(f"{options}.length === 3")
    page.gives("document.querySelector('#game').value", "game-1")
    Select(browser.find_element("css selector", "#game")).select_by_index(0)
    page.says(".name", "Eve")
    page.gives("document.querySelector('#earlier').hidden", True)


def test_a_question_of_the_game_before_is_not_answered_in_the_next(at_desk, browser, desk, log):
    """The cards stay until the record of the next game is here: it may be slow in coming."""
    doubtful(desk)
    page = at_desk()
    page.there(".asker", 2)
    browser.execute_script(
        "const asked = window.fetch; window.fetch = (...what) =>"
        "  String(what[0]).endsWith('/games/game-2') ? new Promise(() => {}) : asked(...what);"
    )
    next_game(log, page)
    page.click(".asker .button")
    page.there("#done:not([hidden])")
    assert ruled(desk, "SquareCorrected") == ["game-1"]


def overtaken(browser, url, game):
    """A challenge with its reason, while the next turn comes."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    challenged(page)
    because(page, "no such word")
    game.play(*TURNS[1])
    page.there("#turns [data-correct]", 2)
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
    page.reads(f"{FAULT}.textContent", starts="The game has gone on since")
    page.gives(f"{FAULT}.hidden", False)
    page.gives("window.vanished", 0)
    # It is where it can be seen, however long the effect is.
    page.wait(
        f"(({{left, top}}) => {FAULT}.contains(document.elementFromPoint(left + 9, top + 9)))"
        f"({FAULT}.getBoundingClientRect())"
    )
    assert desk.events("TurnRuled") == []
    page.click(OFF)
    page.there("#dialog:not([open])")
    assert len(desk.events("TurnRuled")) == 1


def test_the_clock_can_be_stopped_where_the_game_has_gone_on(browser, desk, url, game):
    page = overtaken(browser, url, game)
    page.click(OFF)
    page.wait(f"{FAULT}.querySelector('button') !== null")
    foreseen(page)
    page.click("#dialog .fault button")
    page.wait(f"{FAULT}.textContent.startsWith('The clock stands.')")
    page.wait(f"{FAULT}.classList.contains('information')")  # it is no error
    foreseen(page)
    page.gives(f"{FORM}.why.value", "no such word")
    assert desk.loop.posted[-1] == ("press", "neutral")
    # Its reason is known: the stop is for this ruling.
    assert [(one["reason"], one["why"]) for one in desk.events("StopExplained")] == [
        ("director", "stopped for a ruling")
    ]
    page.click(OFF)
    page.there("#dialog:not([open])")
    assert len(desk.events("TurnRuled")) == 1


def test_a_clock_that_stands_by_then_is_not_to_be_stopped(browser, desk, url, game):
    page = overtaken(browser, url, game)
    page.click(OFF)
    page.wait(f"{FAULT}.querySelector('button') !== null")
    game.put(ButtonPressed("neutral", game.t_ns))
    page.wait(f"{FAULT}.querySelector('button') === null")
    page.reads(f"{FAULT}.textContent", starts="The game has gone on since")


def test_the_line_on_the_score_goes_when_somebody_else_changes_it(at_desk, game):
    page = at_desk(2)
    pressed(page, "challenge")
    chosen(page, "challenge_upheld")
    page.says("#done p", has="The score is now")
    entered = len(game.log.events(game.game_id))
    game.put(Retracted(entered, "Bea", "the word is good", game.t_ns))
    page.wait("!document.querySelector('#done p').textContent.includes('The score is now')")
    page.says("#done p", starts="Entered: ")


def test_a_clock_that_was_started_meanwhile_is_not_started_again(at_desk, desk, game):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page = at_desk()
    pressed(page, "start-left")
    page.wait(f"document.querySelector('#dialog').open && !{CONFIRM}.disabled")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.wait(f"{CONFIRM}.disabled")
    page.says("#dialog .fault", "José & Søren’s clock was started meanwhile.")
    page.wait_not(f"{FAULT}.hidden")
    game.put(ButtonPressed("neutral", game.t_ns + 3 * SECOND))
    page.wait(f"!{CONFIRM}.disabled && {FAULT}.hidden")
    page.click("#dialog .primary")
    page.there("#dialog:not([open])")
    assert desk.loop.posted == [("press", "right")]
    assert desk.loop.seen == [SeenTurn(2, "right")]
    assert page.troubles() == []


def test_a_clock_that_the_director_stopped_is_not_started_unnoticed(at_desk, game):
    page = at_desk(1)
    pressed(page, "stop")
    page.says("#done p", "The clock was stopped.")
    page.there("#dialog[open]")  # why it was stopped
    page.click("#dialog .buttons button")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.there("#bar [data-deed=start-right]:enabled")
    pressed(page, "clock")
    page.there("#dialog[open]")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.there("#dialog .whose.gone")
    page.says("#dialog .whose", "The clock runs again: José & Søren is on turn.")
    page.says(
        "#done p",
        "The clock that you stopped runs again, and was not started from this page: "
        "José & Søren is on turn.",
    )
    assert page.troubles() == []


def test_a_start_of_the_other_clock_says_that_it_ends_the_turn(at_desk, desk, game):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page = at_desk()
    on_turn, other = "#bar [data-deed=start-right]", "#bar [data-deed=start-left]"
    page.wait(f"document.querySelector('{on_turn}:not(:disabled)') !== null")
    page.reads(f"document.querySelector('{on_turn}').className", has="primary")
    assert "primary" not in page.js(f"document.querySelector('{other}').className")
    pressed(page, "start-left")
    page.wait(f"document.querySelector('#dialog').open && !{CONFIRM}.disabled")
    page.says("#dialog .soft", starts=f"It is {NAMES['right']}’s turn. This ends it")
    # All of the reason is selected, and a long one shows its start.
    why = "document.querySelector('#dialog [name=why]')"
    page.gives(f"{why}.selectionDirection", "backward")
    page.gives(f"{why}.selectionEnd - {why}.selectionStart", len("the game goes on"))
    page.gives(f"{why}.scrollLeft", 0)
    page.click("#dialog button.button:not(.primary)")
    page.there("#dialog:not([open])")
    pressed(page, "start-right")  # ends nothing, so nothing is asked
    page.says("#done p", ends="’s clock runs.")
    assert desk.loop.posted == [("press", "left")]
    assert desk.loop.seen == [SeenTurn(2, "right")]
    assert page.troubles() == []


def test_a_game_does_not_begin_at_one_press_of_the_desk(at_desk, desk, game, log):
    fresh = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    fresh.put(GameStarted("game-2", SECOND_GAME, "wespa-2021", "english", None, fresh.t_ns))
    page = at_desk()
    page.says(".player[data-side=left] .name", "Cleo")
    pressed(page, "start-left")
    page.wait(f"document.querySelector('#dialog').open && !{CONFIRM}.disabled")
    assert desk.loop.posted == []
    page.wait_not("document.querySelector('#dialog').textContent.includes('This ends it')")


def test_a_player_resigns_although_a_turn_has_come_since(at_desk, desk, game):
    """Who resigns loses to the same opponent by whatever margin the score makes."""
    page = at_desk(1)
    pressed(page, "end")
    page.there(choice("left-resigned"))
    game.play(*TURNS[1])
    page.there("#turns [data-correct]", 2)
    chosen(page, "left-resigned")
    assert len(desk.events("GameForfeited")) == 1
    assert page.troubles() == []


def test_an_ending_shows_what_it_makes_of_the_score_as_it_is_now(at_desk, game):
    """A button enters what it shows, whatever was played since the window was opened."""
    game.play(*TURNS[0])
    page = at_desk()
    pressed(page, "end")
    shown = "document.querySelector('#dialog [data-choice=director] .brief')?.textContent"
    page.wait(f"{shown} === {NAMES['left'] + ' wins by 24'!r}")
    game.play(*TURNS[1])
    page.wait(f"{shown} === {NAMES['left'] + ' wins by 18'!r}")
    chosen(page, "director")
    page.says("#done p", has="wins by")
    page.says("#done p", has=f"{NAMES['left']} wins by 18.")
    assert page.troubles() == []


def test_a_challenge_stays_with_its_play_when_somebody_else_rules_on_it(
    at_desk, browser, desk, game
):
    page = at_desk(2)
    pressed(page, "challenge")
    foreseen(page)
    game.put(TurnRuled(2, "challenge_upheld", "Ann", "not good", game.t_ns))
    note = "document.querySelector('#dialog .choices .note')?.textContent"
    page.wait(f"{note}?.startsWith('This play has just been ruled on')")
    page.there("#dialog [data-choice]", 0)
    page.gives(f"{FORM}.turn.value", "2")
    page.reads(f"{FORM}.turn.selectedOptions[0].textContent", ends="ruled on by now")
    browser.execute_script(
        f"{FORM}.turn.value = '1';{FORM}.turn.dispatchEvent(new Event('input', {{bubbles: true}}))"
    )
    chosen(page, "challenge_upheld")
    assert [one["turn"] for one in desk.events("TurnRuled")] == [2, 1]


@pytest.mark.parametrize("told_by", ["input", "change", None])
def test_the_play_that_is_shown_is_the_one_that_is_ruled_on(at_desk, browser, desk, told_by):
    """Drivers and assistive tools may tell a choice in a list by one event, or by none."""
    page = at_desk(2)
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


def fill(browser, page, deed: str, why: str, **values: str) -> None:
    """Open a form, fill it in, and enter it once its effect is shown."""
    if deed.endswith("…"):
        from_the_menu(page, deed)
    else:
        pressed(page, deed)
        page.there("#dialog[open]")
    given = ";".join(f"{FORM}.{name}.value = {value!r}" for name, value in values.items())
    browser.execute_script(
        f"{given};{FORM}.why.value = {why!r};"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    page.there("#dialog .primary:enabled")
    page.click("#dialog .primary")
    page.there("#dialog:not([open])")


@pytest.mark.everyday
def test_a_forgotten_press_is_put_right_and_undone(at_desk, browser, desk):
    page = at_desk(2)
    first = "9H"
    fill(
        browser, page, "Press forgotten…", "nobody pressed",
        turn="2", squares=first, side="right", ago="0:05",
    )  # fmt: skip
    (event,) = desk.events("TurnParted")
    press_ns = desk.events("TurnSeen")[1]["press_ns"]
    assert (event["turn"], event["squares"], event["side"]) == (2, [first], "right")
    assert event["ended_ns"] == press_ns - 5 * 10**9
    assert (event["by"], event["why"], event["ended"]) == ("Ann", "nobody pressed", "not_known")
    page.there("#turns [data-correct]", 3)
    page.click("#undo")
    page.there("#turns [data-correct]", 2)
    assert page.troubles() == []


def test_a_turn_is_inserted_and_two_are_joined(at_desk, browser, desk):
    page = at_desk(2)
    fill(browser, page, "Turn missing…", "a pass", turn="2", side="right", tiles="", ago="0:01")
    page.there("#turns [data-correct]", 3)
    fill(browser, page, "One press too many…", "it was one", turn="2", side="right")
    page.there("#turns [data-correct]", 2)
    assert [e["turn"] for e in desk.events("TurnInserted") + desk.events("TurnsJoined")] == [2, 2]
    assert page.troubles() == []


def test_the_tiles_of_a_missing_turn_are_laid_on_the_board(at_desk, browser, desk):
    page = at_desk(2)
    from_the_menu(page, "Turn missing…")
    page.click("#dialog label:has([name=side][value=left])")
    page.click("#dialog .board-field [data-name='8H']")
    page.click("#dialog .board-field .key[data-letter=O]")
    page.says("#dialog .board-field .beside > .chosen", "A tile lay on 8H before.")
    page.click("#dialog .board-field [data-name='5B']")
    page.click("#dialog .board-field .key[data-letter=O]")
    keys(browser, "x")  # goes to the square beside it
    page.click("#dialog .board-field [data-name='6B']")
    page.click("#dialog .board-field .blank-toggle")
    page.click("#dialog .board-field .key[data-letter=N]")
    page.gives(f"{FORM}.tiles.value", "5B=O 5C=X 6B=n")
    page.click("#dialog .board-field [data-name='5C']")
    keys(browser, ".")
    page.there("#dialog .effect .scores")
    page.there("#dialog .primary:enabled")
    page.click("#dialog .primary")
    page.there("#dialog:not([open])")
    (event,) = desk.events("TurnInserted")
    assert (event["turn"], event["tiles"]) == (2, {"5B": "O", "6B": "n"})
    assert event["side"] == "left"
    assert page.troubles() == []


def test_what_the_rulebook_has_a_rule_on_is_offered_and_nothing_else(at_desk, browser, desk):
    page = at_desk(2)
    pressed(page, "more")
    offered = page.js("[...document.querySelectorAll('[data-deed]')].map((b) => b.dataset.deed)")
    assert {"Play accepted…", "Too few drawn…", "score"} <= set(offered)  # WESPA 2007
    absent = {"Tiles found…", "Earlier position…", "Erase overtime…", "Minor infraction…"}
    assert not absent & set(offered)
    page.click("#menu .buttons button")
    fill(browser, page, "Play accepted…", "seen on the sheet", how="score_written")
    (event,) = desk.events("PlayAccepted")
    assert (event["turn"], event["how"]) == (2, "score_written")
    page.wait("!document.querySelector('#rights li')?.textContent.includes('challenge')")
    fill(browser, page, "score", "as written", of="2", points="40")
    page.says(".player[data-side=right] output", "40")
    assert page.troubles() == []


def test_what_is_no_longer_on_the_board_is_neither_held_nor_accepted(at_desk, game):
    page = at_desk(1)
    offered = "[...document.querySelectorAll('#menu [data-deed]')].map((b) => b.dataset.deed)"
    of_the_play = {"Hold…", "Play accepted…"}
    pressed(page, "more")
    assert of_the_play <= set(page.js(offered))
    page.js("document.querySelector('#menu').close()")
    game.put(TurnRuled(1, "challenge_upheld", "Ann", "no such word", game.t_ns))
    page.wait("/challenged off/i.test(document.querySelector('#turns').textContent)")
    pressed(page, "more")
    assert not of_the_play & set(page.js(offered))
