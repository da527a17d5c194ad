"""The report of a check of a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, and where."""

    place: str
    """``byte 123``, the name of an entry, ``event 12``, ``turn 3``, ``scores``…"""
    message: str
    replayed: bool = False
    """True if only a verifier that knows the rules of the game can find it."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Game:
    """The game that a bundle's events give when they are replayed."""

    players: Mapping[str, str]
    scores: Mapping[str, int]
    turns: int
    closed: Mapping[str, str]
    """The digest of the event that ``ended`` the game, and of the one that ``signed`` it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Values computed from the records; none is taken from the manifest."""

    game_id: str
    key: str
    """The key that signed the bundle: the table's, or that of the hub that made it."""
    table_key: str
    """The key that signed the last event."""
    events: int
    digest: str
    """Of the last event."""
    pictures: int
    digests: tuple[str, ...]
    """The digest of each event."""
    game: Game | None
    """None where the events cannot be replayed here."""


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
    """None where the events do not hold."""

    @property
    def ok(self) -> bool:
        """True if nothing is wrong."""
        return not self.faults

    def fault(self, place: str, message: str, *, replayed: bool = False) -> None:
        """Add a fault."""
        self.faults.append(Fault(place, message, replayed))
