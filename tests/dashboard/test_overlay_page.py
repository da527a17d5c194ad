"""Overlays in a real browser: transparent, along with the game, each moment at its time."""

from __future__ import annotations

import base64
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from dashboard.app import create_app
from dashboard.event import Event, Source, install
from dashboard.overlay.pages import PARTS
from dashboard.site import Site, table_over
from dashboard.tokens import Tokens
from dashboard.web_db import WebDb
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
from record.log.event_log import EventLog
from tests.dashboard.browsing import Page, offline
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import desked
from tests.machine import PATIENCE_S

pytestmark = pytest.mark.browser

HIDDEN = "document.querySelector('#{}').hidden"


def opened(driver, url, part, state="shown", more="", slot="1") -> Page:
    page = Page(driver, f"{url}/overlay/{slot}/{part}{more}")
    page.there(f"#stage[data-state={state}]")
    return page


@pytest.fixture
def hall(tmp_path, log, game, driver, screen, serving):
    with EventLog(tmp_path / "two" / "tilewatch.db") as second:
        GameInLog(second, "game-2").start({"left": "Cleo", "right": "Dan"})
        now = 2000 * SECOND
        tables = tuple(
            table_over(each, id=name, name=f"Table {name}", clock=lambda: now)
            for name, each in (("1", log), ("2", second))
        )
        app = create_app(Site(tables))
        server = serving(app)
        screen(1920, 1080)
        clear = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}
        driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", clear)
        yield SimpleNamespace(url=server.url, slots=app.extensions["tilewatch.Slots"])
        driver.get("about:blank")


def alpha_at(driver, x: int, y: int) -> int:
    """How opaque the page is at a point: 0 where OBS shows what lies below."""
    clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    png = np.frombuffer(base64.b64decode(shot["data"]), np.uint8)
    pixel = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)[0, 0]
    return int(pixel[3]) if len(pixel) == 4 else 255


def names(page: Page) -> list[str]:
    return page.js("[...document.querySelectorAll('.player .name')].map((e) => e.textContent)")


def test_a_clip_says_which_play_it_is_and_its_points(driver, hall, game):
    game.plays(TURNS[:1])
    page = opened(driver, hall.url, "clip")
    page.gives(HIDDEN.format("clip"), True)  # nothing was photographed
    page.gives("getComputedStyle(document.querySelector('#last')).visibility", "hidden")
    page.reads("document.querySelector('#last .spoken').textContent", has="FIRNS")
    page.reads("document.querySelector('#last .gain').textContent", starts="+")


def test_the_scene_is_whole_and_transparent(driver, hall, game):
    game.plays(TURNS)
    page = opened(driver, hall.url, "scene", slot="feature")
    page.wait("!document.getAnimations().some((a) => a.playState === 'running')")
    root = "document.documentElement"
    page.gives(f"[{root}.scrollWidth, {root}.scrollHeight]", [1920, 1080])
    boxes = page.driver.execute_script(
        "return ['.board', '.camera', '.last', '.unseen', '.third'].map((one) => {"
        " const box = document.querySelector(one).getBoundingClientRect();"
        " return [box.left, box.top, box.right, box.bottom].map(Math.round); })"
    )
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= 1920, boxes
        assert 0 <= top < bottom <= 1080, boxes
    for one, other in [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]:
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)
    left, top, right, bottom = boxes[1]
    assert alpha_at(driver, (left + right) // 2, (top + bottom) // 2) == 0
    assert alpha_at(driver, 3, 3) == 0
    assert alpha_at(driver, boxes[0][0] + 300, boxes[0][1] + 300) == 255
    page.label("8D", "8D, F, 4 points")
    assert page.troubles() == []
    assert page.hosts() == {hall.url.removeprefix("http://")}


@pytest.mark.everyday
def test_it_goes_along_with_the_game_and_a_correction(driver, hall, game):
    page = opened(driver, hall.url, "scene")
    scores = "[...document.querySelectorAll('output')].map((e) => e.textContent).join(' ')"
    seen = "getComputedStyle(document.querySelector('#unseen')).visibility"
    page.gives(seen, "hidden")  # a panel with nothing in it
    game.play(*TURNS[0])
    page.wait(f"{scores} === '24 0'")
    page.says(".last .gain", "+24")
    game.play(*TURNS[1])
    page.says(".last .who", ends="at H8")
    page.gives(seen, "visible")
    before = page.js(scores)
    game.put(SquareCorrected(1, "8D", "B", "director", "a B", game.t_ns))
    page.wait(f"{scores} !== '{before}' && {scores}.startsWith('2')")
    page.wait("document.querySelector('[data-name=\"8D\"]').ariaLabel.startsWith('8D, B')")
    page.wait(
        "['.middle b', '#bag'].every((one, _, all) => document.querySelector(one).textContent"
        " === document.querySelector(all[0]).textContent)"
    )


def test_what_shows_no_letter_is_an_empty_square_not_a_tile_with_a_dot(driver, hall, game):
    game.play("8D", "B#K", [Finding("face_down", "8E")])
    game.play("10F", "BO.K", [Finding("gap", "10H")])
    page = opened(driver, hall.url, "last")
    page.there(".rack .tile", 4)
    page.there(".rack .tile.gap", 1)
    page.there(".rack .tile.lit", 3)
    page = opened(driver, hall.url, "unseen")
    page.says("#recent li span", "B▢K")


def test_a_name_alone_stands_in_the_middle_of_its_card(driver, hall, game):
    page = opened(driver, hall.url, "scores")
    off = page.js(
        "[...document.querySelectorAll('.player')].map((card) => {"
        " const middle = (one) => { const box = one.getBoundingClientRect();"
        "  return (box.top + box.bottom) / 2; };"
        " return Math.abs(middle(card.querySelector('.name'))"
        "  - middle(card.querySelector('.score'))); })"
    )
    assert max(off) <= 2, off


def test_a_long_name_is_folded_before_it_is_cut_and_stays_in_its_place(driver, hall, log):
    game = GameInLog(log, "game-3", t_ns=1500 * SECOND)
    names = {"left": "Maximiliana von Hohenberg-Österreich", "right": "O"}
    game.start(names, rulebook="wespa-2021")
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    whole = (
        "(({scrollWidth, clientWidth, scrollHeight, clientHeight}) =>"
        " scrollWidth <= clientWidth && scrollHeight <= clientHeight + 1)"
        "(document.querySelector('.name, .who'))"
    )
    in_place = (
        "[...document.querySelectorAll('.player')].every((card) => {"
        " const box = card.getBoundingClientRect();"
        " return [...card.children].filter((one) => !one.hidden).every((one) => {"
        "  const inner = one.getBoundingClientRect();"
        "  return inner.left >= box.left && inner.right <= box.right"
        "   && inner.bottom <= box.bottom; }); }) && document.documentElement.scrollWidth <= 1920"
    )
    for part in ("names", "scores", "clocks", "lower", "last", "result"):
        page = opened(driver, hall.url, part)
        page.says(".name, .who", starts="Maxi")
        page.wait(whole)
    game.put(PlayersNamed({"left": "Wolfeschlegelsteinhausenbergerdorff " * 2}, "TD", game.t_ns))
    for part in ("scene", "lower", "names", "scores", "clocks"):
        page = opened(driver, hall.url, part)
        page.says(".name", starts="Wolfe")
        page.wait(in_place)


def test_a_scene_of_more_sources_than_a_browser_opens_connections(driver, hall, game):
    from selenium.webdriver.support.ui import WebDriverWait

    shown = "return document.querySelector('output, #content').textContent.trim() === '24'"
    main = driver.current_window_handle
    opened = []
    driver.set_page_load_timeout(PATIENCE_S)
    try:
        for number in range(8):
            driver.switch_to.new_window("tab")
            opened.append(driver.current_window_handle)
            driver.get(
                f"{hall.url}/{'obs/1/p1_score' if number == 7 else 'overlay/1/scores?size=50'}"
            )
        game.play(*TURNS[0])
        for window in opened:
            driver.switch_to.window(window)
            WebDriverWait(driver, PATIENCE_S).until(lambda d: d.execute_script(shown))
    finally:
        for window in opened:
            driver.switch_to.window(window)
            driver.close()
        driver.switch_to.window(main)


def test_the_slot_gets_another_table_and_the_page_goes_along(driver, hall, game):
    page = opened(driver, hall.url, "names", slot="feature")
    assert names(page)[1] == "José & Søren"
    hall.slots.assign("feature", "2")
    page.says(".name", "Cleo")
    hall.slots.assign("feature", "none-yet")
    page.there("#stage[data-state=empty]")
    hall.slots.assign("feature", "1")
    page.there("#stage[data-state=shown]")
    page.says(".name", starts="Ada")
    page.there(".name b", 0)


def test_the_address_says_how_it_looks(driver, hall, game):
    game.play(*TURNS[0])
    asked = "size=50&accent=00ff88&ground=102030&left=ff00ff&font=Fira%20Sans"
    page = opened(driver, hall.url, "lower", more=f"?{asked}")
    style = "getComputedStyle(document.querySelector('{}'), {}).{}"
    page.gives(style.format(".player", "null", "backgroundColor"), "rgb(16, 32, 48)")
    page.gives(style.format(".player", "'::before'", "backgroundColor"), "rgb(255, 0, 255)")
    page.reads(style.format("body", "null", "fontFamily"), starts='"Fira Sans"')
    page.gives("document.querySelector('.third').getBoundingClientRect().width", 928)
    game.put(ButtonPressed("neutral", game.t_ns))
    assert page.troubles() == []


PAIRINGS = (
    "event,round,table,left,right,division,left_country,right_country,left_rating,right_rating,"
    "left_score,right_score\n"
    "Spring Open,1,1,Ada <b>Byron</b>,Cleo,A,NGA,GBR,1800,1700,400,350\n"
    ",2,1,Ada <b>Byron</b>,José & Søren,A,,ESP,,1650,,\n"
    ",3,1,Cleo,Dan,A,,,,,,\n"
)


@pytest.fixture
def url(log, game, tmp_path, driver, screen, serving):
    (tmp_path / "pairings.csv").write_text(PAIRINGS, "utf-8")
    for made in desked(log, game, tmp_path / "data"):
        install(made.app, Event(Source(tmp_path / "pairings.csv")))
        server = serving(made.app)
        screen(972, 400)
        yield server.url
        driver.get("about:blank")


@pytest.fixture
def bare(log, tmp_path, driver, screen, serving):
    """The overlays of a table without a game, and without pairings."""
    screen(972, 400)
    for made in desked(log, None, tmp_path / "data"):
        server = serving(made.app)
        yield server.url
        driver.get("about:blank")


def fits(page: Page, panel: str) -> None:
    """Wait until all of a panel is in the window."""
    page.wait(
        f"[...document.querySelectorAll('#{panel}, #{panel} :not(.sr)')].every((one) => {{"
        " const box = one.getBoundingClientRect();"
        " return box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; })"
    )


def test_a_bingo_comes_and_goes(driver, url, game):
    page = opened(driver, url, "bingo", more="?seconds=3")
    game.play("8D", "RETAINS")
    page.wait(f"!{HIDDEN.format('moment')}")
    page.says(".headline", "Bingo by Ada <b>Byron</b>")
    page.says(".gain", "+66")
    page.there(".moment .tile.lit", 7)
    fits(page, "moment")
    page.wait(HIDDEN.format("moment"))
    page = opened(driver, url, "bingo")  # a bingo from before is no news
    game.play("H9", "AX")
    page.wait("document.querySelector('#moment').dataset.kind === 'bingo'")
    page.wait(HIDDEN.format("moment"))


def test_a_challenge_and_its_outcome(driver, url, game):
    page = opened(driver, url, "challenge", more="?seconds=60")
    game.play("8D", "FIRNS")
    game.t_ns += 5 * SECOND
    game.put(ButtonPressed("neutral", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    page.says(".headline", "The clock is stopped")
    page.says(".detail", "Play by Ada <b>Byron</b>")
    game.put(StopExplained(1, "challenge", "director", "", game.t_ns))
    page.says(".headline", "A challenge")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.says(".headline", "Challenged off")
    page.says(".detail", "Ada <b>Byron</b> takes it back and scores nothing")
    fits(page, "moment")


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
        page.wait(f"({whole})(document.querySelector('.moment {line}'))")
    fits(page, "moment")


@pytest.mark.parametrize(
    ("part", "panel", "shown"),
    [
        ("bingo", "moment", "Bingo by Ada <b>Byron</b>"),
        ("challenge", "moment", "Challenged off"),
        ("result", "result", "Final result, an example"),
        ("next", "next", "Next: round 4, table 1"),
        ("standings", "standings", "Standings, division 1, an example"),
        ("title", "event", "An example of a title"),
    ],
)
def test_an_example_is_there_before_the_first_game_and_stays(driver, log, bare, part, panel, shown):
    page = opened(driver, bare, part, more="?sample=yes&seconds=3&division=A")
    example = "xample" if part in ("bingo", "challenge", "result") else shown
    page.says(f"#{panel}:not([hidden])", has=example)
    GameInLog(log).start().play("8D", "FIRNS")
    page.says(f"#{panel}:not([hidden])", has=shown)
    page.says(f"#{panel}", has=example)
    assert "null" not in page.text(f"#{panel}")  # in what is read out, too
    fits(page, panel)
    assert page.troubles() == []
    page = Page(driver, f"{bare}/overlay/1/{part}")
    if example == shown:  # the pairings have been asked for, and there are none
        asked = "performance.getEntriesByType('resource')"
        page.wait(f"{asked}.some(({{ name }}) => name.endsWith('/event'))")
    else:
        page.there("#stage[data-state=shown]")
    page.there(f"#{panel}[hidden]")


def test_a_bingo_is_shown_as_it_stands_a_named_blank_in_it_until_it_comes_off(driver, url, game):
    page = opened(driver, url, "bingo", more="?seconds=60")
    game.play("8D", "RETA?NS")
    page.wait(f"!{HIDDEN.format('moment')}")
    blank = "document.querySelector('.moment .rack').children[4]"
    page.gives(f"{blank}.textContent.includes('I')", False)
    game.put(BlankDesignated("8H", "I", "Ann", "announced", game.t_ns))
    page.wait(f"{blank}.querySelector('[data-print=I]') || {blank}.textContent === 'I'")
    page.says(".headline", "Bingo by Ada <b>Byron</b>")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.wait(HIDDEN.format("moment"))


def comes_to_lie_between(page: Page, above: str, panel: str, below: str) -> None:
    """Wait until a panel, which moves in, lies below one thing and above another."""
    top, middle, bottom = (
        f"document.querySelector('{one}').getBoundingClientRect()" for one in (above, panel, below)
    )
    page.wait(f"{top}.bottom <= {middle}.top && {middle}.bottom <= {bottom}.top")


@pytest.fixture
def full_screen(url, screen):
    screen(1920, 1080)


def test_a_scene_shows_a_challenge_in_place_of_the_last_play(driver, url, game, full_screen):
    page = opened(driver, url, "scene", more="?seconds=60")
    game.play(*TURNS[0])
    page.wait("document.querySelector('.last .spoken').textContent !== ''")
    page.wait(HIDDEN.format("moment"))
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    page.says("#moment .headline", "Challenged off")
    comes_to_lie_between(page, ".camera", "#moment", ".unseen")
    page.gives("getComputedStyle(document.querySelector('#last')).visibility", "hidden")


@pytest.mark.everyday
def test_a_scene_ends_with_the_result_in_place_of_the_last_play(driver, url, game, full_screen):
    page = opened(driver, url, "scene")
    game.plays(TURNS)
    page.wait("document.querySelector('.last .spoken').textContent !== ''")
    page.wait(HIDDEN.format("result"))
    game.put(GameForfeited("right", "resigned", "director", "had a train", game.t_ns))
    page.wait(f"!{HIDDEN.format('result')}")
    page.says("#result .verdict", "Ada <b>Byron</b> wins: José & Søren resigned")
    page.says("#result .country", "NGA")
    page.there("#result b", 0)
    for under in ("last", "unseen"):
        looks = f"getComputedStyle(document.querySelector('.{under}')).visibility"
        page.gives(looks, "hidden")
    comes_to_lie_between(page, ".camera", "#result", ".third")
    fits(page, "result")


def test_a_challenge_in_vain(driver, url, game):
    page = opened(driver, url, "challenge", more="?seconds=60")
    game.play("8D", "FIRNS")
    page.there("#stage[data-state=shown]")
    game.put(ChallengeBonus("left", 5, None, "director", "a word", game.t_ns))
    page.wait(f"!{HIDDEN.format('moment')}")
    page.says(".headline", "Challenge failed: the play stands")
    page.says(".detail", "5 points for Ada <b>Byron</b>")


@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
def test_nobody_wins_in_an_overlay_while_a_question_may_change_it_or_the_game_was_broken_off(
    driver, url, game
):
    game.play("8D", "FIRNS", [Finding("uncertain_square", "8D")])
    game.put(GameEnded("agreed", game.t_ns, "director"))
    end = len(game.log.events("game-1"))
    page = opened(driver, url, "result")
    page.wait(f"!{HIDDEN.format('result')}")
    page.says(".headline", "Result, not yet final")
    page.says(".verdict", "Ada <b>Byron</b> leads by 24")
    page.there(".line.won", 0)
    game.put(SquareCorrected(1, "8D", "F", "director", "seen", game.t_ns))
    page.says(".headline", "Final result, ended by agreement")
    page.there(".line.won", 1)
    fits(page, "result")
    game.put(GameEnded("broken off", game.t_ns, "director", instead=end))
    page.wait(HIDDEN.format("result"))


def test_next_pairing_standings_and_title(driver, url):
    page = opened(driver, url, "next")
    page.wait(f"!{HIDDEN.format('next')}")
    page.says(".headline", "Next: round 3, table 1")
    fits(page, "next")
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
    page.says(".event-title", "Spring Open")
    page.says(".event-round", "Round 2")
    assert page.troubles() == []


def test_what_shows_no_face_is_never_lit(driver, url, game):
    game.play("8D", "FIRNS")
    for square, symbol in (("8D", "#"), ("8E", "~")):
        game.put(SquareCorrected(1, square, symbol, "director", "seen", game.t_ns))
    page = opened(driver, url, "board")
    page.there('[data-name="8D"] .tile.down')
    page.there('[data-name="8G"] .tile.lit')

    def colour(square: str) -> str:
        return page.js(
            f"getComputedStyle(document.querySelector('[data-name=\"{square}\"] .tile'))"
            ".backgroundColor"
        )

    assert colour("8G") == "rgb(255, 197, 61)"
    assert colour("8D") != colour("8G")
    stripes = page.js("getComputedStyle(document.querySelector('.tile.down')).backgroundImage")
    assert "rgb(138, 150, 163)" in stripes


LONG = {
    "left": "Maximiliana von Hohenberg-Österreich",
    "right": "Wolfeschlegelsteinhausenbergerdorff",
}
WHOLE = (
    "(({scrollWidth, clientWidth, scrollHeight, clientHeight}) => clientHeight > 0 &&"
    " scrollWidth <= clientWidth && scrollHeight <= clientHeight + 4)"
    "(document.querySelector('%s'))"
)


def test_a_long_verdict_is_whole_at_the_documented_size_and_below_the_camera(
    driver, url, game, screen
):
    game.put(PlayersNamed(LONG, "director", game.t_ns))
    game.plays(TURNS)
    game.put(GameForfeited("right", "resigned", "director", "had a train", game.t_ns))
    for part, (width, height) in {"result": PARTS["result"][1:], "scene": (1920, 1080)}.items():
        screen(width, height)
        page = opened(driver, url, part)
        page.says(".verdict", ends="resigned")
        page.wait(WHOLE % ".verdict")
        fits(page, "result")
    comes_to_lie_between(page, ".camera", "#result", ".third")


def test_a_long_title_is_whole(driver, url, game, tmp_path):
    path = tmp_path / "pairings.csv"
    title = "The International Open of the Lakeside Towns and Villages"
    path.write_text(PAIRINGS.replace("Spring Open", title), "utf-8")
    for part in ("title", "scene"):
        page = opened(driver, url, part)
        page.says(".event-title", title)
        page.wait(WHOLE % ".event-title")


def test_a_challenge_in_a_scene_leaves_its_edges_free(driver, url, game, full_screen):
    page = opened(driver, url, "scene", more="?seconds=60")
    game.play(*TURNS[0])
    page.says(".last .gain", "+24")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns))
    page.says("#moment .headline", "Challenged off")
    room = "document.querySelector('#moment{}').getBoundingClientRect().{}"
    page.wait(f"{room.format(' .headline', 'top')} - {room.format('', 'top')} >= 8")
    page.wait(f"{room.format('', 'bottom')} - {room.format(' .detail', 'bottom')} >= 8")


def test_names_written_from_right_to_left_keep_to_themselves(driver, url, game):
    name = "אורי בן־דוד"
    game.put(PlayersNamed({"left": name}, "director", game.t_ns))
    page = opened(driver, url, "bingo", more="?seconds=60")
    game.play("8D", "RETAINS")
    page.says(".headline", f"Bingo by \u2068{name}\u2069")
    page = opened(driver, url, "lower")
    page.says(".name", name)
    page.gives("getComputedStyle(document.querySelector('.name')).direction", "rtl")
    page.gives("getComputedStyle(document.querySelector('.name')).textAlign", "left")


def test_nobody_knows_a_clock_that_runs_once_the_table_is_not_heard_of(driver, hall, game):
    page = opened(driver, hall.url, "clocks")
    left = "document.querySelector('[data-side=left] time').textContent"
    page.wait(f"{left} !== '–:––'")
    page.js("(window.setTimeout = ((set) => (act) => set(act, 100))(setTimeout), 1)")
    with offline(driver):
        page.wait(f"{left} === '–:––'")
    page.wait(f"{left} !== '–:––'")


def test_an_overlay_that_is_refused_shows_nothing(driver, log, game, tmp_path, serving):
    for made in desked(log, game, tmp_path / "data"):
        tokens = Tokens(WebDb(tmp_path / "data"))
        token, text = tokens.make("stream", "overlay", by="Dora")
        page = opened(driver, serving(made.app).url, "lower", more=f"?token={text}")
        page.says(".name", starts="Ada")
        tokens.withdraw(token.id)
        page.there("#stage[data-state=empty]")
        driver.get("about:blank")
