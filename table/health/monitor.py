"""Watches a running table's health: troubles are printed, logged and shown at its desk."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from game.events import TroubleNoted
from game.state.fold import GameState
from game.troubles import TROUBLES, TroubleCode, make_trouble, trouble_over
from record.log.event_log import EventLog
from record.picture_keeper import PictureKeeper
from table.health.active_troubles import ActiveTroubles
from vision.tracking.seen_turn import PendingTurn

_EVERY_S: Final = 1.0
"""The time between two attempts to write what is held in memory."""


class Recording(Protocol):
    """The parts of a recorder that are watched."""

    @property
    def state(self) -> GameState:
        """The game's state."""
        ...

    @property
    def pictures(self) -> PictureKeeper:
        """The keeper of the turns' pictures."""
        ...

    @property
    def held(self) -> PendingTurn | None:
        """The turn that is held open."""
        ...


class HealthMonitor:
    """Watches the health of a running table. Not safe to use from several threads at once.

    Args:
        log: the table's.
        say: prints one line whenever a trouble begins or is over.
        active: the troubles that the desk shows.
        note: records the trouble that may matter in a dispute.
        now_ns: the table's time.
        clock: seconds, monotonic.
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

    def look(self, recorder: Recording, pairings: Callable[[], str | None] = lambda: None) -> None:
        """Check the turn that is held open, and once a second the disk and the pairings.

        ``pairings`` says what is wrong with them, or None.
        """
        self._look_at_turn(recorder.held, recorder.state)
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _EVERY_S
        if self._log.held:
            self._log.retry()
        self._standing("log", self._log.trouble)
        self._standing("pictures", recorder.pictures.trouble)
        self._standing("pairings", pairings())

    def _standing(self, code: TroubleCode, trouble: str | None) -> None:
        if trouble is None:
            self.end(code)
            return
        known = any(one.code == code and one.message == trouble for one in self._active.now())
        if not known:
            self._active.begin(make_trouble(code, trouble, self._now_ns()))
            self._say(trouble)

    def _look_at_turn(self, held: PendingTurn | None, state: GameState) -> None:
        """Show a turn that is held open; it is not printed: most are settled within a second."""
        if held is None:
            self._active.end("board_covered")
            return
        player = state.players.get(held.side, held.side)
        text = (
            f"{player}’s turn is not scored yet: the board has not been clear since the press; "
            "it is scored as soon as the board is seen"
        )
        self._active.begin(make_trouble("board_covered", text, held.press_ns))
