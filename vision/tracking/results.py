"""The results of perception, and what an earlier process has left of a game."""

from __future__ import annotations

from dataclasses import dataclass

from game.board import Square
from game.events import Side
from sensors.interfaces import Frame, Press
from vision.rectify import Image
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.seen_turn import SeenTurn
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.tile_watch import TileChange


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
