"""The matters that need the director, most urgent first.

``trouble``: the table has a fault that may affect what it reads or keeps. ``question``: the camera
or the clock could not tell something, and somebody has to say. ``flag``: something is wrong about
the last turns, and a remedy is open. ``note``: every other matter with an open remedy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from dashboard.site import Table
from game.events import TroubleNoted
from game.flags import CODES, QUESTIONS, label
from game.terms import nameless
from game.troubles import TROUBLES, make_trouble

Level = Literal["trouble", "question", "flag", "note"]

LEVELS: Final[tuple[Level, ...]] = get_args(Level)

RECENT: Final = 2
"""The number of newest turns whose flags are pressing."""


@dataclass(frozen=True, slots=True)
class Concern:
    """A matter that needs the director: a row of their page."""

    level: Level
    code: str
    text: str
    turn: int | None = None
    rule: str | None = None
    label: str = ""
    """The name of its code as a director reads it."""
    remedy: str = ""
    """The remedy, if neither the text nor a rulebook gives one."""
    what: str = ""
    """For trouble: the device, if there are several."""
    attend: bool = False
    """For trouble: true if it stays until somebody attends to it."""
    sets_up: bool = False
    """For trouble: true if the table may have to be calibrated."""
    side: str | None = None
    """The player of the turn that the answer is about, perhaps an earlier turn than ``turn``."""
    about: int | None = None
    """The number of the turn that the answer is about."""


def of_trouble(one: TroubleNoted) -> Concern:
    """Return the entry for a fault at the table; a mere note if the table has settled it."""
    kind = TROUBLES[one.code]
    return Concern(
        "note" if kind.settles_itself else "trouble",
        one.code,
        one.message,
        label=kind.label,
        remedy=kind.remedy,
        what=one.what,
        attend=one.state == "happened",
        sets_up=kind.sets_up,
    )


def troubles(table: Table) -> list[Concern]:
    """Return the faults at the table itself now, as its desk and its log show them."""
    found: list[Concern] = []
    desk = table.desk
    if desk is None:
        text, name = "this table can only be watched from here", "to be watched only"
        found.append(Concern("note", "no_desk", text, label=name))
    else:
        found += [of_trouble(one) for one in desk.trouble()]
    codes = {one.code for one in found}
    if table.log is not None and table.log.trouble is not None and "log" not in codes:
        found.append(of_trouble(make_trouble("log", table.log.trouble, 0)))
    return found


def rack_doubts(table: Table, role: str | None) -> list[Concern]:
    """Return what does not agree about the racks at a table, which only a director may know."""
    if table.desk is None or role != "director":
        return []
    return [
        Concern(
            "note",
            "rack_doubt",
            one.text,
            one.turn,
            label="the racks",
            side=one.side,
            about=one.turn,
        )
        for one in table.desk.rack_doubts
    ]


def concerns(view: Mapping[str, Any] | None, troubles: Iterable[Concern] = ()) -> list[Concern]:
    """Return the matters in a director's view of a game, and at its table, the most urgent first.

    A flag is left out if earlier ones already ask about all its squares: one answer settles
    both. So the number of open questions is the number listed.
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
    """Return the open questions and flags of a game, one a line, for whoever signs the result.

    None if no question or flag is open. Troubles and notes are left out.
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
    """Return a warning to whoever signs that a player is unnamed; None if both have names."""
    if all(player["name"] != nameless(side) for side, player in players.items()):
        return None
    return "Nobody has said who plays: name the players first, else the result counts for nobody."


def _in_turn(one: Concern) -> str:
    return f"Turn {one.about}: {one.text}" if one.about is not None else one.text


def sorted_concerns(found: Iterable[Concern]) -> list[Concern]:
    """Sort concerns by level, most urgent first; then those of the game, then newest turns."""
    return sorted(found, key=_place)


def _place(one: Concern) -> tuple[int, int]:
    return LEVELS.index(one.level), -(one.turn or 10_000)


def _question(offer: Mapping[str, Any]) -> tuple[str, int | None, str] | None:
    """Return the event type, turn and square that an offer asks about; None if it asks no tile."""
    event = offer.get("event")
    if event is None or list(offer["asks"]) not in (["symbol"], ["letter"]):
        return None
    return event["type"], event.get("turn"), event.get("square", "")


def _asked(
    flag: Mapping[str, Any], turn: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the turn that the answers to a flag of ``turn`` are about."""
    return turns[flag["turn"] - 1] if "turn" in flag else turn


def _known(flag: Mapping[str, Any]) -> bool:
    """True if a flag only repeats what a director has entered, and nothing is left to decide."""
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
    rule, text = flag["rule"], flag["message"]
    return Concern(level, code, text, turn, rule, label(code), side=side, about=about)
