"""The table's page in a real browser: while turns are played, walked back, and at the end."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.events import (
    BlankDesignated,
    Finding,
    GameEnded,
    PenaltyAdded,
    RackReported,
    ResultSigned,
    SquareCorrected,
    TurnRuled,
)
from table.views.public_policy import PublicPolicy
from tests.dashboard.axe import violations
from tests.dashboard.browsing import PHONE, Page
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, site_over
from tests.machine import free_port

pytestmark = pytest.mark.browser


@pytest.mark.everyday
def test_turns_appear_while_the_page_is_open(watched, server, game):
    page = watched()
    game.plays(TURNS[:2])
    page.wait_for_turns(2)
    page.says("[data-side=left] .name", NAMES["left"])
    page.there(".name b", 0)
    page.says("[data-side=left] output", page.turns()[0][3])
    page.label("8D", "8D, F, 4 points")
    page.label("11H", "11H, E, blank, 0 points, laid last turn")
    page.label("1A", "1A, empty, triple word")
    page.gives("document.querySelectorAll('.tile.lit').length - "
                   "document.querySelectorAll('.rack .tile.lit').length", 3)  # fmt: skip
    game.put(BlankDesignated("11H", "S", "the player", "said so", game.t_ns))
    page.wait("document.querySelector('[data-name=\"11H\"]').ariaLabel.includes('S, blank')")
    game.play("12H", ".", [Finding("misoriented_tile", "8D", "upside down")])
    page.wait_for_turns(3)
    spoken = page.announced()
    assert len([line for line in spoken if line.startswith("Turn ")]) == 3
    assert spoken[0].startswith(f"Turn 1. {NAMES['left']}: FIRNS at 8D, 24 points.")
    assert page.troubles() == []
    assert page.hosts() == {f"127.0.0.1:{server.port}"}


def test_letters_that_the_record_invents_are_named_beside_it(watched, game):
    page = watched(1)
    page.says("#gcg-note", "")
    game.play("H8", ".H~?")
    page.wait_for_turns(2)
    note = "1 blank has no letter yet, and 1 tile could not be read:"
    page.says("#gcg-note", starts=note)
    assert page.turns()[1][1].startswith("SH▢?")
    page.says("#last .spoken", has="unread tile")
    assert page.troubles() == []


@pytest.mark.everyday
def test_the_clock_runs_on_the_page(watched, log):
    page = watched()
    # It is 2000 s on the table's time; the left clock has run since 1000 s, of 25 minutes.
    page.wait("/^[78]:/.test(document.querySelector('[data-side=left] time').textContent)")
    before = page.text("[data-side=left] time")
    page.wait(f"document.querySelector('[data-side=left] time').textContent !== '{before}'")
    page.says("[data-side=right] time", "25:00")
    page.wait("document.querySelector('[data-side=left]').classList.contains('running')")


@pytest.mark.everyday
def test_a_reload_and_a_restart_of_the_server_lose_nothing(driver, log, game):
    first = Server(create_app(site_over(log)), "127.0.0.1", free_port())  # one is started again
    first.start()
    page = Page(driver, first.url)
    game.plays(TURNS[:2])
    page.wait_for_turns(2)
    driver.refresh()
    page.wait_for_turns(2)
    before = page.turns()
    first.stop()
    page.there("#link[data-state=lost]")
    game.plays(TURNS[2:4])
    again = Server(create_app(site_over(log)), "127.0.0.1", first.port)
    again.start()
    try:
        page.wait_for_turns(4)
        page.there("#link[data-state=live]")
        assert page.turns()[:2] == before
        assert [turn[0] for turn in page.turns()] == ["1", "2", "3", "4"]
        assert page.turns()[2][1:3] == ["Exchange or pass", "0"]
        # Turns of the time away are announced too, each once.
        numbers = [line.split(".")[0] for line in page.announced() if line.startswith("Turn ")]
        assert numbers == ["Turn 3", "Turn 4"]
        game.play(*TURNS[4])
        page.wait_for_turns(5)
        assert page.hosts() == {f"127.0.0.1:{first.port}"}
    finally:
        again.stop()


def test_a_page_without_a_stream_asks_every_few_seconds(driver, log, game, serving):
    server = serving(create_app(site_over(log, streams=0)))
    page = Page(driver, server.url)
    page.there("#link[data-state=polling]")
    game.play(*TURNS[0])
    page.wait_for_turns(1)


@pytest.mark.everyday
def test_the_board_can_be_walked_by_keyboard(driver, watched):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = watched(1)
    page.there('.square[tabindex="0"]', 1)
    driver.execute_script("document.querySelector('[data-name=\"8H\"]').focus()")
    focus = "document.activeElement.ariaLabel"
    page.gives(focus, "8H, S, 1 point, laid last turn")
    keys = ActionChains(driver)
    keys.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP).perform()
    page.gives(focus, "7F, empty")
    ActionChains(driver).send_keys(Keys.HOME, Keys.ARROW_LEFT).perform()
    page.gives(focus, "7A, empty")
    ActionChains(driver).key_down(Keys.CONTROL).send_keys(Keys.END).key_up(Keys.CONTROL).perform()
    page.gives(focus, "15O, empty, triple word")
    page.there('.square[tabindex="0"]', 1)


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768), (1920, 1080)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_every_screen(driver, watched, width, height, scheme, screen):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    screen(width, height)
    page = watched(len(TURNS))
    root, scroll = "document.documentElement", "document.querySelector('.scroll')"
    page.wait(f"{root}.scrollWidth <= {width}")
    page.wait(f"{scroll}.scrollWidth <= {scroll}.clientWidth")
    # The page stays at its top: only the list itself brings its newest turn into sight.
    page.gives("scrollY", 0)
    if width > 900:
        page.wait(f"{root}.scrollHeight <= {height}")
    dark = page.js("getComputedStyle(document.body).backgroundColor") == "rgb(10, 15, 22)"
    assert dark == (scheme == "dark")
    box = page.js("document.querySelector('#board').getBoundingClientRect().toJSON()")
    assert box["width"] >= min(width * 0.95, height * 0.85) - 20
    for selector in (".score", ".clock", ".name"):
        page.in_cards(selector)
    assert page.troubles() == []


def test_a_result_that_an_open_question_may_change_does_not_pass_for_final(
    driver, server, game, screen
):
    page = Page(driver, server.url)
    game.play(TURNS[0][0], TURNS[0][1], [Finding("uncertain_square", TURNS[0][0])])
    page.wait_for_turns(1)
    game.put(GameEnded("agreed", game.t_ns))
    page.there("#link[data-state=provisional]")
    page.says("#link span", "Over, not yet final")
    page.says("[data-side=left] .to-play", "leads, not yet final")
    screen(*PHONE)
    card = "document.querySelector('.player.leads').getBoundingClientRect()"
    label = card.replace(".player.leads", ".player.leads .to-play")
    page.wait(f"{label}.right <= {card}.right")
    page.wait(f"{card}.height < 160")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.there(".player.won", 0)
    page.says("#result h2", has="Byron</b> leads by 24")
    page.reads(SAID_LAST, starts=f"The game is over. {NAMES['left']} 24")
    assert "won" not in page.announced()[-1]
    page.wait("document.querySelector('#result').innerText.includes('Not yet final')")
    page.reads(SAID_LAST, ends="A question is open that may still change the result.")
    game.put(ResultSigned("both players", game.t_ns))
    page.there("#link[data-state=final]")
    page.wait("!document.querySelector('#result').innerText.includes('Not yet final')")
    page.says("[data-side=left] .to-play", "won")
    assert page.troubles() == []


SAID_LAST = "[...document.querySelectorAll('#say > *')].at(-1)?.textContent"
"""The last announcement to a screen reader."""


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
def test_walking_back_shows_each_turn_as_it_was(watched, driver, game):
    from selenium.webdriver.common.keys import Keys

    then = []
    page = watched()
    for number, (place, word) in enumerate(TURNS, start=1):
        game.play(place, word)
        if number == 2:
            game.put(PenaltyAdded("left", 10, "2.4", "director", "late", game.t_ns))
        page.wait_for_turns(number)
        page.wait(f"document.querySelector('.where').textContent === 'Turn {number}'")
        then.append((board(page), scores(page), page.text("#bag")))
    # The penalty came after the second turn was drawn.
    page.there("tr.adjustment")
    for number in range(len(TURNS) - 1, 0, -1):
        press(driver, ".walk input", Keys.ARROW_LEFT)
        page.wait(f"document.querySelector('.where').textContent === 'Turn {number} of 6'")
        shown = (board(page), scores(page), page.text("#bag"))
        if number != 2:
            assert shown == then[number - 1], number
        # Each turn took half a minute, of the side that it was.
        own = [n for n in range(1, number + 1) if n % 2]
        page.says(
            "[data-side=left] time",
            f"{25 - len(own) // 2 - 1 * (len(own) % 2)}:" + ("30" if len(own) % 2 else "00"),
        )
        page.gives("document.querySelector('tr.newest').dataset.number", str(number))
    press(driver, ".walk input", Keys.HOME)
    page.says(".where", "Turn 0 of 6")
    assert (board(page), scores(page), page.text("#bag")) == ({}, ["0", "0"], "86")
    page.gives("document.querySelector('.walk input').ariaValueText", "Before the first turn")
    page.click(".walk .now")
    page.says(".where", "Turn 6")
    assert (board(page), scores(page), page.text("#bag")) == then[-1]
    assert page.troubles() == []


def test_a_turn_played_meanwhile_does_not_take_the_walker_along(watched, game):
    page = watched(4)
    page.click("tr.turn[data-number='2'] button")
    page.says(".where", "Turn 2 of 4")
    before = board(page)
    game.play(*TURNS[4])
    page.wait_for_turns(5)
    page.says(".where", "Turn 2 of 5")
    assert board(page) == before
    announced = "[...document.querySelectorAll('#say > *')].map((e) => e.textContent)"
    page.gives(f"{announced}.filter((line) => line.startsWith('Turn 5')).length", 1)
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
    page.gives(ground, chosen)
    driver.execute_script("localStorage.clear()")
    driver.get(f"{server.url}/?theme=dark")
    page.gives(ground, "rgb(10, 15, 22)")
    driver.get(f"{server.url}/?theme=light")
    page.gives(ground, "rgb(233, 237, 241)")


def test_the_page_of_a_late_public_says_so_and_shows_what_is_unseen(driver, log, game, serving):
    public = PublicPolicy(delay_turns=2, unseen="live")
    table = table_over(log, id="1", name="Table 1", clock=lambda: 2000 * SECOND, public=public)
    server = serving(create_app(Site((table,))))
    game.plays(TURNS[:4])
    page = Page(driver, server.url)
    page.wait_for_turns(2)
    page.says("#link span", "2 turns behind")
    page.says("#unseen h2", "Unseen, in the bag and on the racks: 92 tiles")
    unseen = (
        "[...document.querySelectorAll('#unseen li')].map((e) =>"
        " e.querySelector('b').textContent + e.querySelector('span').textContent)"
    )
    assert {"F", "E×12"} <= set(page.js(unseen))
    page.click("tr.turn[data-number='1'] button")
    page.says("#unseen h2", ends=": 95 tiles")
    # The blank of turn 2 is a tile again before it was laid.
    page.reads(unseen, has="?×2")
    # Both clocks stand: how long the turn in hand has lasted would tell how far the game is.
    page.there(".player.running", 0)


def numbers(page: Page) -> list[str]:
    return page.js(
        "[...document.querySelectorAll('#turns tr')].map((row) =>"
        " row.dataset.number ?? row.className)"
    )


def test_the_list_turns_round_and_the_choice_is_kept(driver, watched, game):
    page = watched(6)
    game.put(PenaltyAdded("left", 10, "2.4", "director", "late", game.t_ns))
    page.there("tr.adjustment")
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


def test_the_arrow_keys_walk_from_anywhere_and_the_address_names_the_turn(driver, watched, screen):
    from selenium.webdriver.common.keys import Keys

    page = watched(6)
    press(driver, "body", Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    page.says(".where", "Turn 4 of 6")
    page.gives("location.hash", "#turn=4")
    press(driver, "[data-name='8H']", Keys.ARROW_LEFT)  # on the board they move over it
    page.wait("document.activeElement.dataset.name === '8G'")
    page.gives("location.hash", "#turn=4")
    page.click("#share-open")
    page.there("#share[open]")
    address = page.js("document.querySelector('#share-link').value")
    assert address.endswith("/tables/1/games/game-1#turn=4")
    page.says("label[for=share-link]", "The address of this game, at turn 4")
    page.says("#share [role=status]", starts="No other machine can open this")
    page.wait("document.querySelector('#share-code').offsetWidth > 100")
    shared = Page(driver, address)
    shared.says(".where", "Turn 4 of 6")
    assert "9H, H, 4 points" in board(shared).values()
    press(driver, "body", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    shared.says(".where", "Turn 6")
    shared.gives("location.hash", "")
    assert shared.troubles() == []
    screen(360, 740)
    driver.execute_script("document.querySelector('output').textContent = '488'")
    shared.wait(
        "document.querySelector('.clock').getBoundingClientRect().right"
        " <= document.querySelector('.player').getBoundingClientRect().right - 10"
    )
    shared.click(".walk .back")  # what stands beside the slider stays in its box
    shared.wait("document.querySelector('.walk.past .now').offsetWidth > 0")
    shared.wait(
        "document.querySelector('.now').getBoundingClientRect().right"
        " <= document.querySelector('.walk').getBoundingClientRect().right - 4"
    )


def test_back_closes_the_share_window_and_stays(driver, server, game):
    from selenium.webdriver.common.keys import Keys

    game.plays(TURNS[:3])
    page = Page(driver, f"{server.url}/tables/1/games")
    driver.execute_script("location.assign(arguments[0])", "/tables/1#turn=2")
    page.says(".where", "Turn 2 of 3")
    for way in ("back", "escape", "back"):
        page.click("#share-open")
        page.wait("document.querySelector('#share').open && history.state !== null")
        if way == "back":
            driver.back()
        else:
            press(driver, "#share-link", Keys.ESCAPE)
        page.wait("!document.querySelector('#share').open && history.state === null")
        page.gives("location.pathname + location.hash", "/tables/1#turn=2")
        page.wait("document.activeElement.id === 'share-open'")
        page.says(".where", "Turn 2 of 3")
    driver.back()
    page.wait("location.pathname === '/tables/1/games'")


def test_what_a_viewer_need_not_know_is_kept_from_the_list(driver, server, game):
    covered = Finding("board_covered", "15O", "something covered 15O")
    game.play("8D", "FIRNS", [covered])
    page = Page(driver, server.url)
    page.wait_for_turns(1)
    page.gives("document.querySelector('#last .asked').offsetWidth", 0)
    game.play("H8", ".HO?")
    page.wait_for_turns(2)
    page.there(".flags li", 0)
    assert "covered" not in page.text("#turns")
    page.says("tr[data-number='2'] .asked", "being checked")
    page.wait("document.querySelector('#last .asked').offsetWidth > 0")
    page.says("#last .spoken", ends="It is being checked.")
    bare = page.js("fetch('/').then((answer) => answer.text())")  # as it is without script
    assert "being checked" in bare.split('data-number="2"')[1].split("</tr>")[0]
    game.put(SquareCorrected(1, "8D", "T", "director", "misread", game.t_ns))
    page.wait("document.querySelector(\"tr[data-number='1'] .corrected\")")
    page.there(".corrected", 1)


@pytest.mark.everyday
def test_a_game_that_is_over_shows_its_result(driver, server, game):
    game.play("8D", "ZEALOTS")
    game.play("", "")
    page = Page(driver, server.url)
    page.wait_for_turns(2)
    page.says("tr[data-number='1'] .bingo", "Bingo")
    page.there("#tabs[hidden]")
    game.put(RackReported("left", "AAEEIOU", game.t_ns, "director"))
    game.put(RackReported("right", "DDGGQRR", game.t_ns, "director"))
    game.put(GameEnded("shortened", game.t_ns, "director"))
    page.there("#link[data-state=final]")
    page.says("[data-side=left] .to-play", "won")
    page.reads(SAID_LAST, starts="The game is over.")
    page.there("#result .numbers")
    page.says(".numbers a", "ZEALOTS")
    page.gives("getComputedStyle(document.querySelector('.scroll')).display", "none")
    page.click("#tabs [data-tab=list]")
    page.gives("getComputedStyle(document.querySelector('#result')).display", "none")
    page.wait_for_turns(2)
    assert violations(driver) == []
    page.click("#tabs [data-tab=result]")
    assert violations(driver) == []
    # The next game at this table has its turns in the place of the result.
    following = GameInLog(game.log, "game-2", t_ns=game.t_ns).start()
    following.play("8D", "WORDS")
    page.wait_for_turns(1)
    page.there("#tabs[hidden]")
    page.says("#earlier-game", f"The game before: {' – '.join(NAMES.values())}")
    earlier = Page(driver, page.js("document.querySelector('#earlier-game').href"))
    assert earlier.url == f"{server.url}/tables/1/games/game-1"
    earlier.there("#link[data-state=final]")
    # A link to one of its turns gives the turns, with that one in sight, and not how it ended.
    linked = Page(driver, f"{earlier.url}#turn=1")
    linked.says(".where", "Turn 1 of 2")
    linked.gives("document.querySelector('.turns').dataset.tab", "list")
    earlier = Page(driver, earlier.url)
    earlier.there(".turns[data-tab=result]")
    earlier.click("#tabs [data-tab=list]")
    earlier.wait_for_turns(2)
    assert earlier.troubles() == []


def test_a_page_of_one_game_stays_with_it_and_one_that_nobody_ended_is_not_said_to_be_played(
    driver, server, game
):
    game.play("8D", "FIRNS")
    page = Page(driver, f"{server.url}/tables/1/games/game-1")
    page.there("#link[data-state=live]")
    GameInLog(game.log, "game-2", t_ns=game.t_ns).start().play("8D", "WORDS")
    page.there("#next-game:not([hidden])")
    assert page.turns()[0][1].startswith("FIRNS")
    page = Page(driver, page.url)
    page.wait_for_turns(1)
    page.says("#link", "Over, not yet final")
    loaded = "fetch(location.href).then((answer) => answer.text())"
    page.reads(loaded, has="<span>Over, not yet final</span>")
    page.there("#ending[hidden]")  # nobody will count racks


WHOSE = """
const [cases, done] = arguments;
import("/static/unseen.js").then(({ whose }) => {
  const players = { left: { name: "Ann" }, right: { name: "Bo" } };
  const got = [{ kind: "end_rack", side: "right", tiles: "QZ" }];
  done(cases.map(([bag_count, face, known, count]) => whose(
    { bag_count, rows: [face, "...."], players, adjustments: known ? got : [] }, count)));
});
"""


def test_the_unseen_tiles_are_said_to_be_somebodys_only_where_that_is_certain(watched, driver):
    watched()
    expected = {
        (3, ".CAT", False, 17): "Unseen, in the bag and on the racks: 17 tiles",
        (0, ".CAT", False, 9): "Unseen, on the racks: 9 tiles",
        (0, ".CAT", True, 2): "Ann still has 2 tiles",
        (0, ".CAT", False, 2): "Unseen, on the racks: 2 tiles",
        (0, ".CAT", True, 3): "Unseen, on the racks: 3 tiles",
        (0, ".CA#", True, 3): "Unseen, on the racks and unread on the board: 3 tiles",
        (0, ".CA#", True, 2): "Unseen, on the racks and unread on the board: 2 tiles",
        (2, ".CA#", False, 9): "Unseen, in the bag, on the racks and unread on the board: 9 tiles",
    }
    found = driver.execute_async_script(WHOSE, list(expected))
    assert found == list(expected.values())
