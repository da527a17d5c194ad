"""The one thing that a device reports besides frames and presses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from game.events import TroubleState

ReportCode: TypeAlias = Literal[
    "camera_dark",
    "camera_frozen",
    "camera_battery",
    "button_double",
    "button_both",
    "button_same_side",
    "button_stuck",
    "director_called",
]
"""The same codes stand at the director's desk and in the log."""


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """A fault of a device, the end of one, or a call of the director.

    Attributes:
        code: the kind of fault.
        message: one line for a person.
        t_ns: when it began, ended or happened.
        what: the button, of a button's fault.
        state: "begins" and "over" for what lasts, else "happened".
    """

    code: ReportCode
    message: str
    t_ns: int
    what: str = ""
    state: TroubleState = "happened"


OnReport: TypeAlias = Callable[[DeviceReport], None]
