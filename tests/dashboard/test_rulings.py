"""Rulings in a real browser, each with its effect first, at a desk that is one page in sight."""

from __future__ import annotations

from datetime import datetime

import pytest

from game.board import EMPTY, Square
from game.events import (
    ButtonPressed,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    ResultSigned,
    Retracted,
    TurnRuled,
)
from game.troubles import make_trouble
from table.desk import TurnMeant
from tests.dashboard.browsing import PHONE, Page, keys, violations
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
    confirmed,
    doubtful,
    foreseen,
    from_the_menu,
    pressed,
    shown,
)
from tests.dashboard.test_glance import reported, rows

pytestmark = pytest.mark.browser


@pytest.mark.everyday
def test_a_correction_shows_its_effect_before_it_is_made(at_desk, desk):
    """Its reason is typed beside it: that changes nothing, so it stops nobody."""
    page = at_desk(6)
    challenged(page)
    page.says(OFF, has="34 → 10")
    page.click("#dialog .options + details summary")
    page.there("#dialog .options + details tbody tr:nth-child(3)")
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
        ("Late start…", "lost_ns", "Time lost: minutes and seconds"),
        ("Turn missing…", "ago", "How long before the next press: as 0:30"),
        ("Too few drawn…", "missing", "How many too few: a whole number, 1 or more."),
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
    for typed in ("7O", "l5", "7e1", *(["0", "-3"] if field == "missing" else [])):
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


def test_the_rules_on_penalties_are_suggested_where_one_is_typed(at_desk, browser, desk, log):
    GameInLog(log, "game-2").start(rulebook="naspa-2017").play(*TURNS[0])
    page = at_desk()
    from_the_menu(page, "Points…")
    page.click("#dialog .pick label")
    page.gives(
        f"[...{FORM}.rule.list.options].map((one) => `${{one.value}}: ${{one.text}}`)",
        [
            "IV.E.2.b: an exchange with fewer than seven tiles in the bag, found late",
            "IV.J.2: looking up the words of a challenge one by one",
            "IV.B.6: tiles drawn out of order late in the game, by either player",
        ],
    )
    browser.execute_script(
        f"{FORM}.points.value = '30'; {FORM}.rule.value = 'IV.E.2.b';"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    confirmed(page)
    (entered,) = desk.events("PenaltyAdded")
    assert [entered[part] for part in ("points", "rule")] == [30, "IV.E.2.b"]


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


def test_a_challenge_in_vain_says_what_it_cost(at_desk, log):
    GameInLog(log, "game-2").start(rulebook="naspa-2017").play(*TURNS[0])
    page = at_desk()
    challenged(page)
    chosen(page, "challenge_failed")
    page.says("#done p", has=f"unsuccessfully, and {NAMES['right']} loses a turn")


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
    assert ruled["why"] == ""


def test_a_turn_that_only_moved_an_earlier_tile_can_be_challenged(at_desk, desk, game):
    page = at_desk(1)
    game.board = game.board.replace({Square.parse("8H"): EMPTY, Square.parse("8I"): "S"})
    game.press()
    page.there("#turns [data-correct]", 2)
    pressed(page, "challenge")
    page.gives("document.querySelector('#dialog form').elements.turn.value", "2")
    chosen(page, "challenge_upheld")
    page.says("#done p", has="the tiles put back")
    assert [one["turn"] for one in desk.events("TurnRuled")] == [2]


def test_whatever_is_done_by_a_button_has_the_reason_that_is_typed_or_none(
    at_desk, browser, desk, game
):
    game.play(*TURNS[0])
    called = make_trouble("director_called", "a player called", NOW_NS)
    desk.loop.desk.active_troubles.begin(called)
    page = at_desk()
    seen_to = ".concern[data-code=director_called] button"
    page.says(seen_to, "Seen to")
    page.js(f"document.querySelector({seen_to!r}).focus()")
    keys(browser, "\ue007")
    page.there("#dialog[open]")
    page.gives("document.activeElement.textContent", "Seen to")
    because(page, "a question about time")
    keys(browser, "\ue007")
    page.there("#dialog:not([open])")
    page.there(".concern[data-code=director_called]", 0)
    assert desk.loop.posted == [("attended", "seen to: a player called")]
    page.click("[data-deed=stop]")
    page.says("#done p", "The clock was stopped.")
    page.there("#dialog:not([open])")  # nobody is asked why it was before the log has that it was
    game.put(ButtonPressed("neutral", game.t_ns))
    page.says("#dialog-title", "Why was the clock stopped?")
    keys(browser, "\ue00c")
    assert desk.loop.attributions == [
        ("Ann", "a question about time"),
        ("Ann", ""),
    ]
    pressed(page, "start-left")
    page.there("#dialog[open]")
    keys(browser, "\ue007")
    page.there("#dialog:not([open])")
    assert desk.loop.posted[-1] == ("press", "right")
    assert desk.loop.attributions[-1] == ("Ann", "")


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


def test_a_dialog_stays_with_the_game_that_it_was_opened_in(at_desk, desk, game, log):
    page = at_desk(1)
    challenged(page)
    next_game(log, page)
    names = f"{NAMES['left']} – {NAMES['right']}"
    page.says("#dialog .newer", has=names)
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
        ("director", "")
    ]
    chosen(page, "challenge_upheld")
    assert len(desk.events("TurnRuled")) == 1


COLUMNS = (
    "getComputedStyle(document.querySelector('#dialog [data-group=letter] .options'))"
    ".gridTemplateColumns"
)


@pytest.mark.parametrize("size", [(1366, 900), (390, 844)])
def test_the_letters_of_a_pad_stay_in_their_columns(at_desk, screen, size):
    page = at_desk(2)
    screen(*size)
    page.js("document.querySelector('#board [data-name=\"8H\"]').click()")
    page.says("#dialog .sums", has=" / ")  # it is a tile of both
    page.says("#dialog [data-choice=Z] .brief", has=" / ")
    before = page.js(COLUMNS)
    page.driver.execute_script(f"{FAULT}.hidden = false; {FAULT}.textContent = 'why '.repeat(400)")
    page.wait("document.querySelector('#dialog').scrollHeight > 900")
    page.gives(COLUMNS, before)


def test_a_letter_is_entered_where_only_flags_that_no_key_shows_have_changed(at_desk, desk):
    page = at_desk(2)
    page.click("#board [data-name='8E']")
    page.there(choice("O"))
    page.driver.execute_script(
        """
        const asked = window.fetch;
        let rules = 0;
        window.fetch = async (where, how) => {
          if (String(where).endsWith("/rule") && !rules++)
            how = { ...how, body: JSON.stringify({ ...JSON.parse(how.body), effect: "another" }) };
          const answer = await asked(where, how);
          if (!String(where).endsWith("/preview")) return answer;
          const found = await answer.json();
          for (const one of found.answers)
            one.difference?.flags_new.push({ code: "another", squares: [], message: "another" });
          return new Response(JSON.stringify(found), answer);
        };
        """
    )
    chosen(page, "O")
    assert [one["symbol"] for one in desk.events("SquareCorrected")] == ["O"]


@pytest.mark.everyday
def test_a_letter_of_which_the_set_has_no_more_is_warned_of_and_asked_about(at_desk):
    page = at_desk(6)
    page.click("#board [data-name='8D']")
    page.says(f"{choice('X')} .brief", has="extra tile")
    page.gives("document.querySelector('#dialog [data-choice=A] .brief').textContent", "−12")
    chosen(page, "X")
    page.says("#attention-count", "1")
    squares = "[...document.querySelectorAll('[data-code=extra_tile] .asker')]"
    page.gives(f"{squares}.map(({{ dataset }}) => dataset.square).join()", "8D,12F")
    page.click("[data-offer$='8D-read']")
    page.says("#attention-count", "0")


def test_what_was_done_stays_in_sight_beside_the_turns(at_desk, screen):
    page = at_desk(6)
    screen(1366, 768)
    page.js("scrollTo(0, document.documentElement.scrollHeight)")
    page.driver.execute_script("document.querySelector('[data-correct=\"1\"]').click()")
    chosen(page, "challenge_upheld")
    page.there("#done:not([hidden])")
    box = BOX.format("#done")
    page.wait("scrollY > 50")
    page.wait(
        f"(({{ left, top }}) => document.querySelector('#done').contains("
        f"document.elementFromPoint(left + 9, top + 9)))({box})"
    )


def test_on_a_phone_the_usual_penalties_are_in_sight(browser, url, log, screen):
    GameInLog(log, "game-2").start(rulebook="naspa-2017").play(*TURNS[0])
    screen(*PHONE)
    page = Page(browser, f"{url}{TABLE}")
    page.there("#turns [data-correct]", 1)
    from_the_menu(page, "Penalty…")
    page.there(choice("left-50"))
    page.says("#dialog .common", "One press enters it.")
    last, foot = BOX.format("[data-choice=left-50]"), BOX.format("#dialog .buttons")
    page.wait(f"{last}.bottom <= {foot}.top")
    tall = "[...document.querySelectorAll('#dialog .choice')].map((one) => one.offsetHeight)"
    assert max(page.js(tall)) < 200


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
    assert desk.loop.seen == [TurnMeant(2, "right")]


def test_a_clock_that_the_director_stopped_is_not_started_unnoticed(at_desk, game):
    page = at_desk(1)
    pressed(page, "stop")
    page.says("#done p", "The clock was stopped.")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.click("#dialog[open] .buttons button")  # why it was stopped
    page.there("#bar [data-deed=start-right]:enabled")
    pressed(page, "clock")
    page.there("#dialog[open]")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))  # the player did it
    page.says("#dialog .newer", "The clock runs again: José & Søren is on turn.")
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
    page.click("#dialog button.button:not(.primary)")
    page.there("#dialog:not([open])")
    pressed(page, "start-right")  # ends nothing, so nothing is asked
    page.says("#done p", ends="’s clock runs.")
    assert desk.loop.posted == [("press", "left")]
    assert desk.loop.seen == [TurnMeant(2, "right")]


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
    ("ending", "says"), [("confirmed", f"{NAMES['left']} wins by 18."), ("left-resigned", "resign")]
)
@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
def test_an_ending_shows_what_it_makes_of_the_score_as_it_is_now(at_desk, game, ending, says):
    """A button enters what it shows, whatever was played since the window was opened."""
    page = at_desk(1)
    pressed(page, "end")
    shown = "#dialog [data-choice=confirmed] .brief"
    page.says(shown, f"{NAMES['left']} wins by 24")
    game.play(*TURNS[1])
    page.says(shown, f"{NAMES['left']} wins by 18")
    chosen(page, ending)
    page.says("#done p", has=says)


def test_the_ways_in_which_this_game_may_end_come_first(at_desk, game):
    first = (
        "[...document.querySelectorAll('#dialog [data-choice]')]"
        ".filter((one) => one.checkVisibility()).map((one) => one.dataset.choice)"
    )
    page = at_desk()
    pressed(page, "end")
    page.gives(first, ["left-both_absent", "left-absent", "right-absent"])
    game.play(*TURNS[0])
    page.js("document.querySelector('#dialog').close()")
    page.there("#turns [data-correct]", 1)
    pressed(page, "end")
    page.gives(first, ["confirmed", "shortened", "left-resigned", "right-resigned"])
    page.click("#dialog .rest > summary")
    page.there(choice("broken off"))
    page.there("#dialog .rest [data-choice=six_zeros]")
    game.play(*TURNS[1])  # the fold stays open while the game goes on
    page.says("#dialog [data-choice=director] .brief", has="by 18")
    chosen(page, "director")


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


def test_turns_are_parted_which_is_undone_inserted_and_joined(at_desk, browser, desk):
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

    known = {"Play accepted…", "Hold…", "Too few drawn…", "Earlier position…", "Report…", "score"}
    assert known <= offered()  # WESPA 2007
    absent = {
        *("Tiles found…", "Erase overtime…", "Minor infraction…", "Clock started in error…"),
        "Drawing delayed…",
    }
    assert not absent & offered()
    press_ns = desk.events("TurnSeen")[1]["press_ns"]
    when = {"when": str(press_ns // 10**6), "passed": "1"}
    fill(browser, page, "Play accepted…", "seen on the sheet", how="score_written", **when)
    (event,) = desk.events("PlayAccepted")
    assert (event["turn"], event["how"]) == (2, "score_written")
    from_the_menu(page, "Hold…")
    page.gives("[...document.querySelectorAll('#dialog [name=turn] option')].length", 1)
    page.js("document.querySelector('#dialog').close()")
    assert event["t_ns"] // 10**6 == press_ns // 10**6 + 1001
    page.wait("!document.querySelector('#rights li')?.textContent.includes('challenge')")
    fill(browser, page, "score", "as written", of="2", points="40")
    page.says(".player[data-side=right] output", "40")
    # What is no longer on the board is neither held nor accepted.
    game.put(TurnRuled(2, "challenge_upheld", "Ann", "no such word", game.t_ns))
    page.says("#turn-2", has="challenged off")
    assert not {"Hold…", "Play accepted…"} & offered()


@pytest.mark.parametrize("rulebook", ["sanspa-2001"])
def test_what_is_reported_is_offered_with_its_penalty(at_desk, browser, desk):
    page = at_desk(2)
    from_the_menu(page, "Report…")
    page.click("#dialog label:has([name=side][value=left])")
    browser.execute_script(
        f"{FORM}.what.value = 'score_unrecorded';"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    confirmed(page)
    (event,) = desk.events("Reported")
    assert (event["what"], event["side"], event["turn"]) == ("score_unrecorded", "left", 0)
    page.says(".concern[data-code=score_unrecorded] .about", has="Rule 7.5")
    page.click(".concern[data-code=score_unrecorded] [data-offer*=off_spread]")
    confirmed(page)
    (penalty,) = desk.events("PointsAdjusted")
    assert (penalty["side"], penalty["points"], penalty["on"]) == ("left", -50, "spread")
    page.there(".concern[data-code=score_unrecorded]", 0)


@pytest.mark.parametrize("rulebook", ["wespa-2021"])
def test_the_time_that_an_offer_gives_is_typed(at_desk, browser, desk):
    page = at_desk(2)
    fill(browser, page, "Report…", "shouted", what="unethical", side="right")
    page.click(".concern[data-code=unethical] [data-offer*=extra_time]")
    page.there("#dialog[open]")
    browser.execute_script(
        f"{FORM}.added_ns.value = '1:30';"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    confirmed(page)
    (given,) = desk.events("ClockAdjusted")
    assert (given["side"], given["added_ns"]) == ("left", 90 * SECOND)


def test_a_note_is_entered_for_when_it_happened(at_desk, browser, desk):
    page = at_desk(2)
    note = {"what": "the lamp went out", "measure": "caution", "side": "right"}
    first = desk.events("TurnSeen")[0]["press_ns"]
    note |= {"when": str(first // 10**6), "passed": "0:04.5"}
    fill(browser, page, "Note…", "seen", **note, score_left="−5", added_ns_right="0:30")
    (noted,) = desk.events("DirectorNoted")
    assert noted["t_ns"] // 10**6 == first // 10**6 + 4501
    entered = (noted["what"], noted["measure"], noted["side"])
    assert entered == ("the lamp went out", "caution", "right")
    assert (noted["score"], noted["added_ns"]) == ({"left": -5}, {"right": 30 * SECOND})


@pytest.mark.parametrize("rulebook", ["naspa-2017"])
def test_values_by_side_are_entered_by_declared_forms(at_desk, browser, desk):
    page = at_desk(2)
    found = {"where": "table", "count": "1", "side": "right", "tiles": "E"}
    fill(browser, page, "Tiles found…", "under the board", **found, racks_left="7", racks_right="6")
    (event,) = desk.events("TilesFound")
    assert (event["side"], event["tiles"], event["count"]) == ("right", "E", 1)
    assert event["racks"] == {"left": 7, "right": 6}
    back = {"turn": "1", "racks_left": "", "racks_right": "AB?"}
    fill(browser, page, "Earlier position…", "as both agreed", **back)
    (event,) = desk.events("PositionRestored")
    assert (event["turn"], event["racks"], event["scores"]) == (1, {"right": "AB?"}, {})


def test_what_was_challenged_and_how_it_was_decided_is_entered(at_desk, browser, desk):
    page = at_desk(2)
    pressed(page, "challenge")
    page.there(choice("challenge_upheld"))
    browser.execute_script(
        f"{FORM}.verdict.value = 'second_opinion';"
        "const word = document.querySelector('#dialog .checks [type=checkbox]'); word.click();"
        f"{FORM}.slip.value = word.value.toLowerCase();"  # one word, ticked and typed
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    chosen(page, "challenge_upheld")
    (ruled,) = desk.events("TurnRuled")
    assert ruled["verdict"] == "second_opinion"
    assert len(ruled["challenged_words"]) == 1


def test_a_word_on_the_slip_that_the_play_did_not_form_is_entered_and_flagged(
    at_desk, browser, desk
):
    page = at_desk(2)
    pressed(page, "challenge")
    page.there(choice("challenge_failed"))
    browser.execute_script(
        f"{FORM}.slip.value = 'vaped';"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    page.says(choice("challenge_failed"), has="raises a flag")
    chosen(page, "challenge_failed")
    (ruled,) = desk.events("TurnRuled")
    assert ruled["challenged_words"] == ["VAPED"]
    page.says("#attention", has="The challenge may be made again")


def test_a_challenge_that_came_too_late_is_refused_without_a_lookup(at_desk, desk):
    page = at_desk(2)
    pressed(page, "challenge")
    chosen(page, "challenge_failed-refused")
    (ruled,) = desk.events("TurnRuled")
    assert (ruled["ruling"], ruled["verdict"], ruled["words"]) == ("challenge_failed", "refused", 0)


BOX = "document.querySelector('{}').getBoundingClientRect()"
PHONES = ((390, 844), (844, 390))
NESTED = (
    "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility()"
    " && /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1)"
    ".map((e) => e.id || e.className)"
)
CUT = (
    "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility()"
    " && getComputedStyle(e).textOverflow === 'ellipsis' && e.scrollWidth > e.clientWidth)"
    ".map((e) => e.textContent)"
)
WIDE = (
    "[...document.querySelectorAll('.dispute table')].filter((e) => e.checkVisibility()"
    " && e.parentElement.scrollWidth > e.parentElement.clientWidth + 1).map((e) => e.id)"
)


def inside(page: Page, selector: str) -> None:
    """Wait until all of what is there can be seen without scrolling."""
    page.wait(
        f'[...document.querySelectorAll("{selector}")].map((e) => e.getBoundingClientRect())'
        ".every((box) => box.width > 0 && box.left >= 0 && box.right <= innerWidth"
        " && box.top >= 0 && box.bottom <= innerHeight)"
    )


@pytest.fixture
def table(browser, desk, url, game):
    """A game of some length with a penalty in it."""
    game.plays(TURNS)
    for row in (1, 2, 3, 4, 5):  # beside all others, which is flagged and counts
        game.play(f"{row}A", "AT")
        game.play(f"{row}M", "IN")
    game.put(PenaltyAdded("left", 10, "9.9", "Ann", "came late to the table", game.t_ns + SECOND))
    return browser, f"{url}{TABLE}"


def opened(table) -> Page:
    page = Page(*table)
    page.there("#turns [data-correct]", 16)
    page.there("#bar button")
    return page


@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080)])
def test_a_desk_is_one_flow(table, size, screen):
    screen(*size)
    page = opened(table)
    page.gives(NESTED, [])
    inside(page, "#bar button")
    page.gives(CUT, [])
    page.wait("[...document.querySelectorAll('#turns tr')].every((r) => r.cells.length === 5)")
    page.there("#turns tr.adjustment")
    inside(page, "#board, #attention-title, #picture-title")
    page.wait(f"{BOX.format('#board')}.bottom <= {BOX.format('#bar')}.top")
    # Whatever it is scrolled to, the board and the bar stay.
    table[0].execute_script("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait("scrollY > 200")
    inside(page, "#bar button, #board, .player")


@pytest.mark.everyday
def test_a_stop_for_a_challenge_leads_to_its_ruling(table, desk, game):
    page = opened(table)
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.says("#phase", "Clock stopped")
    page.click(".concern[data-code=clock_stopped] [data-offer$=':challenge']")
    page.says("#dialog-title", "A challenge")
    page.says("#phase", "Clock stopped: a challenge")
    page.there("[data-deed=challenge].primary")
    chosen(page, "challenge_upheld")
    page.says("#phase", "Clock stopped")
    # Whoever is on turn goes on with one press: nothing is asked, as nothing ends.
    on_turn = page.js("document.querySelector('.player.on').dataset.side")
    page.click(f"[data-deed=start-{on_turn}].primary")
    page.says("#done p", ends="clock runs.")
    assert desk.loop.posted[-1] == ("press", "left" if on_turn == "right" else "right")


def test_on_a_phone_on_its_side_notices_leave_room_for_what_needs_somebody(
    at_desk, log, game, screen
):
    game.play(*TURNS[0])
    game.put(GameEnded("director", game.t_ns, "Ann"))
    unnamed = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    unnamed.start({"left": "Left", "right": "Right"})
    unnamed.play("8D", "FI?NS")
    screen(844, 390)
    page = at_desk()
    page.there(".concern .what")
    for notice in ("#previous", "#unnamed"):
        page.there(f"{notice}:not([hidden])")
        page.wait(f"{BOX.format(notice)}.height < 44")
    page.wait(f"{BOX.format('.concern h3')}.bottom <= {BOX.format('#bar')}.top")


@pytest.mark.parametrize("size", [*PHONES, (1366, 768)])
def test_pictures_of_a_turn_and_the_reason_of_a_ruling_are_in_reach(table, size, screen):
    screen(*size)
    page = opened(table)
    challenged(page)
    inside(page, "#dialog [name=why], #dialog .buttons button")
    high = 40 if page.js("matchMedia('(pointer: coarse)').matches") else 24
    heights = "[...document.querySelectorAll('#dialog summary')].map((e) => e.clientHeight)"
    page.wait(f"{heights}.every((one) => one >= {high})")
    page.js("document.querySelector('#dialog').close()")
    page.js("document.querySelector('#turn-16 .do a').scrollIntoView({block: 'center'})")
    box = BOX.format("#turn-16 .do a")
    page.wait(f"Math.min({box}.width, {box}.height) >= {40 if size[0] < 900 else 24}")
    page.wait(f"document.documentElement.scrollWidth <= {size[0]}")
    page.click("#turn-16 .do a")
    page.wait(f"location.pathname === '{TABLE}/turns/16'")


@pytest.mark.parametrize(
    ("reason", "title"),
    [("blank", "The blank on 11H: which letter?"), ("score", "Both players agree on a score")],
)
def test_a_stop_leads_to_the_window_for_its_reason(at_desk, log, game, reason, title):
    made = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    made.start(rulebook="wespa-2021")  # which lists both reasons
    made.play(*TURNS[0])
    made.play("H8", ".HO?")
    made.put(ButtonPressed("neutral", made.t_ns + SECOND))
    page = at_desk()
    button = f".concern[data-code=clock_stopped] [data-offer$=':{reason}']"
    page.there(f"#attention:not([data-moved]) {button}")
    names = "[...document.querySelectorAll('button')].map((one) => one.textContent)"
    page.gives(f"{names}.filter((name) => name === '{reason.capitalize()}').length", 1)
    page.click(button)
    page.says("#dialog-title", title)


def test_a_flag_with_nothing_left_to_decide_is_noted(table, game):
    page = opened(table)
    flags = "[...document.querySelectorAll('#turns .flagged')].map((e) => e.textContent)"
    page.reads(flags, has="1 flag")
    game.put(GameEnded("director", game.t_ns + SECOND, "Ann"))
    game.put(ResultSigned("both", game.t_ns + SECOND))
    page.wait(f"{flags}.every((text) => text === 'noted')")
    page.reads(flags, has="noted")


@pytest.mark.parametrize("size", PHONES)
def test_a_dispute_on_a_phone_shows_one_part_at_a_time(table, desk, game, size, screen):
    shown(desk, "at", game.t_ns)
    screen(*size)
    page = Page(table[0], f"{table[1]}/turns/1")
    page.there("#no-picture[hidden]")
    inside(page, "#rule, #tabs button, #viewer")
    for name, there, away in (
        ("board", "[data-tab=board] table", "#viewer"),
        ("ruled", "#ruled-title", "#viewer"),
        ("more", "#known", "#viewer"),
        ("picture", "#viewer", "#ruled-title"),
    ):
        page.click(f"#tabs [data-shows={name}]")
        page.wait(f"document.querySelector('{there}').checkVisibility()")
        page.wait_not(f"document.querySelector('{away}').checkVisibility()")
        page.wait("document.documentElement.scrollWidth <= innerWidth")
        page.gives(WIDE, [])
        prints = "[...document.querySelectorAll('[data-print]')].filter((e) => e.checkVisibility())"
        page.gives(f"{prints}.length", 1)
    page.wait("document.documentElement.scrollHeight <= 2.2 * innerHeight")


FIELDS = """
[...document.querySelectorAll('#dialog :is(input, select, textarea)')]
  .filter((e) => e.checkVisibility() && !['radio', 'checkbox', 'hidden'].includes(e.type))
  .map((e) => [e.getBoundingClientRect(), e.closest('#dialog').getBoundingClientRect(), e])
  .filter(([box, all]) => box.width < 96 || box.right > all.right || box.left < all.left)
  .map(([box, , e]) => `${e.name || e.id}: ${Math.round(box.left)} to ${Math.round(box.right)}`)
"""
SIDEWAYS = "((e) => e.scrollWidth > e.clientWidth)(document.querySelector('#dialog'))"


def test_each_window_behind_more_has_its_fields_whole(table, screen):
    screen(*PHONES[0])
    page = opened(table)
    pressed(page, "more")
    names = page.js(
        "[...document.querySelectorAll('#menu .menu button')].map((e) => e.textContent)"
    )
    assert len(names) > 10
    page.js("document.querySelector('#menu').close()")
    for name in names:
        from_the_menu(page, name)
        for size in PHONES:
            screen(*size)
            page.gives(FIELDS.strip(), [])
            page.wait_not(SIDEWAYS)
        page.js("document.querySelector('#dialog').close()")


@pytest.mark.parametrize(
    ("path", "gone"), [(TABLE, ".bar, .actions, .skip"), ("/tables/1", ".skip, .walk, .more")]
)
def test_on_paper_there_is_nothing_to_press(table, path, gone, screen):
    driver, url = table
    page = Page(driver, url.removesuffix(TABLE) + path)
    page.there("#turns tr:nth-of-type(10)")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.wait("document.querySelector('#board').checkVisibility()")
    page.wait(f"[...document.querySelectorAll('{gone}')].every((e) => !e.checkVisibility())")
    fixed = "e.checkVisibility() && getComputedStyle(e).position === 'fixed'"
    page.wait_not(f"[...document.querySelectorAll('body *')].some((e) => {fixed})")


def differ(page: Page, one: str, other: str) -> None:
    """The two have not the same ground."""
    ground = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    page.wait(f"{ground.format(one)} !== {ground.format(other)}")


def test_what_is_chosen_shows_in_forced_colours(table, screen):
    features = [{"name": "forced-colors", "value": "active"}]
    page = opened(table)
    table[0].execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    from_the_menu(page, "Points…")
    page.click("#dialog .pick label")
    differ(page, "#dialog .pick label:has(:checked)", "#dialog .pick label:not(:has(:checked))")
    edge = "getComputedStyle(document.querySelector('#board .square{}')).borderTopStyle"
    page.gives(edge.format(":not(.taken)"), "solid")
    page.gives(edge.format(" > .tile"), "solid")
    screen(390, 844)
    page = Page(table[0], f"{table[1]}/turns/1")
    page.click("#tabs [data-shows=ruled]")
    page.there("#tabs [data-shows=ruled][aria-pressed=true]")
    differ(page, "#tabs [aria-pressed=true]", "#tabs [aria-pressed=false]")


@pytest.mark.parametrize("size", PHONES)
def test_the_squares_of_a_board_in_a_window_are_large_enough_for_a_finger(table, size, screen):
    screen(*size)
    page = opened(table)
    from_the_menu(page, "Turn missing…")
    sizes = "[...document.querySelectorAll('#dialog .square')].map((one) => one.offsetWidth)"
    page.wait(f"Math.min(...{sizes}) >= 32")
    page.wait("document.querySelector('#dialog').scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", PHONES)
def test_a_phone_is_one_flow_and_a_square_to_be_pressed_large_and_in_sight(table, size, screen):
    screen(*size)
    page = opened(table)
    page.gives(NESTED, [])
    inside(page, "#bar button")
    page.click("#bar [data-deed=tile]")
    page.there("#picking:not([hidden])")
    sizes = "[...document.querySelectorAll('#board .square')].map((e) => e.offsetWidth)"
    page.wait(f"Math.min(...{sizes}) >= {36 if size[0] > size[1] else 32}")
    square = "document.activeElement.getBoundingClientRect()"
    page.wait(f"{square}.top >= document.querySelector('#picking').offsetHeight")
    page.wait(f"{square}.bottom <= innerHeight")
    if size[0] < size[1]:
        page.wait(f"{BOX.format('#board .coord')}.top >= {BOX.format('#picking')}.bottom")
    page.wait(f"document.documentElement.scrollWidth <= {size[0]}")
    page.click("#stop-picking")
    page.click("#bar [data-deed=tile]")
    page.click("#board [data-name='15O']")
    page.says("#dialog[open] h2", has="15O")


@pytest.fixture
def page(browser, desk, url, game):
    game.play(*TURNS[0])
    shown = Page(browser, f"{url}{TABLE}")
    shown.there("#bar [data-deed=challenge]:not(:disabled)")
    return shown


def test_the_clock_that_runs_shows_what_it_would_be_and_goes_on(page, desk):
    running = page.js("document.querySelector('.player.running').dataset.side")
    standing = {"left": "right", "right": "left"}[running]
    pressed(page, "clock")
    page.says(f"{choice(standing + '+1:00')} .brief", starts="→")
    brief = f"{choice(running + '+1:00')} .brief"
    page.says(brief, starts="→")
    was = page.text(brief)
    desk.loop.passed_ns += 90 * SECOND
    page.wait_not(f'document.querySelector("{brief}").textContent === "{was}"')


def test_why_the_clock_stands_is_asked_while_it_stands(page, game):
    pressed(page, "more")
    page.there("#menu [data-deed='Hold…']")
    page.there("#menu [data-deed='Why the clock stands…']", 0)
    page.js("document.querySelector('#menu').close()")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.there("#bar [data-deed=stop]:disabled")
    from_the_menu(page, "Why the clock stands…")
    page.says(f"{choice('absence')} b", "A toilet break or another absence")


def test_a_play_on_two_lines_has_one_name_everywhere(page, game, ann):
    tiles = {"3C": "Z", "3D": "A", "8I": "T", "8J": "O"}
    game.board = game.board.replace({Square.parse(at): tile for at, tile in tiles.items()})
    game.press()
    page.says("#turn-2 .play", starts="8D FIRNSTO")
    pressed(page, "challenge")
    page.says("#dialog", has="8D FIRNSTO")
    assert "3C ZA" not in page.text("#dialog")  # though ZA is a word that may be challenged
    (table,) = rows(reported(ann))
    assert table["last"]["word"] == "FIRNSTO"


@pytest.mark.parametrize("size", [PHONE, (1366, 768)])
def test_a_play_that_comes_meanwhile_moves_nothing_that_enters(at_desk, game, screen, size):
    """Each button that a finger is on its way to takes it still."""
    screen(*size)
    page = at_desk(2)
    pressed(page, "challenge")
    page.there(choice("challenge_upheld"))
    page.wait("!document.querySelector('#dialog [aria-busy=true]')")
    buttons = "[...document.querySelectorAll('#dialog [data-choice]')]"
    there = f"{buttons}.map((e) => e.getBoundingClientRect()).map((e) => [e.x + 9, e.y + 9])"
    before = page.js(there)
    game.plays(TURNS[2:4])
    page.says("#dialog .newer", has="Played meanwhile: Turn 4")
    page.says("#dialog .note.late", has="2 turns have followed")
    page.gives(there, before)
    page.gives(
        f"{before}.map((at) => document.elementFromPoint(...at).closest('[data-choice]'))"
        f".every((one, at) => one === {buttons}[at])",
        True,
    )


def test_the_list_of_plays_to_challenge_goes_with_the_game_and_says_how_late_it_is(page, game):
    note = "#dialog .note:not([hidden])"
    pressed(page, "challenge")
    page.there(choice("challenge_upheld"))
    page.there(note, 0)  # the last play may be challenged
    listed = "[...document.querySelectorAll('#dialog [name=turn] option')].map((o) => o.value)"
    both = f"[{listed}.join(), document.querySelector('#dialog [name=turn]').value]"
    for turn, late in zip(
        TURNS[1:3], ("a turn has followed", "2 turns have followed"), strict=True
    ):
        game.play(*turn)
        page.gives(both, ["2,1", "1"])
        page.says(note, has=late)
    # A play that comes meanwhile is announced, and leads nobody away from the one that is open.
    page.says("#dialog .newer", has=f"Played meanwhile: Turn 2: H8 SHOE, {NAMES['right']}.")
    page.click("#dialog .newer button:last-child")
    page.says("#dialog .newer", "")
    page.gives(both, ["2,1", "1"])
    page.js("document.querySelector('#dialog').close()")
    page.click("[data-correct='1']")
    page.says(note, starts="A challenge is late: a play may be challenged until José")
    page.says(note, has="2 turns have followed")
    page.js("document.querySelector('#dialog').close()")
    pressed(page, "challenge")
    page.says(
        note,
        f"A challenge is late: a play may be challenged until {NAMES['left']} has written down "
        "the whole score (rule 4.1, 4.6.3), and a turn has followed. "
        "You can rule on it all the same.",
    )
    turn = "document.querySelector('#dialog [name=turn]')"
    change = "dispatchEvent(new Event('change', {bubbles: true}))"
    page.driver.execute_script(f"{turn}.value = '1'; {turn}.{change}")
    page.says(note, has="2 turns have followed")
    chosen(page, "challenge_upheld")
    page.says("#turn-1", has="challenged off")
    pressed(page, "challenge")  # what is off the board is challenged no more
    page.gives(listed, ["2"])


def test_what_the_table_has_dealt_with_is_a_note_with_its_remedy(page, desk, game):
    resized = make_trouble("camera_resized", "pictures are 1×1 now, no longer 2×2", game.t_ns)
    desk.table.desk.active_troubles.begin(resized)
    page.says(".concern[data-code=camera_resized] .remedy", has="looked for anew")
    # The table has dealt with it: it stands among the notes, and asks for nobody.
    page.says("#notes-count", "1 note")
    page.there("#notes-list [data-code=camera_resized]")
    page.says("#attention-count", "0")


SHORT = """[...document.querySelectorAll('.bar nav a, .bar button, #bar span')].filter((e) => {
  const words = document.createRange();
  words.selectNodeContents(e);
  const [text, box] = [words, e.closest('button, a')].map((it) => it.getBoundingClientRect());
  return e.checkVisibility() && box.width && (text.width > box.width || text.height > box.height);
}).map((e) => e.textContent)"""
HEIGHT_OF_CHALLENGE = """(() => {
  const words = document.createRange();
  words.selectNodeContents(document.querySelector('#bar [data-deed=challenge]'));
  return words.getBoundingClientRect().height;
})()"""
OVER = """(() => {
  const all = [...document.querySelectorAll('.bar :is(a, button, #link i), #bar .button')].filter(
    (e) => e.checkVisibility() && e.offsetWidth).map((e) => [e, e.getBoundingClientRect()]);
  return all.flatMap(([e, a], at) => all.slice(at + 1).filter(([, b]) => a.left < b.right - 1
    && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => `${e.textContent} / ${other.textContent}`));
})()"""


@pytest.mark.parametrize("path", [TABLE, f"{TABLE}/turns/1", "/director", "/director/links"])
def test_a_narrow_or_enlarged_window_shows_every_button_whole(page, url, path, screen):
    page.driver.get(f"{url}{path}")
    for width, height in ((390, 844), (320, 568), (360, 740), (683, 384), (640, 360)):
        screen(width, height, mobile=width == 390)
        page.driver.refresh()
        page.wait("document.readyState === 'complete'")
        if path == TABLE:
            page.there("#bar .button", 10)
            page.wait(f"innerHeight - {BOX.format('#bar')}.top < {max(110, height / 5)}")
            page.wait(f"{HEIGHT_OF_CHALLENGE} < 20")  # in two lines its last letter stands alone
        if width == 390:
            page.wait(f"{BOX.format('.bar')}.height < 70")  # one line of navigation
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        page.gives(OVER, [])
        page.gives(SHORT, [])
    screen(320, 640)
    high = page.js("document.querySelector('.bar').offsetHeight")
    page.driver.execute_script(
        "const pill = document.querySelector('#link'); if (!pill) return;"
        "pill.dataset.state = 'lost';"
        "pill.querySelector('span').textContent = 'Connection lost, trying again';"
    )
    page.wait(f"document.querySelector('.bar').offsetHeight <= {high}")
    page.wait("document.documentElement.scrollWidth <= 320")


def test_the_heading_says_how_the_game_stands_before_the_table_says_it(page, desk, game):
    """The log is first; the table's own word comes every few seconds, at a hub later still."""
    page.says("#phase", "Running")
    # A table that a hub does not hear is not said to run.
    desk.table.desk.active_troubles.begin(
        make_trouble("table_off", "this table was switched off", game.t_ns)
    )
    page.says("#phase", "Switched off")
    page.there(".players.unheard")
    desk.table.desk.active_troubles.end("table_off")
    page.says("#phase", "Running")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.says("#phase", "Clock stopped")
    game.put(GameEnded("confirmed", game.t_ns + 2 * SECOND, "director"))
    page.says("#phase", "Ended")
    assert desk.loop.desk.phase == "running"
    page.driver.get(page.url.replace("/tables/1", ""))
    page.says(".table-card .phase", "Ended")


def test_a_line_above_the_board_hides_no_row_of_it(page, url, game, log, screen):
    """And the newest turns stand beside it while nothing is asked."""
    below = f"{BOX.format('.board-room .frame')}.bottom <= {BOX.format('#bar')}.top"
    screen(1366, 768)
    game.plays(TURNS[1:])
    page.there("#turns [data-correct]", 6)
    page.wait(f"{BOX.format('#turns tr:nth-child(5)')}.bottom <= {BOX.format('#bar')}.top")
    pressed(page, "tile")
    page.there("#picking:not([hidden])")
    page.wait(below)
    page.click("#stop-picking")
    page.there("#picking[hidden]")
    GameInLog(log, "game-2").start()
    page.driver.get(f"{url}{TABLE}?game=game-1")
    page.there("#bar [data-deed]")
    page.there("#earlier:not([hidden])")
    page.wait(below)
    screen(*PHONE)  # which hears what the menu of games is
    page.there("#game option", 2)
    assert violations(page.driver) == []


def test_on_a_phone_a_message_covers_nothing_that_was_in_sight(page, game, screen):
    """It comes where the bar has an empty row for it, also where the bar has one row of buttons."""
    box, bar = BOX.format("#done"), BOX.format("#bar")
    corners = (
        f"(({{ left, right, top, bottom }}) => [[left, top], [right, top], [left, bottom], "
        f"[right, bottom]])({box})"
    )
    inset = "([x, y]) => [x + (x < innerWidth / 2 ? 4 : -4), y + (y < {} ? 2 : -2)]"
    screen(*PHONE)
    pressed(page, "challenge")
    chosen(page, "challenge_upheld")
    page.says("#done:not([hidden]) p", has="The score is now")
    page.wait(f"innerHeight - {box}.top < {PHONE[1] * 0.21} && {box}.bottom <= {bar}.top")
    at = page.js(f"{corners}.map({inset.format(f'({box}.top + {box}.bottom) / 2')})")
    read = "document.querySelector('#done p')"
    page.wait(f"{read}.scrollHeight <= {read}.clientHeight + 1")
    page.click("#seen")
    page.there("#done[hidden]")
    for scrolled in (0, 400, 9999):
        page.js(f"scrollTo(0, {scrolled})")
        page.gives(f"{at}.map(([x, y]) => document.elementFromPoint(x, y).id)", ["bar"] * 4)
    page.js("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait(f"{BOX.format('.work')}.bottom <= {min(y for _, y in at)}")
    # A signed game leaves one row of buttons.
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    game.put(ResultSigned("both players", game.t_ns))
    page.there("#bar > p")
    page.js("document.querySelector('#done').hidden = false")
    page.wait(f"{box}.bottom <= {bar}.top && {box}.bottom > {bar}.top - 8")
