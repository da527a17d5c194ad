"""The matters that need the director, most urgent first.

``trouble``: the table itself is not well, and what it reads or keeps may suffer. ``question``: the
camera or the clock could not tell, and somebody has to say. ``flag``: something is wrong about the
last turns, and a remedy is open. ``note``: everything else that still has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from game.flags import CODES, QUESTIONS, label
from game.terms import nameless

Level = Literal["trouble", "question", "flag", "note"]

_LABELS: Final[Mapping[str, str]] = {
    "camera_lost": "the camera is gone",
    "camera_dark": "the picture is dark",
    "camera_frozen": "the picture stands still",
    "camera_resized": "the picture has another size",
    "too_slow": "this computer cannot keep up",
    "camera_battery": "the phone that is the camera runs out of power",
    "buttons_lost": "the clock's buttons are gone",
    "button_stuck": "a button sticks",
    "button_double": "a button was pressed twice",
    "button_both": "both buttons were pressed",
    "button_same_side": "the same side was pressed again",
    "director_called": "you were called",
    "log": "the game cannot be written down",
    "pictures": "pictures cannot be kept",
    "pairings": "the pairings leave something open",
    "hub": "the hub is not reached",
    "table_silent": "nothing is heard of the table",
    "table_off": "the table is switched off",
    "table_out": "the table is kept out",
    "blank_undesignated": "a blank without a letter",
    "misoriented_tile": "a tile turned the wrong way",
    "misoriented_play": "a play turned the wrong way",
    "turn_inferred": "which turns there were",
    "press_forgotten": "which turns there were",
    "no_desk": "to be watched only",
    "early_press": "an early press",
}
"""What a director reads of a code whose name is no plain word."""

_FOUND: Final[Mapping[str, str]] = {"log": "the log was not whole when it was opened"}
"""The same of a trouble that only happened, where the code also stands for one that lasts."""

_REMEDIES: Final[Mapping[str, str]] = {
    "camera_lost": "Look at its cable and its power. The table opens it again by itself.",
    "camera_dark": "Take the cap off the lens, or switch the lamp on.",
    "camera_frozen": "Unplug the camera, wait ten seconds and plug it in again.",
    "camera_resized": "The board is looked for anew in pictures of that size. If it is not found, "
    "or the size changes again, set one size in the camera.",
    "too_slow": "Stop what else runs on it, or have the camera give fewer or smaller pictures. "
    "Turns in which pictures were lost say so.",
    "buttons_lost": "Plug them in again, or make a phone the clock: its link is on the page Links.",
    "button_stuck": "Press it and let it go. If it stays, stop the clock here and exchange it.",
    "button_double": "See that the right clock runs.",
    "button_both": "See that the right clock runs.",
    "button_same_side": "See that the right clock runs.",
    "director_called": "Go to the table.",
    "table_silent": "See that its machine and the network are on. The table itself goes on alone.",
    "table_off": "Switch it on again to go on: nothing that it recorded is lost.",
    "table_out": "Let it in again on the hall's page. It records and keeps score alone meanwhile.",
}
"""What helps against a trouble whose message does not say it."""

_SETTLES_ITSELF: Final = frozenset({"camera_resized"})
"""Troubles that the table has dealt with: to be known, and no more."""

_SET_UP: Final = frozenset({"camera_resized", "calibration"})
"""Troubles for which the table may have to be calibrated."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)

RECENT: Final = 2
"""Turns whose flags are pressing: later ones have been played over."""


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing to look at."""

    level: Level
    code: str
    text: str
    turn: int | None = None
    rule: str | None = None
    what: str = ""
    """Of trouble: which device, where there are several."""
    attend: bool = False
    """Of trouble: it stays until somebody says that it was seen to."""
    side: str | None = None
    """Whose turn it is about, where it is about one: that may be an earlier one than ``turn``."""
    about: int | None = None
    """The number of that turn."""

    def as_json(self) -> dict[str, Any]:
        """It, as JSON-able data."""
        return {
            **asdict(self),
            "label": (self.attend and _FOUND.get(self.code))
            or _LABELS.get(self.code)
            or label(self.code),
            "remedy": _REMEDIES.get(self.code, ""),
            "sets_up": self.code in _SET_UP,
        }


def trouble(code: str, text: str, what: str = "", *, attend: bool = False) -> Concern:
    """A fault at the table; a note where the table has dealt with it itself."""
    level: Level = "note" if code in _SETTLES_ITSELF else "trouble"
    return Concern(level, code, text, what=what, attend=attend)


def concerns(view: Mapping[str, Any] | None, troubles: Iterable[Concern] = ()) -> list[Concern]:
    """Everything to look at in a director's view of a game, and at its table.

    A flag is left out if every square that it asks about is asked about already: one answer
    settles both. So whoever counts questions counts what is listed.
    """
    found: list[tuple[Concern, Mapping[str, Any] | None]] = [(one, None) for one in troubles]
    if view is not None:
        turns = view["turns"]
        for turn in turns:
            recent = turn["number"] > len(turns) - RECENT
            found += [
                (one, flag)
                for flag in turn["flags"]
                if (one := _concern(flag, turn["number"], recent, _asked(flag, turn, turns)))
            ]
        found += [(one, flag) for flag in view["flags"] if (one := _concern(flag, None, True))]
    asked: set[tuple[str, int | None, str]] = set()
    listed = []
    for one, flag in sorted(found, key=lambda pair: _place(pair[0])):
        offers = flag["remedies"] if flag is not None else []
        mine = {key for offer in offers if (key := _question(offer)) is not None}
        if not mine or mine - asked or any(_question(offer) is None for offer in offers):
            listed.append(one)
        asked |= mine
    return listed


def unsettled(found: Iterable[Concern]) -> str | None:
    """What of a game waits for an answer, a line each, to be read before it is signed.

    None where nothing does. Trouble at the table and notes are no part of it.
    """
    open_ = [one for one in found if one.level in ("question", "flag")]
    if not open_:
        return None
    counts = Counter(one.level for one in open_)
    numbers = " and ".join(
        f"{counts[level]} {level}{'s' * (counts[level] > 1)}" for level in LEVELS if counts[level]
    )
    head = f"{numbers} {'is' if len(open_) == 1 else 'are'} open and may change the result:"
    return "\n".join((head, *(_in_turn(one) for one in open_)))


def unnamed(players: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Say that nobody has named a player, for whoever has the result signed; None if all are."""
    if all(player["name"] != nameless(side) for side, player in players.items()):
        return None
    return "Nobody has said who plays: name the players first, else the result counts for nobody."


def _in_turn(one: Concern) -> str:
    return f"Turn {one.about}: {one.text}" if one.about is not None else one.text


def sorted_concerns(found: Iterable[Concern]) -> list[Concern]:
    """The most pressing first; within a level what is about the game, then the newest turn."""
    return sorted(found, key=_place)


def _place(one: Concern) -> tuple[int, int]:
    return LEVELS.index(one.level), -(one.turn or 10_000)


def _question(offer: Mapping[str, Any]) -> tuple[str, int | None, str] | None:
    """What an offer asks of a square, whatever it is called; None where it asks something else."""
    event = offer.get("event")
    if event is None or list(offer["asks"]) not in (["symbol"], ["letter"]):
        return None
    return event["type"], event.get("turn"), event.get("square", "")


def _asked(
    flag: Mapping[str, Any], turn: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The turn that the answers to a flag of ``turn`` are about."""
    return turns[flag["turn"] - 1] if "turn" in flag else turn


def _known(flag: Mapping[str, Any]) -> bool:
    """True if a flag is of what a director has entered, and nothing more is to be decided."""
    code = CODES.get(flag["code"])
    if code is None or not code.entered:
        return False
    return not any(offer["open"] and offer.get("event") for offer in flag["remedies"])


def _concern(
    flag: Mapping[str, Any],
    turn: int | None,
    recent: bool,
    asked: Mapping[str, Any] = MappingProxyType({}),
) -> Concern | None:
    if flag.get("settled") is not None:
        return None
    code, open_ = flag["code"], any(offer["open"] for offer in flag["remedies"])
    if code in QUESTIONS and (open_ or not flag["remedies"]):
        level: Level = "question"
    elif open_ and recent and not _known(flag):
        level = "flag"
    elif open_:
        level = "note"
    else:
        return None
    side, about = asked.get("side"), asked.get("number")
    return Concern(level, code, flag["message"], turn, flag["rule"], side=side, about=about)
