"""What is wrong at a table now, and since when: one line each, for whoever looks after it.

Devices, the disk and the recorder each say what they notice. What *stands* is over when whatever
said it says so (a camera sees again, a turn that was held open is settled). What only *happened* (a
double press, the director called) stays until somebody attends to it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final, Literal, get_args

Code = Literal[
    "camera_lost",
    "camera_dark",
    "camera_frozen",
    "camera_resized",
    "calibration",
    "buttons_lost",
    "button_stuck",
    "button_double",
    "button_both",
    "button_same_side",
    "director_called",
    "board_covered",
    "log",
    "pictures",
    "hub",
    "table_silent",
]
"""What can be wrong; ``log`` and ``pictures`` are the disk's, ``hub`` is the way to the hub, and
``table_silent`` is what a hub says of a table."""

CODES: Final[tuple[Code, ...]] = get_args(Code)


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that is wrong."""

    code: Code
    message: str
    """One line for a person."""
    since_ns: int
    """Since when, on the table's time base."""
    what: str = ""
    """Which one, where there are several: the button's name."""
    stands: bool = True
    """Whether it goes away when it is mended; else it stays until somebody attends to it."""


class ActiveAlerts:
    """What is wrong now. Thread-safe."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._now: dict[tuple[Code, str], Alert] = {}

    def begin(self, condition: Alert) -> bool:
        """Something is wrong; whether that is news.

        Of what stands already the time stays and the line is the new one; what happens again
        happened now.
        """
        key = condition.code, condition.what
        with self._changing:
            before = self._now.get(key)
            if before is not None and condition.stands:
                condition = Alert(
                    condition.code, condition.message, before.since_ns, condition.what
                )
            self._now = {**self._now, key: condition}
        return before is None or not condition.stands

    def end(self, code: Code, what: str = "") -> Alert | None:
        """It is over, or somebody has attended to it; what it was, None if it was not wrong."""
        with self._changing:
            left = dict(self._now)
            gone = left.pop((code, what), None)
            self._now = left
        return gone

    def now(self) -> tuple[Alert, ...]:
        """What is wrong, longest first."""
        return tuple(sorted(self._now.values(), key=lambda one: one.since_ns))
