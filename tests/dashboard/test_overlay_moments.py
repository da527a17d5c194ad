"""Overlays of what comes now and then, in a real browser: each at its time, and then gone."""

from __future__ import annotations

import pytest

from dashboard.event.event import Event, Source, install
from dashboard.server import Server
from game.events import (
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    Finding,
    GameEnded,
    GameForfeited,
    PlayersNamed,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS
from tests.dashboard.desk_fixtures import desked

pytestmark = pytest.mark.browser

PAIRINGS = (
    "event,round,table,left,right,division,left_country,right_country,left_rating,right_rating,"
    "left_score,right_score\n"
    "Spring Open,1,1,Ada <b>Byron</b>,Cleo,A,NGA,GBR,1800,1700,400,350\n"
    ",2,1,Ada <b>Byron</b>,José & Søren,A,,ESP,,1650,,\n"
    ",3,1,Cleo,Dan,A,,,,,,\n"
)
HIDDEN = "document.querySelector('#{}').hidden"


@pytest.fixture
def url(log, game, tmp_path, driver):
    (tmp_path / "pairings.csv").write_text(PAIRINGS, "utf-8")
    for made in desked(log, game, tmp_path / "data"):
        install(made.app, Event(Source(tmp_path / "pairings.csv")))
        server = Server(made.app, "127.0.0.1", 0)
        server.start()
        size = {"width": 972, "height": 400, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield server.url
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.get("about:blank")
        server.stop()


def opened(driver, url, part, state="shown", more="") -> Page:
    page = Page(driver, f"{url}/overlay/1/{part}{more}")
    page.wait(f"document.querySelector('#stage').dataset.state === '{state}'")
    return page


def fits(page: Page, panel: str) -> bool:
    return page.js(
        f"[...document.querySelectorAll('#{panel}, #{panel} :not(.sr)')].every((one) => {{"
        " const box = one.getBoundingClientRect();"
        " return box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; })"
    )


@pytest.mark.everyday
def test_a_bingo_comes_and_goes(driver, url, game):
    page = opened(driver, url, "bingo", more="?seconds=3")
    game.play("8D", "RETAINS")
    page.wait(f"!{HIDDEN.format('moment')}")
    assert page.text(".headline") == "Bingo by Ada <b>Byron</b>"
    assert page.text(".gain") == "+66"
    assert page.js("document.querySelectorAll('.moment .tile.lit').length") == 7
    assert fits(page, "moment")
    page.wait(HIDDEN.format("moment"))
    page = opened(driver, url, "bingo")  # a bingo from before is no news
    game.play("H9", "AX")
    page.wait("document.querySelector('#moment').dataset.kind === 'bingo'")
    assert page.js(HIDDEN.format("moment"))


def test_a_bingo_that_comes_off_at_once_is_not_shown_on(driver, url, game):
    page = opened(driver, url, "bingo", more="?seconds=60")
    game.play("8D", "RETAINS")
    page.wait(f"!{HIDDEN.format('moment')}")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.wait(HIDDEN.format("moment"))


def test_a_challenge_and_its_outcome(driver, url, game):
    page = opened(driver, url, "challenge", more="?seconds=60")
    game.play("8D", "FIRNS")
    game.t_ns += 5 * SECOND
    game.put(ButtonPressed("neutral", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    assert page.text(".headline") == "The clock is stopped"
    assert page.text(".detail") == "Play by Ada <b>Byron</b>"
    game.put(StopExplained(1, "challenge", "director", "", game.t_ns))
    page.wait("document.querySelector('.headline').textContent === 'A challenge'")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.wait("document.querySelector('.headline').textContent === 'Challenged off'")
    assert page.text(".detail") == "Ada <b>Byron</b> takes it back and scores nothing"
    assert fits(page, "moment")


@pytest.mark.parametrize("part", ["bingo", "challenge"])
def test_a_long_name_leaves_what_was_done_whole(driver, url, game, part):
    names = {"left": "Maximiliana von Hohenberg-Österreich", "right": "O"}
    game.put(PlayersNamed(names, "director", game.t_ns))
    page = opened(driver, url, part, more="?seconds=60")
    game.play("8D", "RETAINS")
    if part == "challenge":
        game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    for line in (".headline", ".detail"):
        whole = "({scrollWidth, clientWidth}) => scrollWidth <= clientWidth"
        assert page.js(f"({whole})(document.querySelector('.moment {line}'))"), line
    assert fits(page, "moment")


@pytest.mark.parametrize(
    ("part", "headline"),
    [
        ("bingo", "Bingo by Ada <b>Byron</b>"),
        ("challenge", "Challenged off"),
        ("result", "Final result, an example"),
    ],
)
def test_an_example_is_there_at_once_and_stays(driver, url, game, part, headline):
    page = opened(driver, url, part, more="?sample=yes&seconds=3")
    panel = "result" if part == "result" else "moment"
    page.wait(f"!{HIDDEN.format(panel)}")
    game.play("8D", "FIRNS")
    page.wait(f"document.querySelector('#{panel} .headline').textContent === {headline!r}")
    assert "xample" in page.text(f"#{panel}")
    assert "null" not in page.text(f"#{panel}")  # in what is read out, too
    assert fits(page, panel)


@pytest.mark.parametrize("part", ["bingo", "challenge", "result"])
def test_an_example_is_there_before_the_first_game(driver, log, tmp_path, part):
    for made in desked(log, None, tmp_path / "data"):
        server = Server(made.app, "127.0.0.1", 0)
        server.start()
        page = opened(driver, server.url, part, more="?sample=yes")
        panel = "result" if part == "result" else "moment"
        page.wait(f"!{HIDDEN.format(panel)}")
        assert "xample" in page.text(f"#{panel}")
        driver.get("about:blank")
        server.stop()


@pytest.mark.parametrize(
    ("part", "panel", "shown"),
    [
        ("next", "next", "Next: round 4, table 1"),
        ("standings", "standings", "Standings, division 1, an example"),
        ("title", "event", "An example of a title"),
    ],
)
def test_an_example_of_what_pairings_tell_is_there_without_any(
    driver, log, tmp_path, part, panel, shown
):
    for made in desked(log, None, tmp_path / "data"):
        server = Server(made.app, "127.0.0.1", 0)
        server.start()
        page = opened(driver, server.url, part, more="?sample=yes&division=A")
        asked = (
            "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/event'))"
        )
        page.wait(asked)
        assert shown in page.text(f"#{panel}")
        assert fits(page, panel)
        assert page.troubles() == []
        page = Page(driver, f"{server.url}/overlay/1/{part}")
        page.wait(asked)
        assert page.js(HIDDEN.format(panel))
        driver.get("about:blank")
        server.stop()


def test_a_blank_has_its_letter_in_a_bingo_as_soon_as_somebody_names_it(driver, url, game):
    page = opened(driver, url, "bingo", more="?seconds=60")
    game.play("8D", "RETA?NS")
    page.wait(f"!{HIDDEN.format('moment')}")
    blank = "document.querySelector('.moment .rack').children[4]"
    assert page.js(f"{blank}.textContent.includes('I')") is False
    game.put(BlankDesignated("8H", "I", "Ann", "announced", game.t_ns))
    page.wait(f"{blank}.querySelector('[data-print=I]') || {blank}.textContent === 'I'")
    assert page.text(".headline") == "Bingo by Ada <b>Byron</b>"


def comes_to_lie_between(page: Page, above: str, panel: str, below: str) -> None:
    """Wait until a panel, which moves in, lies below one thing and above another."""
    top, middle, bottom = (
        f"document.querySelector('{one}').getBoundingClientRect()" for one in (above, panel, below)
    )
    page.wait(f"{top}.bottom <= {middle}.top && {middle}.bottom <= {bottom}.top")


@pytest.fixture
def full_screen(driver, url):
    size = {"width": 1920, "height": 1080, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def test_a_scene_shows_a_challenge_in_place_of_the_last_play(driver, url, game, full_screen):
    page = opened(driver, url, "scene", more="?seconds=60")
    game.play(*TURNS[0])
    page.wait("document.querySelector('.last .spoken').textContent !== ''")
    assert page.js(HIDDEN.format("moment"))
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    assert page.text("#moment .headline") == "Challenged off"
    comes_to_lie_between(page, ".camera", "#moment", ".unseen")
    assert page.js("getComputedStyle(document.querySelector('#last')).visibility") == "hidden"


@pytest.mark.everyday
def test_a_scene_ends_with_the_result_in_place_of_the_last_play(driver, url, game, full_screen):
    page = opened(driver, url, "scene")
    for turn in TURNS:
        game.play(*turn)
    page.wait("document.querySelector('.last .spoken').textContent !== ''")
    assert page.js(HIDDEN.format("result"))
    game.put(GameForfeited("right", "resigned", "director", "had a train", game.t_ns))
    page.wait(f"!{HIDDEN.format('result')}")
    assert "Ada <b>Byron</b> wins" in page.text("#result .verdict")
    for under in ("last", "unseen"):
        looks = f"getComputedStyle(document.querySelector('.{under}')).visibility"
        assert page.js(looks) == "hidden"
    comes_to_lie_between(page, ".camera", "#result", ".third")
    assert fits(page, "result")


def test_a_challenge_in_vain(driver, url, game):
    page = opened(driver, url, "challenge", more="?seconds=60")
    game.play("8D", "FIRNS")
    page.wait("document.querySelector('#stage').dataset.state === 'shown'")
    game.put(ChallengeBonus("left", 5, None, "director", "a word", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    assert page.text(".headline") == "Challenge failed: the play stands"
    assert page.text(".detail") == "5 points for Ada <b>Byron</b>"


def test_a_result_waits_until_it_is_final(driver, url, game):
    page = opened(driver, url, "result")
    for turn in TURNS:
        game.play(*turn)
    assert page.js(HIDDEN.format("result"))
    game.put(GameForfeited("right", "resigned", "director", "had a train", game.t_ns))
    page.wait(f"!{HIDDEN.format('result')}")
    assert page.text(".verdict") == "Ada <b>Byron</b> wins: José & Søren resigned"
    page.wait("document.querySelector('.result .country')?.textContent === 'NGA'")
    assert page.js("document.querySelectorAll('.result b').length") == 0
    assert fits(page, "result")


def test_nobody_wins_in_an_overlay_while_a_question_may_change_it(driver, url, game):
    game.play("8D", "FIRNS", [Finding("uncertain_square", "8D")])
    game.put(GameEnded("agreed", game.t_ns))
    page = opened(driver, url, "result")
    page.wait(f"!{HIDDEN.format('result')}")
    assert page.text(".headline") == "Result, not yet final"
    assert page.text(".verdict") == "Ada <b>Byron</b> leads by 24"
    assert page.js("document.querySelectorAll('.line.won').length") == 0


def test_a_game_that_was_cut_short_is_said_to_be_and_one_broken_off_has_no_result(
    driver, url, game
):
    game.play("8D", "FIRNS")
    game.put(GameEnded("agreed", game.t_ns, "director"))
    page = opened(driver, url, "result")
    page.wait(f"!{HIDDEN.format('result')}")
    assert page.text(".headline") == "Final result, ended by agreement"
    assert fits(page, "result")
    end = len(game.log.events("game-1"))
    game.put(GameEnded("broken off", game.t_ns, "director", instead=end))
    page.wait(HIDDEN.format("result"))


def test_a_name_gives_way_to_what_comes_beside_it(driver, url):
    opened(driver, url, "title")
    overflows = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "import('/static/overlay/fit.js').then(({ fit }) => {"
        "  const name = document.createElement('p'), found = [];"
        "  name.style.cssText = 'overflow: hidden; white-space: nowrap; font: 40px sans-serif';"
        "  document.body.append(name);"
        "  for (const width of [400, 340]) {"
        "    name.style.width = `${width}px`; fit(name, 'A player of many names');"
        "    found.push(name.scrollWidth > name.clientWidth); }"
        "  done(found); });"
    )
    assert overflows == [False, False]


def test_next_pairing_standings_and_title(driver, url):
    page = opened(driver, url, "next")
    page.wait(f"!{HIDDEN.format('next')}")
    assert page.text(".headline") == "Next: round 3, table 1"
    assert fits(page, "next")
    page = opened(driver, url, "standings", more="?rows=3")
    page.wait(f"!{HIDDEN.format('standings')}")
    rows = page.js(
        "[...document.querySelectorAll('tbody tr')].map((row) =>"
        " [...row.cells].map((cell) => cell.textContent))"
    )
    assert len(rows) == 3
    assert rows[0] == ["1", "Ada <b>Byron</b>NGA", "1–0", "+50"]
    page = opened(driver, url, "title")
    page.wait(f"!{HIDDEN.format('event')}")
    assert page.text(".event-title") == "Spring Open"
    assert page.text(".event-round") == "Round 2"
    assert page.troubles() == []


def test_what_shows_no_face_is_never_lit(driver, url, game):
    game.play("8D", "FIRNS")
    for square, symbol in (("8D", "#"), ("8E", "~")):
        game.put(SquareCorrected(1, square, symbol, "director", "seen", game.t_ns))
    page = opened(driver, url, "board")
    page.wait("document.querySelector('[data-name=\"8D\"] .tile.down')")
    page.wait("document.querySelector('[data-name=\"8G\"] .tile.lit')")

    def colour(square: str) -> str:
        return page.js(
            f"getComputedStyle(document.querySelector('[data-name=\"{square}\"] .tile'))"
            ".backgroundColor"
        )

    assert colour("8G") == "rgb(255, 197, 61)"
    assert colour("8D") != colour("8G")
    stripes = page.js("getComputedStyle(document.querySelector('.tile.down')).backgroundImage")
    assert "rgb(138, 150, 163)" in stripes
