"""The clock on a phone in a real browser; and a game without a clock, on every page."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from dashboard.app import create_app
from dashboard.site import Site, table_over
from game.events import ButtonPressed, GameEnded, GameStarted, PlayersNamed, TurnSeen, other
from table.desk import Answer, CountPlay
from tests.dashboard.browsing import Page, keys, offline
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import TABLE, Clicks
from tests.machine import until

pytestmark = pytest.mark.browser


class LoggingDesk:
    """Writes presses into the game's log, as the loop of a table does."""

    def __init__(self, game: GameInLog) -> None:
        self.now_ns = time.monotonic_ns
        self.game = game
        self.pressed: list[tuple[str, int]] = []

    def post(self, press) -> Answer:
        self.pressed.append((press.button, press.t_ns))
        self.game.t_ns = press.t_ns
        claimed = {"claimed_ns": press.claimed_ns, "heard_ns": press.heard_ns}
        self.game.put(ButtonPressed(press.button, press.t_ns, **claimed))
        return Answer(len(self.pressed))


@pytest.fixture
def running(log, serving):
    """Serves a phone's page over a game whose left clock has run for so long."""

    def since(elapsed_s: float) -> SimpleNamespace:
        game = GameInLog(log, t_ns=time.monotonic_ns() - round(elapsed_s * SECOND)).start()
        desk = LoggingDesk(game)
        table = table_over(log, id="1", name="Table 1", clock=time.monotonic_ns, desk=desk)
        app = create_app(Site((table,)))
        path = f"/tables/1/clock#{app.extensions['tilewatch.LinkKeys'].key('1')}"
        return SimpleNamespace(desk=desk, game=game, url=f"{serving(app).url}{path}")

    return since


@pytest.fixture
def phone(running, screen):
    screen(360, 640, 2, mobile=True)
    return running(61)


def opened(driver, url: str) -> Page:
    page = Page(driver, url)
    page.there("#clocks[data-state=live]")
    page.there(".half.running")
    return page


def touch(page: Page, selector: str) -> None:
    page.driver.execute_script(
        "document.querySelector(arguments[0]).dispatchEvent("
        "new PointerEvent('pointerdown', {bubbles: true, button: 0}))",
        selector,
    )


@pytest.mark.everyday
def test_a_half_is_its_players_button(driver, phone):
    page = opened(driver, phone.url)
    page.says(".half.running[data-side=left] .time", starts="23:")
    # The page knows the table's time from the answers, not only from the stream's frames.
    page.wait("performance.getEntriesByType('resource').filter("
              "(e) => e.name.includes('/api/time')).length >= 3")  # fmt: skip
    before = time.monotonic_ns()
    touch(page, ".half[data-side=left]")
    touch(page, ".half[data-side=left]")  # a double tap
    page.there(".half.running[data-side=right]")
    page.there(".half[data-side=left]:disabled")
    until(lambda: phone.desk.pressed)
    ((button, t_ns),) = phone.desk.pressed
    assert button == "left"
    # Stamped where it was made: between the touch and its arrival, give or take the way there.
    assert before - SECOND // 2 < t_ns < time.monotonic_ns()
    touch(page, ".half[data-side=left]")  # its clock stands: nothing
    page.click(".neutral")
    page.there(".neutral:disabled")
    page.there(".running", 0)
    page.says(".hint", starts="Stopped")
    assert [button for button, _ in phone.desk.pressed] == ["left", "neutral"]
    assert page.troubles() == []


def test_each_half_faces_its_player_and_the_keyboard_presses_too(driver, phone):
    page = opened(driver, phone.url)
    half = "getComputedStyle(document.querySelector('.half[data-side={}]')).rotate"
    assert [page.js(half.format(side)) for side in ("left", "right")] == ["180deg", "none"]
    page.click(".swap")
    assert [page.js(half.format(side)) for side in ("left", "right")] == ["none", "180deg"]
    root = "document.documentElement"
    page.wait(f"{root}.scrollWidth <= 360")
    page.wait(f"{root}.scrollHeight <= 640")
    # Both times fit their halves, and are read at arm's length.
    widths = "[...document.querySelectorAll('.half .time')].map((e) => e.offsetWidth)"
    page.wait(f"{widths}.length === 2 && {widths}.every((one) => one <= 360)")
    size = "parseFloat(getComputedStyle(document.querySelector('.time')).fontSize)"
    page.wait(f"{size} >= 90")
    driver.execute_script("localStorage.clear(); document.querySelector('.half.running').focus()")
    keys(driver, " ")
    page.there(".half.running[data-side=right]")


ECHOES = "performance.getEntriesByType('resource').filter((e) => e.name.includes('echo='))"


@pytest.mark.everyday
def test_a_lost_connection_is_said_and_the_press_gets_through_later(driver, phone):
    page = opened(driver, phone.url)
    # In touch for a while: only then does its silence say that the connection broke.
    page.wait(f"{ECHOES}.length >= 4")
    with offline(driver):
        page.there("#clocks[data-state=lost]")
        page.says("#word", has="lost")
        before = time.monotonic_ns()
        touch(page, ".half[data-side=left]")
        after = time.monotonic_ns()
        page.there(".half.running[data-side=right]")
        time.sleep(1)
        assert phone.desk.pressed == []
    page.there("#clocks[data-state=live]")
    until(lambda: phone.desk.pressed)
    ((_, t_ns),) = phone.desk.pressed
    # The page knows the table's time no better than its quickest question took.
    off_ns = SECOND // 2 + int(page.js(f"Math.min(...{ECHOES}.map((e) => e.duration))") * 1e6)
    assert before - off_ns < t_ns < after + off_ns
    page.there(".half.running[data-side=right]")


@pytest.mark.parametrize(
    ("elapsed_s", "shows", "marked"),
    [(25 * 60 - 55, r"^0:[0-5]\d\.\d$", "low"), (25 * 60 + 65, r"^−1:\d\d$", "over")],
)
def test_the_last_minute_has_tenths_and_overtime_is_negative(
    driver, running, elapsed_s, shows, marked
):
    made = running(elapsed_s)
    page = opened(driver, made.url)
    page.wait(f"/{shows}/.test(document.querySelector('.running.{marked} .time').textContent)")
    page.says(".half[data-side=right] .time", "25:00")
    made.game.put(GameEnded("agreed", made.game.t_ns))
    page.there(".half:enabled", 0)


def test_without_the_link_it_says_where_to_get_it(driver, phone):
    for key, word in (("", "director"), ("#wrong", "not valid any more")):
        page = Page(driver, phone.url.split("#")[0] + key)
        page.says("#word", has=word)
    page.gives("getComputedStyle(document.querySelector('.half')).visibility", "hidden")


def test_a_phone_that_may_go_dark_is_told_so(driver, phone):
    page = opened(driver, phone.url)
    page.there("#dark[hidden]")  # this browser keeps it awake
    hide = "delete Navigator.prototype.wakeLock"
    added = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": hide})
    try:
        page = opened(driver, phone.url)
        page.says("#dark:not([hidden])", has="go dark")
        touch(page, ".half.running")
        page.there("#dark[hidden]")
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.mark.parametrize("elapsed_s", [61, 1439.0, 1500 + 659])
def test_every_screen_shows_all_of_it_with_the_digits_in_the_middle(
    driver, running, elapsed_s, screen
):
    made = running(elapsed_s)
    long = "Wolfeschlegelsteinhausenbergerdorff Maximiliana"
    made.game.put(PlayersNamed({"left": long}, "director", made.game.t_ns))
    page = opened(driver, made.url)
    page.says(".half .name", starts="Wolfe")
    for size in ((390, 844), (844, 390), (568, 320), (1366, 768), (1920, 1080)):
        screen(*size, mobile=True)
        page.wait(f"innerWidth === {size[0]}")
        page.wait("!document.getAnimations().some((a) => a.playState === 'running')")
        page.gives(MISPLACED, [])
        root = "document.documentElement"
        page.wait(f"{root}.scrollWidth <= innerWidth && {root}.scrollHeight <= innerHeight")


MISPLACED = """(() => {
  const within = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5
    && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5;
  const off = (a, b, one, other, most) => Math.abs(a[one] + a[other] - b[one] - b[other]) >= most;
  const screen = new DOMRect(0, 0, innerWidth, innerHeight), wrong = [];
  for (const half of document.querySelectorAll('.half')) {
    const text = document.createRange();
    text.selectNodeContents(half.querySelector('.time'));
    const parts = [...half.querySelectorAll('.who, .hint')].filter((e) => e.innerText);
    const [all, time] = [half, text].map((one) => one.getBoundingClientRect());
    if (!within(all, screen)) wrong.push('half');
    if (![text, ...parts].every((one) => within(one.getBoundingClientRect(), all)))
      wrong.push('part');
    if (off(time, all, 'left', 'right', 4) || off(time, all, 'top', 'bottom', 8))
      wrong.push('middle');
  }
  return wrong;
})()"""
"""The parts of a clock's halves that are not whole, or not in the middle."""


HANDS = {"left": "bottom", "right": "top"}
TIME = r"/[–\d]:[–\d][–\d]/.test(document.body.innerText)"
"""True if a clock's digits are in sight."""


class GameWithoutClock(GameInLog):
    """Writes turns that nobody has pressed for."""

    def start(self, names=NAMES) -> GameInLog:
        started = (self.game_id, names, "wespa-2007", "english", "left", self.t_ns)
        self.put(GameStarted(*started, hands=HANDS))
        return self

    def press(self, findings=()) -> None:
        self.t_ns += 30 * SECOND
        seen = (self.side, self.t_ns, self.board.rows, self.t_ns)
        self.put(TurnSeen(*seen, findings=tuple(findings), ended="opponent_placed"))
        self.side = other(self.side)


@pytest.fixture
def game(log) -> GameInLog:
    made = GameWithoutClock(log).start()
    made.plays(TURNS[:2])
    return made


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", "#turns tr.turn button"),
        ("/overlay/1/scene", "#stage[data-state=shown]"),
        ("/overlay/1/names", "#stage[data-state=shown]"),
        pytest.param("/director", ".table-card", marks=pytest.mark.everyday),
        pytest.param(TABLE, "#turns [data-correct]", marks=pytest.mark.everyday),
        ("/tables/1/clock", ".half:disabled"),
    ],
)
def test_no_page_shows_a_clock_where_there_is_none(browser, desk, url, path, shown):
    key = desk.app.extensions["tilewatch.LinkKeys"].key("1")
    page = Page(browser, f"{url}{path}#{key}")
    page.there(shown)
    if path.endswith("clock"):
        page.says("#word", has="without a clock")
        page.there(".half:enabled", 0)
    else:
        page.wait("document.body.innerText.includes('José')")
    page.wait_not(TIME)


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
    clicks.page.there("#uncounted:not([hidden])")
    return clicks


def test_a_play_that_no_turn_has_counted_is_counted_before_the_game_ends(desk, uncounted):
    uncounted.page.says("#uncounted", has="not counted yet: 8H C, 8I A")
    marks = "[...document.querySelectorAll('#board [data-uncounted]')].map((one) => one.dataset)"
    uncounted.page.gives(
        f"{marks}.map(({{name, uncounted}}) => name + uncounted).join()", "8HC,8IA"
    )
    uncounted.on("#bar [data-deed=end]:not(:disabled)")
    uncounted.page.says("#dialog-title", ends="not been counted yet")
    uncounted.page.says("#dialog .soft", starts="8H C, 8I A. It is the last play")
    uncounted.page.wait_not("document.querySelector('#dialog').innerText.includes(' wins')")
    uncounted.on("#dialog .primary")
    uncounted.page.there("#turns tr", 3)
    uncounted.on("#dialog [data-choice=confirmed]:not(:disabled)").until_closed()
    assert desk.loop.posted == [("count", "director: Ann")]
    assert [one["reason"] for one in desk.events("GameEnded")] == ["confirmed"]
    uncounted.page.there("#uncounted[hidden]")
    uncounted.page.there("#board [data-uncounted]", 0)
