"""What a director sees once a game is over: who has won, what is still open, what comes next."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import GameEnded, GameReopened, ResultSigned, TurnRuled
from table.desk import WITHDRAWN, Answer
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS, GameInLog
from tests.dashboard.directorpages import TABLE
from tests.dashboard.test_desk_words import PHONE

pytestmark = pytest.mark.browser


def test_a_score_that_a_question_may_change_says_so(clicks):
    mark = ".player[data-side=right] .open"
    assert clicks.reads(mark) == "1 open"
    clicks.page.wait("document.querySelector('.player[data-side=left] .open').hidden")
    clicks.on(".asker .button:last-of-type")
    clicks.on("#dialog [data-choice=E]:not(:disabled)").until_closed()
    clicks.page.wait("document.querySelectorAll('.asker').length === 0")
    clicks.page.wait(f"document.querySelector('{mark}').hidden")


def test_on_a_phone_the_clock_stays_beside_a_score_that_may_change(clicks):
    page = clicks.page
    page.wait("!document.querySelector('.player[data-side=right] .open').hidden")
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        page.driver.execute_script(
            "for (const card of document.querySelectorAll('.player')) {"
            "  card.querySelector('.score output').value = '388';"
            "  card.querySelector('.clock').textContent = '23:33';"
            "}"
        )
        assert page.js("document.documentElement.scrollWidth") <= PHONE["width"]
        assert page.js(
            "[...document.querySelectorAll('.player')].every((card) =>"
            "  card.querySelector('.clock').getBoundingClientRect().right"
            "    <= card.getBoundingClientRect().right)"
        )
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_on_a_phone_on_its_side_nothing_reaches_out_of_a_score_s_card(clicks):
    page = clicks.page
    page.wait("!document.querySelector('.player[data-side=right] .open').hidden")
    size = {"width": 844, "height": 390, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.driver.execute_script(
            "for (const card of document.querySelectorAll('.player')) {"
            "  card.querySelector('.score output').value = '388';"
            "  card.querySelector('.clock').textContent = '23:33';"
            "}"
        )
        assert page.js(
            "[...document.querySelectorAll('.player')].every((card) => ['.clock', '.open']"
            ".every((one) => card.querySelector(one).getBoundingClientRect().right"
            "  <= card.getBoundingClientRect().right))"
        )
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_whoever_has_won_is_named_also_where_the_scores_say_otherwise(clicks, desk):
    """The player who leads resigns: the scores stay, and the other one has won."""
    clicks.page.wait("document.querySelector('#result').hidden")
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=left-resigned]:not(:disabled)").until_closed()
    clicks.page.wait("!document.querySelector('#result').hidden")
    assert clicks.reads("#result h3") == "José & Søren wins"
    text = clicks.reads("#result")
    assert "Ada <b>Byron</b> 24 : 6 José & Søren" in text.replace("\n", " ")
    assert "Ada <b>Byron</b> resigned. The scores stay as they were made" in text
    assert "The spread is left to the director." in text
    assert "1 question is open" in text
    href = clicks.page.driver.execute_script("return document.querySelector('#result a').href")
    assert href.endswith("/game.gcg")
    assert "1 blank has no letter yet: the saved game (GCG) has a substitute letter there" in text


def test_who_leads_is_not_said_to_win_while_a_question_is_open(clicks, desk):
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=confirmed]:not(:disabled)").until_closed()
    clicks.page.wait("!document.querySelector('#result').hidden")
    assert clicks.reads("#result h3") == "Ada <b>Byron</b> leads by 18, not yet final"


def test_a_game_that_becomes_final_says_who_has_won(clicks, desk):
    """Nothing else changes where the opponent lets the last play stand."""
    read = clicks.page.driver.execute_async_script(
        "const [done] = arguments, box = document.createElement('section'), heads = [];"
        "import('/static/director/result_card.js').then(({ drawResult }) => {"
        "  const players = { left: { name: 'Ann', score: 9 }, right: { name: 'Bo', score: 2 } };"
        "  const outcome = { kind: 'played', winner: 'left', margin: 7 };"
        "  for (const final of [false, true]) {"
        "    const view = { game_id: 'g', outcome, players, end_reason: 'out', adjustments: [],"
        "      turns: [{ kind: 'play', side: 'left', tiles: { '8H': 'A' } }],"
        "      final, provisional: false };"
        "    drawResult(box, { view, concerns: [], signed: null, slip: null }, '', '');"
        "    heads.push(box.querySelector('h3').textContent, box.querySelector('p').textContent); }"
        "  done(heads); });"
    )
    assert read[::2] == ["Ann leads by 7, not yet final", "Ann wins by 7"]
    assert read[1].startswith("Ann has played all tiles. The scores: Ann 9 : 2 Bo")


@pytest.mark.everyday
def test_who_signs_sees_the_result_and_what_is_open(clicks, desk, game):
    game.board = game.board.replace({Square.parse("8D"): "L"})
    game.press()
    clicks.page.wait("document.querySelector('[data-code=tile_replaced]') !== null")
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=left-resigned]:not(:disabled)").until_closed()
    clicks.on("#bar [data-deed=sign]:not(.primary)")
    assert clicks.reads("#dialog .result") == "José & Søren wins."
    assert "Ada <b>Byron</b> resigned. The scores stay as they were made: Ada" in clicks.reads(
        "#dialog .form"
    )
    first, *lines = clicks.reads("#dialog .note").splitlines()
    assert first.endswith("are open and may change the result:")
    assert "Turn 3: 8D showed F and now shows L." in lines
    assert any(line.startswith("Turn 2: ") for line in lines)  # the blank
    assert "Digest" not in clicks.page.text("main .middle")  # it may still change
    assert clicks.reads("#dialog .buttons .button:last-child") == "Sign all the same"
    assert clicks.page.js("document.querySelector('#dialog .primary')") is None


def test_what_is_signed_offers_nothing_that_would_be_refused(clicks, desk):
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=left-resigned]:not(:disabled)").until_closed()
    page = clicks.page
    waits = "document.querySelector('#attention-none').textContent.includes('waits to be signed')"
    page.wait(waits)
    assert page.text("#attention-count") == "1"  # what is open comes before the signature
    clicks.on("#bar [data-deed=sign]")
    clicks.on("#dialog .buttons .button:last-child:not(:disabled)").until_closed()
    page.wait("document.querySelector('#bar [data-deed=end]') === null")
    assert page.js("document.querySelector('#attention-none').hidden")
    assert page.text("#attention-count") == "0"
    deeds = "[...document.querySelectorAll('#bar [data-deed]')].map((one) => one.dataset.deed)"
    assert page.js(deeds) == ["next", "more"]
    assert page.text("#bar p") == "Signed. To change it, reopen it under More."
    assert page.js("document.querySelectorAll('[data-correct], #statements .button').length") == 0
    assert page.js("document.querySelector('#undo').hidden")
    assert "Digest for the result slip" in page.text("#result")
    digest = page.text("#result .code")
    assert page.js("document.querySelector('main').innerText").count(digest) == 1
    page.driver.execute_script("document.querySelector('details.technical').open = true")
    assert digest == desk.client().get("/director/api/tables/1/games/game-1").json["slip"]["signed"]
    assert f"Digest of the signature{digest}" in page.text("#seal")
    clicks.on("#board [data-name='8F']")
    page.wait("!document.querySelector('#fault').hidden")
    assert page.text("#fault").startswith("The result is signed.")
    clicks.on("#bar [data-deed=more]")
    page.wait("document.querySelector('#menu').open")
    offered = "[...document.querySelectorAll('#menu .menu button')].map((one) => one.textContent)"
    assert page.js(offered) == ["Reopen…"]
    assert page.text("#menu .buttons").endswith("What was ruledClose")  # and nothing to take back
    clicks.on("#menu [data-deed='Reopen…']")
    ground = "#dialog .choice:not(:disabled)"
    page.wait(f"document.querySelector('{ground} .brief') !== null")
    assert "the signature counts no more" in clicks.reads(ground)
    clicks.on(ground).until_closed()
    page.wait("document.querySelector('#bar [data-deed=sign]') !== null")
    assert page.troubles() == []


def test_a_new_game_on_the_table_leaves_the_one_before_in_reach(clicks, desk, game):
    clicks.on(".asker .button:last-of-type")
    clicks.on("#dialog [data-choice=E]:not(:disabled)").until_closed()
    clicks.page.wait("!document.querySelector('#undo').hidden")
    clicks.on("#bar [data-deed=challenge]")
    before = clicks.reads("#dialog .whose")
    choice = "document.querySelector('#dialog [data-choice=challenge_upheld]')"
    top = f"{choice}.getBoundingClientRect().top"
    at = clicks.page.driver.execute_script(f"return {top}")
    game.put(GameEnded("six_zeros", 0))
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start({"left": "Cleo", "right": "Dan"})
    clicks.page.wait("document.querySelector('#dialog .whose.gone') !== null")
    assert clicks.reads("#dialog .whose").endswith(before)
    assert clicks.page.driver.execute_script(f"return {top}") == pytest.approx(at, abs=1)
    clicks.on("#dialog .buttons .button:not(.primary, .plain)").until_closed()
    # What was entered in that game is not undone from this one's page.
    clicks.page.wait("document.querySelector('#done').hidden")
    note = clicks.reads("#previous")
    size = {"width": 1366, "height": 768, "deviceScaleFactor": 1, "mobile": False}
    clicks.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    edge = "document.querySelector('{}').getBoundingClientRect()"
    below = f"{edge.format('.board-room .frame')}.bottom <= {edge.format('#bar')}.top"
    try:
        clicks.page.wait("innerWidth === 1366")
        assert clicks.page.js(below)
    finally:
        clicks.page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert "Ada <b>Byron</b> 24 : " in note and "not signed" in note
    clicks.on("#previous a")
    clicks.page.wait("document.querySelector('#earlier')?.hidden === false")
    clicks.page.wait("document.querySelector('#result h3') !== null")


def test_that_the_game_before_is_not_signed_is_still_said_after_another_page(clicks, game):
    game.put(GameEnded("six_zeros", 0))
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start({"left": "Cleo", "right": "Dan"})
    page = clicks.page
    shown = "!document.querySelector('#previous').hidden"
    page.driver.get(page.url)
    page.wait(shown)
    assert "not signed" in page.text("#previous")
    clicks.on("#previous a")
    page.wait("document.querySelector('#earlier')?.hidden === false")
    # The camera looks at the next game.
    assert page.js("document.querySelector('#picture, #picture-title')") is None
    page.driver.get(page.url)
    page.wait(shown)
    assert page.js("document.querySelector('#picture')") is not None
    clicks.on("#previous button")
    page.driver.get(page.url)
    page.wait("document.querySelectorAll('#bar button').length > 2")
    assert page.js("document.querySelector('#previous').hidden")
    assert page.troubles() == []


def test_the_line_about_the_game_before_follows_what_is_ruled_of_it(clicks, game):
    game.put(GameEnded("six_zeros", 0))
    after = GameInLog(game.log, "game-2", t_ns=game.t_ns + 1)
    after.start({"left": "Cleo", "right": "Dan"})
    line = "document.querySelector('#previous:not([hidden]) span')?.textContent"
    clicks.page.wait(f"{line}?.includes('24 : ')")
    game.put(TurnRuled(1, "challenge_upheld", "TD", "not good", game.t_ns))
    clicks.page.wait(f"{line}.includes('Byron</b> 0 : ')")
    game.put(ResultSigned("TD", game.t_ns))
    clicks.page.wait(f"!{line}.includes('not signed')")
    assert clicks.page.troubles() == []


def test_a_badge_leaves_the_clock_in_its_card_and_how_it_ended_is_in_words(clicks):
    page = clicks.page
    page.wait("!document.querySelector('.player[data-side=right] .open').hidden")
    size = {"width": 1100, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.driver.execute_script(
            "for (const card of document.querySelectorAll('.player')) {"
            "  card.querySelector('.score output').value = '388';"
            "  card.querySelector('.clock time').textContent = '23:33';"
            "}"
        )
        assert page.js(
            "[...document.querySelectorAll('.player')].every((card) =>"
            "  card.querySelector('.clock').getBoundingClientRect().right"
            "    <= card.getBoundingClientRect().right - 8)"
        )
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=confirmed]:not(:disabled)").until_closed()
    page.driver.get(page.url)
    page.wait("document.querySelector('#result h3') !== null")
    assert "Both players agreed that it is over." in page.text("#result")


def test_undo_stays_in_its_place_as_the_game_ends_and_says_if_it_was_not_done(
    clicks, desk, game, monkeypatch
):
    clicks.on(".asker .button:last-of-type")
    clicks.on("#dialog [data-choice=E]:not(:disabled)").until_closed()
    page = clicks.page
    page.wait("!document.querySelector('#undo').hidden")
    page.driver.execute_script("scrollTo(0, 0)")
    top = "document.querySelector('#undo').getBoundingClientRect().top"
    before = page.js(top)
    game.put(GameEnded("six_zeros", 0))
    page.wait("!document.querySelector('#result').hidden")
    assert page.js(top) == pytest.approx(before, abs=1)
    page.driver.execute_script(
        "const asked = window.fetch, gate = new Promise((go) => (window.go = go));"
        "window.fetch = async (...what) => { await gate; return asked(...what); };"
    )
    monkeypatch.setattr(desk.table.desk, "rule", lambda *_, **__: Answer(None, WITHDRAWN))
    clicks.on("#undo")
    assert page.text("#undo") == "Taking it back …"
    assert page.js("document.querySelector('#undo').disabled")
    page.driver.execute_script("window.go()")
    page.wait("!document.querySelector('#fault').hidden")
    assert page.text("#fault") == (
        "The table does not answer. Nothing was done; try again in a moment."
    )
    assert page.text("#undo") == "Undo"
    assert not page.js("document.querySelector('#undo').disabled")


def test_an_open_flag_is_named_before_the_game_is_signed(browser, desk, url, game):
    game.play(*TURNS[0])
    game.board = game.board.replace({Square.parse("8F"): "V"})
    game.press()
    game.put(GameEnded("confirmed", game.t_ns))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=sign]:not(:disabled)') !== null")
    page.click("#bar [data-deed=sign]")
    page.wait("document.querySelector('#dialog').open")
    assert page.text("#dialog .note").splitlines() == [
        "1 flag is open and may change the result:",
        "Turn 2: 8F showed R and now shows V.",
    ]
    assert page.text("#dialog .buttons button:last-child") == "Sign all the same"
    page.wait("!document.querySelector('#dialog .buttons button:last-child').disabled")
    assert "a note of it" not in page.text("#dialog form")


@pytest.mark.everyday
def test_a_result_that_was_opened_again_offers_to_take_the_end_back(browser, desk, url, game):
    """Beside the flag that asks for it: by counting, nobody is out."""
    game.play(*TURNS[0])
    game.put(GameEnded("out", game.t_ns, "TD"))
    game.put(ResultSigned("TD", game.t_ns))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar p') !== null")
    game.put(GameReopened("both_agree", "TD", "an error", game.t_ns))
    back = ".concern[data-code=rack_unknown] [data-offer$=':going_on']"
    page.wait(f'document.querySelector("{back}")?.checkVisibility()')
    assert page.text(back).startswith("The game goes on: take its end back")
    page.wait("document.querySelector('#attention').dataset.moved === undefined")
    page.click(back)
    page.wait("document.querySelector('#bar [data-deed=end]:not(:disabled)') !== null")
    assert page.troubles() == []


def test_an_end_for_too_few_scoreless_turns_is_put_right_beside_its_flag(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(GameEnded("six_zeros", game.t_ns, "TD"))
    page = Page(browser, f"{url}{TABLE}")
    flag = ".concern[data-code=not_scoreless]"
    page.wait(f"document.querySelectorAll('{flag} [data-offer] .brief').length === 4")
    all_ = f"[...document.querySelectorAll('{flag} [data-offer]')]"
    assert page.js(f"{all_}.map((one) => one.firstChild.data)") == [
        "The game goes on: take its end back",
        "It ended otherwise: both players agree that it is over",
        "It ended otherwise: it was cut short",
        "It ended otherwise: the director ends it",
    ]
    page.click(f"{flag} [data-offer$=':shortened']")
    page.wait(f"document.querySelector('{flag}') === null")
    _, second = desk.events("GameEnded")
    assert (second["reason"], second["why"]) == ("shortened", "it was cut short")
    assert "scoreless" not in page.text("#result").lower()
    assert page.troubles() == []
