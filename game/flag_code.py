"""What a kind of flag is declared by: its label, its messages, who sees it, what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from game.guidance import CALL_DIRECTOR, Remedy, Visibility

Fact = Literal[
    "letter", "symbol", "rack", "reason", "ruling", "set", "parting", "seats", "ending", "time"
]
"""A fact that people know and a camera does not. ``letter``: of a blank. ``symbol``: what lies on a
square. ``rack``: the tiles left. ``reason``: why the clock was stopped. ``ruling``: what a turn
was. ``set``: which tiles the set in use lacks, or has too many. ``parting``: whether what lies
there was one turn or two. ``seats``: which player sits where. ``ending``: how the game ended.
``time``: whose a time was that nobody watched."""


Cause = Literal[
    "off",
    "ruled",
    "explained",
    "moved_back",
    "as_before",
    "in_its_place",
    "taken_away",
    "within_the_set",
    "tile_gone",
    "set_aside",
    "turned_up",
    "known_later",
    "turn_known",
    "uncovered",
    "as_at_press",
    "said_again",
]
"""Why a flag of a turn is not so any more; :mod:`game.state.settled_flags` tells when.

Of the turn: its play came ``off``, somebody has ``ruled`` what it was, a stop of the clock is
``explained``, it became known whether it had a play (``turn_known``), what covered the board went
(``uncovered``), a later turn of the player has such a flag (``said_again``). Of a tile: it was
``moved_back``, the square is ``as_before`` or ``as_at_press``, the tile is ``in_its_place``, was
``taken_away``, is gone (``tile_gone``), is gone or flagged anew (``set_aside``), was ``turned_up``
or became ``known_later``; no more of its letter lie there than the set has (``within_the_set``)."""

Cost = Literal["", "points", "time"]
"""``points`` beside the turns, or ``time`` off the clock."""

Reporting = Literal["", "freely", "of_a_turn", "by_event"]
"""How somebody reports it. ``of_a_turn``: the report names a turn. ``by_event``: an event of its
own says it."""


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of flag."""

    label: str
    """Its name as people read it."""
    meaning: str
    """The beginning of a reason, or of the message where a camera found it."""
    visibility: Visibility
    """Who may see it, unless the rulebook says otherwise."""
    messages: str | Mapping[str, str] = ""
    """The message, or several by variant, with ``{names}`` for what
    :func:`game.flags.make_flag` is given;
    ``{squares}`` is always known. Empty where only the camera finds it."""
    asks: Fact | None = None
    """The fact that would settle it, if somebody can enter that."""
    question: bool = False
    """True if it is no fault but asks for that fact: the game needs an answer."""
    judged: bool = True
    """False if no rulebook rules on it: what the camera or the counting could not tell."""
    pose: bool = False
    """True if a camera measures it of how a tile lies within its square. It is a matter of degree,
    reported once until the tile is pushed, and settled when the tile is gone or reported anew."""
    entered: bool = False
    """True if it is about what a director has entered, and so knows of. It needs somebody only
    while one of its remedies can still be entered."""
    announced: bool = False
    """True if spectators are told of it, in words; the camera's own troubles are the director's."""
    placement: bool = False
    """True if its play is none by the rules of placement, whatever its words."""
    checked: bool = False
    """True if it asks what a turn was or scored: a page marks the turn as being checked."""
    parting: bool = False
    """True if it asks how tiles were parted into turns."""
    unread: bool = False
    """True if it is of a square that could not be read: one such flag a square is enough."""
    missed: bool = False
    """True if a play may have been missed where it is about a whole turn."""
    settled_by: tuple[Cause, ...] = ()
    """The causes that settle it, any one of them, beside an answer."""
    costs: Cost = ""
    """The cost that follows without a question to anybody."""
    reported: Reporting = ""
    """How somebody reports it; empty: it is seen or counted."""
    rule_of: str = ""
    """The setting whose rule number it carries, if no rulebook rules on it."""
    remedies: tuple[Remedy, ...] = CALL_DIRECTOR
    """The remedies if the rulebook is silent."""
