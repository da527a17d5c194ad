"""The director's pages and a turn's in a real browser: live, by keyboard, in few clicks."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import asdict

import cv2
import numpy as np
import pytest

from dashboard.director.concerns import concerns
from game.board import Square
from game.events import (
    ButtonPressed,
    Finding,
    GameEnded,
    GameReopened,
    Picture,
    PicturesKept,
    PlayersNamed,
    ScoreAgreed,
    TimeUnseen,
    TurnRuled,
    TurnSeen,
)
from game.flags import CODES
from game.rulebooks.loading import rulebook_ids
from game.troubles import make_trouble
from sensors.interfaces import Frame
from table.desk import ShownFrame
from table.racks.history import RackDoubt
from table.views.views import view
from tests.dashboard.accounts_fixtures import PASSWORD
from tests.dashboard.browsing import PHONE, Page, hand, keys, offline
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS, Desked
from tests.dashboard.directorpages import (
    CONFIRM,
    FORM,
    OFF,
    TABLE,
    because,
    challenged,
    choice,
    chosen,
    confirmed,
    doubtful,
    from_the_menu,
    held_back,
    pressed,
    ready,
    shown,
)
from tests.game.answerkit import ASKING, EVENT_OF, flagged

pytestmark = pytest.mark.browser

AT_REST = "document.querySelector('#attention').dataset.moved === undefined"


@pytest.mark.everyday
def test_logging_in_leads_to_the_page_that_was_asked_for(driver, desk, url, game):
    game.play(*TURNS[0])
    driver.delete_all_cookies()
    page = Page(driver, f"{url}{TABLE}")
    page.wait("location.pathname === '/login'")
    keys(driver, "Ann", "\ue004", PASSWORD, "\ue007")
    page.wait(f"location.pathname === '{TABLE}'")
    page.there("#turns tr", 1)
    page.there("#link[data-state=live]")
    page.says(".who span", "Ann")
    page.click(".who button")
    page.wait("location.pathname === '/login'")
    driver.get(f"{url}/director")
    page.wait("location.pathname === '/login'")
    # A pulse that was on its way when somebody logged out is refused.
    assert [text for text in page.troubles() if "/pulse" not in text] == []
    driver.delete_all_cookies()


def test_a_card_that_is_pushed_from_under_a_finger_takes_no_tap(at_desk, desk, game, touch):
    doubtful(desk)
    page = at_desk()
    page.wait("matchMedia('(hover: none)').matches")
    page.there(".asker", 2)
    page.wait(AT_REST)
    page.there("#link[data-state=live]")
    page.js(
        "(window.tapped = new Promise((done) => new MutationObserver(() => {"
        "  document.querySelectorAll('.asker .button')[0].dispatchEvent("
        "    new MouseEvent('click', {bubbles: true, detail: 1})); done(true);"
        "}).observe(document.querySelector('#attention'), {childList: true})), true)"
    )
    desk.loop.desk.active_troubles.begin(make_trouble("director_called", "called", NOW_NS))
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.wait("document.querySelector('#attention').firstChild.dataset.level === 'trouble'")
    page.wait("window.tapped")
    page.wait(AT_REST)
    assert desk.events("SquareCorrected") == []
    page.click(".asker .button")
    page.there(".asker", 1)


@pytest.mark.everyday
def test_squares_are_settled_by_keyboard_alone(at_desk, browser, desk):
    doubtful(desk)
    page = at_desk()
    page.there(".asker", 2)
    focus = "document.activeElement"
    # From the top of the page, with the Tab key and nothing else.
    for _ in range(60):
        keys(browser, "\ue004")
        if page.js(f"{focus}.classList.contains('asker')"):
            break
    page.gives(f"{focus}.dataset.square", "8E")
    page.reads(f"{focus}.ariaLabel", starts="8E: what lay there?")
    keys(browser, "1")
    page.wait(f"{focus}.dataset.square === '8G'")
    page.says("#done p", starts="8E: I.")
    keys(browser, "n")
    page.there(".asker", 0)
    page.gives(f"{focus}.id", "attention-title")
    why = "the camera could not tell what lies there"
    entered = [(e["square"], e["symbol"], e["why"]) for e in desk.events("SquareCorrected")]
    assert entered == [("8E", "I", why), ("8G", "N", why)]
    page.says(".player[data-side=left] output", "24")
    page.label("8G", "8G, N, 1 point, laid last turn")
    # And back again, by keyboard too.
    keys(browser, "\ue004")
    page.gives(f"{focus}.id", "undo")
    keys(browser, "\ue007")
    page.there(".asker", 1)
    assert desk.events("Retracted")[0]["by"] == "Ann"


def test_a_double_tap_answers_one_question(at_desk, browser, desk):
    doubtful(desk)
    page = at_desk()
    page.there(".asker", 2)
    # And another tap as soon as one card is gone, before the other has come to rest.
    page.js(
        "(new MutationObserver((_, watch) => {"
        " const left = document.querySelectorAll('.asker');"
        " if (left.length !== 1) return;"
        " watch.disconnect();"
        " left[0].querySelector('.button').dispatchEvent("
        "  new MouseEvent('click', {detail: 1, bubbles: true, cancelable: true}));"
        " document.body.dataset.tapped = '';"
        "}).observe(document.querySelector('#attention'), {childList: true, subtree: true}), 0)"
    )
    hand(browser).double_click(browser.find_element("css selector", ".asker .button")).perform()
    page.wait("document.body.dataset.tapped !== undefined")
    page.wait(AT_REST)
    page.there(".asker", 1)
    page.there("#done:not([hidden])")


def test_a_blank_is_a_letter_with_shift_and_a_click_settles_too(at_desk, browser, desk):
    doubtful(desk)
    page = at_desk()
    page.there(".asker", 2)
    browser.execute_script("document.querySelector('.asker[data-square=\"8E\"]').focus()")
    hand(browser).key_down("\ue008").send_keys("i").key_up("\ue008").perform()
    page.there(".asker", 1)
    page.wait(AT_REST)
    page.click(".asker .button")
    page.there(".asker", 0)
    assert [event["symbol"] for event in desk.events("SquareCorrected")] == ["i", "N"]


@pytest.mark.everyday
def test_the_list_of_tables_follows_one_stream_and_asks_for_nothing(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}/director")
    page.says(".lastly", starts="Turn 1")
    page.there("#link[data-state=live]")
    page.wait("document.querySelector('.clock').textContent !== ''")
    page.says("#summary", "No table needs you now")
    page.says(".table-card h2", has="Table <1>")
    game.play(*TURNS[1])
    page.says(".lastly", starts="Turn 2")
    called = make_trouble("director_called", "a player called", NOW_NS)
    desk.loop.desk.active_troubles.begin(called)
    page.says(".needs", has="a player called")
    page.says("#summary", "1 of 1 needs somebody")
    asked = "performance.getEntriesByType('resource').filter(e => e.name.includes('/api/')).length"
    page.wait(f"{asked} <= 1")  # the stream, once it has ended
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start()
    page.says(".earlier", starts="Not signed: ")
    page.says("#summary", "1 of 1 needs somebody. 1 earlier game is not signed")
    page.click(".earlier a")  # and not the card, which leads to the game on the table
    page.there("#earlier:not([hidden])")
    page.gives("location.search", "?game=game-1")
    page = Page(browser, f"{url}/director")
    page.there("#link[data-state=live]")
    # A session that has ended elsewhere leads to the log-in page.
    door = desk.app.extensions["tilewatch.AuthContext"]
    door.sessions.close(browser.get_cookie("tilewatch_session")["value"])
    page.wait("location.pathname === '/login'")
    page.gives("location.search", "?next=%2Fdirector")


PLACES = (
    "return [...document.querySelectorAll('#bar button')].map((button) => {"
    " const { x, y, width, height } = button.getBoundingClientRect();"
    " return [button.dataset.deed, x, y, width, height].join(' '); })"
)


@pytest.mark.parametrize("turn", [1, 2])
def test_a_doubt_about_a_rack_is_a_note_even_of_a_turn_that_is_not_shown(at_desk, desk, turn):
    page = at_desk(turns=1)
    desk.loop.desk.rack_doubts = (RackDoubt(turn, "left", "Z was not seen on the rack"),)
    page.there("#notes-list [data-code=rack_doubt]")
    note = "document.querySelector('#notes-list .about').textContent"
    page.wait(f"{note}.includes('Turn {turn}, {NAMES['left']}')")
    assert page.troubles() == []


@pytest.mark.parametrize(("width", "height"), [(360, 740), (390, 844), (844, 390), (1366, 768)])
def test_whatever_can_be_done_is_in_reach_and_stays_in_its_place(
    at_desk, browser, desk, game, width, height, screen
):
    """The buttons lie at the foot of the screen, and what needs somebody begins above them."""
    doubtful(desk)
    screen(width, height, mobile=width < 900)
    page = at_desk()
    page.there(".asker", 2)
    seen = """
    [...document.querySelectorAll('#bar button')].map((button) => {
      const box = button.getBoundingClientRect();
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return [button.dataset.deed, button.contains(hit), box.height >= 44,
              button.scrollWidth <= button.clientWidth];
    })
    """
    clock = ["stop", "start-left", "start-right"]
    deeds = ["challenge", *clock, "blank", "tile", "score", "clock", "end", "more"]
    page.gives(seen.strip(), [[name, True, True, True] for name in deeds])
    thumb = "document.querySelector('#bar').getBoundingClientRect().top"
    page.wait(f"{thumb} > {height * 0.55}")
    page.wait(f"document.querySelector('.concern').getBoundingClientRect().top < {thumb}")
    page.wait(f"document.documentElement.scrollWidth <= {width}")
    # As the clock stops and goes on, and the game ends.
    page.there("#bar [data-deed=stop]:not(:disabled)")
    running = browser.execute_script(PLACES)
    page.there("#bar [data-deed^=start-]:disabled", 2)
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.there("#bar [data-deed=stop]:disabled")
    page.there("#bar [data-deed^=start-]:enabled", 2)
    assert browser.execute_script(PLACES) == running
    game.put(GameEnded("six_zeros", game.t_ns + SECOND))
    page.there("#bar [data-deed=sign]")
    over = [one.split(" ", 1) for one in browser.execute_script(PLACES)]
    assert [place for _, place in over] == [one.split(" ", 1)[1] for one in running]
    assert [deed for deed, _ in over[2:4]] == ["sign", "next"]


def test_the_live_picture_says_how_many_squares_are_covered(at_desk, desk):
    page = at_desk(1)
    image = np.full((90, 120, 3), 80, np.uint8)
    jpeg = cv2.imencode(".jpg", image)[1].tobytes()
    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    for hidden, line in (
        (0, "Live, read"),
        (1, "Live, read; 1 square is covered or unreadable"),
        (3, "Live, read; 3 squares are covered or unreadable"),
    ):
        frame = Frame(image, NOW_NS + hidden, 1 + hidden, jpeg)  # the next one
        rows = ("A" + "~" * hidden + "." * (14 - hidden),) + ("." * 15,) * 14
        desk.loop.desk.show(ShownFrame(frame, corners, rows, frame.t_ns, True))
        page.says("#picture-age", line)
    # Of a picture in which no board was found, nothing is said of its squares.
    frame = Frame(image, NOW_NS + 9, 9, jpeg)
    desk.loop.desk.show(ShownFrame(frame, None, rows, None, True))
    page.says("#picture-age", "Live, no board found")


OPEN = "document.querySelector('dialog[open]') !== null"
SETTLED = f"!({OPEN}) && history.state === null"


@pytest.fixture
def page(browser, desk, url, game) -> Page:
    """The page of a table with one turn, reached from the list of tables."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}/director")
    page.there(".table-card")
    browser.execute_script("location.assign(arguments[0])", f"{TABLE}#turn-1")
    page.there('[data-correct="1"]')
    return page


def leaves(page: Page) -> None:
    """One press of Back goes to the page before."""
    page.wait(SETTLED)
    page.driver.back()
    page.wait("location.pathname === '/director'")


@pytest.mark.parametrize(
    "how",
    [
        pytest.param("back", marks=pytest.mark.everyday),
        *("back from where another led", "escape", "cancel", "enter", "load again"),
    ],
)
def test_a_window_that_was_closed_leaves_nothing_to_go_back_through(page, how):
    if how == "back from where another led":
        from_the_menu(page, "Points…")
    else:
        challenged(page)
    if how == "escape":
        keys(page.driver, "\ue00c")
    elif how == "cancel":
        page.click("#dialog .buttons button[type=button]:not(.plain)")
    elif how == "enter":
        chosen(page, "challenge_upheld")
    elif how == "load again":
        page.driver.refresh()
        page.there('[data-correct="1"]')
    else:
        page.driver.back()
        page.wait(SETTLED)
        back_to = "[data-correct]" if how == "back" else "[data-deed=more]"
        page.wait(f"document.activeElement.matches('{back_to}')")
    page.gives("location.pathname + location.hash", f"{TABLE}#turn-1")
    leaves(page)


def test_back_leaves_the_mode_in_which_a_square_is_pressed(page):
    for way in ("back", "escape", "cancel", "back"):
        pressed(page, "tile")
        page.wait("!document.querySelector('#picking').hidden && history.state !== null")
        if way == "back":
            page.driver.back()
        elif way == "escape":
            keys(page.driver, "\ue00c")
        else:
            page.click("#stop-picking")
        page.wait(f"document.querySelector('#picking').hidden && {SETTLED}")
        page.gives("location.pathname + location.hash", f"{TABLE}#turn-1")
    pressed(page, "tile")
    page.click("#board [data-name='8D']")
    page.wait(OPEN)
    page.driver.back()
    page.wait(f"document.querySelector('#picking').hidden && {SETTLED}")
    leaves(page)


@pytest.mark.parametrize("way", ["back", "escape"])
def test_leaving_the_page_or_the_window_asks_first_where_something_was_typed(page, way):
    left = (
        "(() => { const going = new Event('beforeunload', { cancelable: true });"
        " return dispatchEvent(going); })()"
    )
    challenged(page)
    page.wait(left)
    because(page, "seen by both")
    page.wait_not(left)
    for leave in ("false", "true"):
        page.js(f"window.asked = 0, window.confirm = () => (window.asked += 1, {leave})")
        if way == "back":
            page.driver.back()
        else:
            page.click("#dialog h2")
            keys(page.driver, "\ue00c")
        page.wait("window.asked === 1")
        page.gives(OPEN, leave == "false")
    page.wait(left)
    leaves(page)


def test_what_the_menu_leads_down_to_stays_in_sight(page, screen):
    screen(500, 700)
    pressed(page, "more")
    page.click("#menu .buttons button:not(:last-child)")
    page.wait(SETTLED)
    page.wait("document.querySelector('#statements-title').getBoundingClientRect().top < 700")


def test_a_ruling_on_a_turn_s_own_page_is_not_in_the_way_back(page, url):
    page.driver.get(f"{url}{TABLE}/turns/1")
    page.there("#rule:not([hidden])")
    page.says("#film .none", "No picture of this turn was kept.")
    page.click("#rule")
    page.says("#dialog-title", starts="Turn 1:")
    page.js("window.before = true")
    page.click(OFF)
    page.wait("window.before === undefined && document.querySelector('#rule')?.hidden === false")
    page.wait(SETTLED)
    page.driver.back()
    page.wait(f"location.pathname === '{TABLE}'")


EVERY_DAY = pytest.mark.everyday


@pytest.mark.parametrize(
    ("steps", "reads", "kind", "entered"),
    [
        pytest.param(
            ["#bar [data-deed=challenge]", OFF], "6 → 0", "TurnRuled",
            {"turn": 2, "ruling": "challenge_upheld", "by": "Ann", "why": ""}, marks=EVERY_DAY,
        ),
        (
            ["#bar [data-deed=blank]", "#dialog [data-choice=S]:not(:disabled)"], "S",
            "BlankDesignated",
            {"square": "11H", "letter": "S", "why": ""},
        ),
        (
            ["#bar [data-deed=clock]", "#dialog [data-choice='right+1:00']:not(:disabled)"], "→",
            "ClockAdjusted",
            {"side": "right", "added_ns": 60 * SECOND, "why": ""},
        ),
        pytest.param(
            ["#bar [data-deed=end]", "#dialog [data-choice=left-resigned]:not(:disabled)"],
            "Resigned", "GameForfeited", {"side": "left", "cause": "resigned"}, marks=EVERY_DAY,
        ),
        (
            ["#bar [data-deed=more]", "#menu [data-deed='Penalty…']",
             "#dialog [data-choice='right-10']:not(:disabled)"], "10 points6 → −4", "PenaltyAdded",
            {"side": "right", "points": 10, "why": ""},
        ),
        (
            ["#bar [data-deed=stop]", "#dialog .rest summary", choice("overdraw")],
            "Too many tiles drawn", "StopExplained",
            {"reason": "overdraw", "why": ""},
        ),
        (  # the players sit the other way round
            [".player .rename", "#dialog .buttons .plain",
             "#dialog .buttons .primary:not(:disabled)"], "", "PlayersNamed",
            {"players": {"left": NAMES["right"], "right": NAMES["left"]}},
        ),
    ],
)  # fmt: skip
def test_what_is_done_takes_few_clicks_and_shows_what_it_changes(
    clicks, desk, steps, reads, kind, entered
):
    for step in steps[:-1]:
        clicks.on(step)
        if step.endswith("stop]"):
            desk.game.put(ButtonPressed("neutral", desk.game.t_ns + SECOND))
    clicks.page.says(steps[-1], has=reads)  # what changes stands on the button
    assert desk.events(kind) == []
    clicks.on(steps[-1]).until_closed()
    (event,) = desk.events(kind)
    assert {name: event[name] for name in entered} == entered
    assert clicks.made == len(steps)
    if kind == "TurnRuled":
        clicks.page.says("#done p", has="taken off the board")  # what is left to do


def test_the_blanks_to_be_named_are_seen_as_the_camera_saw_them(clicks, desk):
    shown(desk, "crop", desk.game.t_ns, square="11H", turn=2)
    clicks.page.driver.refresh()
    clicks.on("#bar [data-deed=blank]")
    clicks.page.says("#dialog .seen figcaption", "11H")
    picture = "document.querySelector('#dialog .seen img')"
    clicks.page.wait(f"{picture}.complete && {picture}.naturalWidth > 0")
    clicks.page.gives(f"{picture}.alt", "11H as the camera saw it")


OF_TURN = "#dialog [data-tile='8F']"
A_BLANK = "#dialog label[for='field-as-1']"


@pytest.mark.parametrize(
    ("at", "way", "letter", "says", "scores"),
    [
        pytest.param("", ["#board [data-name='8F']"], "Q", "Q+18", "24 → 42", marks=EVERY_DAY),
        ("", ["#bar [data-deed=tile]", "#board [data-name='8F']"], "Q", "Q+18", "24 → 42"),
        ("", ["#turns [data-correct='1']", OF_TURN], "Q", "Q+18", "24 → 42"),
        ("/turns/1", ["#rule:not([hidden])", OF_TURN], "Q", "Q+18", "24 → 42"),
        ("", ["#board [data-name='8F']", A_BLANK], "R", "R−2", "24 → 22"),
    ],
)
def test_a_tile_takes_a_click_more_than_its_square_is_away(
    clicks, desk, url, at, way, letter, says, scores
):
    """The letter, which shows what it changes, enters the correction."""
    if at:
        clicks.page.driver.get(f"{url}{TABLE}{at}")
    for step in way:
        clicks.on(step)
    corrected = f"#dialog [data-choice={letter}]:not(:disabled)"
    clicks.page.reads(f'document.querySelector("{corrected}").ariaLabel', has=scores)
    clicks.page.says(corrected, says)
    clicks.on(corrected).until_closed()
    (found,) = desk.events("SquareCorrected")
    symbol = letter.lower() if A_BLANK in way else letter
    assert (found["turn"], found["square"], found["symbol"]) == (1, "8F", symbol)
    assert found["why"] == ""
    assert clicks.made == len(way) + 1


def test_the_focus_comes_back_after_a_dialog(clicks, desk):
    """To what opened it, also where the page has drawn that anew; else to the bar."""
    driver = clicks.page.driver
    focus = "document.activeElement"
    clicks.on("#bar [data-deed=challenge]").on(OFF).until_closed()
    clicks.page.wait(f"{focus}.dataset.deed === 'challenge'")
    clicks.on("#turns [data-correct='1']")
    clicks.on("#dialog [data-choice]:not(:disabled)").until_closed()
    clicks.page.wait(f"{focus}.dataset.correct === '1'")
    # A player is chosen by the arrow keys at once.
    clicks.on("#bar [data-deed=more]").on("#menu [data-deed='Points…']")
    clicks.page.wait(f"{focus}.name === 'side' && !{focus}.checked")
    keys(driver, "\ue015")
    clicks.page.wait(f"{focus}.name === 'side' && {focus}.checked")
    keys(driver, "\ue00c")
    clicks.page.wait(f"{focus}.dataset.deed === 'more'")
    # What is gone from the bar leaves the focus there.
    clicks.on("#bar [data-deed=end]")
    clicks.on("#dialog [data-choice=left-resigned]:not(:disabled)").until_closed()
    clicks.page.there("#bar [data-deed=sign]")
    clicks.page.wait(f"{focus}.closest('#bar') !== null")


def test_an_agreed_score_is_typed_over_the_one_that_stands(clicks, desk):
    clicks.on("#bar [data-deed=score]")
    clicks.page.wait("document.activeElement.name === 'points'")
    keys(clicks.page.driver, "14")
    clicks.page.says("#dialog .effect .scores", has="6 → 14")
    clicks.on("#dialog .primary:not(:disabled)").until_closed()
    (agreed,) = desk.events("ScoreAgreed")
    assert (agreed["turn"], agreed["points"], agreed["why"]) == (2, 14, "")
    assert clicks.made == 2


def test_a_square_of_the_picture_is_the_one_pointed_at(clicks):
    """However the board lies in the picture."""
    found = clicks.page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "import('/static/director/pointing.js').then(({ squareAt }) => {"
        "  const turned = [[300, 20], [300, 220], [20, 220], [20, 20]];"
        "  done([[160, 120], [299, 21], [10, 10]].map(([x, y]) => squareAt(turned, x, y))); });"
    )
    assert found == ["8H", "1A", None]


def test_a_question_is_answered_in_its_card(clicks, desk, game):
    """One click enters it; of the many reasons for a stop only the usual ones stand there."""
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    score = ".concern[data-code=clock_stopped] [data-offer$=':score']"
    clicks.page.says(score, "A score")
    offered = "[...document.querySelectorAll('[data-code=clock_stopped] .offers button')]"
    clicks.page.gives(f"{offered}.length", 5)
    clicks.page.gives(f"{offered}.at(-1).textContent", "Another reason…")
    # On a screen that is touched, a new card takes no tap that was meant for the one it pushed.
    clicks.page.wait("document.querySelector('#attention').dataset.moved === undefined")
    clicks.on(score)
    clicks.page.there("#done:not([hidden])")
    (stop,) = desk.events("StopExplained")
    assert (stop["reason"], stop["why"]) == ("score", "")
    # It is confirmed in the words of the log.
    clicks.page.says("#done p", "Entered: the clock was stopped for a question about the score.")
    assert clicks.made == 1


def test_a_window_can_be_used_again_once_the_table_is_back(clicks, desk):
    """A press while the network was away; its buttons stayed dead until it was opened anew."""
    clicks.on("#bar [data-deed=clock]")
    button = "#dialog [data-choice='right+1:00']:not(:disabled)"
    clicks.page.there(button)
    with offline(clicks.page.driver):
        clicks.on(button)
        clicks.page.says("#dialog .fault", has="reached")
        assert desk.events("ClockAdjusted") == []
    clicks.on(button).until_closed()
    assert len(desk.events("ClockAdjusted")) == 1


def test_a_name_that_another_page_has_put_right_stays(clicks, desk):
    clicks.on(".player .rename")
    desk.game.put(PlayersNamed({"right": "Cleo"}, "Bea", desk.game.t_ns))
    clicks.page.js("document.querySelector('#field-left').value = 'Anna'")
    clicks.page.js(
        "document.querySelector('#field-left').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    clicks.on("#dialog .buttons .primary:not(:disabled)").until_closed()
    assert desk.events("PlayersNamed")[-1]["players"] == {"left": "Anna"}


def test_what_a_play_changes_reads_from_left_to_right_whatever_the_name(clicks, desk):
    desk.game.put(PlayersNamed({"left": "אברהם", "right": "אברהם כהן"}, "Bea", desk.game.t_ns))
    clicks.page.says(".player .name", has="אברהם")
    clicks.on("#bar [data-deed=challenge]")
    clicks.page.says(OFF, has="\u200e 6 → 0")  # the mark keeps what follows the name on its right


@pytest.mark.parametrize("deed", ["challenge", "end", "clock", "tile"])
def test_the_buttons_of_a_dialog_stay_in_place_as_the_effects_come(at_desk, browser, deed):
    page = at_desk(1)
    held_back(page, "/preview")
    if deed == "tile":
        page.click("#board [data-name='8E']")
    else:
        pressed(page, deed)
    page.there("#dialog .choices button:disabled")
    where = (
        "['.choices button', '.buttons'].map((one) =>"
        " document.querySelector(`#dialog ${one}`).getBoundingClientRect().top)"
    )
    last = "[...document.querySelectorAll('#dialog .choices button')].at(-1)"
    choice_before, cancel_before = page.js(where)
    last_before = page.js(f"{last}.getBoundingClientRect().top")
    browser.execute_script("window.go()")
    page.there("#dialog .choices button:not(:disabled)")
    choice_now, cancel_now = page.js(where)
    assert choice_now == pytest.approx(choice_before, abs=24)
    page.gives(f"{last}.getBoundingClientRect().top", pytest.approx(last_before, abs=36))
    assert cancel_now == pytest.approx(cancel_before, abs=60)  # a line or two more of an effect


@pytest.mark.parametrize("deed", [pytest.param("challenge", marks=pytest.mark.everyday), "score"])
def test_an_open_window_says_that_one_must_log_in_again(at_desk, browser, deed):
    """As after the table has started again: nobody has pressed anything yet."""
    page = at_desk(1)
    pressed(page, deed)
    page.there("#dialog[open]")
    because(page, "typed")
    browser.delete_all_cookies()
    page.says("#dialog .fault:not([hidden])", starts="You have been logged out")
    page.js("new Promise((done) => setTimeout(done, 3000))")  # the stream tries again meanwhile
    page.says("#link", "Logged out")
    page.reads(f"{FORM}.why.value", has="typed")  # it stays
    page.click("#dialog .fault a" if deed == "challenge" else "#dialog .buttons [type=button]")
    page.wait("location.pathname === '/login'")
    page.gives("new URLSearchParams(location.search).get('next')", TABLE)


def test_under_the_menu_one_is_led_to_log_in(at_desk, browser):
    """Nothing has been typed there that could be lost."""
    page = at_desk()
    pressed(page, "more")
    browser.delete_all_cookies()
    page.wait("location.pathname === '/login'")


@pytest.mark.parametrize("by", ["key", "press"])
def test_entering_before_the_effect_is_there_is_answered(at_desk, browser, desk, by):
    page = at_desk(1)
    from_the_menu(page, "Points…")
    page.says("#dialog [aria-live]", "Choose one under “Player”.")
    page.there("#dialog [name=side]:checked", 0)
    page.click("#dialog .pick label:last-child")
    ready(page)
    browser.execute_script(f"{FORM}.points.focus(); {FORM}.points.select()")
    held_back(page)  # however slowly it is typed
    keys(browser, "25", *(["\ue007"] if by == "key" else []))
    page.says("#dialog [aria-live]", "Working out what it changes …")
    if by == "press":
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        middle = page.js(
            "(({left, top, width, height}) => [left + width / 2, top + height / 2])"
            "(document.querySelector('#dialog .primary').getBoundingClientRect())"
        )
        mouse = ActionBuilder(browser, mouse=PointerInput("mouse", "hand"))
        mouse.pointer_action.move_to_location(*map(int, middle)).pointer_down().pointer_up()
        mouse.perform()
    browser.execute_script("window.go()")
    answered = "This is what it changes. Enter it once more to do it."
    page.says("#dialog .fault.information:not([hidden])", answered)  # it is no error
    assert desk.events("PenaltyAdded") == []


def test_a_long_reason_does_not_widen_the_dialog_that_takes_it_back(at_desk, browser, game):
    game.play(*TURNS[0])
    game.put(TurnRuled(1, "challenge_upheld", "Ann", "x" * 400, game.t_ns))
    page = at_desk()
    page.click("[data-back]")
    page.there("#dialog[open]")
    dialog = "document.querySelector('#dialog')"
    page.wait(f"{dialog}.scrollWidth <= {dialog}.clientWidth")


SAYS = "document.querySelector('#dialog').innerText.split(arguments[0]).length - 1"


def test_what_somebody_else_has_done_meanwhile_is_said_once(at_desk, browser, game):
    game.play(*TURNS[0])
    game.put(GameEnded("director", game.t_ns, "Ann"))
    page = at_desk()
    from_the_menu(page, "Reopen…")
    ready(page)
    game.put(GameReopened("the game goes on", "Bo", "too early", game.t_ns))
    page.there("#bar [data-deed=end]:not(:disabled)")
    for _ in range(2):
        page.click("#dialog .primary")
        page.there("#dialog .fault:not([hidden])")
        page.there("#dialog .primary:enabled")
        words = "Only a game that has ended can be reopened."
        assert browser.execute_script(f"return {SAYS}", words) == 1


@pytest.mark.parametrize(
    ("deed", "field"), [("score", "points"), ("left", "left"), ("right", "right")]
)
def test_typing_replaces_what_a_field_had_ready(at_desk, browser, game, deed, field):
    """The field has the focus whose player's name was pressed."""
    game.play(*TURNS[0])
    game.put(ScoreAgreed(1, "left", 30, "Ann", "both players agree", game.t_ns))
    page = at_desk()
    if deed == "score":
        pressed(page, deed)
    else:
        page.click(f".player[data-side={deed}] .rename")
    page.wait("(document.activeElement.value ?? '') !== ''")
    keys(browser, "12")
    page.gives(f"document.querySelector('#field-{field}').value", "12")


def test_what_cannot_be_read_is_said_once_the_field_is_left(at_desk, browser):
    page = at_desk()
    from_the_menu(page, "Late start…")
    page.click("#dialog .pick label")
    ready(page)
    words = "document.querySelector('#dialog [aria-live]').textContent"
    page.click("#field-lost_ns")
    browser.execute_script(f"{FORM}.lost_ns.select()")
    keys(browser, "soon")
    page.wait(f"{words} === '' && !{CONFIRM}.disabled")
    keys(browser, "\ue004")
    page.wait(f"{words} === 'Time lost: minutes and seconds, as 5:00.'")
    browser.execute_script(f"{FORM}.lost_ns.select()")
    page.click("#field-lost_ns")
    keys(browser, "\ue00fx")  # nothing is said while it is typed again
    page.wait(f"{words} === '' && !{CONFIRM}.disabled")
    browser.execute_script(f"{FORM}.lost_ns.select()")
    keys(browser, "4:00", "\ue004")
    ready(page)


def test_a_field_that_is_left_does_not_ask_for_the_next(at_desk, browser, game, log):
    unnamed = {"left": "Left", "right": "Right"}
    GameInLog(log, "game-2", t_ns=game.t_ns + SECOND).start(unnamed)
    page = at_desk()
    page.click("#unnamed button")
    page.there("#dialog[open]")
    words = "document.querySelector('#dialog [aria-live]').textContent"
    keys(browser, "Ann", "\ue004")
    page.wait(f"{words} === '' && !{CONFIRM}.disabled")
    page.js("new Promise((done) => setTimeout(done, 400))")
    page.gives(words, "")
    keys(browser, " ", "\ue004")
    page.wait(f"{words}.startsWith('Two names')")


MATRIX = "new DOMMatrix(getComputedStyle(document.querySelector('#canvas')).transform)"
ANGLE = f"(({{a, b}}) => Math.round(Math.atan2(b, a) * 180 / Math.PI))({MATRIX})"
SCALE = f"(({{a, b}}) => Math.hypot(a, b))({MATRIX})"
LONG = "Oluwaseun Adebayo-Richards the Younger"


def beside_the_first(page: Page) -> None:
    """Let the picture be compared with the first one."""
    page.driver.execute_script(
        "const other = document.querySelector('#other'); other.value = '0';"
        "other.dispatchEvent(new Event('change'))"
    )


def test_pictures_are_stepped_through_with_the_arrow_keys(browser, desk, url, game):
    game.play(*TURNS[0])
    press = game.t_ns
    shown(desk, "before", press - SECOND)
    shown(desk, "at", press - SECOND // 20, tile=100)
    shown(desk, "after", press + SECOND, tile=200)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    right, left = "\ue014", "\ue012"
    for typed, caption in (
        ("", "Picture 2 of 3: at the press"),
        (right, "Picture 3 of 3: after the press, +1.0 s"),
        (right, "Picture 3 of 3"),
        (left + left, "Picture 1 of 3: before the press, −1.0 s"),
        (right, "Picture 2 of 3"),
    ):
        keys(browser, typed)
        page.says("#caption", starts=caption)
    beside_the_first(page)
    page.says("#changed", has="differs")
    page.there("#line .mark", 3)
    page.there("#line .edge.press", 1)
    page.there("#squares tr", 5)


def photograph(
    desk: Desked, role: str, t_ns: int, tile: str | None, *, turned: bool, found: bool = True
) -> None:
    """Keep a picture of a board, ``turned`` by a quarter; its place is kept if ``found``."""
    rng = np.random.default_rng(len(role))
    image = np.full((340, 400, 3), 70, np.uint8)
    for row in range(15):
        for col in range(15):
            colour = (150, 190, 60 + 40 * ((row * 7 + col * 3) % 5))
            top, left = 20 + 20 * row, 50 + 20 * col
            cv2.rectangle(image, (left, top), (left + 18, top + 18), colour, -1)
            if tile == Square(row, col).name:
                cv2.rectangle(image, (left, top), (left + 18, top + 18), (240, 250, 250), -1)
    corners = np.array([[49, 19], [349, 19], [349, 319], [49, 319]], np.float32)
    if turned:
        image = np.ascontiguousarray(np.rot90(image, -1))
        corners = np.column_stack([340 - corners[:, 1], corners[:, 0]])
    image = np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)
    sha = desk.table.evidence.store(cv2.imencode(".jpg", image)[1].tobytes())
    points = tuple(tuple(map(float, corner)) for corner in corners) if found else None
    desk.game.put(PicturesKept(1, (Picture(role, sha, t_ns, corners=points),), t_ns))


@pytest.mark.parametrize("turned", [False, True])
def test_each_player_stands_at_the_edge_of_the_picture_where_their_hand_comes_from(
    browser, desk, url, game, turned
):
    """The edge is the picture's; the picture is turned until its letters read upright."""
    game.play(*TURNS[0])
    press = game.t_ns + SECOND
    game.put(ButtonPressed(game.side, press))
    hands = {"left": "bottom", "right": "top"}
    game.put(TurnSeen(game.side, press, game.board.rows, press, hands=hands))
    photograph(desk, "at", press - 2 * SECOND, None, turned=turned)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.says("#caption", starts="Picture 1 of 1")
    sides = (
        "Object.fromEntries([...document.querySelectorAll('.viewer .seat')]"
        ".map((one) => [one.textContent, one.dataset.side]))"
    )
    shown = ("right", "left") if turned else ("bottom", "top")
    names = [
        browser.execute_script(f"return {sides}")[name]
        for name in ("Ada <b>Byron</b>", "José & Søren")
    ]
    assert names == list(shown)


@pytest.mark.parametrize("turned", [False, True])
def test_what_changed_is_told_by_square_even_when_the_board_was_turned(
    browser, desk, url, game, turned
):
    game.play(*TURNS[0])
    photograph(desk, "before", game.t_ns - SECOND, None, turned=False)
    photograph(desk, "at", game.t_ns, "8H", turned=turned)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#film button", 2)
    beside_the_first(page)
    page.says("#changed", "On the board changed: 8H.")


def test_the_picture_lies_upright_and_can_be_turned_zoomed_and_played(browser, desk, url, game):
    game.play(*TURNS[0])
    photograph(desk, "before", game.t_ns - SECOND // 5, None, turned=True)
    photograph(desk, "at", game.t_ns, "8H", turned=True)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.says("#caption", starts="Picture 2 of 2")
    page.gives(ANGLE, -90)
    before = page.js(SCALE)
    page.click("#turn-picture")
    page.gives(ANGLE, 0)
    page.click("#nearer")
    page.wait(f"{SCALE} > {before}")
    page.click("#upright")
    assert (page.js(ANGLE), page.js(SCALE)) == (-90, before)
    page.click("#back")
    page.says("#caption", starts="Picture 1 of 2")
    page.click("#play")
    page.says("#caption", starts="Picture 2 of 2")
    page.says("#play", has="Play")


def test_a_board_that_was_turned_meanwhile_lies_upright_as_the_pictures_play(
    browser, desk, url, game
):
    game.play(*TURNS[0])
    photograph(desk, "before", game.t_ns - 2 * SECOND, None, turned=False)
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    photograph(desk, "after", game.t_ns + SECOND, "8H", turned=True, found=False)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.says("#caption", starts="Picture 2 of 3")
    width = "document.querySelector('#play').offsetWidth"
    before = page.js(width)
    page.click("#play")
    page.gives(width, before)
    page.says("#caption", starts="Picture 3 of 3")
    page.gives(ANGLE, -90)


def test_each_answer_says_what_it_would_change(browser, desk, url, game):
    """Two plays lie there, and the first was not pressed for: one answer parts them."""
    first = [f"8{column}" for column in "DEFGH"]
    both = dict(zip(first, "FIRNS", strict=True)) | {"9H": "H", "10H": "O"}
    game.board = game.board.replace({Square.parse(name): tile for name, tile in both.items()})
    game.press([Finding("press_forgotten", name) for name in first])
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#turn .brief", 2)
    briefs = page.js("[...document.querySelectorAll('#turn .brief')].map((one) => one.textContent)")
    assert any("→" in brief for brief in briefs)


def test_an_observer_is_offered_nothing_that_would_be_refused(browser, desk, url, game):
    game.play("8D", "F~RNS", [Finding("uncertain_square", "8E", "may be I 62%, L 31%")])
    desk.log_in(browser, "Otto")
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#turn li")
    page.there("#rule[hidden]")
    page.there("#turn button", 0)


@pytest.mark.everyday
def test_a_turn_on_a_desk_is_in_one_look_and_its_clip_says_when_it_is_saved(
    browser, desk, url, game, screen
):
    game.play(*TURNS[0])
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    screen(1366, 768)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#film button", 1)
    page.there("#known li")
    for there in ("#viewer", "[data-tab=board]", "#ruled-title", "#known"):
        page.wait(f"document.querySelector('{there}').checkVisibility()")
    for away in ("#tabs", ".on-paper"):
        page.wait_not(f"document.querySelector('{away}').checkVisibility()")
    board = ".boards .board:last-child"
    for selector in ("#viewer", "#line .axis", "#play", board, "#rule", ".dispute .sum"):
        page.wait(f"document.querySelector('{selector}').getBoundingClientRect().bottom <= 768")
    tall = "[...document.querySelectorAll('.dispute .board')].map((one) => one.offsetHeight)"
    page.wait(f"new Set({tall}).size === 1")
    page.wait("document.documentElement.scrollWidth <= 1366")
    page.says("#caption", starts="Picture 1 of 1")
    held_back(page)
    page.click("#clip")
    page.there("#clip-note progress")
    page.says("#clip", "Making a clip…")
    words = "document.querySelector('#clip-note').innerText"
    page.wait(f"/The clip of 1 picture, [1-9]\\u00a0s$/.test({words})")
    box = "document.querySelector('#clip-note').getBoundingClientRect()"
    page.wait(f"{box}.width > 0 && {box}.bottom <= innerHeight")
    browser.execute_script("window.go()")
    page.says("#clip", "Keep a clip")
    page.says("#clip-note", starts="Saved as ", ends="turn-1.webm.")


@pytest.mark.parametrize("width", [390, 1366])
def test_long_names_stay_on_the_time_line(browser, desk, url, game, width, screen):
    desk.game.put(PlayersNamed({"right": LONG}, "ann", desk.game.t_ns))
    game.play(*TURNS[0])
    game.play(*TURNS[1])
    screen(width, 768)
    page = Page(browser, f"{url}{TABLE}/turns/2")
    page.there("#line .edge.press span")
    page.wait(
        "((line) => [...document.querySelectorAll('#line .edge span:not([hidden])')]"
        ".map((one) => one.getBoundingClientRect())"
        ".every((box) => box.left >= line.left && box.right <= line.right))"
        "(document.querySelector('#line').getBoundingClientRect())"
    )


def test_on_a_phone_every_picture_of_a_moment_can_be_pressed_and_who_pressed_is_read(
    browser, desk, url, game, screen
):
    desk.game.put(PlayersNamed({"left": "Ioana Petrescu"}, "ann", desk.game.t_ns))
    game.play(*TURNS[0])
    for at in range(-8, 3):
        shown(desk, "after", game.t_ns + at * SECOND // 20, tile=100 + 9 * at)
    shown(desk, "before", game.t_ns - 20 * SECOND, tile=10)
    screen(*PHONE)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#line .mark", 12)
    page.wait(
        "((marks) => marks.every(({ left }, at) => at === 0 || left >= marks[at - 1].right - 1))"
        "([...document.querySelectorAll('#line .mark')].map((one) => one.getBoundingClientRect()))"
    )
    words = "document.querySelector('#line .press span')"
    page.wait(f"{words}.scrollWidth <= {words}.clientWidth + 1")
    page.wait(f"{words}.scrollHeight <= {words}.clientHeight + 1")
    page.js("scrollTo(0, document.documentElement.scrollHeight)")
    page.click(".steps .home")
    page.there("#bar [data-deed=challenge]")


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_a_turn_prints_like_a_bundles_page(browser, desk, url, game, size, screen):
    """On a phone one part is shown at a time; on paper there is the whole turn, on two pages."""
    game.play(*TURNS[0])
    press = game.t_ns
    for role, at, tile in (("before", -SECOND, 50), ("at", 0, 100), ("after", SECOND, 200)):
        shown(desk, role, press + at, tile=tile)
    photograph(desk, "before", press - SECOND // 5, None, turned=True)
    width, height = size
    screen(width, height, mobile=width < 900)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#film img", 4)
    browser.execute_script("window.printed = 0; window.print = () => (window.printed += 1)")
    page.click("[data-print]")
    page.gives("window.printed", 1)
    pdf = b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 2
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = (
        "{!r}.split('; ').filter((one) => [...document.querySelectorAll(one)]"
        ".some((part) => part.checkVisibility() && part.getBoundingClientRect().height > 0))"
    )
    due = ".on-paper h2; .on-paper .facts; .on-paper .shot image; .on-paper .board; .on-paper .seal"
    page.gives(seen.format(due), due.split("; "))
    pressed = ".bar; .steps; .tabs; .controls; .viewer; [data-print]; .archive button; #film"
    page.gives(seen.format(pressed), [])
    page.wait("document.documentElement.scrollWidth <= innerWidth")
    page.there(".on-paper .shot > g[transform^='rotate(-90.00']")  # upright


def touch(browser, kind: str, *points: tuple[float, float]) -> None:
    """Let fingers be put down, moved or lifted."""
    where = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})


def test_the_page_scrolls_over_the_fitted_picture_and_ctrl_and_two_fingers_zoom(
    browser, desk, url, game, screen
):
    game.play(*TURNS[0])
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    screen(390, 700)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.says("#caption", starts="Picture 1 of 1")
    page.wait("document.querySelector('.facts').checkVisibility()")  # with the clocks
    fitted = page.js(SCALE)
    middle = "(box => [box.left + box.width / 2, box.top + box.height / 2])"
    x, y = page.js(f"{middle}(document.querySelector('#viewer').getBoundingClientRect())")
    touch(browser, "touchStart", (x, y))
    for moved in (20, 40, 60):
        touch(browser, "touchMove", (x, y - moved))
    touch(browser, "touchEnd")
    assert page.js(SCALE) == fitted
    page.there("#viewer:not(.moved)")
    wheel = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0}
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", wheel | {"deltaY": 40})
    page.wait("scrollY > 0")
    assert page.js(SCALE) == fitted
    page.js("scrollTo(0, 0)")
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", wheel | {"deltaY": -40, "modifiers": 2})
    page.wait(f"{SCALE} > {fitted}")
    page.js("document.querySelector('#upright').click()")  # it may lie under the row of buttons
    touch(browser, "touchStart", (x - 20, y), (x + 20, y))
    for apart in (30, 40):
        touch(browser, "touchMove", (x - apart, y), (x + apart, y))
    touch(browser, "touchEnd")
    page.wait(f"Math.abs({SCALE} / {fitted} - 2) < 0.1")
    page.there("#viewer.moved")
    page.js("document.querySelector('#viewer').dispatchEvent(new MouseEvent('dblclick'))")
    page.wait(f"{SCALE} === {fitted}")


ASKED = """
const [records, done] = arguments;
(async () => {
  const { card, flagged } = await import("/static/director/attention.js");
  const { offerDeed } = await import("/static/director/offer_deed.js");
  const { Dialog } = await import("/static/director/dialog.js");
  const window_ = document.createElement("dialog");
  document.body.append(window_);
  const dialog = new Dialog(window_, () => ({ path: "/director/api/tables/1/games/game-1", view: { players: { left: { name: "Ann" }, right: { name: "Bo" } } } }), () => {});
  const found = records.map((record) => {
    const entered = [];
    const how = {
      settle: (event) => entered.push({ event, inputs: ["typed"] }),
      answer: (offer) => entered.push({ event: offer.event, asks: offer.asks, inputs: [] }),
      act: (offer, flag, turn) => {
        dialog.open(offerDeed(offer, flag, turn));
        const inputs = offer.asks.filter((name) => {
          const input = window_.querySelector(`[name="${name}"]`)?.closest("label, fieldset, .pad");
          return input && input.textContent && input.offsetParent !== null;
        });
        entered.push({ event: offer.event, asks: offer.asks, inputs });
        window_.close();
      },
      crop: () => null,
      turn: () => "#",
    };
    const cards = flagged(record.view, record.concerns).filter(({ flag }) => flag !== null);
    for (const one of cards) {
      const box = card(one, record, how);
      document.body.append(box);
      for (const asker of box.querySelectorAll(".asker")) asker.dispatchEvent(new KeyboardEvent("keydown", { key: "e" }));
      for (const button of box.querySelectorAll(".offers > .offer > button")) button.click();
      box.remove();
    }
    return { entered, cards: cards.length };
  });
  done(found);
})().catch((error) => done(String(error)));
"""  # noqa: E501
"""Every card of every record: types a letter into each question and presses each button."""


def records(book: str) -> list[dict]:
    made = []
    for code in ASKING:
        state, _, _ = flagged(code, book)
        shown = view(state, "director")
        found = [asdict(one) for one in concerns(shown)]
        made.append({"view": shown, "concerns": found, "guesses": {}, "crops": {}})
    return made


@pytest.mark.parametrize("book", rulebook_ids())
def test_each_question_shows_an_input_for_its_answer(at_desk, browser, book):
    at_desk(1)
    browser.set_script_timeout(60)
    found = browser.execute_async_script(ASKED, records(book))
    assert isinstance(found, list), found
    for code, one in zip(ASKING, found, strict=True):
        assert one["cards"] == 1, code
        kind = EVENT_OF[CODES[code].asks]
        entering = [it for it in one["entered"] if it["event"] and it["event"]["type"] == kind]
        assert entering, f"{code} under {book}: {one['entered']}"
        for it in entering:
            if it["inputs"] == ["typed"]:
                assert it["event"].get("letter", it["event"].get("symbol")) == "E"
            else:
                assert it["inputs"] == it["asks"], code


def test_a_part_of_an_unwatched_time_is_charged_and_taken_back(at_desk, browser, desk, game):
    game.play(*TURNS[0])
    game.put(TimeUnseen(game.t_ns, game.t_ns, 2_400 * 10**9, measured=False))
    page = at_desk()
    page.says(".concern h3", has="for 40:00. ")
    page.click("[data-offer$=amount]")
    page.there("#dialog[open]")
    browser.execute_script("document.querySelector('#dialog [name=charged_ns]').focus()")
    keys(browser, "1:30")
    confirmed(page)
    page.there(".concern", 0)
    (charge,) = desk.events("UnseenTimeCharged")
    assert (charge["side"], charge["charged_ns"]) == ("right", 90 * SECOND)
    page.click("#undo")
    page.there(".concern", 1)


def test_a_question_stands_with_the_play_whose_tile_was_read_late(at_desk, browser, url, game):
    """For the director and, as a mark, for everybody: it is about the play that laid the tile."""
    game.play("8D", "FI~NS")
    game.board = game.board.replace({Square.parse("8F"): "R"})
    game.play("9D", "O")
    page = at_desk()
    page.says(".concern .about", has="Turn 1, Ada")
    links = page.js("[...document.querySelectorAll('.concern .about a')].map((a) => a.textContent)")
    assert links == ["Pictures of turn 1", "Pictures of turn 2"]
    flagged_rows = "[...document.querySelectorAll('tr:has(.flagged)')].map((row) => row.id).join()"
    page.gives(flagged_rows, "turn-1")
    browser.execute_script("window.open(arguments[0])", f"{url}/")
    director, public = browser.window_handles[-2:]
    browser.switch_to.window(public)
    marked = "[...document.querySelectorAll('tr:has(.asked)')].map((r) => r.dataset.number).join()"
    page.wait(f"{marked} === '1'")
    page.wait_for_turns(2)
    browser.switch_to.window(director)
    page.click(".concern .offer .button")  # count the R for turn 1
    page.there(".concern", 0)
    page.gives(flagged_rows, "")
    browser.switch_to.window(public)
    page.wait(f"{marked} === ''")
    page.says("tr[data-number='1'] .corrected", "corrected")
    browser.close()
    browser.switch_to.window(director)
