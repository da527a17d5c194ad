"""The results of perception, and what an earlier process has left of a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from game.board import Square
from game.events import BoardEnding, BoardSeen, Finding, Side, TilesChanged, TurnReading
from sensors.interfaces import Frame, Press
from vision.rectify import Image
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.sighting import Observation, Sighting


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


@dataclass(frozen=True, slots=True)
class AtRest:
    """The board was looked at, at rest, before any press needed it."""

    look: Observation


@dataclass(frozen=True, slots=True)
class PressDue:
    """A press counts now: what was open before it is settled."""

    press: Press
    at_rest_ns: int | None
    """The time of the newest ``AtRest``, if nothing has moved from then until the press."""
    read_ahead: bool = False
    """True if a turn ends by it that most likely rests on that ``AtRest``."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """What earlier turns' readings had wrong."""

    found: tuple[ReadingCorrection, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class SecondPlay:
    """The open turn shows two plays, and it is not certain that they are two turns."""

    side: Side
    """Who is on turn."""
    tiles: frozenset[Square]
    """The squares of the first play's tiles."""
    ended_ns: int
    """When it had come to rest."""
    sighting: Sighting


@dataclass(frozen=True)
class TileChange:
    """A change to the last play's tiles."""

    kind: type[TilesChanged] | type[BoardSeen]
    """The event as which it is logged."""
    sighting: Sighting
    corrections: Iterable[ReadingCorrection]
    """The sighting's corrections of earlier turns."""


Result = AtRest | PressDue | Corrections | SeenTurn | SecondPlay | TileChange


@dataclass(frozen=True, slots=True)
class EarlierProcess:
    """What another process has left of a game that it watched."""

    from_ns: int | None
    """When the clock of the side on turn was started."""
    picture: Image | None
    """The newest picture of the board that was recorded."""
    kept: Frame | None
    """The newest picture of the board at rest in the open turn."""
    open_turn: tuple[Side, int] | None
    """The turn that a press has ended and that was not yet seen: whose, and when."""
    at_press: Frame | None
    """The board at rest at that press."""
