"""A game without a clock on every page: no clock is shown, and nothing goes wrong."""

from __future__ import annotations

import pytest

from game.board import parse_position
from game.events import GameStarted, TurnSeen, other
from table.desk import CountPlay
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import TABLE, Clicks

pytestmark = pytest.mark.browser

HANDS = {"left": "bottom", "right": "top"}
TIME = r"/[–\d]:[–\d][–\d]/.test(document.body.innerText)"
"""True if a clock's digits are in sight."""


class GameWithoutClock(GameInLog):
    """Writes turns that nobody has pressed for."""

    def start(self, names=NAMES) -> GameInLog:
        self.put(
            GameStarted(
                self.game_id, names, "wespa-2007", "english", "left", self.t_ns, hands=HANDS
            )
        )
        return self

    def play(self, place, word, findings=()) -> None:
        if word:
            start, across = parse_position(place)
            self.board = self.board.replace(
                {start.step(across, i): s for i, s in enumerate(word) if s != "."}
            )
        self.t_ns += 30 * SECOND
        self.put(
            TurnSeen(
                self.side,
                self.t_ns,
                self.board.rows,
                self.t_ns,
                findings=tuple(findings),
                ended="opponent_placed",
            )
        )
        self.side = other(self.side)


@pytest.fixture
def game(log) -> GameInLog:
    made = GameWithoutClock(log).start()
    for turn in TURNS[:2]:
        made.play(*turn)
    return made


def test_the_spectators_page(driver, url, game):
    page = Page(driver, f"{url}/")
    page.wait_for_turns(2)
    assert not page.js(TIME)
    game.play(*TURNS[2])
    page.wait_for_turns(3)
    assert not page.js(TIME)
    assert page.troubles() == []


@pytest.mark.parametrize("part", ["scene", "names"])
def test_the_overlays(driver, url, game, part):
    page = Page(driver, f"{url}/overlay/1/{part}")
    page.wait("document.querySelector('#stage').dataset.state === 'shown'")
    assert not page.js(TIME)
    assert page.troubles() == []


@pytest.mark.everyday
def test_the_desk_and_the_page_of_a_table(browser, url, game):
    desk = Page(browser, f"{url}/director")
    desk.wait("document.body.innerText.includes('José')")
    assert not desk.js(TIME)
    assert desk.troubles() == []
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns tr').length === 2")
    assert not page.js(TIME)
    assert page.troubles() == []


def test_the_phone_as_a_clock_says_that_there_is_none(driver, desk, url, game):
    key = desk.app.extensions["tilewatch.clock_keys"].key("1")
    page = Page(driver, f"{url}/tables/1/clock#{key}")
    page.wait("document.querySelector('#word').textContent.includes('without a clock')")
    assert not page.js(TIME)
    assert page.js("[...document.querySelectorAll('.half')].every((half) => half.disabled)")
    assert page.troubles() == []


@pytest.fixture
def uncounted(browser, desk, url, game):
    """The page of a game without a clock on whose board a play lies that no turn has counted."""
    done = desk.loop._done

    def counted(posted):
        if isinstance(posted.post, CountPlay):
            game.play(*TURNS[2])
        return done(posted)

    desk.loop._done = counted
    desk.loop.desk.uncounted = ("8H C", "8I A")
    clicks = Clicks(Page(browser, f"{url}{TABLE}"))
    clicks.page.wait("document.querySelector('#uncounted:not([hidden])') !== null")
    return clicks


def test_a_play_that_no_turn_has_counted_is_counted_before_the_game_ends(desk, uncounted):
    assert "not counted yet: 8H C, 8I A" in uncounted.reads("#uncounted")
    uncounted.on("#bar [data-deed=end]:not(:disabled)")
    assert uncounted.reads("#dialog-title").endswith("not been counted yet")
    assert uncounted.reads("#dialog .soft").startswith("8H C, 8I A. It is the last play")
    assert not uncounted.page.js("document.querySelector('#dialog').innerText.includes(' wins')")
    uncounted.on("#dialog .primary")
    uncounted.page.wait("document.querySelectorAll('#turns tr').length === 3")
    uncounted.on("#dialog [data-choice=confirmed]:not(:disabled)").until_closed()
    assert desk.loop.posted == [("count", "director: Ann")]
    assert [one["reason"] for one in desk.events("GameEnded")] == ["confirmed"]
    assert uncounted.page.js("document.querySelector('#uncounted').hidden")


def test_where_no_play_lies_uncounted_the_end_is_one_window(uncounted, desk):
    desk.loop.desk.uncounted = ()
    uncounted.page.wait("document.querySelector('#uncounted').hidden")
    uncounted.on("#bar [data-deed=end]:not(:disabled)")
    uncounted.on("#dialog [data-choice=confirmed]:not(:disabled)").until_closed()
    assert desk.loop.posted == []
