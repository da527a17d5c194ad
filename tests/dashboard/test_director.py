"""What the director's pages ask for and do, and who may."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import get_args

import pytest
from werkzeug.routing import AnyConverter, BaseConverter, IntegerConverter

from dashboard.director.actions import SAYABLE, event_of
from dashboard.director.attention import LEVELS, QUESTIONS, Concern, concerns
from dashboard.director.evidence_file import guesses_in
from dashboard.director.wording import _WORDS, RULINGS
from dashboard.streams import Gate
from game.errors import TilewatchError
from game.events import (
    EVENT_TYPES,
    ActionTaken,
    ButtonPressed,
    ClockAdjusted,
    Finding,
    GameEnded,
    HoldCalled,
    Picture,
    PicturesDeleted,
    PicturesKept,
    Ruling,
    TilesChanged,
    TimePassed,
    to_payload,
)
from game.flags import CODES
from table.conditions import Condition
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, events_in
from tests.dashboard.desk_fixtures import NOW_NS, Desked, desked

GAME = "/director/api/tables/1/games/game-1"
PAGES = ("/director", "/director/tables/1", "/director/tables/1/turns/1")
EVENTS = "/director/api/tables/events"
READS = (
    EVENTS,
    "/director/api/tables/1/pulse",
    GAME,
    f"{GAME}/turns/1",
    f"{GAME}/turns/1/boards",
    "/director/tables/1/picture.jpg",
    f"/director/tables/1/evidence/{'a' * 64}.jpg",
)
COMMANDS = ("stop", "start/left", "start/right", "next", "names", "attend")
WRITES = (
    f"{GAME}/preview",
    f"{GAME}/rule",
    *(f"/director/api/tables/1/{command}" for command in COMMANDS),
)
WHY = {"why": "the hall is noisy"}
DOUBT = Finding("uncertain_square", "8E", "may be I 62%, L 31%, . 7%")


@pytest.fixture
def desk(log, game, tmp_path):
    yield from desked(log, game, tmp_path / "data")


@pytest.fixture
def ann(desk: Desked):
    return desk.client("Ann")


def post(client, path: str, body: object, **headers: str):
    return client.post(path, json=body, headers={"X-CSRF-Token": client.token, **headers})


def challenge(turn: int = 1) -> dict:
    return {"type": "TurnRuled", "turn": turn, "ruling": "challenge_upheld"}


# --- who may ---


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_for_who_is_logged_in(desk, game, path):
    game.play(*TURNS[0])
    assert desk.client(None).get(path).status_code == 302
    for name in ("Ann", "Otto"):
        answer = desk.client(name).get(path)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", READS)
def test_nothing_is_read_by_strangers(desk, game, path):
    game.play(*TURNS[0])
    assert desk.client(None).get(path).status_code in (302, 401)
    for name in ("Ann", "Otto"):
        assert desk.client(name).head(path).status_code in (200, 204, 404)


def test_who_only_watches_is_offered_nothing_to_do(desk, game):
    game.play(*TURNS[0])
    for path in PAGES:
        assert '<body class="observer">' in desk.client("Otto").get(path).text
        assert '<body class="director">' in desk.client("Ann").get(path).text
    assert "/director/links" not in desk.client("Otto").get("/director").text


@pytest.mark.parametrize("path", WRITES)
def test_nothing_is_done_by_others(desk, game, path):
    game.play(*TURNS[0])
    before = desk.game.log.last_seq
    body = {"event": challenge(), "why": "it is no word", "left": "X", "code": "director_called"}
    assert post(desk.client(None), path, body).status_code == 401
    otto = desk.client("Otto")
    assert post(otto, path, body).status_code == 403
    ann = desk.client("Ann")
    assert ann.post(path, json=body).status_code == 403  # no token
    assert post(ann, path, body, Origin="http://evil.example").status_code == 403
    assert (
        ann.post(path, data=json.dumps(body), headers={"X-CSRF-Token": otto.token}).status_code
        == 403
    )
    assert desk.game.log.last_seq == before
    assert desk.loop.posted == []


VALUES = {"table_id": "1", "game_id": "game-1"}


def a_value(converter: BaseConverter) -> object:
    """Something that fits a part of an address."""
    if isinstance(converter, AnyConverter):
        return next(iter(converter.items))
    return 1 if isinstance(converter, IntegerConverter) else "a" * 64


def test_every_route_is_guarded(desk):
    """Whatever is added below /director is refused to strangers, and to do, to observers too."""
    known = 0
    for rule in desk.app.url_map.iter_rules():
        if not rule.rule.startswith("/director") or rule.rule == "/director/":
            continue
        known += 1
        values = {arg: VALUES.get(arg) or a_value(rule._converters[arg]) for arg in rule.arguments}
        path = desk.app.url_map.bind("localhost").build(rule.endpoint, values)
        for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
            for name in (None, "Otto"):
                if name is not None and method == "GET":
                    continue  # who may only watch, may watch
                client = desk.client(name)
                answer = client.open(path, method=method, headers={"X-CSRF-Token": client.token})
                assert answer.status_code in (302, 401, 403), (path, method, name)
    assert known >= 15


def test_without_a_data_folder_there_is_no_desk(client, game):
    for path in (*PAGES, *READS):
        assert client.get(path).status_code == 404


# --- looking ---


def told(client, after: str = ""):
    """What the desk's stream says: kind, data and id of each event."""
    answer = client.get(EVENTS, query_string={"after": after}, buffered=False)
    assert answer.status_code == 200
    for event in events_in(answer.response):
        yield event.kind, event.data, event.id


def rows(stream) -> list[dict]:
    """The next lines in it."""
    return next(data for kind, data, _ in stream if kind == "rows")


def glance(client) -> list[dict]:
    return rows(told(client))


def test_the_desk_shows_what_needs_somebody(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    desk.loop.desk.conditions.begin(Condition("director_called", "called", NOW_NS, stands=False))
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


def test_the_desk_hears_of_a_table_when_something_changed_there(desk, game, ann):
    game.play(*TURNS[0])
    stream = told(ann)
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
    desk.loop.desk.conditions.begin(Condition("camera_lost", "no picture", NOW_NS))
    assert rows(stream)[0]["concerns"][0]["code"] == "camera_lost"
    # Who comes back gets what was missed, and of another run everything.
    assert [one["id"] for one in rows(told(ann, seen))] == ["1"]
    newest = next(event for event in told(ann) if event[0] == "rows")[2]
    desk.loop.desk.conditions.end("camera_lost")
    again = told(ann, newest)
    assert "camera_lost" not in json.dumps(rows(again))
    assert rows(told(ann, "other-99"))[0]["turns"] == 2


def test_the_desk_says_what_time_it_is_while_nothing_happens(desk, game, ann):
    desk.site.heartbeat_s = 0.05
    stream = told(ann)
    while next(stream)[0] != "rows":
        pass
    assert [next(stream)[0] for _ in range(3)] == ["time"] * 3


def test_a_director_always_has_a_place_and_others_do_not(desk, game):
    site = desk.site
    site.gate, site.staff = Gate(0), Gate(0)
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
    stream = told(ann)
    next(stream)
    desk.site.heartbeat_s = 0.05
    ann.post("/logout", headers={"X-CSRF-Token": ann.token})
    # It comes to an end, and says nothing more than what it had to say when it began.
    assert [kind for kind, _, _ in stream if kind != "time"] == ["rows"]


def test_a_game_with_everything_about_it(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    sha = desk.picture(1, "crop", game.t_ns, "8E")
    found = ann.get(GAME).json
    assert found["view"]["audience"] == "director"
    assert found["crops"] == {"1": {"8E": sha}}
    assert [one["symbol"] for one in found["guesses"]["1:8E"]] == ["I", "L", "."]
    assert found["head"]["number"] == len(desk.game.log.events("game-1"))
    assert len(found["head"]["digest"]) == 14
    assert found["said"] == []
    assert set(found["options"]["rulings"]) >= set(found["view"]["turns"][0]["rulings"])


@pytest.mark.parametrize(
    "path",
    ["/director/tables/2", "/director/tables/1/turns/9", "/director/tables/1/turns/0",
     "/director/api/tables/1/games/none", f"{GAME}/turns/9",
     "/director/tables/1/turns/1?game=none", "/director/tables/1/turns/-1"],
)  # fmt: skip
def test_what_is_not_there_is_a_404(desk, game, ann, path):
    game.play(*TURNS[0])
    assert ann.get(path).status_code == 404


def test_names_with_markup_are_text(desk, game, ann):
    game.play(*TURNS[0])
    for path in PAGES:
        page = ann.get(path).text
        assert "<b>Byron</b>" not in page
        assert "Table <1>" not in page
    assert "Ada &lt;b&gt;Byron&lt;/b&gt;" in ann.get(PAGES[2]).text


@pytest.mark.parametrize("path", PAGES)
def test_pages_run_no_script_but_ours(desk, game, ann, path):
    game.play(*TURNS[0])
    answer = ann.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert " onclick=" not in answer.text
    assert " style=" not in answer.text
    assert "<script>" not in answer.text


def test_the_picture_comes_with_what_was_read(desk, game, ann):
    assert ann.get("/director/tables/1/picture.jpg").status_code == 204
    import numpy as np

    from sensors.interfaces import Frame
    from table.desk import Shown

    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    rows = ("A" + "." * 14,) + ("." * 15,) * 14
    image = np.zeros((90, 120, 3), np.uint8)
    desk.loop.desk.show(Shown(Frame(image, NOW_NS - SECOND, 1, b"a jpeg"), corners, rows, 5))
    answer = ann.get("/director/tables/1/picture.jpg")
    assert (answer.data, answer.mimetype) == (b"a jpeg", "image/jpeg")
    about = json.loads(answer.headers["X-Tilewatch-Read"])
    assert about["corners"] == [list(point) for point in corners]
    assert (about["rows"][0][0], about["width"], about["height"]) == ("A", 120, 90)


# --- pictures ---


def test_pictures_are_fetched_by_hash_alone(desk, game, ann):
    game.play(*TURNS[0])
    sha = desk.picture(1, "at", game.t_ns)
    answer = ann.get(f"/director/tables/1/evidence/{sha}.jpg")
    assert answer.data == f"1 at {game.t_ns} None".encode()
    assert answer.headers["Cache-Control"].startswith("private")
    (desk.folder / "secret.jpg").write_bytes(b"secret")
    for name in ("../secret", "..%2fsecret", "%2e%2e/secret", "....//secret", sha[:-1], sha + "0",
                 sha.upper(), "../web.db%00", "a" * 64, "*"):  # fmt: skip
        answer = ann.get(f"/director/tables/1/evidence/{name}.jpg")
        assert answer.status_code == 404, name
        assert b"secret" not in answer.data


def test_a_picture_that_was_changed_is_not_shown(desk, game, ann):
    game.play(*TURNS[0])
    sha = desk.picture(1, "at", game.t_ns)
    desk.table.evidence.path(sha).write_bytes(b"another")
    assert ann.get(f"/director/tables/1/evidence/{sha}.jpg").status_code == 404


# --- ruling ---


def test_an_effect_is_shown_and_nothing_done(desk, game, ann):
    for place, word in TURNS[:2]:
        game.play(place, word)
    before = desk.game.log.last_seq
    shown = post(ann, f"{GAME}/preview", {"event": challenge(1)}).json
    assert shown["difference"]["scores"]["left"] == [24, 0]
    assert shown["difference"]["turns"][0]["number"] == 1
    assert not shown["empty"]
    assert desk.game.log.last_seq == before


def test_a_ruling_is_an_event_with_who_and_why(desk, game, ann):
    game.play(*TURNS[0])
    shown = post(ann, f"{GAME}/preview", {"event": challenge()}).json
    body = {"event": challenge(), "why": "  it is\n no word ", "effect": shown["effect"]}
    done = post(ann, f"{GAME}/rule", body)
    assert done.status_code == 200
    ruled = desk.events("TurnRuled")
    assert (ruled[0]["by"], ruled[0]["why"]) == ("Ann", "it is no word")
    assert ruled[0]["t_ns"] == NOW_NS
    assert desk.sources()[-1] == "director: Ann"
    record = ann.get(GAME).json
    assert record["view"]["scores"]["left"] == 0
    assert record["said"][0]["text"] == "turn 1: challenged off the board"
    assert record["said"][0]["number"] == done.json["number"]


def test_a_ruling_of_somebody_else_says_who_entered_it(desk, game, ann):
    game.play(*TURNS[0])
    post(ann, f"{GAME}/rule", {"event": challenge(), "why": "no word", "by": "Bea"})
    assert desk.events("TurnRuled")[0]["by"] == "Bea (entered by Ann)"


def test_nobody_signs_for_another_by_what_is_sent(desk, game, ann):
    """Who, when and why are the server's to fill in, whatever the event brings along."""
    game.play(*TURNS[0])
    forged = {**challenge(), "by": "the pope", "t_ns": 5, "why": "because"}
    post(ann, f"{GAME}/rule", {"event": forged, "why": "no word"})
    ruled = desk.events("TurnRuled")[0]
    assert (ruled["by"], ruled["why"], ruled["t_ns"]) == ("Ann", "no word", NOW_NS)


def test_a_correction_of_an_early_turn_counts_in_all_later_ones(desk, game, ann):
    for place, word in TURNS:
        game.play(place, word)
    totals = [turn["total"] for turn in ann.get(GAME).json["view"]["turns"]]
    event = {"type": "SquareCorrected", "turn": 1, "square": "8D", "symbol": "f"}
    shown = post(ann, f"{GAME}/preview", {"event": event}).json["difference"]
    assert [turn["number"] for turn in shown["turns"]] == [1, 3, 5]
    post(ann, f"{GAME}/rule", {"event": event, "why": "it is a blank"})
    after = [turn["total"] for turn in ann.get(GAME).json["view"]["turns"]]
    assert [a - b for a, b in zip(after, totals, strict=True)] == [-16, 0, -16, 0, -16, 0]


def test_what_was_said_can_be_taken_back(desk, game, ann):
    game.play(*TURNS[0])
    number = post(ann, f"{GAME}/rule", {"event": challenge(), "why": "no word"}).json["number"]
    event = {"type": "Retracted", "event": number}
    assert post(ann, f"{GAME}/rule", {"event": event, "why": "a slip"}).status_code == 200
    record = ann.get(GAME).json
    assert record["view"]["scores"]["left"] == 24
    assert [(one["back"] is not None, one["may_go"]) for one in record["said"]] == [
        (True, False),
        (False, False),
    ]
    again = post(ann, f"{GAME}/rule", {"event": event, "why": "again"})
    assert again.status_code == 409
    assert "already been taken back" in again.json["error"]


def test_a_result_is_signed_and_then_stays(desk, game, ann):
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns))
    signed = post(ann, f"{GAME}/rule", {"event": {"type": "ResultSigned"}, "why": "both signed"})
    assert signed.status_code == 200
    found = ann.get(GAME).json
    assert found["signed"]["by"] == "Ann"
    ended, last = (found["slip"]["ended"], found["slip"]["signed"])
    assert last == found["head"]["digest"] != ended
    desk.picture(1, "after", game.t_ns)
    assert ann.get(GAME).json["slip"] == {"ended": ended, "signed": last}
    refused = post(ann, f"{GAME}/preview", {"event": challenge()}).json["refused"]
    assert "signed" in refused
    assert post(ann, f"{GAME}/rule", {"event": challenge(), "why": "x"}).status_code == 409


def test_what_was_shown_is_what_is_done(desk, game, ann):
    """When the game goes on between looking and confirming, nothing is done unseen."""
    game.play(*TURNS[0])
    shown = post(ann, f"{GAME}/preview", {"event": challenge()}).json["effect"]
    game.play(*TURNS[1])
    body = {"event": challenge(), "why": "no word", "effect": shown}
    late = post(ann, f"{GAME}/rule", body)
    assert late.status_code == 409
    assert late.json["stale"] is True
    assert desk.events("TurnRuled") == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"event": challenge()}, "say why"),
        ({"event": challenge(), "why": "  "}, "say why"),
        ({"event": challenge(), "why": 5}, "say why"),
        ({"event": challenge(), "why": "x" * 401}, "at most 400"),
        ({"event": challenge(), "why": "x", "by": "y" * 81}, "at most 80"),
        ({"event": challenge(9), "why": "x"}, "turn 9"),
        ({"event": {"type": "TurnSeen"}, "why": "x"}, "not for people to enter"),
        ({"event": {"type": "GameStarted"}, "why": "x"}, "not for people to enter"),
        ({"event": {"type": "PicturesDeleted"}, "why": "x"}, "not for people to enter"),
        ({"event": {"type": "ButtonPressed", "button": "left"}, "why": "x"}, "not for people"),
        ({"event": {"type": "Nonsense"}, "why": "x"}, "not for people to enter"),
        ({"event": {"type": "TurnRuled", "turn": 1, "ruling": "king"}, "why": "x"}, "king"),
        ({"event": {**challenge(), "more": 1}, "why": "x"}, "more"),
        ({"event": [], "why": "x"}, "an object with a type"),
        ({"why": "x"}, "an object with a type"),
    ],
)
def test_what_cannot_be_ruled_is_one_line(desk, game, ann, body, says):
    game.play(*TURNS[0])
    before = desk.game.log.last_seq
    answer = post(ann, f"{GAME}/rule", body)
    assert answer.status_code == 409
    assert says in answer.json["error"]
    assert "\n" not in answer.json["error"]
    assert desk.game.log.last_seq == before


def test_what_is_no_json_is_refused(desk, game, ann):
    headers = {"X-CSRF-Token": ann.token}
    assert ann.post(f"{GAME}/rule", data="x", headers=headers).status_code == 415
    assert post(ann, f"{GAME}/rule", [1]).status_code == 400
    headers["Content-Type"] = "application/json"
    assert ann.post(f"{GAME}/rule", data="{", headers=headers).status_code == 400
    big = {"event": challenge(), "why": "x" * 300_000}
    assert post(ann, f"{GAME}/rule", big).status_code == 413


def test_earlier_games_can_be_ruled_on(desk, game, ann, log):
    game.play(*TURNS[0])
    GameInLog(log, "game-2").start()
    assert ann.get("/director/api/tables/1/pulse").json["game_id"] == "game-2"
    done = post(ann, f"{GAME}/rule", {"event": challenge(), "why": "found later"})
    assert done.status_code == 200
    assert ann.get(GAME).json["view"]["scores"]["left"] == 0
    assert "game-1" in ann.get("/director/tables/1").text


def test_the_clock_and_the_names(desk, game, ann):
    for what in ("stop", "start/left", "start/right"):
        assert post(ann, f"/director/api/tables/1/{what}", WHY).status_code == 200
    assert [button for _, button in desk.loop.posted] == ["neutral", "right", "left"]
    assert post(ann, "/director/api/tables/1/start/king", WHY).status_code == 404
    named = {"left": " Ann ", "why": "they changed seats", "by": "TD"}
    assert post(ann, "/director/api/tables/1/names", named).status_code == 200
    assert desk.loop.posted[-1] == ("names", "Ann")
    for wrong in ({}, {"left": ""}, {"left": "a\nb"}, {"left": "x" * 81}, {"left": 5}):
        assert post(ann, "/director/api/tables/1/names", wrong).status_code == 400
    refused = post(ann, "/director/api/tables/1/next", WHY)
    assert (refused.status_code, refused.json["error"][:8]) == (409, "the game")
    who = [("Ann", WHY["why"])]
    assert desk.loop.said == [*who * 3, ("TD (entered by Ann)", "they changed seats"), *who]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_done_without_a_reason(desk, game, ann, command):
    desk.loop.desk.conditions.begin(Condition("director_called", "called", NOW_NS, stands=False))
    for why in ({}, {"why": ""}, {"why": "  "}, {"why": 5}, {"why": "x" * 401}):
        body = {"left": "Ann", "code": "director_called", **why}
        refused = post(ann, f"/director/api/tables/1/{command}", body)
        assert (refused.status_code, "why" in refused.json["error"]) == (409, True)
    assert desk.loop.posted == []


@pytest.mark.parametrize("kind", sorted(SAYABLE))
def test_whatever_somebody_says_keeps_who_and_why(kind):
    assert {"by", "why"} <= {field.name for field in fields(EVENT_TYPES[kind])}


def test_what_was_done_at_the_desk_stands_with_who_and_why(desk, game, ann):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns, "Ann", "a fire alarm"))
    game.put(ActionTaken("attended", "seen to: called", "Ann", "a question", game.t_ns))
    game.put(HoldCalled(1, "Ann", game.t_ns, "they hold it"))
    game.put(ClockAdjusted("left", SECOND, None, "Ann", "a slip", game.t_ns))
    said = ann.get(GAME).json["said"]
    assert [(one["type"], one["by"], one["why"], one["may_go"]) for one in said] == [
        ("ButtonPressed", "Ann", "a fire alarm", False),
        ("ActionTaken", "Ann", "a question", False),
        ("HoldCalled", "Ann", "they hold it", True),
        ("ClockAdjusted", "Ann", "a slip", True),
    ]
    known = ann.get(f"{GAME}/turns/1").json["known"]
    assert [(one["text"], one["why"]) for one in known if one["by"]] == [
        (one["text"], one["why"]) for one in said
    ]


def test_a_limit_that_passed_with_no_press_is_told_at_once_with_its_rule(desk, game, ann):
    game.play(*TURNS[0])
    game.put(TimePassed(game.t_ns + 2100 * SECOND))
    told = next(f for f in ann.get(GAME).json["view"]["flags"] if f["code"] == "overtime_limit")
    assert told["rule"] == "8.3"
    assert [one["event"]["cause"] for one in told["remedies"]] == ["overtime"]
    known = ann.get(f"{GAME}/turns/1").json["known"]
    assert "the clock passed the limit on overtime before anybody pressed" in [
        one["text"] for one in known
    ]


def test_a_table_that_stopped_says_so(desk, game, ann):
    game.play(*TURNS[0])
    desk.loop.close()
    answer = post(ann, f"{GAME}/rule", {"event": challenge(), "why": "no word"})
    assert (answer.status_code, answer.json["error"]) == (409, "the table has stopped")


# --- a turn's file ---


def test_the_file_of_a_turn(desk, game, ann):
    game.play(*TURNS[0])
    press = game.t_ns
    at = desk.picture(1, "at", press - SECOND // 50)
    before = desk.picture(1, "before", press - SECOND)
    crop = desk.picture(1, "crop", press, "8D")
    rows = ["." * 15] * 7 + ["...FIRN........"] + ["." * 15] * 7
    after = desk.table.evidence.store(b"after")
    game.put(TilesChanged(1, tuple(rows), press + SECOND, {"after": after}, press + SECOND))
    file = ann.get(f"{GAME}/turns/1").json
    assert [(one["roles"], one["sha256"]) for one in file["pictures"]] == [
        (["before"], before),
        (["at"], at),
        (["after"], after),
    ]
    assert [one["from_press_ns"] for one in file["pictures"]] == [-SECOND, -SECOND // 50, SECOND]
    assert all(one["there"] for one in file["pictures"])
    assert [edge["button"] for edge in file["edges"]] == ["right", "left"]
    squares = {one["name"]: one for one in file["squares"]}
    assert list(squares) == ["8D", "8E", "8F", "8G", "8H"]
    assert squares["8D"]["crop"] == crop
    assert squares["8D"]["words"] == {"before": "nothing", "read": "F", "now": "F"}
    assert "changed_after_press" in [flag["code"] for flag in file["turn"]["flags"]]
    assert file["turn"]["flags"][0]["remedies"]
    kinds = [one["type"] for one in file["known"]]
    assert kinds == ["ButtonPressed", "ButtonPressed", "TurnSeen", *["PicturesKept"] * 3,
                     "TilesChanged"]  # fmt: skip
    assert file["read"][7] == "...FIRNS......."


def test_the_edges_of_the_contacts_stand_beside_the_press(desk, game, ann, log):
    for place, word in TURNS[:3]:
        game.play(place, word)
    assert ann.get(f"{GAME}/turns/2").json["raw"] == []
    presses = [e for e in log.events() if e.type == "ButtonPressed"]
    lines = []
    for press in presses:
        begun = press.payload["t_ns"] - 5_000_000_321
        button = press.payload["button"]
        lines += [f"{begun},{button},1\n", f"{begun + 70_000_000},{button},0\n"]
    (desk.folder / "edges.csv").write_text("".join(lines), "ascii")
    # A page's presses have no edges; these were logged by what the tests call themselves.
    assert ann.get(f"{GAME}/turns/2").json["raw"] == []
    other = GameInLog(log, "game-2", t_ns=game.t_ns)
    other.put = lambda event: log.append(  # type: ignore[method-assign]
        "game-2", to_payload(event), mono_ns=other.t_ns, source="buttons"
    )
    other.start()
    for place, word in TURNS[:3]:
        other.play(place, word)
    lines = []
    for press in (e for e in log.events("game-2") if e.type == "ButtonPressed"):
        begun, button = press.payload["t_ns"] - 5_000_000_321, press.payload["button"]
        lines += [f"{begun},{button},1\n", f"{begun + 70_000_000},{button},0\n"]
    (desk.folder / "edges.csv").write_text("".join(lines), "ascii")
    raw = ann.get("/director/api/tables/1/games/game-2/turns/2").json["raw"]
    assert [(one["from_press_ns"], one["button"], one["closed"]) for one in raw] == [
        (0, "right", True),
        (70_000_000, "right", False),
    ]


def test_the_file_keeps_the_old_reading_beside_the_correction(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    event = {"type": "SquareCorrected", "turn": 1, "square": "8E", "symbol": "I"}
    post(ann, f"{GAME}/rule", {"event": event, "why": "seen on the picture"})
    file = ann.get(f"{GAME}/turns/1").json
    square = next(one for one in file["squares"] if one["name"] == "8E")
    assert (square["read"], square["now"]) == ("~", "I")
    assert [one["symbol"] for one in square["guesses"]] == ["I", "L", "."]
    said = file["known"][-1]
    assert (said["type"], said["by"], said["why"]) == (
        "SquareCorrected",
        "Ann",
        "seen on the picture",
    )


def test_boards_that_the_log_knows_are_told_and_others_looked_for(desk, game, ann, monkeypatch):
    import numpy as np

    from table import laying

    game.play(*TURNS[0])
    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    before = desk.picture(1, "before", game.t_ns - SECOND)
    read = desk.table.evidence.store(b"read")
    game.put(PicturesKept(1, (Picture("at", read, game.t_ns, corners=corners),), game.t_ns))
    lost = desk.picture(1, "after", game.t_ns + SECOND)
    desk.table.evidence.path(lost).unlink()
    asked = []

    def found(known: bytes, at: np.ndarray, other: bytes) -> np.ndarray:
        asked.append((known, other))
        return at + 1

    monkeypatch.setattr(laying, "corners_in", found)
    for _ in range(2):
        told = ann.get(f"{GAME}/turns/1/boards").json["corners"]
        assert told == {
            read: [list(corner) for corner in corners],
            before: [[x + 1, y + 1] for x, y in corners],
        }
    assert asked == [(b"read", f"1 before {game.t_ns - SECOND} None".encode())]
    assert ann.get(f"{GAME}/turns/2/boards").status_code == 404


def test_boards_of_a_game_without_known_corners_are_not_guessed(desk, game, ann):
    game.play(*TURNS[0])
    sha = desk.picture(1, "before", game.t_ns - SECOND)
    assert ann.get(f"{GAME}/turns/1/boards").json["corners"] == {sha: None}


def test_pictures_that_are_gone_are_told(desk, game, ann):
    game.play(*TURNS[0])
    lost = desk.picture(1, "at", game.t_ns)
    gone = desk.picture(1, "after", game.t_ns + SECOND)
    desk.table.evidence.path(lost).unlink()
    game.put(PicturesDeleted((gone,), "too many", game.t_ns))
    found = {one["sha256"]: one for one in ann.get(f"{GAME}/turns/1").json["pictures"]}
    assert (found[lost]["there"], found[lost]["deleted"]) == (False, False)
    assert (found[gone]["there"], found[gone]["deleted"]) == (False, True)


# --- the parts by themselves ---


def test_every_event_has_its_words(game, desk):
    assert set(_WORDS) == set(EVENT_TYPES.values())
    assert set(RULINGS) == set(get_args(Ruling))


def test_what_people_may_enter_is_everything_but_what_is_seen():
    assert {"TurnRuled", "Retracted", "ResultSigned", "PenaltyAdded"} <= SAYABLE
    assert not {"GameStarted", "TurnSeen", "ButtonPressed", "PicturesKept"} & SAYABLE


def test_questions_are_flags_that_there_are():
    assert set(CODES) >= QUESTIONS


def flag(code: str, *, open_: bool = True, remedies: int = 1) -> dict:
    offers = [{"open": open_}] * remedies
    return {"code": code, "message": code, "rule": None, "remedies": offers}


def test_concerns_come_in_order_of_urgency():
    turns = [
        {"number": 1, "flags": [flag("off_centre"), flag("uncertain_square")]},
        {"number": 2, "flags": []},
        {"number": 3, "flags": [flag("gap"), flag("askew", open_=False)]},
        {"number": 4, "flags": [flag("blank_undesignated"), flag("overtime", remedies=0)]},
    ]
    view = {"turns": turns, "flags": [flag("clock_stopped")]}
    found = concerns(view, [Concern("trouble", "log", "the disk is full")])
    assert [(one.level, one.code, one.turn) for one in found] == [
        ("trouble", "log", None),
        ("question", "clock_stopped", None),
        ("question", "blank_undesignated", 4),
        ("question", "uncertain_square", 1),
        ("flag", "gap", 3),
        ("note", "off_centre", 1),
    ]
    assert [one.level for one in concerns(None, [])] == []
    assert LEVELS[0] == "trouble"


@pytest.mark.parametrize(
    ("detail", "symbols"),
    [
        ("may be I 62%, L 31%, . 7%", ["I", "L", "."]),
        ("may be ? 50%, q 40%", ["?", "q"]),
        ("a tile's back", []),
        ("", []),
    ],
)
def test_guesses_are_taken_from_what_the_camera_said(detail, symbols):
    assert [one["symbol"] for one in guesses_in(detail)] == symbols


def test_an_event_that_cannot_be_is_refused():
    from dashboard.accounts.store import Account

    with pytest.raises(TilewatchError, match="missing"):
        event_of(
            {"type": "TurnRuled"}, by=None, why="x", account=Account("Ann", "director"), t_ns=1
        )
