"""Every kind of trouble at a table, declared once: its words, its remedy, how it ends.

A trouble is one :class:`game.events.TroubleNoted` on its way from the driver that reports it to the
log, the hub and the director's desk. All code that notices one makes the event here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from game.events import TroubleNoted

TroubleCode = Literal[
    "camera_lost",
    "camera_dark",
    "camera_frozen",
    "camera_resized",
    "camera_battery",
    "rack_camera_lost",
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
    "log_repaired",
    "pictures",
    "pairings",
    "hub",
    "woogles",
    "woogles_differs",
    "table_silent",
    "table_off",
    "table_out",
    "not_done",
]
"""A hub reports ``not_done`` and those of ``table_…``; a table reports the others."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One kind of trouble."""

    label: str
    """The name of the trouble as a director reads it."""
    remedy: str = ""
    """The remedy; empty if the message says it."""
    over: str = ""
    """The message when it ends, if its source gives none."""
    lasts: bool = True
    """True if it lasts until its source reports the end. Otherwise it happened once, and stays on
    the desk until somebody attends to it."""
    logged: bool = True
    """True if a table records it in its log."""
    settles_itself: bool = False
    """True if the table has dealt with it already, and the director only reads of it."""
    sets_up: bool = False
    """True if the table may have to be calibrated because of it."""


_RIGHT_CLOCK: Final = "See that the right clock runs."

TROUBLES: Final[Mapping[str, Trouble]] = MappingProxyType(
    {
        "camera_lost": Trouble(
            "the camera is gone",
            "Look at its cable and its power. The table opens it again by itself.",
            "the camera delivers pictures again",
        ),
        "camera_dark": Trouble(
            "the picture is dark",
            "Take the cap off the lens, or switch the lamp on.",
            "the camera sees again",
        ),
        "camera_frozen": Trouble(
            "the picture stands still",
            "Unplug the camera, wait ten seconds and plug it in again.",
            "the camera's picture moves again",
        ),
        "camera_resized": Trouble(
            "the picture has another size",
            "The board is looked for anew in pictures of that size. If it is not found, "
            "or the size changes again, set one size in the camera.",
            lasts=False,
            settles_itself=True,
            sets_up=True,
        ),
        "camera_battery": Trouble(
            "the phone that is the camera runs out of power",
            over="the phone's battery is well again",
        ),
        "rack_camera_lost": Trouble(
            "a rack's camera is gone",
            "Look at its cable. The game goes on, and the table opens it again by itself.",
            "the rack's camera delivers pictures again",
        ),
        "calibration": Trouble("calibration", over="the calibration holds again", sets_up=True),
        "too_slow": Trouble(
            "this computer cannot keep up",
            "Stop what else runs on it, or have the camera give fewer or smaller pictures. "
            "Turns in which pictures were lost say so.",
            "this computer keeps up with its camera again",
        ),
        "buttons_lost": Trouble(
            "the clock's buttons are gone",
            "Plug them in again, or make a phone the clock: its link is on the page Links.",
            "the clock buttons are there again",
        ),
        "button_stuck": Trouble(
            "a button sticks",
            "Press it and let it go. If it stays, stop the clock here and exchange it.",
            "the button is open again",
        ),
        "button_double": Trouble("a button was pressed twice", _RIGHT_CLOCK, lasts=False),
        "button_both": Trouble("both buttons were pressed", _RIGHT_CLOCK, lasts=False),
        "button_same_side": Trouble("the same side was pressed again", _RIGHT_CLOCK, lasts=False),
        "director_called": Trouble("you were called", "Go to the table.", lasts=False),
        # The turn that is held open is flagged in the log anyway.
        "board_covered": Trouble(
            "board not seen",
            over="the board could be seen again, and the turn is settled",
            logged=False,
        ),
        # The log cannot record the disk's troubles while they last.
        "log": Trouble(
            "the game cannot be written down",
            over="the log can be written again",
            logged=False,
        ),
        "log_repaired": Trouble(
            "the log was not whole when it was opened", lasts=False, logged=False
        ),
        "pictures": Trouble(
            "pictures cannot be kept",
            over="the pictures can be written again",
            logged=False,
        ),
        # The file of the pairings is no table's.
        "pairings": Trouble(
            "the pairings leave something open",
            over="the pairings are clear again",
            logged=False,
        ),
        "hub": Trouble("the hub is not reached", over="the hub is reached again", logged=False),
        "woogles": Trouble(
            "the game is not followed on Woogles",
            over="the game is followed on Woogles again",
            logged=False,
        ),
        "woogles_differs": Trouble(
            "Woogles had another ruling",
            "Compare both records: the ruling at the table holds.",
            lasts=False,
            logged=False,
        ),
        "table_silent": Trouble(
            "nothing is heard of the table",
            "See that its machine and the network are on. The table itself goes on alone.",
            "the table is heard again",
            logged=False,
        ),
        "table_off": Trouble(
            "the table is switched off",
            "Switch it on again to go on: nothing that it recorded is lost.",
            "the table is switched on again",
            logged=False,
        ),
        "table_out": Trouble(
            "the table is kept out",
            "Let it in again on the hall's page. It records and keeps score alone meanwhile.",
            "the table is let in again",
            logged=False,
        ),
        "not_done": Trouble(
            "what was asked of the table was not done",
            "Look at the game, and ask again if it is still to be done.",
            "that was a while ago",
            logged=False,
        ),
    }
)


def make_trouble(code: TroubleCode, message: str, t_ns: int, what: str = "") -> TroubleNoted:
    """Return the event that a trouble begins or, for a kind that does not last, happened.

    Args:
        code: its kind.
        message: one line for a person.
        t_ns: when it began or happened.
        what: which device, if there are several: the button's name.
    """
    lasts = TROUBLES[code].lasts
    return TroubleNoted(code, what, "begins" if lasts else "happened", message, t_ns)


def trouble_over(code: TroubleCode, t_ns: int, what: str = "", message: str = "") -> TroubleNoted:
    """Return the event of a trouble's end; its message is that of its kind unless one is given."""
    return TroubleNoted(code, what, "over", message or TROUBLES[code].over, t_ns)
