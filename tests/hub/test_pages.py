"""The hub's pages: the hall, search, results, slots, and what only a director may do."""

from __future__ import annotations

import csv
import io
import json

import pytest

from dashboard.accounts import AuthContext
from dashboard.accounts.guard import SESSION_COOKIE, TOKEN_HEADER
from dashboard.app import create_app
from dashboard.feeds.rows import RowsFollower
from hub.binding import bind
from hub.pages import register
from hub.pairings import read_pairings
from hub.result_files import as_csv, as_tsh
from hub.results import Result
from table.roster import table_number
from tests.hub.hubkit import until
from tests.hub.servicekit import Venue, play

TOURNEY = {
    "divisions": [
        {
            "name": "A",
            "players": [
                None,
                {"id": 1, "name": "Ito, Aiko", "rating": 1500, "pairings": [2, 2], "scores": [],
                 "etc": {"board": [1, 1], "p12": [1, 2]}},
                {"id": 2, "name": "Bo", "rating": 0, "pairings": [1, 1], "scores": [],
                 "etc": {"board": [1, 1], "p12": [2, 1]}},
                {"id": 3, "name": "Dee, D.", "rating": 900, "pairings": [0, 0], "scores": [50],
                 "etc": {"board": [0, 0], "p12": [0, 0]}},
            ],
        }
    ]
}  # fmt: skip


class Pages:
    """The hub's application, and somebody who looks at it."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        folder = venue.folder / "hub"
        self.app = create_app(venue.service.site, folder)
        register(self.app, venue.service)
        self.client = self.app.test_client(use_cookies=False)
        door = self.app.extensions["tilewatch.door"]
        assert isinstance(door, AuthContext)
        account = door.accounts.add("ann", "director", "correct horse battery staple")
        session = door.sessions.open(account)
        self.token = session.token
        self.form_token = door.sessions.form_token(session.token)

    def get(self, path: str, *, director: bool = False):
        return self.client.get(path, headers=self._headers(director))

    def post(self, path: str, body: dict, *, director: bool = True):
        return self.client.post(path, json=body, headers=self._headers(director))

    def _headers(self, director: bool) -> dict[str, str]:
        if not director:
            return {}
        return {"Cookie": f"{SESSION_COOKIE}={self.token}", TOKEN_HEADER: self.form_token}


@pytest.fixture
def pages(venue):
    return Pages(venue)


def rows(pages, edition="public"):
    return {row["id"]: row for row in pages.venue.service.hall.feeds[edition].rows()}


def test_the_hall_shows_every_table_as_it_stands(pages):
    one, two = pages.venue.table("t1"), pages.venue.table("t2")
    _, state = play(one, 3, turns=5)
    assert until(lambda: rows(pages).get("t1", {}).get("turns") == len(state.turns))
    assert until(lambda: rows(pages)["t2"]["status"] == "waiting")
    assert rows(pages)["t1"]["players"]["left"]["score"] == state.scores["left"]
    page = pages.get("/")
    assert page.status_code == 200
    assert b"/hall/events" in page.data
    assert two.id == "t2"
    director = rows(pages, "director")
    assert director["t1"]["seq"] >= 5
    assert until(lambda: rows(pages, "director")["t1"]["state"] == "here")
    assert until(lambda: "game" in pages.venue.service.presence.facts_of("t1"))
    reported = pages.venue.service.presence.facts_of("t1")["game"]
    assert reported["players"]["left"] == {"name": "Ann", "score": 0}
    assert reported["clocks"]["running"] is None


def test_a_page_gets_what_has_changed_and_no_more(pages):
    table = pages.venue.table("t1")
    pages.venue.table("t2")
    assert until(lambda: set(rows(pages)) == {"t1", "t2"})
    feed = pages.venue.service.hall.feeds["public"]
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


def test_a_silent_table_is_told_on_the_directors_hall(pages):
    table = pages.venue.table("t1")
    assert until(lambda: rows(pages, "director").get("t1", {}).get("state") == "here")
    table.tie.stop()
    assert until(lambda: rows(pages, "director")["t1"]["state"] == "stopped")
    reported = rows(pages, "director")["t1"]["concerns"][0]
    assert (reported["level"], reported["code"]) == ("trouble", "table_silent")
    assert "switched off" in reported["text"]


def test_what_is_wrong_at_a_table_is_told_at_the_hub(pages):
    from table.health.alerts import Alert

    table = pages.venue.table("t1")
    table.desk.alerts.begin(Alert("camera_lost", "no picture from the camera", 1))
    table.desk.alerts.begin(Alert("director_called", "the director is called", 2, stands=False))

    def codes():
        return {one["code"] for one in rows(pages, "director").get("t1", {}).get("concerns", ())}

    assert until(lambda: {"camera_lost", "director_called"} <= codes())
    desk = pages.venue.desk(table)
    assert desk.attend("director_called", "", "director: ann", by="Ann", why="a question").done
    (seen_to,) = [e for e in table.log.events() if e.type == "ActionTaken"]
    assert seen_to.source.startswith("director: ann#")
    assert (seen_to.payload["by"], seen_to.payload["why"]) == ("Ann", "a question")
    assert until(lambda: "director_called" not in codes())
    assert not desk.attend("director_called").done


def test_the_directors_pages_are_for_the_director(pages):
    for path in ("/director/hall", "/director/hall/state", "/director/hall/events"):
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

    assert shown() == "One"  # the first table, by itself
    assert pages.post("/director/hall/slots/feature", {"table": "t2"}).get_json() == {"done": True}
    assert shown() == "Two"
    state = pages.get("/director/hall/state", director=True).get_json()
    assert state["slots"] == {"feature": "t2"}
    assert pages.post("/director/hall/slots/n o", {"table": "t2"}).status_code == 409
    assert pages.post("/director/hall/slots/feature", {"table": "nosuch"}).status_code == 409
    assert pages.post("/director/hall/slots/feature", {"table": ""}).status_code == 200
    assert shown() == "One"


def test_a_table_is_let_in_over_the_pages(pages, tmp_path):
    from hub.enrolment.handshake import EnrolCode, TableExchange
    from record.signing import TableKey

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
    from hub.enrolment.handshake import EnrolCode, TableExchange
    from record.signing import TableKey

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
    from hub.enrolment.handshake import EnrolCode, TableExchange
    from record.signing import TableKey

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


def test_results_are_kept_and_given_out(pages):
    from game.events import GameEnded, to_payload

    table = pages.venue.table("t1")
    game, state = play(table, 5, turns=200, names={"left": "=Aiko", "right": "Bo"})
    results = pages.venue.service.results
    assert until(lambda: len(results.all()) == 1)
    assert pages.get("/results.csv").get_data(as_text=True).count("\r\n") == 1  # not settled yet
    (played,) = results.all()
    assert (played.settled, played.winner, played.spread) == (False, "", None)
    event = GameEnded("confirmed", state.turns[-1].press_ns)
    table.log.append(game, to_payload(event), mono_ns=1, source="director: ann")
    assert until(lambda: results.all()[0].settled)
    lines = list(csv.DictReader(io.StringIO(pages.get("/results.csv").get_data(as_text=True))))
    (line,) = lines
    assert (line["left"], line["right"]) == ("'=Aiko", "Bo")
    assert int(line["left_score"]) == results.all()[0].left_score
    assert line["winner"] in ("left", "right", "tie")
    assert line["digest"].count("-") == 2
    assert b"Bo" in pages.get("/results").data
    # They outlast the hub.
    pages.venue.restart()
    assert len(pages.venue.service.results.all()) == 1


def test_a_claim_is_shown_to_the_director_who_decides_it(tmp_path):
    """A hostile table claims the players of another; nobody but the director can let it count."""
    from tests.hub.servicekit import Venue

    path = tmp_path / "tourney.js"
    path.write_text(f"newt={json.dumps(TOURNEY)};")
    venue = Venue(tmp_path, pairings=path)
    try:
        pages = Pages(venue)
        for id_ in ("table-1", "table-9"):
            venue.service.store.enrol(id_, id_, "0" * 64, None)
        honest = result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1")
        hostile = result("table-9", "Aiko Ito", "Bo", (1, 999), game_id="g1")
        for one in (honest, hostile):
            venue.service.results.put(one)

        def scored() -> list[str]:
            text = pages.get("/results/A.t").get_data(as_text=True)
            return [line.split(";")[1].strip() for line in text.splitlines()[:2]]

        def claimed() -> list[str]:
            state = pages.get("/director/hall/state", director=True).get_json()
            return [one["result"]["table"] for one in state["claims"]]

        assert (scored(), claimed()) == (["402", "371"], ["table-9"])
        assert b"999" not in pages.get("/results").data + pages.get("/results.csv").data
        assert b"999" in pages.get("/results.csv?all=1", director=True).data
        where = "/director/hall/results"
        moved = {"table": "table-9", "game": "g1"}
        assert pages.post(where, {**moved, "round": 1}, director=False).status_code == 401
        for wrong in ({**moved, "round": "1"}, {**moved, "round": True}, {**moved, "round": -1}):
            assert pages.post(where, wrong).status_code == 400
        assert pages.post(where, {**moved, "round": 7}).status_code == 409
        assert pages.post(where, {"table": "table-9", "game": "?", "round": 1}).status_code == 409
        assert pages.post(where, {**moved, "round": 1}).get_json() == {"done": True}
        assert (scored(), claimed()) == (["1", "999"], ["table-1"])
        assert ("table-9", "result") in {(t, w) for _, t, w, _ in venue.service.store.incidents()}
        assert pages.post(where, {**moved, "round": None}).get_json() == {"done": True}
        assert (scored(), claimed()) == (["402", "371"], ["table-9"])
    finally:
        venue.close()


def test_a_game_that_was_never_played_has_no_result():
    from game.events import GameEnded, GameForfeited
    from game.state.fold import fold
    from hub.results import result_of
    from record.chain import GENESIS, LoggedEvent
    from tests.game.gamekit import Table

    logged = LoggedEvent(1, "g", 1, 0, 0, "x", "x", 1, "{}", GENESIS, "0" * 64, "", "")
    start = Table().events[:1]
    assert result_of("t1", fold([*start, GameEnded("set up anew", 1)]), logged) is None
    forfeit = GameForfeited("left", "absent", "ann", "did not come", 1)
    found = result_of("t1", fold([*start, forfeit]), logged)
    assert found is not None
    assert found.outcome != "played"


def test_pairings_seat_the_players(tmp_path):
    path = tmp_path / "pairings.csv"
    path.write_text(
        "round,table,left,right,challenge\n1,1,Aiko Ito,Bo,lose_turn\n1,2,Cem,Dora,\n2,1,Bo,Cem,\n"
    )
    from tests.hub.servicekit import Venue

    venue = Venue(tmp_path, pairings=path)
    try:
        table = venue.table("table-1")
        assert until(lambda: venue.service.presence.state("table-1") == "here")
        assert set(venue.service.seat(1, "director: ann")) == {"table-1"}
        assert until(lambda: table.session.state.players == {"left": "Aiko Ito", "right": "Bo"})
        assert table.session.state.start.adjust == {"challenge.failed": "lose_turn"}
    finally:
        venue.close()


def result(table, left, right, scores, **more) -> Result:
    given = {
        "winner": "left", "spread": scores[0] - scores[1], "outcome": "played", "settled": True,
        "signed": True, "digest": "K7QM-2D9F-XW3T", "seq": 9, "game_id": f"{left}-{right}", **more,
    }  # fmt: skip
    return Result(table, given.pop("game_id"), left, right, *scores, **given)  # type: ignore[arg-type]


def test_results_go_back_to_tsh(tmp_path):
    path = tmp_path / "tourney.js"
    path.write_text(f"newt={json.dumps(TOURNEY)};".replace("[null,", "[undefined,"))
    pairings = read_pairings(path, [1])
    results = [
        result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1"),
    ]
    assert as_tsh(results, pairings, "A", bind(results, pairings)).splitlines() == [
        "Ito, Aiko              1500 2 2; 402; board 1 1; p12 1 2",
        "Bo                        0 1 1; 371; board 1 1; p12 2 1",
        "Dee, D.                 900 0 0; 50; board 0 0; p12 0 0",
    ]
    unsettled = [result("table-1", "Aiko Ito", "Bo", (402, 371), settled=False)]
    assert (
        as_tsh(unsettled, pairings, "A", bind(unsettled, pairings))
        .splitlines()[0]
        .endswith("2 2; ; board 1 1; p12 1 2")
    )


def test_the_round_is_that_of_the_pairings_or_the_number_of_the_game(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("round,table,left,right\n4,1,Ann,Bob\n5,1,Cem,Ann\n")
    pairings = read_pairings(path, [1])
    results = [
        result("table-1", "Bob", "ANN", (1, 0), game_id="a"),  # seated the other way round
        result("table-1", "Eve", "Fay", (1, 0), game_id="b"),
    ]
    lines = list(csv.DictReader(io.StringIO(as_csv(results, bind(results, pairings)))))
    assert {line["game"]: line["round"] for line in lines} == {"a": "4", "b": "2"}
    assert [table_number(name) for name in ("table-12", "t7", "7", "main")] == [12, 7, 7, None]
