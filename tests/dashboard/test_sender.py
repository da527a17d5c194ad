"""The one thread that carries all streams: slow pages, dead pages, and many at once."""

from __future__ import annotations

import socket
import threading
import time
import zlib

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.streaming import sender as sender_module
from dashboard.streaming.sender import Form, Sender
from dashboard.streaming.streams import ViewFollower
from tests.dashboard.conftest import TURNS, ServerEvent, site_over
from tests.dashboard.test_serve import EVENTS, Stream
from tests.machine import PATIENCE_S, until


class Page:
    """The other end of a stream that a sender was given."""

    def __init__(self, sender: Sender, feed, chunked: bool = False, ended=lambda: False) -> None:
        here, self.end = socket.socketpair()
        self.end.settimeout(PATIENCE_S)
        self.left = 0
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sender.add(here, ViewFollower(feed, None, 1.0, ended), self._leave, Form(chunked))

    def _leave(self) -> None:
        self.left += 1

    def read_to(self, words: bytes) -> bytes:
        got = b""
        deadline = time.monotonic() + PATIENCE_S
        while words not in got:
            assert time.monotonic() < deadline, got[-200:]
            more = self.end.recv(65536)
            assert more, got[-200:]
            got += more
        return got


@pytest.fixture
def carrier():
    made = Sender(heartbeat_s=0.1)
    yield made
    made.close()


@pytest.fixture
def page():
    """Makes pages, and closes them in the end."""
    made: list[Page] = []

    def one(*args, **kwargs) -> Page:
        made.append(Page(*args, **kwargs))
        return made[-1]

    yield one
    for each in made:
        each.end.close()


def test_news_goes_to_every_page_once(site, game, carrier, page):
    pages = [page(carrier, site.tables[0].public) for _ in range(20)]
    game.play(*TURNS[0])
    for one in pages:
        got = one.read_to(b'"word":"FIRNS"')
        views = [ServerEvent.parse(b) for b in got.decode().split("\n\n") if "event: view" in b]
        ids = [view.id for view in views if view]
        assert len(ids) == len(set(ids))


def test_a_page_that_does_not_read_holds_up_nobody(site, game, carrier, page, monkeypatch):
    monkeypatch.setattr(sender_module, "MAX_BEHIND", 20_000)
    feed = site.tables[0].public
    slow, quick = page(carrier, feed), page(carrier, feed)
    for place, word in TURNS:
        game.play(place, word)
        quick.read_to(b"event: view")
    until(lambda: slow.left == 1)
    game.play("", "")
    quick.read_to(b'"number":7')
    assert quick.left == 0


def test_what_does_not_fit_at_once_comes_whole(site, game, carrier, page):
    one = page(carrier, site.tables[0].public)
    for place, word in TURNS:
        game.play(place, word)
    time.sleep(0.3)  # it backs up meanwhile
    got = one.read_to(b'"number":6')
    while not got.endswith(b"\n\n"):
        got += one.end.recv(65536)
    events = [ServerEvent.parse(block) for block in got.decode().strip().split("\n\n")]
    turns = [len(event.data["turns"]) for event in events if event and event.kind == "view"]
    assert turns == sorted(turns)
    assert turns[-1] == 6


def test_a_page_that_goes_leaves_its_place(site, game, carrier, page):
    one = page(carrier, site.tables[0].public)
    one.read_to(b"event: view")
    one.end.close()
    until(lambda: one.left == 1)


def test_a_stream_that_is_over_is_closed_and_whole(site, game, carrier, page):
    over = threading.Event()
    one = page(carrier, site.tables[0].public, chunked=True, ended=over.is_set)
    one.read_to(b"event: view")
    over.set()
    one.read_to(b"0\r\n\r\n")
    until(lambda: one.left == 1)
    assert one.end.recv(100) == b""


def test_a_stream_that_breaks_ends_alone(site, game, carrier, page, caplog):
    class Broken(ViewFollower):
        def new_frames(self, fresh: bool = False) -> bytes:
            raise RuntimeError("broken")

    feed = site.tables[0].public
    good = page(carrier, feed)
    here, there = socket.socketpair()
    gone = threading.Event()
    carrier.add(here, Broken(feed, None, 1.0), gone.set, Form())
    assert gone.wait(PATIENCE_S)
    game.play(*TURNS[0])
    good.read_to(b'"word":"FIRNS"')
    assert there.recv(10) == b""
    there.close()
    assert "broken" in caplog.text


def test_closing_ends_every_stream(site, game, page):
    carrier = Sender()
    pages = [page(carrier, site.tables[0].public) for _ in range(3)]
    carrier.close()
    assert [one.left for one in pages] == [1, 1, 1]


def test_the_table_waits_for_no_page(site, game, carrier, page):
    """A waiter lives only as long as somebody follows its feed."""
    one = page(carrier, site.tables[0].public)
    one.read_to(b"event: view")
    until(lambda: [t for t in threading.enumerate() if t.name == "news"])
    one.end.close()
    until(lambda: not [t for t in threading.enumerate() if t.name == "news"])


def test_a_stream_needs_no_thread_of_its_own(log, game):
    server = Server(create_app(site_over(log, streams=40)), "127.0.0.1", 0)
    server.start()
    try:
        before = threading.active_count()
        streams = [Stream(server.port) for _ in range(40)]
        for stream in streams:
            stream.next_view()
        assert threading.active_count() <= before + 2
        game.play(*TURNS[0])
        for stream in streams:
            assert stream.next_view().data["clocks"]["running"] == "right"
            assert len(stream.next_view().data["turns"]) == 1
            stream.close()
    finally:
        server.stop()


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_stream_is_framed_as_its_page_speaks(log, game, version):
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as page:
            page.sendall(f"GET {EVENTS} HTTP/{version}\r\nHost: localhost\r\n\r\n".encode())
            got = b""
            while b"event: view" not in got:
                got += page.recv(65536)
            game.play(*TURNS[0])
            while b'"word":"FIRNS"' not in got:
                got += page.recv(65536)
            head, body = got.split(b"\r\n\r\n", 1)
            assert (b"chunked" in head.lower()) == (version == "1.1")
            assert body.startswith(b"retry: ") == (version == "1.0")
    finally:
        server.stop()


def test_only_the_head_of_a_stream_takes_no_place(log, game):
    site = site_over(log, streams=1)
    server = Server(create_app(site), "127.0.0.1", 0)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as page:
            page.sendall(f"HEAD {EVENTS} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            got = b""
            while more := page.recv(65536):
                got += more
        assert b"200 OK" in got
        assert b"text/event-stream" in got
        until(lambda: site.gate.taken == 0)
    finally:
        server.stop()


def test_a_page_that_takes_gzip_gets_its_stream_compressed(log, game):
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as page:
            page.sendall(
                f"GET {EVENTS} HTTP/1.0\r\nHost: localhost\r\n"
                "Accept-Encoding: gzip, deflate, br\r\n\r\n".encode()
            )
            got = b""
            while b"\r\n\r\n" not in got:
                got += page.recv(65536)
            head, body = got.split(b"\r\n\r\n", 1)
            assert b"Content-Encoding: gzip" in head
            opened = zlib.decompressobj(16 + zlib.MAX_WBITS)
            text, sent = opened.decompress(body), len(body)
            for number, (place, word) in enumerate(TURNS, start=1):
                game.play(place, word)
                while f'"number":{number},'.encode() not in text or not text.endswith(b"\n\n"):
                    more = page.recv(65536)
                    sent += len(more)
                    text += opened.decompress(more)
            views = [
                ServerEvent.parse(b) for b in text.decode().split("\n\n") if "event: view" in b
            ]
            assert [len(view.data["turns"]) for view in views][-1] == 6
            assert sent < len(text) / 2
    finally:
        server.stop()
