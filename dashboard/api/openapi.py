"""The API described to programs: an OpenAPI 3.1 document.

The addresses are written down here, the shapes of their answers are those of :mod:`game.schema` and
:mod:`dashboard.api.schemas`. That both are true is the tests' business: every address of the API is
in it, and real answers are held against it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib import metadata
from typing import Any, Final

from flask import Blueprint
from flask.typing import ResponseReturnValue
from pydantic import TypeAdapter

from dashboard.admin_log import HEADER as WHY
from dashboard.api import schemas as shapes
from dashboard.api.access import access
from dashboard.api.records import MOST
from dashboard.responses import json_answer
from table.server_config import Api
from table.views.views import AUDIENCES

blueprint = Blueprint("api_document", __name__, url_prefix="/api/v1")

_DESCRIPTION: Final = (
    "Tables, their games, and what a dispute is settled with. What is in an answer depends on the"
    " audience: `public` is everybody's; the others need a token or a director's session."
)
_CLOSED: Final[dict[Api, str]] = {
    "tokens": " Here nothing is answered without one of them.",
    "off": " Here it is switched off for all but those who have logged in.",
}


@blueprint.get("/openapi.json")
def openapi() -> ResponseReturnValue:
    """This document."""
    return json_answer(document(access()))


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked for. ``answers`` gives a shape, or a media type, by status."""

    method: str
    path: str
    says: str
    answers: Mapping[int, Any]
    query: tuple[str, ...] = ()
    sends: Any = None
    guarded: bool = False
    """True if it is of no use without a token or a session."""
    headers: tuple[str, ...] = field(default=())


_WHY: Final = "Why, percent-encoded: it is kept with who and when."

OPERATIONS: Final = (
    Operation("get", "/tables", "Every table in a line.", {200: shapes.Tables}),
    Operation(
        "get",
        "/tables/{table_id}",
        "One table's newest view.",
        {200: shapes.State},
        query=("audience",),
    ),
    Operation(
        "get",
        "/tables/{table_id}/events",
        "Server-sent events: `time` with the table's time, and `view` after every change, complete"
        " in itself, with an id to resume from (`Last-Event-ID`, or `after` in the address).",
        {200: "text/event-stream", 503: shapes.NoPlace},
        query=("audience", "after"),
        headers=("Last-Event-ID",),
    ),
    Operation(
        "get",
        "/tables/{table_id}/turns",
        "Every turn, oldest first.",
        {200: shapes.Turns},
        query=("audience",),
    ),
    Operation(
        "get",
        "/tables/{table_id}/turns/{number}",
        "One turn.",
        {200: shapes.OneTurn},
        query=("audience",),
    ),
    Operation(
        "get",
        "/tables/{table_id}/clocks",
        "Both clocks at this moment.",
        {200: shapes.ClocksNow},
        query=("audience",),
    ),
    Operation(
        "get",
        "/tables/{table_id}/game.gcg",
        "The game's record so far, as GCG.",
        {200: "text/plain"},
        query=("audience",),
    ),
    Operation(
        "get",
        "/tables/{table_id}/log",
        "The log's events, oldest first.",
        {200: shapes.Log},
        query=("after", "limit", "game"),
        guarded=True,
    ),
    Operation(
        "get",
        "/tables/{table_id}/evidence/{sha256}",
        "One picture, the camera's own bytes.",
        {200: "image/jpeg", 206: "image/jpeg", 304: None, 416: shapes.Error},
        headers=("Range", "If-None-Match"),
        guarded=True,
    ),
    Operation(
        "get", "/tokens", "Every token, without its text.", {200: shapes.Tokens}, guarded=True
    ),
    Operation(
        "post",
        "/tokens",
        "A new token.",
        {201: shapes.MadeToken, 422: shapes.Error},
        sends=shapes.NewToken,
        headers=(WHY,),
        guarded=True,
    ),
    Operation(
        "delete",
        "/tokens/{token_id}",
        "End a token, and the streams that were opened with it.",
        {200: shapes.Withdrawn, 422: shapes.Error},
        guarded=True,
        headers=(WHY,),
    ),
    Operation(
        "get",
        "/webhooks",
        "Every webhook, without its secret.",
        {200: shapes.Webhooks},
        guarded=True,
    ),
    Operation(
        "post",
        "/webhooks",
        "A new webhook. It is sent `turn`, `correction`, `flag`, `end` and `gap` messages as JSON,"
        " signed in `Tilewatch-Signature: t=<seconds>,v1=<HMAC-SHA256 of seconds.body>`.",
        {201: shapes.MadeWebhook, 422: shapes.Error},
        sends=shapes.NewWebhook,
        headers=(WHY,),
        guarded=True,
    ),
    Operation(
        "delete",
        "/webhooks/{hook_id}",
        "End a webhook.",
        {200: shapes.Withdrawn, 422: shapes.Error},
        guarded=True,
        headers=(WHY,),
    ),
    Operation("get", "/openapi.json", "This document.", {200: dict[str, Any]}),
)

_SESSION_ALONE: Final = ("/tokens", "/webhooks")
"""The paths that no token opens."""

_PATH: Final[dict[str, dict[str, Any]]] = {
    "number": {"type": "integer", "minimum": 0},
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
_QUERY: Final[dict[str, dict[str, Any]]] = {
    "audience": {"type": "string", "enum": list(AUDIENCES), "default": "public"},
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": MOST},
    "game": {"type": "string"},
}
_LOG_AFTER: Final = {"type": "integer", "minimum": 0, "maximum": 2**53, "default": 0}


@functools.cache
def document(api: Api = "public") -> dict[str, Any]:
    """The document, as JSON-able data, where ``api`` says who may ask."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(f"/api/v1{operation.path}", {})[operation.method] = _described(
            operation, schemas, api
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tilewatch",
            "version": metadata.version("tilewatch"),
            "description": _DESCRIPTION + _CLOSED.get(api, ""),
            "license": {"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "address": {"type": "apiKey", "in": "query", "name": "token"},
                "session": {"type": "apiKey", "in": "cookie", "name": "tilewatch_session"},
            },
        },
    }


def _described(operation: Operation, schemas: dict[str, Any], api: Api) -> dict[str, Any]:
    ways: list[dict[str, list[str]]] = [{"token": []}, {"address": []}, {"session": []}]
    session_alone = operation.method != "get" or operation.path in _SESSION_ALONE
    if session_alone or api == "off":
        ways = [{"session": []}]
    described: dict[str, Any] = {
        "operationId": _name(operation),
        "summary": operation.says,
        "security": ways if operation.guarded or api != "public" else [{}, *ways],
        "responses": {},
    }
    if parameters := _parameters(operation):
        described["parameters"] = parameters
    if operation.sends is not None:
        content = {"application/json": {"schema": _schema(operation.sends, schemas)}}
        described["requestBody"] = {"required": True, "content": content}
    answers = {**operation.answers, **dict.fromkeys(_errors(operation, api), shapes.Error)}
    for status, shape in sorted(answers.items()):
        answer: dict[str, Any] = {"description": HTTPStatus(status).phrase}
        if isinstance(shape, str):
            answer["content"] = {shape: {}}
        elif shape is not None:
            answer["content"] = {"application/json": {"schema": _schema(shape, schemas)}}
        described["responses"][str(status)] = answer
    return described


def _errors(operation: Operation, api: Api) -> tuple[int, ...]:
    """Return the statuses with which a wrong request can be answered."""
    statuses = []
    if operation.query or operation.sends is not None:
        statuses.append(400)
    if operation.sends is not None:
        statuses.append(415)
    if operation.query or operation.guarded:
        statuses += [401, 403]
    elif api != "public":
        statuses.append(401 if api == "tokens" else 403)
    if "{" in operation.path or operation.guarded:
        statuses.append(404)
    return tuple(status for status in statuses if status not in operation.answers)


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    found = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _PATH.get(name, {"type": "string"}),
        }
        for name in named
    ]
    for name in operation.query:
        of_log = name == "after" and "limit" in operation.query
        schema = _LOG_AFTER if of_log else _QUERY.get(name, {"type": "string"})
        found.append({"name": name, "in": "query", "schema": schema})
    for name in operation.headers:
        described: dict[str, Any] = {"name": name, "in": "header", "schema": {"type": "string"}}
        if name == WHY:
            described |= {"required": True, "description": _WHY}
        found.append(described)
    return found


def _name(operation: Operation) -> str:
    parts = operation.path.replace("{", "").replace("}", "").replace(".", "/").split("/")
    return "_".join([operation.method, *(part.replace("-", "_") for part in parts if part)])


def _schema(shape: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """A shape's schema; what it names goes to ``schemas``."""
    made = TypeAdapter(shape).json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(made.pop("$defs", {}))
    if "title" not in made:
        return made
    schemas[made["title"]] = made
    return {"$ref": f"#/components/schemas/{made['title']}"}
