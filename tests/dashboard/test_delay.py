"""What the public sees late: nothing newer by any way, and nothing lost or doubled."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app import create_app
from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import Feed
from dashboard.site import Site, table_over
from game.events import GameEnded
from table.views.public_policy import PublicPolicy
from tests.dashboard.conftest import SECOND, TURNS, events_in
from tests.machine import PATIENCE_S


@dataclass(frozen=True)
class Entry:
    seq: int
    hash: str
    mono_ns: int


class FakeTail:
    """A log that grows when told; an event is (when in s, game, turns, settled)."""

    def __init__(self) -> None:
        self.entries: list[tuple[Entry, dict]] = []
        self.ends_ms: dict[str, list[int]] = {}
        self.changed = threading.Condition()

    def add(self, when: float, turns: int = 0, game: str = "g", settled: bool = False) -> None:
        seq = len(self.entries) + 1
        ends_ms = self.ends_ms.setdefault(game, [])
        ends_ms += [round(when * 1000)] * (turns - len(ends_ms))
        view = {
            "n": seq,
            "game_id": game,
            "settled": settled,
            "status": "running",
            "turns": [{"press_ms": end} for end in ends_ms[:turns]],
            "clocks": {"running": "left", "since_ns": seq, "remaining_ns": {"left": 1, "right": 2}},
            "windows": [{}],
        }
        with self.changed:
            self.entries.append((Entry(seq, f"{seq:064d}", round(when * SECOND)), view))
            self.changed.notify_all()

    def after(self, seq):
        yield from self.entries[seq:]

    def wait(self, seq, timeout):
        with self.changed:
            return self.changed.wait_for(lambda: len(self.entries) > seq, timeout)


class Now:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> int:
        return round(self.s * SECOND)


def numbers(messages) -> list[int]:
    return [message.view["n"] for message in messages]


def test_a_view_is_shown_when_its_time_has_come():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_ns=60 * SECOND)
    tail.add(0)
    tail.add(30)
    now.s = 59
    assert delayed.latest() is None
    assert delayed.since(None) == []
    now.s = 60
    assert numbers(delayed.since(None)) == [1]
    seen = delayed.latest().id
    now.s = 89.9
    assert delayed.since(seen) == []
    now.s = 90
    assert numbers(delayed.since(seen)) == [2]
    assert delayed.now_ns() == 30 * SECOND


def test_an_event_noted_late_holds_back_what_came_after_it():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_ns=60 * SECOND)
    for when in (0, 50, 10):
        tail.add(when)
    now.s = 80
    assert numbers(delayed.since("unknown")) == [1]
    now.s = 110
    assert delayed.latest().view["n"] == 3


def test_turns_are_shown_when_so_many_more_have_been_made():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_turns=2)
    for n in range(4):
        tail.add(n, turns=n)
        assert numbers(delayed.since(None)) == ([n - 1] if n >= 2 else [])
    newest = delayed.latest()
    assert newest.view["clocks"]["running"] is None
    assert json.loads(newest.data)["clocks"]["running"] is None
    assert newest.view["windows"] == []
    now.s = 500  # time alone shows nothing, not even itself
    assert delayed.latest() == newest
    assert delayed.now_ns() == newest.mono_ns == 1 * SECOND
    tail.add(600, turns=3, settled=True)
    assert delayed.latest().view["n"] == 5


def test_the_time_of_what_is_shown_never_steps_back():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_turns=1)
    reported = []
    for turns, when in ((0, 0), (1, 50), (1, 10), (2, 60), (3, 70)):
        tail.add(when, turns=turns)
        delayed.latest()
        reported.append(delayed.now_ns())
    assert reported == [when * SECOND for when in (0, 0, 0, 50, 60)]


def test_a_view_that_knows_of_a_turn_waits_for_as_long_as_one_that_shows_it():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_turns=1)
    tail.add(0)  # the press that begins the first turn
    tail.add(5)  # a stop of the clock in it
    tail.add(9)  # the press that ends it
    assert numbers(delayed.since(None)) == []
    tail.add(9, turns=1)  # and the turn as it was read
    assert numbers(delayed.kept()) == [1]
    tail.add(12, turns=1)  # a stop in the second turn
    tail.add(20, turns=1)  # its press
    assert numbers(delayed.kept()) == [1]
    tail.add(20, turns=2)
    assert numbers(delayed.kept()) == [1, 2, 3, 4]
    tail.add(33, turns=3)
    assert numbers(delayed.kept()) == [1, 2, 3, 4, 5, 6, 7]
    assert delayed.now_ns() == 20 * SECOND


def test_a_turn_that_was_read_after_a_later_stop_waits_for_the_turn_of_that_stop():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_turns=1)
    tail.add(0)
    tail.add(9)
    tail.add(9.5)  # the clock is stopped while the first turn is read
    tail.ends_ms["g"] = [9000]
    tail.add(9, turns=1)
    tail.add(20, turns=2)
    assert numbers(delayed.kept()) == [1, 2]
    tail.add(30, turns=3)
    assert numbers(delayed.kept()) == [1, 2, 3, 4, 5]


def test_the_next_game_shows_the_end_of_the_one_before():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_turns=3)
    for n in range(4):
        tail.add(n, turns=n)
    assert delayed.latest().view["n"] == 1
    tail.add(9, game="h")
    assert delayed.latest().view["n"] == 4


def test_what_was_shown_stays_shown_when_a_turn_is_taken_back():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_turns=1)
    for turns in (0, 1, 2):
        tail.add(turns, turns=turns)
    seen = delayed.latest()
    assert seen.view["n"] == 2
    tail.add(3, turns=1)
    assert delayed.latest() == seen
    assert delayed.since(seen.id) == []


def test_what_waits_is_remembered_when_the_feed_has_forgotten_it():
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, max_messages=4, clock=now), now, lag_ns=60 * SECOND)
    for n in range(20):
        now.s = n
        tail.add(n)
        assert delayed.latest() is None
    seen = None
    for n in range(20):
        now.s = 60 + n
        assert numbers(delayed.since(seen)) == [n + 1]
        seen = delayed.latest().id
    now.s = 200
    assert numbers(delayed.since(seen)) == []
    assert delayed.latest().id == seen


EVENTS = st.lists(
    st.tuples(st.floats(0, 100), st.integers(0, 1), st.booleans(), st.integers(0, 20)), max_size=30
)


@given(EVENTS, st.integers(0, 50), st.integers(0, 4))
def test_each_view_once_in_order_and_never_too_early(steps, lag_s, lag_turns):
    """Against a model: at each moment nothing is shown whose time or turns have not passed."""
    tail, now = FakeTail(), Now()
    delayed = DelayedFeed(Feed(tail, clock=now), now, lag_ns=lag_s * SECOND, lag_turns=lag_turns)
    turns, game, seen, got = 0, 0, None, deque()
    for wait_s, more, new_game, back_s in steps:
        now.s += wait_s
        game, turns = (game + 1, 0) if new_game else (game, turns + more)
        tail.add(max(0.0, now.s - back_s), turns=turns, game=str(game))
        for message in delayed.since(seen):
            happened, view = tail.entries[message.seq - 1]
            assert not lag_s or happened.mono_ns <= now() - lag_s * SECOND
            assert view["game_id"] != str(game) or turns >= len(view["turns"]) + lag_turns
            got.append(message.seq)
            seen = message.id
    assert list(got) == sorted(set(got))
    if got:
        assert list(got) == list(range(got[0], got[-1] + 1))
    now.s += 1000
    tail.add(now.s, game="last")
    now.s += 1000
    newest = delayed.latest()
    # All but the game in hand, of which no turn has passed.
    assert (newest.seq if newest else 0) == len(tail.entries) - (1 if lag_turns else 0)


def test_waiting_ends_when_a_view_falls_due():
    tail = FakeTail()
    feed = Feed(tail)
    begun_ns: list[int] = []

    def clock() -> int:
        """It stands until it is begun."""
        return time.monotonic_ns() - begun_ns[0] if begun_ns else 0

    delayed = DelayedFeed(feed, clock, lag_ns=SECOND // 2)
    tail.add(0.1)
    assert not delayed.wait(None, 0.05)
    begun_ns.append(time.monotonic_ns())
    assert delayed.wait(None, PATIENCE_S)
    assert delayed.latest().view["n"] == 1
    feed.close()
    assert delayed.closed
    assert delayed.wait("x", PATIENCE_S)


@pytest.fixture
def behind(log, game):
    """A site whose public is a minute and two turns behind, and its table's clock."""
    now = Now()
    public = PublicPolicy(delay_min=1.0, delay_turns=2, unseen="live")
    table = table_over(log, id="1", name="Table 1", clock=now, public=public)
    app = create_app(Site((table,), streams=4, heartbeat_s=0.05))
    app.testing = True
    yield app.test_client(), now, table
    table.close()


def test_nothing_newer_gets_out_by_any_address(behind, game):
    client, now, table = behind
    for place, word in TURNS:
        game.play(place, word)
    secret = {word.replace(".", "") for _, word in TURNS[4:]}
    now.s = game.t_ns / SECOND + 3600
    live = table.feeds["director"].latest()
    assert len(live.view["turns"]) == 6
    shown = client.get("/api/v1/tables/1").json
    assert len(shown["view"]["turns"]) == 4
    assert shown["now_ns"] < live.mono_ns
    assert shown["view"]["clocks"]["withheld"]  # they seem to stand, and nobody has stopped them
    stream = client.get("/api/v1/tables/1/events", buffered=False)
    events = events_in(stream.response)
    got = [next(events) for _ in range(4)]
    stream.close()
    newest = client.get("/api/v1/tables/1/events", query_string={"after": live.id}, buffered=False)
    events = events_in(newest.response)
    got += [next(events) for _ in range(4)]
    newest.close()
    for event in got:
        if event.kind == "view":
            assert len(event.data["turns"]) == 4
            assert event.id != live.id
        else:
            assert event.data["now_ns"] < live.mono_ns
    for path in ("/", "/tables/1", "/api/v1/tables", "/api/v1/tables/1"):
        text = client.get(path).text
        assert live.id not in text
        for word in secret:
            assert f'"{word}' not in text, path


def test_a_settled_game_is_shown_to_its_end(behind, game):
    client, now, _ = behind
    for place, word in TURNS:
        game.play(place, word)
    game.put(GameEnded("agreed", game.t_ns))
    now.s = game.t_ns / SECOND + 59
    assert len(client.get("/api/v1/tables/1").json["view"]["turns"]) == 5
    now.s += 1
    shown = client.get("/api/v1/tables/1").json["view"]
    assert (len(shown["turns"]), shown["status"]) == (6, "ended")
