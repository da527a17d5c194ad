"""JSON on which two readers could differ is refused, and never logged."""

from __future__ import annotations

import dataclasses

import pytest

from record import strict_json
from record.chain import GENESIS
from record.errors import LogError
from record.log.event_log import EventLog

REFUSED = {
    "a key twice": b'{"a":1,"a":1}',
    "a key twice, further in": b'[{"b":{"a":1,"\\u0061":1}}]',
    "not a number": b"NaN",
    "infinity": b"-Infinity",
    "a float too large": b"[1e999]",
    "an integer too large": b"9223372036854775808",
    "an integer too small": b"-9223372036854775809",
    "an integer of many digits": b"1" * 100_000,
    "half a surrogate pair": b'"\\ud800"',
    "half of one in a key": b'{"\\udc00":1}',
    "half of one as bytes": b'"\xed\xa0\x80"',
    "a byte order mark": b"\xef\xbb\xbf[]",
    "UTF-16": "[]".encode("utf-16"),
    "too deep": b"[" * 65 + b"]" * 65,
    "far too deep": b"[" * 300_000,
    "far too deep an object": b'{"a":' * 300_000,
    "nothing": b"",
    "more than one value": b"[] []",
}


@pytest.mark.parametrize("what", sorted(REFUSED))
def test_what_is_loose_is_refused_in_one_line(what):
    with pytest.raises(ValueError) as caught:
        strict_json.loads(REFUSED[what])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_what_is_plain_is_read():
    text = '{"a":[1,-9223372036854775808,1.5,"Ä\\ud83d\\ude00",null,true]}'
    assert strict_json.loads(text.encode()) == {"a": [1, -(2**63), 1.5, "Ä😀", None, True]}
    deepest = b"[" * 64 + b"]" * 64
    assert strict_json.loads(deepest)


def test_one_and_true_are_two():
    assert strict_json.same({"a": 1, "b": [1.5]}, {"b": [1.5], "a": 1})
    assert not strict_json.same(1, True)
    assert not strict_json.same(1, 1.0)


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [2**63, float("nan"), "\ud800", deep(70), deep(100_000), {"\ud800": 1}, {1, 2}, None]
)
def test_nothing_is_logged_that_no_verifier_would_read(tmp_path, value):
    """Neither what JSON cannot say nor a payload without a type."""
    payload = {} if value is None else {"type": "note", "x": value}
    with EventLog(tmp_path / "tilewatch.db") as log:
        with pytest.raises(LogError, match="payload"):
            log.append("g", payload, mono_ns=1, source="test")
        assert log.head == (0, GENESIS)


@pytest.mark.parametrize("text", ["null", "[1]", "5", "[" * 100_000, "{"])
def test_a_payload_that_a_disk_has_spoilt_is_one_line(tmp_path, text):
    with EventLog(tmp_path / "tilewatch.db") as log:
        event = log.append("g", {"type": "note"}, mono_ns=1, source="test")
    spoilt = dataclasses.replace(event, payload_text=text)
    with pytest.raises(LogError, match="event 1 of g is damaged"):
        _ = spoilt.payload
