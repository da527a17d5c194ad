"""A table that cannot reach its hub says what is in the way."""

from __future__ import annotations

import errno
import http.client
import json
import socket
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from hub.config import HubConfig
from hub.enrolment.handshake import EnrolCode
from hub.errors import HubError
from hub.service import HubService
from hub.table_side.connector import CA_FILE, Membership
from hub.table_side.doctor import hub_checks
from hub.table_side.joining import _post, broker_trouble, join
from hub.wire.faults import refused_certificate, unreachable
from table.certificates import pages_certificate
from tests.hub.hubkit import free_port


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


@contextmanager
def answering(text: bytes, folder=None):
    """The address of a server that answers so; over TLS, with files in ``folder``."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Answers)
    if folder is not None:
        made = pages_certificate(folder, [])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made.certificate, made.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_hub_with_a_certificate_of_its_own_can_be_joined(tmp_path):
    with answering(json.dumps({"exchange": "x"}).encode(), tmp_path) as where:
        assert _post(f"https://{where}/", {}) == {"exchange": "x"}


@pytest.mark.parametrize(
    ("scheme", "text", "says"),
    [
        ("https", b"", "no hub answers there: what answers there speaks no TLS"),
        ("http", b"<html>", "what answers there is no hub"),
    ],
)
def test_what_answers_and_is_no_hub_is_one_line(tmp_path, scheme, text, says):
    with answering(text) as where, pytest.raises(HubError) as caught:
        join(str(EnrolCode.new()), f"{scheme}://{where}", tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


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
    assert ("t1", "enrol it again") in [one[1:3] for one in venue.service.store.incidents()]
    trouble = broker_trouble(Membership.load(venue.folder / "t1"), venue.folder / "t1")
    assert "certificate was refused" in trouble


@pytest.mark.parametrize(
    ("broker", "host"),
    [
        ({"listen": "127.0.0.1"}, "127.0.0.1"),
        ({"listen": "192.0.2.5"}, "192.0.2.5"),
        ({"listen": "192.0.2.5", "advertise": "192.0.2.6"}, "192.0.2.6"),
        ({"run": False, "host": "192.0.2.7"}, "192.0.2.7"),
    ],
)
def test_tables_are_given_the_address_on_which_the_broker_listens(tmp_path, broker, host):
    service = HubService(HubConfig.model_validate({"broker": broker}), tmp_path)
    try:
        assert service.details().host == host
        if host == "127.0.0.1":
            with pytest.raises(HubError, match=r"no other machine can reach .* set listen"):
                service.details("192.0.2.9")
        else:
            assert service.details("192.0.2.9").host == host
    finally:
        service.store.close()


def test_a_machine_without_a_network_sends_nobody_to_itself(tmp_path, monkeypatch):
    monkeypatch.setattr("hub.config.network_address", lambda host: host)
    service = HubService(HubConfig(), tmp_path)
    try:
        assert service.details("127.0.0.1").host == "127.0.0.1"
        with pytest.raises(HubError, match="advertise"):
            service.details("192.0.2.9")
    finally:
        service.store.close()
