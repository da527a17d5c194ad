"""Bad requests are refused in our own words: on pages and to programs."""

from __future__ import annotations

import re
import socket

import pytest
from flask import Flask, abort
from werkzeug.exceptions import default_exceptions

from dashboard.app import create_app
from dashboard.feeds.rows import Rows
from dashboard.sent import NotJsonError, read_object, whole_number
from dashboard.server import Server
from dashboard.site import Site
from dashboard.streaming.response import last_event_id
from dashboard.streaming.streams import RowsFollower
from game.errors import TilewatchError
from tests.dashboard.connectionkit import ask, everything
from tests.machine import PATIENCE_S

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Flask:
    """An application that can fail in every way that there is."""
    made = create_app(Site(()), tmp_path_factory.mktemp("web"))
    made.add_url_rule("/fail/<int:code>", "fail", abort)

    @made.get("/bug")
    def bug() -> str:
        raise ZeroDivisionError("the secret in a traceback")

    @made.get("/unusable")
    def unusable() -> str:
        raise TilewatchError("the disk is full")

    return made


@pytest.fixture
def server(app, serving) -> Server:
    return serving(app)


@pytest.mark.parametrize("status", sorted(code for code in default_exceptions if code >= 400))
def test_no_error_speaks_werkzeugs_words(app, status):
    page = app.test_client().get(f"/fail/{status}", headers=BROWSER)
    assert page.status_code == status
    assert f'aria-label="Error {status}"' in page.text
    assert "error.css" in page.text
    werkzeugs = default_exceptions[status].description
    assert werkzeugs is None or werkzeugs not in page.text.replace("&#39;", "'")


@pytest.mark.parametrize("path", ["/bug", "/unusable"])
def test_a_fault_of_ours_says_nothing_of_its_inside(app, path, caplog):
    page = app.test_client().get(path, headers=BROWSER)
    assert page.status_code == 500
    assert "It is not your fault" in page.text
    assert "secret" not in page.text
    assert "disk" not in page.text
    assert app.test_client().get(path, headers={"Accept": "application/json"}).json["error"]


@pytest.mark.parametrize(
    ("status", "again", "log_in"),
    [(400, 0, 0), (401, 0, 1), (403, 0, 1), (404, 0, 0), (429, 1, 0), (503, 1, 0)],
)
def test_the_page_offers_what_may_help(app, status, again, log_in):
    page = app.test_client().get(f"/fail/{status}", headers=BROWSER).text
    assert (page.count("Try again</a>"), page.count("Log in</a>")) == (again, log_in)


def test_an_address_with_two_slashes_leads_nowhere_else(app):
    page = app.test_client().get("//elsewhere.example/fail", headers=BROWSER)
    assert "elsewhere.example" not in page.text


def test_a_method_that_does_not_fit_names_those_that_do(app):
    answer = app.test_client().put("/login", headers=BROWSER)
    assert answer.status_code in (403, 405)
    answer = app.test_client().delete("/api/v1/tables")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize(("headers", "kind"), [(BROWSER, "text/html"), ({}, "text/plain")])
def test_the_server_itself_refuses_with_a_page(server, headers, kind):
    sent = {**headers, "Content-Length": str(10**9)}
    status, got, body = ask(server.port, "/login", "POST", **sent)
    assert status == 413
    assert got["Content-Type"] == f"{kind}; charset=utf-8"
    assert got["X-Content-Type-Options"] == "nosniff"
    assert b"What was sent is too large." in body
    assert (b"<h1>" in body) == (kind == "text/html")


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        (b"GET / HTTP/1.1\r\nAccept: text/html\r\nCookie: " + b"a" * 40_000, 431, "cookies"),
        (b"GET / HTTP/1.1\r\nno header at all\r\n\r\n", 400, "address"),
        (b"no request\r\n\r\n", 400, "address"),
        (
            b"GET / HTTP/1.1\r\nHost: a b\r\nAccept: text/html\r\nConnection: close\r\n\r\n",
            421,
            "address",
        ),
    ],
)
def test_what_cannot_even_be_read_is_refused_in_our_words_and_no_news(
    server, sent, status, says, caplog
):
    address = ("127.0.0.1", server.port)
    with socket.create_connection(address, timeout=PATIENCE_S) as connection:
        connection.sendall(sent)
        head, _, body = everything(connection).decode().partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    assert ("text/html" in head) == (b"text/html" in sent) == ("<h1>" in body)
    assert "x-content-type-options: nosniff" in head
    assert says in body
    assert "Invalid HTTP" not in body
    assert caplog.records == []


def test_an_application_that_cannot_even_say_so_is_answered_for(app, server, monkeypatch, caplog):
    def breaks(*_: object) -> list[bytes]:
        raise ZeroDivisionError("the secret in a traceback")

    monkeypatch.setattr(app, "wsgi_app", breaks)
    status, _, body = ask(server.port, "/login", **BROWSER)
    assert status == 500
    assert b"It is not your fault" in body
    assert b"secret" not in body
    assert "no answer to GET /login" in caplog.text


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
    from dashboard.link_keys import LinkKeys, Pairing
    from dashboard.parts import part

    with desk.app.app_context():
        clock = part(LinkKeys).renew("1")
        camera = part(Pairing, desk.app).keys.renew("1")
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


def test_a_header_that_cannot_be_is_refused_in_words(desk, ann):
    for accept in ("text/html", "application/json"):
        for header, sent, status in (
            ("Host", "9" * 5000, 421),
            ("Host", "x" * 300, 421),
            ("Host", "[", 421),
            ("Origin", "http://[", 403),
            ("Origin", "http://[::1", 403),
            ("Origin", "localhost", 403),
            ("Origin", "null", 403),
        ):
            headers = {"X-CSRF-Token": ann.token, header: sent, "Accept": accept}
            stop = "/director/api/tables/1/stop"
            answer = ann.post(stop, json={"why": "x"}, headers=headers)
            assert (answer.status_code, bool(answer.data)) == (status, True), (header, sent)
            if header == "Host":
                assert ann.get("/", headers=headers).status_code == status


def test_a_table_that_is_not_there_is_not_found(ann):
    for table in ("2", "%ED%A0%80", "%00", "9" * 5000):
        for page in ("", "/setup/calibration", "/setup/game", "/camera", "/turns/1"):
            assert ann.get(f"/director/tables/{table}{page}").status_code == 404
