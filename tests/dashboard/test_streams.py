"""Event streams: framing, gzip, heartbeats, resuming; slow pages, dead pages, many at once."""

from __future__ import annotations

import json
import logging
import socket
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from dashboard.streaming import sender as sender_module
from dashboard.streaming import streams
from dashboard.streaming.response import stream
from dashboard.streaming.streams import HEADER, ViewFollower, frame, packed
from game.errors import TilewatchError
from game.events import ButtonPressed, RackReported, SquareCorrected
from game.flags import CODES
from table.server_config import Limits
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import (
    SECOND,
    TURNS,
    GameInLog,
    ServerEvent,
    events_in,
    site_over,
)
from tests.dashboard.connectionkit import ask, everything
from tests.machine import PATIENCE_S, until

EVENTS = "/api/v1/tables/1/events"


def views(chunks: Iterable[bytes], count: int) -> list[ServerEvent]:
    """The next ``count`` views of a stream."""
    return list(islice((event for event in events_in(chunks) if event.kind == "view"), count))


def test_a_stream_begins_with_the_time_and_the_newest_view(client, game):
    game.play(*TURNS[0])
    response = client.get(EVENTS, buffered=False)
    assert response.mimetype == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-store"
    stream = events_in(response.response)
    assert next(stream).kind == "time"
    seen = next(event for event in stream if event.kind == "view")
    assert [turn["word"] for turn in seen.data["turns"]] == ["FIRNS"]
    game.play(*TURNS[1])
    # The press and the turn are two facts; the page is told of both.
    later = [next(event for event in stream if event.kind == "view") for _ in range(2)]
    assert [len(event.data["turns"]) for event in later] == [1, 2]
    assert later[1].data["on_turn"] == "left"
    response.close()


def test_resuming_misses_nothing_and_doubles_nothing(client, game):
    game.play(*TURNS[0])
    response = client.get(EVENTS, buffered=False)
    got = views(response.response, 1)
    response.close()
    game.plays(TURNS[1:4])
    for headers, query in (({"Last-Event-ID": got[0].id}, ""), ({}, f"?after={got[0].id}")):
        response = client.get(EVENTS + query, headers=headers, buffered=False)
        resumed = views(response.response, 6)
        response.close()
        assert [len(event.data["turns"]) for event in resumed] == [1, 2, 2, 3, 3, 4]
        assert len({event.id for event in resumed} | {got[0].id}) == 7


def test_an_id_that_nobody_gave_out_brings_the_newest_view(client, game):
    game.play(*TURNS[0])
    for strange in ("999-deadbeef", "-", "0", "x" * 500, "1-\u2603"):
        response = client.get(EVENTS, query_string={"after": strange}, buffered=False)
        assert len(views(response.response, 1)[0].data["turns"]) == 1
        response.close()


FRAMES = st.lists(
    st.builds(
        frame,
        st.sampled_from(["view", "time"]),
        st.one_of(
            st.binary(max_size=2000), st.integers(0, 80_000).map(lambda size: b"x" * size)
        ).map(lambda data: data.replace(b"\n", b" ")),
        st.none() | st.just("7-abc"),
    ),
    max_size=6,
)


@given(parts=st.lists(FRAMES.map(b"".join), max_size=5))
def test_every_part_can_be_read_when_it_has_come(parts):
    opened = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert opened.decompress(HEADER) == b""
    for part in parts:
        assert opened.decompress(packed(part)) == part
    assert not opened.eof


def test_a_long_event_is_compressed_once():
    streams._deflated.cache_clear()
    event = frame("view", b"0123456789" * 200, "7-a")
    for number in range(50):
        packed(frame("time", b"%d" % number) + bytes(event))
    assert streams._deflated.cache_info().misses == 1


class Page:
    """A page with small buffers that holds a stream."""

    def __init__(
        self, server: Server, path: str = EVENTS, headers: str = "", version: str = "1.1",
        method: str = "GET",
    ) -> None:  # fmt: skip
        self.end = socket.socket()
        self.end.settimeout(PATIENCE_S)
        self.end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.end.connect(("127.0.0.1", server.port))
        request = f"{method} {path} HTTP/{version}\r\nHost: localhost\r\n{headers}\r\n"
        self.end.sendall(request.encode())
        self.got = b""
        self.views = (event for event in events_in(self._chunks()) if event.kind == "view")

    def read_to(self, words: bytes, times: int = 1) -> bytes:
        while self.got.count(words) < times:
            more = self.end.recv(65536)
            assert more, self.got[-200:]
            self.got += more
        return self.got

    def _chunks(self) -> Iterator[bytes]:
        yield self.read_to(b"\r\n\r\n").partition(b"\r\n\r\n")[2]
        while more := self.end.recv(65536):
            yield more

    def next_view(self) -> ServerEvent:
        """The next view of a stream that was asked for in HTTP 1.0, as nothing else was read."""
        return next(self.views)

    def read_all(self) -> bytes:
        """Everything to the end of the connection."""
        self.got += everything(self.end)
        return self.got


def site_of(server: Server) -> Site:
    return server.app.extensions["tilewatch.Site"]


@pytest.fixture
def page() -> Iterator[Callable[..., Page]]:
    """Opens pages, and closes them in the end."""
    made: list[Page] = []

    def one(*args: object, **options: str) -> Page:
        made.append(Page(*args, **options))
        return made[-1]

    yield one
    for each in made:
        each.end.close()


@pytest.fixture
def follow(page) -> Callable[..., Page]:
    """Opens streams whose views can be read one by one."""

    def one(server: Server, last_id: str | None = None) -> Page:
        known = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        return page(server, headers=known, version="1.0")

    return one


def test_an_address_that_cannot_be_had_is_one_clear_line(log):
    app = create_app(site_over(log))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for host, port, remedy in (
            ("127.0.0.1", taken.getsockname()[1], "choose another port"),
            ("no.such.host.invalid", 8000, "choose another host or port"),
            ("127.0.0.1", 70000, "choose a port from 1 to 65535"),
        ):
            with pytest.raises(TilewatchError, match=f"port {port}.*{remedy}|{port}.*{remedy}"):
                Server(app, host, port)


def test_pages_are_served_while_every_stream_is_taken(game, serve, follow):
    server = serve(streams=3)
    streams = [follow(server) for _ in range(3)]
    for one in streams:
        one.next_view()
    status, headers, body = ask(server.port, EVENTS)
    assert (status, int(headers["Retry-After"]) > 0, "streams" in json.loads(body)) == (
        503, True, True
    )  # fmt: skip
    for path in ("/", "/api/v1/tables/1", "/static/table.js"):
        status, headers, _ = ask(server.port, path)
        assert (status, headers["Server"]) == (200, None)
    game.play(*TURNS[0])
    for one in streams:
        assert one.next_view().data["clocks"]["running"] == "right"
        assert len(one.next_view().data["turns"]) == 1


def test_after_a_restart_of_the_server_nothing_is_missed_or_doubled(game, serve, follow):
    first = serve()
    stream = follow(first)
    got = [stream.next_view()]
    game.play(*TURNS[0])
    got += [stream.next_view(), stream.next_view()]
    first.stop()
    got += stream.views
    game.plays(TURNS[1:3])
    stream = follow(serve(), got[-1].id)
    got += [stream.next_view() for _ in range(4)]
    game.play(*TURNS[3])
    got += [stream.next_view() for _ in range(2)]
    assert [len(event.data["turns"]) for event in got] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    sequences = [int(event.id.split("-")[0]) for event in got]
    assert sequences == list(range(sequences[0], sequences[0] + len(got)))


LONG = [*TURNS, *[("", "")] * 6]
"""Turns to play, exchanges in the end: more than the buffers of a connection hold."""


def test_news_goes_to_every_page_once(game, serve, page):
    server = serve(streams=20)
    pages = [page(server) for _ in range(20)]
    for one in pages:
        one.read_to(b"event: view")
    game.play(*TURNS[0])
    for one in pages:
        got = one.read_to(b'"word":"FIRNS"')
        ids = [line for line in got.split(b"\n") if line.startswith(b"id: ")]
        assert len(ids) == len(set(ids))


def test_silence_is_broken_by_heartbeats(game, serve, page):
    one = page(serve(heartbeat_s=0.05))
    one.read_to(b"event: view")
    one.read_to(b"event: time", 5)
    assert one.got.count(b"event: view") == 1


def test_a_page_that_does_not_read_holds_up_nobody(game, serve, page, follow):
    server = serve(Limits(stalled_s=0.5))
    site = site_of(server)
    page(server)
    quick = follow(server)
    quick.next_view()
    for number, (place, word) in enumerate(LONG, start=1):
        game.play(place, word)
        while len(quick.next_view().data["turns"]) < number:
            pass
    until(lambda: site.gate.taken == 1)


def test_a_page_that_fell_far_behind_is_dropped_and_may_come_back(
    game, serve, page, follow, monkeypatch
):
    logged: list[str] = []
    monkeypatch.setattr(sender_module._LOG, "warning", logged.append)
    monkeypatch.setattr(sender_module, "MAX_BEHIND", 5_000)
    held, new_frames = threading.Lock(), ViewFollower.new_frames

    def frames_unless_held(self: ViewFollower, fresh: bool = False) -> bytes:
        with held:
            return new_frames(self, fresh)

    monkeypatch.setattr(ViewFollower, "new_frames", frames_unless_held)
    server = serve()
    slow = page(server)
    slow.read_to(b"event: view")
    with held:  # however busy the machine is, the page gets nothing until all of it is there
        game.plays(LONG)
    until(lambda: any("reads too slowly" in line for line in logged))
    slow.read_all()
    views = [block for block in slow.got.split(b"\n\n") if b"event: view" in block]
    last = views[-1].split(b"id: ")[1].split(b"\n")[0].decode()
    again = follow(server, last)
    while len(again.next_view().data["turns"]) < len(LONG):
        pass


def test_what_does_not_fit_at_once_comes_whole(game, serve, follow):
    """A page that reads nothing for a while has missed nothing and got nothing twice."""
    server = serve()
    slow, quick = follow(server), follow(server)
    game.plays(TURNS)
    for one in (quick, slow):
        turns = [len(one.next_view().data["turns"])]
        while turns[-1] != len(TURNS):
            turns.append(len(one.next_view().data["turns"]))
        assert turns == sorted(turns)


def test_a_page_that_goes_leaves_its_place(game, serve, page):
    server = serve()
    site = site_of(server)
    for read in (True, False):  # also as its stream begins
        one = page(server)
        if read:
            one.read_to(b"event: view")
            assert site.gate.taken == 1
        one.end.close()
        until(lambda: site.gate.taken == 0)


def test_streams_that_are_opened_and_left_in_haste_leave_nothing(game, serve, page, caplog):
    server = serve(streams=20)
    site = site_of(server)
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


def test_a_stream_that_is_over_is_closed_and_whole(game, serve, page):
    server = serve()
    site = site_of(server)
    one = page(server)
    one.read_to(b"event: view")
    site.tables[0].public.close()
    assert one.read_all().endswith(b"\r\n0\r\n\r\n")
    until(lambda: site.gate.taken == 0)


def test_a_stream_ends_with_the_session_that_opened_it(game, serve, page):
    server = serve()
    site = site_of(server)
    door = server.app.extensions["tilewatch.AuthContext"]
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


class Broken(ViewFollower):
    """It breaks at once, or once its stream has begun."""

    def __init__(self, site: Site, begins: bool) -> None:
        super().__init__(site.tables[0].public, None, 1.0)
        self.begins = begins

    def new_frames(self, fresh: bool = False) -> bytes:
        if fresh and self.begins:
            return super().new_frames(fresh)
        raise RuntimeError("broken")


def test_a_stream_that_breaks_ends_alone_and_gives_its_place_back(game, serve, page, caplog):
    server = serve()
    site = site_of(server)
    for path, begins in (("/breaks", True), ("/broken", False)):
        follow = partial(Broken, site, begins)
        server.app.add_url_rule(path, path, lambda follow=follow: stream(follow()))
    assert b" 500 " in page(server, "/broken", "Connection: close\r\n").read_all()[:20]
    assert site.gate.taken == 0
    good, bad = page(server), page(server, "/breaks")
    assert b"event: view" in bad.read_all()
    good.read_to(b"event: view")
    game.play(*TURNS[0])
    good.read_to(b'"word":"FIRNS"')
    assert "broken" in caplog.text


def test_stopping_ends_every_stream(game, serve, page):
    server = serve()
    site = site_of(server)
    pages = [page(server) for _ in range(3)]
    for one in pages:
        one.read_to(b"event: view")
    server.stop()
    for one in pages:
        assert one.read_all().endswith(b"\r\n0\r\n\r\n")
    assert site.gate.taken == 0


def test_a_server_stops_though_a_page_reads_nothing(game, serve, page):
    server = serve()
    server.app.add_url_rule("/big", "big", lambda: b"x" * 3_000_000)
    page(server, "/big").end.recv(100)
    server.stop()
    until(lambda: not [t for t in threading.enumerate() if t.name in ("server", "streams")])


def test_the_table_waits_for_no_page(game, serve, page):
    """A waiter lives only as long as somebody follows its feed."""
    one = page(serve())
    one.read_to(b"event: view")
    until(lambda: [t for t in threading.enumerate() if t.name == "news"])
    one.end.close()
    until(lambda: not [t for t in threading.enumerate() if t.name == "news"])


def test_a_stream_needs_no_thread_of_its_own(game, serve, follow):
    server = serve(streams=40)
    before = threading.active_count()
    for one in [follow(server) for _ in range(40)]:
        one.next_view()
    assert threading.active_count() <= before + 12  # eight of them for pages


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_stream_is_framed_as_its_page_speaks(game, serve, page, version):
    one = page(serve(), version=version)
    one.read_to(b"event: view")
    game.play(*TURNS[0])
    head, body = one.read_to(b'"word":"FIRNS"').split(b"\r\n\r\n", 1)
    assert (b"chunked" in head.lower()) == (version == "1.1")
    assert body.startswith(b"retry: ") == (version == "1.0")


def test_only_the_head_of_a_stream_takes_no_place(game, serve, page):
    server = serve(streams=1)
    site = site_of(server)
    got = page(server, method="HEAD", version="1.0").read_all()
    assert b"200 OK" in got
    assert b"text/event-stream" in got
    until(lambda: site.gate.taken == 0)


def test_a_page_that_takes_gzip_gets_its_stream_compressed(game, serve, page):
    takes = "Accept-Encoding: gzip, deflate, br\r\n"
    one = page(serve(), headers=takes, version="1.0")
    head, body = one.read_to(b"\r\n\r\n").split(b"\r\n\r\n", 1)
    assert b"content-encoding: gzip" in head.lower()
    opened = zlib.decompressobj(16 + zlib.MAX_WBITS)
    text, sent = opened.decompress(body), len(body)
    for number, (place, word) in enumerate(TURNS, start=1):
        game.play(place, word)
        while f'"number":{number},'.encode() not in text or not text.endswith(b"\n\n"):
            more = one.end.recv(65536)
            sent += len(more)
            text += opened.decompress(more)
    views = [ServerEvent.parse(b) for b in text.decode().split("\n\n") if "event: view" in b]
    assert len(views[-1].data["turns"]) == 6
    assert sent < len(text) / 2


RACK = "JQXZKVW"
"""Reported in the middle of the game: seven tiles that no one rack has, and no word either."""

FORBIDDEN = (
    '"unseen":', '"phoney":', '"rulings":', '"remedies":', '"visibility":', '"suggestions":', RACK,
    "tilewatch_session",
    *(code for code, known in CODES.items() if known.visibility == "director"),
)  # fmt: skip
"""Secrets that neither the public nor a player may get while the game goes on."""

PUBLIC = (
    "/", "/tables/1", "/tables/1/live", "/tables/1/live/events", "/overlay/1/scene", EVENTS,
    "/api/v1/tables", "/api/v1/tables/1",
    "/api/v1/tables/1/turns", "/api/v1/tables/1/clocks", "/api/v1/tables/1/game.gcg",
    "/obs/feature/last_play", "/obs/feature/blank1.txt",
)  # fmt: skip
PLAYERS = ("/tables/1/clock", "/tables/1/clock/api", "/tables/1/clock/api/events")


def test_nobody_is_told_what_is_not_theirs(log, tmp_path):
    game = GameInLog(log).start()
    table = table_over(
        log, id="1", name="Table 1", clock=lambda: 2000 * SECOND,
        words=frozenset(),  # by it every word is a phoney, and nobody but the director may know
    )  # fmt: skip
    app = create_app(Site((table,)), tmp_path / "data")
    key = {"X-Clock-Key": app.extensions["tilewatch.LinkKeys"].key("1")}
    token = app.extensions["tilewatch.Tokens"].make("t", "director-read", by="Ann")[1]

    def leaks(path: str, headers: dict[str, str] | None = None, **query: str) -> list[str]:
        """Secrets in all that somebody is sent there, headers and all."""
        with app.test_client().get(
            path, headers=headers, query_string=query, buffered=False
        ) as answer:
            assert answer.status_code == 200, path
            is_stream = answer.mimetype == "text/event-stream"
            text = next(iter(answer.response)).decode() if is_stream else answer.text
        return [word for word in FORBIDDEN if word in f"{answer.headers}{text}"]

    moments = [lambda play=play: game.play(*play) for play in TURNS]
    moments += [
        lambda: game.put(RackReported("left", RACK, game.t_ns)),
        # Why the clock stands is asked of the director alone.
        lambda: game.put(ButtonPressed("neutral", game.t_ns + SECOND)),
        lambda: game.put(SquareCorrected(1, "8D", "T", "Ann", "it was misread", game.t_ns)),
    ]
    for moment in moments:
        moment()
        for path, headers in [(path, None) for path in PUBLIC] + [(path, key) for path in PLAYERS]:
            assert leaks(path, headers) == [], path
    seen = leaks("/api/v1/tables/1", audience="director", token=token)
    assert {"clock_stopped", '"remedies":', '"rulings":'} <= set(seen)
    table.close()
