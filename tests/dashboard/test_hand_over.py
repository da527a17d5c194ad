"""A stream's connection on its way from waitress to the sender: no moment may cut it."""

from __future__ import annotations

import socket
import threading

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.streaming.hand_over import StreamChannel
from tests.dashboard.conftest import TURNS, site_over
from tests.dashboard.test_serve import EVENTS, Stream
from tests.machine import PATIENCE_S


def test_a_stream_goes_on_though_its_answer_ends_while_its_beginning_is_sent(
    log, game, monkeypatch
):
    """The loop of waitress sends while the request's thread finishes the answer.

    What it looked at before it sent is not so any more. A stream that was handed over in between
    was once closed in mid-answer: 24 of 4,800 opened on a busy machine.
    """
    written, sent, finished = threading.Event(), threading.Event(), threading.Event()
    flush_some = StreamChannel._flush_some
    flush_exception = StreamChannel._flush_exception
    goes_on = StreamChannel.goes_on
    service = StreamChannel.service

    def no_room_yet(self, do_close=True):
        return flush_some(self, do_close) if do_close else False  # False: the request's thread

    def slowly(self, flush, do_close=True):
        if not do_close:
            return flush_exception(self, flush, do_close)
        assert written.wait(PATIENCE_S)
        found = flush_exception(self, flush, do_close)
        sent.set()
        assert finished.wait(PATIENCE_S)
        return found

    def meanwhile(self, given, chunked):
        written.set()
        assert sent.wait(PATIENCE_S)
        return goes_on(self, given, chunked)

    def to_its_end(self):
        service(self)
        finished.set()

    monkeypatch.setattr(StreamChannel, "_flush_some", no_room_yet)
    monkeypatch.setattr(StreamChannel, "_flush_exception", slowly)
    monkeypatch.setattr(StreamChannel, "goes_on", meanwhile)
    monkeypatch.setattr(StreamChannel, "service", to_its_end)
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.start()
    try:
        stream = Stream(server.port)
        stream.next_view()
        game.play(*TURNS[0])
        assert [len(stream.next_view().data["turns"]) for _ in range(2)] == [0, 1]
        stream.close()
    finally:
        server.stop()


def test_a_page_that_leaves_as_its_stream_begins_is_handed_to_nobody(
    log, game, monkeypatch, caplog
):
    """That it has left is read in the same round of the loop in which there is room to send."""
    left = threading.Event()
    handle_write = StreamChannel.handle_write

    def after_the_end_was_read(self):
        leaves = self.follow_up is not None and self.close_when_flushed
        if leaves:
            self.handle_close()
        handle_write(self)
        if leaves:
            left.set()

    monkeypatch.setattr(StreamChannel, "handle_write", after_the_end_was_read)
    site = site_over(log, streams=1)
    server = Server(create_app(site), "127.0.0.1", 0)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as page:
            page.sendall(f"GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert left.wait(PATIENCE_S)
    finally:
        server.stop()
    assert site.gate.taken == 0
    assert [one.getMessage() for one in caplog.records if one.name.startswith("waitress")] == []
