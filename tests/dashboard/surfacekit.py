"""Every public answer of an application: for tests of what may not be in any of them.

The addresses come from the application itself, so a new one is tried without further ado; one with
an argument that is not known here fails, and is to be given values.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote

from flask import Flask
from werkzeug.routing import AnyConverter, Rule

Values = Mapping[str, Sequence[object]]

_STATIC = ("static", "spectators.source", "api.openapi")
"""The answers that are the same for everybody, whatever is played."""

_ARGUMENT = re.compile(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>")

_TOKEN = re.compile(rb'(?<=value=")[0-9a-f]{64}(?=")')
"""A form's token, which is always another one."""

_HASH = re.compile(rb"\b(\d+)-[0-9a-f]{12}\b")
"""A view's id, with the start of a hash that differs with the moment of the test."""

_QUERIES = ("", "?audience=broadcast", "?hall", "?delay=10")


def addresses(app: Flask, values: Values) -> Iterator[str]:
    """Yield every address that can be read, with each combination of values of its arguments."""
    for rule in sorted(app.url_map.iter_rules(), key=str):
        if "GET" in (rule.methods or ()) and not rule.endpoint.endswith(_STATIC):
            yield from _filled(rule, values)


def _filled(rule: Rule, values: Values) -> Iterator[str]:
    choices: list[Iterable[object]] = []
    for name, converter in rule._converters.items():
        if isinstance(converter, AnyConverter):
            choices.append(sorted(converter.items))
        else:
            assert name in values, f"{rule}: say in the test which values {name} may have"
            choices.append(values[name])
    for chosen in itertools.product(*choices):
        given = dict(zip(rule._converters, (quote(str(one)) for one in chosen), strict=True))
        yield _ARGUMENT.sub(lambda found: given[found[1]], rule.rule)  # noqa: B023


def answers(
    app: Flask,
    values: Values,
    headers: Sequence[Mapping[str, str]] = ({},),
    queries: Sequence[str] = _QUERIES,
) -> dict[str, bytes]:
    """Return the body, the status and the telling headers of every answer, by its address.

    Of a stream it is what comes at once.
    """
    found: dict[str, bytes] = {}
    for path in addresses(app, values):
        for query, (number, sent) in itertools.product(queries, enumerate(headers)):
            if query and number and not query.endswith("broadcast"):
                continue
            client = app.test_client(use_cookies=False)
            answer = client.get(path + query, headers=dict(sent), buffered=False)
            streamed = answer.mimetype == "text/event-stream"
            body = next(iter(answer.response), b"") if streamed else answer.data
            body = body.encode() if isinstance(body, str) else bytes(body)
            body = _HASH.sub(rb"\1", _TOKEN.sub(b"", body))
            shown = [answer.headers.get(one, "") for one in ("Location", "Content-Disposition")]
            found[f"{path}{query} {number}"] = f"{answer.status_code} {shown}\n".encode() + body
            answer.close()
    return found
