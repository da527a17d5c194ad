"""The rulebook's words on a fault, and faults that need counting.

:func:`judge` gives a flag the rule number, the audience and the remedies of the rulebook in force.
If its text is silent, the flag has no rule number and the director decides. If the camera itself
could not tell something, that is nobody's fault and has no remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from game.board import Square
from game.flags import CODES, Flag, make_flag
from game.values import replace

if TYPE_CHECKING:
    from game.rulebooks.rulebook import Rulebook


def judge(flag: Flag, book: Rulebook, context: str = "") -> Flag:
    """Return the flag with what the rulebook says about it.

    Args:
        flag: the fault as found.
        book: the rules in force.
        context: a word for circumstances that a text may treat separately, such as ``withdrawn``.
    """
    known = CODES[flag.code]
    if not known.judged:
        asked_by = book.rule(known.rule_of) if known.rule_of else None
        return replace(flag, rule=flag.rule or asked_by)
    guide = book.guide(flag.code, context)
    return replace(flag, rule=guide.rule, visibility=guide.visibility, remedies=guide.remedies)


def infractions(flags: Iterable[Flag], played: Mapping[Square, str], book: Rulebook) -> int:
    """Return how many minor infractions a turn with these flags and tiles counts as.

    The rulebook's ``infractions.kinds`` says which findings are infractions (NASPA III.G.3,
    III.G.4). Each kind of slip counts once a turn, and only on the tiles of the play: a tile that
    was turned before is no new infraction.
    """
    slips = [flag for flag in flags if flag.code in book.infractions_kinds]
    if not slips:
        return 0
    names = {square.name for square in played}
    kinds = {
        "face_down" if flag.code == "face_down" else "misoriented"
        for flag in slips
        if names.intersection(flag.squares)
    }
    return len(kinds)


def infractions_flag(name: str, before: int, now: int, book: Rulebook) -> Flag | None:
    """Return the flag for a player's count that rose from ``before`` to ``now``; None for none."""
    every = book.infractions_every
    if not every or before // every == now // every:
        return None
    return judge(make_flag("minor_infractions", player=name, count=now, every=every), book)
