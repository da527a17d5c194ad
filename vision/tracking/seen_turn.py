"""A turn that has ended: as it waits to be seen, and as it was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from game.board import Square
from game.events import BoardEnding, Finding, Side, TurnReading
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.sighting import Sighting
from vision.tracking.stillness import Attempt, StillSegment

LOOK_AHEAD_NS: Final = 2_500_000_000
"""So long after a press it is waited for what makes a turn clear: the opponent has hardly begun to
lay tiles."""


@dataclass(frozen=True)
class SeenTurn:
    """A turn that has ended, and the sighting that it rests on; None if nothing was seen of it."""

    side: Side
    press_ns: int
    sighting: Sighting | None
    covered: str | None = None
    """What could not be seen at the moment of the press; None if all could."""
    present: bool = False
    """True if the board is still as it was seen."""
    doubt: frozenset[Square] | None = frozenset()
    """Squares that could not be seen and may hold a part of the play; None: all of them."""
    certainty: Mapping[str, float] = field(default_factory=dict)
    """How sure the turn's ``tiles``, ``player`` and ``time`` are, 0..1."""
    corrections: tuple[ReadingCorrection, ...] = ()
    """Readings of squares that earlier turns left unread or in doubt."""
    ended: BoardEnding | None = None
    """The sign that it had ended, where no press was one."""
    question: str | None = None
    """The question about its player or its end, in words, where there are no readings."""
    readings: tuple[TurnReading, ...] = ()
    """The likely ways in which its tiles and those around it were parted, if that is asked."""
    doubtful: frozenset[Square] = frozenset()
    """Squares that may hold a tile of it, or none."""
    forgotten: frozenset[Square] = frozenset()
    """The tiles of a play without a press that may be among its own."""
    changed: tuple[Square, ...] = ()
    """The squares that are not as they were before it, in order."""
    findings: tuple[Finding, ...] = ()
    """Findings of the camera on the sighting."""


@dataclass
class PendingTurn:
    """A turn whose press came, and that is not yet seen for certain."""

    side: Side
    press_ns: int
    before: tuple[StillSegment, ...]
    """The turn's still segments up to the press, newest first."""
    out: bool = False
    """True if the clock was stopped and not passed on: it is a turn only if the board says so."""
    at: Sighting | None = None
    """The board at the press, where it was at rest."""
    attempt: Attempt = field(default_factory=Attempt)
    """The last attempt since the press, which failed."""
    from_ns: int | None = None
    """When it began, where that is known."""
    base: Sighting | None = None
    """The view that it is taken from as things stand."""
    looked_back: bool = False
    """True if all segments before the press were looked at."""
