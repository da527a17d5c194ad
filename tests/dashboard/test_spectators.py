"""The table's page in a real browser: each turn, walked back, at the end; on every screen."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.clock import passed, shown
from game.events import (
    BlankDesignated,
    ButtonPressed,
    Finding,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    PlayersNamed,
    RackReported,
    ResultSigned,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from table.views.public_policy import PublicPolicy
from tests.dashboard.browsing import PHONE, Page, violations
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, site_over
from tests.dashboard.desk_fixtures import Desked, desked
from tests.dashboard.directorpages import TABLE
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


def test_a_device_that_loses_its_network_says_so_at_once(watched):
    page = watched()
    page.there("#link[data-state=live]")
    page.driver.execute_script("dispatchEvent(new Event('offline'))")
    page.there("#link[data-state=lost]")
    page.driver.execute_script("dispatchEvent(new Event('online'))")
    page.there("#link[data-state=live]")


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


@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
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
    page.wait("document.querySelector('#result').innerText.includes('Over, not yet final')")
    page.reads(SAID_LAST, ends="The result is not final yet.")
    game.put(ResultSigned("both players", game.t_ns))
    page.there("#link[data-state=final]")
    page.wait("!document.querySelector('#result').innerText.includes('not yet final')")
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


LONG = ("H1", "NYLEEOL.SIAEECD")
"""Down through the first play, from edge to edge."""


def box(page: Page, selector: str) -> dict:
    return page.js(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")


@pytest.mark.parametrize(
    "size", [(375, 667), (390, 844), (720, 640), (1000, 640), (1024, 768), (1366, 768)]
)
@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
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
@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
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
    game = GameInLog(log, "game-2").start(names=LONG_NAMES, rulebook="wespa-2021")
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
    game = GameInLog(log, "game-2").start(names=LONG_NAMES, rulebook="wespa-2021")
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
    game.end()
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
