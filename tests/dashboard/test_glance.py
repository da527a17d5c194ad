"""The director's list of tables: what it shows, and its one stream."""

from __future__ import annotations

import json

from dashboard.streaming.streams import StreamLimiter
from game.events import GameEnded, ResultSigned, Retracted
from table.health.alerts import Alert
from tests.dashboard.conftest import NAMES, TURNS, GameInLog, events_in
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorkit import DOUBT, EVENTS, post


def reported(client, after: str = ""):
    """What the desk's stream says: kind, data and id of each event."""
    answer = client.get(EVENTS, query_string={"after": after}, buffered=False)
    assert answer.status_code == 200
    for event in events_in(answer.response):
        yield event.kind, event.data, event.id


def rows(stream) -> list[dict]:
    """The next lines in it."""
    return next(data for kind, data, _ in stream if kind == "rows")


def glance(client) -> list[dict]:
    return rows(reported(client))


def test_the_desk_shows_what_needs_somebody(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    desk.loop.desk.alerts.begin(Alert("director_called", "called", NOW_NS, stands=False))
    table = glance(ann)[0]
    assert [one["level"] for one in table["concerns"]][:2] == ["trouble", "question"]
    assert table["players"]["left"]["name"] == NAMES["left"]
    assert (table["last"]["number"], table["last"]["position"]) == (1, "8D")
    assert (table["phase"], table["turns"]) == ("running", 1)
    body = {"code": "director_called", "why": "they asked for the time"}
    assert post(ann, "/director/api/tables/1/attend", body).status_code == 200
    assert desk.loop.posted == [("attended", "seen to: called")]
    assert post(ann, "/director/api/tables/1/attend", body).status_code == 409
    table = glance(ann)[0]
    assert table["concerns"][0]["level"] == "question"


def test_the_desk_names_the_earlier_games_that_nobody_has_signed(desk, game, ann):
    assert glance(ann)[0]["unsigned"] == []
    game.play(*TURNS[0])
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start({"left": "Cleo", "right": "Dan"})
    (one,) = glance(ann)[0]["unsigned"]
    assert (one["game_id"], one["players"]) == ("game-1", " – ".join(NAMES.values()))
    assert one["begun"]
    second = GameInLog(game.log, "game-2", t_ns=game.t_ns + 2)
    second.put(GameEnded("director", second.t_ns, "Ann"))
    GameInLog(game.log, "game-3", t_ns=game.t_ns + 3).start()
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-2", "game-1"]
    first = GameInLog(game.log, "game-1", t_ns=game.t_ns + 4)
    first.put(GameEnded("broken off", first.t_ns, "Ann"))
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-2"]
    first.put(Retracted(len(game.log.events("game-1")), "Ann", "", first.t_ns))
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-2", "game-1"]
    second.put(ResultSigned("both", second.t_ns))
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-1"]


def test_the_desk_hears_of_a_table_when_something_changed_there(desk, game, ann):
    game.play(*TURNS[0])
    stream = reported(ann)
    assert next(stream)[1]["1"]["now_ns"] == NOW_NS
    assert next(stream)[0] == "time"  # where something has changed
    kind, (table,), seen = next(stream)
    assert (kind, table["turns"]) == ("rows", 1)
    game.play(*TURNS[1])
    table = rows(stream)[0]
    assert table["turns"] == 2
    # Nothing of it is in the log.
    desk.loop.desk.phase = "interrupted"
    assert rows(stream)[0]["phase"] == "interrupted"
    desk.loop.desk.alerts.begin(Alert("camera_lost", "no picture", NOW_NS))
    assert rows(stream)[0]["concerns"][0]["code"] == "camera_lost"
    # Who comes back gets what was missed, and of another run everything.
    assert [one["id"] for one in rows(reported(ann, seen))] == ["1"]
    newest = next(event for event in reported(ann) if event[0] == "rows")[2]
    desk.loop.desk.alerts.end("camera_lost")
    again = reported(ann, newest)
    assert "camera_lost" not in json.dumps(rows(again))
    assert rows(reported(ann, "other-99"))[0]["turns"] == 2


def test_the_desk_says_what_time_it_is_while_nothing_happens(desk, game, ann):
    desk.site.heartbeat_s = 0.05
    stream = reported(ann)
    while next(stream)[0] != "rows":
        pass
    assert [next(stream)[0] for _ in range(3)] == ["time"] * 3


def test_a_director_always_has_a_place_and_others_do_not(desk, game):
    site = desk.site
    site.gate, site.staff = StreamLimiter(0), StreamLimiter(0)
    ann, otto = desk.client("Ann"), desk.client("Otto")
    for path in (EVENTS, "/api/v1/tables/1/events?audience=director", "/tables/1/live/events"):
        assert desk.client(None).get(path).status_code in (401, 503)
        assert otto.get(path).status_code == 503
        held = [ann.get(path, buffered=False) for _ in range(5)]
        assert {one.status_code for one in held} == {200}
        assert site.directors.taken == 5
        for one in held:
            one.close()
        assert site.directors.taken == 0


def test_the_desks_stream_ends_with_the_session(desk, game, ann):
    stream = reported(ann)
    next(stream)
    desk.site.heartbeat_s = 0.05
    ann.post("/logout", headers={"X-CSRF-Token": ann.token})
    # It comes to an end, and says nothing more than what it had to say when it began.
    assert [kind for kind, _, _ in stream if kind != "time"] == ["rows"]
