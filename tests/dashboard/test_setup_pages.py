"""The set-up pages: for a director, while tilewatch calibrate runs, and by keyboard alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markupsafe import escape

from dashboard.setup.standalone import COOKIE, alone
from tests.dashboard.axe import violations
from tests.dashboard.browsing import WINDOW
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


def test_only_a_director_sets_a_table_up(made, bench):
    anybody, observer = made.client(None), made.client("Otto")
    for page in PAGES:
        assert anybody.get(f"{AT}/{page}").status_code == 302, page
        assert observer.get(f"{AT}/{page}").status_code == 403, page
    for path in ("calibration", "judged.jpg", "live.jpg"):
        assert anybody.get(f"{AT}/api/{path}").status_code in (302, 401), path
        assert observer.get(f"{AT}/api/{path}").status_code == 403, path
    for deed in DEEDS:
        assert anybody.post(f"{AT}/api/{deed}", json={}).status_code == 401, deed
        assert observer.post(f"{AT}/api/{deed}", json={}).status_code == 403, deed
    assert bench.asked == []


def test_nothing_is_done_without_the_pages_token_and_nothing_kept_without_a_reason(made, bench):
    director = made.client()
    for deed in DEEDS:
        answer = director.post(f"{AT}/api/{deed}", json={}, headers={"X-CSRF-Token": "no"})
        assert answer.status_code == 403, deed
    headers = {"X-CSRF-Token": director.token}
    for deed in ("save", "tiles", "game"):
        for body in ({}, {"why": " "}, {"why": 7}):
            answer = director.post(f"{AT}/api/{deed}", json=body, headers=headers)
            assert (answer.status_code, answer.json["error"]) == (409, "say why"), deed
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
    assert f"{AT}/calibration" in director.get("/director/tables/1").text
    assert director.get(f"{AT}/nothing").status_code == 404
    made.site.add(replace(made.table, bench=None))
    assert director.get(f"{AT}/calibration").status_code == 404
    assert f"{AT}/calibration" not in director.get("/director/tables/1").text


@pytest.fixture
def opened(made, browser, url):
    def visit(page):
        browser.get(f"{url}{AT}/{page}")
        return browser

    yield visit
    browser.get("about:blank")
    browser.set_window_size(*WINDOW)


def press(driver, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(*keys).perform()


@pytest.mark.browser
@pytest.mark.everyday
def test_corners_are_moved_and_saved_by_keyboard_alone(opened, bench):
    from selenium.webdriver.common.keys import Keys

    driver = opened("calibration")
    until(
        lambda: driver.execute_script("return document.querySelectorAll('.grid-line').length") == 32
    )
    press(driver, "3")
    focused = "return document.activeElement.dataset.corner"
    assert driver.execute_script(focused) == "2"
    for _ in range(3):
        press(driver, Keys.ARROW_RIGHT)
    press(driver, Keys.ARROW_UP)
    until(lambda: bench.corners[2] == [563.0, 429.0])  # a slow browser sends the steps in parts
    assert bench.corners[0] == [100.0, 80.0]
    press(driver, Keys.TAB, Keys.TAB)  # the fourth corner, "nothing lies on the board"
    assert driver.execute_script("return document.activeElement.id") == "empty"
    press(driver, Keys.SPACE, Keys.TAB)
    assert driver.execute_script("return document.activeElement.id") == "why"
    driver.switch_to.active_element.send_keys("before round 3")
    press(driver, Keys.TAB, Keys.ENTER)
    until(lambda: ("keep", False) in bench.asked)
    assert bench.attributions == [("Ann", "before round 3")]
    until(lambda: "Saved" in driver.find_element("id", "saved").text)


@pytest.mark.browser
def test_what_is_wrong_with_the_picture_stands_beside_save_above_the_fold(opened, screen):
    driver = opened("calibration")
    screen(1366, 768)
    summary = "All is good except: focus (fair), glare (poor)."
    until(lambda: driver.find_element("id", "summary").text == summary)
    bottom = "return document.querySelector('#save').getBoundingClientRect().bottom"
    assert driver.execute_script(bottom) < 768


@pytest.mark.browser
def test_the_grid_lies_over_the_picture_on_a_low_screen(opened):
    driver = opened("calibration")
    driver.set_window_size(844, 400)
    box = (
        "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [box.x, box.y, box.width, box.height].map(Math.round)"
    )
    until(lambda: driver.execute_script(box, "#picture")[2] > 100)
    until(lambda: driver.execute_script(box, "#grid") == driver.execute_script(box, "#picture"))


@pytest.mark.browser
def test_a_fault_is_said_and_the_page_stays_usable(opened, bench):
    driver = opened("calibration")
    until(lambda: driver.find_element("id", "save").is_enabled())
    bench.fault = "the camera is gone; plug it in"
    driver.find_element("id", "look").click()
    until(lambda: driver.find_element("id", "fault").text == bench.fault)
    bench.fault = None
    driver.find_element("id", "look").click()
    until(lambda: not driver.find_element("id", "fault").is_displayed())


NOTHING_BESIDE = (
    "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
)


def chosen(driver, name):
    """The field of the rulebook that is chosen."""
    return driver.find_element("css selector", f"[data-rulebook]:not([hidden]) [name='{name}']")


@pytest.mark.browser
@pytest.mark.everyday
def test_the_tiles_the_doctor_and_a_new_game(opened, bench):
    driver = opened("tiles")
    driver.find_element("id", "check").click()
    until(lambda: "missing: 1 × B" in driver.find_element("id", "says").text)
    assert len(driver.find_elements("css selector", "#tiles .tile")) == 3
    assert driver.find_element("css selector", "#tiles .wrong").text == "Q"
    assert bench.asked[-1] == ("count", False)
    driver.find_element("id", "by-hand").click()
    until(lambda: bench.asked[-1] == ("count", True))
    driver = opened("doctor")
    driver.find_element("id", "check").click()
    until(lambda: "1 of 3 needs fixing" in driver.find_element("id", "sum").text)
    text = driver.find_element("id", "checks").text
    assert "Free some." in text
    assert "Data folder" in text
    assert "/srv/games can be written by ann" in text
    driver = opened("game")
    name = driver.find_element("name", "left")
    name.clear()
    name.send_keys("<b>Zoë</b>")
    assert chosen(driver, "challenge").get_attribute("value") == "lose_turn"
    driver.find_element("css selector", "[name=rulebook] [value=psa]").click()
    assert chosen(driver, "challenge").get_attribute("value") == ""
    minutes = chosen(driver, "clock.minutes")
    for letters in ("2O", "2e1"):  # a letter is never a digit
        minutes.clear()
        minutes.send_keys(letters)
        driver.find_element("css selector", "#game button").click()
        until(lambda: driver.find_element("id", "fault").is_displayed())
        assert driver.find_element("id", "fault").text.endswith(": a whole number from 1 to 600.")
        assert driver.switch_to.active_element == minutes
    assert not [one for one in bench.asked if one[0] == "game"]
    minutes.clear()
    minutes.send_keys("22")
    option = "[data-rulebook=psa] [value='points 5 challenge']"
    assert driver.find_element("css selector", option).text == "5 points for each challenge"
    driver.find_element("css selector", option).click()
    bench.fault = "The board is not empty: 5 tiles are seen on it."
    button = driver.find_element("css selector", "#game button")
    button.click()
    until(lambda: button.text == "Get the table ready all the same")
    assert "not empty" in driver.find_element("id", "fault").text
    bench.fault = None
    button.click()
    until(lambda: "Ready" in driver.find_element("id", "done").text)
    assert button.text == "Get the table ready"
    (_, wishes) = bench.asked[-1]
    assert wishes.pop("despite_tiles") is True
    assert wishes == bench.asked[-2][1] == {
        "left": "<b>Zoë</b>", "right": "Bob", "rulebook": "psa", "tile_set": "english",
        "announced": {"clock.minutes": 22, "challenge": "points 5 challenge"}, "word_list": "",
        "by": "Ann", "why": "the next pairing",
    }  # fmt: skip
    assert bench.attributions == [
        ("Ann", "the set is checked"),
        ("Ann", "the set is checked"),
        ("Ann", "the next pairing"),
    ]


@pytest.mark.browser
def test_no_game_is_made_while_one_is_going_on(opened, bench):
    bench.now |= {"status": "running", "left": "Ann Lee", "right": "Bob"}
    driver = opened("game")
    button = driver.find_element("css selector", "#game button")
    assert not button.is_enabled()
    why = driver.find_element("id", button.get_attribute("aria-describedby"))
    assert "Ann Lee – Bob is going on at this table" in why.text
    bench.now |= {"status": "ended"}
    until(button.is_enabled)
    assert not why.is_displayed()


@pytest.mark.browser
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(opened, bench, page):
    driver = opened(page)
    if page == "calibration":
        until(lambda: driver.find_element("id", "save").is_enabled())
    elif page != "game":
        driver.find_element("id", "check").click()
        until(lambda: bool(bench.asked))
    for size in ((360, 800), (1400, 950)):
        driver.set_window_size(*size)
        for theme in ("light", "dark"):
            driver.execute_script(f"document.documentElement.dataset.theme = '{theme}'")
            assert violations(driver) == []
        until(lambda: driver.execute_script(NOTHING_BESIDE))


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
    for path in ("look", "nudge", "save", "tiles", "doctor", "game"):
        assert client.post(f"/setup/this/api/{path}", json={}).status_code == 403, path
    assert bench.asked == []
    cookie = client.get(f"/setup?key={key}").headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    elsewhere = {"Origin": "https://example.org"}
    answer = client.post("/setup/this/api/save", json={}, headers=elsewhere)
    assert answer.status_code == 403
    assert bench.asked == []


def test_the_page_and_its_picture(visitor, bench):
    page = visitor.get("/setup/this/calibration")
    assert page.status_code == 200
    assert 'data-api="/setup/this/api/"' in page.text
    assert visitor.get("/setup/this/api/judged.jpg").data == bench.jpeg
    bench.fault = "the camera is gone"
    assert visitor.get("/setup/this/api/live.jpg").status_code == 404
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


def test_a_refusal_is_one_line(visitor, bench):
    bench.fault = "the camera is gone; plug it in"
    answer = visitor.post("/setup/this/api/look", json={})
    assert (answer.status_code, answer.json) == (
        409,
        {"error": "the camera is gone; plug it in", "despite": False},
    )
