"""What a check of a bundle found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, and where."""

    place: str
    """``byte 123``, the name of an entry, ``event 12``, ``turn 3``, ``scores``…"""
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass
class Report:
    """What a check found."""

    path: Path
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What is to be known, and is no fault."""
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    def fault(self, place: str, message: str) -> None:
        """Add a fault."""
        self.faults.append(Fault(place, message))
