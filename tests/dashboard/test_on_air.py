"""A page for a stream shows no trouble; who runs the show is told of it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dashboard.on_air import AGAIN_S, LASTS_S, MOST, AirTroubles
from dashboard.streaming.refusals import refusal

READER = {"Accept": "text/html,application/xhtml+xml"}


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/overlay/nowhere/scene", "no slot"),
        ("/overlay/1/scen", "no page"),
        ("/overlay/1", "no page"),
        ("/overlay/1/scene?siz=75", "no parameter"),
        ("/overlay/1/scene?delay=31", "needs a token"),
        ("/overlay/1/scene?token=tw_0_0", "not known here"),
        ("/overlay/1/live?token=tw_0_0", "not known here"),
        ("/obs/1/scores", "no value"),
        ("/obs/1/score?delay=31", "needs a token"),
        ("/obs/1/score?bg=blurple", "bg: a colour"),
        ("/obs/1/score?size=large", "size: pixels"),
        ("/obs/1/score?seize=20", "no parameter"),
        ("/api/broadcasts/obs/nationals/1/scores", "no value"),
    ],
)
def test_an_address_in_trouble_shows_nothing_and_the_director_has_why(hall, game, path, why):
    answer = hall.visitor().get(path, headers=READER)
    assert answer.status_code >= 400
    page = re.sub(r'(data-trouble|aria-label)="[^"]*"|<title>.*?</title>', "", answer.text)
    assert re.sub(r"<[^>]*>", "", page).strip() == ""
    assert "stylesheet" not in page
    assert answer.headers["Refresh"] == str(AGAIN_S)
    client, _ = hall.director()
    shown = client.get("/director/links").text
    assert why in shown[shown.index('id="on-air"') : shown.index("</ul>", shown.index("on-air"))]
    assert "tw_0_0" not in shown


def test_the_trouble_of_a_directors_monitor_is_no_trouble_on_air(hall, game):
    client, _ = hall.director()
    assert client.get("/overlay/1/racks?monitor=yes", headers=READER).status_code >= 400
    assert "Nothing on air</b>" not in client.get("/director/show").text
    client.get("/overlay/1/racks", headers=READER)
    assert client.get("/director/show").text.count("Nothing on air</b>") == 1


def test_what_a_program_asks_for_is_told_as_before(hall, game):
    for path in ("/overlay/nowhere/live", "/obs/1/scores.txt", "/obs/1/scores/events"):
        answer = hall.visitor().get(path)
        assert answer.status_code == 404
        assert "Refresh" not in answer.headers
    assert "There is no" in answer.text


def test_a_page_that_is_none_of_a_stream_s_says_what_is_wrong(hall, game):
    answer = hall.visitor().get("/tables/nowhere", headers=READER)
    assert "<h1>" in answer.text
    client, _ = hall.director()
    assert "/tables/nowhere" not in client.get("/director/links").text


def test_values_take_what_woogles_pages_take(hall, game):
    style = "bg=%23fff&color=white&blank=rgb(255,%200,%200)&size=30px&padding=0&speed=80&wrap=20"
    path = f"/obs/1/last_play?{style}&font=Fira%20Sans&bold=0&align=center&delay=30"
    assert hall.visitor().get(path).status_code == 200


def test_a_trouble_is_over_once_nobody_meets_it():
    now = SimpleNamespace(s=100.0)
    troubles = AirTroubles(lambda: now.s)
    troubles.met("/overlay/x/scene", "x", "no slot")
    for _ in range(5):
        now.s += AGAIN_S
        troubles.met("/overlay/x/scene", "x", "no slot")
    assert [one.since_s for one in troubles.all()] == [100.0]
    now.s += LASTS_S + 1
    assert troubles.all() == []
    for number in range(2 * MOST):
        troubles.met(f"/overlay/{number}/scene", str(number), "no slot")
    assert len(troubles.all()) == MOST


@pytest.mark.parametrize("on_air", [True, False])
def test_a_full_server_shows_nothing_on_air_either(on_air):
    headers, body = refusal(503, reader=True, again=True, on_air=on_air)
    assert (b"<h1>" in body) is not on_air
    assert (b"refresh" in dict(headers)) is on_air
