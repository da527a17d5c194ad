"""Errors, in our own words and look, for whoever reads a page; one line for programs."""

from __future__ import annotations

import http.client
import socket

import pytest
from flask import Flask, abort
from werkzeug.exceptions import default_exceptions

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site
from game.errors import TilewatchError

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


def test_the_server_itself_refuses_with_a_page(app):
    server = Server(app, "127.0.0.1", 0)
    server.start()
    try:
        for headers, kind in ((BROWSER, "text/html"), ({}, "text/plain")):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.putrequest("POST", "/login")
            for name, value in {**headers, "Content-Length": str(10**9)}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            body = answer.read().decode()
            assert answer.status == 413
            assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "What was sent is too large." in body
            assert ("<h1>" in body) == (kind == "text/html")
            connection.close()
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        (b"GET / HTTP/1.1\r\nAccept: text/html\r\nCookie: " + b"a" * 40_000, 431, "cookies"),
        (b"GET / HTTP/1.1\r\nno header at all\r\n\r\n", 400, "address"),
        (b"no request\r\n\r\n", 400, "address"),
    ],
)
def test_what_cannot_even_be_read_is_refused_in_our_words(app, sent, status, says):
    server = Server(app, "127.0.0.1", 0)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(sent)
            got = b""
            while more := connection.recv(65536):
                got += more
        head, _, body = got.decode().partition("\r\n\r\n")
        assert head.startswith(f"HTTP/1.1 {status} ")
        assert ("text/html" in head) == (b"text/html" in sent) == ("<h1>" in body)
        assert "x-content-type-options: nosniff" in head
        assert says in body
        assert "Invalid HTTP" not in body
    finally:
        server.stop()


def test_an_application_that_cannot_even_say_so_is_answered_for(app, monkeypatch, caplog):
    def breaks(*_: object) -> list[bytes]:
        raise ZeroDivisionError("the secret in a traceback")

    monkeypatch.setattr(app, "wsgi_app", breaks)
    server = Server(app, "127.0.0.1", 0)
    server.start()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/login", headers=BROWSER)
        answer = connection.getresponse()
        body = answer.read().decode()
        assert answer.status == 500
        assert "It is not your fault" in body
        assert "secret" not in body
        assert "no answer to GET /login" in caplog.text
        connection.close()
    finally:
        server.stop()
