"""The hub's pages: the hall, search, slots, and what only a director may do."""

from __future__ import annotations

import json
import time

from dashboard.streaming.streams import RowsFollower
from game.troubles import make_trouble
from hub.enrolment import readmit_table
from hub.wire.handshake import EnrolCode, TableExchange
from record.signing import TableKey
from table.desk import Attend
from tests.hub.hubkit import until
from tests.hub.pagekit import rows
from tests.hub.servicekit import play


def test_the_hall_shows_every_table_as_it_stands(pages):
    one = pages.venue.table("t1")
    pages.venue.table("t2")
    _, state = play(one, 3, turns=5)
    assert until(lambda: rows(pages).get("t1", {}).get("turns") == len(state.turns))
    assert until(lambda: rows(pages)["t2"]["status"] == "waiting")
    assert rows(pages)["t1"]["players"]["left"]["score"] == state.scores["left"]
    page = pages.get("/")
    assert page.status_code == 200
    assert b"/hall/events" in page.data
    director = rows(pages, "director")
    assert director["t1"]["seq"] >= 5
    assert until(lambda: rows(pages, "director")["t1"]["state"] == "here")
    assert until(lambda: pages.venue.service.presence.facts_of("t1").game)
    reported = pages.venue.service.presence.facts_of("t1").game
    assert reported["players"]["left"] == {"name": "Ann", "score": 0}
    assert reported["clocks"]["running"] is None


def test_a_page_gets_what_has_changed_and_no_more(pages):
    table = pages.venue.table("t1")
    pages.venue.table("t2")
    assert until(lambda: set(rows(pages)) == {"t1", "t2"})
    feed = pages.venue.service.hall.public
    assert until(lambda: all(row["players"] is not None for row in feed.rows()))
    follower = RowsFollower(feed, "run", None)
    first = follower.new_frames()
    assert {row["id"] for row in json.loads(first.split(b"data: ")[1])} == {"t1", "t2"}
    assert follower.new_frames() == b""
    play(table, 3, turns=3)
    assert until(lambda: rows(pages)["t1"]["turns"] == 2)
    changed = json.loads(follower.new_frames().split(b"data: ")[1])
    assert [row["id"] for row in changed] == ["t1"]
    # A page of an earlier hub gets everything, one of this hub what it missed.
    assert b"t2" in RowsFollower(feed, "run", "other-99").new_frames()
    assert RowsFollower(feed, "run", f"run-{feed.latest().id}").new_frames() == b""


def test_players_and_tables_are_found(pages):
    table = pages.venue.table("t1")
    pages.venue.table("t2")
    play(table, 3, turns=2, names={"left": "Aiko Ito", "right": "Bo"})

    def found(query: str) -> list[str]:
        answer = pages.get(f"/api/v1/hall?q={query}").get_json()
        return [row["id"] for row in answer["tables"]]

    assert until(lambda: found("aiko%20ITO") == ["t1"])
    assert until(lambda: found("t2") == ["t2"])
    assert sorted(found("")) == ["t1", "t2"]
    assert found("nobody") == []


def test_a_table_that_is_kept_out_says_by_whom_and_when(pages):
    table = pages.venue.table("t1")
    play(table, 3, turns=2)
    assert until(lambda: rows(pages, "director").get("t1", {}).get("state") == "here")
    begun_s = time.time()
    asked = {"why": "its clock is wrong"}
    assert pages.post("/director/hall/tables/t1/revoke", asked).status_code == 200
    assert until(lambda: rows(pages, "director")["t1"]["state"] == "out")
    (reported, *_) = rows(pages, "director")["t1"]["concerns"]
    assert (reported["level"], reported["code"]) == ("trouble", "table_out")
    assert "kept out by ann: its clock is wrong" in reported["text"]
    moments = {time.strftime("%H:%M", time.localtime(at)) for at in (begun_s, time.time())}
    assert any(moment in reported["text"] for moment in moments)
    assert "power" not in reported["text"]
    pages.venue.restart()
    assert pages.venue.service.presence.state("t1") == "out"
    readmit_table(pages.venue.service.store, "t1")
    pages.venue.service.admit()
    assert until(lambda: rows(pages, "director").get("t1", {}).get("state") == "here")


def test_a_table_that_is_away_is_told_on_the_directors_hall_and_its_clocks_stand(pages):
    table = pages.venue.table("t1")
    _, state = play(table, 3, turns=2)
    assert state.clocks.running is not None
    assert until(lambda: rows(pages, "director").get("t1", {}).get("status") == "running")
    assert rows(pages, "director")["t1"]["clocks"]["running"] == state.clocks.running
    table.tie.stop()
    assert until(lambda: rows(pages, "director")["t1"]["state"] == "stopped")
    assert rows(pages, "director")["t1"]["clocks"]["running"] is None
    reported = rows(pages, "director")["t1"]["concerns"][0]
    assert (reported["level"], reported["code"]) == ("trouble", "table_off")
    assert "switched off" in reported["text"]


def test_what_is_wrong_at_a_table_is_told_at_the_hub(pages):
    table = pages.venue.table("t1")
    table.desk.active_troubles.begin(make_trouble("camera_lost", "no picture from the camera", 1))
    table.desk.active_troubles.begin(make_trouble("director_called", "the director is called", 2))

    def codes():
        return {one["code"] for one in rows(pages, "director").get("t1", {}).get("concerns", ())}

    assert until(lambda: {"camera_lost", "director_called"} <= codes())
    desk = pages.venue.desk(table)
    assert desk.post(
        Attend("director_called", "", "director: ann", by="Ann", why="a question")
    ).done
    (seen_to,) = [e for e in table.log.events() if e.type == "ActionTaken"]
    assert seen_to.source.startswith("director: ann#")
    assert (seen_to.payload["by"], seen_to.payload["why"]) == ("Ann", "a question")
    assert until(lambda: "director_called" not in codes())
    assert not desk.post(Attend("director_called", "", "director")).done


def test_the_directors_pages_are_for_the_director(pages):
    for path in ("/director/hall", "/director/hall/state", "/director/api/tables/events"):
        assert pages.get(path).status_code in (302, 401)
    for path in ("slots/feature", "seat", "codes", "tables/t1/revoke", "requests/x/withdraw"):
        assert pages.post(f"/director/hall/{path}", {}, director=False).status_code == 401
    assert pages.get("/director/hall", director=True).status_code == 200
    token, pages.form_token = pages.form_token, "guessed"
    assert pages.post("/director/hall/slots/feature", {"table": "t1"}).status_code == 403
    pages.form_token = token


def test_a_slot_shows_the_table_that_the_director_chose(pages):
    one, two = pages.venue.table("t1"), pages.venue.table("t2")
    play(one, 3, turns=4, names={"left": "One", "right": "x"})
    play(two, 4, turns=4, names={"left": "Two", "right": "y"})
    assert until(lambda: rows(pages).get("t1", {}).get("turns") == 3)
    assert until(lambda: rows(pages).get("t2", {}).get("turns") == 3)

    def shown():
        answer = pages.get("/overlay/feature/live")
        return answer.get_json()["view"]["players"]["left"]["name"]

    def slot():
        return pages.get("/director/hall/state", director=True).get_json()["slots"]["feature"]

    assert shown() == "One"  # the first table, by itself
    assert slot() == {"chosen": None, "by_itself": "T1"}
    assert "automatic (now T1)" in pages.get("/director/hall", director=True).text
    assert pages.post("/director/hall/slots/feature", {"table": "t2"}).get_json() == {"done": True}
    assert shown() == "Two"
    assert slot() == {"chosen": "t2", "by_itself": "T1"}
    assert pages.post("/director/hall/slots/n o", {"table": "t2"}).status_code == 409
    assert pages.post("/director/hall/slots/feature", {"table": "nosuch"}).status_code == 409
    assert pages.post("/director/hall/slots/feature", {"table": ""}).status_code == 200
    assert shown() == "One"
    assert slot()["chosen"] is None


def test_a_table_is_let_in_over_the_pages(pages, tmp_path):
    answer = pages.post("/director/hall/codes", {"table": "t9", "name": "Table 9"}).get_json()
    assert answer["qr"].startswith("<svg")
    assert answer["code"] in answer["command"]
    exchange = TableExchange(EnrolCode.parse(answer["code"]), TableKey.open(tmp_path / "k"))
    reply = pages.post("/api/v1/enrol", exchange.opening, director=False)
    confirmation = exchange.confirm(reply.get_json())
    reported = pages.post("/api/v1/enrol", confirmation, director=False)
    assert exchange.read(reported.get_json())["table"] == "t9"
    assert pages.venue.service.tables.table("t9") is not None
    again = pages.post("/api/v1/enrol", exchange.opening, director=False)
    assert again.status_code == 403
    assert "wrong, used or out of date" in again.get_json()["error"]
    assert pages.post("/director/hall/codes", {"table": "Not OK"}).status_code == 409
    assert pages.post("/director/hall/tables/t9/revoke", {}).get_json() == {"done": True}
    assert pages.venue.service.store.enrolled()["t9"].revoked == "kept out by ann"
    assert pages.post("/director/hall/tables/t9/readmit", {}).get_json() == {"done": True}
    assert pages.venue.service.store.enrolled()["t9"].revoked is None


def test_junk_at_the_enrolment_keeps_no_table_out(pages, tmp_path):
    """Neither from elsewhere nor from the very address from which the table asks."""
    code = EnrolCode.parse(pages.post("/director/hall/codes", {"table": "t9"}).get_json()["code"])
    exchange = TableExchange(code, TableKey.open(tmp_path / "k"))
    wrong = {**exchange.opening, "element": "\ud800"}
    for junk in ({"code": "x"}, {"code": code.name}, [], wrong):
        for _ in range(30):
            assert pages.post("/api/v1/enrol", junk, director=False).status_code == 403
    deep = pages.client.post("/api/v1/enrol", data="[" * 1900, content_type="application/json")
    assert deep.status_code == 403
    huge = pages.client.post("/api/v1/enrol", data=b"x" * 9000, content_type="application/json")
    assert huge.status_code in (403, 413)
    reply = pages.post("/api/v1/enrol", exchange.opening, director=False)
    confirmation = exchange.confirm(reply.get_json())
    reported = pages.post("/api/v1/enrol", confirmation, director=False)
    assert exchange.read(reported.get_json())["table"] == "t9"


def test_who_guesses_at_a_code_is_named_beside_junk(pages, tmp_path):
    code = EnrolCode.parse(pages.post("/director/hall/codes", {"table": "t9"}).get_json()["code"])
    pages.post("/api/v1/enrol", {}, director=False)

    def guess() -> int:
        wrong = EnrolCode(code.name, "00000000")
        exchange = TableExchange(wrong, TableKey.open(tmp_path / "k"))
        reply = pages.post("/api/v1/enrol", exchange.opening, director=False)
        if reply.status_code != 200:
            return reply.status_code
        confirmation = exchange.confirm(reply.get_json())
        return pages.post("/api/v1/enrol", confirmation, director=False).status_code

    assert [guess() for _ in range(7)] == [403] * 5 + [429] * 2
    state = pages.get("/director/hall/state", director=True).get_json()
    assert {("t9", "code guessed"), ("unknown", "enrolment")} <= {
        (one["table"], one["what"]) for one in state["incidents"]
    }


def test_a_kind_of_incident_takes_no_others_place(pages):
    store = pages.venue.service.store
    store.note("t1", "forged", "event 7 is forged")
    for n in range(80):
        store.note("t2", "refused", f"the {n}th")
    state = pages.get("/director/hall/state", director=True).get_json()
    found = {(one["table"], one["what"]): one for one in state["incidents"]}
    assert found["t1", "forged"]["count"] == 1
    assert (found["t2", "refused"]["count"], found["t2", "refused"]["detail"]) == (80, "the 79th")


def test_the_hall_s_streams_end_with_the_hub(pages):
    hall = pages.venue.service.hall
    pages.venue.service.close_streams()
    assert hall.director.closed
    assert hall.public.closed
