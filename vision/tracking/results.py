"""The results of perception, and the state of a game that an earlier process has left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from game.board import Square
from game.events import (
    BoardChanged,
    BoardEnding,
    BoardSeen,
    Finding,
    Side,
    TilesChanged,
    TurnReading,
)
from sensors.interfaces import Frame, Press
from vision.rectify import Image
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.sighting import Observation, Sighting


@dataclass(frozen=True)
class SeenTurn:
    """A turn that has ended, and the sighting that shows it; None if no view does."""

    side: Side
    press_ns: int
    sighting: Sighting | None
    covered: str | None = None
    """A note on what was occluded at the press; None if nothing was."""
    present: bool = False
    """True if nothing has moved since the sighting was made."""
    doubt: frozenset[Square] | None = frozenset()
    """Occluded squares that may hold a part of the play; None: any square may."""
    certainty: Mapping[str, float] = field(default_factory=dict)
    """How sure the turn's ``tiles``, ``player`` and ``time`` are, 0..1."""
    corrections: tuple[ReadingCorrection, ...] = ()
    """Corrections of squares that earlier turns left unread or in doubt."""
    ended: BoardEnding | None = None
    """The evidence that the turn has ended; None if a press ended it."""
    question: str | None = None
    """A question about the turn's player or end, in words; None if none is asked."""
    readings: tuple[TurnReading, ...] = ()
    """The likeliest ways to divide the turn's tiles and those around it into turns, if people are
    asked to choose; else empty."""
    doubtful: frozenset[Square] = frozenset()
    """Squares that may hold a tile of the turn, or be bare."""
    forgotten: frozenset[Square] = frozenset()
    """The squares of an earlier play without a press whose tiles may be among this turn's."""
    changed: tuple[Square, ...] = ()
    """The squares that differ from the board before the turn, in order."""
    findings: tuple[Finding, ...] = ()
    """Findings on the sighting."""


@dataclass(frozen=True, slots=True)
class PressDue:
    """A press is to be recorded now: all that was open before it is settled."""

    press: Press
    at_rest_ns: int | None
    """The time of the newest ``Observation`` if nothing has moved from then until the press; else
    None."""
    read_ahead: bool = False
    """True if the press ends a turn that the newest ``Observation`` most likely shows."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections of squares that readings of earlier turns had wrong."""

    found: tuple[ReadingCorrection, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class SecondPlay:
    """The open turn shows two plays that may be one turn or two."""

    side: Side
    """Who is on turn."""
    tiles: frozenset[Square]
    """The squares of the first play's tiles."""
    ended_ns: int
    """When the first play had come to rest."""
    sighting: Sighting


@dataclass(frozen=True)
class TileChange:
    """A change to the last play's tiles."""

    kind: type[TilesChanged] | type[BoardSeen]
    """The type of the event that records it."""
    sighting: Sighting
    corrections: Iterable[ReadingCorrection]
    """The sighting's corrections of earlier turns."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When something on the board came to be as a frame shows it, and whose arm was seen there."""

    span: tuple[int, int]
    """After and by which time, in ns."""
    frame: Frame
    side: Side | None


@dataclass(frozen=True)
class BoardChange:
    """A change of the settled board between two presses."""

    event: BoardChanged
    """The event, still without its pictures."""
    frames: Mapping[str, Frame]
    """The frames ``settled``, ``altered`` and ``put_back``, as far as there are any."""

    def put_back(self, moment: Moment) -> BoardChange:
        """Return this change as it ended at a moment."""
        ended = replace(
            self.event,
            back_from_ns=moment.span[0],
            back_ns=moment.span[1],
            back_by=moment.side,
            t_ns=max(self.event.t_ns, moment.frame.t_ns),
        )
        return BoardChange(ended, {**self.frames, "put_back": moment.frame})


Result = Observation | PressDue | Corrections | SeenTurn | SecondPlay | TileChange | BoardChange
"""A result of perception; an observation is of a board at rest, before any press needs it."""


@dataclass(frozen=True, slots=True)
class EarlierProcess:
    """The state that another process has left of a game."""

    from_ns: int | None
    """Time at which the clock of the side on turn was started; None if unknown."""
    picture: Image | None
    """The newest picture of the board that was recorded; None if there is none."""
    kept: Frame | None
    """The newest picture of the board at rest in the open turn; None if there is none."""
    open_turn: tuple[Side, int] | None
    """The side, and the time of the press, of a turn that has ended but was not seen yet; else
    None."""
    at_press: Frame | None
    """The picture of the board at rest at that press; None if there is none."""
