"""Pages over TLS, with a certificate of the table's own: over real connections."""

from __future__ import annotations

import http.client
import socket
import ssl

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from table.certificates import certificate_of, pages_certificate
from table.server_config import Limits, ServerAccess
from tests.dashboard.conftest import site_over
from tests.machine import PATIENCE_S, until


@pytest.fixture
def served(log, tmp_path):
    made = certificate_of(ServerAccess(https=True), tmp_path, [])
    site = site_over(log)
    server = Server(create_app(site), "127.0.0.1", 0, limits=Limits(header_s=0.5), tls=made)
    server.start()
    yield server, made
    server.stop()


def connected(server: Server, made) -> http.client.HTTPSConnection:
    context = ssl.create_default_context(cafile=made.authority)
    return http.client.HTTPSConnection(
        "127.0.0.1", server.port, context=context, timeout=PATIENCE_S
    )


def test_pages_and_streams_come_over_tls(served):
    server, made = served
    assert server.url.startswith("https://")
    connection = connected(server, made)
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert answer.status == 200
    assert b"tilewatch" in answer.read()
    connection.request("GET", "/api/v1/tables/1/events")
    with connection.getresponse() as events:
        assert events.readline().startswith(b"retry: ")
    connection.close()


def test_the_authority_can_be_had_to_install_it(served):
    server, made = served
    connection = connected(server, made)
    connection.request("GET", "/authority.crt")
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "application/x-x509-ca-cert"
    assert answer.read() == made.authority.read_bytes()
    connection.close()


def test_a_handshake_that_never_ends_is_ended(served):
    server, _ = served
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as silent:
        silent.sendall(b"\x16\x03\x01")  # the beginning of one
        assert until(lambda: silent.recv(1) == b"")


def test_one_that_speaks_no_tls_gets_no_page(served):
    server, _ = served
    plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    with pytest.raises((http.client.HTTPException, OSError)):
        plain.request("GET", "/")
        plain.getresponse()
    plain.close()


def test_ones_own_certificate_is_used(tmp_path):
    brought = pages_certificate(tmp_path / "mine", [])
    access = ServerAccess(https=True, certificate=brought.certificate, key=brought.key)
    found = certificate_of(access, tmp_path, [])
    assert (found.certificate, found.authority) == (brought.certificate, None)
    assert certificate_of(ServerAccess(), tmp_path, []) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"https": True, "certificate": "x.pem"}, "certificate and key: give both, or none"),
        ({"https": True, "key": "x.pem"}, "certificate and key: give both, or none"),
        ({"certificate": "x.pem", "key": "y.pem"}, "given without https = true"),
    ],
)
def test_half_of_it_is_one_line(given, says):
    with pytest.raises(ValueError, match=says):
        ServerAccess.model_validate(given)
