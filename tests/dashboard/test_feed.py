"""Views in order, each once, whatever the reader's gaps."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from dashboard.feeds.feed import Feed, encode
from tests.machine import PATIENCE_S


@dataclass(frozen=True)
class Entry:
    seq: int
    hash: str
    mono_ns: int = 0


class FakeTail:
    """A log that grows when told."""

    def __init__(self, name: str = "a") -> None:
        self.name = name
        self.entries: list[tuple[Entry, dict | None]] = []
        self.changed = threading.Condition()

    def add(self, view: dict | None) -> None:
        seq = len(self.entries) + 1
        with self.changed:
            self.entries.append((Entry(seq, f"{self.name}{seq:063d}"[-64:]), view))
            self.changed.notify_all()

    def after(self, seq):
        yield from self.entries[seq:]

    def wait(self, seq, timeout):
        with self.changed:
            return self.changed.wait_for(lambda: len(self.entries) > seq, timeout)


def numbers(messages) -> list[int]:
    return [message.view["n"] for message in messages]


def filled(count: int, name: str = "a") -> FakeTail:
    tail = FakeTail(name)
    for n in range(1, count + 1):
        tail.add({"n": n})
    return tail


def test_a_new_page_gets_the_newest_view_alone():
    assert numbers(Feed(filled(5)).since(None)) == [5]


def test_before_the_first_game_there_is_nothing():
    tail = FakeTail()
    tail.add(None)
    feed = Feed(tail)
    assert feed.latest() is None
    assert feed.since(None) == []
    assert feed.since("7-abc") == []


def test_a_page_that_was_away_gets_every_view_since():
    tail = filled(3)
    feed = Feed(tail)
    seen = feed.since(None)[-1].id
    for n in (4, 5, 6):
        tail.add({"n": n})
    assert numbers(feed.since(seen)) == [4, 5, 6]
    assert feed.since(feed.latest().id) == []


def test_an_event_that_changes_nothing_for_this_audience_leaves_no_trace():
    tail = filled(2)
    feed = Feed(tail)
    seen = feed.latest().id
    tail.add({"n": 2})
    assert feed.since(seen) == []
    tail.add({"n": 3})
    assert numbers(feed.since(seen)) == [3]


def test_a_page_away_for_longer_than_is_remembered_gets_the_newest():
    tail = filled(1)
    feed = Feed(tail, max_messages=4)
    seen = feed.latest().id
    for n in range(2, 12):
        tail.add({"n": n})
    assert numbers(feed.since(seen)) == [11]


def test_a_page_from_another_log_gets_the_newest():
    other_log = Feed(filled(3, name="b"))
    assert numbers(Feed(filled(9)).since(other_log.latest().id)) == [9]


def test_waiting_ends_with_news_and_not_before():
    tail = filled(1)
    feed = Feed(tail)
    try:
        seen = feed.latest().id
        assert not feed.wait(seen, 0.05)
        threading.Timer(0.1, tail.add, [{"n": 2}]).start()
        assert feed.wait(seen, PATIENCE_S)
        assert numbers(feed.since(seen, fresh=False)) == [2]
    finally:
        feed.close()


def test_closing_wakes_whoever_waits():
    feed = Feed(filled(1))
    seen = feed.latest().id
    waiting = threading.Thread(target=feed.wait, args=(seen, 10 * PATIENCE_S))
    waiting.start()
    feed.close()
    waiting.join(PATIENCE_S)
    assert feed.closed
    assert not waiting.is_alive()


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=20))
def test_reading_with_any_gaps_sees_each_view_once_and_in_order(steps):
    """``(added, read)``: some views come, and the page reads now or is away."""
    tail = filled(1)
    feed = Feed(tail)
    total = 1
    seen = feed.since(None)
    got = numbers(seen)
    last = seen[-1].id
    for added, read in steps:
        for _ in range(added):
            total += 1
            tail.add({"n": total})
        if read:
            messages = feed.since(last)
            got += numbers(messages)
            last = messages[-1].id if messages else last
    got += numbers(feed.since(last))
    assert got == list(range(1, total + 1))


def test_encoded_views_are_one_line_of_utf8():
    data = encode({"name": "Zoë\n\nevent: forged\ndata: {}"})
    assert b"\n" not in data
    assert "Zoë".encode() in data
