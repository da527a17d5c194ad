"""One incident of a game, as every module of the account tells its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from game.flags import Flag
from record.story.places import Place

IncidentKind = Literal[
    "challenge", "ruling", "correction", "doubt", "flag", "interruption", "unseen", "overtime",
    "end", "note",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident, with its place and its outcome."""

    kind: IncidentKind
    place: Place
    text: str
    outcome: str
    open: bool = False
    """True if something is still to be decided."""
    event: int | None = None
    """The number of the event, if the incident is an event."""
    until_ns: int | None = None
    """The end of an incident that lasted; None for one of a moment."""
    why: str = ""
    """The reason that was entered; empty if there is none."""
    rule: str = ""
    """The rule that decides on it, in words; empty if it is an entry without one, or no entry."""
    lines: tuple[str, ...] = ()
    """The steps of a sum, or the remedies that are still due, one a line."""
    how_entered: str = ""
    """For an entry: when it was called, by whom and how late it was entered; else empty."""
    flag: Flag | None = None
    """The flag, if the incident is one."""

    @property
    def t_ns(self) -> int:
        """When it happened or began."""
        return self.place.at_ns

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns at which it stands; empty if it stands at the game."""
        return self.place.turns

    @property
    def turn(self) -> int | None:
        """The turn that it is about; None if it is about the game."""
        return self.turns[0] if self.turns else None

    @property
    def also(self) -> tuple[int, ...]:
        """Further turns that it is about."""
        return self.turns[1:]
