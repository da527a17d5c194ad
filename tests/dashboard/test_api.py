"""The API: what it answers, and to whom; closed as a whole; behind a proxy; its document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from dashboard.accounts.throttle import Throttle
from dashboard.api.openapi import document
from dashboard.app import create_app
from game.events import Finding, GameEnded, PenaltyAdded, RackReported, TurnRuled
from game.gcg import parse
from table.views.public_policy import PublicPolicy
from tests.dashboard import connectionkit
from tests.dashboard.conftest import JPEG, NAMES, SECOND, TURNS, Hall
from tests.machine import speaks_ipv6

BASE = "/api/v1/tables/1"


@pytest.fixture
def played(game):
    game.plays(TURNS)
    return game


GUARDED = (
    "?audience=player", "?audience=broadcast", "?audience=director", "/events?audience=director",
    "/turns?audience=director", "/turns/1?audience=director", "/clocks?audience=broadcast",
    "/game.gcg?audience=director", "/log", "/evidence/{sha256}",
)  # fmt: skip


def test_what_is_not_for_everybody_needs_a_token_or_a_session(hall, played):
    """An overlay's token opens the broadcast alone."""
    director, _ = hall.director()
    forbidden = [
        hall.token("public"),
        hall.token("overlay", table="2"),
        hall.token("director-read", "2"),
    ]
    overlay, reading = hall.token("overlay"), hall.token("director-read")
    for path in (BASE + one.format(sha256=hall.sha256) for one in GUARDED):
        refused = hall.visitor().get(path)
        assert (refused.status_code, set(refused.json)) == (401, {"error"}), path
        for headers in forbidden:
            assert hall.visitor().get(path, headers=headers).status_code == 403, path
        for client, headers in ((hall.visitor(), reading), (director, {})):
            with client.get(path, headers=headers) as opened:
                assert opened.status_code == 200, path
        expected = 200 if "broadcast" in path else 403
        assert hall.visitor().get(path, headers=overlay).status_code == expected, path


def test_a_token_is_taken_from_the_header_and_from_the_address(hall, played):
    path, text = f"{BASE}?audience=director", hall.tokens.make("t", "director-read", by="Ann")[1]
    assert hall.visitor().get(f"{path}&token={text}").status_code == 200
    for word in ("Bearer", "bearer"):
        sent = {"Authorization": f"{word} {text}"}
        assert hall.visitor().get(path, headers=sent).status_code == 200
    for unknown in ("tw_1_2", "%F0%9F%98%80", "tw_%C3%A4_b"):
        answer = hall.visitor().get(f"{path}&token={unknown}")
        assert answer.status_code == 401
        assert "withdrawn" in answer.json["error"]
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


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


def test_a_delay_holds_for_every_part_of_the_api(halls, game):
    hall = halls(public=PublicPolicy(delay_turns=2))
    game.plays(TURNS[:4])
    client, overlay = hall.visitor(), hall.token("overlay")
    assert len(client.get(BASE).json["view"]["turns"]) == 2
    assert len(client.get(f"{BASE}/turns").json["turns"]) == 2
    assert client.get(f"{BASE}/turns/3").status_code == 404
    assert len(parse(client.get(f"{BASE}/game.gcg").data).entries) == 2
    assert client.get(f"{BASE}/clocks").json["now_ns"] < game.t_ns
    assert "unseen" not in client.get(BASE).json["view"]
    live = client.get(f"{BASE}?audience=broadcast", headers=overlay).json["view"]
    assert len(live["turns"]) == 4
    assert sum(live["unseen"].values()) == 100 - len(live["squares"])


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
    ["0" * 64, "../tilewatch.db", "..%2Ftilewatch.db", "..%2f..%2f..%2fetc%2fpasswd",
     "%2e%2e/%2e%2e/web.db", "/etc/passwd", "{sha256}.jpg", "{sha256}%00", "{sha256}/../{sha256}",
     "{upper}", "."],
)  # fmt: skip
def test_no_other_file_can_be_had_as_a_picture(hall, game, name):
    path = f"{BASE}/evidence/{name}".format(sha256=hall.sha256, upper=hall.sha256.upper())
    answer = hall.visitor().get(path, headers=hall.token("director-read"))
    assert answer.status_code in (404, 308)
    assert JPEG not in answer.data


def test_a_director_makes_lists_and_withdraws_tokens(hall):
    client, csrf = hall.director()
    made = client.post("/api/v1/tokens", json={"name": "OBS", "scope": "overlay"}, headers=csrf)
    assert made.status_code == 201
    assert made.json["token"]["made_by"].startswith("Ann")
    text = made.json["text"]
    opened = hall.visitor().get(f"{BASE}?audience=broadcast&token={text}")
    assert opened.status_code == 200
    for headers in (hall.token("overlay"), hall.token("director-read")):  # a token makes none
        sent = {"name": "more", "scope": "director-read"}
        assert hall.visitor().post("/api/v1/tokens", json=sent, headers=headers).status_code == 401
        assert hall.visitor().get("/api/v1/tokens", headers=headers).status_code == 401
    listed = client.get("/api/v1/tokens")
    assert [token["name"] for token in listed.json["tokens"]] == ["OBS", "t", "t"]
    assert text not in json.dumps(listed.json)
    path = f"/api/v1/tokens/{made.json['token']['id']}"
    assert client.delete(path, headers=csrf).json == {"withdrawn": made.json["token"]["id"]}
    assert client.delete(path, headers=csrf).status_code == 404
    assert hall.visitor().get(f"{BASE}?audience=broadcast&token={text}").status_code == 401


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        ({}, 422, "name"),
        ({"name": "x"}, 422, "scope"),
        ({"name": "x", "scope": "root"}, 422, "scope"),
        ({"name": 1, "scope": "overlay"}, 422, "name"),
        ({"name": "x", "scope": "overlay", "by": "me"}, 422, "by"),
        ({"name": " ", "scope": "overlay"}, 422, "name"),
        ({"name": "x" * 81, "scope": "overlay"}, 422, "name"),
        ({"name": "x", "scope": "overlay", "table": "9"}, 404, "table"),
    ],
)
def test_a_token_that_cannot_be_made_is_refused_in_one_line(hall, sent, status, says):
    client, csrf = hall.director()
    answer = client.post("/api/v1/tokens", json=sent, headers=csrf)
    assert (answer.status_code, says in answer.json["error"]) == (status, True)
    assert "\n" not in answer.json["error"]
    assert hall.tokens.all() == []


OPEN_TO_ALL = (
    "/api/v1/tables", "/api/v1/tables/1", "/api/v1/tables/1/turns", "/api/v1/tables/1/clocks",
    "/api/v1/tables/1/game.gcg", "/api/v1/openapi.json", "/obs/1/score", "/obs/1/score.txt",
    "/api/broadcasts/obs/any/1/score",
)  # fmt: skip
STREAMS = ("/api/v1/tables/1/events", "/obs/1/events", "/obs/1/score/events")


@pytest.fixture(params=["tokens", "off"])
def closed(request, game, halls) -> Hall:
    game.play(*TURNS[0])
    made = halls(api_for=request.param)
    made.api = request.param
    return made


def test_a_closed_api_answers_no_stranger(closed):
    status, says = (401, "a token") if closed.api == "tokens" else (403, "switched off")
    for path in (*OPEN_TO_ALL, *STREAMS, "/api/v1/tables/7", "/api/v1/tokens"):
        answer = closed.visitor().get(path)
        assert answer.status_code == status, path
        assert says in answer.text, path
        assert TURNS[0][1] not in answer.text, path


def test_a_token_opens_it_unless_it_is_off_and_whoever_has_logged_in_may_ask(closed):
    right, (client, csrf) = closed.token("overlay"), closed.director()
    wrong = {"Authorization": "Bearer tw_1_2"}
    for path in OPEN_TO_ALL:
        found = [closed.visitor().get(path, headers=one).status_code for one in (right, wrong)]
        assert found == ([200, 401] if closed.api == "tokens" else [403, 403]), path
        assert client.get(path).status_code == 200, path
    made = client.post("/api/v1/tokens", json={"name": "x", "scope": "overlay"}, headers=csrf)
    assert made.status_code == 201


def test_pages_go_on_without_it(closed):
    visitor = closed.visitor()
    for path in ("/", "/tables/1", "/tables/1/clock", "/overlay/1/board", "/source.tar.gz"):
        assert visitor.get(path).status_code == 200, path
    live = visitor.get("/tables/1/live?audience=director")
    assert live.json["view"]["turns"][0]["words"][0]["text"] == TURNS[0][1]
    assert live.json["view"]["audience"] == "public"
    with visitor.get("/tables/1/live/events", buffered=False) as stream:
        assert b"event: view" in next(stream.response)


def test_the_document_says_who_may_ask(closed):
    client, _ = closed.director()
    reported = client.get("/api/v1/openapi.json").json
    assert reported == document(closed.api) != document()
    for path, methods in reported["paths"].items():
        for method, one in methods.items():
            assert {} not in one["security"], (method, path)
            if closed.api == "off":
                assert one["security"] == [{"session": []}]
    for path in ("/api/v1/tables", "/api/v1/tables/1", "/api/v1/openapi.json"):
        answer = closed.visitor().get(path)
        named = re.sub(r"tables/1", "tables/{table_id}", path)
        described = reported["paths"][named]["get"]["responses"][str(answer.status_code)]
        schema = described["content"]["application/json"]["schema"]
        whole = {**schema, "components": reported["components"]}
        jsonschema.Draft202012Validator(whole).validate(answer.json)


@pytest.fixture
def behind(game, hall, tmp_path, serving) -> Callable[..., Any]:
    """Makes servers; tells what one says to a request from this machine."""
    game.play(*TURNS[0])
    hall.director_account()

    def made(proxy: str | None, host: str = "127.0.0.1"):
        app = create_app(hall.site, tmp_path / "data", ["scores.example.org"])
        server = serving(app, proxy, host)

        def ask(method: str, path: str, body: str | None = None, **headers: str):
            headers.setdefault("Host", f"127.0.0.1:{server.port}")
            return connectionkit.ask(server.port, path, method, body, **headers)

        ask.door = app.extensions["tilewatch.AuthContext"]
        return ask

    return made


class Seen(Throttle):
    """Lets nobody in, and remembers where they came from."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def begin(self, account: str, address: str, device: str | None = None) -> float:
        self.addresses.append(address)
        return 3.0  # so that no password is looked at, which takes its time on purpose


def counted_as(ask, **headers: str) -> str:
    """From which address a log-in with these headers is counted as coming."""
    ask.door.throttle = seen = Seen()
    _, reported, page = ask("GET", "/login")
    token = re.search(rb'name="csrf_token" value="([0-9a-f]{64})"', page)
    sent = f"name=Ann&password=no&csrf_token={token[1].decode()}"
    status, _, _ = ask(
        "POST",
        "/login",
        sent,
        Content_Type="application/x-www-form-urlencoded",
        Cookie=reported["Set-Cookie"].partition(";")[0],
        **headers,
    )
    assert status == 429
    return seen.addresses[0]


FORGED = (
    {"X_Forwarded_For": "203.0.113.7"},
    {"Forwarded": "for=203.0.113.7"},
    {"X_Forwarded_For": "203.0.113.7", "X_Forwarded_Proto": "https"},
    {"X_Real_Ip": "203.0.113.7"},
)


@pytest.mark.parametrize("proxy", [None, "192.0.2.1", "::1"])
def test_what_a_stranger_says_of_where_it_comes_from_is_thrown_away(behind, proxy):
    ask = behind(proxy)
    for headers in FORGED:
        assert counted_as(ask, **headers) == "127.0.0.1"
    # Nor does it get past the check of the host, or change it.
    assert ask("GET", "/", Host="evil.example", X_Forwarded_Host="127.0.0.1")[0] == 421
    assert ask("GET", "/", X_Forwarded_Host="evil.example")[0] == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "::"])
def test_what_the_trusted_proxy_says_is_believed(behind, host):
    if host == "::" and not speaks_ipv6():
        pytest.skip("this machine has no IPv6")
    ask = behind("127.0.0.1", host)
    assert counted_as(ask, X_Forwarded_For="203.0.113.7") == "203.0.113.7"
    assert counted_as(ask, X_Forwarded_For="2001:db8::7") == "2001:db8::7"
    # What a visitor had put there stands before what the proxy added.
    assert counted_as(ask, X_Forwarded_For="198.51.100.9, 203.0.113.8") == "203.0.113.8"
    assert counted_as(ask, Forwarded="for=198.51.100.9").removeprefix("::ffff:") == "127.0.0.1"
    assert ask("GET", "/", Host="evil.example")[0] == 421
    assert ask("GET", "/", X_Forwarded_Host="evil.example")[0] == 421
    named = {"Host": "127.0.0.1:1", "X_Forwarded_Host": "scores.example.org"}
    assert ask("GET", "/", **named)[0] == 200
    # Behind a proxy with TLS the cookie is for TLS alone.
    cookies = [
        ask("GET", "/login", X_Forwarded_Proto=scheme)[1]["Set-Cookie"]
        for scheme in ("https", "http")
    ]
    assert ["Secure" in cookie for cookie in cookies] == [True, False]


# --- its document ---


@pytest.fixture
def full_hall(halls) -> Hall:
    """It has no place for a stream."""
    return halls(streams=0)


@pytest.fixture
def eventful(game):
    """A game with something of everything in it."""
    findings = {1: [Finding("misoriented_tile", "8F", "upside down")]}
    for number, (place, word) in enumerate(TURNS, start=1):
        game.play(place, word, findings.get(number, ()))
    game.play("1A", "ZOOZZ")  # neither here nor there
    game.put(PenaltyAdded("left", 10, "8.2", "director", "late", game.t_ns))
    game.put(RackReported("left", "AE", game.t_ns, counted=2))
    return game


def schema_of(path: str, method: str, status: int) -> dict[str, Any]:
    """The schema of an answer, with everything that it refers to."""
    described = document()
    content = described["paths"][path][method]["responses"][str(status)]["content"]
    return {**content["application/json"]["schema"], "components": described["components"]}


def holds(path: str, answer, method: str = "get") -> None:
    schema = schema_of(path, method, answer.status_code)
    faults = jsonschema.Draft202012Validator(schema).iter_errors(answer.json)
    assert [f"{fault.json_path}: {fault.message[-200:]}" for fault in faults] == []


def test_every_address_of_the_api_is_in_the_document(full_hall):
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in full_hall.app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    reported = {
        (path, method) for path, methods in document()["paths"].items() for method in methods
    }
    assert reported == served


def test_the_document_is_served_and_is_one(full_hall):
    from openapi_spec_validator import OpenAPIV31SpecValidator

    served = full_hall.visitor().get("/api/v1/openapi.json").json
    assert served == document()
    OpenAPIV31SpecValidator(served).validate()


def test_real_answers_are_as_the_document_says(full_hall, eventful):
    headers = full_hall.token("director-read")
    for part in ("", "/turns", "/turns/1", "/turns/7", "/clocks"):
        path = re.sub(r"/\d+$", "/{number}", f"/api/v1/tables/{{table_id}}{part}")
        for audience in ("public", "player", "broadcast", "director"):
            answer = full_hall.visitor().get(f"{BASE}{part}?audience={audience}", headers=headers)
            assert answer.status_code == 200
            assert part or answer.json["view"]["audience"] == audience
            holds(path, answer)


def test_an_ended_game_is_as_the_document_says(full_hall, eventful):
    eventful.put(GameEnded("six_zeros", eventful.t_ns))
    for audience in ("public", "broadcast", "director"):
        answer = full_hall.visitor().get(
            f"{BASE}?audience={audience}", headers=full_hall.token("director-read")
        )
        assert answer.json["view"]["settled"]
        assert answer.json["view"]["adjustments"]
        holds("/api/v1/tables/{table_id}", answer)


def test_answers_before_any_game(full_hall):
    listed, table = (full_hall.visitor().get(path) for path in ("/api/v1/tables", BASE))
    holds("/api/v1/tables", listed)
    holds("/api/v1/tables/{table_id}", table)
    assert (listed.json["tables"][0]["status"], table.json["view"]) == ("waiting", None)
    assert full_hall.visitor().get("/").status_code == 200


def test_the_log_and_the_tokens_are_as_the_document_says(full_hall, eventful):
    log = full_hall.visitor().get(f"{BASE}/log", headers=full_hall.token("director-read"))
    assert len({event["payload"]["type"] for event in log.json["events"]}) >= 5
    holds("/api/v1/tables/{table_id}/log", log)
    client, csrf = full_hall.director()
    made = client.post("/api/v1/tokens", json={"name": "x", "scope": "overlay"}, headers=csrf)
    holds("/api/v1/tokens", made, "post")
    holds("/api/v1/tokens", client.get("/api/v1/tokens"))
    hook = {"url": "https://example.org/hook"}
    hooked = client.post("/api/v1/webhooks", json=hook, headers=csrf)
    holds("/api/v1/webhooks", hooked, "post")
    holds("/api/v1/webhooks", client.get("/api/v1/webhooks"))
    path = f"/api/v1/tokens/{made.json['token']['id']}"
    holds("/api/v1/tokens/{token_id}", client.delete(path, headers=csrf), "delete")


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/api/v1/tables/{table_id}", "/api/v1/tables/9"),
        ("/api/v1/tables/{table_id}", f"{BASE}?audience=root"),
        ("/api/v1/tables/{table_id}", f"{BASE}?audience=director"),
        ("/api/v1/tables/{table_id}/turns/{number}", f"{BASE}/turns/99"),
        ("/api/v1/tables/{table_id}/log", f"{BASE}/log"),
        ("/api/v1/tables/{table_id}/events", f"{BASE}/events"),  # no place: there are none
        ("/api/v1/tokens", "/api/v1/tokens"),
    ],
)
def test_refusals_are_as_the_document_says(full_hall, eventful, path, sent):
    answer = full_hall.visitor().get(sent)
    assert answer.status_code >= 400
    holds(path, answer)


def test_a_field_that_the_document_does_not_know_would_be_noticed(full_hall, eventful):
    answer = full_hall.visitor().get(BASE).json
    answer["view"]["turns"][0]["valid"] = True
    schema = schema_of("/api/v1/tables/{table_id}", "get", 200)
    with pytest.raises(jsonschema.ValidationError, match="valid"):
        jsonschema.validate(answer, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_request_breaks_the_server(full_hall, eventful):
    """Schemathesis makes requests from the document, in order and out of it."""
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
    from schemathesis.specs.openapi.checks import response_schema_conformance

    session = full_hall.door.sessions.open(full_hall.director_account())
    director = {
        "Cookie": f"tilewatch_session={session.token}",
        "X-CSRF-Token": full_hall.door.sessions.form_token(session.token),
    }
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", full_hall.app)
    modes = schemathesis.GenerationMode
    cases = st.one_of(
        *(
            result.ok().as_strategy(generation_mode=mode)
            for result in schema.get_all_operations()
            for mode in (modes.POSITIVE, modes.NEGATIVE)
        )
    )
    met: set[int] = set()

    # So many that each of the document's operations is met, by the same ones every time.
    @settings(
        max_examples=150, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(
        case=cases,
        there=st.booleans(),
        headers=st.sampled_from([{}, full_hall.token("director-read"), director]),
    )
    def check(case, there, headers):
        if there and "table_id" in case.path_parameters:
            case.path_parameters["table_id"] = "1"
        response = case.call(headers=headers)
        met.add(response.status_code)
        assert response.status_code < 500 or response.status_code == 503, case.as_curl_command()
        if response.status_code >= 400:
            assert set(response.json()) <= {"error", "streams"}
        elif response.status_code == 200:
            case.validate_response(response, checks=[response_schema_conformance])

    check()
    assert {200, 404} <= met
