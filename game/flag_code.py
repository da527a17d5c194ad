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
    """The fact that would settle it, where somebody can enter that."""
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
    rule_of: str = ""
    """The setting whose rule number it carries, where no rulebook rules on it."""
    remedies: tuple[Remedy, ...] = CALL_DIRECTOR
    """The remedies where the rulebook is silent."""
