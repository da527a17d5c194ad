"""Rulings on the director's page in a real browser: each effect first, while the game goes on."""

from __future__ import annotations

from datetime import datetime

import pytest

from game.events import ButtonPressed, GameStarted, Retracted, TurnRuled
from table.desk import SeenTurn
from table.health.alerts import Alert
from tests.dashboard.browsing import Page, keys
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import (
    CONFIRM,
    FAULT,
    FORM,
    OFF,
    because,
    challenged,
    choice,
    chosen,
    confirmed,
    doubtful,
    foreseen,
    from_the_menu,
    pressed,
)

pytestmark = pytest.mark.browser


@pytest.mark.everyday
def test_a_correction_shows_its_effect_before_it_is_made(at_desk, desk):
    """Its reason is typed beside it: that changes nothing, so it stops nobody."""
    page = at_desk(6)
    challenged(page)
    page.says(OFF, has="34 → 10")
    page.click(f"{OFF} + details summary")
    page.there(f"{OFF} + details tbody tr:nth-child(3)")
    assert desk.events("TurnRuled") == []
    page.driver.execute_script(
        f'const confirm = document.querySelector("{OFF}");'
        "window.dead = 0; new MutationObserver(() => {"
        "  if (confirm.disabled) window.dead += 1;"
        "}).observe(confirm, {attributes: true});"
    )
    because(page, "x" * 405)
    page.says("#field-why-hint", "No more than 400 characters.")
    page.gives(f"{FORM}.why.value.length", 400)
    page.js(f"{FORM}.why.value = ''")
    because(page, "no such word")
    page.says(OFF, has="34 → 10")
    page.gives("window.dead", 0)
    chosen(page, "challenge_upheld")
    page.says(".player[data-side=left] output", "10")
    assert desk.events("TurnRuled")[0]["why"] == "no such word"
    page.there("#statements li", 1)
    page.gives("document.activeElement.dataset.correct", "1")


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
    GameInLog(log, "game-2").start(rulebook="naspa-2017").play(*TURNS[0])
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
    confirmed(page)
    (entered,) = desk.events("PenaltyAdded")
    assert [entered[part] for part in ("points", "rule", "why")] == [30, "IV.E.2.b", late[3]]


def test_a_remedy_is_a_button_under_its_rule(at_desk, browser, desk, log):
    GameInLog(log, "game-2").start(rulebook="naspa-2017").play("8A", "FIRNS")
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


def test_whatever_is_done_by_a_button_asks_for_a_reason(at_desk, browser, desk, game):
    game.play(*TURNS[0])
    called = Alert("director_called", "a player called", NOW_NS, stands=False)
    desk.loop.desk.alerts.begin(called)
    page = at_desk()
    seen_to = ".concern[data-code=director_called] button"
    page.says(seen_to, "Seen to")
    page.js(f"document.querySelector({seen_to!r}).focus()")
    keys(browser, "\ue007")
    page.there("#dialog[open]")
    # The offered reason is selected: typing replaces it.
    page.gives("document.activeElement.value", "seen to at the table")
    keys(browser, "a question about time", "\ue007")
    page.there("#dialog:not([open])")
    page.there(".concern[data-code=director_called]", 0)
    assert desk.loop.posted == [("attended", "seen to: a player called")]
    page.click("[data-deed=stop]")
    page.says("#dialog-title", "Why was the clock stopped?")
    keys(browser, "\ue00c")
    assert desk.loop.attributions == [
        ("Ann", "a question about time"),
        ("Ann", "stopped at the director’s desk"),
    ]
    game.put(ButtonPressed("neutral", game.t_ns))
    pressed(page, "start-left")
    page.there("#dialog[open]")
    page.js("document.querySelector('#dialog [name=why]').value = ' '")
    keys(browser, "\ue007")
    page.says("#dialog .fault:not([hidden])", "Say why: it stands in the record for good.")
    keys(browser, "all is well", "\ue007")
    page.there("#dialog:not([open])")
    assert desk.loop.posted[-1] == ("press", "right")
    assert desk.loop.attributions[-1] == ("Ann", "all is well")


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
    names = f"{NAMES['left']} – {NAMES['right']}"
    page.says("#dialog .whose.gone", has=names)
    because(page, "no such word")
    chosen(page, "challenge_upheld")
    assert ruled(desk, "TurnRuled") == ["game-1"]
    # Another game's score stands beside it, so it says whose this one is.
    score = f"The score is now {NAMES['left']} 0 : 0 {NAMES['right']}."
    page.says("#done p", f"Entered in {names}: turn 1: challenged off the board. {score}")
    # What is undone is that, and no event of the same number in the next game.
    page.click("#undo")
    page.says("#done p", starts="Taken back")
    assert ruled(desk, "Retracted") == ["game-1"]
    page.says(".player[data-side=left] output", "24")


def test_the_menu_of_games_follows_and_leads_to_the_one_before(at_desk, browser, game, log):
    from selenium.webdriver.support.ui import Select

    page = at_desk(1)
    options = "[...document.querySelectorAll('#game option')].map((one) => one.textContent)"
    names = f"{NAMES['left']} – {NAMES['right']}"
    begun_ns = log.events(game.game_id)[0].wall_ns
    begun = datetime.fromtimestamp(begun_ns / SECOND).astimezone().strftime("%H:%M")
    page.reads(f"{options}[0]", starts=begun, ends=f" {names} (on the table)")
    next_game(log, page)
    page.reads(f"{options}[0]", ends=" Cleo – Dan (on the table)")
    page.reads(f"{options}[1]", ends=f" {names} (not signed)")
    page.gives("document.querySelector('#game').value", "game-2")
    Select(browser.find_element("css selector", "#game")).select_by_index(1)
    page.wait("location.search === '?game=game-1'")
    page.there("#earlier:not([hidden])")
    page.says(".name", NAMES["left"])
    # From there, too, a game that begins is seen.
    GameInLog(log, "game-3").start({"left": "Eve", "right": "Fay"})
    page.wait(f"{options}.length === 3")
    page.gives("document.querySelector('#game').value", "game-1")
    Select(browser.find_element("css selector", "#game")).select_by_index(0)
    page.says(".name", "Eve")
    page.there("#earlier[hidden]")


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


def overtaken(page: Page, game) -> None:
    """A challenge with its reason, while the next turn comes."""
    challenged(page)
    because(page, "no such word")
    game.play(*TURNS[1])
    page.there("#turns [data-correct]", 2)


def test_why_it_was_not_entered_stays_to_be_read_and_the_clock_can_be_stopped(at_desk, desk, game):
    page = at_desk(1)
    overtaken(page, game)
    page.driver.execute_script(
        "window.vanished = 0; new MutationObserver((changes) => {"
        f"  for (const {{ oldValue }} of changes)"
        f"    if (oldValue === null && {FAULT}.hidden) window.vanished += 1;"
        f"}}).observe({FAULT}, {{attributeFilter: ['hidden'], attributeOldValue: true}});"
    )
    page.click(OFF)
    page.wait(f"!{FAULT}.hidden")
    foreseen(page)
    page.says("#dialog .fault:not([hidden])", starts="The game has gone on since")
    page.gives("window.vanished", 0)
    # It is where it can be seen, however long the effect is.
    page.wait(
        f"(({{left, top}}) => {FAULT}.contains(document.elementFromPoint(left + 9, top + 9)))"
        f"({FAULT}.getBoundingClientRect())"
    )
    assert desk.events("TurnRuled") == []
    page.click("#dialog .fault button")
    page.says("#dialog .fault.information", starts="The clock stands.")  # it is no error
    foreseen(page)
    page.gives(f"{FORM}.why.value", "no such word")
    assert desk.loop.posted[-1] == ("press", "neutral")
    # Its reason is known: the stop is for this ruling.
    assert [(one["reason"], one["why"]) for one in desk.events("StopExplained")] == [
        ("director", "stopped for a ruling")
    ]
    chosen(page, "challenge_upheld")
    assert len(desk.events("TurnRuled")) == 1


def test_a_clock_that_stands_by_then_is_not_to_be_stopped(at_desk, game):
    page = at_desk(1)
    overtaken(page, game)
    page.click(OFF)
    page.there("#dialog .fault button")
    game.put(ButtonPressed("neutral", game.t_ns))
    page.there("#dialog .fault button", 0)
    page.says("#dialog .fault", starts="The game has gone on since")


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
    page.there("#dialog[open] .primary:enabled")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.there("#dialog .primary:disabled")
    page.says("#dialog .fault:not([hidden])", "José & Søren’s clock was started meanwhile.")
    game.put(ButtonPressed("neutral", game.t_ns + 3 * SECOND))
    page.there("#dialog:has(.fault[hidden]) .primary:enabled")
    confirmed(page)
    assert desk.loop.posted == [("press", "right")]
    assert desk.loop.seen == [SeenTurn(2, "right")]


def test_a_clock_that_the_director_stopped_is_not_started_unnoticed(at_desk, game):
    page = at_desk(1)
    pressed(page, "stop")
    page.says("#done p", "The clock was stopped.")
    page.click("#dialog[open] .buttons button")  # why it was stopped
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.there("#bar [data-deed=start-right]:enabled")
    pressed(page, "clock")
    page.there("#dialog[open]")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.says("#dialog .whose.gone", "The clock runs again: José & Søren is on turn.")
    page.says(
        "#done p",
        "The clock that you stopped runs again, and was not started from this page: "
        "José & Søren is on turn.",
    )


def test_a_start_of_the_other_clock_says_that_it_ends_the_turn(at_desk, desk, game):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page = at_desk()
    page.there("#bar [data-deed=start-right].primary:enabled")
    page.there("#bar [data-deed=start-left]:not(.primary)")
    pressed(page, "start-left")
    page.there("#dialog[open] .primary:enabled")
    page.says("#dialog .soft", starts=f"It is {NAMES['right']}’s turn. This ends it")
    # All of the reason is selected, and a long one shows its start.
    chosen_text = "[{0}.selectionDirection, {0}.selectionEnd - {0}.selectionStart, {0}.scrollLeft]"
    page.gives(chosen_text.format(f"{FORM}.why"), ["backward", len("the game goes on"), 0])
    page.click("#dialog button.button:not(.primary)")
    page.there("#dialog:not([open])")
    pressed(page, "start-right")  # ends nothing, so nothing is asked
    page.says("#done p", ends="’s clock runs.")
    assert desk.loop.posted == [("press", "left")]
    assert desk.loop.seen == [SeenTurn(2, "right")]


def test_a_game_does_not_begin_at_one_press_of_the_desk(at_desk, desk, game, log):
    fresh = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    fresh.put(GameStarted("game-2", SECOND_GAME, "wespa-2021", "english", None, fresh.t_ns))
    page = at_desk()
    page.says(".player[data-side=left] .name", "Cleo")
    pressed(page, "start-left")
    page.there("#dialog[open] .primary:enabled")
    assert desk.loop.posted == []
    page.wait_not("document.querySelector('#dialog').textContent.includes('This ends it')")


@pytest.mark.parametrize(
    ("ending", "says"), [("director", f"{NAMES['left']} wins by 18."), ("left-resigned", "resign")]
)
def test_an_ending_shows_what_it_makes_of_the_score_as_it_is_now(at_desk, game, ending, says):
    """A button enters what it shows, whatever was played since the window was opened."""
    page = at_desk(1)
    pressed(page, "end")
    shown = "#dialog [data-choice=director] .brief"
    page.says(shown, f"{NAMES['left']} wins by 24")
    game.play(*TURNS[1])
    page.says(shown, f"{NAMES['left']} wins by 18")
    chosen(page, ending)
    page.says("#done p", has=says)


def test_a_challenge_stays_with_its_play_when_somebody_else_rules_on_it(
    at_desk, browser, desk, game
):
    page = at_desk(2)
    pressed(page, "challenge")
    foreseen(page)
    game.put(TurnRuled(2, "challenge_upheld", "Ann", "not good", game.t_ns))
    page.says("#dialog .choices .note", starts="This play has just been ruled on")
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
        page.says("#dialog .fault", starts="A field has changed")
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
    confirmed(page)


@pytest.mark.everyday
def test_a_forgotten_press_is_put_right_and_undone(at_desk, browser, desk):
    page = at_desk(2)
    parted = {"turn": "2", "squares": "9H", "side": "right", "ago": "0:05"}
    fill(browser, page, "Press forgotten…", "nobody pressed", **parted)
    assert desk.events("TurnParted") == [
        {
            "type": "TurnParted", "turn": 2, "squares": ["9H"], "side": "right", "by": "Ann",
            "why": "nobody pressed", "ended": "not_known", "t_ns": NOW_NS,
            "ended_ns": desk.events("TurnSeen")[1]["press_ns"] - 5 * SECOND,
        }
    ]  # fmt: skip
    page.there("#turns [data-correct]", 3)
    page.click("#undo")
    page.there("#turns [data-correct]", 2)


def test_a_turn_is_inserted_and_two_are_joined(at_desk, browser, desk):
    page = at_desk(2)
    fill(browser, page, "Turn missing…", "a pass", turn="2", side="right", tiles="", ago="0:01")
    page.there("#turns [data-correct]", 3)
    fill(browser, page, "One press too many…", "it was one", turn="2", side="right")
    page.there("#turns [data-correct]", 2)
    assert [e["turn"] for e in desk.events("TurnInserted") + desk.events("TurnsJoined")] == [2, 2]


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
    confirmed(page)
    (event,) = desk.events("TurnInserted")
    tiles = {"5B": "O", "6B": "n"}
    assert (event["turn"], event["side"], event["tiles"]) == (2, "left", tiles)


def test_what_the_rulebook_has_a_rule_on_is_offered_and_nothing_else(at_desk, browser, desk, game):
    page = at_desk(2)

    def offered() -> set[str]:
        pressed(page, "more")
        deeds = page.js("[...document.querySelectorAll('[data-deed]')].map((b) => b.dataset.deed)")
        page.click("#menu .buttons button")
        return set(deeds)

    assert {"Play accepted…", "Hold…", "Too few drawn…", "score"} <= offered()  # WESPA 2007
    absent = {"Tiles found…", "Earlier position…", "Erase overtime…", "Minor infraction…"}
    assert not absent & offered()
    fill(browser, page, "Play accepted…", "seen on the sheet", how="score_written")
    (event,) = desk.events("PlayAccepted")
    assert (event["turn"], event["how"]) == (2, "score_written")
    page.wait("!document.querySelector('#rights li')?.textContent.includes('challenge')")
    fill(browser, page, "score", "as written", of="2", points="40")
    page.says(".player[data-side=right] output", "40")
    # What is no longer on the board is neither held nor accepted.
    game.put(TurnRuled(2, "challenge_upheld", "Ann", "no such word", game.t_ns))
    page.says("#turn-2", has="challenged off")
    assert not {"Hold…", "Play accepted…"} & offered()
