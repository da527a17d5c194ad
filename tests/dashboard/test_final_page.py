"""A spectator's page once a game is over, or another one is on the table."""

from __future__ import annotations

from urllib.request import urlopen

import pytest

from game.events import GameEnded, GameForfeited, RackReported, Retracted, TurnRuled
from tests.dashboard.axe import violations
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, TURNS, GameInLog

pytestmark = pytest.mark.browser


def test_who_has_won_is_as_ruled_and_not_as_scored(driver, server, game):
    game.play(*TURNS[0])  # the left leads
    page = Page(driver, server.url)
    page.wait_for_turns(1)
    game.put(GameForfeited("left", "left", "director", "gone home", game.t_ns, margin=50))
    page.wait("document.querySelector('#link').dataset.state === 'final'")
    assert page.text("[data-side=right] .to-play") == "won"
    assert page.text("[data-side=left] .to-play") == ""
    page.wait("document.querySelector('#result .basis')")
    assert page.text("#result .basis") == "The spread is set by the director."


@pytest.mark.everyday
def test_a_game_that_is_over_shows_its_result(driver, server, game):
    game.play("8D", "ZEALOTS")
    game.play("", "")
    page = Page(driver, server.url)
    page.wait_for_turns(2)
    assert page.text("tr[data-number='1'] .bingo") == "Bingo"
    assert page.js("document.querySelector('#tabs').hidden")
    game.put(RackReported("left", "AAEEIOU", game.t_ns, "director"))
    game.put(RackReported("right", "DDGGQRR", game.t_ns, "director"))
    game.put(GameEnded("shortened", game.t_ns, "director"))
    page.wait("document.querySelector('#result .numbers')")
    assert page.text(".numbers a") == "ZEALOTS"
    assert page.js("getComputedStyle(document.querySelector('.scroll')).display") == "none"
    page.click("#tabs [data-tab=list]")
    assert page.js("getComputedStyle(document.querySelector('#result')).display") == "none"
    page.wait_for_turns(2)
    assert violations(driver) == []
    page.click("#tabs [data-tab=result]")
    assert violations(driver) == []
    # The next game at this table has its turns in the place of the result.
    following = GameInLog(game.log, "game-2", t_ns=game.t_ns).start()
    following.play("8D", "WORDS")
    page.wait_for_turns(1)
    assert page.js("document.querySelector('#tabs').hidden")
    assert page.text("#earlier-game") == f"The game before: {' – '.join(NAMES.values())}"
    earlier = Page(driver, page.js("document.querySelector('#earlier-game').href"))
    assert earlier.url == f"{server.url}/tables/1/games/game-1"
    earlier.wait("document.querySelector('#link').dataset.state === 'final'")
    # A link to one of its turns gives the turns, with that one in sight, and not how it ended.
    linked = Page(driver, f"{earlier.url}#turn=1")
    linked.wait("document.querySelector('.where').textContent === 'Turn 1 of 2'")
    assert linked.js("document.querySelector('.turns').dataset.tab") == "list"
    earlier = Page(driver, earlier.url)
    earlier.wait("document.querySelector('.turns').dataset.tab === 'result'")
    earlier.click("#tabs [data-tab=list]")
    earlier.wait_for_turns(2)
    assert earlier.troubles() == []


def test_a_play_that_came_off_is_called_no_bingo(driver, server, game):
    game.play("8D", "ZEALOTS")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    with urlopen(server.url) as answer:
        assert "mark-note bingo" not in answer.read().decode()
    page = Page(driver, server.url)
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    page.wait_for_turns(1)
    assert page.js("document.querySelector('tr.turn .bingo')") is None
    game.put(Retracted(len(game.log.events(game.game_id)), "director", "a slip", game.t_ns))
    page.wait("document.querySelector('tr.turn .bingo') !== null")


def test_a_page_of_one_game_stays_with_it(driver, server, game):
    game.play("8D", "FIRNS")
    page = Page(driver, f"{server.url}/tables/1/games/game-1")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    GameInLog(game.log, "game-2", t_ns=game.t_ns).start().play("8D", "WORDS")
    page.wait("!document.querySelector('#next-game').hidden")
    assert page.turns()[0][1].startswith("FIRNS")


def test_the_unseen_tiles_are_said_to_be_somebodys_only_where_that_is_certain(driver, server, game):
    page = Page(driver, server.url)
    page.wait("document.querySelector('#link').dataset.state !== 'connecting'")
    output = driver.execute_async_script(
        """
        const done = arguments[arguments.length - 1];
        import("/static/unseen.js").then(({ whose }) => {
          const players = { left: { name: "Ann" }, right: { name: "Bo" } };
          const rows = [".CAT", "...."];
          const face = [".CA#", "...."];
          const game = (bag_count, rows, adjustments = []) =>
            ({ bag_count, rows, players, adjustments });
          const got = [{ kind: "end_rack", side: "right", tiles: "QZ" }];
          done([
            whose(game(3, rows), 17),
            whose(game(0, rows), 9),
            whose(game(0, rows, got), 2),
            whose(game(0, rows), 2),
            whose(game(0, rows, got), 3),
            whose(game(0, face, got), 3),
            whose(game(0, face, got), 2),
            whose(game(2, face), 17),
          ]);
        });
        """
    )
    assert output == [
        "Unseen, in the bag and on the racks: 17 tiles",
        "Unseen, on the racks: 9 tiles",
        "Ann still has 2 tiles",
        "Unseen, on the racks: 2 tiles",
        "Unseen, on the racks: 3 tiles",
        "Unseen, on the racks and unread on the board: 3 tiles",
        "Unseen, on the racks and unread on the board: 2 tiles",
        "Unseen, in the bag, on the racks and unread on the board: 17 tiles",
    ]
