"""From one game to the next at the desk, and who plays it."""

from __future__ import annotations

import pytest

from game.events import GameEnded, ResultSigned
from table.desk import Answer, NextGame
from table.refusals import NOT_EMPTY
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import TABLE, Clicks

pytestmark = pytest.mark.browser

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


@pytest.mark.everyday
def test_whoever_plays_the_next_game_is_asked_for(browser, desk, url, made_ready):
    made_ready.update(NOBODY)
    clicks = next_game(browser, url)
    clicks.page.wait("document.querySelector('#dialog-title')?.textContent.startsWith('Who plays')")
    clicks.types("Uma\tVic")
    clicks.on("#dialog .primary:not(:disabled)").until_closed()
    (named,) = desk.events("PlayersNamed")
    assert named["players"] == {"left": "Uma", "right": "Vic"}


def test_players_whom_nobody_has_named_yet_can_be_named_from_the_page(
    browser, desk, url, made_ready
):
    made_ready.update(NOBODY)
    clicks = next_game(browser, url)
    clicks.page.wait("document.querySelector('#dialog-title')?.textContent.startsWith('Who plays')")
    clicks.on("#dialog .buttons .button:not(.primary)").until_closed()
    assert clicks.reads("#unnamed:not([hidden])").startswith("Nobody has said who plays")
    clicks.on("#unnamed button")
    clicks.types("Uma\tVic")
    clicks.on("#dialog .primary:not(:disabled)").until_closed()
    clicks.page.wait("document.querySelector('#unnamed').hidden")
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
    assert clicks.reads("#unnamed:not([hidden])").startswith(line)
    clicks.on("#bar [data-deed=sign]")
    assert "Nobody has said who plays: name the players" in clicks.reads("#dialog .note")
    game.put(ResultSigned("both players", game.t_ns))
    clicks.page.wait("document.querySelector('#unnamed button').hidden")
    assert clicks.reads("#unnamed:not([hidden])").startswith(line)
    assert "reopen it under More" in clicks.reads("#bar")
    assert clicks.page.troubles() == []


def test_players_who_are_known_are_not_asked_for(browser, desk, url, made_ready):
    made_ready.update(NAMES)
    clicks = next_game(browser, url)
    clicks.page.wait("document.querySelector('#no-turns').hidden === false")
    clicks.until_closed()


def test_a_board_that_was_not_cleared_is_asked_about(browser, desk, url, log, made_ready):
    made_ready.update(NAMES, tiles="yes")
    clicks = next_game(browser, url)
    assert clicks.reads("#dialog .fault:not([hidden])").startswith("The board is not empty: 5")
    assert log.game_ids() == ["game-1"]
    anyway = "#dialog .buttons .button:last-child"
    clicks.page.wait(f"document.querySelector('{anyway}').textContent.endsWith('all the same')")
    # It passes over a warning: it is not what stands out.
    assert clicks.page.js("document.querySelector('#dialog .primary')") is None
    clicks.on(f"{anyway}:not(:disabled)")
    clicks.page.wait("!document.querySelector('#dialog').open")
    assert log.game_ids() == ["game-1", "game-2"]


def test_the_next_game_is_the_main_thing_to_do_once_the_result_is_signed(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    game.put(ResultSigned("director", game.t_ns))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('#bar [data-deed=next]')")
    assert page.js(
        "[...document.querySelectorAll('#bar .primary')].map((one) => one.textContent)"
    ) == ["Next game"]
