"""How many clicks a director's work takes on the page of a table, the reason included."""

from __future__ import annotations

import pytest

from game.events import ButtonPressed, PlayersNamed
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND
from tests.dashboard.directorpages import TABLE, Clicks, keys, shown

pytestmark = pytest.mark.browser

SIDES = ("left", "right")


@pytest.mark.everyday
def test_a_challenge_takes_two_clicks(clicks, desk):
    clicks.on("#bar [data-deed=challenge]")
    upheld = "#dialog [data-choice=challenge_upheld]:not(:disabled)"
    assert "6 → 0" in clicks.reads(upheld)  # what changes stands on the button
    assert desk.events("TurnRuled") == []
    clicks.on(upheld).until_closed()
    (ruled,) = desk.events("TurnRuled")
    assert (ruled["turn"], ruled["ruling"]) == (2, "challenge_upheld")
    assert (ruled["by"], ruled["why"]) == ("Ann", "challenged, and not good")
    assert clicks.made == 2


def test_what_is_left_to_do_after_a_challenge_is_said(clicks):
    clicks.on("#bar [data-deed=challenge]")
    clicks.on("#dialog [data-choice=challenge_upheld]:not(:disabled)").until_closed()
    clicks.page.wait(
        "document.querySelector('#done p').textContent.includes('taken off the board')"
    )


def test_a_blank_takes_two_clicks(clicks, desk):
    clicks.on("#bar [data-deed=blank]")
    letter = "#dialog [data-choice=S]:not(:disabled)"
    clicks.reads(letter)
    assert clicks.reads("#dialog .common") == "One press enters it."
    clicks.on(letter).until_closed()
    (blank,) = desk.events("BlankDesignated")
    assert (blank["square"], blank["letter"]) == ("11H", "S")
    assert blank["why"] == "the letter that the player wrote down"
    assert clicks.made == 2


def test_the_blanks_to_be_named_are_seen_as_the_camera_saw_them(clicks, desk):
    shown(desk, "crop", desk.game.t_ns, square="11H", turn=2)
    clicks.page.driver.refresh()
    clicks.on("#bar [data-deed=blank]")
    label = "#dialog .seen figcaption"
    assert clicks.reads(label) == "11H"
    picture = "document.querySelector('#dialog .seen img')"
    clicks.page.wait(f"{picture}.complete && {picture}.naturalWidth > 0")
    assert clicks.page.js(f"{picture}.alt") == "11H as the camera saw it"


def test_the_card_of_a_blank_leads_to_its_letter_in_two_clicks(clicks, desk):
    clicks.on(".asker .button:last-of-type")
    clicks.on("#dialog [data-choice=E]:not(:disabled)").until_closed()
    assert desk.events("BlankDesignated")[0]["letter"] == "E"
    assert clicks.made == 2


CORRECTED = "#dialog [data-choice=Q]:not(:disabled)"


def corrected(clicks, desk) -> dict:
    """Press the letter Q, which shows what it changes, and give the correction that it entered."""
    assert "24 → 42" in clicks.label(CORRECTED)
    assert clicks.reads(CORRECTED) == "Q+18"
    clicks.on(CORRECTED).until_closed()
    (found,) = desk.events("SquareCorrected")
    assert (found["turn"], found["square"], found["symbol"]) == (1, "8F", "Q")
    assert found["why"] == "seen on the board"
    return found


def test_a_tile_takes_three_clicks_from_the_bar(clicks, desk):
    clicks.on("#bar [data-deed=tile]").on("#board [data-name='8F']")
    corrected(clicks, desk)
    assert clicks.made == 3


@pytest.mark.everyday
def test_a_tile_takes_two_clicks_from_the_board(clicks, desk):
    clicks.on("#board [data-name='8F']")
    corrected(clicks, desk)
    assert clicks.made == 2


def test_a_tile_takes_three_clicks_from_its_turn(clicks, desk):
    clicks.on("#turns [data-correct='1']").on("#dialog [data-tile='8F']")
    corrected(clicks, desk)
    assert clicks.made == 3


def test_a_tile_takes_three_clicks_from_the_turns_own_page(clicks, desk, url):
    page = Page(clicks.page.driver, f"{url}{TABLE}/turns/1")
    clicks = Clicks(page)
    clicks.on("#rule:not([hidden])").on("#dialog [data-tile='8F']")
    assert "24 → 42" in clicks.label(CORRECTED)
    clicks.on(CORRECTED)
    page.wait("document.querySelector('#ruled-title') && !document.querySelector('#dialog').open")
    assert desk.events("SquareCorrected")[0]["square"] == "8F"
    assert clicks.made == 3


def test_a_tile_may_be_a_blank(clicks, desk):
    clicks.on("#board [data-name='8E']").on("#dialog label[for='field-as-1']")
    blank = "#dialog [data-choice=I]:not(:disabled)"
    clicks.page.wait(f'document.querySelector("{blank}")?.ariaLabel.includes("24 → 22")')
    clicks.on(blank).until_closed()
    assert desk.events("SquareCorrected")[0]["symbol"] == "i"
    assert clicks.made == 3


def test_the_focus_comes_back_after_a_dialog(clicks, desk):
    """To what opened it, also where the page has drawn that anew; else to the bar."""
    driver = clicks.page.driver
    focus = "document.activeElement"
    clicks.on("#bar [data-deed=challenge]")
    clicks.on("#dialog [data-choice=challenge_upheld]:not(:disabled)").until_closed()
    clicks.page.wait(f"{focus}.dataset.deed === 'challenge'")
    clicks.on("#turns [data-correct='1']")
    clicks.on("#dialog [data-choice]:not(:disabled)").until_closed()
    clicks.page.wait(f"{focus}.dataset.correct === '1'")
    # A player is chosen by the arrow keys at once.
    clicks.on("#bar [data-deed=more]").on("#menu [data-deed='Points…']")
    clicks.page.wait(f"{focus}.name === 'side' && !{focus}.checked")
    keys(driver, "\ue015")
    clicks.page.wait(f"{focus}.name === 'side' && {focus}.checked")
    keys(driver, "\ue00c")
    clicks.page.wait(f"{focus}.dataset.deed === 'more'")
    # What is gone from the bar leaves the focus there.
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=left-resigned]:not(:disabled)").until_closed()
    clicks.page.wait("document.querySelector('#bar [data-deed=sign]') !== null")
    clicks.page.wait(f"{focus}.closest('#bar') !== null")


def test_the_clock_takes_two_clicks(clicks, desk):
    clicks.on("#bar [data-deed=clock]")
    clicks.on("#dialog [data-choice='right+1:00']:not(:disabled)").until_closed()
    (adjusted,) = desk.events("ClockAdjusted")
    assert (adjusted["side"], adjusted["added_ns"]) == ("right", 60 * SECOND)
    assert adjusted["why"] == "time given back"
    assert clicks.made == 2


def test_players_who_sit_the_other_way_round_are_named_without_typing(clicks, desk):
    clicks.on("#bar [data-deed=more]").on("#menu [data-deed='Names…']")
    left, right = (clicks.page.js(f"document.querySelector('#field-{s}').value") for s in SIDES)
    clicks.on("#dialog .buttons .plain")
    clicks.page.wait(f"document.querySelector('#field-left').value === {right!r}")
    clicks.on("#dialog .buttons .primary:not(:disabled)").until_closed()
    (named,) = desk.events("PlayersNamed")
    assert named["players"] == {"left": right, "right": left}
    assert clicks.made == 4


@pytest.mark.everyday
def test_an_ending_takes_two_clicks(clicks, desk):
    clicks.on("#bar [data-deed=end]")
    resigns = "#dialog [data-choice=left-resigned]:not(:disabled)"
    assert clicks.reads(resigns) == "Resigns"
    shared = clicks.page.text("#dialog [data-group=left] .shared")  # below whose it is
    assert shared == "José & Søren wins; the spread is left to the director"
    clicks.on(resigns).until_closed()
    (ended,) = desk.events("GameForfeited")
    assert (ended["side"], ended["cause"]) == ("left", "resigned")
    assert ended["why"].endswith("resigns")
    assert clicks.made == 2


def test_a_penalty_takes_three_clicks(clicks, desk):
    clicks.on("#bar [data-deed=more]").on("#menu [data-deed='Penalty…']")
    ten = "#dialog [data-choice='right-10']:not(:disabled)"
    assert clicks.reads(ten) == "10 points6 → −4"  # whose stands above it
    clicks.on(ten).until_closed()
    (penalty,) = desk.events("PenaltyAdded")
    assert (penalty["side"], penalty["points"]) == ("right", 10)
    assert penalty["why"] == "a penalty by the director’s decision"  # no rule names it
    assert clicks.made == 3


def test_an_agreed_score_is_typed_over_the_one_that_stands(clicks, desk):
    clicks.on("#bar [data-deed=score]")
    clicks.page.wait("document.activeElement.name === 'points'")
    clicks.types("14")
    assert "6 → 14" in clicks.reads("#dialog .effect .scores")
    clicks.on("#dialog .primary:not(:disabled)").until_closed()
    (agreed,) = desk.events("ScoreAgreed")
    assert (agreed["turn"], agreed["points"], agreed["why"]) == (2, 14, "both players agree")
    assert clicks.made == 2


def test_a_play_that_was_challenged_off_is_no_turn_to_agree_a_score_of(clicks, desk):
    clicks.on("#bar [data-deed=challenge]")
    clicks.on("#dialog [data-choice=challenge_upheld]:not(:disabled)").until_closed()
    clicks.on("#bar [data-deed=score]")
    offered = "[...document.querySelectorAll('#dialog [name=of] option')].map((one) => one.value)"
    clicks.page.wait("document.activeElement.name === 'points'")
    assert clicks.page.js(offered) == ["1", "left", "right"]
    assert clicks.page.js("document.activeElement.value") == clicks.page.text(
        "#turn-1 .num"
    ).lstrip("+")


def test_a_stop_is_one_click_and_its_reason_one_more(clicks, desk):
    clicks.on("#bar [data-deed=stop]")
    overdraw = "#dialog [data-choice=overdraw]:not(:disabled)"
    assert clicks.reads(overdraw).startswith("Too many tiles drawn")
    clicks.on(overdraw).until_closed()
    assert desk.loop.posted == [("press", "neutral")]
    (stop,) = desk.events("StopExplained")
    assert (stop["reason"], stop["why"]) == ("overdraw", "too many tiles drawn")
    assert clicks.made == 2


@pytest.mark.everyday
def test_what_was_done_is_undone_by_one_click(clicks, desk):
    clicks.on("#bar [data-deed=challenge]")
    clicks.on("#dialog [data-choice=challenge_upheld]:not(:disabled)").until_closed()
    clicks.on("#undo")
    clicks.page.wait("document.querySelector('#done p').textContent.startsWith('Taken back')")
    assert len(desk.events("Retracted")) == 1


def test_a_square_of_the_picture_is_the_one_pointed_at(clicks):
    """However the board lies in the picture."""
    found = clicks.page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "import('/static/director/pointing.js').then(({ squareAt }) => {"
        "  const turned = [[300, 20], [300, 220], [20, 220], [20, 20]];"
        "  done([[160, 120], [299, 21], [10, 10]].map(([x, y]) => squareAt(turned, x, y))); });"
    )
    assert found == ["8H", "1A", None]


@pytest.mark.everyday
def test_a_question_is_answered_in_its_card(clicks, desk, game):
    """One click enters it; of the many reasons for a stop only the usual ones stand there."""
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    score = ".concern[data-code=clock_stopped] [data-offer$=':score']"
    assert clicks.reads(score) == "A score"
    offered = "[...document.querySelectorAll('[data-code=clock_stopped] .offers button')]"
    assert clicks.page.js(f"{offered}.length") == 5
    assert clicks.page.js(f"{offered}.at(-1).textContent") == "Another reason…"
    # On a screen that is touched, a new card takes no tap that was meant for the one it pushed.
    clicks.page.wait("document.querySelector('#attention').dataset.moved === undefined")
    clicks.on(score)
    clicks.page.wait("!document.querySelector('#done').hidden")
    (stop,) = desk.events("StopExplained")
    assert (stop["reason"], stop["why"]) == ("score", "a question about the score")
    # It is confirmed in the words of the log.
    clicks.page.wait("document.querySelector('#done p').textContent.startsWith('Entered:')")
    entered = "Entered: the clock was stopped for a question about the score."
    assert clicks.page.text("#done p") == entered
    assert clicks.made == 1


def test_a_window_can_be_used_again_once_the_table_is_back(clicks, desk):
    """A press while the network was away; its buttons stayed dead until it was opened anew."""
    driver = clicks.page.driver
    clicks.on("#bar [data-deed=clock]")
    button = "#dialog [data-choice='right+1:00']:not(:disabled)"
    clicks.reads(button)
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **network})
    try:
        clicks.on(button)
        clicks.page.wait("document.querySelector('#dialog .fault').textContent.includes('reached')")
        assert desk.events("ClockAdjusted") == []
    finally:
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
    clicks.reads(button)
    clicks.page.forget()  # the browser's own complaints of the network
    clicks.on(button).until_closed()
    assert len(desk.events("ClockAdjusted")) == 1


def test_a_name_that_another_page_has_put_right_stays(clicks, desk):
    clicks.on("#bar [data-deed=more]").on("#menu [data-deed='Names…']")
    desk.game.put(PlayersNamed({"right": "Cleo"}, "Bea", desk.game.t_ns))
    clicks.page.js("document.querySelector('#field-left').value = 'Anna'")
    clicks.page.js(
        "document.querySelector('#field-left').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    clicks.on("#dialog .buttons .primary:not(:disabled)").until_closed()
    assert desk.events("PlayersNamed")[-1]["players"] == {"left": "Anna"}


def test_what_a_play_changes_reads_from_left_to_right_whatever_the_name(clicks, desk):
    desk.game.put(PlayersNamed({"left": "אברהם", "right": "אברהם כהן"}, "Bea", desk.game.t_ns))
    clicks.page.wait("document.querySelector('.player .name').textContent.includes('אברהם')")
    clicks.on("#bar [data-deed=challenge]")
    text = clicks.reads("#dialog [data-choice=challenge_upheld]:not(:disabled)")
    assert "\u200e 6 → 0" in text  # the mark keeps what follows the name on its right
