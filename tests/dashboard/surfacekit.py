"""Every public answer of an application: for tests of what may not be in any of them.

The addresses come from the application itself, so a new one is tried without further ado; one with
an argument that is not known here fails, and is to be given values.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NoReturn
from unittest import mock
from urllib.parse import quote

from flask import Flask, Request
from werkzeug.datastructures import ImmutableMultiDict
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


def _not_watched(_arguments: object) -> NoReturn:
    raise NotImplementedError("surfacekit.py watches no such look at a query")


class WatchedArguments(ImmutableMultiDict):
    """A request's arguments, which note the names that they are asked for."""

    read: ClassVar[set[str]] = set()
    all_read: ClassVar[bool] = False

    @classmethod
    def begin(cls) -> None:
        cls.read, cls.all_read = set(), False

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def __contains__(self, key) -> bool:
        self.read.add(key)
        return super().__contains__(key)

    def getlist(self, key, *more):
        self.read.add(key)
        return super().getlist(key, *more)

    def __iter__(self):
        type(self).all_read = True
        return super().__iter__()

    def items(self, *more, **options):
        type(self).all_read = True
        return super().items(*more, **options)

    lists = values = listvalues = to_dict = property(_not_watched)


class WatchedRequest(Request):
    parameter_storage_class = WatchedArguments


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
    for path, (number, sent) in itertools.product(addresses(app, values), enumerate(headers)):
        found[f"{path} {number}"], read = answer_of(app, path, sent)
        for query in queries:
            if not query or (number and not query.endswith("broadcast")):
                continue
            # What no argument was looked up for says the same with any.
            if read is None or query[1:].partition("=")[0] in read:
                found[f"{path}{query} {number}"] = answer_of(app, path + query, sent)[0]
    return found


def differing(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """Return the addresses at which two worlds answer otherwise."""
    assert one.keys() == other.keys()
    return [path for path in one if one[path] != other[path]]


def answer_of(app: Flask, path: str, sent: Mapping[str, str]) -> tuple[bytes, set[str] | None]:
    """An answer, and the arguments that were looked up for it; None if all were."""
    client = app.test_client(use_cookies=False)
    WatchedArguments.begin()
    with mock.patch.object(app, "request_class", WatchedRequest):
        answer = client.get(path, headers=dict(sent), buffered=False)
        streamed = answer.mimetype == "text/event-stream"
        body = next(iter(answer.response), b"") if streamed else answer.data
    body = body.encode() if isinstance(body, str) else bytes(body)
    body = _HASH.sub(rb"\1", _TOKEN.sub(b"", body))
    shown = [answer.headers.get(one, "") for one in ("Location", "Content-Disposition")]
    answer.close()
    return (
        f"{answer.status_code} {shown}\n".encode() + body,
        None if WatchedArguments.all_read else WatchedArguments.read,
    )
