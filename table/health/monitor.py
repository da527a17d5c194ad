"""What is wrong at a running table: watched, said, and shown at its desk while it is so."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from game.events import TroubleNoted, TroubleState
from record.log.event_log import EventLog
from record.picture_keeper import PictureKeeper
from table.health.alerts import CODES, ActiveAlerts, Alert, Code
from vision.tracking.turn_sightings import PendingTurn

_EVERY_S: Final = 1.0
"""How often what is held in memory is tried again."""

_NOTED: Final = frozenset(CODES) - {"board_covered", "log", "pictures"}
"""What goes into the log. A turn that was held open is flagged; of the disk's troubles the log can
tell nothing while they last."""

_OVER: Final[dict[Code, str]] = {
    "camera_lost": "the camera delivers pictures again",
    "camera_dark": "the camera sees again",
    "camera_frozen": "the camera's picture moves again",
    "buttons_lost": "the clock buttons are there again",
    "board_covered": "the board could be seen again, and the turn is settled",
    "log": "the log can be written again",
    "pictures": "the pictures can be written again",
}


class Recording(Protocol):
    """What is watched of a recorder."""

    @property
    def pictures(self) -> PictureKeeper:
        """What keeps the pictures."""
        ...

    @property
    def held(self) -> PendingTurn | None:
        """The turn that is held open."""
        ...


class HealthMonitor:
    """Keeps what is wrong at a running table. Not safe to use from several threads at once.

    Args:
        log: the table's.
        say: told one line whenever what is wrong changes.
        conditions: where it is shown.
        note: takes the event for the log of what may matter in a dispute.
        now_ns: the table's time.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        log: EventLog,
        say: Callable[[str], None],
        conditions: ActiveAlerts,
        note: Callable[[TroubleNoted], None],
        now_ns: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log, self._say, self._clock = log, say, clock
        self._conditions, self._note, self._now_ns = conditions, note, now_ns
        self._next = 0.0
        if log.trouble is not None:  # said at the start already
            conditions.begin(Alert("log", log.trouble, now_ns()))
        for number, line in enumerate(log.repairs):
            what = f"opening {number + 1}"
            conditions.begin(Alert("log", line, now_ns(), what, stands=False))

    def begin(self, condition: Alert) -> None:
        """Something is wrong. It is said if that is news."""
        if self._conditions.begin(condition):
            self._say(condition.message)
            if condition.code in _NOTED:
                state: TroubleState = "begins" if condition.stands else "happened"
                self._note(
                    TroubleNoted(
                        condition.code,
                        condition.what,
                        state,
                        condition.message,
                        condition.since_ns,
                    )
                )

    def end(
        self, code: Code, what: str = "", message: str | None = None, t_ns: int | None = None
    ) -> None:
        """It is over; that is said if it was wrong."""
        if self._conditions.end(code, what) is None:
            return
        message = message or _OVER.get(code, f"{what} {code} is over".strip())
        self._say(message)
        if code in _NOTED:
            now_ns = self._now_ns() if t_ns is None else t_ns
            self._note(TroubleNoted(code, what, "over", message, now_ns))

    def look(self, recorder: Recording) -> None:
        """See what is wrong with the disk, at most once a second, and with the turn in hand."""
        self._look_at_turn(recorder.held)
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _EVERY_S
        if self._log.held:
            self._log.retry()
        self._disk("log", self._log.trouble)
        self._disk("pictures", recorder.pictures.trouble)

    def _disk(self, code: Code, trouble: str | None) -> None:
        if trouble is None:
            self.end(code)
            return
        stood = any(c.code == code and c.message == trouble for c in self._conditions.now())
        if not stood:
            self._conditions.begin(Alert(code, trouble, self._now_ns()))
            self._say(trouble)

    def _look_at_turn(self, held: PendingTurn | None) -> None:
        """A turn that is held open is shown, not said: most are settled within a second."""
        if held is None:
            self._conditions.end("board_covered")
            return
        text = (
            f"{held.side}'s turn is held open: the board has not been clear since the press; "
            "it is scored as soon as the board is seen"
        )
        self._conditions.begin(Alert("board_covered", text, held.press_ns))
