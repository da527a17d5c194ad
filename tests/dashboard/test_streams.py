"""Event streams: framing, heartbeats, resuming, and the one too many."""

from __future__ import annotations

from dashboard.app import create_app
from dashboard.streaming.streams import StreamLimiter, ViewFollower, frame
from tests.dashboard.client_streams import follow
from tests.dashboard.conftest import TURNS, events_in, site_over, views

EVENTS = "/api/v1/tables/1/events"


def test_a_gate_gives_each_place_back_once():
    gate = StreamLimiter(2)
    first, second = gate.enter(), gate.enter()
    assert gate.enter() is None
    first()
    first()
    assert gate.taken == 1
    assert gate.enter() is not None
    assert gate.enter() is None
    second()


def test_a_frame_is_one_event():
    assert frame("view", b"{}", "3-ab") == b"event: view\nid: 3-ab\ndata: {}\n\n"
    assert frame("time", b"{}") == b"event: time\ndata: {}\n\n"


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
    for place, word in TURNS[1:4]:
        game.play(place, word)
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


def test_silence_is_broken_by_heartbeats(log, game):
    site = site_over(log, heartbeat_s=0.05)
    table = site.tables[0]
    stream = events_in(follow(ViewFollower(table.public, None, 1.0), heartbeat_s=0.05))
    kinds = [next(stream).kind for _ in range(6)]
    table.public.close()
    assert kinds[-3:] == ["time"] * 3
    assert kinds.count("view") == 1


def test_a_stream_ends_when_its_page_has_gone_or_the_feed_is_closed(site, game):
    table = site.tables[0]
    assert list(events_in(follow(ViewFollower(table.public, None, 1.0), gone=lambda: True)))
    stream = follow(ViewFollower(table.public, None, 1.0))
    next(stream)
    table.public.close()
    assert views(stream, 99) == []


def test_the_one_too_many_is_told_to_come_back_later(log, game):
    site = site_over(log, streams=2)
    client = create_app(site).test_client()
    streams = [client.get(EVENTS, buffered=False) for _ in range(2)]
    refused = client.get(EVENTS)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert "error" in refused.json
    # The state itself is still to be had, and the table's page.
    assert client.get("/api/v1/tables/1").status_code == 200
    # One of them is closed without ever having been read.
    streams[0].close()
    again = client.get(EVENTS, buffered=False)
    assert again.status_code == 200
    for response in (streams[1], again):
        response.close()
    site.tables[0].public.close()
