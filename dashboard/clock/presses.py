"""Presses from a page: the moment at which each counts, and whether it counts.

The page stamps a press when it is made, on the table's base as it knows it, and sends it as often
as it takes to get through. So a press may come late, and twice; what it may not do is change the
past. A stamp from the future, or from longer ago than any press is sent again, is replaced by now;
any other is limited to the earliest moment that the page's round trips allow (``round_trips``).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, Field

from dashboard.clock.round_trips import RoundTrips
from dashboard.sent import LONGEST_ID
from game.events import Button
from table.desk import Answer

CLAIM_LATE_NS: Final = 5_000_000_000
"""The longest delay after which a press still counts from the moment at which it was made."""

DOUBLE_NS: Final = 300_000_000
"""A second tap so soon after the last is the same press, as with the buttons of a real clock."""

CLAIMED_NS: Final = 3600 * 1_000_000_000
"""The largest difference from now that a claimed time is logged with; larger ones are cut to it."""

_REMEMBERED: Final = 64

Running = Literal["left", "right"] | None


class PagePress(BaseModel, frozen=True):
    """A press as a page sends it."""

    id: str = Field(min_length=1, max_length=LONGEST_ID)
    """The page's own name for it, the same however often it is sent."""
    button: Button
    t_ns: int | None = None
    """The time at which the page says that it was made, on the table's base."""
    page: str = Field(default="", max_length=LONGEST_ID)
    """The name that the page gave itself; empty if it gave none."""


Post: TypeAlias = Callable[[Button, int, int | None, int], Answer]
"""Posts a press: its button, when it counts, when the page says it was made, when it arrived."""


class Presses:
    """The presses of one table's clock page. Safe to use from any thread."""

    def __init__(self, trips: RoundTrips | None = None) -> None:
        self.trips = trips or RoundTrips()
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._last: tuple[Button, int, int] | None = None
        """The last press: its button, when it counted, and when it was made by the page."""

    def press(
        self,
        made: PagePress,
        *,
        now_ns: int,
        running: Callable[[], Running],
        post: Post,
        game_id: str = "",
    ) -> Answer:
        """Post a press, once however often it is sent.

        ``now_ns`` is the table's time, ``running`` returns whose clock runs, ``game_id`` is the
        game on the table. As on a real clock, a side's button does nothing while the other
        side's clock runs.
        """
        with self._lock:
            before = self._answers.get(made.id)
            if before is not None:
                return before
            answer = self._answer(made, now_ns, running, post, game_id)
            if answer.done:
                self._answers[made.id] = answer
                while len(self._answers) > _REMEMBERED:
                    self._answers.popitem(last=False)
            return answer

    def _answer(
        self,
        made: PagePress,
        now_ns: int,
        running: Callable[[], Running],
        post: Post,
        game_id: str,
    ) -> Answer:
        button, claimed_ns = made.button, stamp(made.t_ns, now_ns)
        if self._last is not None:
            last, _, last_claimed_ns = self._last
            if last == button and abs(claimed_ns - last_claimed_ns) < DOUBLE_NS:
                return Answer(None)
        on = running()
        if button == "neutral" and on is None:
            return Answer(None, "both clocks stand already")
        if button != "neutral" and on not in (None, button):
            return Answer(None, "that clock stands already")
        # Whose clock runs gains by an early press, be it their own or one that stops both.
        t_ns = self.trips.accepted(made.page, game_id, on or button, claimed_ns, now_ns)
        if self._last is not None:
            t_ns = max(t_ns, self._last[1])
        answer = post(button, t_ns, _claim(made.t_ns, now_ns), now_ns)
        if answer.done:
            self._last = (button, t_ns, claimed_ns)
        return answer


def stamp(made_ns: int | None, now_ns: int) -> int:
    """Return the time of a press by its page, or now if that is in the future or too long ago."""
    if made_ns is None or not now_ns - CLAIM_LATE_NS <= made_ns <= now_ns:
        return now_ns
    return made_ns


def _claim(made_ns: int | None, now_ns: int) -> int | None:
    """Return the time that the page claims, for the log; at most ``CLAIMED_NS`` from now."""
    if made_ns is None:
        return None
    return min(max(made_ns, now_ns - CLAIMED_NS), now_ns + CLAIMED_NS)
