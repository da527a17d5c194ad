"""Putting the record right from the director's page: turns, and what no camera sees."""

from __future__ import annotations

import pytest

from game.events import TurnRuled
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS
from tests.dashboard.directorpages import TABLE, from_the_menu, keys, pressed

pytestmark = pytest.mark.browser

FORM = "document.querySelector('#dialog form').elements"


def fill(browser, page, deed: str, why: str, **values: str) -> None:
    """Open a form, fill it in, and enter it once its effect is shown."""
    if deed.endswith("…"):
        from_the_menu(page, deed)
    else:
        pressed(page, deed)
        page.wait("document.querySelector('#dialog').open")
    given = ";".join(f"{FORM}.{name}.value = {value!r}" for name, value in values.items())
    browser.execute_script(
        f"{given};{FORM}.why.value = {why!r};"
        "document.querySelector('#dialog form').dispatchEvent(new Event('input'))"
    )
    page.wait("!document.querySelector('#dialog .primary').disabled")
    page.click("#dialog .primary")
    page.wait("!document.querySelector('#dialog').open")


@pytest.mark.everyday
def test_a_forgotten_press_is_put_right_and_undone(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    first = "9H"
    fill(
        browser, page, "Press forgotten…", "nobody pressed",
        turn="2", squares=first, side="right", ago="0:05",
    )  # fmt: skip
    (event,) = desk.events("TurnParted")
    press_ns = desk.events("TurnSeen")[1]["press_ns"]
    assert (event["turn"], event["squares"], event["side"]) == (2, [first], "right")
    assert event["ended_ns"] == press_ns - 5 * 10**9
    assert (event["by"], event["why"], event["ended"]) == ("Ann", "nobody pressed", "not_known")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 3")
    page.click("#undo")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    assert page.troubles() == []


def test_a_turn_is_inserted_and_two_are_joined(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    fill(browser, page, "Turn missing…", "a pass", turn="2", side="right", tiles="", ago="0:01")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 3")
    fill(browser, page, "One press too many…", "it was one", turn="2", side="right")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    assert [e["turn"] for e in desk.events("TurnInserted") + desk.events("TurnsJoined")] == [2, 2]
    assert page.troubles() == []


def test_the_tiles_of_a_missing_turn_are_laid_on_the_board(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    from_the_menu(page, "Turn missing…")
    page.click("#dialog label:has([name=side][value=left])")
    page.click("#dialog .board-field [data-name='5B']")
    page.click("#dialog .board-field .key[data-letter=O]")
    keys(browser, "x")  # goes to the square beside it
    page.click("#dialog .board-field [data-name='6B']")
    page.click("#dialog .board-field .blank-toggle")
    page.click("#dialog .board-field .key[data-letter=N]")
    assert page.js(f"{FORM}.tiles.value") == "5B=O 5C=X 6B=n"
    page.click("#dialog .board-field [data-name='5C']")
    keys(browser, ".")
    page.wait("document.querySelector('#dialog .effect .scores') !== null")
    page.wait("!document.querySelector('#dialog .primary').disabled")
    page.click("#dialog .primary")
    page.wait("!document.querySelector('#dialog').open")
    (event,) = desk.events("TurnInserted")
    assert (event["turn"], event["tiles"]) == (2, {"5B": "O", "6B": "n"})
    assert event["side"] == "left"
    assert page.troubles() == []


def test_a_square_on_which_a_tile_lay_takes_none(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    from_the_menu(page, "Turn missing…")
    page.click("#dialog .board-field [data-name='8H']")
    page.click("#dialog .board-field .key[data-letter=O]")
    assert page.text("#dialog .board-field .beside > .chosen") == "A tile lay on 8H before."
    assert page.js(f"{FORM}.tiles.value") == ""
    assert page.troubles() == []


def test_what_the_rulebook_has_a_rule_on_is_offered_and_nothing_else(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    pressed(page, "more")
    offered = page.js("[...document.querySelectorAll('[data-deed]')].map((b) => b.dataset.deed)")
    assert {"Play accepted…", "Too few drawn…", "score"} <= set(offered)  # WESPA 2007
    absent = {"Tiles found…", "Earlier position…", "Erase overtime…", "Minor infraction…"}
    assert not absent & set(offered)
    page.click("#menu .buttons button")
    fill(browser, page, "Play accepted…", "seen on the sheet", how="score_written")
    (event,) = desk.events("PlayAccepted")
    assert (event["turn"], event["how"]) == (2, "score_written")
    page.wait("!document.querySelector('#rights li')?.textContent.includes('challenge')")
    fill(browser, page, "score", "as written", of="2", points="40")
    page.wait("document.querySelector('.player[data-side=right] output').textContent === '40'")
    assert page.troubles() == []


def test_what_is_no_longer_on_the_board_is_neither_held_nor_accepted(browser, desk, url, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 1")
    offered = "[...document.querySelectorAll('#menu [data-deed]')].map((b) => b.dataset.deed)"
    of_the_play = {"Hold…", "Play accepted…"}
    pressed(page, "more")
    assert of_the_play <= set(page.js(offered))
    page.js("document.querySelector('#menu').close()")
    game.put(TurnRuled(1, "challenge_upheld", "Ann", "no such word", game.t_ns))
    page.wait("/challenged off/i.test(document.querySelector('#turns').textContent)")
    pressed(page, "more")
    assert not of_the_play & set(page.js(offered))
