"""What a spectator can do with the page: walk back, choose the colours, hang it in a hall."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.events import (
    Finding,
    PenaltyAdded,
    SquareCorrected,
    TurnRuled,
)
from table.views.public_policy import PublicPolicy
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS, GameInLog

pytestmark = pytest.mark.browser


def press(driver, selector: str, *keys: str) -> None:
    driver.find_element("css selector", selector).send_keys(*keys)


def board(page: Page) -> dict[str, str]:
    """Square to what is said of it, for every square that is not empty."""
    return page.driver.execute_script(
        """
        return Object.fromEntries([...document.querySelectorAll('.square')]
          .filter((square) => square.querySelector('.tile'))
          .map((square) => [square.dataset.name, square.ariaLabel]));
        """
    )


def scores(page: Page) -> list[str]:
    return page.js("[...document.querySelectorAll('.player output')].map((e) => e.textContent)")


@pytest.mark.everyday
def test_walking_back_shows_each_turn_as_it_was(driver, server, game):
    from selenium.webdriver.common.keys import Keys

    then = []
    page = Page(driver, server.url)
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    for number, (place, word) in enumerate(TURNS, start=1):
        game.play(place, word)
        if number == 2:
            game.put(PenaltyAdded("left", 10, "2.4", "director", "late", game.t_ns))
        page.wait_for_turns(number)
        page.wait(f"document.querySelector('.where').textContent === 'Turn {number}'")
        then.append((board(page), scores(page), page.text("#bag")))
    # The penalty came after the second turn was drawn.
    page.wait("document.querySelector('tr.adjustment')")
    for number in range(len(TURNS) - 1, 0, -1):
        press(driver, ".walk input", Keys.ARROW_LEFT)
        page.wait(f"document.querySelector('.where').textContent === 'Turn {number} of 6'")
        shown = (board(page), scores(page), page.text("#bag"))
        if number != 2:
            assert shown == then[number - 1], number
        # Each turn took half a minute, of the side that it was.
        own = [n for n in range(1, number + 1) if n % 2]
        assert page.text(
            "[data-side=left] time"
        ) == f"{25 - len(own) // 2 - 1 * (len(own) % 2)}:" + ("30" if len(own) % 2 else "00")
        assert page.js("document.querySelector('tr.newest').dataset.number") == str(number)
    press(driver, ".walk input", Keys.HOME)
    page.wait("document.querySelector('.where').textContent === 'Turn 0 of 6'")
    assert (board(page), scores(page), page.text("#bag")) == ({}, ["0", "0"], "86")
    assert page.js("document.querySelector('.walk input').ariaValueText") == "Before the first turn"
    page.click(".walk .now")
    page.wait("document.querySelector('.where').textContent === 'Turn 6'")
    assert (board(page), scores(page), page.text("#bag")) == then[-1]
    assert page.troubles() == []


def test_a_turn_played_meanwhile_does_not_take_the_walker_along(driver, server, game):
    page = Page(driver, server.url)
    for place, word in TURNS[:4]:
        game.play(place, word)
    page.wait_for_turns(4)
    page.click("tr.turn[data-number='2'] button")
    page.wait("document.querySelector('.where').textContent === 'Turn 2 of 4'")
    before = board(page)
    game.play(*TURNS[4])
    page.wait_for_turns(5)
    page.wait("document.querySelector('.where').textContent === 'Turn 2 of 5'")
    assert board(page) == before
    assert len([line for line in page.announced() if line.startswith("Turn 5")]) == 1
    # A challenge that is upheld takes the tiles off the boards of before, too.
    game.put(TurnRuled(2, "challenge_upheld", "director", "not good", game.t_ns))
    page.wait("document.querySelector('[data-name=\"9H\"]').ariaLabel.startsWith('9H, empty')")


def test_the_viewer_chooses_the_colours_and_the_choice_is_kept(driver, server, game):
    ground = "getComputedStyle(document.body).backgroundColor"
    page = Page(driver, server.url)
    page.wait("document.querySelector('#theme').ariaPressed !== null")
    light = page.js(ground)
    was = page.js("document.querySelector('#theme').ariaPressed")
    page.click("#theme")
    page.wait(f"document.querySelector('#theme').ariaPressed !== '{was}'")
    assert page.js(ground) != light
    chosen = page.js(ground)
    driver.refresh()
    assert page.js(ground) == chosen
    driver.execute_script("localStorage.clear()")
    driver.get(f"{server.url}/?theme=dark")
    assert page.js(ground) == "rgb(10, 15, 22)"
    driver.get(f"{server.url}/?theme=light")
    assert page.js(ground) == "rgb(233, 237, 241)"


def test_the_page_of_a_late_public_says_so_and_shows_what_is_unseen(driver, log, game):
    public = PublicPolicy(delay_turns=2, unseen="live")
    table = table_over(log, id="1", name="Table 1", clock=lambda: 2000 * SECOND, public=public)
    server = Server(create_app(Site((table,))), "127.0.0.1", 0)
    server.start()
    try:
        for place, word in TURNS[:4]:
            game.play(place, word)
        page = Page(driver, server.url)
        page.wait_for_turns(2)
        assert page.text("#link span") == "2 turns behind"
        assert page.text("#unseen h2") == "Unseen, in the bag and on the racks: 92 tiles"
        unseen = (
            "[...document.querySelectorAll('#unseen li')].map((e) =>"
            " e.querySelector('b').textContent + e.querySelector('span').textContent)"
        )
        assert {"F", "E×12"} <= set(page.js(unseen))
        page.click("tr.turn[data-number='1'] button")
        page.wait("document.querySelector('#unseen h2').textContent.endsWith(': 95 tiles')")
        # The blank of turn 2 is a tile again before it was laid.
        assert "?×2" in page.js(unseen)
        # Both clocks stand: how long the turn in hand has lasted would tell how far the game is.
        assert page.js("document.querySelectorAll('.player.running').length") == 0
    finally:
        server.stop()


def test_the_list_of_turns_fits_a_phone(driver, server, game):
    for place, word in TURNS:
        game.play(place, word)
    size = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, server.url)
        page.wait_for_turns(len(TURNS))
        scroll = "document.querySelector('.scroll')"
        assert page.js(f"{scroll}.scrollWidth <= {scroll}.clientWidth")
        # The page stays at its top: only the list itself brings its newest turn into sight.
        assert page.js("scrollY") == 0
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def numbers(page: Page) -> list[str]:
    return page.js(
        "[...document.querySelectorAll('#turns tr')].map((row) =>"
        " row.dataset.number ?? row.className)"
    )


def played(game) -> None:
    for place, word in TURNS:
        game.play(place, word)


def test_the_list_turns_round_and_the_choice_is_kept(driver, server, game):
    played(game)
    game.put(PenaltyAdded("left", 10, "2.4", "director", "late", game.t_ns))
    page = Page(driver, server.url)
    page.wait_for_turns(6)
    page.wait("document.querySelector('tr.adjustment')")
    try:
        # What came after the last turn is above it, or below it.
        assert numbers(page) == ["adjustment", "6", "5", "4", "3", "2", "1"]
        page.click("#order")
        assert numbers(page) == ["1", "2", "3", "4", "5", "6", "adjustment"]
        driver.refresh()
        page.wait("document.querySelector('#turns tr')?.dataset.number === '1'")
        assert numbers(page) == ["1", "2", "3", "4", "5", "6", "adjustment"]
    finally:
        driver.execute_script("localStorage.clear()")


def test_the_arrow_keys_walk_from_anywhere_and_the_address_names_the_turn(driver, server, game):
    from selenium.webdriver.common.keys import Keys

    played(game)
    page = Page(driver, server.url)
    page.wait_for_turns(6)
    press(driver, "body", Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    page.wait("document.querySelector('.where').textContent === 'Turn 4 of 6'")
    assert page.js("location.hash") == "#turn=4"
    press(driver, "[data-name='8H']", Keys.ARROW_LEFT)  # on the board they move over it
    page.wait("document.activeElement.dataset.name === '8G'")
    assert page.js("location.hash") == "#turn=4"
    page.click("#share-open")
    page.wait("document.querySelector('#share').open")
    address = page.js("document.querySelector('#share-link').value")
    assert address.endswith("/tables/1/games/game-1#turn=4")
    assert page.text("label[for=share-link]") == "The address of this game, at turn 4"
    assert page.text("#share [role=status]").startswith("No other machine can open this")
    page.wait("document.querySelector('#share-code').offsetWidth > 100")
    shared = Page(driver, address)
    shared.wait("document.querySelector('.where').textContent === 'Turn 4 of 6'")
    assert "9H, H, 4 points" in board(shared).values()
    press(driver, "body", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    shared.wait("document.querySelector('.where').textContent === 'Turn 6'")
    assert shared.js("location.hash") == ""
    assert shared.troubles() == []
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        driver.execute_script("document.querySelector('output').textContent = '488'")
        assert shared.js(  # nor does a clock touch the edge of its card
            "document.querySelector('.clock').getBoundingClientRect().right"
            " <= document.querySelector('.player').getBoundingClientRect().right - 10"
        )
        shared.click(".walk .back")  # what stands beside the slider stays in its box
        shared.wait("document.querySelector('.walk.past .now').offsetWidth > 0")
        assert shared.js(
            "document.querySelector('.now').getBoundingClientRect().right"
            " <= document.querySelector('.walk').getBoundingClientRect().right - 4"
        )
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_back_closes_the_share_window_and_stays(driver, server, game):
    from selenium.webdriver.common.keys import Keys

    for place, word in TURNS[:3]:
        game.play(place, word)
    page = Page(driver, f"{server.url}/tables/1/games")
    driver.execute_script("location.assign(arguments[0])", "/tables/1#turn=2")
    page.wait("document.querySelector('.where')?.textContent === 'Turn 2 of 3'")
    for way in ("back", "escape", "back"):
        page.click("#share-open")
        page.wait("document.querySelector('#share').open && history.state !== null")
        if way == "back":
            driver.back()
        else:
            press(driver, "#share-link", Keys.ESCAPE)
        page.wait("!document.querySelector('#share').open && history.state === null")
        assert page.js("location.pathname + location.hash") == "/tables/1#turn=2"
        page.wait("document.activeElement.id === 'share-open'")
        assert page.text(".where") == "Turn 2 of 3"
    driver.back()
    page.wait("location.pathname === '/tables/1/games'")


def test_what_a_viewer_need_not_know_is_kept_from_the_list(driver, server, game):
    covered = Finding("board_covered", "15O", "something covered 15O")
    game.play("8D", "FIRNS", [covered])
    page = Page(driver, server.url)
    page.wait_for_turns(1)
    assert page.js("document.querySelector('#last .asked').offsetWidth") == 0
    game.play("H8", ".HO?")
    page.wait_for_turns(2)
    assert page.js("document.querySelectorAll('.flags li').length") == 0
    assert "covered" not in page.text("#turns")
    assert page.text("tr[data-number='2'] .asked") == "being checked"
    assert page.js("document.querySelector('#last .asked').offsetWidth") > 0
    assert page.text("#last .spoken").endswith("It is being checked.")
    bare = page.js("fetch('/').then((answer) => answer.text())")  # as it is without script
    assert "being checked" in bare.split('data-number="2"')[1].split("</tr>")[0]
    game.put(SquareCorrected(1, "8D", "T", "director", "misread", game.t_ns))
    page.wait("document.querySelector(\"tr[data-number='1'] .corrected\")")
    assert page.js("document.querySelectorAll('.corrected').length") == 1


NAMES = {"left": "Maximiliana von Hohenberg-Österreich", "right": "Bo"}


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 640)])
def test_long_names_fit_a_phone_and_the_board_a_frame_of_another_site(driver, log, width, height):
    GameInLog(log).start(NAMES).play("8D", "FIR?S")
    name = "A table with an uncommonly long name"
    site = Site((table_over(log, id="1", name=name, clock=lambda: 2000 * SECOND),))
    server = Server(create_app(site), "127.0.0.1", 0)
    server.start()
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = Page(driver, server.url)
        page.wait_for_turns(1)
        assert page.js("document.documentElement.scrollWidth") <= width
        board = page.js("document.querySelector('#board').getBoundingClientRect().toJSON()")
        assert board["bottom"] <= height
    finally:
        driver.get("about:blank")
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        server.stop()
        site.close()


@pytest.mark.everyday
def test_all_script_of_the_page_is_small(driver, server, game):
    game.play("8D", "FIRNS")
    page = Page(driver, server.url)
    page.wait("document.querySelector('#link').dataset.state === 'live'")
    sizes = page.js(
        "performance.getEntriesByType('resource')"
        ".filter((one) => new URL(one.name).pathname.endsWith('.js'))"
        ".map((one) => one.decodedBodySize)"
    )
    assert 0 < sum(sizes) < 61_000
