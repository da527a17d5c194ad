"""What the desk says and offers: times that go on, remedies, and nothing that does not fit."""

from __future__ import annotations

import pytest

from dashboard.director.concerns import Concern
from game.board import Square
from game.events import ButtonPressed, GameEnded, GameStarted, ResultSigned
from table.health.alerts import Alert
from tests.dashboard.axe import violations
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import TABLE, choice, chosen, from_the_menu, pressed
from tests.dashboard.test_glance import reported, rows

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


@pytest.fixture
def page(browser, desk, url, game):
    game.play(*TURNS[0])
    shown = Page(browser, f"{url}{TABLE}")
    shown.wait("document.querySelector('#bar [data-deed=challenge]:not(:disabled)') !== null")
    return shown


def shown_time(page, key: str) -> str:
    page.wait(f'document.querySelector("{choice(key)}") !== null')
    return page.text(f"{choice(key)} .brief")


@pytest.mark.everyday
def test_the_clock_that_runs_shows_what_it_would_be_and_goes_on(page, desk):
    running = page.js("document.querySelector('.player.running').dataset.side")
    standing = {"left": "right", "right": "left"}[running]
    pressed(page, "clock")
    assert shown_time(page, f"{standing}+1:00").startswith("→")
    was = shown_time(page, f"{running}+1:00")
    assert was.startswith("→")
    desk.loop.passed_ns += 90 * SECOND
    page.wait(
        f'document.querySelector("{choice(running + "+1:00")} .brief").textContent !== "{was}"'
    )


def test_why_the_clock_stands_is_asked_while_it_stands(page, game):
    pressed(page, "more")
    offered = "[...document.querySelectorAll('#menu .menu button')].map((one) => one.textContent)"
    assert "Hold…" in page.js(offered)
    assert "Why the clock stands…" not in page.js(offered)
    page.js("document.querySelector('#menu').close()")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.wait("document.querySelector('#bar [data-deed=stop]').disabled")
    from_the_menu(page, "Why the clock stands…")
    page.wait(f'document.querySelector("{choice("absence")}") !== null')
    assert page.text(f"{choice('absence')} b") == "A toilet break or another absence"


def test_a_play_on_two_lines_has_one_name_everywhere(page, game, ann):
    tiles = {"3C": "Z", "3D": "A", "8I": "T", "8J": "O"}
    game.board = game.board.replace({Square.parse(at): tile for at, tile in tiles.items()})
    game.press()
    page.wait("document.querySelector('#turn-2') !== null")
    assert page.text("#turn-2 .play").startswith("8D FIRNSTO")
    pressed(page, "challenge")
    page.wait("document.querySelector('#dialog').open")
    assert "8D FIRNSTO" in page.text("#dialog")
    assert "ZA" not in page.text("#dialog")
    (table,) = rows(reported(ann))
    assert table["last"]["word"] == "FIRNSTO"


def test_a_challenge_of_an_old_play_says_how_late_it_is(page, game):
    for turn in TURNS[1:3]:
        game.play(*turn)
    page.wait("document.querySelector('#turn-3') !== null")
    pressed(page, "challenge")
    late = "document.querySelector('#dialog .note:not([hidden])')"
    page.wait("document.querySelector('#dialog').open")
    assert page.js(f"{late}.textContent") == (
        f"This is late: a play may be challenged until {NAMES['left']} has written down the whole "
        "score (rule 4.1, 4.6.3), and a turn has followed. You can rule on it all the same."
    )
    turn = "document.querySelector('#dialog [name=turn]')"
    change = "dispatchEvent(new Event('change', {bubbles: true}))"
    page.driver.execute_script(f"{turn}.value = '1'; {turn}.{change}")
    assert "2 turns have followed" in page.js(f"{late}.textContent")
    chosen(page, "challenge_upheld")


@pytest.mark.everyday
def test_the_list_of_plays_to_challenge_goes_with_the_game(page, game):
    listed = "[...document.querySelectorAll('#dialog [name=turn] option')].map((o) => o.value)"
    chosen_one = "document.querySelector('#dialog [name=turn]').value"
    pressed(page, "challenge")
    page.wait(f'document.querySelector("{choice("challenge_upheld")}") !== null')
    game.play(*TURNS[1])
    page.wait(f"{listed}.length === 2")
    assert (page.js(listed), page.js(chosen_one)) == (["2", "1"], "1")
    late = "document.querySelector('#dialog .note:not([hidden])')?.textContent ?? ''"
    assert "a turn has followed" in page.js(late)
    game.play(*TURNS[2])
    page.wait(f"({late}).includes('2 turns have followed')")
    assert page.js(chosen_one) == "1"
    chosen(page, "challenge_upheld")
    page.wait("document.querySelector('#turn-1').textContent.includes('challenged off')")
    pressed(page, "challenge")  # what is off the board is challenged no more
    assert "1" not in page.js(listed)


def test_a_correction_of_an_old_play_says_how_late_a_challenge_is(page, game):
    game.play(*TURNS[1])
    page.wait("document.querySelector('#turn-2') !== null")
    page.click("[data-correct='1']")
    note = page.text("#dialog .note")
    late = f"A challenge is late: a play may be challenged until {NAMES['right']} has written"
    assert note.startswith(late)
    assert "a turn has followed" in note
    page.js("document.querySelector('#dialog').close()")
    page.click("[data-correct='2']")
    assert page.js("document.querySelector('#dialog .note:not([hidden])')") is None


def test_a_challenge_of_the_last_play_is_not_late(page):
    pressed(page, "challenge")
    page.wait(f'document.querySelector("{choice("challenge_upheld")}") !== null')
    assert page.js("document.querySelector('#dialog .note:not([hidden])')") is None


def test_a_penalty_shows_its_rule_before_it_is_entered(browser, desk, url, game):
    other = GameInLog(game.log, "game-2", t_ns=game.t_ns)
    other.put(GameStarted("game-2", NAMES, "naspa-2017", "english", "left", game.t_ns))
    other.put(ButtonPressed("right", game.t_ns))
    other.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    from_the_menu(page, "Penalty…")
    named = "#dialog [data-choice='left-named-1']:not(:disabled)"
    page.wait(f'document.querySelector("{named}") !== null')
    assert page.text(f"{named} .rule") == "Rule IV.J.2"
    assert "A number alone is your own decision" in page.text("#dialog .form > .soft")
    assert page.js("document.querySelector(\"#dialog [data-choice='left-5'] .rule\")") is None


def test_what_the_table_has_dealt_with_is_a_note_with_its_remedy(page, desk, game):
    alert = Alert("camera_resized", "pictures are 1×1 now, no longer 2×2", game.t_ns, stands=False)
    desk.table.desk.alerts.begin(alert)
    page.wait("document.querySelector('.concern[data-code=camera_resized] .remedy') !== null")
    assert "looked for anew" in page.text(".concern[data-code=camera_resized] .remedy")
    # The table has dealt with it: it stands among the notes, and asks for nobody.
    assert page.text("#notes-count") == "1 note"
    assert page.js("document.querySelector('#notes-list [data-code=camera_resized]') !== null")
    assert page.text("#attention-count") == "0"


def test_a_table_that_a_hub_does_not_hear_is_not_said_to_run(page, desk, game):
    assert page.text("#phase") == "Running"
    alert = Alert("table_off", "this table was switched off", game.t_ns)
    desk.table.desk.alerts.begin(alert)
    page.wait("document.querySelector('#phase').textContent === 'Switched off'")
    assert page.js("document.querySelector('.players').classList.contains('unheard')")
    desk.table.desk.alerts.end("table_off")
    page.wait("document.querySelector('#phase').textContent === 'Running'")


def test_what_is_no_trouble_has_no_remedy():
    assert Concern("trouble", "director_called", "Ann called").as_json()["remedy"]
    assert not Concern("flag", "gap", "a gap").as_json()["remedy"]


@pytest.mark.parametrize("path", [TABLE, f"{TABLE}/turns/1", "/director/links", "/director"])
def test_a_phone_has_one_line_of_navigation_and_nothing_beside_the_screen(page, url, path):
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        page.driver.get(f"{url}{path}")
        page.wait("document.readyState === 'complete'")
        assert page.js("document.documentElement.scrollWidth") <= PHONE["width"]
        assert page.js("document.querySelector('.bar').getBoundingClientRect().height") < 70
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


CUT = """[...document.querySelectorAll('.bar nav a, .bar button, #bar span')].filter((e) => {
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


@pytest.mark.parametrize(("width", "height"), [(320, 568), (360, 740), (683, 384), (640, 360)])
@pytest.mark.parametrize("path", [TABLE, f"{TABLE}/turns/1", "/director"])
def test_a_narrow_or_enlarged_window_shows_every_button_whole(page, url, path, width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.driver.get(f"{url}{path}")
        page.wait("document.readyState === 'complete'")
        if path == TABLE:
            page.wait("document.querySelectorAll('#bar .button').length === 10")
            bar = page.js(
                "innerHeight - document.querySelector('#bar').getBoundingClientRect().top"
            )
            assert bar < max(110, height / 5)
            assert page.js(HEIGHT_OF_CHALLENGE) < 20  # in two lines its last letter stands alone
        assert page.js("document.documentElement.scrollWidth") <= width
        assert page.js(OVER) == []
        assert page.js(CUT) == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_at_the_narrowest_a_lost_connection_takes_no_line_of_its_own(page):
    size = {"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    high = "document.querySelector('.bar').offsetHeight"
    try:
        before = page.js(high)
        page.driver.execute_script(
            "const pill = document.querySelector('#link'); pill.dataset.state = 'lost';"
            "pill.querySelector('span').textContent = 'Connection lost, trying again';"
        )
        assert page.js(high) <= before
        assert page.js("document.documentElement.scrollWidth") <= 320
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_thumb_hits_each_square_that_is_to_be_pressed(page):
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        pressed(page, "tile")
        page.wait("!document.querySelector('#picking').hidden")
        sizes = "[...document.querySelectorAll('#board .square')].map((e) => e.offsetWidth)"
        assert min(page.js(sizes)) >= 32
        edge = "document.querySelector('{}').getBoundingClientRect().{}"
        letters = edge.format("#board .coord", "top")
        assert page.js(f"{letters} >= {edge.format('#picking', 'bottom')}")
        assert page.js("document.documentElement.scrollWidth") <= PHONE["width"]
        page.click("#board [data-name='15O']")
        page.wait("document.querySelector('#dialog').open")
        assert "15O" in page.text("#dialog h2")
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_dispute_view_shows_picture_board_and_time_line_in_one_look(page, url):
    size = {"width": 1366, "height": 768, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.driver.get(f"{url}{TABLE}/turns/1")
        page.wait("document.querySelector('#line .axis') !== null")
        for what in ("#viewer", "#line", ".boards .board:last-child", ".sum"):
            bottom = page.js(f"document.querySelector('{what}').getBoundingClientRect().bottom")
            assert bottom <= size["height"], what
        tall = "[...document.querySelectorAll('.boards .board')].map((one) => one.offsetHeight)"
        assert len(set(page.js(tall))) == 1
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_heading_says_how_the_game_stands_before_the_table_says_it(page, desk, game):
    """The log is first; the table's own word comes every few seconds, at a hub later still."""
    page.wait("document.querySelector('#phase').textContent === 'Running'")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.wait("document.querySelector('#phase').textContent === 'Clock stopped'")
    game.put(GameEnded("confirmed", game.t_ns + 2 * SECOND, "director"))
    page.wait("document.querySelector('#phase').textContent === 'Ended'")
    assert desk.loop.desk.phase == "running"
    page.driver.get(page.url.replace("/tables/1", ""))
    page.wait("document.querySelector('.table-card .phase')?.textContent === 'Ended'")


def test_a_phone_hears_what_the_menu_of_games_is(page, log):
    GameInLog(log, "game-2").start()
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        page.wait("document.querySelectorAll('#game option').length === 2")
        assert violations(page.driver) == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_line_above_the_board_hides_no_row_of_it(page, url, log):
    size = {"width": 1366, "height": 768, "deviceScaleFactor": 1, "mobile": False}
    below = (
        "document.querySelector('.board-room .frame').getBoundingClientRect().bottom"
        " <= document.querySelector('#bar').getBoundingClientRect().top"
    )
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        pressed(page, "tile")
        page.wait("!document.querySelector('#picking').hidden")
        assert page.js(below)
        page.click("#stop-picking")
        page.wait("document.querySelector('#picking').hidden")
        GameInLog(log, "game-2").start()
        page.driver.get(f"{url}{TABLE}?game=game-1")
        page.wait("document.querySelector('#bar [data-deed]') !== null")
        page.wait("!document.querySelector('#earlier').hidden")
        assert page.js(below)
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_on_a_phone_the_bar_and_a_message_leave_the_page_in_sight(page):
    pressed(page, "challenge")
    chosen(page, "challenge_upheld")
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        page.wait("!document.querySelector('#done').hidden")
        edge = "document.querySelector('#{}').getBoundingClientRect()"
        taken = page.js(f"innerHeight - {edge.format('done')}.top")
        assert taken < PHONE["height"] * 0.21
        assert page.js(f"{edge.format('done')}.bottom <= {edge.format('bar')}.top")
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_on_a_phone_a_message_covers_nothing_that_was_in_sight(page, game):
    """It comes where the bar has an empty row for it, also where the bar has one row of buttons."""
    box = "document.querySelector('#done').getBoundingClientRect()"
    corners = (
        f"(({{ left, right, top, bottom }}) => [[left, top], [right, top], [left, bottom], "
        f"[right, bottom]])({box})"
    )
    inset = "([x, y]) => [x + (x < innerWidth / 2 ? 4 : -4), y + (y < {} ? 2 : -2)]"
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        pressed(page, "challenge")
        chosen(page, "challenge_upheld")
        page.wait("!document.querySelector('#done').hidden")
        assert "The score is now" in page.text("#done p")
        at = page.js(f"{corners}.map({inset.format(f'({box}.top + {box}.bottom) / 2')})")
        read = "document.querySelector('#done p')"
        assert page.js(f"{read}.scrollHeight <= {read}.clientHeight + 1")
        page.click("#seen")
        page.wait("document.querySelector('#done').hidden")
        for scrolled in (0, 400, 9999):
            page.js(f"scrollTo(0, {scrolled})")
            under = page.js(f"{at}.map(([x, y]) => document.elementFromPoint(x, y).id)")
            assert under == ["bar"] * 4
        page.js("scrollTo(0, document.documentElement.scrollHeight)")
        last = "document.querySelector('.work').getBoundingClientRect().bottom"
        assert page.js(last) <= min(y for _, y in at)
        # A signed game leaves one row of buttons.
        game.put(GameEnded("confirmed", game.t_ns, "director"))
        game.put(ResultSigned("both players", game.t_ns))
        page.wait("document.querySelector('#bar > p') !== null")
        page.js("document.querySelector('#done').hidden = false")
        bar = "document.querySelector('#bar').getBoundingClientRect()"
        assert page.js(f"{box}.bottom <= {bar}.top && {box}.bottom > {bar}.top - 8")
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
