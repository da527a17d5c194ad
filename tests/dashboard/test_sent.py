"""One place reads what browsers and programs send, and answers with 400 and one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from dashboard.feeds.rows import Rows, RowsFollower
from dashboard.sent import NotJsonError, read_object, whole_number
from dashboard.streaming.response import last_event_id

ROOMS = ("dashboard", "hub")
UNUSABLE = {
    "half a letter": '{"code":"\\ud800","why":"\\ud800","name":"\\ud800"}',
    "half a letter as a key": '{"\\udc00":1}',
    "half a letter as bytes": b'{"code":"\xed\xa0\x80"}',
    "a number beyond 64 bits": '{"t_ns":9223372036854775808,"battery":1}',
    "a number of 400 digits": '{"battery":1' + "0" * 400 + "}",
    "a number of 900 digits": '{"round":' + "9" * 900 + "}",
    "a float beyond all": '{"battery":1e999}',
    "no number": '{"battery":NaN}',
    "60 brackets and more": '{"event":' + "[" * 100 + "]" * 100 + "}",
    "a key twice": '{"code":"a","code":"b"}',
    "UTF-16": '{"code":"a"}'.encode("utf-16"),
    "no object": "[1]",
    "nothing": "",
}


def posts(app) -> list[str]:
    """An address of everything that can be posted to, a form's apart."""
    places = {"table_id": "1", "game_id": "game-1", "side": "left", "slot": "feature"}
    found = []
    for rule in app.url_map.iter_rules():
        own = rule.rule.endswith(("/login", "/logout", "/camera", "/picture", "/archive"))
        if "POST" in rule.methods and not own:
            fill = re.sub(r"<(?:[^:<>]+:)?(\w+)>", lambda m: places.get(m[1], "x"), rule.rule)
            found.append(fill)
    return sorted(found)


def opened(desk, ann) -> dict[str, str]:
    """The headers of a director who also holds the table's clock and camera."""
    from dashboard.camera.pairing import pairing_of
    from dashboard.clock.keys import clock_keys

    with desk.app.app_context():
        clock = clock_keys().renew("1")
        camera = pairing_of(desk.app).keys.renew("1")
    keys = {"X-Clock-Key": clock, "X-Camera-Key": camera, "X-CSRF-Token": ann.token}
    return {**keys, "X-Why": "why", "Content-Type": "application/json"}


@pytest.mark.parametrize("what", sorted(UNUSABLE))
def test_json_that_cannot_be_used_is_refused_in_one_line(what):
    app = Flask(__name__)
    sent = {"data": UNUSABLE[what], "content_type": "application/json", "method": "POST"}
    with app.test_request_context(**sent), pytest.raises(NotJsonError) as caught:
        read_object()
    assert caught.value.status == 400
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_half_a_letter_is_refused_wherever_something_is_posted(desk, ann):
    headers = opened(desk, ann)
    addresses = posts(desk.app)
    assert len(addresses) > 15
    for address in addresses:
        answer = ann.post(address, data=UNUSABLE["half a letter"], headers=headers)
        assert answer.status_code in (400, 404, 409), (address, answer.data)
        assert "\n" not in answer.json["error"]


def test_nothing_else_reads_json_from_outside():
    """A view that read a body by itself would have to check it by itself."""
    readers = re.compile(r"get_json\(|request\.json|json\.loads?\(request")
    found = [
        str(path)
        for room in ROOMS
        for path in Path(room).rglob("*.py")
        if readers.search(path.read_text("utf-8"))
    ]
    assert found == ["dashboard/sent.py"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("9223372036854775807", 2**63 - 1), ("9223372036854775808", None),
        ("9" * 5000, None), ("-1", None), ("²", None), ("٣", None), (" 1", None), ("", None),
        ("1_0", None),
    ],
)  # fmt: skip
def test_a_whole_number_is_ascii_digits_within_64_bits(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize("sent", ["run-" + "9" * 5000, "run-²", "\xff\xfe", "run-\x80", "x" * 500])
def test_an_id_that_no_stream_gives_out_begins_a_new_one(sent):
    app = Flask(__name__)
    with app.test_request_context(headers={"Last-Event-ID": sent}):
        known = last_event_id()
    follower = RowsFollower(Rows(), "run", known)
    assert follower.waits_for() == "0"


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
@pytest.mark.parametrize(
    ("header", "sent", "status"),
    [
        ("Host", "9" * 5000, 421),
        ("Host", "x" * 300, 421),
        ("Host", "[", 421),
        ("Origin", "http://[", 403),
        ("Origin", "http://[::1", 403),
        ("Origin", "localhost", 403),
        ("Origin", "null", 403),
    ],
)
def test_a_header_that_cannot_be_is_refused_in_words(desk, ann, accept, header, sent, status):
    headers = {"X-CSRF-Token": ann.token, header: sent, "Accept": accept}
    answer = ann.post("/director/api/tables/1/stop", json={"why": "x"}, headers=headers)
    assert answer.status_code == status
    assert answer.data
    if header == "Host":
        assert ann.get("/", headers=headers).status_code == status


@pytest.mark.parametrize("table", ["2", "%ED%A0%80", "%00", "9" * 5000])
@pytest.mark.parametrize("page", ["", "/setup/calibration", "/setup/game", "/camera", "/turns/1"])
def test_a_table_that_is_not_there_is_not_found(ann, page, table):
    answer = ann.get(f"/director/tables/{table}{page}")
    assert answer.status_code == 404
