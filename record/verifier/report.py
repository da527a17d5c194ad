"""The result of a check: faults, notes, and what the records give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """One thing that is wrong, and where."""

    place: str
    """``byte 123``, the name of an entry, ``event 12``, ``turn 3``, ``scores``…"""
    message: str
    replayed: bool = False
    """True if only somebody who knows the rules of the game can find it."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class Bad(Exception):  # noqa: N818 (it is no error of the program)
    """A fault that leaves nothing to check behind it: (place, what)."""


@dataclass(frozen=True)
class Game:
    """The game that a bundle's events give when they are replayed."""

    players: Mapping[str, str]
    scores: Mapping[str, int]
    turns: int
    closed: Mapping[str, str]
    """The digest of the event that ``ended`` the game, and of the one that ``signed`` it."""


@dataclass
class Facts:
    """Values computed from the records; none is taken from the manifest."""

    game_id: str
    key: str
    """The key that signed the bundle: the table's, or that of the hub that made it."""
    table_key: str
    """The key that signed the last event."""
    pictures: int
    digests: tuple[str, ...]
    """The digest of each event."""
    game: Game | None = None
    """The game; None until the events are replayed, or if they cannot be."""

    @property
    def events(self) -> int:
        """Number of the events."""
        return len(self.digests)

    @property
    def digest(self) -> str:
        """The digest of the last event."""
        return self.digests[-1]


@dataclass
class Report:
    """The result of a check."""

    path: Path
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Remarks that are no faults."""
    unchecked: list[str] = field(default_factory=list)
    """Statements of the bundle that this check could not compare with anything."""
    facts: Facts | None = None
    """The facts of a bundle whose events hold; None if they do not."""

    @property
    def ok(self) -> bool:
        """True if nothing is wrong."""
        return not self.faults
