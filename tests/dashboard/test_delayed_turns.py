"""A delay in turns tells nothing of a hidden turn: not that a clock stopped in it, nor when.

What may be told is worked out from the log alone, by another way than the feed's: everything up to
the press that ended the last turn that may be shown.
"""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.app import create_app
from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import KEEP_LATE, Feed
from dashboard.feeds.log_tail import LogTail
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
from game.state.fold import apply, fold
from hub.folded_log import FoldedLog, FoldTail
from hub.hall import public_row
from record.chain import LoggedEvent
from table.views.public_policy import PublicPolicy
from table.views.views import view
from tests.game.gamekit import SECOND, Table, random_play
from tests.record.storykit import entries_of

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

    def wait(self, after, timeout, game_id=None) -> list[LoggedEvent]:
        return self.events(after=after)

    def grew(self, after, timeout) -> bool:
        return len(self.records) > after


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
    tails = [LogTail(log), FoldTail(FoldedLog(log, KEEP_LATE), "public", whole=True)]
    return [DelayedFeed(Feed(tail, KEEP_LATE, lambda: LATE), lambda: LATE, lag_turns=turns)
            for tail in tails]  # fmt: skip


@settings(max_examples=30, deadline=None)
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


ADDRESSES = [
    "/", "/tables/1", "/tables/1/live", "/tables/1/live/events", "/tables/1/games",
    "/embed/tables/1",
    "/tables/1/games/g1", "/tables/1/games/g1/game.gcg", "/tables/1/games/g1/result",
    "/tables/1/games/g1/view", "/tables/1/picture.png", "/tables/1/games/g1/picture.png",
    "/api/v1/tables", "/api/v1/tables/1", "/api/v1/tables/1/clocks", "/api/v1/tables/1/events",
    "/api/v1/tables/1/game.gcg", "/api/v1/tables/1/turns", "/api/v1/tables/1/turns/1",
    "/api/v1/tables/1/log", "/overlay/1/live", "/overlay/1/live/events",
    *(f"/overlay/1/{part}" for part in ("scene", "scores", "clocks", "last", "unseen", "names")),
]  # fmt: skip


def answers(play: Play, lag: int) -> dict[str, bytes]:
    """Return all answers about a game that anybody can have, by address."""
    log = ListLog([entry.logged for entry in entries_of(play.table.events)])
    public = PublicPolicy(delay_turns=lag, unseen="live")
    table = table_over(log, id="1", name="Table 1", clock=lambda: LATE, public=public)
    app = create_app(Site((table,), heartbeat_s=0.05))
    app.testing = True
    found = {}
    for address in ADDRESSES:
        answer = app.test_client().get(address, buffered=False)
        data = next(iter(answer.response)) if "events" in address else answer.data
        found[address] = b"%d " % answer.status_code + re.sub(rb'nonce="[^"]*"', b"", data)
        answer.close()
    found["the hall's line"] = json.dumps(public_row(table)).encode()
    table.close()
    return found


@pytest.mark.parametrize("lag", [1, 2])
def test_no_answer_to_anybody_differs_by_what_happened_in_a_hidden_turn(lag):
    """Two games that are one as far as they may be told, and go on otherwise."""
    plays = [Play(1), Play(1)]
    for play, seed in zip(plays, (2, 3), strict=True):
        for _ in range(3):
            play.turn()
        play.table.now = play.table.events[-1].press_ns
        play.rng.seed(seed)
        for _ in range(lag):
            play.happen()
            play.turn()
        play.happen()
    one, two = (answers(play, lag) for play in plays)
    assert one == two
    shown = sum(found.startswith(b"200 ") for found in one.values())
    assert shown > len(ADDRESSES) / 2
    assert fold(plays[0].table.events).turns != fold(plays[1].table.events).turns
