"""What is wrong at a running table: watched, said, and shown at its desk while it is so."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from table.conditions import Code, Condition, Conditions
from table.log import EventLog
from table.pictures import PictureKeeper
from table.recorder import Held

_EVERY_S: Final = 1.0
"""How often what is held in memory is tried again."""

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
    def held(self) -> Held | None:
        """The turn that is held open."""
        ...


class Troubles:
    """Keeps what is wrong at a running table. Not safe to use from several threads at once.

    Args:
        log: the table's.
        say: told one line whenever what is wrong changes.
        conditions: where it is shown.
        now_ns: the table's time.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        log: EventLog,
        say: Callable[[str], None],
        conditions: Conditions,
        now_ns: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log, self._say, self._clock = log, say, clock
        self._conditions, self._now_ns = conditions, now_ns
        self._next = 0.0
        if log.trouble is not None:  # said at the start already
            conditions.begin(Condition("log", log.trouble, now_ns()))

    def begin(self, condition: Condition) -> None:
        """Something is wrong. It is said if that is news."""
        if self._conditions.begin(condition):
            self._say(condition.message)

    def end(self, code: Code, what: str = "", message: str | None = None) -> None:
        """It is over; that is said if it was wrong."""
        if self._conditions.end(code, what) is not None:
            self._say(message or _OVER.get(code, f"{what} {code} is over".strip()))

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
            self._conditions.begin(Condition(code, trouble, self._now_ns()))
            self._say(trouble)

    def _look_at_turn(self, held: Held | None) -> None:
        """A turn that is held open is shown, not said: most are settled within a second."""
        if held is None:
            self._conditions.end("board_covered")
            return
        text = (
            f"{held.side}'s turn is held open: the board has not been clear since the press; "
            "it is scored as soon as the board is seen"
        )
        self._conditions.begin(Condition("board_covered", text, held.press_ns))
