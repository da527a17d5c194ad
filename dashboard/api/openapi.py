"""The API described to programs: an OpenAPI 3.1 document.

Each address is declared beside its view (:func:`operation`). The shapes of the answers are those of
:mod:`game.schema` and :mod:`dashboard.api.schemas`; the tests check real answers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from importlib import metadata
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, TypeVar

from flask import Blueprint
from flask.typing import ResponseReturnValue
from pydantic import TypeAdapter

from dashboard.access import access
from dashboard.admin_log import HEADER as WHY
from dashboard.api import schemas as shapes
from dashboard.responses import json_answer
from table.server_config import Api
from table.views.views import AUDIENCES

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

View = TypeVar("View", bound=Callable[..., ResponseReturnValue])
Schema: TypeAlias = dict[str, Any]
"""A JSON schema, as JSON-able data."""
Opener: TypeAlias = Literal["anybody", "token", "session"]
"""Who may use an address of a public API: anybody, holders of a token or a session, or only holders
of a session."""

TEXT: Final[Schema] = {"type": "string"}
AUDIENCE: Final[dict[str, Schema]] = {
    "audience": {"type": "string", "enum": list(AUDIENCES), "default": "public"}
}
"""The query parameters of an address whose answer depends on the audience."""

_PATH: Final[dict[str, Schema]] = {
    "number": {"type": "integer", "minimum": 0},
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
_WHY: Final = "Why, percent-encoded; if given, it is kept with who and when."

_DESCRIPTION: Final = (
    "Tables, their games, and what a dispute is settled with. What is in an answer depends on the"
    " audience: `public` is everybody's; the others need a token or a director's session."
)
_CLOSED: Final[dict[Api, str]] = {
    "tokens": " Here nothing is answered without one of them.",
    "off": " Here it is switched off for all but those who have logged in.",
}


@dataclass(frozen=True)
class Operation:
    """A method of an address. ``answers`` gives a shape, or a media type, by status."""

    method: str
    path: str
    says: str
    answers: Mapping[int, Any]
    query: Mapping[str, Schema]
    headers: tuple[str, ...]
    sends: Any
    opened_by: Opener


OPERATIONS: Final[list[Operation]] = []
"""The operations of the API, in the order in which they were declared."""


def operation(
    method: Literal["get", "post", "delete"],
    path: str,
    answers: Mapping[int, Any],
    *,
    query: Mapping[str, Schema] = MappingProxyType({}),
    headers: tuple[str, ...] = (),
    sends: Any = None,
    opened_by: Opener = "anybody",
) -> Callable[[View], View]:
    """Decorate the view of an address below ``/api/v1``; its docstring becomes the description."""

    def declared(view: View) -> View:
        shown = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path)
        says = " ".join((view.__doc__ or "").split())
        OPERATIONS.append(Operation(method, shown, says, answers, query, headers, sends, opened_by))
        blueprint.add_url_rule(path, view_func=view, methods=[method.upper()])
        return view

    return declared


@operation("get", "/openapi.json", {200: dict[str, Any]})
def openapi() -> ResponseReturnValue:
    """This document."""
    return json_answer(document(access()))


@functools.cache
def document(api: Api = "public") -> dict[str, Any]:
    """Return the OpenAPI document, JSON-able; ``api`` is the setting of who may use the API."""
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
    if operation.opened_by == "session" or api == "off":
        ways = [{"session": []}]
    guarded = operation.opened_by != "anybody"
    described: dict[str, Any] = {
        "operationId": _name(operation),
        "summary": operation.says,
        "security": ways if guarded or api != "public" else [{}, *ways],
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
    """Return the error statuses with which a request can be answered."""
    statuses = []
    guarded = operation.opened_by != "anybody"
    if operation.query or operation.sends is not None:
        statuses.append(400)
    if operation.sends is not None:
        statuses.append(415)
    if operation.query or guarded:
        statuses += [401, 403]
    elif api != "public":
        statuses.append(401 if api == "tokens" else 403)
    if "{" in operation.path or guarded:
        statuses.append(404)
    return tuple(status for status in statuses if status not in operation.answers)


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    found = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _PATH.get(name, TEXT),
        }
        for name in named
    ]
    for name, schema in operation.query.items():
        found.append({"name": name, "in": "query", "schema": schema})
    for name in operation.headers:
        described: dict[str, Any] = {"name": name, "in": "header", "schema": TEXT}
        if name == WHY:
            described |= {"description": _WHY}
        found.append(described)
    return found


def _name(operation: Operation) -> str:
    parts = operation.path.replace("{", "").replace("}", "").replace(".", "/").split("/")
    return "_".join([operation.method, *(part.replace("-", "_") for part in parts if part)])


def _schema(shape: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a shape's schema; add the schemas that it refers to to ``schemas``."""
    made = TypeAdapter(shape).json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(made.pop("$defs", {}))
    if "title" not in made:
        return made
    schemas[made["title"]] = made
    return {"$ref": f"#/components/schemas/{made['title']}"}
