"""Whatever a director does on a table's page, in a real browser: its effect first, and why."""

from __future__ import annotations

import pytest

from game.events import ButtonPressed, GameStarted
from table.health.alerts import Alert
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import NAMES, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import TABLE, choice, chosen, from_the_menu, keys, pressed

pytestmark = pytest.mark.browser

CONFIRM = "document.querySelector('#dialog .primary')"
FORM = "document.querySelector('#dialog form').elements"


@pytest.mark.everyday
def test_a_correction_shows_its_effect_before_it_is_made(browser, desk, url, game):
    for place, word in TURNS:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 6")
    before = page.text(".player[data-side=left] output")
    page.click("[data-correct='1']")
    page.wait("document.querySelector('#dialog').open")
    off = choice("challenge_upheld")
    page.wait(f'document.querySelector("{off}") !== null')
    assert "34 → 10" in page.text(off)
    page.click("#dialog [data-choice=challenge_upheld] + details summary")
    rows = "document.querySelectorAll('#dialog [data-choice=challenge_upheld] + details tbody tr')"
    page.wait(f"{rows}.length > 2")
    assert desk.events("TurnRuled") == []
    browser.execute_script("document.querySelector('#dialog form').elements.why.focus()")
    keys(browser, "no such word")
    chosen(page, "challenge_upheld")
    page.wait(
        f"document.querySelector('.player[data-side=left] output').textContent !== '{before}'"
    )
    assert desk.events("TurnRuled")[0]["why"] == "no such word"
    page.wait("document.querySelectorAll('#statements li').length === 1")
    assert page.js("document.activeElement.dataset.correct") == "1"
    assert page.troubles() == []


@pytest.mark.parametrize(
    ("deed", "field", "line"),
    [
        ("score", "points", "Points: a whole number."),
        ("clock", "time", "Another amount: minutes and seconds"),
        ("end", "margin", "Spread of a forfeit: a number"),
        ("Points…", "points", "Points: a whole number of at most three digits"),
        ("Late start…", "time", "Time lost: minutes and seconds"),
        ("Turn missing…", "ago", "How long before the next press: minutes and seconds"),
    ],
)
def test_a_letter_is_never_a_digit_and_the_line_names_the_field(
    browser, desk, url, game, deed, field, line
):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    if deed.endswith("…"):
        from_the_menu(page, deed)
    else:
        pressed(page, deed)
        page.wait("document.querySelector('#dialog').open")
    for typed in ("7O", "l5", "7e1"):
        browser.execute_script(
            f"const one = document.querySelector('#dialog [name={field}]');"
            "if (one.closest('details')) one.closest('details').open = true;"
            "const side = document.querySelector('#dialog [name=side]');"
            "if (side && !document.querySelector('#dialog [name=side]:checked')) side.click();"
            "one.focus(); one.value = arguments[0];"
            "one.dispatchEvent(new Event('input', { bubbles: true }));",
            typed,
        )
        if page.js(f"{CONFIRM} !== null"):
            page.wait(f"!{CONFIRM}.disabled")
            page.click("#dialog .primary")
        page.wait(f"document.querySelector('#dialog').textContent.includes({line!r})")
        page.wait("document.querySelector('#dialog [data-choice]:not(:disabled)') === null")
    assert page.troubles() == []


def test_what_was_shown_for_another_entry_cannot_be_confirmed(browser, desk, url, game):
    """The answer on what is no longer in the form comes late, on a slow network say."""
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 1")
    browser.execute_script(
        "const asked = window.fetch; window.fetch = async (...what) => {"
        "  const answer = await asked(...what);"
        "  if (String(what[0]).endsWith('/preview')) await new Promise((go) => (window.go = go));"
        "  return answer;"
        "};"
    )
    pressed(page, "score")
    page.wait("window.go !== undefined")
    late = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "const form = document.querySelector('#dialog form');"
        "form.elements.points.value = '40';"
        "form.dispatchEvent(new Event('input')); window.go();"
        "setTimeout(() => done([document.querySelector('#dialog .primary').disabled,"
        "                       document.querySelector('#dialog .effect') !== null]), 50);"
    )
    assert late == [True, False]


def test_a_penalty_that_the_rulebook_names_fills_in_its_points_and_rule(browser, desk, url, log):
    game = GameInLog(log, "game-2")
    game.put(GameStarted("game-2", NAMES, "naspa-2017", "english", "left", game.t_ns))
    game.put(ButtonPressed("right", game.t_ns))
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}")
    from_the_menu(page, "Points…")
    page.click("#dialog .pick label")
    assert page.js(f"[...{FORM}.kind.options].map((one) => one.text)") == [
        "something else",
        "an exchange with fewer than seven tiles in the bag, found late: "
        "30 points off the score (IV.E.2.b)",
        "looking up the words of a challenge one by one: 10 points off the score (IV.J.2)",
    ]

    def chosen(kind):
        browser.execute_script(
            f"{FORM}.kind.value = '{kind}';"
            f"{FORM}.kind.dispatchEvent(new Event('change', {{bubbles: true}}))"
        )
        return page.js(f"['on', 'points', 'rule', 'why'].map((name) => {FORM}[name].value)")

    assert chosen(1)[1:3] == ["10", "IV.J.2"]
    late = chosen(0)
    assert late[:3] == ["penalty", "30", "IV.E.2.b"]
    page.wait(f"!{CONFIRM}.disabled")
    page.click("#dialog .primary")
    page.wait("!document.querySelector('#dialog').open")
    (entered,) = desk.events("PenaltyAdded")
    assert [entered[part] for part in ("points", "rule", "why")] == [30, "IV.E.2.b", late[3]]


def test_a_remedy_is_a_button_under_its_rule(browser, desk, url, log):
    game = GameInLog(log, "game-2")
    game.put(GameStarted("game-2", NAMES, "naspa-2017", "english", "left", game.t_ns))
    game.put(ButtonPressed("right", game.t_ns))
    game.play("8A", "FIRNS")
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('.concern[data-code=off_centre]').length === 1")
    assert "Rule III.G.1" in page.text(".concern[data-code=off_centre] .about")
    page.click(".concern[data-code=off_centre] .offer .button")
    page.wait("document.querySelector('#dialog .effect') !== null")
    assert page.text("#dialog .rule") == "Rule III.G.1"
    keys(browser, "\ue00c")  # Escape
    page.wait("!document.querySelector('#dialog').open")
    assert page.js("document.activeElement.dataset.offer").startswith("1:off_centre")
    assert desk.game.log.last_seq == len(desk.sources())
    assert desk.events("TurnRuled") == []


def test_a_square_of_the_board_opens_its_turn(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    browser.execute_script("document.querySelector('[data-name=\"8D\"]').focus()")
    keys(browser, "\ue007")
    page.wait("document.querySelector('#dialog').open")
    assert page.text("#dialog-title") == "What lies on 8D?"
    page.wait(f'document.querySelector("{choice("P")}") !== null')
    assert "→" in page.js(f'document.querySelector("{choice("P")}").ariaLabel')
    keys(browser, "\ue00c")
    page.wait("!document.querySelector('#dialog').open")
    assert page.js("document.activeElement.dataset.name") == "8D"
    assert page.troubles() == []


@pytest.mark.everyday
def test_a_verdict_on_a_challenge_and_the_rights_that_are_open(browser, desk, url, game):
    for place, word in TURNS[:2]:
        game.play(place, word)
    page = Page(browser, f"{url}{TABLE}")
    page.wait("document.querySelectorAll('#turns [data-correct]').length === 2")
    page.wait("document.querySelectorAll('#rights li').length > 0")
    right = page.text("#rights li")
    assert right.startswith(NAMES["left"])
    assert "hold or challenge the last play" in right
    assert right.endswith("Rule 4.1, 4.6.3")
    pressed(page, "challenge")
    page.wait(f'document.querySelector("{choice("challenge_failed")}") !== null')
    assert page.js("document.querySelector('#dialog form').elements.turn.value") == "2"
    chosen(page, "challenge_failed")
    ruled = desk.events("TurnRuled")[0]
    assert (ruled["turn"], ruled["ruling"], ruled["words"]) == (2, "challenge_failed", 1)
    assert ruled["why"] == "challenged, and good"
    assert page.troubles() == []


def test_whatever_is_done_by_a_button_asks_for_a_reason(browser, desk, url, game):
    game.play(*TURNS[0])
    called = Alert("director_called", "a player called", NOW_NS, stands=False)
    desk.loop.desk.alerts.begin(called)
    page = Page(browser, f"{url}{TABLE}")
    seen_to = "document.querySelector('.concern[data-code=director_called] button')"
    page.wait(f"{seen_to}?.textContent === 'Seen to'")
    page.js(f"{seen_to}.focus()")
    keys(browser, "\ue007")
    page.wait("document.querySelector('#dialog').open")
    # The offered reason is selected: typing replaces it.
    assert page.js("document.activeElement.value") == ("seen to at the table")
    keys(browser, "a question about time", "\ue007")
    page.wait("!document.querySelector('#dialog').open")
    page.wait("document.querySelectorAll('.concern[data-code=director_called]').length === 0")
    assert desk.loop.posted == [("attended", "seen to: a player called")]
    page.click("[data-deed=stop]")
    asked = "document.querySelector('#dialog-title').textContent"
    page.wait(f"{asked} === 'Why was the clock stopped?'")
    keys(browser, "\ue00c")
    assert desk.loop.attributions == [
        ("Ann", "a question about time"),
        ("Ann", "stopped at the director’s desk"),
    ]
    game.put(ButtonPressed("neutral", game.t_ns))
    page.wait("!document.querySelector('[data-deed=start-left]').disabled")
    page.js("document.querySelector('[data-deed=start-left]').click()")
    page.wait("document.querySelector('#dialog').open")
    page.js("document.querySelector('#dialog [name=why]').value = ' '")
    keys(browser, "\ue007")
    page.wait("!document.querySelector('#dialog .fault').hidden")
    assert page.text("#dialog .fault") == "Say why: it stands in the record for good."
    keys(browser, "all is well", "\ue007")
    page.wait("!document.querySelector('#dialog').open")
    assert desk.loop.posted[-1] == ("press", "right")
    assert desk.loop.attributions[-1] == ("Ann", "all is well")
    assert page.troubles() == []
