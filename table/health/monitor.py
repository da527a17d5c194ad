"""Watches a running table's health: prints, logs and shows troubles."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from game.events import TroubleNoted
from game.state.fold import GameState
from game.troubles import TROUBLES, TroubleCode, make_trouble, trouble_over
from record.log.event_log import EventLog
from vision.tracking.turn_sightings import PendingTurn


class ActiveTroubles:
    """The troubles that are not over. Thread-safe.

    A lasting trouble is over when its source says so, for example when the camera is back or the
    open turn is settled. A momentary one (a double press, a call of the director) stays until
    somebody attends to it.
    """

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._now: dict[tuple[str, str], TroubleNoted] = {}

    def begin(self, trouble: TroubleNoted) -> bool:
        """Add a trouble; return True if it is new, else False.

        A lasting trouble that is active already keeps its time and gets the new line; a momentary
        one that happens again gets the new time.
        """
        key, lasts = (trouble.code, trouble.what), trouble.state == "begins"
        with self._changing:
            before = self._now.get(key)
            if before is not None and lasts:
                trouble = replace(trouble, t_ns=before.t_ns)
            self._now = {**self._now, key: trouble}
        return before is None or not lasts

    def end(self, code: str, what: str = "") -> TroubleNoted | None:
        """Remove a trouble that is over or was attended to; return it, or None if not active."""
        with self._changing:
            left = dict(self._now)
            gone = left.pop((code, what), None)
            self._now = left
        return gone

    def now(self) -> tuple[TroubleNoted, ...]:
        """Return the active troubles, oldest first."""
        return tuple(sorted(self._now.values(), key=lambda one: one.t_ns))


_EVERY_S: Final = 1.0
"""The time between two attempts to write what is held in memory."""


class HealthMonitor:
    """Watches the health of a running table. Not safe to use from several threads at once.

    Args:
        log: the table's event log.
        say: prints one line whenever a trouble begins or is over.
        active: the troubles that the desk shows.
        note: records a trouble that may matter in a dispute.
        now_ns: returns the table's time.
        clock: returns monotonic seconds.
    """

    def __init__(
        self,
        log: EventLog,
        say: Callable[[str], None],
        active: ActiveTroubles,
        note: Callable[[TroubleNoted], None],
        now_ns: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log, self._say, self._clock = log, say, clock
        self._active, self._note, self._now_ns = active, note, now_ns
        self._next = 0.0
        if log.trouble is not None:  # printed at the start already
            active.begin(make_trouble("log", log.trouble, now_ns()))
        for number, line in enumerate(log.repairs):
            what = f"opening {number + 1}"
            active.begin(make_trouble("log_repaired", line, now_ns(), what))

    def take(self, trouble: TroubleNoted) -> None:
        """Print and record a trouble if it is new, or the end of one that was active."""
        if trouble.state == "over":
            if self._active.end(trouble.code, trouble.what) is None:
                return
        elif not self._active.begin(trouble):
            return
        self._say(trouble.message)
        if TROUBLES[trouble.code].logged:
            self._note(trouble)

    def end(
        self, code: TroubleCode, what: str = "", message: str = "", t_ns: int | None = None
    ) -> None:
        """Report that a trouble is over, if it was active."""
        now_ns = self._now_ns() if t_ns is None else t_ns
        self.take(trouble_over(code, now_ns, what, message))

    def look(
        self,
        held: PendingTurn | None,
        state: GameState,
        others: Callable[[], Mapping[TroubleCode, str | None]],
    ) -> None:
        """Check the turn that is held open and, once a second, the log and ``others``.

        ``others`` returns the line of each further trouble by code, or None if there is none.
        """
        self._look_at_turn(held, state)
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _EVERY_S
        if self._log.held:
            self._log.retry()
        for code, trouble in {"log": self._log.trouble, **others()}.items():
            self._standing(code, trouble)

    def _standing(self, code: TroubleCode, trouble: str | None) -> None:
        if trouble is None:
            self.end(code)
            return
        known = any(one.code == code and one.message == trouble for one in self._active.now())
        if not known:
            self._active.begin(make_trouble(code, trouble, self._now_ns()))
            self._say(trouble)

    def _look_at_turn(self, held: PendingTurn | None, state: GameState) -> None:
        """Show at the desk a turn that is held open; do not print it: most last under a second."""
        if held is None:
            self._active.end("board_covered")
            return
        player = state.players.get(held.side, held.side)
        text = (
            f"{player}’s turn is not scored yet: the board has not been clear since the press; "
            "it is scored as soon as the board is seen"
        )
        self._active.begin(make_trouble("board_covered", text, held.press_ns))
