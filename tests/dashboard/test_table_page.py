"""What a table's page shows on narrow screens, of long plays, and of an earlier turn."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from game.events import ButtonPressed, GameEnded, PlayersNamed, StopExplained, TurnRuled
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS, GameInLog, site_over
from tests.dashboard.test_desk_words import PHONE

pytestmark = pytest.mark.browser

LONG = ("H1", "NYLEEOL.SIAEECD")
"""Down through the first play, from edge to edge."""


@pytest.fixture
def sized(driver):
    """Lets the browser be a screen of so many pixels, or a phone."""

    def size(width: int, height: int, **options) -> None:
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen | options)

    yield size
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def play_all(game) -> None:
    for place, word in TURNS:
        game.play(place, word)


def box(page: Page, selector: str) -> dict:
    return page.js(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1000, 640), (720, 640), (390, 844)])
def test_score_and_total_are_in_the_list_however_narrow_it_is(
    driver, server, game, sized, width, height
):
    game.play(*TURNS[0])
    game.play(*LONG)
    game.play("10F", "TO.LS")
    game.play("11B", "CMKFAE.XUZ")
    sized(width, height)
    page = Page(driver, server.url)
    page.wait_for_turns(4)
    scroll = "document.querySelector('.scroll')"
    assert page.js(f"{scroll}.scrollWidth <= {scroll}.clientWidth")
    right = "getBoundingClientRect().right"
    assert page.js(
        f"[...document.querySelectorAll('#turns td.total')].every((cell) =>"
        f" cell.{right} <= {scroll}.{right})"
    )


def test_spectators_are_told_that_the_clock_is_stopped_and_what_for(driver, server, game, sized):
    game.play(*TURNS[0])
    sized(390, 844, mobile=True)
    page = Page(driver, server.url)
    page.wait_for_turns(1)
    page.wait("document.querySelector('#link').textContent.trim() === 'Live'")
    game.put(ButtonPressed("neutral", game.t_ns + SECOND))
    page.wait("document.querySelector('#link').textContent.includes('the clock is stopped')")
    game.put(StopExplained(1, "challenge", "director", "", game.t_ns + SECOND))
    page.wait("document.querySelector('#link').textContent.includes('a challenge')")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    game.put(TurnRuled(1, "challenge_upheld", "director", "no word", game.t_ns + SECOND))
    page.wait("document.querySelector('#link').textContent.includes('the clock is stopped')")
    game.put(ButtonPressed("left", game.t_ns + 2 * SECOND))
    page.wait("document.querySelector('#link').textContent.trim() === 'Live'")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1000, 680), (1366, 768)])
def test_no_word_of_the_result_is_broken(driver, server, game, sized, width, height):
    game.play(*TURNS[0])
    game.play(*LONG)
    game.put(GameEnded("agreed", game.t_ns))
    sized(width, height, mobile=width < 500)
    page = Page(driver, server.url)
    page.wait("document.querySelector('.numbers a.long') !== null")
    assert page.js("document.querySelector('.numbers a.long').getClientRects().length") == 1
    assert page.js(
        "[...document.querySelectorAll('.numbers td')].every((e) => e.scrollWidth <= e.clientWidth)"
    )


@pytest.mark.parametrize(("width", "height"), [(375, 667), (1000, 640), (1366, 768)])
def test_the_tiles_of_a_long_play_can_be_read(driver, server, game, sized, width, height):
    game.play(*TURNS[0])
    game.play(*LONG)
    sized(width, height, mobile=width < 500)
    page = Page(driver, server.url)
    page.wait_for_turns(2)
    assert page.js("document.querySelectorAll('#last .tile').length") == 15
    rem = page.js("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert box(page, "#last .tile")["width"] >= 1.27 * rem
    assert box(page, "#last .tile:last-child")["right"] <= box(page, "#last")["right"]
    assert box(page, "#last .tile:last-child")["top"] == box(page, "#last .tile")["top"]
    assert box(page, "#last .gain")["bottom"] <= box(page, "#last .tile")["top"]


def test_a_turn_that_is_tapped_far_down_brings_the_board_into_sight(driver, server, game, sized):
    play_all(game)
    sized(**PHONE)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page = Page(driver, server.url)
    page.wait_for_turns(6)
    # By keyboard the focus stays where it is.
    button = "document.querySelector('tr[data-number=\"1\"] button')"
    driver.execute_script(f"{button}.scrollIntoView({{block: 'center'}}); {button}.focus()")
    driver.execute_script(f"{button}.click()")
    page.wait("document.querySelector('.where').textContent === 'Turn 1 of 6'")
    before = page.js("scrollY")
    assert before > 300
    assert page.text("#link") == "After turn 1 of 6"
    page.click("tr[data-number='2'] td.play")
    page.wait("document.querySelector('.where').textContent === 'Turn 2 of 6'")
    top = "document.querySelector('.board-room').getBoundingClientRect().top"
    below = "document.querySelector('.players').getBoundingClientRect().bottom"
    page.wait(f"Math.abs({top} - {below}) < 8")
    for part in (".walk input", ".walk .now"):
        assert box(page, part)["bottom"] <= 844, part
    # The slider has a row of its own.
    assert box(page, ".walk input")["width"] > 300
    assert box(page, ".walk .now")["top"] >= box(page, ".walk input")["bottom"]
    page.click(".walk .now")
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    assert page.text("#link") == "Live"


def test_on_a_phone_a_long_state_leaves_the_table_its_name(driver, server, game, sized):
    play_all(game)
    sized(**PHONE)
    page = Page(driver, server.url)
    page.wait_for_turns(6)
    page.js("document.querySelector('#link span').textContent = 'Live: the clock is stopped'")
    assert page.js(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)"
        "(document.querySelector('.top h1'))"
    )
    assert box(page, ".mark")["right"] <= box(page, ".top h1")["left"]
    assert box(page, "#link")["right"] <= box(page, "#theme")["left"]
    assert box(page, ".top")["height"] < 66


def test_a_small_frame_of_another_site_holds_the_scores_and_the_last_play(driver, log, game, sized):
    play_all(game)
    server = Server(create_app(site_over(log), embed=("https://club.example",)), "127.0.0.1", 0)
    server.start()
    try:
        sized(300, 200)
        page = Page(driver, f"{server.url}/embed/tables/1")
        page.wait_for_turns(6)
        assert box(page, "#last")["bottom"] <= 200
        game.put(PlayersNamed({"left": "Ioana Petrescu"}, "test", game.t_ns))  # two lines of it
        page.wait("document.querySelector('.player .name').textContent.includes('Ioana')")
        assert box(page, "#last")["bottom"] <= 200
        assert box(page, ".top h1")["right"] <= box(page, "#link")["left"]
        # Who leads, in words as long as they get, stays inside of the card.
        driver.execute_script(
            "const card = document.querySelector('.player'); card.dataset.outcome = 'leads';"
            "card.classList.add('leads');"
            "card.querySelector('.to-play span').textContent = 'leads, not yet final'"
        )
        assert box(page, ".to-play span")["right"] <= box(page, ".player")["right"] - 8
    finally:
        server.stop()


def test_an_earlier_game_that_nobody_ended_is_not_said_to_be_played(driver, server, game, log):
    play_all(game)
    GameInLog(log, "game-2").start()
    page = Page(driver, f"{server.url}/tables/1/games/game-1")
    page.wait_for_turns(6)
    page.wait("document.querySelector('#link').textContent === 'Over, not yet final'")
    loaded = "fetch(location.href).then((answer) => answer.text())"
    assert "<span>Over, not yet final</span>" in page.js(loaded)
    assert page.js("document.querySelector('#ending').hidden")  # nobody will count racks


@pytest.mark.everyday
def test_without_script_the_page_contradicts_itself_nowhere(driver, server, game, sized):
    play_all(game)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    seen = {}
    for width, height in ((390, 844), (1366, 768)):
        sized(width, height)
        driver.get(server.url)
        page = Page.__new__(Page)  # without the waiting for its script
        page.driver = driver
        shown = page.js("document.body.innerText")
        seen[width] = shown
        for part in (".walk", "#order", "#share-open", "#theme"):
            assert page.js(f"document.querySelector('{part}').offsetWidth") == 0, part
        for words in ("Connecting", "Waiting", "No turn yet", "–:––"):
            assert words not in shown
        notice = box(page, ".noscript")
        assert box(page, ".top")["bottom"] <= notice["top"]
        assert notice["bottom"] <= box(page, ".players")["top"]
        assert notice["bottom"] <= box(page, ".board")["top"]
    assert "J&S" in seen[390]  # the initials


def test_without_script_a_finished_game_is_not_said_to_go_on(driver, server, game, sized):
    play_all(game)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    page = Page(driver, server.url)
    assert page.js("document.querySelector('.noscript').checkVisibility()")
    assert page.text("#turns-title") == "Turns"
    game.put(GameEnded("agreed", game.t_ns))
    page = Page(driver, server.url)
    assert page.js("document.querySelector('.noscript')") is None
    assert page.text("#turns-title") == "Result"


def test_what_is_copied_from_by_hand_is_said_for_a_finger(driver, log, game, sized):
    game.play(*TURNS[0])
    server = Server(create_app(site_over(log), embed=("https://club.example",)), "127.0.0.1", 0)
    server.start()
    try:
        sized(**PHONE)
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        page = Page(driver, server.url)
        page.wait_for_turns(1)
        driver.execute_script(
            "document.execCommand = () => false;"
            "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
        )
        page.click("#share-open")
        assert 'height="680"' in page.js("document.querySelector('#share-embed').value")
        page.click("[data-copy='#share-link']")
        page.wait(
            "document.querySelector('.done').textContent === 'Hold the address and choose Copy.'"
        )
        page.click("[data-copy='#share-embed']")
        page.wait("document.querySelector('.done').textContent.includes('line')")
        assert page.js("document.querySelectorAll('.done.copied-it').length") == 0
    finally:
        server.stop()


def test_a_name_is_made_smaller_that_is_too_long_by_part_of_a_pixel(driver, server, game):
    page = Page(driver, server.url)
    page.wait_for_turns(0)
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


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1366, 768)])
def test_nothing_moves_below_the_last_turn_while_one_steps_through_them(
    driver, server, log, sized, width, height
):
    game = GameInLog(log, "game-2").start(names=LONG_NAMES)
    game.play(*TURNS[0])
    game.play(*LONG)
    game.press()
    game.play("10F", "TO.LS")
    game.put(GameEnded("agreed", game.t_ns))
    sized(width, height)
    page = Page(driver, server.url)
    page.wait_for_turns(4)
    page.wait("document.querySelector('#link').dataset.state === 'provisional'")
    seen = set()
    for _ in range(5):
        walk = box(page, ".walk")
        seen.add((walk["top"], walk["height"]))
        page.js("document.querySelector('.walk .back').click()")
    assert len(seen) == 1
    assert page.text(".where").startswith("Turn 0")
    assert page.text(".walk .now") == "End"  # the game is over
    assert box(page, ".name")["bottom"] <= box(page, ".score")["top"] + 1


def test_a_clock_far_over_its_time_stands_within_its_card(driver, server, game, sized):
    for place, word in TURNS:
        game.play(place, word)
    game.t_ns += 402 * 60 * SECOND
    game.play("13A", "QUICKL")
    page = Page(driver, server.url)
    page.wait_for_turns(7)
    assert page.js("document.querySelector('.clock.wide').textContent").endswith("−379:00")
    for width, height in ((390, 844), (844, 390), (1366, 768), (1920, 1080)):
        sized(width, height)
        for part in (".clock", ".score", ".to-play"):
            assert page.in_cards(part), (part, width)
        clock, score = box(page, ".clock.wide"), box(page, ".player[data-side=left] .score")
        assert clock["left"] >= score["right"], width


def test_all_of_a_result_is_seen_and_a_larger_screen_shows_more_turns(
    driver, server, log, sized, game
):
    game = GameInLog(log, "game-2").start(names=LONG_NAMES)
    for place, word in TURNS:
        game.play(place, word)
    for _ in range(5):
        game.press()
    game.put(GameEnded("agreed", game.t_ns))
    page = Page(driver, server.url)
    page.wait_for_turns(11)
    page.wait("document.querySelector('.numbers') !== null")
    seen = []
    for width, height in ((1366, 768), (1920, 1080)):
        sized(width, height)
        page.click("[data-tab=result]")
        result = "document.querySelector('#result')"
        assert page.js(f"{result}.scrollHeight <= {result}.clientHeight"), width
        assert box(page, ".more")["height"] < 45
        page.click("[data-tab=list]")
        row = box(page, "tr.turn")["height"]
        seen.append(box(page, ".scroll")["height"] / row)
    assert seen[1] > seen[0] + 1
