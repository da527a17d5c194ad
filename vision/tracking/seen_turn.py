"""A turn that a press has ended: as it waits to be seen, and as it was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from game.board import Square
from game.events import BoardEnding, Side
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import Attempt, StillSegment
from vision.tracking.view_doubts import TurnView


@dataclass(frozen=True)
class SeenTurn:
    """A turn that a press has ended, and the sighting that it rests on."""

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
    """What the sighting shows to have lain there at the press of the turn before."""
    ended: BoardEnding | None = None
    """Without a clock: what showed that it had ended."""
    question: str | None = None
    """Without a clock: what is to be asked about its player or its end."""
    undated: bool = False
    """True if the camera failed so long that its tiles may have been laid after the press."""


@dataclass
class PendingTurn:
    """A turn whose press came while the board could not be seen."""

    side: Side
    press_ns: int
    before: tuple[StillSegment, ...]
    """The turn's last still segments, newest first."""
    out: bool = False
    """True if the clock was stopped and not passed on: it is a turn only if the board says so."""
    at: Observation | None = None
    """The board at the press, where it was at rest and partly covered."""
    attempt: Attempt = field(default_factory=Attempt)
    """The last attempt since the press, which failed."""
    from_ns: int | None = None
    """When it began, where that is known."""
    best: TurnView | None = None
    """The view that the board at the press and before it gives, once that was asked for."""
