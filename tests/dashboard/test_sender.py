"""Event streams over real connections: slow pages, dead pages, and many at once."""

from __future__ import annotations

import logging
import socket
import threading
import zlib
from collections.abc import Callable, Iterator

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site
from dashboard.streaming import sender as sender_module
from dashboard.streaming.response import stream
from dashboard.streaming.streams import ViewFollower
from table.server_config import Limits
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import TURNS, ServerEvent, site_over
from tests.dashboard.test_serve import EVENTS, Stream
from tests.machine import PATIENCE_S, until


class Page:
    """A page with small buffers that holds a stream."""

    def __init__(self, server: Server, path: str = EVENTS, headers: str = "") -> None:
        self.end = socket.socket()
        self.end.settimeout(PATIENCE_S)
        self.end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.end.connect(("127.0.0.1", server.port))
        self.end.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
        self.got = b""

    def read_to(self, words: bytes) -> bytes:
        while words not in self.got:
            more = self.end.recv(65536)
            assert more, self.got[-200:]
            self.got += more
        return self.got

    def read_all(self) -> bytes:
        """Everything to the end of the connection."""
        try:
            while more := self.end.recv(65536):
                self.got += more
        except ConnectionError:
            pass
        return self.got


LONG = [*TURNS, *[("", "")] * 6]
"""Turns to play, exchanges in the end: more than the buffers of a connection hold."""


@pytest.fixture
def serve(tmp_path) -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(site: Site, **limits: float) -> Server:
        app = create_app(site, tmp_path / "data")
        server = Server(app, "127.0.0.1", 0, limits=Limits(**limits))
        server.app = app
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def page() -> Iterator[Callable[..., Page]]:
    """Opens pages, and closes them in the end."""
    made: list[Page] = []

    def one(*args: object) -> Page:
        made.append(Page(*args))
        return made[-1]

    yield one
    for each in made:
        each.end.close()


def test_news_goes_to_every_page_once(log, game, serve, page):
    server = serve(site_over(log, streams=20))
    pages = [page(server) for _ in range(20)]
    for one in pages:
        one.read_to(b"event: view")
    game.play(*TURNS[0])
    for one in pages:
        got = one.read_to(b'"word":"FIRNS"')
        ids = [line for line in got.split(b"\n") if line.startswith(b"id: ")]
        assert len(ids) == len(set(ids))


def test_a_page_that_does_not_read_holds_up_nobody(log, game, serve, page):
    site = site_over(log)
    server = serve(site, stalled_s=0.5)
    page(server)
    quick = Stream(server.port)
    quick.next_view()
    for number, (place, word) in enumerate(LONG, start=1):
        game.play(place, word)
        while len(quick.next_view().data["turns"]) < number:
            pass
    until(lambda: site.gate.taken == 1)
    quick.close()


def test_a_page_that_fell_far_behind_is_dropped_and_may_come_back(
    log, game, serve, page, monkeypatch
):
    logged: list[str] = []
    monkeypatch.setattr(sender_module._LOG, "warning", logged.append)
    monkeypatch.setattr(sender_module, "MAX_BEHIND", 5_000)
    held, new_frames = threading.Lock(), ViewFollower.new_frames

    def frames_unless_held(self: ViewFollower, fresh: bool = False) -> bytes:
        with held:
            return new_frames(self, fresh)

    monkeypatch.setattr(ViewFollower, "new_frames", frames_unless_held)
    site = site_over(log)
    server = serve(site)
    slow = page(server)
    slow.read_to(b"event: view")
    with held:  # however busy the machine is, the page gets nothing until all of it is there
        for place, word in LONG:
            game.play(place, word)
    until(lambda: any("reads too slowly" in line for line in logged))
    slow.read_all()
    views = [block for block in slow.got.split(b"\n\n") if b"event: view" in block]
    last = views[-1].split(b"id: ")[1].split(b"\n")[0].decode()
    again = Stream(server.port, last)
    while len(again.next_view().data["turns"]) < len(LONG):
        pass
    again.close()


def test_what_does_not_fit_at_once_comes_whole(log, game, serve):
    """A page that reads nothing for a while has missed nothing and got nothing twice."""
    server = serve(site_over(log))
    slow, quick = Stream(server.port), Stream(server.port)
    for place, word in TURNS:
        game.play(place, word)
    for one in (quick, slow):
        turns = [len(one.next_view().data["turns"])]
        while turns[-1] != len(TURNS):
            turns.append(len(one.next_view().data["turns"]))
        assert turns == sorted(turns)
        one.close()


def test_a_page_that_goes_leaves_its_place(log, game, serve, page):
    site = site_over(log)
    server = serve(site)
    for read in (True, False):  # also as its stream begins
        one = page(server)
        if read:
            one.read_to(b"event: view")
            assert site.gate.taken == 1
        one.end.close()
        until(lambda: site.gate.taken == 0)


def test_streams_that_are_opened_and_left_in_haste_leave_nothing(log, game, serve, page, caplog):
    site = site_over(log, streams=20)
    server = serve(site)
    kept = [page(server) for _ in range(3)]
    for one in kept:
        one.read_to(b"event: view")
    for _ in range(100):
        page(server).end.close()
    until(lambda: site.gate.taken == 3)
    game.play(*TURNS[0])
    for one in kept:
        one.read_to(b'"word":"FIRNS"')
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_a_stream_that_is_over_is_closed_and_whole(log, game, serve, page):
    site = site_over(log)
    one = page(serve(site))
    one.read_to(b"event: view")
    site.tables[0].public.close()
    assert one.read_all().endswith(b"\r\n0\r\n\r\n")
    until(lambda: site.gate.taken == 0)


def test_a_stream_ends_with_the_session_that_opened_it(log, game, serve, page):
    site = site_over(log)
    server = serve(site)
    door = server.app.extensions["tilewatch.door"]
    session = door.sessions.open(add(door.db, "Ann"))
    cookie = f"Cookie: {SESSION_COOKIE}={session.token}\r\n"
    director, public = page(server, f"{EVENTS}?audience=director", cookie), page(server)
    director.read_to(b"event: view")
    public.read_to(b"event: view")
    door.sessions.close(session.token)
    director.read_all()
    game.play(*TURNS[0])
    public.read_to(b'"word":"FIRNS"')
    assert b"FIRNS" not in director.got
    assert site.directors.taken == 0


def test_a_stream_that_breaks_ends_alone(log, game, serve, page, caplog):
    class Broken(ViewFollower):
        begun = False

        def new_frames(self, fresh: bool = False) -> bytes:
            if fresh:
                return super().new_frames(fresh)
            raise RuntimeError("broken")

    site = site_over(log)
    server = serve(site)
    feed = site.tables[0].public
    server.app.add_url_rule("/broken", "broken", lambda: stream(Broken(feed, None, 1.0)))
    good, bad = page(server), page(server, "/broken")
    bad.read_all()
    assert b"event: view" in bad.got
    good.read_to(b"event: view")
    game.play(*TURNS[0])
    good.read_to(b'"word":"FIRNS"')
    assert "broken" in caplog.text


def test_a_view_that_fails_gives_its_place_back(log, game, serve, page):
    class Broken(ViewFollower):
        def new_frames(self, fresh: bool = False) -> bytes:
            raise RuntimeError("broken")

    site = site_over(log)
    server = serve(site)
    feed = site.tables[0].public
    server.app.add_url_rule("/broken", "broken", lambda: stream(Broken(feed, None, 1.0)))
    assert b" 500 " in page(server, "/broken", "Connection: close\r\n").read_all()[:20]
    assert site.gate.taken == 0


def test_stopping_ends_every_stream(log, game, serve, page):
    site = site_over(log)
    server = serve(site)
    pages = [page(server) for _ in range(3)]
    for one in pages:
        one.read_to(b"event: view")
    server.stop()
    for one in pages:
        assert one.read_all().endswith(b"\r\n0\r\n\r\n")
    assert site.gate.taken == 0


def test_a_server_stops_though_a_page_reads_nothing(log, game, serve, page):
    server = serve(site_over(log))
    server.app.add_url_rule("/big", "big", lambda: b"x" * 3_000_000)
    page(server, "/big").end.recv(100)
    server.stop()
    until(lambda: not [t for t in threading.enumerate() if t.name in ("server", "streams")])


def test_the_table_waits_for_no_page(log, game, serve, page):
    """A waiter lives only as long as somebody follows its feed."""
    one = page(serve(site_over(log)))
    one.read_to(b"event: view")
    until(lambda: [t for t in threading.enumerate() if t.name == "news"])
    one.end.close()
    until(lambda: not [t for t in threading.enumerate() if t.name == "news"])


def test_a_stream_needs_no_thread_of_its_own(log, game, serve):
    server = serve(site_over(log, streams=40))
    try:
        before = threading.active_count()
        streams = [Stream(server.port) for _ in range(40)]
        for stream in streams:
            stream.next_view()
        assert threading.active_count() <= before + 12  # eight of them for pages
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
            assert b"content-encoding: gzip" in head.lower()
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
