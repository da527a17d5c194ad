"""The set-up pages: for a director, while tilewatch calibrate runs, and by keyboard alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markupsafe import escape

from dashboard.setup.standalone import COOKIE, alone
from tests.dashboard.browsing import PHONE, Page, keys, violations
from tests.dashboard.setup_fixtures import Bench
from tests.machine import until

PAGES = ("calibration", "tiles", "game", "doctor")
DEEDS = ("look", "nudge", "save", "tiles", "doctor", "game")
AT = "/director/tables/1/setup"


@pytest.fixture
def bench():
    return Bench()


@pytest.fixture
def made(desk, bench):
    desk.site.add(replace(desk.table, bench=bench))
    return desk


def test_who_only_watches_does_not_see_how_a_table_is_set_up(made):
    observer = made.client("Otto")
    api = ("setup/api/calibration", "setup/api/judged.jpg", "setup/api/live.jpg")
    for path in (*(f"setup/{page}" for page in PAGES), *api, "camera", "camera/api/state"):
        assert observer.get(f"/director/tables/1/{path}").status_code == 403, path


def test_nothing_is_kept_for_a_reason_that_is_no_text(made, bench):
    director = made.client()
    headers = {"X-CSRF-Token": director.token}
    for deed in ("save", "tiles", "game"):
        for why in (7, "x" * 401):
            answer = director.post(f"{AT}/api/{deed}", json={"why": why}, headers=headers)
            assert (answer.status_code, "why" in answer.json["error"]) == (409, True), deed
        assert bench.asked == []
        statuses = []
        for bench.on_disk in (True, False):  # what is in memory alone is accepted and not done
            answer = director.post(f"{AT}/api/{deed}", json={"why": "a new lamp"}, headers=headers)
            statuses.append((answer.status_code, answer.json["on_disk"]))
        assert statuses == [(200, True), (202, False)]
        bench.asked.clear()


def test_every_page_is_there_for_a_director(made):
    director = made.client()
    for page in PAGES:
        answer = director.get(f"{AT}/{page}")
        assert answer.status_code == 200, page
        assert f'data-api="{AT}/api/"' in answer.text
        assert 'aria-current="page"' in answer.text
        assert f">{escape(made.table.name)}</a>" in answer.text
    assert f"{AT}/game" in director.get("/director/tables/1").text
    assert director.get(f"{AT}/nothing").status_code == 404
    made.site.add(replace(made.table, bench=None))
    assert director.get(f"{AT}/calibration").status_code == 404
    assert f"{AT}/" not in director.get("/director/tables/1").text


@pytest.fixture
def opened(made, browser, url):
    return lambda page: Page(browser, f"{url}{AT}/{page}")


@pytest.mark.browser
@pytest.mark.everyday
def test_corners_are_moved_and_saved_by_keyboard_alone(opened, browser, bench):
    page = opened("calibration")
    page.there(".grid-line", 32)
    focus, tab = "document.activeElement", "\ue004"
    keys(browser, "3")
    page.gives(f"{focus}.dataset.corner", "2")
    keys(browser, "\ue014\ue014\ue014\ue013")  # three steps to the right, one up
    until(lambda: bench.corners[2] == [563.0, 429.0])  # a slow browser sends the steps in parts
    assert bench.corners[0] == [100.0, 80.0]
    keys(browser, tab, tab)  # the fourth corner, "nothing lies on the board"
    page.gives(f"{focus}.id", "empty")
    keys(browser, " ", tab)
    page.gives(f"{focus}.id", "board-only")
    keys(browser, " ", tab)
    page.there(".grid-rest")
    page.gives(f"{focus}.id", "why")
    keys(browser, "before round 3", tab, "\ue007")
    page.says("#saved", has="Saved")
    assert bench.asked[-1] == ("keep", False, True)
    assert bench.attributions == [("Ann", "before round 3")]


@pytest.mark.browser
def test_what_is_wrong_stands_beside_save_and_a_fault_leaves_the_page_usable(opened, bench, screen):
    page = opened("calibration")
    screen(1366, 768)
    page.says("#summary", "All is good except: focus (fair), glare (poor).")
    page.wait("document.querySelector('#save').getBoundingClientRect().bottom < 768")
    # On a low screen the grid lies over the picture.
    screen(844, 400, mobile=False)
    box = "JSON.stringify(document.querySelector('{}').getBoundingClientRect(), {})"
    whole = "(key, value) => key === '' ? value : Math.round(value)"
    page.wait("document.querySelector('#picture').offsetWidth > 100")
    page.wait(f"{box.format('#grid', whole)} === {box.format('#picture', whole)}")
    page.there("#save:enabled")
    bench.fault = "the camera is gone; plug it in"
    page.click("#look")
    page.says("#fault:not([hidden])", bench.fault)
    bench.fault = None
    page.click("#look")
    page.there("#fault[hidden]")


@pytest.mark.browser
@pytest.mark.everyday
def test_the_tiles_the_doctor_and_a_new_game(opened, browser, bench):
    page = opened("tiles")
    page.click("#check")
    page.says("#says", has="missing: 1 × B")
    page.there("#tiles .tile", 3)
    page.says("#tiles .wrong", "Q")
    page.click("#by-hand")
    until(lambda: bench.asked == [("count", False), ("count", True)])
    page = opened("doctor")
    page.click("#check")
    page.says("#sum", has="1 of 3 needs fixing")
    for text in ("Free some.", "Data folder", "/srv/games can be written by ann"):
        page.says("#checks", has=text)
    page = opened("game")
    chosen = "[data-rulebook]:not([hidden])"
    field = "document.querySelector(\"{} [name='{}']\")"
    challenge, minutes = (field.format(chosen, name) for name in ("challenge", "clock.minutes"))
    write(page, field.format("#game", "left"), "<b>Zoë</b>")
    page.gives(f"{challenge}.value", "lose_turn")
    page.click("[name=rulebook] [value=psa]")
    page.gives(f"{challenge}.value", "")
    for letters in ("2O", "2e1"):  # a letter is never a digit
        write(page, minutes, letters)
        page.click("#game button")
        page.says("#fault:not([hidden])", ends=": a whole number from 1 to 600.")
        page.wait(f"document.activeElement === {minutes}")
    assert not [one for one in bench.asked if one[0] == "game"]
    write(page, minutes, "22")
    option = "[data-rulebook=psa] [value='points 5 challenge']"
    page.says(option, "5 points for each challenge")
    page.click(option)
    bench.fault = "The board is not empty: 5 tiles are seen on it."
    page.click("#game button")
    page.says("#game button", "Get the table ready all the same")
    page.says("#fault", has="not empty")
    bench.fault = None
    page.click("#game button")
    page.says("#done", has="Ready")
    page.says("#game button", "Get the table ready")
    _, wishes = bench.asked[-1]
    assert wishes.pop("despite_tiles") is True
    assert wishes == bench.asked[-2][1] == {
        "left": "<b>Zoë</b>", "right": "Bob", "rulebook": "psa", "tile_set": "english",
        "announced": {"clock.minutes": 22, "challenge": "points 5 challenge"}, "word_list": "",
        "by": "Ann", "why": "",
    }  # fmt: skip
    nobody_said = ("Ann", "")
    assert bench.attributions == [nobody_said] * 3


def write(page: Page, field: str, text: str) -> None:
    """Type in place of what stands in a field."""
    page.driver.execute_script(f"{field}.focus(); {field}.select()")
    keys(page.driver, text)


@pytest.mark.browser
def test_no_game_is_made_while_one_is_going_on(opened, bench):
    bench.now |= {"status": "running", "left": "Ann Lee", "right": "Bob"}
    page = opened("game")
    page.there("#game button:disabled[aria-describedby=going]")
    page.says("#going:not([hidden])", has="Ann Lee – Bob is going on at this table")
    bench.now |= {"status": "ended"}
    page.there("#game button:enabled")
    page.there("#going[hidden]")


@pytest.mark.browser
def test_on_a_phone_what_was_typed_is_kept_and_what_came_of_it_is_beside_the_button(
    opened, browser, bench, screen
):
    screen(*PHONE)
    bench.now |= {"status": "running", "left": "Ann Lee", "right": "Bob"}
    page = opened("game")
    page.wait("document.querySelector('#going').getBoundingClientRect().bottom < innerHeight")
    left = "document.querySelector('#game [name=left]')"
    write(page, left, "Cora")
    bench.now |= {"status": "ended"}
    browser.refresh()
    page.gives(f"{left}.value", "Cora")
    seen = (
        "(({{ top, bottom }}) => top >= 0 && bottom <= innerHeight + 1)({}.getBoundingClientRect())"
    )
    bench.fault = "The board is not empty: 5 tiles are seen on it."
    page.click("#game button")
    page.there("#fault:not([hidden])")
    page.wait(seen.format("document.querySelector('#fault')"))
    bench.fault = None
    page.click("#game button")
    page.there("#done:not([hidden])")
    page.wait(seen.format("document.querySelector('#done')"))
    browser.refresh()
    page.gives(f"{left}.value", "")


@pytest.mark.browser
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(opened, browser, bench, page, screen):
    shown = opened(page)
    if page == "calibration":
        shown.there("#save:enabled")
    elif page != "game":
        shown.click("#check")
        until(lambda: bool(bench.asked))
    for size in ((360, 800), (1400, 950)):
        screen(*size, mobile=False)
        for theme in ("light", "dark"):
            browser.execute_script(f"document.documentElement.dataset.theme = '{theme}'")
            assert violations(browser) == []
        root = "document.documentElement"
        shown.wait(f"{root}.scrollWidth <= {root}.clientWidth")


@pytest.fixture
def visitor(bench):
    app, key = alone(bench)
    client = app.test_client()
    assert client.get(f"/setup?key={key}").status_code == 302
    return client


def test_nobody_enters_without_the_key(bench):
    app, key = alone(bench)
    client = app.test_client()
    for path in ("/setup", "/setup?key=", "/setup?key=x" + key):
        assert client.get(path).status_code == 403, path
    assert "To the table" not in client.get("/setup").text  # there is none
    for path in ("calibration", "tiles", "api/calibration", "api/judged.jpg"):
        assert client.get(f"/setup/this/{path}").status_code == 403, path
    for path in DEEDS:
        assert client.post(f"/setup/this/api/{path}", json={}).status_code == 403, path
    assert bench.asked == []
    cookie = client.get(f"/setup?key={key}").headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    elsewhere = {"Origin": "https://example.org"}
    answer = client.post("/setup/this/api/save", json={}, headers=elsewhere)
    assert answer.status_code == 403
    assert bench.asked == []


def test_the_page_and_its_picture(visitor, bench):
    page = visitor.get("/setup/this/calibration")
    assert page.status_code == 200
    assert 'data-api="/setup/this/api/"' in page.text
    assert visitor.get("/setup/this/api/judged.jpg").data == bench.jpeg
    bench.fault = "the camera is gone; plug it in"
    assert visitor.get("/setup/this/api/live.jpg").status_code == 404
    answer = visitor.post("/setup/this/api/look", json={})
    refused = {"error": bench.fault, "despite": False}  # one line
    assert (answer.status_code, answer.json) == (409, refused)
    assert visitor.get("/setup/that/calibration").status_code == 404
    for missing in ("game", "doctor", "nothing"):
        assert visitor.get(f"/setup/this/{missing}").status_code == 404


def test_corners_and_save_reach_the_bench(visitor, bench):
    corners = [[1.5, 2], [9, 2], [9, 9], [1, 9]]
    answer = visitor.post("/setup/this/api/nudge", json={"corners": corners})
    assert answer.json["found"]["corners"] == corners
    assert visitor.post("/setup/this/api/save", json={"empty": False}).status_code == 200
    assert visitor.post("/setup/this/api/save", json={}).status_code == 200
    assert bench.asked == [("move", corners), ("keep", False), ("keep", None)]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("nudge", {"corners": [[1, 2]]}),
        ("nudge", {"corners": [[1, 2], [3, 4], [5, 6], [7, None]]}),
        ("nudge", {"corners": [[1, 2], [3, 4], [5, 6], [7, True]]}),
        ("nudge", {"corners": [[1, 2], [3, 4], [5, 6], [7, 1e300]]}),
        ("nudge", {"corners": "x"}),
        ("nudge", []),
        ("save", {"empty": "yes"}),
        ("tiles", {"by_hand": "yes"}),
    ],
)
def test_nonsense_is_refused_before_it_gets_there(visitor, bench, path, body):
    answer = visitor.post(f"/setup/this/api/{path}", json=body)
    assert answer.status_code == 400
    assert answer.json["error"]
    assert bench.asked == []
