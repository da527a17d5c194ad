"""On the desk's page each question shows an input for its answer, under every rulebook."""

from __future__ import annotations

import pytest

from dashboard.director.concerns import concerns
from game.board import Square
from game.events import TimeUnseen
from game.flags import CODES
from game.rulebooks.loading import rulebook_ids
from table.views.views import view
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS
from tests.dashboard.directorpages import TABLE, keys, ready
from tests.game.answerkit import ASKING, flagged

pytestmark = pytest.mark.browser

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
def test_each_question_shows_an_input_for_its_answer(browser, desk, url, game, book):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns tr').length === 1")
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


@pytest.mark.everyday
def test_a_blank_and_a_tile_face_down_are_settled_by_typing(browser, desk, url, game):
    game.play("8G", "C?T#")
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.asker').length === 2")
    for letter, left in (("u", 1), ("s", 0)):
        browser.execute_script("document.querySelector('.asker').focus()")
        keys(browser, letter)
        page.wait(f"document.querySelectorAll('.asker').length === {left}")
    (blank,) = desk.events("BlankDesignated")
    (down,) = desk.events("SquareCorrected")
    assert (blank["square"], blank["letter"]) == ("8H", "U")
    assert (down["square"], down["symbol"]) == ("8J", "S")
    page.wait("document.querySelector('#attention-none').hidden === false")
    assert page.troubles() == []


def test_a_part_of_a_time_that_nobody_watched_is_charged_and_taken_back(browser, desk, url, game):
    game.play(*TURNS[0])
    game.put(TimeUnseen(game.t_ns, game.t_ns, 2_400 * 10**9, measured=False))
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelector('[data-offer$=amount]') !== null")
    assert "for 40:00: was it" in page.text(".concern h3")
    page.click("[data-offer$=amount]")
    page.wait("document.querySelector('#dialog').open")
    browser.execute_script("document.querySelector('#dialog [name=charged_ns]').focus()")
    keys(browser, "1:30")
    ready(page)
    page.click("#dialog .primary")
    page.wait("document.querySelectorAll('.concern').length === 0")
    (charge,) = desk.events("UnseenTimeCharged")
    assert (charge["side"], charge["charged_ns"]) == ("right", 90 * 10**9)
    page.click("#undo")
    page.wait("document.querySelectorAll('.concern').length === 1")
    assert page.troubles() == []


def test_a_question_stands_with_the_play_whose_tile_was_read_late(browser, desk, url, game):
    """For the director and, as a mark, for everybody: it is about the play that laid the tile."""
    game.play("8D", "FI~NS")
    game.board = game.board.replace({Square.parse("8F"): "R"})
    game.play("9D", "O")
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.concern').length === 1")
    assert "Turn 1, Ada" in page.text(".concern .about")
    links = page.js("[...document.querySelectorAll('.concern .about a')].map((a) => a.textContent)")
    assert links == ["Pictures of turn 1", "Pictures of turn 2"]
    flagged_rows = "[...document.querySelectorAll('tr:has(.flagged)')].map((row) => row.id).join()"
    assert page.js(flagged_rows) == "turn-1"
    browser.execute_script("window.open(arguments[0])", f"{url}/")
    director, public = browser.window_handles[-2:]
    browser.switch_to.window(public)
    marked = "[...document.querySelectorAll('tr:has(.asked)')].map((r) => r.dataset.number).join()"
    page.wait(f"{marked} === '1'")
    page.wait_for_turns(2)
    browser.switch_to.window(director)
    page.click(".concern .offer .button")  # count the R for turn 1
    page.wait("document.querySelectorAll('.concern').length === 0")
    assert page.js(flagged_rows) == ""
    browser.switch_to.window(public)
    page.wait(f"{marked} === ''")
    assert page.text("tr[data-number='1'] .corrected") == "corrected"
    browser.close()
    browser.switch_to.window(director)
    assert page.troubles() == []


def test_the_page_of_a_play_has_the_question_about_its_tile_that_was_read_late(
    browser, desk, url, game
):
    game.play("8D", "FI~NS")
    game.board = game.board.replace({Square.parse("8F"): "R"})
    game.play("9D", "O")
    page = Page(browser, f"{url}{TABLE}/turns/1")
    asked = "[...document.querySelectorAll('#turn .flag:not(.settled) .text')]"
    page.wait(f"{asked}.some((one) => one.textContent.includes('8F as R'))")
