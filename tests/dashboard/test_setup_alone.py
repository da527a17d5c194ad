"""The calibration page while ``tilewatch calibrate`` runs."""

from __future__ import annotations

import pytest

from dashboard.setup.standalone import COOKIE, alone
from tests.dashboard.setup_fixtures import Bench


@pytest.fixture
def bench():
    return Bench()


@pytest.fixture
def opened(bench):
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


def test_the_key_becomes_a_cookie_that_no_script_and_no_other_site_gets(bench):
    app, key = alone(bench)
    cookie = app.test_client().get(f"/setup?key={key}").headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_the_page_and_its_picture(opened, bench):
    page = opened.get("/setup/this/calibration")
    assert page.status_code == 200
    assert 'data-api="/setup/this/api/"' in page.text
    assert opened.get("/setup/this/api/judged.jpg").data == bench.jpeg
    bench.fault = "the camera is gone"
    assert opened.get("/setup/this/api/live.jpg").status_code == 404
    assert opened.get("/setup/that/calibration").status_code == 404
    for missing in ("game", "doctor", "nothing"):
        assert opened.get(f"/setup/this/{missing}").status_code == 404


def test_corners_and_save_reach_the_bench(opened, bench):
    corners = [[1.5, 2], [9, 2], [9, 9], [1, 9]]
    answer = opened.post("/setup/this/api/nudge", json={"corners": corners})
    assert answer.json["found"]["corners"] == corners
    assert opened.post("/setup/this/api/save", json={"empty": False}).status_code == 200
    assert opened.post("/setup/this/api/save", json={}).status_code == 200
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
def test_nonsense_is_refused_before_it_gets_there(opened, bench, path, body):
    answer = opened.post(f"/setup/this/api/{path}", json=body)
    assert answer.status_code == 400
    assert answer.json["error"]
    assert bench.asked == []


def test_a_refusal_is_one_line(opened, bench):
    bench.fault = "the camera is gone; plug it in"
    answer = opened.post("/setup/this/api/look", json={})
    assert (answer.status_code, answer.json) == (
        409,
        {"error": "the camera is gone; plug it in", "despite": False},
    )


def test_another_sites_page_is_refused(opened, bench):
    answer = opened.post("/setup/this/api/save", json={}, headers={"Origin": "https://example.org"})
    assert answer.status_code == 403
    assert bench.asked == []
