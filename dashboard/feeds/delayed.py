"""A feed that lags: what the public sees of a game, some minutes or turns after it happened.

It shows a prefix of another feed's views and reveals nothing newer: its ids, times and clock are
those of the views it shows. It keeps views that may not be shown yet itself, because the other feed
may forget them sooner.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from dataclasses import replace
from typing import Final

from dashboard.feeds.feed import Clock, Message, Views, ViewsBehind, encode

_STEP_S: Final = 0.25
"""The shortest wait for a view that may be shown soon."""


class DelayedFeed(ViewsBehind):
    """Delays the views of ``feed`` by ``lag_ns`` and ``lag_turns``. Safe to use from any thread.

    A view is shown when both hold: its event happened ``lag_ns`` ago on the table's ``clock``,
    which runs ``rate`` times as fast as real time; and its game has since had ``lag_turns`` turns
    completed that the view reveals nothing of, or is settled, or another game has begun. A view
    that was shown once stays shown.

    A view reveals something of a turn once anything has happened since the turn before ended: a
    stop of the clock, a ruling, the press that ends the turn.

    With a lag in turns nobody may learn how long the current turn has lasted: the clocks stand at
    their times at the last press shown.

    A delayed feed may be delayed again: a view is then shown when both lags in time allow it. Lags
    in turns add up: turns are counted in the views of ``feed``.
    """

    def __init__(
        self, feed: Views, clock: Clock, rate: float = 1.0, lag_ns: int = 0, lag_turns: int = 0
    ) -> None:
        super().__init__(feed)
        self._clock = clock
        self._rate = rate
        self._lag_ns = lag_ns
        self._lag_turns = lag_turns
        self._told_ns = 0  # with a lag in turns: the latest moment of what was shown
        self._reached = 0  # the sequence up to which views were shown
        self._waiting: list[Message] = []  # the newest that was shown, and all that were not
        self._standing: dict[str, Message] = {}
        self._changing = threading.Lock()

    def now_ns(self) -> int:
        """Return the time in the views that are shown."""
        if not self._lag_turns:
            return min(self._feed.now_ns(), self._clock() - self._lag_ns)
        # An event may be noted late, behind one that happened after it.
        times = (message.mono_ns for message in self.kept(fresh=False))
        self._told_ns = max((self._told_ns, *times))
        return self._told_ns

    def kept(self, fresh: bool = True) -> list[Message]:
        """Return every view that may be shown and is still remembered, oldest first."""
        return self._parted(self._feed.kept(fresh))[0]

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until a view other than ``last_id`` may be shown; ``False`` if time ran out."""
        until = time.monotonic() + timeout
        while not self._feed.closed:
            kept = self._feed.kept(fresh=False)
            shown, held = self._parted(kept)
            if shown and shown[-1].id != last_id:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            newest = kept[-1].id if kept else None
            self._feed.wait(newest, min(left, self._due_in_s(held)))
        return True

    def _parted(self, kept: list[Message]) -> tuple[list[Message], list[Message]]:
        """Divide the views, kept by the feed or only here, into those to show and the rest."""
        with self._changing:
            first = kept[0].seq if kept else 0
            whole = [message for message in self._waiting if message.seq < first] + kept
            if not whole:
                return [], []
            due = self._due(whole)
            if due:
                self._reached = max(self._reached, whole[due - 1].seq)
            if not self._waiting or whole[-1].seq >= self._waiting[-1].seq:
                self._waiting = whole[max(0, due - 1) :]
            shown, held = whole[:due], whole[due:]
            if not self._lag_turns:
                return shown, held
            self._standing = {
                message.id: self._standing.get(message.id) or _standing(message)
                for message in shown
            }
            return list(self._standing.values()), held

    def _due(self, messages: list[Message]) -> int:
        """Return how many of the views, from the first, may be shown."""
        until, newest = self._clock() - self._lag_ns, messages[-1].view
        over = not self._lag_turns or bool(newest["settled"])
        known = _turns_known(messages) if not over else [0] * len(messages)
        for count, (message, turns) in enumerate(zip(messages, known, strict=True)):
            waits = self._lag_ns > 0 and message.mono_ns > until
            passed = (
                over
                or message.view["game_id"] != newest["game_id"]
                or len(newest["turns"]) >= turns + self._lag_turns
            )
            if (waits or not passed) and message.seq > self._reached:
                return count
        return len(messages)

    def _due_in_s(self, held: list[Message]) -> float:
        """Return the least seconds until the first of the views may be shown, by time alone."""
        if not held:
            return float("inf")
        left_ns = held[0].mono_ns + self._lag_ns - self._clock()
        if left_ns <= 0:  # it waits for turns
            return float("inf")
        return max(left_ns / 1e9 / self._rate, _STEP_S)


def _turns_known(messages: list[Message]) -> list[int]:
    """Return for each view the number of turns of the newest game that it reveals anything of.

    The newest view says when each turn ended. A view of an event before a turn's press shows no
    turn yet, but reveals when the event happened: so the times of events count, and not the turns
    that a view shows.
    """
    game = messages[-1].view["game_id"]
    ends_ms = sorted(turn["press_ms"] for turn in messages[-1].view["turns"])
    found: list[int] = []
    latest_ms = begun_ms = -1
    for message in messages:
        view = message.view
        if view["game_id"] != game or view["status"] == "waiting":
            found.append(0)
            continue
        # An event may be noted late, behind one that happened after it.
        latest_ms = max(latest_ms, message.mono_ns // 1_000_000)
        turns = len(view["turns"])
        if begun_ms < 0:
            begun_ms = latest_ms  # the press that began the first turn tells nothing of it
        begins = not turns and latest_ms <= begun_ms
        found.append(0 if begins else max(turns, bisect_left(ends_ms, latest_ms) + 1))
    return found


def _standing(message: Message) -> Message:
    """Return the view with its clocks stopped, and without rights that end at a time."""
    known = message.view["clocks"]
    clocks = None
    if known is not None:
        clocks = {**known, "running": None, "since_ns": None, "withheld": True}
        clocks.pop("stopped_for", None)
    view = {**message.view, "clocks": clocks, "windows": []}
    return replace(message, view=view, data=encode(view))
