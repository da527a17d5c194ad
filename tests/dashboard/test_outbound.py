"""Requests to addresses that a user gave: where they go, and how long they may take."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from dashboard.webhooks.outbound import Outbound, OutboundError, is_public
from table.certificates import pages_certificate
from tests.dashboard.connectionkit import Peer
from tests.machine import PATIENCE_S

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    made: list[Peer] = []

    def make(
        answer: bytes | Callable[[socket.socket], None] = OK,
        family: int = socket.AF_INET,
        host: str = "127.0.0.1",
    ) -> Peer:
        answers = answer if callable(answer) else lambda connection: connection.sendall(answer)
        made.append(Peer(answers, family, host))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def resolving(monkeypatch) -> Callable[..., list[str]]:
    """Lets a name stand for addresses, a different list each time it is asked for."""
    real = socket.getaddrinfo

    def names(name: str, *answers: list[str]) -> list[str]:
        asked: list[str] = []

        def resolve(host: str, port: int, *rest: object, **options: object) -> list[object]:
            if host != name or options.get("flags") == socket.AI_NUMERICHOST:
                return real(host, port, *rest, **options)
            asked.append(host)
            answer = answers[min(len(asked), len(answers)) - 1]
            return [one for address in answer for one in real(address, port, *rest, **options)]

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        return asked

    return names


INSIDE = (
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1",
    "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
    "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808",
    "2002:7f00:1::", "2002:c0a8:101::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "2001:db8::1",
    "100::1", "no address",
)  # fmt: skip
OF_THE_INTERNET = (
    "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1",
    "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
)  # fmt: skip


@pytest.mark.parametrize("address", [*INSIDE, *OF_THE_INTERNET])
def test_which_addresses_are_of_the_internet(address):
    assert is_public(address) == (address in OF_THE_INTERNET)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "017700000001", "0177.0.0.1",
     "0.0.0.0", "0", "localhost", "LOCALHOST.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
)  # fmt: skip
def test_no_spelling_of_this_machine_is_connected_to(peer, host):
    receiver = peer()
    outbound = Outbound()
    url = f"http://{host}:{receiver.port}/hook"
    with pytest.raises(OutboundError, match="inside the network") as caught:
        outbound.post(url, b"{}", {})
    assert "\n" not in str(caught.value)
    with pytest.raises(OutboundError, match="inside the network"):
        outbound.check(url)
    assert receiver.connections == 0


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
@pytest.mark.parametrize("host", ["[::1]", "[0:0:0:0:0:0:0:1]", "[::]"])
def test_nor_by_ipv6(peer, host):
    try:
        receiver = peer(family=socket.AF_INET6, host="::1")
    except OSError:
        pytest.skip("no IPv6 loopback here")
    with pytest.raises(OutboundError, match="inside the network"):
        Outbound().post(f"http://{host}:{receiver.port}/", b"{}", {})
    assert receiver.connections == 0


def test_of_a_names_addresses_only_those_of_the_internet_are_tried(resolving, monkeypatch):
    """It is asked for once: a name server may say something else the second time."""
    asked = resolving("scores.example", ["127.0.0.1", "8.8.8.8", "10.0.0.1"], ["127.0.0.1"])
    connected: list[tuple[str, int]] = []

    def connect(_: socket.socket, to: tuple[str, int]) -> None:
        connected.append(to)
        raise ConnectionRefusedError("refused")

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(OutboundError, match="refused"):
        Outbound().post("http://scores.example/", b"{}", {})
    assert asked == ["scores.example"]
    assert connected == [("8.8.8.8", 80)]


def test_this_machines_own_public_address_is_refused(peer, resolving, monkeypatch):
    receiver = peer()
    resolving("scores.example", ["127.0.0.1"])
    monkeypatch.setattr("dashboard.webhooks.outbound.is_public", lambda _: True)
    with pytest.raises(OutboundError, match="inside the network"):
        Outbound().post(f"http://scores.example:{receiver.port}/", b"secret", {})
    assert b"secret" not in b"".join(receiver.got)


@pytest.mark.parametrize("allowed", ["scores.lan", "Scores.LAN.", "scores.lan:{port}"])
def test_a_host_that_the_owner_allows_is_sent_to(peer, resolving, allowed):
    receiver = peer()
    resolving("scores.lan", ["127.0.0.1"])
    outbound = Outbound([allowed.format(port=receiver.port)])
    url = f"http://scores.lan:{receiver.port}/hook?a=b"
    outbound.check(url)
    assert outbound.post(url, b'{"a": 1}', {"Content-Type": "application/json"}) == 200
    head, _, body = receiver.got[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /hook?a=b HTTP/1.1"
    assert f"Host: scores.lan:{receiver.port}" in lines
    assert "Content-Length: 8" in lines
    assert body == b'{"a": 1}'


@pytest.mark.parametrize("allowed", ["", "other.lan", "scores.lan:1", "lan", "127.0.0.1"])
def test_a_name_of_this_machine_is_not_connected_to_unless_it_is_allowed(peer, resolving, allowed):
    receiver = peer()
    resolving("scores.lan", ["127.0.0.1"])
    outbound = Outbound([allowed] if allowed else [])
    url = f"http://scores.lan:{receiver.port}/"
    outbound.check(url)  # only its address tells
    with pytest.raises(OutboundError, match="inside the network"):
        outbound.post(url, b"", {})
    assert receiver.connections == 0


def test_a_redirect_is_an_answer_and_leads_nowhere_and_interim_answers_are_passed_over(peer):
    elsewhere = peer()
    to = f"Location: http://127.0.0.1:{elsewhere.port}/\r\n".encode()
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"
    redirect = b"HTTP/1.1 307 Temporary Redirect\r\n" + to + b"Content-Length: 0\r\n\r\n"
    for answer, status in ((redirect, 307), (interim + OK, 200)):
        receiver = peer(answer)
        outbound = Outbound([f"127.0.0.1:{receiver.port}"])
        assert outbound.post(f"http://127.0.0.1:{receiver.port}/", b"", {}) == status
    assert elsewhere.connections == 0


def dribble(connection: socket.socket) -> None:
    """An answer that never stands still and never ends."""
    connection.sendall(b"HTTP/1.1 ")
    while True:
        connection.sendall(b"2")
        threading.Event().wait(0.02)


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (dribble, "no answer within 0.5 s"),
        (lambda connection: connection.recv(1), "no answer within 0.5 s"),
        (flood, "answers without end"),
        (b"SSH-2.0-OpenSSH\r\n", "something other than HTTP"),
        (b"", "without an answer"),
    ],
)
def test_time_and_answer_are_bounded(peer, answer, says):
    receiver = peer(answer)
    outbound = Outbound(["127.0.0.1"], timeout_s=0.5)
    with pytest.raises(OutboundError, match=says):
        outbound.post(f"http://127.0.0.1:{receiver.port}/", b"{}", {})


def test_tls_is_for_the_name_and_not_for_the_address(resolving, tmp_path):
    made = pages_certificate(tmp_path, ["scores.lan"])
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(made.certificate, made.key)
    named: list[str | None] = []
    serving.sni_callback = lambda _connection, name, _context: named.append(name)
    trusting = ssl.create_default_context(cafile=str(made.authority))
    outbound = Outbound(["scores.lan", "other.lan"], tls=trusting)
    got: list[bytes] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                try:
                    with serving.wrap_socket(connection, server_side=True) as tls:
                        got.append(tls.recv(65536))
                        tls.sendall(OK)
                except OSError:
                    connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = listening.getsockname()[1]
        resolving("scores.lan", ["127.0.0.1"])
        assert outbound.post(f"https://scores.lan:{port}/", b"{}", {}) == 200
        resolving("other.lan", ["127.0.0.1"])
        with pytest.raises(OutboundError, match="certificate"):
            outbound.post(f"https://other.lan:{port}/", b"{}", {})
        thread.join(PATIENCE_S)
    assert named[0] == "scores.lan"
    assert f"Host: scores.lan:{port}".encode() in got[0]
