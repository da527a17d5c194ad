"""Webhooks: what arrives, when, signed how, how often, and at no address inside the network."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from dashboard.webhooks.outbound import Outbound, OutboundError, is_public
from dashboard.webhooks.sender import DELIVERY, SIGNATURE, WebhookSenders, known_of, new_messages
from dashboard.webhooks.store import MOST
from game.errors import TilewatchError
from game.events import Finding, GameEnded, RackReported, SquareCorrected
from table.certificates import pages_certificate
from tests.dashboard.conftest import TURNS, Hall
from tests.dashboard.connectionkit import Peer
from tests.machine import PATIENCE_S, until


class Receiver(Peer):
    """Takes messages; answers with the statuses it was told, then with 200."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.hold = threading.Event()
        self.hold.set()
        super().__init__(self.take)
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}/hook"

    def take(self, connection: socket.socket) -> None:
        self.hold.wait(PATIENCE_S)
        status = self.statuses.pop(0) if self.statuses else 200
        head = f"HTTP/1.1 {status} so\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
        connection.sendall(head.encode())

    def close(self) -> None:
        self.hold.set()
        super().close()

    @property
    def bodies(self) -> list[bytes]:
        return [sent.partition(b"\r\n\r\n")[2] for sent in self.got]

    def headers(self, number: int) -> dict[str, str]:
        lines = self.got[number].partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        return dict(line.split(": ", 1) for line in lines)

    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]

    def types(self) -> list[str]:
        return [message["type"] for message in self.messages()]


@pytest.fixture
def receivers() -> Iterator[Callable[[], Receiver]]:
    """Makes receivers."""
    made: list[Receiver] = []

    def one() -> Receiver:
        made.append(Receiver())
        return made[-1]

    yield one
    for each in made:
        each.close()


@pytest.fixture
def receiver(receivers) -> Receiver:
    return receivers()


@pytest.fixture
def hall(game, halls) -> Hall:
    return halls(webhook_hosts=("127.0.0.1",))


@pytest.fixture
def couriers(hall, receivers) -> Iterator[WebhookSenders]:
    installed = hall.app.extensions["tilewatch.WebhookSenders"]
    made = WebhookSenders(hall.site, installed.hooks, (0.02, 0.05), installed.outbound)
    made.start()
    yield made
    made.stop()


def test_new_turns_arrive_signed(hall, game, couriers, receiver):
    game.play(*TURNS[0])  # before anybody asked
    _, secret = couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.refresh()
    game.play(*TURNS[1])
    until(lambda: receiver.got)
    headers, body = receiver.headers(0), receiver.bodies[0]
    message = json.loads(body)
    assert (message["type"], message["turn"]["number"]) == ("turn", 2)
    assert message["turn"]["word"] == ".HOe"
    assert message["table"] == {"id": "1", "name": "Table 1"}
    assert message["scores"] == {"left": 24, "right": 6}
    assert message["id"] == headers[DELIVERY]
    stamp, mark = (part.split("=", 1)[1] for part in headers[SIGNATURE].split(","))
    signed = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256)
    assert hmac.compare_digest(signed.hexdigest(), mark)
    assert abs(int(stamp) - time.time()) < 60
    assert receiver.types() == ["turn"]


def test_a_correction_is_told_of_every_turn_that_it_changes(game, couriers, receiver):
    couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.refresh()
    game.plays(TURNS)
    until(lambda: len(receiver.got) >= 6)
    game.put(SquareCorrected(1, "8D", "B", "director", "misread", game.t_ns))
    # Its own, and those of the left player's turns after it, whose totals it changes.
    until(lambda: receiver.types().count("correction") == 3)
    assert [m["turn"]["number"] for m in receiver.messages()[6:]] == [1, 3, 5]


def test_flags_as_the_audience_may_know_them(game, couriers, receiver, receivers):
    other = receivers()
    couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.hooks.make(other.url, "director", "Ann")
    couriers.refresh()
    game.play("8D", "FIRNS", [Finding("misoriented_tile", "8F", "upside down")])
    game.play("3A", "OX")  # apart from everything: the opponent's to raise
    until(lambda: other.types().count("turn") == 2 and receiver.types().count("turn") == 2)
    until(lambda: "flag" in receiver.types())
    until(lambda: other.types().count("flag") > 1)
    public = {m["flag"]["code"] for m in receiver.messages() if m["type"] == "flag"}
    director = {m["flag"]["code"] for m in other.messages() if m["type"] == "flag"}
    assert "misoriented_tile" in public
    assert public < director
    assert b"visibility" not in b"".join(receiver.bodies)


@pytest.mark.parametrize(
    ("statuses", "turns"),
    [
        ([500, 503, 429, 408], [1, 1, 1, 1, 1, 2]),
        ([400, 400, 400], [1, 1, 1, 2]),  # what is refused for good holds up no other
        ([302, 307], [1, 1, 1, 2]),  # redirects are not followed
    ],
)
def test_what_is_not_taken_is_sent_again_in_order(game, couriers, receiver, statuses, turns):
    receiver.statuses = list(statuses)
    hook, _ = couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.refresh()
    game.plays(TURNS[:2])
    until(lambda: len(receiver.got) == len(turns))
    messages = receiver.messages()
    assert [message["turn"]["number"] for message in messages] == turns
    assert len({message["id"] for message in messages}) == 2
    assert {receiver.headers(number)["Host"] for number in range(len(turns))} == {receiver.host}
    until(lambda: couriers.trouble(hook.id) is None)


def test_nobody_waits_for_a_receiver(game, couriers, receiver):
    receiver.hold.clear()
    couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.refresh()
    game.plays(TURNS)
    assert len(receiver.got) <= 1  # it has answered none of them yet
    receiver.hold.set()
    until(lambda: len(receiver.got) >= 6)
    assert receiver.types() == ["turn"] * 6


def test_a_receiver_that_was_away_gets_everything_after_a_restart(hall, game, couriers, receiver):
    hook, _ = couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.refresh()
    game.play(*TURNS[0])
    until(lambda: len(receiver.got) >= 1)
    until(lambda: couriers.hooks.place(hook.id, "1").known["turns"])
    couriers.stop()
    game.plays(TURNS[1:3])
    again = WebhookSenders(hall.site, couriers.hooks, (0.02,), couriers.outbound)
    again.start()
    try:
        until(lambda: len(receiver.got) >= 3)
        assert [m["turn"]["number"] for m in receiver.messages()] == [1, 2, 3]
    finally:
        again.stop()


def test_who_missed_more_than_is_remembered_is_told_of_a_gap(game, couriers, receiver):
    hook, _ = couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.refresh()
    couriers.stop()
    place = couriers.hooks.place(hook.id, "1")
    couriers.hooks.reach(hook.id, "1", replace(place, last_id="1-forgotten"))
    game.plays(TURNS)
    couriers.start()
    until(lambda: receiver.got)
    assert receiver.types()[0] == "gap"
    game.press()
    until(lambda: "turn" in receiver.types())
    assert receiver.messages()[-1]["turn"]["number"] == 7


def test_a_removed_webhook_gets_nothing_more(game, couriers, receiver, receivers):
    other = receivers()
    hook, _ = couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.hooks.make(other.url, "public", "Ann")
    couriers.refresh()
    game.play(*TURNS[0])
    until(lambda: receiver.got and other.got)
    couriers.hooks.remove(hook.id)
    couriers.refresh()
    game.plays(TURNS[1:3])
    until(lambda: len(other.got) == 3)  # who is told of them has been
    assert len(receiver.got) == 1


def test_a_receiver_that_is_not_there_is_told_of_and_tried_again(game, couriers):
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))  # held, so that it is nobody else's either
        url = f"http://127.0.0.1:{gone.getsockname()[1]}/hook"
        hook, _ = couriers.hooks.make(url, "public", "Ann")
        couriers.refresh()
        game.play(*TURNS[0])
        until(lambda: couriers.trouble(hook.id) is not None)
        assert "cannot be reached" in couriers.trouble(hook.id)


UNUSABLE = (
    "", "ftp://example.org/x", "file:///etc/passwd", "http://", "https://ann:secret@example.org/",
    "http://example.org/a b", "http://example.org/\r\nX: 1", "http://[::1",
    "http://example.org:99999999/", "http://exämple.org/", "https://example.org/" + "x" * 500,
)  # fmt: skip


def test_an_address_that_cannot_be_sent_to_is_one_clear_line_and_there_is_an_end(couriers):
    for url in UNUSABLE:
        with pytest.raises(TilewatchError, match="url") as caught:
            couriers.hooks.make(url, "public", "Ann")
        assert "\n" not in str(caught.value)
    for number in range(MOST):
        couriers.hooks.make(f"http://127.0.0.1:1/{number}", "public", "Ann")
    with pytest.raises(TilewatchError, match="remove one"):
        couriers.hooks.make("http://127.0.0.1:1/x", "public", "Ann")


def test_webhooks_are_a_directors_business(hall):
    sent = {"url": "https://example.org/hook"}
    assert hall.visitor().post("/api/v1/webhooks", json=sent).status_code == 401
    assert hall.visitor().get("/api/v1/webhooks", headers=hall.token("director-read")).status_code \
        == 401  # fmt: skip
    client, csrf = hall.director()
    made = client.post("/api/v1/webhooks", json=sent, headers=csrf)
    assert made.status_code == 201
    listed = client.get("/api/v1/webhooks")
    assert [hook["url"] for hook in listed.json["webhooks"]] == ["https://example.org/hook"]
    assert made.json["secret"] not in listed.text
    wrong = client.post("/api/v1/webhooks", json={"url": "ftp://x"}, headers=csrf)
    assert wrong.status_code == 422
    path = f"/api/v1/webhooks/{made.json['webhook']['id']}"
    assert client.delete(path, headers=csrf).status_code == 200
    assert client.delete(path, headers=csrf).status_code == 404


def test_a_webhook_inside_the_network_is_refused_and_gets_nothing(halls, game, receiver):
    hall = halls()
    client, csrf = hall.director()
    sent = client.post("/api/v1/webhooks", json={"url": receiver.url}, headers=csrf)
    assert sent.status_code == 422
    assert "webhook_hosts" in sent.json["error"]
    # One from before there was such a rule, or whose name has come to stand for another address.
    installed = hall.app.extensions["tilewatch.WebhookSenders"]
    couriers = WebhookSenders(hall.site, installed.hooks, (0.02,), installed.outbound)
    hook, _ = couriers.hooks.make(receiver.url, "public", "Ann")
    couriers.start()
    try:
        game.play(*TURNS[0])
        until(lambda: "inside the network" in (couriers.trouble(hook.id) or ""))
        assert receiver.got == []
    finally:
        couriers.stop()


def test_what_is_new_in_a_view(site, game):
    def view():
        return site.tables[0].public.latest().view

    game.play(*TURNS[0])
    assert [one["type"] for one in new_messages(None, view())] == ["turn"]
    known = json.loads(json.dumps(known_of(view())))  # as it is kept
    assert new_messages(known, view()) == []
    game.put(GameEnded("six_zeros", game.t_ns))
    reported = new_messages(known, view())
    assert [(one["type"], one.get("final")) for one in reported][-1] == ("end", False)
    known = known_of(view())
    for side in ("left", "right"):
        game.put(RackReported(side, "AE", game.t_ns, "TD", counted=2))
    reported = new_messages(known, view())
    assert [(one["type"], one.get("final")) for one in reported] == [("end", True)]
    assert new_messages({**known_of(view()), "final": True}, view()) == []
    earlier = {name: value for name, value in known.items() if name != "final"}
    assert [one["type"] for one in new_messages(earlier, view())] == []


# --- where requests go, and how long they may take ---

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
