"""What somebody is about to press stays under the pointer while a list grows above it."""

from __future__ import annotations

import pytest

from game.board import Square
from tests.dashboard.browsing import Page, hand, keys
from tests.dashboard.conftest import GameInLog
from tests.machine import PATIENCE_S

pytestmark = pytest.mark.browser

LETTERS = "EAIONRTLSUDGBCMPFHVWYEAIONRT"
MIDDLE = """
const { x, y, width, height } = arguments[0].getBoundingClientRect();
return { x: x + width / 2, y: y + height / 2 };
"""
UNDER = """
const { x, y } = arguments[0];
const row = document.elementFromPoint(x, y)?.closest("[data-row]");
return row ? row.dataset.row : null;
"""


def hover(page: Page, selector: str) -> dict[str, float]:
    """Move the mouse onto what is there; returns the point."""
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.ui import WebDriverWait

    def reached(driver) -> dict[str, float]:
        aim = driver.find_element("css selector", selector)
        hand(driver).move_to_element(aim).perform()
        return driver.execute_script(MIDDLE, aim)

    drawn_anew = (StaleElementReferenceException,)
    return WebDriverWait(page.driver, PATIENCE_S, ignored_exceptions=drawn_anew).until(reached)


def under(page: Page, point: dict[str, float]) -> str | None:
    """The row at a point of the window, two frames from now."""
    page.driver.execute_async_script(
        "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))"
    )
    return page.driver.execute_script(UNDER, point)


def grow(page: Page, game: GameInLog, count: int) -> None:
    """Play on until the page shows so many turns."""
    shown = page.js("document.querySelectorAll('#turns [data-row]').length")
    for number in range(shown, count):
        row, col = divmod(number, 7)
        game.board = game.board.replace({Square(7 + row, 5 + col): LETTERS[number]})
        game.press()
    page.there("#turns [data-row]", count)


@pytest.mark.parametrize(
    ("opened", "before", "turn", "part"),
    [
        ("watched", 2, 2, "button"),
        ("watched", 20, 18, "td"),
        ("at_desk", 3, 2, "[data-correct]"),
        ("at_desk", 15, 2, "[data-correct]"),
    ],
)
def test_the_turn_under_the_pointer_stays_there(request, game, opened, before, turn, part):
    page = request.getfixturevalue(opened)()
    grow(page, game, before)
    point = hover(page, f"[data-row='turn {turn}'] {part}")
    for more in (0, 1, 3):
        grow(page, game, before + more)
        assert under(page, point) == f"turn {turn}"
    if opened == "at_desk":
        return
    # Once the pointer has left the list, the newest turn is in sight again.
    hover(page, ".brand")
    newest = f"document.querySelector(\"[data-row='turn {before + 3}']\")"
    head = "document.querySelector('.scroll thead')"
    page.wait(f"{newest}.getBoundingClientRect().top >= {head}.getBoundingClientRect().bottom - 1")
    grow(page, game, before + 4)
    page.wait("document.querySelector('.scroll').style.paddingBottom === ''")


def test_the_turn_that_has_the_keyboard_keeps_it(watched, driver, game):
    page = watched()
    grow(page, game, 12)
    driver.execute_script("document.querySelector('#order').focus()")
    keys(driver, "\ue004\ue004\ue004\ue004")  # over the list itself
    aimed = page.js("document.activeElement.closest('[data-row]').dataset.row")
    top = "document.activeElement.getBoundingClientRect().top"
    before = page.js(top)
    grow(page, game, 13)
    page.gives("document.activeElement.closest('[data-row]').dataset.row", aimed)
    assert abs(page.js(top) - before) < 1


def test_a_question_under_the_pointer_stays_when_another_comes_above_it(at_desk, game):
    game.play("8D", "FI?NS")
    page = at_desk()
    page.there("#attention .concern", 1)
    point = hover(page, "#attention .asker")
    aimed = under(page, point)
    game.play("H8", ".?")
    page.there("#attention .concern", 2)
    assert under(page, point) == aimed


def test_a_new_question_comes_below_those_that_are_there(at_desk, game):
    game.play("8D", "FI?NS")
    page = at_desk()
    squares = "[...document.querySelectorAll('#attention .asker')].map((one) => one.dataset.square)"
    page.gives(squares, ["8F"])
    game.play("H8", ".?")
    page.gives(squares, ["8F", "9H"])


def test_a_director_on_a_phone_stays_where_the_page_was_scrolled_to(at_desk, browser, game, screen):
    screen(390, 844)
    page = at_desk()
    grow(page, game, 20)
    row = "document.querySelector(\"[data-row='turn 9']\")"
    browser.execute_script(f"{row}.scrollIntoView({{block: 'center'}})")
    point = page.js(
        f"(({{x, y, height}}) => ({{x: x + 30, y: y + height / 2}}))({row}.getBoundingClientRect())"
    )
    for count in (20, 21, 22):
        grow(page, game, count)
        assert under(page, point) == "turn 9"


def test_a_list_beside_a_resting_mouse_shows_what_is_new(watched, driver, game):
    """A viewer whose mouse has lain still for long is about to press nothing."""
    page = watched()
    grow(page, game, 20)
    hover(page, "[data-row='turn 18'] td")
    driver.execute_script("const at = performance.now(); performance.now = () => at + 60_000")
    grow(page, game, 21)
    newest = "document.querySelector(\"[data-row='turn 21']\").getBoundingClientRect().top"
    page.wait(f"{newest} >= document.querySelector('thead').getBoundingClientRect().bottom - 1")
