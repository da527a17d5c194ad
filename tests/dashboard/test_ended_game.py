"""The director's page once a game is over: the winner, open questions, the next game."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import GameEnded, GameReopened, ResultSigned
from table.desk import WITHDRAWN, Answer, NextGame
from table.refusals import NOT_EMPTY
from tests.dashboard.browsing import PHONE, Page, keys
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import TABLE, Clicks, choice, held_back

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("size", "room"), [(PHONE, 0), ((844, 390), 0), ((1100, 700), 8)])
def test_a_badge_leaves_the_clock_in_its_card(clicks, screen, size, room):
    page = clicks.page
    page.there(".player[data-side=right] .open:not([hidden])")
    screen(*size)
    page.driver.execute_script(
        "for (const card of document.querySelectorAll('.player')) {"
        "  card.querySelector('.score output').value = '388';"
        "  card.querySelector('.clock time').textContent = '23:33';"
        "}"
    )
    page.wait(f"document.documentElement.scrollWidth <= {size[0]}")
    page.wait(
        "[...document.querySelectorAll('.player')].every((card) => ['.clock', '.open']"
        ".every((one) => card.querySelector(one).getBoundingClientRect().right"
        f"  <= card.getBoundingClientRect().right - {room}))"
    )


def test_whoever_has_won_is_named_also_where_the_scores_say_otherwise(clicks):
    """The player who leads resigns: the scores stay, and the other one has won."""
    clicks.page.there("#result[hidden]")
    clicks.on("#bar [data-deed=end]").on(choice("left-resigned")).until_closed()
    clicks.page.says("#result:not([hidden]) h3", "José & Søren wins")
    text = clicks.reads("#result").replace("\n", " ")
    for line in (
        "Ada <b>Byron</b> 24 : 6 José & Søren",
        "Ada <b>Byron</b> resigned. The scores stay as they were made",
        "The spread is left to the director.",
        "1 question is open",
        "1 blank has no letter yet: the saved game (GCG) has a substitute letter there",
    ):
        assert line in text
    clicks.page.reads("document.querySelector('#result a').href", ends="/game.gcg")


def test_a_game_that_becomes_final_says_who_has_won(clicks):
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
        "    drawResult(box, { view, concerns: [], signed: null, slip: null }, '');"
        "    heads.push(box.querySelector('h3').textContent, box.querySelector('p').textContent); }"
        "  done(heads); });"
    )
    assert read[::2] == ["Ann leads by 7, not yet final", "Ann wins by 7"]
    assert read[1].startswith("Ann has played all tiles. The scores: Ann 9 : 2 Bo")


@pytest.mark.everyday
def test_who_signs_sees_the_result_and_what_is_open(clicks, desk, game):
    game.board = game.board.replace({Square.parse("8D"): "L"})
    game.press()
    clicks.page.there("[data-code=tile_replaced]")
    clicks.on("#bar [data-deed=end]").on(choice("left-resigned")).until_closed()
    clicks.on("#bar [data-deed=sign]:not(.primary)")
    clicks.page.says("#dialog .result", "José & Søren wins.")
    clicks.page.says(
        "#dialog .form", has="Ada <b>Byron</b> resigned. The scores stay as they were made: Ada"
    )
    first, *lines = clicks.reads("#dialog .note").splitlines()
    assert first.endswith("are open and may change the result:")
    assert "Turn 3: 8D showed F and now shows L." in lines
    assert any(line.startswith("Turn 2: ") for line in lines)  # the blank
    assert "Check code" not in clicks.page.text("main .middle")  # it may still change
    clicks.page.says("#dialog .buttons .button:last-child", "Sign all the same")
    clicks.page.there("#dialog .primary", 0)


def test_what_is_signed_offers_nothing_that_would_be_refused(clicks, desk):
    clicks.on("#bar [data-deed=end]").on(choice("left-resigned")).until_closed()
    page = clicks.page
    page.says("#attention-none", has="waits to be signed")
    page.says("#attention-count", "1")  # what is open comes before the signature
    clicks.on("#bar [data-deed=sign]")
    clicks.on("#dialog .buttons .button:last-child:not(:disabled)").until_closed()
    page.there("#attention-none[hidden]")
    page.says("#attention-count", "0")
    deeds = "[...document.querySelectorAll('#bar [data-deed]')].map((one) => one.dataset.deed)"
    page.gives(deeds, ["next", "more"])
    page.there("#bar .primary", 1)  # the next game is the main thing to do
    page.says("#bar .primary", "Next game")
    page.says("#bar p", "Signed. To change it, reopen it under More.")
    page.there("[data-correct], #statements .button", 0)
    page.there("#undo[hidden]")
    page.says("#result", has="Check code for the result slip")
    digest = page.text("#result .code")
    assert page.js("document.querySelector('main').innerText").count(digest) == 1
    page.driver.execute_script("document.querySelector('details.technical').open = true")
    assert digest == desk.client().get("/director/api/tables/1/games/game-1").json["slip"]["signed"]
    page.says("#seal", has=f"Check code of the signature{digest}")
    clicks.on("#board [data-name='8F']")
    page.says("#fault:not([hidden])", starts="The result is signed.")
    clicks.on("#bar [data-deed=more]")
    offered = "[...document.querySelectorAll('#menu .menu button')].map((one) => one.textContent)"
    page.gives(offered, ["Reopen…"])
    page.says("#menu .buttons", ends="What was ruledClose")  # and nothing to take back
    clicks.on("#menu [data-deed='Reopen…']")
    ground = "#dialog .choice:not(:disabled):has(.brief)"
    page.says(ground, has="the signature counts no more")
    clicks.on(ground).until_closed()
    page.there("#bar [data-deed=sign]")


def test_a_new_game_on_the_table_leaves_the_one_before_in_reach(clicks, desk, game, screen):
    # A score that a question may change says so.
    mark = ".player[data-side=right] .open"
    clicks.page.says(mark, "1 open")
    clicks.page.there(".player[data-side=left] .open[hidden]")
    clicks.on(".asker .button:last-of-type").on(choice("E")).until_closed()
    clicks.page.there(f"{mark}[hidden]")
    clicks.page.there("#undo:not([hidden])")
    clicks.on("#bar [data-deed=challenge]")
    before = clicks.reads("#dialog .whose")
    top = "document.querySelector('#dialog [data-choice]').getBoundingClientRect().top"
    at = clicks.page.js(top)
    game.put(GameEnded("six_zeros", 0))
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start({"left": "Cleo", "right": "Dan"})
    clicks.page.says("#dialog .newer", ends=before)
    assert clicks.page.js(top) == pytest.approx(at, abs=1)
    clicks.on("#dialog .buttons .button:not(.primary, .plain)").until_closed()
    # What was entered in that game is not undone from this one's page.
    clicks.page.there("#done[hidden]")
    note = clicks.reads("#previous")
    screen(1366, 768)
    edge = "document.querySelector('{}').getBoundingClientRect()"
    below = f"{edge.format('.board-room .frame')}.bottom <= {edge.format('#bar')}.top"
    clicks.page.wait("innerWidth === 1366")
    clicks.page.wait(below)
    assert "Ada <b>Byron</b> 24 : " in note and "not signed" in note
    clicks.on("#previous a")
    page = clicks.page
    page.there("#earlier:not([hidden])")
    page.there("#result h3")
    # The camera looks at the next game.
    page.there("#picture, #picture-title", 0)
    # That it is not signed is still said after another page, until it was read.
    page.driver.get(page.url)
    page.says("#previous:not([hidden])", has="not signed")
    page.there("#picture")
    clicks.on("#previous button")
    page.driver.get(page.url)
    page.there("#bar button:nth-of-type(3)")
    page.there("#previous[hidden]")


def test_undo_stays_in_its_place_as_the_game_ends_and_says_if_it_was_not_done(
    clicks, desk, game, monkeypatch
):
    clicks.on(".asker .button:last-of-type").on(choice("E")).until_closed()
    page = clicks.page
    page.there("#undo:not([hidden])")
    page.driver.execute_script("scrollTo(0, 0)")
    top = "document.querySelector('#undo').getBoundingClientRect().top"
    before = page.js(top)
    game.put(GameEnded("six_zeros", 0))
    page.there("#result:not([hidden])")
    page.gives(top, pytest.approx(before, abs=1))
    held_back(page)
    monkeypatch.setattr(desk.table.desk, "post", lambda *_, **__: Answer(None, WITHDRAWN))
    clicks.on("#undo")
    page.says("#undo", "Taking it back …")
    page.there("#undo:disabled")
    page.driver.execute_script("window.go()")
    page.says(
        "#fault:not([hidden])",
        "The table does not answer. Nothing was done; try again in a moment.",
    )
    page.says("#undo", "Undo")
    page.there("#undo:enabled")


def test_a_result_that_was_opened_again_offers_to_take_the_end_back(at_desk, game):
    """Beside the flag that asks for it: by counting, nobody is out."""
    game.play(*TURNS[0])
    game.put(GameEnded("out", game.t_ns, "TD"))
    game.put(ResultSigned("TD", game.t_ns))
    page = at_desk()
    page.there("#bar p")
    game.put(GameReopened("both_agree", "TD", "an error", game.t_ns))
    back = ".concern[data-code=rack_unknown] [data-offer$=':going_on']"
    page.says(back, starts="The game goes on: take its end back")
    page.wait("document.querySelector('#attention').dataset.moved === undefined")
    page.click(back)
    page.there("#bar [data-deed=end]:not(:disabled)")


def test_a_rack_that_is_asked_for_is_not_entered_as_empty(at_desk, game):
    game.play(*TURNS[0])
    game.put(GameEnded("shortened", game.t_ns, "TD"))
    page = at_desk()
    page.click(".concern[data-code=rack_unknown] .button")
    page.click("#dialog .primary:not(:disabled)")
    page.says("#dialog .fault:not([hidden])", has="A field is empty")


NOBODY = {"left": "Left", "right": "Right"}


@pytest.fixture
def made_ready(desk, game, monkeypatch):
    """Set who is known to play the next game; it comes when the desk makes the table ready."""
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    done = desk.loop._done
    names: dict[str, str] = {}

    def next_game(posted):
        if not isinstance(posted.post, NextGame):
            return done(posted)
        if names.pop("tiles", None) and not posted.post.despite_tiles:
            names["tiles"] = "yes"
            return Answer(None, f"{NOT_EMPTY}: 5 tiles are seen on it.")
        GameInLog(game.log, "game-2", t_ns=game.t_ns + 60 * SECOND).start(dict(names))
        return Answer(game.log.last_seq)

    monkeypatch.setattr(desk.loop, "_done", next_game)
    return names


def next_game(browser, url) -> Clicks:
    clicks = Clicks(Page(browser, f"{url}{TABLE}"))
    return clicks.on("#bar [data-deed=next]").on("#dialog .primary")


@pytest.mark.parametrize("later", [pytest.param(False, marks=pytest.mark.everyday), True])
def test_whoever_plays_the_next_game_is_asked_for(browser, desk, url, made_ready, later):
    made_ready.update(NOBODY)
    clicks = next_game(browser, url)
    clicks.page.says("#dialog-title", starts="Who plays")
    if later:
        clicks.on("#dialog .buttons .button:not(.primary)").until_closed()
        clicks.page.says("#unnamed:not([hidden])", starts="Nobody has said who plays")
        clicks.on("#unnamed button")
    keys(browser, "Uma\tVic")
    clicks.on("#dialog .primary:not(:disabled)").until_closed()
    clicks.page.there("#unnamed[hidden]")
    (named,) = desk.events("PlayersNamed")
    assert named["players"] == {"left": "Uma", "right": "Vic"}


def test_a_result_of_players_whom_nobody_named_says_that_it_counts_for_nobody(
    browser, desk, url, log
):
    """Before it is signed, when a name can still be entered, and after."""
    game = GameInLog(log, "game-3", t_ns=SECOND).start(NOBODY)
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    clicks = Clicks(Page(browser, f"{url}{TABLE}"))
    line = "Nobody has said who plays this game, so its result counts for nobody."
    clicks.page.says("#unnamed:not([hidden])", starts=line)
    clicks.on("#bar [data-deed=sign]")
    clicks.page.says("#dialog .note", has="Nobody has said who plays: name the players")
    game.put(ResultSigned("both players", game.t_ns))
    clicks.page.says("#unnamed:not([hidden]):has(button[hidden])", starts=line)
    clicks.page.says("#bar", has="reopen it under More")


def test_a_board_that_was_not_cleared_is_asked_about(browser, desk, url, log, made_ready):
    """And nothing else: who plays is known."""
    made_ready.update(NAMES, tiles="yes")
    clicks = next_game(browser, url)
    clicks.page.says("#dialog .fault:not([hidden])", starts="The board is not empty: 5")
    assert log.game_ids() == ["game-1"]
    anyway = "#dialog .buttons .button:last-child"
    clicks.page.says(anyway, ends="all the same")
    # It passes over a warning: it is not what stands out.
    clicks.page.there("#dialog .primary", 0)
    clicks.on(f"{anyway}:not(:disabled)")
    clicks.page.there("#no-turns:not([hidden])")
    clicks.until_closed()
    assert log.game_ids() == ["game-1", "game-2"]
