"""A turn's page in a real browser, and each question's input for its answer."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from dashboard.director.concerns import concerns
from game.board import Square
from game.events import Finding, Picture, PicturesKept, PlayersNamed, TimeUnseen
from game.flags import CODES
from game.rulebooks.loading import rulebook_ids
from table.views.views import view
from tests.dashboard.browsing import Page, keys
from tests.dashboard.conftest import SECOND, TURNS
from tests.dashboard.desk_fixtures import Desked
from tests.dashboard.directorpages import TABLE, confirmed, held_back, shown
from tests.game.answerkit import ASKING, flagged

pytestmark = pytest.mark.browser

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


@pytest.mark.everyday
def test_pictures_are_stepped_through_with_the_arrow_keys(browser, desk, url, game):
    game.play(*TURNS[0])
    press = game.t_ns
    shown(desk, "before", press - SECOND)
    shown(desk, "at", press - SECOND // 20, tile=100)
    shown(desk, "after", press + SECOND, tile=200)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    right, left = "\ue014", "\ue012"
    for pressed, caption in (
        ("", "Picture 2 of 3: at the press"),
        (right, "Picture 3 of 3: after the press, +1.000 s"),
        (right, "Picture 3 of 3"),
        (left + left, "Picture 1 of 3: before the press, −1.000 s"),
        (right, "Picture 2 of 3"),
    ):
        keys(browser, pressed)
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


def test_a_clip_says_when_it_is_saved(browser, desk, url, game):
    game.play(*TURNS[0])
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    page = Page(browser, f"{url}{TABLE}/turns/1")
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


def test_picture_board_and_time_line_are_in_one_look(browser, desk, url, game, screen):
    game.play(*TURNS[0])
    photograph(desk, "at", game.t_ns, "8H", turned=False)
    screen(1366, 768)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#film button", 1)
    board = ".boards .board:last-child"
    for selector in ("#viewer", "#line .axis", "#play", board, "#rule", ".dispute .sum"):
        page.wait(f"document.querySelector('{selector}').getBoundingClientRect().bottom <= 768")
    tall = "[...document.querySelectorAll('.boards .board')].map((one) => one.offsetHeight)"
    page.wait(f"new Set({tall}).size === 1")
    page.wait("document.documentElement.scrollWidth <= 1366")


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


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_a_turn_prints_whole_and_without_what_is_pressed(browser, desk, url, game, size, screen):
    """On a phone one part is shown at a time; on paper there are all."""
    game.play(*TURNS[0])
    press = game.t_ns
    for role, at, tile in (("before", -SECOND, 50), ("at", 0, 100), ("after", SECOND, 200)):
        shown(desk, role, press + at, tile=tile)
    width, height = size
    screen(width, height, mobile=width < 900)
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there("#film img", 3)
    page.there("#film-note[hidden]")
    browser.execute_script("window.printed = 0; window.print = () => (window.printed += 1)")
    page.click("[data-print]" if width > 900 else "[data-shows=more]")
    if width < 900:
        page.js("document.querySelector('.print-too [data-print]').click()")
    page.gives("window.printed", 1)
    page.js("dispatchEvent(new Event('beforeprint'))")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = (
        "{!r}.split('; ').filter((one) => [...document.querySelectorAll(one)]"
        ".some((part) => part.checkVisibility() && part.getBoundingClientRect().height > 0))"
    )
    due = ".on-paper; h1; .story .facts; #turn; #film img; #squares tr; #known tr; .hashes"
    page.gives(seen.format(due), due.split("; "))
    pressed = ".bar; .steps; .tabs; .controls; .viewer; [data-print]; .archive button"
    page.gives(seen.format(pressed), [])
    page.wait("document.documentElement.scrollWidth <= innerWidth")


ASKED = """
const [records, done] = arguments;
(async () => {
  const { card, flagged } = await import("/static/director/attention.js");
  const { offerDeed } = await import("/static/director/actions.js");
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

KINDS = {
    "letter": "BlankDesignated",
    "symbol": "SquareCorrected",
    "rack": "RackReported",
    "reason": "StopExplained",
    "ruling": "TurnRuled",
    "set": "SetAltered",
    "parting": "TurnParted",
    "seats": "PlayersNamed",
    "ending": "GameEnded",
    "time": "UnseenTimeCharged",
}


def records(book: str) -> list[dict]:
    made = []
    for code in ASKING:
        state, _, _ = flagged(code, book)
        shown = view(state, "director")
        found = [one.as_json() for one in concerns(shown)]
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
        kind = KINDS[CODES[code].asks]
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
    page.says(".concern h3", has="for 40:00: was it")
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
