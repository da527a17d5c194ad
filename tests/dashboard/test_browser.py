"""The table's page in a real browser, while turns are played into the log."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from game.events import BlankDesignated, Finding, GameEnded, RackReported, ResultSigned
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, TURNS, GameInLog, site_over
from tests.dashboard.test_desk_words import PHONE
from tests.machine import free_port

pytestmark = pytest.mark.browser


@pytest.fixture
def server(log, game: GameInLog):
    made = Server(create_app(site_over(log)), "127.0.0.1", free_port())  # one is started again
    made.start()
    yield made
    made.stop()


@pytest.mark.everyday
def test_turns_appear_while_the_page_is_open(driver, server, game):
    page = Page(driver, server.url)
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    for place, word in TURNS[:2]:
        game.play(place, word)
    page.wait_for_turns(2)
    assert page.text("[data-side=left] .name") == NAMES["left"]
    assert page.js("document.querySelectorAll('.name b').length") == 0
    assert page.text("[data-side=left] output") == page.turns()[0][3]
    assert page.label("8D") == "8D, F, 4 points"
    assert page.label("11H") == "11H, E, blank, 0 points, laid last turn"
    assert page.label("1A") == "1A, empty, triple word"
    assert page.js("document.querySelectorAll('.tile.lit').length - "
                   "document.querySelectorAll('.rack .tile.lit').length") == 3  # fmt: skip
    game.put(BlankDesignated("11H", "S", "the player", "said so", game.t_ns))
    page.wait("document.querySelector('[data-name=\"11H\"]').ariaLabel.includes('S, blank')")
    game.play("12H", ".", [Finding("misoriented_tile", "8D", "upside down")])
    page.wait_for_turns(3)
    spoken = page.announced()
    assert len([line for line in spoken if line.startswith("Turn ")]) == 3
    assert spoken[0].startswith(f"Turn 1. {NAMES['left']}: FIRNS at 8D, 24 points.")
    assert page.troubles() == []
    assert page.hosts() == {f"127.0.0.1:{server.port}"}


def test_letters_that_the_record_invents_are_named_beside_it(driver, server, game):
    page = Page(driver, server.url)
    game.play(*TURNS[0])
    page.wait_for_turns(1)
    assert page.text("#gcg-note") == ""
    game.play("H8", ".H~?")
    page.wait_for_turns(2)
    assert page.text("#gcg-note").startswith(
        "1 blank has no letter yet, and 1 tile could not be read:"
    )


@pytest.mark.everyday
def test_the_clock_runs_on_the_page(driver, log, game, server):
    page = Page(driver, server.url)
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    # It is 2000 s on the table's time; the left clock has run since 1000 s, of 25 minutes.
    page.wait("/^[78]:/.test(document.querySelector('[data-side=left] time').textContent)")
    before = page.text("[data-side=left] time")
    page.wait(f"document.querySelector('[data-side=left] time').textContent !== '{before}'")
    assert page.text("[data-side=right] time") == "25:00"
    assert page.js("document.querySelector('[data-side=left]').classList.contains('running')")


@pytest.mark.everyday
def test_a_reload_and_a_restart_of_the_server_lose_nothing(driver, log, game, server):
    page = Page(driver, server.url)
    for place, word in TURNS[:2]:
        game.play(place, word)
    page.wait_for_turns(2)
    driver.refresh()
    page.wait_for_turns(2)
    before = page.turns()
    server.stop()
    page.wait("document.querySelector('#link').dataset.state === 'lost'")
    for place, word in TURNS[2:4]:
        game.play(place, word)
    again = Server(create_app(site_over(log)), "127.0.0.1", server.port)
    again.start()
    try:
        page.wait_for_turns(4)
        page.wait("document.querySelector('#link').dataset.state === 'live'")
        assert page.turns()[:2] == before
        assert [turn[0] for turn in page.turns()] == ["1", "2", "3", "4"]
        assert page.turns()[2][1:3] == ["Exchange or pass", "0"]
        # Turns of the time away are announced too, each once.
        numbers = [line.split(".")[0] for line in page.announced() if line.startswith("Turn ")]
        assert numbers == ["Turn 3", "Turn 4"]
        game.play(*TURNS[4])
        page.wait_for_turns(5)
        assert page.hosts() == {f"127.0.0.1:{server.port}"}
    finally:
        again.stop()


def test_a_page_without_a_stream_asks_every_few_seconds(driver, log, game):
    server = Server(create_app(site_over(log, streams=0)), "127.0.0.1", 0)
    server.start()
    try:
        page = Page(driver, server.url)
        page.wait("document.querySelector('#link').dataset.state === 'polling'")
        game.play(*TURNS[0])
        page.wait_for_turns(1)
    finally:
        server.stop()


@pytest.mark.everyday
def test_the_board_can_be_walked_by_keyboard(driver, server, game):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = Page(driver, server.url)
    game.play(*TURNS[0])
    page.wait_for_turns(1)
    assert page.js("document.querySelectorAll('.square[tabindex=\"0\"]').length") == 1
    driver.execute_script("document.querySelector('[data-name=\"8H\"]').focus()")
    focus = "document.activeElement.ariaLabel"
    assert page.js(focus) == "8H, S, 1 point, laid last turn"
    keys = ActionChains(driver)
    keys.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP).perform()
    assert page.js(focus) == "7F, empty"
    ActionChains(driver).send_keys(Keys.HOME, Keys.ARROW_LEFT).perform()
    assert page.js(focus) == "7A, empty"
    ActionChains(driver).key_down(Keys.CONTROL).send_keys(Keys.END).key_up(Keys.CONTROL).perform()
    assert page.js(focus) == "15O, empty, triple word"
    assert page.js("document.querySelectorAll('.square[tabindex=\"0\"]').length") == 1


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768), (1920, 1080)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_every_screen(driver, server, game, width, height, scheme):
    for place, word in TURNS:
        game.play(place, word)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, server.url)
        page.wait_for_turns(len(TURNS))
        root = "document.documentElement"
        assert page.js(f"{root}.scrollWidth") <= width
        if width > 900:
            assert page.js(f"{root}.scrollHeight") <= height
        dark = page.js("getComputedStyle(document.body).backgroundColor") == "rgb(10, 15, 22)"
        assert dark == (scheme == "dark")
        box = page.js("document.querySelector('#board').getBoundingClientRect().toJSON()")
        assert box["width"] >= min(width * 0.95, height * 0.85) - 20
        for selector in (".score", ".clock", ".name"):
            assert page.in_cards(selector), selector
        assert page.troubles() == []
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.everyday
def test_the_end_of_a_game_is_shown(driver, server, game):
    page = Page(driver, server.url)
    game.play(*TURNS[0])
    page.wait_for_turns(1)
    game.put(GameEnded("agreed", game.t_ns))
    page.wait("document.querySelector('#link').dataset.state === 'final'")
    assert page.text("[data-side=left] .to-play") == "won"
    assert page.announced()[-1].startswith("The game is over.")


def test_a_result_that_an_open_question_may_change_does_not_pass_for_final(driver, server, game):
    page = Page(driver, server.url)
    game.play(TURNS[0][0], TURNS[0][1], [Finding("uncertain_square", TURNS[0][0])])
    page.wait_for_turns(1)
    game.put(GameEnded("agreed", game.t_ns))
    page.wait("document.querySelector('#link').dataset.state === 'provisional'")
    assert page.text("#link span") == "Over, not yet final"
    assert page.text("[data-side=left] .to-play") == "leads, not yet final"
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    card = "document.querySelector('.player.leads').getBoundingClientRect()"
    label = card.replace(".player.leads", ".player.leads .to-play")
    assert page.js(f"{label}.right <= {card}.right")
    assert page.js(f"{card}.height") < 160
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert page.js("document.querySelectorAll('.player.won').length") == 0
    assert "Byron</b> leads by 24" in page.text("#result h2")
    assert page.announced()[-1].startswith(f"The game is over. {NAMES['left']} 24")
    assert "won" not in page.announced()[-1]
    page.wait("document.querySelector('#result').innerText.includes('Not yet final')")
    assert page.announced()[-1].endswith("A question is open that may still change the result.")
    game.put(ResultSigned("both players", game.t_ns))
    page.wait("document.querySelector('#link').dataset.state === 'final'")
    page.wait("!document.querySelector('#result').innerText.includes('Not yet final')")
    assert page.text("[data-side=left] .to-play") == "won"
    assert page.troubles() == []


def test_nobody_has_won_before_the_racks_are_in_the_scores(driver, server, game):
    """Here they turn the game round."""
    page = Page(driver, server.url)
    game.play(*TURNS[0])
    game.play(*TURNS[1])
    page.wait_for_turns(2)
    game.put(GameEnded("shortened", game.t_ns))
    page.wait("document.querySelector('#link').dataset.state === 'over'")
    assert page.text("#link span") == "Over, not yet final"
    assert page.js("document.querySelectorAll('.player.won').length") == 0
    assert page.announced()[-1].endswith("The result is not final yet.")
    ending = "document.querySelector('#ending')"
    assert page.js(f"{ending}.checkVisibility()")
    assert "racks are still to be counted" in page.text("#ending")
    game.put(RackReported("left", "QZVWJ", game.t_ns, counted=5))
    game.put(RackReported("right", "E", game.t_ns, counted=1))
    page.wait("document.querySelector('#link').dataset.state === 'final'")
    assert not page.js(f"{ending}.checkVisibility()")
    assert page.text("#link span") == "Final"
    assert page.text("[data-side=left] .to-play") == ""
    assert page.text("[data-side=right] .to-play") == "won"
    assert page.announced()[-1].endswith(f"{NAMES['right']} has won.")
    assert page.troubles() == []


def test_a_tile_that_could_not_be_read_is_an_empty_square(driver, server, game):
    game.play("8D", "FI#NS")
    page = Page(driver, server.url)
    page.wait_for_turns(1)
    assert page.turns()[0][1].startswith("FI▢NS")
    assert "FI unread tile NS" in page.text("#last .spoken")
    assert page.troubles() == []
