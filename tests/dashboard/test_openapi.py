"""The API's document against the API: every address, real answers, and many strange requests."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import pytest

from dashboard.api.openapi import document
from game.events import Finding, GameEnded, PenaltyAdded, RackReported
from tests.dashboard.conftest import TURNS, Hall

BASE = "/api/v1/tables/1"


@pytest.fixture
def hall(halls) -> Hall:
    return halls(streams=0)


@pytest.fixture
def played(game):
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


def test_every_address_of_the_api_is_in_the_document(hall):
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in hall.app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    reported = {
        (path, method) for path, methods in document()["paths"].items() for method in methods
    }
    assert reported == served


def test_the_document_is_served_and_is_one(hall):
    from openapi_spec_validator import OpenAPIV31SpecValidator

    served = hall.visitor().get("/api/v1/openapi.json").json
    assert served == document()
    OpenAPIV31SpecValidator(served).validate()


def test_real_answers_are_as_the_document_says(hall, played):
    headers = hall.token("director-read")
    for part in ("", "/turns", "/turns/1", "/turns/7", "/clocks"):
        path = re.sub(r"/\d+$", "/{number}", f"/api/v1/tables/{{table_id}}{part}")
        for audience in ("public", "player", "broadcast", "director"):
            answer = hall.visitor().get(f"{BASE}{part}?audience={audience}", headers=headers)
            assert answer.status_code == 200
            assert part or answer.json["view"]["audience"] == audience
            holds(path, answer)


def test_an_ended_game_is_as_the_document_says(hall, played):
    played.put(GameEnded("six_zeros", played.t_ns))
    for audience in ("public", "broadcast", "director"):
        answer = hall.visitor().get(
            f"{BASE}?audience={audience}", headers=hall.token("director-read")
        )
        assert answer.json["view"]["settled"]
        assert answer.json["view"]["adjustments"]
        holds("/api/v1/tables/{table_id}", answer)


def test_answers_before_any_game(hall, log):
    listed, table = (hall.visitor().get(path) for path in ("/api/v1/tables", BASE))
    holds("/api/v1/tables", listed)
    holds("/api/v1/tables/{table_id}", table)
    assert (listed.json["tables"][0]["status"], table.json["view"]) == ("waiting", None)
    assert hall.visitor().get("/").status_code == 200


def test_the_log_and_the_tokens_are_as_the_document_says(hall, played):
    log = hall.visitor().get(f"{BASE}/log", headers=hall.token("director-read"))
    assert len({event["payload"]["type"] for event in log.json["events"]}) >= 5
    holds("/api/v1/tables/{table_id}/log", log)
    client, csrf = hall.director()
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
def test_refusals_are_as_the_document_says(hall, played, path, sent):
    answer = hall.visitor().get(sent)
    assert answer.status_code >= 400
    holds(path, answer)


def test_a_field_that_the_document_does_not_know_would_be_noticed(hall, played):
    answer = hall.visitor().get(BASE).json
    answer["view"]["turns"][0]["valid"] = True
    schema = schema_of("/api/v1/tables/{table_id}", "get", 200)
    with pytest.raises(jsonschema.ValidationError, match="valid"):
        jsonschema.validate(answer, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_request_breaks_the_server(hall, played):
    """Schemathesis makes requests from the document, in order and out of it."""
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
    from schemathesis.specs.openapi.checks import response_schema_conformance

    session = hall.door.sessions.open(hall.director_account())
    director = {
        "Cookie": f"tilewatch_session={session.token}",
        "X-CSRF-Token": hall.door.sessions.form_token(session.token),
    }
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", hall.app)
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
        headers=st.sampled_from([{}, hall.token("director-read"), director]),
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
