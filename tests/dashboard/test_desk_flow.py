"""The desk scrolls as one page, with all that a director does in sight; a dispute fits a phone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from game.events import ButtonPressed, GameEnded, GameStarted, PenaltyAdded, ResultSigned
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import TABLE, challenged, shown

pytestmark = pytest.mark.browser

DESKS = ((1366, 768), (1600, 900), (1920, 1080))
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


@contextmanager
def screen(driver, width: int, height: int) -> Iterator[None]:
    size = {
        "width": width,
        "height": height,
        "deviceScaleFactor": 1,
        "mobile": height < width < 900,
    }
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def inside(page: Page, selector: str) -> bool:
    """Whether all of what is there can be seen without scrolling."""
    return page.js(
        f'[...document.querySelectorAll("{selector}")].map((e) => e.getBoundingClientRect())'
        ".every((box) => box.width > 0 && box.left >= 0 && box.right <= innerWidth"
        " && box.top >= 0 && box.bottom <= innerHeight)"
    )


@pytest.fixture
def table(browser, desk, url, game):
    """A game of some length with a penalty in it."""
    for turn in TURNS:
        game.play(*turn)
    for row in (1, 2, 3, 4, 5):  # beside all others, which is flagged and counts
        game.play(f"{row}A", "AT")
        game.play(f"{row}M", "IN")
    game.put(PenaltyAdded("left", 10, "9.9", "Ann", "came late to the table", game.t_ns + SECOND))
    return browser, f"{url}{TABLE}"


def opened(table) -> Page:
    page = Page(*table)
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 16")
    page.wait("document.querySelector('#bar button') !== null")
    return page


@pytest.mark.parametrize("size", DESKS)
def test_a_desk_is_one_flow(table, size):
    with screen(table[0], *size):
        page = opened(table)
        assert page.js(NESTED) == []
        assert page.js(CUT) == []
        assert {5} == set(
            page.js("[...document.querySelectorAll('#turns tr')].map((r) => r.cells.length)")
        )
        assert page.js("document.querySelectorAll('#turns tr.adjustment').length") > 0
        assert inside(page, "#bar button, #board, #attention-title, #picture-title")
        under = "document.querySelector('#bar').getBoundingClientRect().top"
        assert page.js(
            f"document.querySelector('#board').getBoundingClientRect().bottom <= {under}"
        )
        # Whatever it is scrolled to, the board and the bar stay.
        table[0].execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        page.wait("scrollY > 200")
        assert inside(page, "#bar button, #board, .player")


def test_the_newest_turns_stand_beside_the_board_while_nothing_is_asked(browser, desk, url, game):
    for turn in TURNS:
        game.play(*turn)
    with screen(browser, 1366, 768):
        page = Page(browser, f"{url}{TABLE}")
        page.wait(f"document.querySelectorAll('#turns tr').length === {len(TURNS)}")
        page.wait("document.querySelector('#bar button') !== null")
        over = "document.querySelector('#bar').getBoundingClientRect().top"
        fifth = "document.querySelectorAll('#turns tr')[4].getBoundingClientRect()"
        assert page.js(f"{fifth}.bottom <= {over}")


@pytest.mark.everyday
def test_a_stop_for_a_challenge_leads_to_its_ruling(table, desk, game):
    page = opened(table)
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.wait("document.querySelector('#phase').textContent === 'Clock stopped'")
    page.click(".concern[data-code=clock_stopped] [data-offer$=':challenge']")
    page.wait("document.querySelector('#dialog').open")
    assert page.text("#dialog-title") == "A challenge"
    assert page.text("#phase") == "Clock stopped: a challenge"
    assert page.js("document.querySelector('[data-deed=challenge]').classList.contains('primary')")
    page.click("#dialog [data-choice=challenge_upheld]:not(:disabled)")
    page.wait("!document.querySelector('#dialog').open")
    page.wait("document.querySelector('#phase').textContent === 'Clock stopped'")
    # Whoever is on turn goes on with one press: nothing is asked, as nothing ends.
    on_turn = page.js("document.querySelector('.player.on').dataset.side")
    page.click(f"[data-deed=start-{on_turn}].primary")
    page.wait("document.querySelector('#done p').textContent.endsWith('clock runs.')")
    assert desk.loop.posted[-1] == ("press", "left" if on_turn == "right" else "right")


def test_on_a_phone_on_its_side_notices_leave_room_for_what_needs_somebody(
    browser, desk, url, log, game
):
    game.play(*TURNS[0])
    game.put(GameEnded("director", game.t_ns, "Ann"))
    unnamed = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    unnamed.start({"left": "Left", "right": "Right"})
    unnamed.play("8D", "FI?NS")
    with screen(browser, 844, 390):
        page = Page(browser, f"{url}{TABLE}")
        page.wait("!document.querySelector('#previous').hidden")
        page.wait("document.querySelector('.concern .what') !== null")
        notices = "[...document.querySelectorAll('#previous, #unnamed')]"
        heights = page.js(f"{notices}.map((one) => one.getBoundingClientRect().height)")
        assert len(heights) == 2
        assert max(heights) < 44
        over = "document.querySelector('#bar').getBoundingClientRect().top"
        title = "document.querySelector('.concern h3').getBoundingClientRect().bottom"
        assert page.js(f"{title} <= {over}")


@pytest.mark.parametrize("size", [*PHONES, (360, 740), (1366, 768)])
def test_a_turn_s_pictures_have_a_button_on_every_screen(table, size):
    with screen(table[0], *size):
        page = opened(table)
        button = "document.querySelector('#turn-16 .do a')"
        page.js(f"{button}.scrollIntoView({{block: 'center'}})")
        box = page.js(f"(({{width, height}}) => [width, height])({button}.getBoundingClientRect())")
        assert min(box) >= (40 if size[0] < 900 else 24)
        assert page.js("document.documentElement.scrollWidth") <= size[0]
        page.click("#turn-16 .do a")
        page.wait(f"location.pathname === '{TABLE}/turns/16'")


@pytest.mark.parametrize(
    ("reason", "title"),
    [("blank", "The blank on 11H: which letter?"), ("score", "Both players agree on a score")],
)
def test_a_stop_leads_to_the_window_for_its_reason(browser, desk, url, log, game, reason, title):
    made = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)  # by a text that lists both reasons
    made.put(GameStarted("game-2", NAMES, "wespa-2021", "english", "left", made.t_ns))
    made.put(ButtonPressed("right", made.t_ns))
    made.play(*TURNS[0])
    made.play("H8", ".HO?")
    made.put(ButtonPressed("neutral", made.t_ns + SECOND))
    page = Page(browser, f"{url}{TABLE}")
    button = f".concern[data-code=clock_stopped] [data-offer$=':{reason}']"
    page.wait(f'document.querySelector("{button}") !== null')
    page.wait("document.querySelector('#attention').dataset.moved === undefined")
    names = "[...document.querySelectorAll('button')].map((one) => one.textContent)"
    assert page.js(f"{names}.filter((name) => name === '{reason.capitalize()}').length") == 1
    page.click(button)
    page.wait("document.querySelector('#dialog').open")
    assert page.text("#dialog-title") == title


def test_a_flag_with_nothing_left_to_decide_is_noted(table, game):
    page = opened(table)
    flags = "[...document.querySelectorAll('#turns .flagged')].map((e) => e.textContent)"
    assert "1 flag" in page.js(flags)
    game.put(GameEnded("director", game.t_ns + SECOND, "Ann"))
    game.put(ResultSigned("both", game.t_ns + SECOND))
    page.wait(f"{flags}.every((text) => text === 'noted')")
    assert "noted" in page.js(flags)


@pytest.mark.parametrize("size", [*PHONES, (1366, 768)])
def test_the_reason_is_in_sight_beside_the_choices(table, size):
    with screen(table[0], *size):
        page = opened(table)
        challenged(page)
        assert inside(page, "#dialog [name=why], #dialog .buttons button")


@pytest.mark.parametrize("size", PHONES)
def test_a_phone_has_the_bar_in_reach(table, size):
    with screen(table[0], *size):
        page = opened(table)
        assert page.js(NESTED) == []
        assert inside(page, "#bar button")


@pytest.mark.parametrize("size", PHONES)
def test_a_dispute_on_a_phone_shows_one_part_at_a_time(table, desk, game, size):
    shown(desk, "at", game.t_ns)
    with screen(table[0], *size):
        page = Page(table[0], f"{table[1]}/turns/1")
        page.wait("document.querySelector('#no-picture').hidden")
        assert inside(page, "#rule, #tabs button, #viewer")
        for name, there, away in (
            ("board", "[data-tab=board] table", "#viewer"),
            ("ruled", "#ruled-title", "#viewer"),
            ("more", "#known", "#viewer"),
            ("picture", "#viewer", "#ruled-title"),
        ):
            page.click(f"#tabs [data-shows={name}]")
            assert page.js(f"document.querySelector('{there}').checkVisibility()"), name
            assert not page.js(f"document.querySelector('{away}').checkVisibility()"), name
            assert page.js("document.documentElement.scrollWidth <= innerWidth")
            assert page.js(WIDE) == []
            prints = "[...document.querySelectorAll('[data-print]')]"
            shown_here = page.js(f"{prints}.filter((e) => e.checkVisibility()).length")
            assert shown_here == (1 if name == "more" else 0)
        assert page.js("document.documentElement.scrollHeight <= 2.2 * innerHeight")


@pytest.mark.everyday
def test_a_dispute_on_a_desk_shows_all_of_it(table):
    with screen(table[0], 1366, 768):
        page = Page(table[0], f"{table[1]}/turns/1")
        page.wait("document.querySelector('#known tr') !== null")
        assert not page.js("document.querySelector('#tabs').checkVisibility()")
        for there in ("#viewer", "[data-tab=board]", "#ruled-title", "#known"):
            assert page.js(f"document.querySelector('{there}').checkVisibility()"), there


def test_a_dispute_on_paper_names_the_game_and_how_it_stands(table):
    with screen(table[0], 1366, 768):
        page = Page(table[0], f"{table[1]}/turns/1")
        page.wait("document.querySelector('#known tr') !== null")
        game = "document.querySelector('.on-paper')"
        assert not page.js(f"{game}.checkVisibility()")
        table[0].execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            assert page.js(f"{game}.checkVisibility()")
            assert not page.js("document.querySelector('[data-print]').checkVisibility()")
            players, rules, stands = page.js(f"{game}.innerText").split("\n\n")
            assert players.startswith(" against ".join(NAMES.values()))
            assert rules == "WESPA Game Rules, 2007"
            assert "There is no result yet." in stands
        finally:
            table[0].execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


FIELDS = """
[...document.querySelectorAll('#dialog :is(input, select, textarea)')]
  .filter((e) => e.checkVisibility() && !['radio', 'checkbox', 'hidden'].includes(e.type))
  .map((e) => [e.getBoundingClientRect(), e.closest('#dialog').getBoundingClientRect(), e])
  .filter(([box, all]) => box.width < 96 || box.right > all.right || box.left < all.left)
  .map(([box, , e]) => `${e.name || e.id}: ${Math.round(box.left)} to ${Math.round(box.right)}`)
"""
SIDEWAYS = "((e) => e.scrollWidth > e.clientWidth)(document.querySelector('#dialog'))"


@pytest.mark.parametrize("size", PHONES)
def test_each_window_behind_more_has_its_fields_whole(table, size):
    with screen(table[0], *size):
        page = opened(table)
        page.click("#bar [data-deed=more]")
        page.wait("document.querySelector('#menu').open")
        names = page.js(
            "[...document.querySelectorAll('#menu .menu button')].map((e) => e.textContent)"
        )
        page.js("document.querySelector('#menu').close()")
        assert len(names) > 10
        for name in names:
            page.click("#bar [data-deed=more]")
            page.wait("document.querySelector('#menu').open")
            page.js(f"document.querySelector('#menu [data-deed=\"{name}\"]').click()")
            page.wait("document.querySelector('#dialog').open")
            assert page.js(FIELDS.strip()) == [], name
            assert not page.js(SIDEWAYS), name
            page.js("document.querySelector('#dialog').close()")


@pytest.mark.parametrize(
    ("path", "pressed"), [(TABLE, ".bar, .actions, .skip"), ("/tables/1", ".skip, .walk, .more")]
)
def test_on_paper_there_is_nothing_to_press(table, path, pressed):
    driver, url = table
    page = Page(driver, url.removesuffix(TABLE) + path)
    page.wait("document.querySelectorAll('#turns tr').length > 10")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert page.js("document.querySelector('#board').checkVisibility()")
        hidden = f"[...document.querySelectorAll('{pressed}')].every((e) => !e.checkVisibility())"
        assert page.js(hidden)
        fixed = "[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility()"
        assert page.js(f"{fixed} && getComputedStyle(e).position === 'fixed').length") == 0
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_summary_is_as_high_as_a_finger_needs(table):
    with screen(table[0], 390, 844):
        page = opened(table)
        page.click("#bar [data-deed=challenge]")
        page.wait("document.querySelector('#dialog summary') !== null")
        touched = page.js("matchMedia('(pointer: coarse)').matches")
        least = "[...document.querySelectorAll('#dialog summary')].map((e) => e.clientHeight)"
        assert min(page.js(least)) >= (40 if touched else 24)


def test_what_is_chosen_shows_in_forced_colours(table):
    features = [{"name": "forced-colors", "value": "active"}]
    page = opened(table)
    table[0].execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        page.click("#bar [data-deed=more]")
        page.wait("document.querySelector('#menu').open")
        page.click("#menu [data-deed='Points…']")
        page.wait("document.querySelector('#dialog .pick input') !== null")
        page.js("document.querySelector('#dialog .pick input').click()")
        ground = "getComputedStyle(document.querySelector('#dialog .pick label{}')).backgroundColor"
        assert page.js(ground.format(":has(:checked)")) != page.js(
            ground.format(":not(:has(:checked))")
        )
        edge = "getComputedStyle(document.querySelector('#board .square{}')).borderTopStyle"
        assert page.js(edge.format(":not(.taken)")) == "solid"
        assert page.js(edge.format(" > .tile")) == "solid"
        with screen(table[0], 390, 844):
            page = Page(table[0], f"{table[1]}/turns/1")
            page.click("#tabs [data-shows=ruled]")
            page.wait("document.querySelector('#tabs [data-shows=ruled]').ariaPressed === 'true'")
            ground = "getComputedStyle(document.querySelector('#tabs [aria-pressed={}]'))"
            lit, dark = (
                page.js(f"{ground.format(one)}.backgroundColor") for one in ("true", "false")
            )
            assert lit != dark
    finally:
        table[0].execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("size", PHONES)
def test_a_square_to_be_pressed_on_a_phone_is_large_and_in_sight(table, size):
    with screen(table[0], *size):
        page = opened(table)
        page.click("#bar [data-deed=tile]")
        page.wait("!document.querySelector('#picking').hidden")
        square = "document.activeElement.getBoundingClientRect()"
        assert page.js(f"{square}.width") >= (36 if size[0] > size[1] else 20)
        assert page.js(f"{square}.top >= document.querySelector('#picking').offsetHeight")
        assert page.js(f"{square}.bottom <= innerHeight")
        page.click("#stop-picking")
        page.wait("document.querySelector('.actions').checkVisibility()")
