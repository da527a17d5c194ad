"""Views in order, each once; and what the public sees late: nothing newer by any way."""

from __future__ import annotations

import itertools
import json
import random
import threading
import time
from collections import deque
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app import create_app
from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import KEEP_LATE, Feed
from dashboard.site import Site, table_over
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ClockAdjusted,
    Event,
    GameEnded,
    PenaltyAdded,
    PlayersNamed,
    SquareCorrected,
    StopExplained,
    TurnRuled,
    TurnSeen,
    other,
)
from game.state.fold import apply
from record.chain import LoggedEvent
from table.folded_log import FoldedLog
from table.views.public_policy import PublicPolicy
from table.views.views import view
from tests.dashboard.conftest import SECOND, TURNS, events_in
from tests.game.gamekit import Table, random_play
from tests.machine import PATIENCE_S
from tests.record.bundlekit import entries_of


@dataclass(frozen=True)
class Entry:
    seq: int
    hash: str
    mono_ns: int


class GrowingTail:
    """A log that grows when told."""

    def __init__(self, name: str = "a") -> None:
        self.name = name
        self.entries: list[tuple[Entry, dict | None]] = []
        self.ends_ms: dict[str, list[int]] = {}
        self.changed = threading.Condition()

    def put(self, view: dict | None, when: float = 0.0) -> None:
        """Something that happened at so many seconds, and the view after it."""
        seq = len(self.entries) + 1
        entry = Entry(seq, f"{self.name}{seq:063d}", round(when * SECOND))
        with self.changed:
            self.entries.append((entry, view))
            self.changed.notify_all()

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
        self.put(view, when)

    def after(self, seq):
        yield from self.entries[seq:]

    def wait(self, seq, over):
        with self.changed:
            self.changed.wait_for(lambda: over() or len(self.entries) > seq)

    def wake(self) -> None:
        with self.changed:
            self.changed.notify_all()


class Now:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> int:
        return round(self.s * SECOND)


def late(lag_s: int = 0, lag_turns: int = 0) -> tuple[GrowingTail, Now, DelayedFeed]:
    """A log, the time, and what a public sees of it that is so far behind."""
    tail, now = GrowingTail(), Now()
    feed = Feed(tail, clock=now)
    return tail, now, DelayedFeed(feed, now, lag_ns=lag_s * SECOND, lag_turns=lag_turns)


def numbers(messages) -> list[int]:
    return [message.view["n"] for message in messages]


def test_a_view_is_shown_when_its_time_has_come():
    tail, now, delayed = late(lag_s=60)
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
    tail, now, delayed = late(lag_s=60)
    for when in (0, 50, 10):
        tail.add(when)
    now.s = 80
    assert numbers(delayed.since("unknown")) == [1]
    now.s = 110
    assert delayed.latest().view["n"] == 3


def test_the_time_of_what_is_shown_never_steps_back():
    tail, _, delayed = late(lag_turns=1)
    reported = []
    for turns, when in ((0, 0), (1, 50), (1, 10), (2, 60), (3, 70)):
        tail.add(when, turns=turns)
        delayed.latest()
        reported.append(delayed.now_ns())
    assert reported == [when * SECOND for when in (0, 0, 0, 50, 60)]
    newest = delayed.latest()
    assert json.loads(newest.data) == newest.view
    assert (newest.view["clocks"]["running"], newest.view["windows"]) == (None, [])


def test_the_next_game_shows_the_end_of_the_one_before_and_what_was_shown_stays():
    tail, _, delayed = late(lag_turns=1)
    for turns in (0, 1, 2):
        tail.add(turns, turns=turns)
    seen = delayed.latest()
    assert seen.view["n"] == 2
    tail.add(3, turns=1)  # a turn is taken back
    assert delayed.latest() == seen
    assert delayed.since(seen.id) == []
    tail.add(9, game="h")
    assert delayed.latest().view["n"] == 4


def test_what_waits_is_remembered_when_the_feed_has_forgotten_it():
    tail, now = GrowingTail(), Now()
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
    tail, now, delayed = late(lag_s, lag_turns)
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
    tail = GrowingTail()
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


def test_the_id_of_a_view_that_is_not_due_brings_the_newest_that_is(behind, game):
    client, now, table = behind
    game.plays(TURNS)
    now.s = game.t_ns / SECOND + 3600
    live = table.feeds["director"].latest()
    path = "/api/v1/tables/1/events"
    with client.get(path, query_string={"after": live.id}, buffered=False) as stream:
        time_told, _, newest = itertools.islice(events_in(stream.response), 3)
    assert time_told.data["now_ns"] < live.mono_ns
    assert (newest.kind, len(newest.data["turns"])) == ("view", 4)
    assert newest.id != live.id
    assert newest.data["clocks"]["withheld"]  # they seem to stand, and nobody has stopped them


def test_a_settled_game_is_shown_to_its_end(behind, game):
    client, now, _ = behind
    game.plays(TURNS)
    game.put(GameEnded("agreed", game.t_ns))
    now.s = game.t_ns / SECOND + 59
    assert len(client.get("/api/v1/tables/1").json["view"]["turns"]) == 5
    now.s += 1
    shown = client.get("/api/v1/tables/1").json["view"]
    assert (len(shown["turns"]), shown["status"]) == (6, "ended")


def filled(count: int, name: str = "a") -> GrowingTail:
    tail = GrowingTail(name)
    for n in range(1, count + 1):
        tail.put({"n": n})
    return tail


def test_an_event_that_changes_nothing_for_this_audience_leaves_no_trace():
    tail = filled(2)
    feed = Feed(tail)
    seen = feed.latest().id
    tail.put({"n": 2})
    assert feed.since(seen) == []
    tail.put({"n": 3})
    assert numbers(feed.since(seen)) == [3]


def test_a_page_that_is_new_or_from_another_log_or_away_for_too_long_gets_the_newest_alone():
    assert numbers(Feed(filled(5)).since(None)) == [5]
    other_log = Feed(filled(3, name="b"))
    assert numbers(Feed(filled(9)).since(other_log.latest().id)) == [9]
    tail = filled(1)
    feed = Feed(tail, max_messages=4)
    seen = feed.latest().id
    for n in range(2, 12):
        tail.put({"n": n})
    assert numbers(feed.since(seen)) == [11]


def test_waiting_ends_with_news_and_not_before():
    tail = filled(1)
    feed = Feed(tail)
    try:
        seen = feed.latest().id
        assert not feed.wait(seen, 0.05)
        threading.Timer(0.1, tail.put, [{"n": 2}]).start()
        assert feed.wait(seen, PATIENCE_S)
        assert numbers(feed.since(seen, fresh=False)) == [2]
    finally:
        feed.close()


def test_closing_wakes_whoever_waits():
    before = set(threading.enumerate())
    feed = Feed(filled(1))
    seen = feed.latest().id
    waiting = threading.Thread(target=feed.wait, args=(seen, 10 * PATIENCE_S))
    waiting.start()
    feed.close()
    waiting.join(PATIENCE_S)
    assert feed.closed
    assert not waiting.is_alive()
    assert not set(threading.enumerate()) - before


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
            tail.put({"n": total})
        if read:
            messages = feed.since(last)
            got += numbers(messages)
            last = messages[-1].id if messages else last
    got += numbers(feed.since(last))
    assert got == list(range(1, total + 1))


LATE = 10**15
"""A time, in ns, after all that the games of these tests have."""


class ListLog:
    """A log in memory: a table's own, and a hub's copy."""

    closed, trouble = False, None

    def __init__(self, records: list[LoggedEvent]) -> None:
        self.records = records

    @property
    def last_seq(self) -> int:
        return len(self.records)

    @property
    def head(self) -> tuple[int, str]:
        return len(self.records), self.records[-1].hash

    def events(self, game_id=None, after=0, limit=None) -> list[LoggedEvent]:
        return self.records[after:][:limit]

    def game_ids(self) -> list[str]:
        return ["g1"]

    def first_of(self, game_id) -> LoggedEvent:
        return self.records[0]

    def last_of(self, game_id) -> LoggedEvent:
        return self.records[-1]

    def grew(self, after, timeout, over=bool) -> bool:
        return len(self.records) > after

    def wake(self) -> None:
        pass


class Play:
    """A random game with all that may happen between two presses that end a turn."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.table = Table()
        self.ends = [len(self.table.events)]
        """How many events there were up to the press that began the game, and ended each turn."""

    def turn(self) -> None:
        """Play a turn to its end."""
        rng, table = self.rng, self.table
        for _ in range(rng.choice((0, 0, 1, 2))):
            self.happen()
        squares = random_play(rng, table.board, rng.randint(1, 4)) or []
        tiles = {square: rng.choice("AEIONRT") for square in squares}
        table.board = table.board.replace(tiles)
        table.now += rng.randint(1, 60_000) * SECOND // 1000
        press_ns, side = table.now, table.side
        self.put(ButtonPressed(side, press_ns))
        self.ends.append(len(table.events))
        read_late = rng.random() < 0.2
        if read_late:  # the reading takes a while, and the clock is stopped meanwhile
            table.now += SECOND
            self.put(ButtonPressed("neutral", table.now))
            table.now += SECOND
            self.put(ButtonPressed(side, table.now))
        self.put(TurnSeen(side, press_ns, table.board.rows))
        if not read_late:
            self.ends[-1] = len(table.events)
        table.side = other(side)

    def happen(self) -> None:
        """Something that ends no turn."""
        rng, table = self.rng, self.table
        table.now += rng.randint(1, 9_000) * SECOND // 1000
        t_ns, number = table.now, len(table.state.turns)
        square = rng.choice(["8H", "8G", "7H"])
        stop = [ButtonPressed("neutral", t_ns), ButtonPressed(other(table.side), t_ns + SECOND)]
        ruling = rng.choice(["challenge_upheld", "challenge_failed"])
        deeds: list[list[Event]] = [
            stop,
            [stop[0], StopExplained(number, "challenge", "TD", "", t_ns), stop[1]],
            [stop[0], TurnRuled(number, ruling, "TD", "", t_ns, words=1), stop[1]],
            [SquareCorrected(number, square, rng.choice("AE."), "TD", "seen", t_ns)],
            [ClockAdjusted(table.side, 5 * SECOND, None, "TD", "", t_ns)],
            [PenaltyAdded(table.side, 5, None, "TD", "", t_ns)],
            [PlayersNamed({"left": f"Ann {t_ns}"}, "TD", t_ns, "")],
        ]
        for event in rng.choice(deeds):
            self.put(event)
        table.now += 2 * SECOND

    def put(self, event: Event) -> None:
        """Log an event, if it can be."""
        try:
            self.table.put(event)
        except TilewatchError:
            assert not isinstance(event, ButtonPressed | TurnSeen)


def standing(state) -> dict:
    """The public view of a game whose clocks tell nothing since its last press."""
    found = view(state, "public")
    found["clocks"] |= {"running": None, "since_ns": None, "withheld": True}
    found["clocks"].pop("stopped_for", None)
    return found | {"windows": []}


def feeds(log: ListLog, turns: int) -> list[DelayedFeed]:
    """The public's feed at a table, and at a hub."""
    at_hub = FoldedLog(log, KEEP_LATE, from_newest_game=True)
    tails = [FoldedLog(log, KEEP_LATE).views("public"), at_hub.views("public")]
    return [DelayedFeed(Feed(tail, KEEP_LATE, lambda: LATE), lambda: LATE, lag_turns=turns)
            for tail in tails]  # fmt: skip


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_all_that_a_delayed_view_has_was_to_be_told(seed, lag):
    play = Play(seed)
    for _ in range(6):
        play.turn()
    play.happen()
    play.put(GameEnded("director", play.table.now))
    records = [entry.logged for entry in entries_of(play.table.events)]
    log = ListLog([])
    both, state = feeds(log, lag), None
    due_views: dict[int, dict] = {}
    for event, record in zip(play.table.events, records, strict=True):
        log.records.append(record)
        state = apply(state, event)
        due_views[record.seq] = standing(state)
        last = len(state.turns) - lag
        due = len(log.records) if state.settled else play.ends[last] if last >= 0 else 0
        for feed in both:
            kept = feed.kept()
            assert all(due_views[message.seq] == message.view for message in kept)
            assert [message.seq for message in kept][-1:] <= [due]
            assert (kept[-1].view if kept else None) == due_views.get(due)
            times = [record.mono_ns for record in records[:due]]
            assert feed.now_ns() <= max(times, default=0)
