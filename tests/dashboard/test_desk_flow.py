"""The desk scrolls as one page, with all that a director does in sight, in few words."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import ButtonPressed, GameEnded, PenaltyAdded, ResultSigned
from table.health.alerts import Alert
from tests.dashboard.axe import violations
from tests.dashboard.browsing import PHONE, Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import (
    TABLE,
    challenged,
    choice,
    chosen,
    from_the_menu,
    pressed,
    shown,
)
from tests.dashboard.test_glance import reported, rows

pytestmark = pytest.mark.browser

BOX = "document.querySelector('{}').getBoundingClientRect()"
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


def inside(page: Page, selector: str) -> None:
    """Wait until all of what is there can be seen without scrolling."""
    page.wait(
        f'[...document.querySelectorAll("{selector}")].map((e) => e.getBoundingClientRect())'
        ".every((box) => box.width > 0 && box.left >= 0 && box.right <= innerWidth"
        " && box.top >= 0 && box.bottom <= innerHeight)"
    )


@pytest.fixture
def table(browser, desk, url, game):
    """A game of some length with a penalty in it."""
    game.plays(TURNS)
    for row in (1, 2, 3, 4, 5):  # beside all others, which is flagged and counts
        game.play(f"{row}A", "AT")
        game.play(f"{row}M", "IN")
    game.put(PenaltyAdded("left", 10, "9.9", "Ann", "came late to the table", game.t_ns + SECOND))
    return browser, f"{url}{TABLE}"


def opened(table) -> Page:
    page = Page(*table)
    page.there("#turns [data-correct]", 16)
    page.there("#bar button")
    return page


@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080)])
def test_a_desk_is_one_flow(table, size, screen):
    screen(*size)
    page = opened(table)
    page.gives(NESTED, [])
    inside(page, "#bar button")
    page.gives(CUT, [])
    page.wait("[...document.querySelectorAll('#turns tr')].every((r) => r.cells.length === 5)")
    page.there("#turns tr.adjustment")
    inside(page, "#board, #attention-title, #picture-title")
    page.wait(f"{BOX.format('#board')}.bottom <= {BOX.format('#bar')}.top")
    # Whatever it is scrolled to, the board and the bar stay.
    table[0].execute_script("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait("scrollY > 200")
    inside(page, "#bar button, #board, .player")


@pytest.mark.everyday
def test_a_stop_for_a_challenge_leads_to_its_ruling(table, desk, game):
    page = opened(table)
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.says("#phase", "Clock stopped")
    page.click(".concern[data-code=clock_stopped] [data-offer$=':challenge']")
    page.says("#dialog-title", "A challenge")
    page.says("#phase", "Clock stopped: a challenge")
    page.there("[data-deed=challenge].primary")
    chosen(page, "challenge_upheld")
    page.says("#phase", "Clock stopped")
    # Whoever is on turn goes on with one press: nothing is asked, as nothing ends.
    on_turn = page.js("document.querySelector('.player.on').dataset.side")
    page.click(f"[data-deed=start-{on_turn}].primary")
    page.says("#done p", ends="clock runs.")
    assert desk.loop.posted[-1] == ("press", "left" if on_turn == "right" else "right")


def test_on_a_phone_on_its_side_notices_leave_room_for_what_needs_somebody(
    at_desk, log, game, screen
):
    game.play(*TURNS[0])
    game.put(GameEnded("director", game.t_ns, "Ann"))
    unnamed = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    unnamed.start({"left": "Left", "right": "Right"})
    unnamed.play("8D", "FI?NS")
    screen(844, 390)
    page = at_desk()
    page.there(".concern .what")
    for notice in ("#previous", "#unnamed"):
        page.there(f"{notice}:not([hidden])")
        page.wait(f"{BOX.format(notice)}.height < 44")
    page.wait(f"{BOX.format('.concern h3')}.bottom <= {BOX.format('#bar')}.top")


@pytest.mark.parametrize("size", [*PHONES, (1366, 768)])
def test_pictures_of_a_turn_and_the_reason_of_a_ruling_are_in_reach(table, size, screen):
    screen(*size)
    page = opened(table)
    challenged(page)
    inside(page, "#dialog [name=why], #dialog .buttons button")
    high = 40 if page.js("matchMedia('(pointer: coarse)').matches") else 24
    heights = "[...document.querySelectorAll('#dialog summary')].map((e) => e.clientHeight)"
    page.wait(f"{heights}.every((one) => one >= {high})")
    page.js("document.querySelector('#dialog').close()")
    page.js("document.querySelector('#turn-16 .do a').scrollIntoView({block: 'center'})")
    box = BOX.format("#turn-16 .do a")
    page.wait(f"Math.min({box}.width, {box}.height) >= {40 if size[0] < 900 else 24}")
    page.wait(f"document.documentElement.scrollWidth <= {size[0]}")
    page.click("#turn-16 .do a")
    page.wait(f"location.pathname === '{TABLE}/turns/16'")


@pytest.mark.parametrize(
    ("reason", "title"),
    [("blank", "The blank on 11H: which letter?"), ("score", "Both players agree on a score")],
)
def test_a_stop_leads_to_the_window_for_its_reason(at_desk, log, game, reason, title):
    made = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    made.start(rulebook="wespa-2021")  # which lists both reasons
    made.play(*TURNS[0])
    made.play("H8", ".HO?")
    made.put(ButtonPressed("neutral", made.t_ns + SECOND))
    page = at_desk()
    button = f".concern[data-code=clock_stopped] [data-offer$=':{reason}']"
    page.there(f"#attention:not([data-moved]) {button}")
    names = "[...document.querySelectorAll('button')].map((one) => one.textContent)"
    page.gives(f"{names}.filter((name) => name === '{reason.capitalize()}').length", 1)
    page.click(button)
    page.says("#dialog-title", title)


def test_a_flag_with_nothing_left_to_decide_is_noted(table, game):
    page = opened(table)
    flags = "[...document.querySelectorAll('#turns .flagged')].map((e) => e.textContent)"
    page.reads(flags, has="1 flag")
    game.put(GameEnded("director", game.t_ns + SECOND, "Ann"))
    game.put(ResultSigned("both", game.t_ns + SECOND))
    page.wait(f"{flags}.every((text) => text === 'noted')")
    page.reads(flags, has="noted")


@pytest.mark.parametrize("size", PHONES)
def test_a_dispute_on_a_phone_shows_one_part_at_a_time(table, desk, game, size, screen):
    shown(desk, "at", game.t_ns)
    screen(*size)
    page = Page(table[0], f"{table[1]}/turns/1")
    page.there("#no-picture[hidden]")
    inside(page, "#rule, #tabs button, #viewer")
    for name, there, away in (
        ("board", "[data-tab=board] table", "#viewer"),
        ("ruled", "#ruled-title", "#viewer"),
        ("more", "#known", "#viewer"),
        ("picture", "#viewer", "#ruled-title"),
    ):
        page.click(f"#tabs [data-shows={name}]")
        page.wait(f"document.querySelector('{there}').checkVisibility()")
        page.wait_not(f"document.querySelector('{away}').checkVisibility()")
        page.wait("document.documentElement.scrollWidth <= innerWidth")
        page.gives(WIDE, [])
        prints = "[...document.querySelectorAll('[data-print]')].filter((e) => e.checkVisibility())"
        page.gives(f"{prints}.length", 1 if name == "more" else 0)
    page.wait("document.documentElement.scrollHeight <= 2.2 * innerHeight")


@pytest.mark.everyday
def test_a_dispute_on_a_desk_shows_all_of_it(table, screen):
    screen(1366, 768)
    page = Page(table[0], f"{table[1]}/turns/1")
    page.there("#known tr")
    for there in ("#viewer", "[data-tab=board]", "#ruled-title", "#known"):
        page.wait(f"document.querySelector('{there}').checkVisibility()")
    for away in ("#tabs", ".on-paper"):
        page.wait_not(f"document.querySelector('{away}').checkVisibility()")


FIELDS = """
[...document.querySelectorAll('#dialog :is(input, select, textarea)')]
  .filter((e) => e.checkVisibility() && !['radio', 'checkbox', 'hidden'].includes(e.type))
  .map((e) => [e.getBoundingClientRect(), e.closest('#dialog').getBoundingClientRect(), e])
  .filter(([box, all]) => box.width < 96 || box.right > all.right || box.left < all.left)
  .map(([box, , e]) => `${e.name || e.id}: ${Math.round(box.left)} to ${Math.round(box.right)}`)
"""
SIDEWAYS = "((e) => e.scrollWidth > e.clientWidth)(document.querySelector('#dialog'))"


def test_each_window_behind_more_has_its_fields_whole(table, screen):
    screen(*PHONES[0])
    page = opened(table)
    pressed(page, "more")
    names = page.js(
        "[...document.querySelectorAll('#menu .menu button')].map((e) => e.textContent)"
    )
    assert len(names) > 10
    page.js("document.querySelector('#menu').close()")
    for name in names:
        from_the_menu(page, name)
        for size in PHONES:
            screen(*size)
            page.gives(FIELDS.strip(), [])
            page.wait_not(SIDEWAYS)
        page.js("document.querySelector('#dialog').close()")


@pytest.mark.parametrize(
    ("path", "gone"), [(TABLE, ".bar, .actions, .skip"), ("/tables/1", ".skip, .walk, .more")]
)
def test_on_paper_there_is_nothing_to_press(table, path, gone, screen):
    driver, url = table
    page = Page(driver, url.removesuffix(TABLE) + path)
    page.there("#turns tr:nth-of-type(10)")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.wait("document.querySelector('#board').checkVisibility()")
    page.wait(f"[...document.querySelectorAll('{gone}')].every((e) => !e.checkVisibility())")
    fixed = "e.checkVisibility() && getComputedStyle(e).position === 'fixed'"
    page.wait_not(f"[...document.querySelectorAll('body *')].some((e) => {fixed})")


def differ(page: Page, one: str, other: str) -> None:
    """The two have not the same ground."""
    ground = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    page.wait(f"{ground.format(one)} !== {ground.format(other)}")


def test_what_is_chosen_shows_in_forced_colours(table, screen):
    features = [{"name": "forced-colors", "value": "active"}]
    page = opened(table)
    table[0].execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    from_the_menu(page, "Points…")
    page.click("#dialog .pick label")
    differ(page, "#dialog .pick label:has(:checked)", "#dialog .pick label:not(:has(:checked))")
    edge = "getComputedStyle(document.querySelector('#board .square{}')).borderTopStyle"
    page.gives(edge.format(":not(.taken)"), "solid")
    page.gives(edge.format(" > .tile"), "solid")
    screen(390, 844)
    page = Page(table[0], f"{table[1]}/turns/1")
    page.click("#tabs [data-shows=ruled]")
    page.there("#tabs [data-shows=ruled][aria-pressed=true]")
    differ(page, "#tabs [aria-pressed=true]", "#tabs [aria-pressed=false]")


@pytest.mark.parametrize("size", PHONES)
def test_a_phone_is_one_flow_and_a_square_to_be_pressed_large_and_in_sight(table, size, screen):
    screen(*size)
    page = opened(table)
    page.gives(NESTED, [])
    inside(page, "#bar button")
    page.click("#bar [data-deed=tile]")
    page.there("#picking:not([hidden])")
    sizes = "[...document.querySelectorAll('#board .square')].map((e) => e.offsetWidth)"
    page.wait(f"Math.min(...{sizes}) >= {36 if size[0] > size[1] else 32}")
    square = "document.activeElement.getBoundingClientRect()"
    page.wait(f"{square}.top >= document.querySelector('#picking').offsetHeight")
    page.wait(f"{square}.bottom <= innerHeight")
    if size[0] < size[1]:
        page.wait(f"{BOX.format('#board .coord')}.top >= {BOX.format('#picking')}.bottom")
    page.wait(f"document.documentElement.scrollWidth <= {size[0]}")
    page.click("#stop-picking")
    page.click("#bar [data-deed=tile]")
    page.click("#board [data-name='15O']")
    page.says("#dialog[open] h2", has="15O")


@pytest.fixture
def page(browser, desk, url, game):
    game.play(*TURNS[0])
    shown = Page(browser, f"{url}{TABLE}")
    shown.there("#bar [data-deed=challenge]:not(:disabled)")
    return shown


@pytest.mark.everyday
def test_the_clock_that_runs_shows_what_it_would_be_and_goes_on(page, desk):
    running = page.js("document.querySelector('.player.running').dataset.side")
    standing = {"left": "right", "right": "left"}[running]
    pressed(page, "clock")
    page.says(f"{choice(standing + '+1:00')} .brief", starts="→")
    brief = f"{choice(running + '+1:00')} .brief"
    page.says(brief, starts="→")
    was = page.text(brief)
    desk.loop.passed_ns += 90 * SECOND
    page.wait_not(f'document.querySelector("{brief}").textContent === "{was}"')


def test_why_the_clock_stands_is_asked_while_it_stands(page, game):
    pressed(page, "more")
    page.there("#menu [data-deed='Hold…']")
    page.there("#menu [data-deed='Why the clock stands…']", 0)
    page.js("document.querySelector('#menu').close()")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.there("#bar [data-deed=stop]:disabled")
    from_the_menu(page, "Why the clock stands…")
    page.says(f"{choice('absence')} b", "A toilet break or another absence")


def test_a_play_on_two_lines_has_one_name_everywhere(page, game, ann):
    tiles = {"3C": "Z", "3D": "A", "8I": "T", "8J": "O"}
    game.board = game.board.replace({Square.parse(at): tile for at, tile in tiles.items()})
    game.press()
    page.says("#turn-2 .play", starts="8D FIRNSTO")
    pressed(page, "challenge")
    page.says("#dialog", has="8D FIRNSTO")
    assert "ZA" not in page.text("#dialog")
    (table,) = rows(reported(ann))
    assert table["last"]["word"] == "FIRNSTO"


@pytest.mark.everyday
def test_the_list_of_plays_to_challenge_goes_with_the_game_and_says_how_late_it_is(page, game):
    note = "#dialog .note:not([hidden])"
    pressed(page, "challenge")
    page.there(choice("challenge_upheld"))
    page.there(note, 0)  # the last play may be challenged
    listed = "[...document.querySelectorAll('#dialog [name=turn] option')].map((o) => o.value)"
    both = f"[{listed}.join(), document.querySelector('#dialog [name=turn]').value]"
    for turn, late in zip(
        TURNS[1:3], ("a turn has followed", "2 turns have followed"), strict=True
    ):
        game.play(*turn)
        page.gives(both, ["2,1", "1"])
        page.says(note, has=late)
    page.js("document.querySelector('#dialog').close()")
    page.click("[data-correct='1']")
    page.says(note, starts="A challenge is late: a play may be challenged until José")
    page.says(note, has="2 turns have followed")
    page.js("document.querySelector('#dialog').close()")
    pressed(page, "challenge")
    page.says(
        note,
        f"This is late: a play may be challenged until {NAMES['left']} has written down the whole "
        "score (rule 4.1, 4.6.3), and a turn has followed. You can rule on it all the same.",
    )
    turn = "document.querySelector('#dialog [name=turn]')"
    change = "dispatchEvent(new Event('change', {bubbles: true}))"
    page.driver.execute_script(f"{turn}.value = '1'; {turn}.{change}")
    page.says(note, has="2 turns have followed")
    chosen(page, "challenge_upheld")
    page.says("#turn-1", has="challenged off")
    pressed(page, "challenge")  # what is off the board is challenged no more
    page.gives(listed, ["2"])


def test_what_the_table_has_dealt_with_is_a_note_with_its_remedy(page, desk, game):
    alert = Alert("camera_resized", "pictures are 1×1 now, no longer 2×2", game.t_ns, stands=False)
    desk.table.desk.alerts.begin(alert)
    page.says(".concern[data-code=camera_resized] .remedy", has="looked for anew")
    # The table has dealt with it: it stands among the notes, and asks for nobody.
    page.says("#notes-count", "1 note")
    page.there("#notes-list [data-code=camera_resized]")
    page.says("#attention-count", "0")


SHORT = """[...document.querySelectorAll('.bar nav a, .bar button, #bar span')].filter((e) => {
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


@pytest.mark.parametrize("path", [TABLE, f"{TABLE}/turns/1", "/director", "/director/links"])
def test_a_narrow_or_enlarged_window_shows_every_button_whole(page, url, path, screen):
    page.driver.get(f"{url}{path}")
    for width, height in ((390, 844), (320, 568), (360, 740), (683, 384), (640, 360)):
        screen(width, height, mobile=width == 390)
        page.driver.refresh()
        page.wait("document.readyState === 'complete'")
        if path == TABLE:
            page.there("#bar .button", 10)
            page.wait(f"innerHeight - {BOX.format('#bar')}.top < {max(110, height / 5)}")
            page.wait(f"{HEIGHT_OF_CHALLENGE} < 20")  # in two lines its last letter stands alone
        if width == 390:
            page.wait(f"{BOX.format('.bar')}.height < 70")  # one line of navigation
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        page.gives(OVER, [])
        page.gives(SHORT, [])


def test_at_the_narrowest_a_lost_connection_takes_no_line_of_its_own(page, screen):
    screen(320, 640)
    high = page.js("document.querySelector('.bar').offsetHeight")
    page.driver.execute_script(
        "const pill = document.querySelector('#link'); pill.dataset.state = 'lost';"
        "pill.querySelector('span').textContent = 'Connection lost, trying again';"
    )
    page.wait(f"document.querySelector('.bar').offsetHeight <= {high}")
    page.wait("document.documentElement.scrollWidth <= 320")


def test_the_heading_says_how_the_game_stands_before_the_table_says_it(page, desk, game):
    """The log is first; the table's own word comes every few seconds, at a hub later still."""
    page.says("#phase", "Running")
    # A table that a hub does not hear is not said to run.
    desk.table.desk.alerts.begin(Alert("table_off", "this table was switched off", game.t_ns))
    page.says("#phase", "Switched off")
    page.there(".players.unheard")
    desk.table.desk.alerts.end("table_off")
    page.says("#phase", "Running")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.says("#phase", "Clock stopped")
    game.put(GameEnded("confirmed", game.t_ns + 2 * SECOND, "director"))
    page.says("#phase", "Ended")
    assert desk.loop.desk.phase == "running"
    page.driver.get(page.url.replace("/tables/1", ""))
    page.says(".table-card .phase", "Ended")


def test_a_line_above_the_board_hides_no_row_of_it(page, url, game, log, screen):
    """And the newest turns stand beside it while nothing is asked."""
    below = f"{BOX.format('.board-room .frame')}.bottom <= {BOX.format('#bar')}.top"
    screen(1366, 768)
    game.plays(TURNS[1:])
    page.there("#turns [data-correct]", 6)
    page.wait(f"{BOX.format('#turns tr:nth-child(5)')}.bottom <= {BOX.format('#bar')}.top")
    pressed(page, "tile")
    page.there("#picking:not([hidden])")
    page.wait(below)
    page.click("#stop-picking")
    page.there("#picking[hidden]")
    GameInLog(log, "game-2").start()
    page.driver.get(f"{url}{TABLE}?game=game-1")
    page.there("#bar [data-deed]")
    page.there("#earlier:not([hidden])")
    page.wait(below)
    screen(*PHONE)  # which hears what the menu of games is
    page.there("#game option", 2)
    assert violations(page.driver) == []


def test_on_a_phone_a_message_covers_nothing_that_was_in_sight(page, game, screen):
    """It comes where the bar has an empty row for it, also where the bar has one row of buttons."""
    box, bar = BOX.format("#done"), BOX.format("#bar")
    corners = (
        f"(({{ left, right, top, bottom }}) => [[left, top], [right, top], [left, bottom], "
        f"[right, bottom]])({box})"
    )
    inset = "([x, y]) => [x + (x < innerWidth / 2 ? 4 : -4), y + (y < {} ? 2 : -2)]"
    screen(*PHONE)
    pressed(page, "challenge")
    chosen(page, "challenge_upheld")
    page.says("#done:not([hidden]) p", has="The score is now")
    page.wait(f"innerHeight - {box}.top < {PHONE[1] * 0.21} && {box}.bottom <= {bar}.top")
    at = page.js(f"{corners}.map({inset.format(f'({box}.top + {box}.bottom) / 2')})")
    read = "document.querySelector('#done p')"
    page.wait(f"{read}.scrollHeight <= {read}.clientHeight + 1")
    page.click("#seen")
    page.there("#done[hidden]")
    for scrolled in (0, 400, 9999):
        page.js(f"scrollTo(0, {scrolled})")
        page.gives(f"{at}.map(([x, y]) => document.elementFromPoint(x, y).id)", ["bar"] * 4)
    page.js("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait(f"{BOX.format('.work')}.bottom <= {min(y for _, y in at)}")
    # A signed game leaves one row of buttons.
    game.put(GameEnded("confirmed", game.t_ns, "director"))
    game.put(ResultSigned("both players", game.t_ns))
    page.there("#bar > p")
    page.js("document.querySelector('#done').hidden = false")
    page.wait(f"{box}.bottom <= {bar}.top && {box}.bottom > {bar}.top - 8")
