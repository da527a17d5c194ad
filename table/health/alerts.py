"""Alerts: the things that are wrong at a table, one line each, for whoever looks after it.

A fault of a camera or of a button becomes an ``Alert`` where its driver reports it
(``table.devices``) and stays one through the inbox and the monitor to the log (``TroubleNoted``).
An alert that *stands* is over when its source says so: the camera sees again, the turn that was
held open is settled. One that only *happened* (a double press, a call of the director) stays until
somebody attends to it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from game.events import TroubleNoted, TroubleState

Code = Literal[
    "camera_lost",
    "camera_dark",
    "camera_frozen",
    "camera_resized",
    "camera_battery",
    "calibration",
    "too_slow",
    "buttons_lost",
    "button_stuck",
    "button_double",
    "button_both",
    "button_same_side",
    "director_called",
    "board_covered",
    "log",
    "pictures",
    "pairings",
    "hub",
    "table_silent",
    "table_off",
    "table_out",
]
"""``log`` and ``pictures`` are the disk's, ``pairings`` is their file's, ``hub`` is the connection
to the hub. A hub reports ``table_silent`` and, where a table said that it stops,
``table_off``; ``table_out`` is one that it keeps out itself."""

CODES: Final[tuple[Code, ...]] = get_args(Code)


@dataclass(frozen=True, slots=True)
class Alert:
    """A fault at a table, or the end of one."""

    code: Code
    message: str
    """One line for a person."""
    since_ns: int
    """When it began or, if it is over, when it ended; on the table's time base."""
    what: str = ""
    """Which one, where there are several: the button's name."""
    stands: bool = True
    """True if it goes away when it is mended; else it stays until somebody attends to it."""
    over: bool = False
    """True if this reports that the alert is over."""

    @property
    def t_ns(self) -> int:
        """``since_ns``, as frames and presses call it."""
        return self.since_ns

    def event(self) -> TroubleNoted:
        """Return the event that records it."""
        state: TroubleState = "over" if self.over else "begins" if self.stands else "happened"
        return TroubleNoted(self.code, self.what, state, self.message, self.since_ns)

    def as_json(self) -> dict[str, Any]:
        """Return the document that a hub is sent of an alert that is not over."""
        names = ("code", "message", "since_ns", "what", "stands")
        return {name: getattr(self, name) for name in names}


class ActiveAlerts:
    """The alerts that are not over. Thread-safe."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._now: dict[tuple[Code, str], Alert] = {}

    def begin(self, alert: Alert) -> bool:
        """Add an alert; return True if it is new.

        One that stands already keeps its time and gets the new line; one that happens again has the
        new time.
        """
        key = alert.code, alert.what
        with self._changing:
            before = self._now.get(key)
            if before is not None and alert.stands:
                alert = replace(alert, since_ns=before.since_ns)
            self._now = {**self._now, key: alert}
        return before is None or not alert.stands

    def end(self, code: Code, what: str = "") -> Alert | None:
        """Remove an alert that is over or was attended to; return it, None if there was none."""
        with self._changing:
            left = dict(self._now)
            gone = left.pop((code, what), None)
            self._now = left
        return gone

    def now(self) -> tuple[Alert, ...]:
        """Return the active alerts, oldest first."""
        return tuple(sorted(self._now.values(), key=lambda one: one.since_ns))
