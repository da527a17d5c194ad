"""The API: what it answers, to whom, and to whom not."""

from __future__ import annotations

import json

import pytest

from game.events import RackReported, TurnRuled
from game.gcg import parse
from table.views.public_policy import PublicPolicy
from tests.dashboard.api_fixtures import JPEG, hall_over
from tests.dashboard.conftest import NAMES, SECOND, TURNS, views

BASE = "/api/v1/tables/1"


@pytest.fixture
def hall(log, tmp_path):
    made = hall_over(log, tmp_path / "data")
    yield made
    made.close()


@pytest.fixture
def played(game):
    for place, word in TURNS:
        game.play(place, word)
    return game


GUARDED = (
    "?audience=player",
    "?audience=broadcast",
    "?audience=director",
    "/events?audience=director",
    "/turns?audience=director",
    "/turns/1?audience=director",
    "/clocks?audience=broadcast",
    "/game.gcg?audience=director",
    "/log",
    "/evidence/{sha256}",
)


@pytest.mark.parametrize("path", GUARDED)
def test_what_is_not_for_everybody_needs_a_token_or_a_session(hall, played, path):
    path = BASE + path.format(sha256=hall.sha256)
    refused = hall.visitor().get(path)
    assert refused.status_code == 401
    assert set(refused.json) == {"error"}
    assert hall.visitor().get(path, headers=hall.token("public")).status_code == 403
    assert hall.visitor().get(path, headers=hall.token("overlay", table="2")).status_code == 403
    assert hall.visitor().get(path, headers=hall.token("director-read", "2")).status_code == 403
    with hall.visitor().get(path, headers=hall.token("director-read")) as opened:
        assert opened.status_code == 200
    client, _ = hall.director()
    with client.get(path) as opened:
        assert opened.status_code == 200


@pytest.mark.parametrize("path", GUARDED)
def test_an_overlay_token_opens_the_broadcast_alone(hall, played, path):
    path = BASE + path.format(sha256=hall.sha256)
    expected = 200 if "broadcast" in path else 403
    assert hall.visitor().get(path, headers=hall.token("overlay")).status_code == expected


def test_a_token_changes_nothing(hall):
    for scope in ("overlay", "director-read"):
        headers = hall.token(scope)
        sent = {"name": "more", "scope": "director-read"}
        assert hall.visitor().post("/api/v1/tokens", json=sent, headers=headers).status_code == 401
        assert hall.visitor().get("/api/v1/tokens", headers=headers).status_code == 401


def test_each_audience_gets_its_own_view(hall, played):
    headers = hall.token("director-read")
    for audience in ("public", "player", "broadcast", "director"):
        answer = hall.visitor().get(f"{BASE}?audience={audience}", headers=headers).json
        assert answer["view"]["audience"] == audience
    assert hall.visitor().get(f"{BASE}?audience=root").status_code == 400


def test_turns_one_by_one(hall, played):
    client = hall.visitor()
    turns = client.get(f"{BASE}/turns").json
    assert [turn["number"] for turn in turns["turns"]] == [1, 2, 3, 4, 5, 6]
    assert client.get(f"{BASE}/turns/1").json["turn"] == turns["turns"][0]
    assert client.get(f"{BASE}/turns/1").json["turn"]["word"] == "FIRNS"
    for missing in ("0", "7", "-1", "x", "99999999999999999999999"):
        assert client.get(f"{BASE}/turns/{missing}").status_code == 404


def test_the_clocks_now(hall, played):
    # It is 2000 s; the left clock runs since the last press.
    clocks = hall.visitor().get(f"{BASE}/clocks").json
    view = hall.visitor().get(BASE).json["view"]["clocks"]
    assert (clocks["running"], clocks["now_ns"]) == ("left", 2000 * SECOND)
    gone = 2000 * SECOND - view["since_ns"]
    assert clocks["remaining_ns"]["left"] == view["remaining_ns"]["left"] - gone
    assert clocks["remaining_ns"]["right"] == view["remaining_ns"]["right"]


def test_the_record_can_be_downloaded(hall, played):
    answer = hall.visitor().get(f"{BASE}/game.gcg")
    assert answer.mimetype == "text/plain"
    assert answer.headers["Content-Disposition"] == "attachment; filename=table-1.gcg"
    record = parse(answer.data)
    assert [entry.kind for entry in record.entries][:3] == ["play", "play", "exchange_or_pass"]
    assert {player.name for player in record.players} == set(NAMES.values())


def test_the_public_record_has_no_rack_in_it(hall, played):
    played.put(TurnRuled(3, "exchange", "director", "said so", played.t_ns, tiles="QXZ"))
    played.put(RackReported("left", "AEIJKRT", played.t_ns))
    for query in ("", "?audience=player", "?audience=broadcast"):
        text = hall.visitor().get(f"{BASE}/game.gcg{query}", headers=hall.token("director-read"))
        assert "QXZ" not in text.text
        assert "AEIJKRT" not in text.text
    director = hall.visitor().get(
        f"{BASE}/game.gcg?audience=director", headers=hall.token("director-read")
    )
    assert "QXZ" in director.text


def test_a_delay_holds_for_every_part_of_the_api(log, game, tmp_path):
    hall = hall_over(log, tmp_path / "data", PublicPolicy(delay_turns=2))
    try:
        for place, word in TURNS[:4]:
            game.play(place, word)
        client, overlay = hall.visitor(), hall.token("overlay")
        assert len(client.get(BASE).json["view"]["turns"]) == 2
        assert len(client.get(f"{BASE}/turns").json["turns"]) == 2
        assert client.get(f"{BASE}/turns/3").status_code == 404
        assert len(parse(client.get(f"{BASE}/game.gcg").data).entries) == 2
        shown = client.get(f"{BASE}/clocks").json
        assert shown["now_ns"] < game.t_ns
        assert "unseen" not in client.get(BASE).json["view"]
        live = client.get(f"{BASE}?audience=broadcast", headers=overlay).json["view"]
        assert len(live["turns"]) == 4
        assert sum(live["unseen"].values()) == 100 - len(live["squares"])
    finally:
        hall.close()


def test_the_log_in_parts(hall, played):
    headers, client = hall.token("director-read"), hall.visitor()
    whole = client.get(f"{BASE}/log", headers=headers).json
    assert [event["seq"] for event in whole["events"]] == list(range(1, whole["next"] + 1))
    assert whole["events"][0]["payload"]["type"] == "GameStarted"
    parts, after = [], 0
    while True:
        part = client.get(f"{BASE}/log?after={after}&limit=4", headers=headers).json
        if not part["events"]:
            break
        assert len(part["events"]) <= 4
        parts += part["events"]
        after = part["next"]
    assert parts == whole["events"]
    assert client.get(f"{BASE}/log?game=another", headers=headers).json["events"] == []


@pytest.mark.parametrize(
    "query",
    ["after=-1", "after=x", "after=1e3", "limit=0", "limit=1001", "after=9" + "9" * 30, "limit=²"],
)
def test_a_part_of_the_log_that_cannot_be_is_one_clear_line(hall, query):
    answer = hall.visitor().get(f"{BASE}/log?{query}", headers=hall.token("director-read"))
    assert answer.status_code == 400
    assert "whole number" in answer.json["error"]


def test_a_picture_is_the_cameras_own_bytes_and_kept_for_good(hall, game):
    client, headers = hall.visitor(), hall.token("director-read")
    path = f"{BASE}/evidence/{hall.sha256}"
    with client.get(path, headers=headers) as answer:
        assert answer.data == JPEG
        assert answer.mimetype == "image/jpeg"
        assert "immutable" in answer.headers["Cache-Control"]
        assert "private" in answer.headers["Cache-Control"]
        tag = answer.headers["ETag"]
    with client.get(path, headers={**headers, "If-None-Match": tag}) as again:
        assert (again.status_code, again.data) == (304, b"")
    with client.get(path, headers={**headers, "Range": "bytes=2-5"}) as part:
        assert (part.status_code, part.data) == (206, JPEG[2:6])
        assert part.headers["Content-Range"] == f"bytes 2-5/{len(JPEG)}"
    with client.get(path, headers={**headers, "Range": "bytes=9999-"}) as none:
        assert none.status_code == 416


@pytest.mark.parametrize(
    "name",
    [
        "0" * 64,
        "../tilewatch.db",
        "..%2Ftilewatch.db",
        "..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/web.db",
        "/etc/passwd",
        "{sha256}.jpg",
        "{sha256}%00",
        "{sha256}/../{sha256}",
        "{upper}",
        ".",
    ],
)
def test_no_other_file_can_be_had_as_a_picture(hall, game, name):
    path = f"{BASE}/evidence/{name}".format(sha256=hall.sha256, upper=hall.sha256.upper())
    answer = hall.visitor().get(path, headers=hall.token("director-read"))
    assert answer.status_code in (404, 308)
    assert JPEG not in answer.data


def test_a_stream_ends_when_its_token_is_withdrawn(log, game, tmp_path):
    hall = hall_over(log, tmp_path / "data", heartbeat_s=0.05)
    try:
        token, text = hall.tokens.make("hall", "overlay", by="Ann")
        path = f"{BASE}/events?audience=broadcast&token={text}"
        response = hall.visitor().get(path, buffered=False)
        assert views(response.response, 1)[0].data["audience"] == "broadcast"
        hall.tokens.withdraw(token.id)
        assert views(response.response, 99) == []
        response.close()
        assert hall.visitor().get(path).status_code == 401
        assert hall.site.gate.taken == 0
    finally:
        hall.close()


def test_a_director_makes_lists_and_withdraws_tokens(hall):
    client, csrf = hall.director()
    made = client.post("/api/v1/tokens", json={"name": "OBS", "scope": "overlay"}, headers=csrf)
    assert made.status_code == 201
    assert made.json["token"]["made_by"].startswith("Ann")
    text = made.json["text"]
    opened = hall.visitor().get(f"{BASE}?audience=broadcast&token={text}")
    assert opened.status_code == 200
    listed = client.get("/api/v1/tokens")
    assert [token["name"] for token in listed.json["tokens"]] == ["OBS"]
    assert text not in json.dumps(listed.json)
    path = f"/api/v1/tokens/{made.json['token']['id']}"
    assert client.delete(path, headers=csrf).json == {"withdrawn": made.json["token"]["id"]}
    assert client.delete(path, headers=csrf).status_code == 404
    assert hall.visitor().get(f"{BASE}?audience=broadcast&token={text}").status_code == 401


def test_making_a_token_needs_the_pages_own_token_too(hall):
    client, _ = hall.director()
    sent = {"name": "OBS", "scope": "overlay"}
    assert client.post("/api/v1/tokens", json=sent).status_code == 403
    assert hall.tokens.all() == []


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({}, "name"),
        ({"name": "x"}, "scope"),
        ({"name": "x", "scope": "root"}, "scope"),
        ({"name": 1, "scope": "overlay"}, "name"),
        ({"name": "x", "scope": "overlay", "by": "me"}, "by"),
        ({"name": " ", "scope": "overlay"}, "name"),
    ],
)
def test_a_token_that_cannot_be_made_is_refused_in_one_line(hall, sent, says):
    client, csrf = hall.director()
    answer = client.post("/api/v1/tokens", json=sent, headers=csrf)
    assert answer.status_code == 422
    assert says in answer.json["error"]


def test_a_token_for_a_table_that_is_not_there(hall):
    client, csrf = hall.director()
    sent = {"name": "x", "scope": "overlay", "table": "9"}
    assert client.post("/api/v1/tokens", json=sent, headers=csrf).status_code == 404
