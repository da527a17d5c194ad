"""A table that cannot reach its hub, or what answers for it, says what is in the way."""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
import threading
from contextlib import nullcontext

import pytest

from hub.config import HubConfig
from hub.errors import HubError
from hub.service import HubService
from hub.table_side.connector import CA_FILE, Membership
from hub.table_side.joining import broker_trouble, hub_checks, join
from hub.wire.connection import refused_certificate, unreachable
from table.certificates import pages_certificate
from tests.hub.hubkit import every_incident, free_port

CODE = "K7QM-2D9F-XW3T"


def refused(code: int, words: str = "") -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "refused")
    error.verify_code, error.verify_message = code, words
    return error


def test_a_refused_certificate_has_its_reason():
    assert refused_certificate(refused(20)) == "an authority that is not known here has signed it"
    assert "run out by this machine's clock" in refused_certificate(refused(10))
    assert "another name" in refused_certificate(refused(62))
    assert refused_certificate(refused(85, "Missing …")) == "Missing …"
    assert refused_certificate(ConnectionRefusedError(errno.ECONNREFUSED, "")) is None


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, ""), "nothing listens there"),
        (OSError(errno.EHOSTUNREACH, ""), "no machine of this address"),
        (OSError(errno.ENETUNREACH, ""), "no network leads there"),
        (OSError(errno.EIO, ""), "Input/output error"),
        (TimeoutError("timed out"), "does not answer"),
        (socket.gaierror(-2, "Name or service not known"), "no machine of this name"),
        (ConnectionResetError(errno.ECONNRESET, ""), "it hangs up"),
        (http.client.RemoteDisconnected("closed"), "it hangs up"),
        (http.client.BadStatusLine("SSH-2.0"), "speaks no HTTP"),
        (ssl.SSLEOFError(8, "EOF"), "it hangs up"),
    ],
)
def test_what_is_in_the_way_is_said(error, says):
    assert says in unreachable(error)


def http(body: bytes, status: str = "200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


@pytest.fixture
def answering(tmp_path):
    """Answers every connection with the same bytes, over TLS where there is a context for it."""
    listening = socket.create_server(("127.0.0.1", 0))
    answer: list[tuple[bytes, ssl.SSLContext | None]] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.settimeout(10)
            text, context = answer[-1]
            with (
                context.wrap_socket(connection, server_side=True) if context else connection as one
            ):
                received = one.recv(65536)
                while received.startswith(b"POST") and not received.endswith(b"}"):
                    received += one.recv(65536)
                one.sendall(text)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    def at(text: bytes, scheme: str = "http", context: ssl.SSLContext | None = None) -> str:
        answer.append((text, context))
        return f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"

    yield at
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join(10)


def test_a_hub_with_a_certificate_of_its_own_can_be_joined(tmp_path, answering):
    """It is spoken to; the answer here is none that a hub gives."""
    made = pages_certificate(tmp_path / "certificate", [])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    address = answering(http(b'{"exchange": 1}'), "https", context)
    with pytest.raises(HubError, match="the hub's answer cannot be understood"):
        join(CODE, address, tmp_path)


def test_what_speaks_no_tls_is_told(tmp_path, answering):
    with pytest.raises(HubError, match="no hub answers there: what answers there speaks no TLS"):
        join(CODE, answering(http(b"<html>"), "https"), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        http(b"[" * 60_000),
        http(b'{"a":' * 12_000),
        http(b"[" * 60_000, "403 Forbidden"),
        http(b'{"error": ["\\ud800"]}', "403 Forbidden"),
        http(b'{"error": "no\\u001b[2J"}', "500 Broken"),
        http(b"9" * 5000),
        http(b'{"exchange": "\\ud800"}'),
        http(b'{"exchange": 1}'),
        http(b"<html>"),
        http(b"\xff\xfe"),
        http(b"[]"),
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"",
    ],
)
def test_whatever_answers_is_told_in_one_line(tmp_path, answering, text):
    address = answering(text)
    with pytest.raises(HubError) as caught:
        join(CODE, address, tmp_path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert ("what answers there is no hub" in str(caught.value)) or b"<html>" not in text


@pytest.mark.parametrize(
    "where",
    ["http://[", "http://h:99999", "http://a b/", "//", "http://:8000", "http://\ud800", ""],
)
def test_what_is_no_address_is_told_in_one_line(tmp_path, where):
    with pytest.raises(HubError, match=r"no address of a hub|no hub answers"):
        join(CODE, where, tmp_path)


def test_what_the_broker_refuses_is_told_apart(venue, tmp_path):
    member, folder = venue.enrol("t1"), venue.folder / "t1"
    assert broker_trouble(member, folder) is None
    assert [check.ok for check in hub_checks(folder, running=False)] == [True]
    assert [check.ok for check in hub_checks(folder, running=True)] == [True]

    wrong = broker_trouble(member.model_copy(update={"password": "guessed"}), folder)
    assert "refuses t1" in wrong and "enrol this table again" in wrong
    away = broker_trouble(member.model_copy(update={"port": free_port()}), folder)
    assert "cannot be reached: nothing listens there" in away
    other = pages_certificate(tmp_path / "other", []).authority
    (folder / CA_FILE).write_bytes(other.read_bytes())
    unknown = broker_trouble(member, folder)
    assert unknown.startswith(
        "the broker's certificate was refused: an authority that is not known"
    )
    for running in (False, True):
        (check,) = hub_checks(folder, running=running)
        assert not check.ok
        assert "certificate was refused" in check.says
    assert list(hub_checks(tmp_path / "alone", running=False)) == []


def test_tables_that_do_not_know_the_brokers_authority_are_named(venue):
    venue.enrol("t1")
    venue.restart()
    assert venue.service.enrol_again == []
    for path in (venue.folder / "hub" / "broker").glob("*.pem"):
        path.unlink()
    for path in (venue.folder / "hub" / "broker").glob("*.key"):
        path.unlink()
    venue.restart()
    assert venue.service.enrol_again == ["T1"]
    assert ("t1", "enrol it again") in [one[:2] for one in every_incident(venue.service.store)]
    trouble = broker_trouble(Membership.load(venue.folder / "t1"), venue.folder / "t1")
    assert "certificate was refused" in trouble


@pytest.mark.parametrize(
    ("broker", "host", "refused"),
    [
        ({"listen": "127.0.0.1"}, "127.0.0.1", r"no other machine can reach .* set listen"),
        ({"listen": "192.0.2.5"}, "192.0.2.5", None),
        ({"listen": "192.0.2.5", "advertise": "192.0.2.6"}, "192.0.2.6", None),
        ({"run": False, "host": "192.0.2.7"}, "192.0.2.7", None),
        ({}, "127.0.0.1", "advertise"),
    ],
)
def test_tables_are_given_the_address_on_which_the_broker_listens(
    tmp_path, monkeypatch, broker, host, refused
):
    """And a machine without a network sends nobody to itself."""
    monkeypatch.setattr("hub.config.network_address", lambda host: host)
    service = HubService(HubConfig.model_validate({"broker": broker}), tmp_path)
    try:
        assert service.details().host == host
        with nullcontext() if refused is None else pytest.raises(HubError, match=refused):
            assert service.details("192.0.2.9").host == host
    finally:
        service.store.close()
