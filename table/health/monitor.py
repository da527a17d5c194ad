"""Watches a running table's health: alerts are printed, logged and shown at its desk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from game.events import TroubleNoted
from game.state.fold import GameState
from record.log.event_log import EventLog
from record.picture_keeper import PictureKeeper
from table.health.alerts import CODES, ActiveAlerts, Alert, Code
from vision.tracking.seen_turn import PendingTurn

_EVERY_S: Final = 1.0
"""The time between two attempts to write what is held in memory."""

_NOTED: Final = frozenset(CODES) - {"board_covered", "log", "pictures", "pairings"}
"""Alerts that go into the log. A turn that was held open is flagged there anyway, and the log
cannot record the disk's faults while they last; those of the pairings are no table's."""

_OVER: Final[dict[Code, str]] = {
    "camera_lost": "the camera delivers pictures again",
    "camera_dark": "the camera sees again",
    "camera_frozen": "the camera's picture moves again",
    "camera_battery": "the phone's battery is well again",
    "too_slow": "this computer keeps up with its camera again",
    "buttons_lost": "the clock buttons are there again",
    "board_covered": "the board could be seen again, and the turn is settled",
    "log": "the log can be written again",
    "pictures": "the pictures can be written again",
    "pairings": "the pairings are clear again",
}


class Recording(Protocol):
    """The parts of a recorder that are watched."""

    @property
    def state(self) -> GameState:
        """Its game."""
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
        say: prints one line whenever an alert begins or is over.
        alerts: the alerts that the desk shows.
        note: records the event of an alert that may matter in a dispute.
        now_ns: the table's time.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        log: EventLog,
        say: Callable[[str], None],
        alerts: ActiveAlerts,
        note: Callable[[TroubleNoted], None],
        now_ns: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log, self._say, self._clock = log, say, clock
        self._alerts, self._note, self._now_ns = alerts, note, now_ns
        self._next = 0.0
        if log.trouble is not None:  # printed at the start already
            alerts.begin(Alert("log", log.trouble, now_ns()))
        for number, line in enumerate(log.repairs):
            what = f"opening {number + 1}"
            alerts.begin(Alert("log", line, now_ns(), what, stands=False))

    def take(self, alert: Alert) -> None:
        """Print and record an alert if it is new, or the end of one that was active."""
        if alert.over:
            if self._alerts.end(alert.code, alert.what) is None:
                return
            if not alert.message:
                over = _OVER.get(alert.code, f"{alert.what} {alert.code} is over".strip())
                alert = replace(alert, message=over)
        elif not self._alerts.begin(alert):
            return
        self._say(alert.message)
        if alert.code in _NOTED:
            self._note(alert.event())

    def end(self, code: Code, what: str = "", message: str = "", t_ns: int | None = None) -> None:
        """Report that an alert is over, if it was active."""
        now_ns = self._now_ns() if t_ns is None else t_ns
        self.take(Alert(code, message, now_ns, what, over=True))

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

    def _standing(self, code: Code, trouble: str | None) -> None:
        if trouble is None:
            self.end(code)
            return
        known = any(one.code == code and one.message == trouble for one in self._alerts.now())
        if not known:
            self._alerts.begin(Alert(code, trouble, self._now_ns()))
            self._say(trouble)

    def _look_at_turn(self, held: PendingTurn | None, state: GameState) -> None:
        """Show a turn that is held open; it is not printed: most are settled within a second."""
        if held is None:
            self._alerts.end("board_covered")
            return
        player = state.players.get(held.side, held.side)
        text = (
            f"{player}’s turn is not scored yet: the board has not been clear since the press; "
            "it is scored as soon as the board is seen"
        )
        self._alerts.begin(Alert("board_covered", text, held.press_ns))
