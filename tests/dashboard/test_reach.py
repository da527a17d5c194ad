"""Closing the API as a whole, and standing behind a proxy."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator

import jsonschema
import pytest

from dashboard.accounts.throttle import Throttle
from dashboard.api.openapi import document
from dashboard.app import create_app
from dashboard.server import Server
from tests.dashboard.api_fixtures import Hall, hall_over
from tests.dashboard.conftest import TURNS
from tests.machine import PATIENCE_S, speaks_ipv6

OPEN_TO_ALL = (
    "/api/v1/tables",
    "/api/v1/tables/1",
    "/api/v1/tables/1/turns",
    "/api/v1/tables/1/clocks",
    "/api/v1/tables/1/game.gcg",
    "/api/v1/openapi.json",
    "/obs/1/score",
    "/obs/1/score.txt",
    "/api/broadcasts/obs/any/1/score",
)
STREAMS = ("/api/v1/tables/1/events", "/obs/1/events", "/obs/1/score/events")


@pytest.fixture(params=["tokens", "off"])
def closed(request, log, game, tmp_path) -> Iterator[Hall]:
    game.play(*TURNS[0])
    made = hall_over(log, tmp_path / "data", api_for=request.param)
    made.api = request.param
    yield made
    made.close()


@pytest.mark.parametrize("path", [*OPEN_TO_ALL, *STREAMS, "/api/v1/tables/7", "/api/v1/tokens"])
def test_a_closed_api_answers_no_stranger(closed, path):
    answer = closed.visitor().get(path)
    assert answer.status_code == (401 if closed.api == "tokens" else 403)
    output = "a token" if closed.api == "tokens" else "switched off"
    assert output in answer.get_data(as_text=True)
    assert TURNS[0][1] not in answer.get_data(as_text=True)


@pytest.mark.parametrize("path", OPEN_TO_ALL)
def test_a_token_opens_it_unless_it_is_off(closed, path):
    answer = closed.visitor().get(path, headers=closed.token("overlay"))
    assert answer.status_code == (200 if closed.api == "tokens" else 403)
    wrong = closed.visitor().get(path, headers={"Authorization": "Bearer tw_1_2"})
    assert wrong.status_code == (401 if closed.api == "tokens" else 403)


@pytest.mark.parametrize("path", OPEN_TO_ALL)
def test_whoever_has_logged_in_may_ask(closed, path):
    client, csrf = closed.director()
    assert client.get(path).status_code == 200
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


# --- behind a proxy ---


@pytest.fixture
def behind(log, game, tmp_path) -> Iterator:
    """Makes servers; tells what one says to a request from this machine."""
    game.play(*TURNS[0])
    hall = hall_over(log, tmp_path / "data")
    hall.director_account()
    servers = []

    def made(proxy: str | None, host: str = "127.0.0.1"):
        app = create_app(hall.site, tmp_path / "data", ["scores.example.org"])
        server = Server(app, host, 0, proxy)
        server.start()
        servers.append(server)

        def ask(method: str, path: str, body: str | None = None, **headers: str):
            wanted = {"Host": f"127.0.0.1:{server.port}"}
            wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
            connection.request(method, path, body, wanted)
            answer = connection.getresponse()
            reported = answer.status, answer.headers, answer.read()
            connection.close()
            return reported

        ask.door = app.extensions["tilewatch.door"]
        return ask

    yield made
    for server in servers:
        server.stop()
    hall.close()


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


def test_guesses_from_one_visitor_of_a_proxy_do_not_slow_another(behind):
    ask = behind("127.0.0.1")
    for number in range(40):
        ask.door.throttle.begin(f"Bob {number}", "203.0.113.7")
    kept = ask.door.throttle
    assert kept.begin("Eve", "203.0.113.7") > 0
    assert kept.begin("Eve", counted_as(ask, X_Forwarded_For="203.0.113.9")) == 0


def test_behind_a_proxy_with_tls_the_cookie_is_for_tls_alone(behind):
    ask = behind("127.0.0.1")
    _, reported, _ = ask("GET", "/login", X_Forwarded_Proto="https")
    assert "Secure" in reported["Set-Cookie"]
    _, reported, _ = ask("GET", "/login")
    assert "Secure" not in reported["Set-Cookie"]
