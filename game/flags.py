"""Flags: what is wrong with a turn, by which rule, and who may see it.

A flag never changes a reading or a score by itself; it tells people what to look at. The
registry below holds every code the program can raise, so that a page or a translation can
list them and a test can see that none is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from game.errors import TilewatchError
from game.guidance import Remedy, Visibility

__all__ = [
    "CODES",
    "QUESTIONS",
    "Code",
    "Fact",
    "Flag",
    "Remedy",
    "Visibility",
    "make_flag",
    "with_rule",
]

Fact = Literal["letter", "symbol", "rack", "reason", "ruling"]
"""What people know and a camera does not. ``letter``: of a blank. ``symbol``: what lies on a
square. ``rack``: the tiles left. ``reason``: why the clock was stopped. ``ruling``: what a turn
was."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing to look at."""

    code: str
    """A stable word, a key of :data:`CODES`."""
    squares: tuple[str, ...]
    """The squares it is about, as ``8H``, in reading order; empty for the whole turn or game."""
    rule: str | None
    """The rulebook's rule number; None where the rulebook is silent."""
    message: str
    """One sentence in plain words."""
    visibility: Visibility
    remedies: tuple[Remedy, ...] = ()
    """What the rulebook lets people do about it."""
    side: Literal["left", "right"] | None = None
    """Whom it is about, where that is not the player of the turn that has it."""
    turn: int | None = None
    """Which turn it is about, where that is not the one that has it."""
    settled: int | None = None
    """The number of the event since which it is not so any more, or answered; None while it is
    open. A settled flag stays in the record."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a flag's code means, and who may see it unless the rulebook says otherwise."""

    meaning: str
    visibility: Visibility
    asks: Fact | None = None
    """What would settle it, where that is a fact that somebody can enter."""
    question: bool = False
    """Whether it is no fault but asks for that fact: somebody has to say."""


CODES: MappingProxyType[str, Code] = MappingProxyType(
    {
        # The placement.
        "off_centre": Code("the first play does not cover the centre square", "opponent"),
        "single_tile_opening": Code("the first play is one tile, which makes no word", "opponent"),
        "not_one_line": Code("the tiles of a play are not all in one row or column", "opponent"),
        "gap": Code("the tiles of a play are not joined by tiles between them", "opponent"),
        "disconnected": Code("a play does not join the tiles played before", "opponent"),
        "too_many_tiles": Code("a play has more tiles than a rack holds", "public"),
        # Tiles of earlier turns.
        "tile_moved": Code("a tile of an earlier turn lies on another square", "public", "symbol"),
        "tile_removed": Code("a tile of an earlier turn is gone", "public", "symbol"),
        "tile_replaced": Code(
            "another tile lies where one of an earlier turn lay", "public", "symbol"
        ),
        "withdrawn_left": Code(
            "tiles of a withdrawn play still lie on the board", "public", "symbol"
        ),
        # The tiles themselves.
        "extra_tile": Code("more tiles of one letter than the set has", "director", "symbol"),
        "unknown_letter": Code(
            "a letter that the tile set does not have", "public", "symbol", question=True
        ),
        "blank_undesignated": Code(
            "a blank was played and its letter is not known", "public", "letter", question=True
        ),
        "face_down": Code("a tile lies face down", "public", "symbol", question=True),
        "misoriented_tile": Code("a tile lies turned against the others", "public", "symbol"),
        "misoriented_play": Code(
            "all tiles of a play lie turned against the others", "public", "symbol"
        ),
        "askew": Code("a tile lies between squares", "public", "symbol"),
        "off_board": Code("a tile lies beside the playing squares", "public"),
        # What the camera could not tell.
        "uncertain_square": Code(
            "the camera could not tell what lies there", "public", "symbol", question=True
        ),
        "board_covered": Code(
            "something covered a part of the board", "public", "symbol", question=True
        ),
        # When it happened.
        "changed_after_press": Code(
            "tiles changed after the clock was pressed", "public", "symbol"
        ),
        "changed_out_of_turn": Code("a turn that was not the player's", "public"),
        "exchange_too_late": Code("an exchange with too few tiles in the bag", "public"),
        # Challenges and conduct.
        "challenge_unclear": Code(
            "the clock was stopped, and why is not known", "public", "ruling", question=True
        ),
        "clock_stopped": Code(
            "the clock stands, and nobody has said why", "director", "reason", question=True
        ),
        "stopped_on_turn": Code(
            "a turn that a stop of the clock ended", "director", "ruling", question=True
        ),
        "stop_unlisted": Code("the clock was stopped for what the rules do not list", "director"),
        "challenge_late": Code("a play was challenged after the right to had gone", "director"),
        "minor_infractions": Code("as many minor infractions as cost time", "opponent"),
        # Before the game.
        "late_start": Code("a player came late and started with less time", "public"),
        "set_wrong": Code("the set of tiles is not the one it should be", "public"),
        # The clock and the end.
        "overtime": Code("a player's time has run out", "public"),
        "overtime_limit": Code("a player has exceeded the overtime limit", "public"),
        "six_zeros": Code("as many scoreless turns in a row as end the game", "public"),
        "rack_unknown": Code(
            "a rack is needed to settle the score and is not known", "public", "rack", question=True
        ),
        # The director.
        "ruling_ignored": Code(
            "a ruling or correction does not fit the game", "director", "ruling", question=True
        ),
    }
)

QUESTIONS = frozenset(code for code, known in CODES.items() if known.question)
"""Codes that ask for something only people know."""


def make_flag(
    code: str,
    message: str,
    squares: tuple[str, ...] = (),
    rule: str | None = None,
    visibility: Visibility | None = None,
    *,
    side: Literal["left", "right"] | None = None,
    turn: int | None = None,
) -> Flag:
    """A flag of a registered code, seen by those whom the code names unless told otherwise.

    Raises:
        TilewatchError: the code is not registered.
    """
    known = CODES.get(code)
    if known is None:
        raise TilewatchError(f"unknown flag code {code!r}")
    seen_by = visibility or known.visibility
    return Flag(code, squares, rule, message, seen_by, side=side, turn=turn)


def with_rule(flag: Flag, rule: str | None) -> Flag:
    """The same flag under a rule number."""
    return replace(flag, rule=rule)
