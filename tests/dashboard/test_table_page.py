"""A table's page on every screen, on one in the hall, before any game; its clocks."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from game.clock import passed, shown
from game.events import (
    ButtonPressed,
    Finding,
    GameEnded,
    GameStarted,
    PlayersNamed,
    RackReported,
    StopExplained,
    TurnRuled,
)
from tests.dashboard.browsing import PHONE, Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, site_over
from tests.dashboard.desk_fixtures import Desked, desked
from tests.dashboard.directorpages import TABLE

pytestmark = pytest.mark.browser

LONG = ("H1", "NYLEEOL.SIAEECD")
"""Down through the first play, from edge to edge."""


def box(page: Page, selector: str) -> dict:
    return page.js(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")


@pytest.mark.parametrize(
    "size", [(375, 667), (390, 844), (720, 640), (1000, 640), (1024, 768), (1366, 768)]
)
def test_a_long_play_and_the_result_are_whole_however_narrow_the_page_is(
    driver, server, game, screen, size
):
    game.plays([TURNS[0], LONG])
    screen(*size)
    page = Page(driver, server.url)
    page.wait_for_turns(2)
    page.there("#last .tile", 15)
    rem = page.js("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    first, last = box(page, "#last .tile"), box(page, "#last .tile:last-child")
    assert first["width"] >= (1.27 if size[0] != 720 else 0.95) * rem
    assert last["right"] <= box(page, "#last")["right"]
    assert box(page, "#last .gain")["bottom"] <= last["top"] == first["top"]
    game.plays([("10F", "TO.LS"), ("11B", "CMKFAE.XUZ")])
    page.wait_for_turns(4)
    scroll = "document.querySelector('.scroll')"
    page.wait(f"{scroll}.scrollWidth <= {scroll}.clientWidth")
    right = "getBoundingClientRect().right"
    page.wait(
        f"[...document.querySelectorAll('#turns td.total')].every((cell) =>"
        f" cell.{right} <= {scroll}.{right})"
    )
    game.put(GameEnded("agreed", game.t_ns))
    page.there(".numbers a.long")  # no word of the result is broken
    page.gives("document.querySelector('.numbers a.long').getClientRects().length", 1)
    cells = "[...document.querySelectorAll('.numbers td')]"
    if size[0] != 720:
        page.wait(f"{cells}.every((e) => e.scrollWidth <= e.clientWidth)")


def test_spectators_are_told_that_the_clock_is_stopped_and_what_for(watched, game, screen):
    screen(390, 844, mobile=True)
    page = watched(1)
    page.wait("document.querySelector('#link').textContent.trim() === 'Live'")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.says("#link", has="the clock is stopped")
    game.put(StopExplained(1, "challenge", "director", "", game.t_ns + SECOND))
    page.says("#link", has="a challenge")
    page.wait("document.documentElement.scrollWidth <= innerWidth")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns + SECOND))
    page.says("#link", has="the clock is stopped")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))
    page.wait("document.querySelector('#link').textContent.trim() === 'Live'")


def test_a_turn_that_is_tapped_far_down_brings_the_board_into_sight(driver, watched, screen, touch):
    screen(*PHONE)
    page = watched(6)
    # By keyboard the focus stays where it is.
    button = "document.querySelector('tr[data-number=\"1\"] button')"
    driver.execute_script(f"{button}.scrollIntoView({{block: 'center'}}); {button}.focus()")
    driver.execute_script(f"{button}.click()")
    page.says(".where", "Turn 1 of 6")
    before = page.js("scrollY")
    assert before > 300
    page.says("#link", "After turn 1 of 6")
    page.click("tr[data-number='2'] td.play")
    page.says(".where", "Turn 2 of 6")
    top = "document.querySelector('.board-room').getBoundingClientRect().top"
    below = "document.querySelector('.players').getBoundingClientRect().bottom"
    page.wait(f"Math.abs({top} - {below}) < 8")
    for part in (".walk input", ".walk .now"):
        assert box(page, part)["bottom"] <= 844, part
    # The slider has a row of its own.
    assert box(page, ".walk input")["width"] > 300
    assert box(page, ".walk .now")["top"] >= box(page, ".walk input")["bottom"]
    page.click(".walk .now")
    page.there("#link[data-state=live]")
    page.says("#link", "Live")


def test_on_a_phone_a_long_state_leaves_the_table_its_name(watched, screen):
    screen(*PHONE)
    page = watched(6)
    page.js("document.querySelector('#link span').textContent = 'Live: the clock is stopped'")
    page.wait(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)"
        "(document.querySelector('.top h1'))"
    )
    assert box(page, ".mark")["right"] <= box(page, ".top h1")["left"]
    assert box(page, "#link")["right"] <= box(page, "#theme")["left"]
    assert box(page, ".top")["height"] < 66


def test_a_small_frame_of_another_site_holds_the_scores_and_the_last_play(
    driver, log, game, screen, serving
):
    game.plays(TURNS)
    server = serving(create_app(site_over(log), embed=("https://club.example",)))
    screen(300, 200)
    page = Page(driver, f"{server.url}/embed/tables/1")
    page.wait_for_turns(6)
    assert box(page, "#last")["bottom"] <= 200
    game.put(PlayersNamed({"left": "Ioana Petrescu"}, "test", game.t_ns))  # two lines of it
    page.says(".player .name", has="Ioana")
    assert box(page, "#last")["bottom"] <= 200
    assert box(page, ".top h1")["right"] <= box(page, "#link")["left"]
    # Who leads, in words as long as they get, stays inside of the card.
    driver.execute_script(
        "const card = document.querySelector('.player'); card.dataset.outcome = 'leads';"
        "card.classList.add('leads');"
        "card.querySelector('.to-play span').textContent = 'leads, not yet final'"
    )
    assert box(page, ".to-play span")["right"] <= box(page, ".player")["right"] - 8


@pytest.mark.everyday
def test_without_script_the_page_contradicts_itself_nowhere(driver, server, game, screen):
    game.plays(TURNS)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    seen = {}
    for width, height in ((390, 844), (1366, 768)):
        screen(width, height)
        driver.get(server.url)
        page = Page.__new__(Page)  # without the waiting for its script
        page.driver = driver
        shown = page.js("document.body.innerText")
        seen[width] = shown
        for part in (".walk", "#order", "#share-open", "#theme"):
            page.gives(f"document.querySelector('{part}').offsetWidth", 0)
        for words in ("Connecting", "Waiting", "No turn yet", "–:––"):
            assert words not in shown
        notice = box(page, ".noscript")
        assert box(page, ".top")["bottom"] <= notice["top"]
        assert notice["bottom"] <= box(page, ".players")["top"]
        assert notice["bottom"] <= box(page, ".board")["top"]
    assert "J&S" in seen[390]  # the initials
    page.says("#turns-title", "Turns")
    game.put(GameEnded("agreed", game.t_ns))
    page = Page(driver, server.url)
    page.there(".noscript", 0)  # a finished game does not go on
    page.says("#turns-title", "Result")


def test_what_is_copied_by_hand_is_said_for_a_finger(driver, log, game, screen, serving, touch):
    game.play(*TURNS[0])
    server = serving(create_app(site_over(log), embed=("https://club.example",)))
    screen(*PHONE)
    page = Page(driver, server.url)
    page.wait_for_turns(1)
    driver.execute_script(
        "document.execCommand = () => false;"
        "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
    )
    page.click("#share-open")
    page.reads("document.querySelector('#share-embed').value", has='height="680"')
    page.click("[data-copy='#share-link']")
    page.says(".done", "Hold the address and choose Copy.")
    page.click("[data-copy='#share-embed']")
    page.says(".done", has="line")
    page.there(".done.copied-it", 0)


def test_a_name_is_made_smaller_that_is_too_long_by_part_of_a_pixel(watched, driver):
    watched()
    cut, size = driver.execute_async_script(
        """
        const done = arguments[arguments.length - 1];
        import("/static/overlay/fit.js").then(({ isCut, shrink }) => {
          const place = document.createElement("div");
          place.style.cssText = "position: fixed; font-size: 20px; white-space: nowrap";
          document.body.append(place);
          const name = document.createElement("p");
          name.textContent = "Kamala Iyer";
          name.style.overflow = "hidden";
          place.append(name);
          name.style.width = `${name.getBoundingClientRect().width - 0.2}px`;
          const cut = isCut(name);
          shrink(name);
          done([cut, parseFloat(getComputedStyle(name).fontSize)]);
        });
        """
    )
    assert cut
    assert 18 < size < 20


LONG_NAMES = {"left": "Maximiliana Wilhelmina von Hohenberg-Öst", "right": "Bo"}


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (844, 640), (1366, 768)])
def test_nothing_moves_below_the_last_turn_while_one_steps_through_them(
    driver, server, log, screen, width, height
):
    game = GameInLog(log, "game-2").start(names=LONG_NAMES)
    game.play(*TURNS[0])
    game.play(*LONG)
    game.press()
    game.play("10F", "TO.LS")
    game.put(GameEnded("agreed", game.t_ns))
    screen(width, height)
    page = Page(driver, server.url)
    page.wait_for_turns(4)
    page.there("#link[data-state=provisional]")
    page.js("document.querySelector('.top h1').textContent = 'A table with a very long name'")
    page.wait(f"document.documentElement.scrollWidth <= {width}")
    if height > 400:  # a phone that lies scrolls
        page.wait(f"document.querySelector('#board').getBoundingClientRect().bottom <= {height}")
    seen = set()
    for _ in range(5):
        walk = box(page, ".walk")
        seen.add((walk["top"], walk["height"]))
        page.js("document.querySelector('.walk .back').click()")
    assert len(seen) == 1
    page.says(".where", starts="Turn 0")
    page.says(".walk .now", "End")  # the game is over
    assert box(page, ".name")["bottom"] <= box(page, ".score")["top"] + 1


def test_a_clock_far_over_its_time_stands_within_its_card(driver, server, game, screen):
    game.plays(TURNS)
    game.t_ns += 402 * 60 * SECOND
    game.play("13A", "QUICKL")
    page = Page(driver, server.url)
    page.wait_for_turns(7)
    page.reads("document.querySelector('.clock.wide').textContent", ends="−379:00")
    for width, height in ((390, 844), (844, 390), (1366, 768), (1920, 1080)):
        screen(width, height)
        for part in (".clock", ".score", ".to-play"):
            page.in_cards(part)
        clock, score = box(page, ".clock.wide"), box(page, ".player[data-side=left] .score")
        assert clock["left"] >= score["right"], width


def test_all_of_a_result_is_seen_and_a_larger_screen_shows_more_turns(
    driver, server, log, screen, game
):
    game = GameInLog(log, "game-2").start(names=LONG_NAMES)
    game.plays(TURNS)
    for _ in range(5):
        game.press()
    game.put(GameEnded("agreed", game.t_ns))
    page = Page(driver, server.url)
    page.wait_for_turns(11)
    page.there(".numbers")
    seen = []
    for width, height in ((1366, 768), (1920, 1080)):
        screen(width, height)
        page.click("[data-tab=result]")
        result = "document.querySelector('#result')"
        page.wait(f"{result}.scrollHeight <= {result}.clientHeight")
        assert box(page, ".more")["height"] < 45
        page.click("[data-tab=list]")
        row = box(page, "tr.turn")["height"]
        seen.append(box(page, ".scroll")["height"] / row)
    assert seen[1] > seen[0] + 1


@pytest.mark.everyday
def test_a_screen_in_the_hall_is_read_from_afar(driver, server, game, screen):
    screen(1920, 1080)
    page = Page(driver, f"{server.url}/?hall")
    page.wait_for_turns(0)
    height = "parseFloat(getComputedStyle(document.querySelector('{}')).fontSize)"
    page.wait(f"{height.format('#no-turns')} >= {1080 / 45}")
    game.plays(TURNS)
    page.wait_for_turns(len(TURNS))
    root = "document.documentElement"
    page.wait(f"{root}.scrollHeight <= 1080 && {root}.scrollWidth <= 1920")
    # A twelfth and a twentieth of the screen's height: read from across the room.
    page.wait(f"{height.format('.score')} >= {1080 / 12}")
    page.wait(f"{height.format('.clock')} >= {1080 / 20}")
    page.gives("getComputedStyle(document.querySelector('.walk')).display", "none")
    for selector in (".score", ".clock", ".name"):
        page.in_cards(selector)


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1366, 768), (1600, 900), (1920, 1080)])
def test_a_screen_in_the_hall_shows_the_totals_whatever_the_names_are(
    driver, server, log, width, height, screen
):
    names = {"left": "Ioana Petrescu-Bălan", "right": "Kamala Iyer Subramaniam"}
    game = GameInLog(log, "game-2").start(names)
    game.play("8D", "FIRNS")
    game.play("H8", ".HOe")
    game.play("10F", "TO.LSANDBA")
    game.play("F10", ".A~", [Finding("uncertain_square", "F12", "may be X 62%, L 31%")])
    screen(width, height, mobile=False)
    page = Page(driver, f"{server.url}/tables/1?hall")
    page.wait_for_turns(4)
    page.says("#turns", has="being checked")
    right = "getBoundingClientRect().right"
    page.wait(
        f"[...document.querySelectorAll('#turns td.total')].every((cell) => cell.{right}"
        f" <= document.querySelector('.turns').{right})"
    )


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080)])
def test_a_screen_in_the_hall_shows_the_whole_result(driver, server, log, width, height, screen):
    names = {"left": "Maximiliana von Hohenberg-Österreich", "right": "Kamala Iyer Subramaniam"}
    game = GameInLog(log, "game-2").start(names)
    game.play("8D", "FIRNS")
    game.play("H1", "NYLEEOL.SIAEECD")
    game.put(RackReported("left", "AAEEIQZ", game.t_ns, "director"))
    game.put(RackReported("right", "IOUVVWW", game.t_ns, "director"))
    game.put(GameEnded("shortened", game.t_ns, "director"))
    screen(width, height, mobile=False)
    page = Page(driver, f"{server.url}/tables/1?hall")
    page.there(".turns[data-tab=result]")
    page.there(".course g[transform]")
    page.says(".verdict", starts=names["right"])
    rem = page.js("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    verdict = "parseFloat(getComputedStyle(document.querySelector('.verdict')).fontSize)"
    page.wait(f"{verdict} >= {1.8 * rem}")
    result = "document.querySelector('.result')"
    page.wait(f"{result}.scrollHeight <= {result}.clientHeight")
    page.wait(
        "[...document.querySelectorAll('.numbers td')].every((e) =>"
        " e.scrollWidth <= e.clientWidth && e.getClientRects().length < 2)"
    )
    lines = "document.querySelector('.course g').getBoundingClientRect().width"
    assert page.js(lines) > 0.55 * page.js(f"{result}.clientWidth")
    page.gives("document.querySelector('#last').offsetWidth", 0)


@pytest.fixture
def fresh(log, tmp_path):
    """A table with a desk and no game."""
    yield from desked(log, GameInLog(log), tmp_path / "data")


@pytest.fixture
def fresh_server(fresh: Desked, serving) -> Server:
    return serving(fresh.app)


def test_the_desk_says_that_no_game_has_been_played_and_shows_nothing_empty(
    driver, fresh, fresh_server
):
    driver.get(f"{fresh_server.url}/login")
    fresh.log_in(driver, "Ann")
    try:
        page = Page(driver, f"{fresh_server.url}{TABLE}")
        page.wait("document.querySelector('#phase').textContent !== ''")
        shown = "!document.querySelector('#{}').hidden"
        for part in ("no-game", "no-turns", "no-statements"):
            page.wait(shown.format(part))
        page.gives("document.querySelector('#game').offsetWidth", 0)
        page.gives("document.querySelector('#bar').offsetHeight", 0)
        fresh.game.start()
        page.there("#bar button")
        page.there("#no-game[hidden]")
    finally:
        driver.get("about:blank")
        driver.delete_all_cookies()


def test_a_table_without_a_game_says_that_alone(driver, fresh_server, screen):
    screen(390, 844)
    page = Page(driver, f"{fresh_server.url}/")
    page.there("#link[data-state=waiting]")
    assert page.js("document.body.innerText").count("Waiting for") == 1
    page.says("#last .who span", "Waiting for the next game")
    hidden = "document.querySelector('{}').offsetWidth === 0"
    for part in ("#last .asked", ".players", ".walk", "#order", "#link", ".scroll"):
        page.wait(hidden.format(part))
    page.wait("document.querySelector('.top').offsetHeight < 60")


@pytest.mark.everyday
def test_a_game_that_begins_takes_the_place_of_that(driver, fresh, fresh_server):
    page = Page(driver, f"{fresh_server.url}/")
    page.there("#link[data-state=waiting]")
    fresh.game.put(GameStarted("game-1", NAMES, "wespa-2007", "english", "left", fresh.game.t_ns))
    page.wait("document.querySelector('.players').offsetWidth > 0")
    page.says("#link", "Not begun")
    page.says("#last .who span", "The board is empty")
    fresh.game.put(ButtonPressed("right", fresh.game.t_ns))
    page.says("#link", "Live")
    assert page.troubles() == []


GAME = """
const [rate, seed, done] = arguments;
import('/static/clock.js').then(({ Clocks, WATCHING_MS }) => {
  let state = seed, real = 1000;
  const chance = (most) => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648 * most;
  const card = () => {
    const made = document.createElement('div');
    made.innerHTML = '<p class="clock"><time></time></p>';
    return made;
  };
  const cards = { left: card(), right: card() };
  Object.defineProperty(performance, 'now', { value: () => real, configurable: true });
  const clocks = new Clocks(cards, WATCHING_MS);
  clearInterval(clocks.timer);
  const seconds = (side) => {
    const text = cards[side].querySelector('time').textContent;
    const [, sign, m, s] = /^(−?)(\\d+):(\\d+)$/.exec(text);
    return (sign ? -1 : 1) * (Number(m) * 60 + Number(s));
  };
  const left = { left: 1500e9, right: 1500e9 };
  let running = 'left', since = 0, at = 0; // the table's time
  const wrong = [], shown = { left: 1501, right: 1501 };
  let before = -Infinity;
  const look = (what) => {
    clocks.tick();
    if (clocks.now() < before) wrong.push(`${what}: time ${clocks.now() - before}`);
    before = clocks.now();
    for (const side of ['left', 'right']) {
      const now = seconds(side);
      if (now > shown[side]) wrong.push(`${what}: ${side} ${shown[side]} to ${now}`);
      shown[side] = now;
    }
  };
  // What is heard was said up to a quarter of a second ago; at times the table waits.
  const tell = () => clocks.sync({ now_ns: at - chance(250) * 1e6 * rate, rate });
  const pass = (ms) => { real += ms; at += ms * 1e6 * rate; };
  tell();
  clocks.set({ running, since_ns: since, remaining_ns: { ...left } }, 'game');
  for (let turn = 0; turn < 40; turn += 1) {
    for (let step = 0; step < 12; step += 1) {
      pass(chance(300));
      look('running');
      if (chance(1) < 0.3) { tell(); look('told'); }
      if (chance(1) < 0.1) { real += chance(150); look('waiting'); tell(); look('waited'); }
    }
    left[running] -= at - since; // a press, which is heard of a moment later
    running = running === 'left' ? 'right' : 'left';
    since = at;
    pass(chance(300));
    look('pressed');
    tell();
    clocks.set({ running, since_ns: since, remaining_ns: { ...left } }, 'game');
    look('heard');
  }
  done({ wrong: wrong.slice(0, 5), many: wrong.length, shown, left });
});
"""


@pytest.fixture
def page(server, driver) -> Page:
    return Page(driver, server.url)


@pytest.mark.parametrize("rate", [1, 5, 20])
def test_a_clock_that_is_watched_never_gains_time(driver, page, rate):
    for seed in range(1, 6):
        found = driver.execute_async_script(GAME, rate, seed)
        assert found["wrong"] == [], (seed, found["many"])


def test_another_game_has_a_time_of_its_own(driver, page):
    """Another table's may be a little earlier, and is not waited for."""
    now = driver.execute_async_script(
        "const done = arguments[0];"
        "import('/static/clock.js').then(({ Clocks }) => {"
        "  const clocks = new Clocks({});"
        "  const still = { running: null, since_ns: null, remaining_ns: { left: 1, right: 1 } };"
        "  clocks.sync({ now_ns: 100e9, rate: 1 }); clocks.set(still, 'a');"
        "  clocks.sync({ now_ns: 90e9, rate: 1 }); const held = clocks.now();"
        "  clocks.set(still, 'b'); const fresh = clocks.now();"
        "  clocks.sync({ now_ns: 100e9, rate: 1 }); clocks.sync({ now_ns: 1e9, rate: 1 });"
        "  done([held, fresh, clocks.now()].map((ns) => Math.round(ns / 1e9)));"
        "});"
    )
    assert now == [100, 90, 1]


@pytest.mark.everyday
def test_pages_and_server_show_a_time_alike(driver, page):
    """A clock shows what is left rounded up, and past 0:00 the whole seconds over."""
    second = 1_000_000_000
    parts = (0, 1, second // 2, second - 1)
    times = [at * second + part for at in (0, 1, 59, 60, 1395, 1499) for part in parts]
    times += [-ns for ns in times]
    found = driver.execute_async_script(
        "const [times, done] = arguments;"
        "import('/static/clock.js').then(({ format, passed }) => {"
        "  done([times.map((ns) => format(ns)), times.map((ns) => passed(Math.abs(ns)))]);"
        "});",
        times,
    )
    assert found == [[shown(ns) for ns in times], [passed(abs(ns)) for ns in times]]
