"""Presses from a page: at which moment each was made, and whether it is one at all.

The page stamps a press where it was made, on the table's base as it knows it, and sends it as often
as it takes to get through. So a press may come late, and twice; what it may not do is change the
past. A stamp from the future, or from longer ago than a lost packet explains, is replaced by now.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from game.events import Button
from table.desk import Answer

LATE_NS: Final = 5_000_000_000
"""How late a press may come and still count from when it was made."""

DOUBLE_NS: Final = 300_000_000
"""A second tap so soon after the last is the same press, as with the buttons of a real clock."""

_REMEMBERED: Final = 64

Running = Literal["left", "right"] | None


@dataclass(frozen=True, slots=True)
class Made:
    """A press as a page sends it: ``t_ns`` is when it says that it was made, on the table's base.

    ``id`` is the page's own, the same however often it sends the press.
    """

    id: str
    button: Button
    t_ns: int | None = None


class Presses:
    """Those of one table. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._last: tuple[Button, int] | None = None

    def press(
        self,
        made: Made,
        *,
        now_ns: int,
        running: Callable[[], Running],
        post: Callable[[Button, int], Answer],
    ) -> Answer:
        """Post a press, once however often it comes.

        ``now_ns`` is what time it is at the table, ``running`` tells whose clock runs. As on a real
        clock, the button of a side whose clock stands while the other's runs does nothing.
        """
        with self._lock:
            before = self._answers.get(made.id)
            if before is not None:
                return before
            answer = self._answer(made.button, stamp(made.t_ns, now_ns), running, post)
            if answer.done:
                self._answers[made.id] = answer
                while len(self._answers) > _REMEMBERED:
                    self._answers.popitem(last=False)
            return answer

    def _answer(
        self,
        button: Button,
        t_ns: int,
        running: Callable[[], Running],
        post: Callable[[Button, int], Answer],
    ) -> Answer:
        if self._last is not None:
            last, last_ns = self._last
            if last == button and abs(t_ns - last_ns) < DOUBLE_NS:
                return Answer(None)
            t_ns = max(t_ns, last_ns)
        on = running()
        if button == "neutral" and on is None:
            return Answer(None, "both clocks stand already")
        if button != "neutral" and on not in (None, button):
            return Answer(None, "that clock stands already")
        answer = post(button, t_ns)
        if answer.done:
            self._last = (button, t_ns)
        return answer


def stamp(made_ns: int | None, now_ns: int) -> int:
    """The moment at which a press counts."""
    if made_ns is None or not now_ns - LATE_NS <= made_ns <= now_ns:
        return now_ns
    return made_ns
