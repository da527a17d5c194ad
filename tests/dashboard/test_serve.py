"""The real server over real connections."""

from __future__ import annotations

import http.client
import json
import socket

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from game.errors import TilewatchError
from tests.dashboard.conftest import TURNS, ServerEvent, site_over
from tests.machine import PATIENCE_S, free_port, until

EVENTS = "/api/v1/tables/1/events"


@pytest.fixture
def serve():
    """Starts a server over a site; stops it in the end."""
    running: list[Server] = []

    def start(site, port: int = 0) -> Server:
        server = Server(create_app(site), "127.0.0.1", port)
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


class Stream:
    """An event stream as a page holds it, over a plain connection."""

    def __init__(self, port: int, last_id: str | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        headers = {"Last-Event-ID": last_id} if last_id else {}
        self.connection.request("GET", EVENTS, headers=headers)
        self.response = self.connection.getresponse()

    def next_view(self) -> ServerEvent:
        block = ""
        while True:
            line = self.response.readline().decode()
            if not line:
                raise EOFError
            if line.strip():
                block += line
                continue
            event = ServerEvent.parse(block)
            block = ""
            if event is not None and event.kind == "view":
                return event

    def close(self) -> None:
        self.response.close()
        self.connection.close()


def test_a_taken_port_is_one_clear_line(log):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(TilewatchError) as caught:
            Server(create_app(site_over(log)), "127.0.0.1", port)
    assert f"port {port}" in str(caught.value)
    assert "choose another port" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "port", "remedy"),
    [
        ("no.such.host.invalid", 8000, "choose another host or port"),
        ("127.0.0.1", 70000, "choose a port from 1 to 65535"),
    ],
)
def test_an_impossible_address_is_one_clear_line(log, host, port, remedy):
    with pytest.raises(TilewatchError, match=f"{port}.*{remedy}"):
        Server(create_app(site_over(log)), host, port)


def test_pages_are_served_while_every_stream_is_taken(log, game, serve):
    server = serve(site_over(log, streams=3))
    streams = [Stream(server.port) for _ in range(3)]
    for stream in streams:
        stream.next_view()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    connection.request("GET", EVENTS)
    refused = connection.getresponse()
    assert refused.status == 503
    assert int(refused.getheader("Retry-After")) > 0
    assert "streams" in json.loads(refused.read())
    for path in ("/", "/api/v1/tables/1", "/static/table.js"):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.getheader("Server") is None
        answer.read()
    game.play(*TURNS[0])
    for stream in streams:
        assert stream.next_view().data["clocks"]["running"] == "right"
        assert len(stream.next_view().data["turns"]) == 1
        stream.close()
    connection.close()


def test_a_place_is_given_back_when_its_page_goes_away(log, game, serve):
    server = serve(site_over(log, streams=1))
    first = Stream(server.port)
    first.next_view()
    first.close()

    def served() -> bool:
        second = Stream(server.port)
        second.close()
        return second.response.status == 200

    until(served)


def test_after_a_restart_of_the_server_nothing_is_missed_or_doubled(log, game, serve):
    first = serve(site_over(log), free_port())
    stream = Stream(first.port)
    got = [stream.next_view()]
    game.play(*TURNS[0])
    got += [stream.next_view(), stream.next_view()]
    first.stop()
    with pytest.raises((EOFError, http.client.HTTPException, ConnectionError)):
        while True:
            got.append(stream.next_view())
    stream.close()
    for place, word in TURNS[1:3]:
        game.play(place, word)
    second = serve(site_over(log), first.port)
    stream = Stream(second.port, got[-1].id)
    got += [stream.next_view() for _ in range(4)]
    game.play(*TURNS[3])
    got += [stream.next_view() for _ in range(2)]
    stream.close()
    assert [len(event.data["turns"]) for event in got] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    sequences = [int(event.id.split("-")[0]) for event in got]
    assert sequences == list(range(sequences[0], sequences[0] + len(got)))
