"""The report that the check of a bundle gives: its faults, and the facts of sound events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """A fault and its place."""

    place: str
    """``byte 123``, the name of an entry, ``event 12``, ``turn 3``, ``scores``…"""
    message: str
    replayed: bool = False
    """True if the fault can only be found with the rules of the game."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True)
class Game:
    """The game that a bundle's events give when they are replayed."""

    players: Mapping[str, str]
    scores: Mapping[str, int]
    turns: int
    closed: Mapping[str, str]
    """The digest of the event that ``ended`` the game, and of the one that ``signed`` it."""
    steps: Sequence[Any] = ()
    """The game after each event (``record.story.Step``)."""


@dataclass
class Facts:
    """Values computed from the records and not taken from the manifest."""

    game_id: str
    key: str
    """The key that signed the bundle: the table's, or the key of the hub that made the bundle."""
    event_keys: tuple[str, ...]
    """The keys that signed the events, in the order in which they first did."""
    pictures: int
    digests: tuple[str, ...]
    """The digest of each event."""
    made_ns: int
    """When the bundle was made, in ns since 1970, as its maker states."""
    table_key: str
    """The key that signed the last event."""
    game: Game | None = None
    """The game; None until the events are replayed, or if they cannot be."""

    @property
    def events(self) -> int:
        """The number of events."""
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
    compared: list[str] = field(default_factory=list)
    """Comparisons with what the reader holds, a key or a check code."""
    uncompared: list[str] = field(default_factory=list)
    """Comparisons that the reader still has to make."""
    remade: list[str] = field(default_factory=list)
    """Files for people that were made again from the events, and are the same."""
    keyed: bool = False
    """True if the reader named keys that may have signed."""
    notes: list[str] = field(default_factory=list)
    """Remarks that are no faults."""
    unchecked: list[str] = field(default_factory=list)
    """Statements of the bundle that this check could not compare with anything."""
    facts: Facts | None = None
    """The facts of a bundle whose events are sound; None if they are not."""

    @property
    def ok(self) -> bool:
        """True if nothing is wrong."""
        return not self.faults
