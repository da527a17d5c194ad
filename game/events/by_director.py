"""What a director says of a game beyond rulings on single turns, each kind a class of its own.

The first four say which turns there were: a forgotten press makes one turn of two, a press too
many two of one, a turn may go by without any press, and a camera may give tiles to the wrong turn
or player. The others are facts of a table that no
camera sees and that some rulebooks give an effect; under a book without a rule they are refused.

Each names who and why, and can be retracted. ``turn`` is always a number as the turns were counted
when the event was entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from game.events.observed import PlayMade
from game.terms import Acceptance, DrawnBy, FoundIn, Measure, Side, TurnEnding


@dataclass(frozen=True, slots=True)
class TurnParted:
    """What was seen as one turn was two, because nobody pressed the clock between them."""

    turn: int
    """The turn that was two; the second of them, and all after it, count one more."""
    squares: tuple[str, ...]
    """The squares of the tiles that the first of the two laid; the other tiles are the second's."""
    side: Side
    """Who made the first; the second is the opponent's."""
    ended_ns: int
    """When the first ended."""
    by: str
    why: str
    t_ns: int
    ended: TurnEnding = "not_known"
    """How the first ended, where a rulebook has a turn end so (``turn.ends``)."""


@dataclass(frozen=True, slots=True)
class TurnInserted:
    """A turn was made that nobody pressed for, and that was not seen."""

    turn: int
    """The number that it gets; the turns from that number on count one more."""
    side: Side
    tiles: Mapping[str, str]
    """The tiles that it laid, by square; none for a pass or an exchange."""
    ended_ns: int
    """When it ended."""
    by: str
    why: str
    t_ns: int
    ended: TurnEnding = "not_known"
    """How it ended, where a rulebook has a turn end so (``turn.ends``)."""


@dataclass(frozen=True, slots=True)
class TurnsJoined:
    """What was seen as two turns was one: the clock was pressed once too often."""

    turn: int
    """The first of the two; the turns after the second count one less."""
    side: Side
    """Whose turn it was."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PlaysAssigned:
    """These plays take the place of one or more turns that were seen, be they as many or not."""

    turn: int
    """The first of those turns."""
    turns: int
    """How many they are; the turns after them count on from the last of the plays."""
    plays: tuple[PlayMade, ...]
    """The plays in their order. The last ended when the last of those turns did. A tile of theirs
    that is in none of the plays is of a later turn."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PlayAccepted:
    """The opponent accepted a play, or did what counts as that: the right to challenge it went."""

    turn: int
    how: Acceptance
    by: str
    why: str
    t_ns: int
    at_ns: int | None = None
    """When, where it was before it was entered."""

    @property
    def moment_ns(self) -> int:
        """When the play was accepted."""
        return self.t_ns if self.at_ns is None else self.at_ns


@dataclass(frozen=True, slots=True)
class TilesFound:
    """Tiles that were in nobody's possession came to light, in the bag or outside it."""

    where: FoundIn
    count: int
    side: Side | None
    """Who should have drawn them, and gets them; null where the game goes on without them."""
    by: str
    why: str
    t_ns: int
    tiles: str = ""
    """The tiles as letters and ``?``, where they were seen."""
    racks: Mapping[str, int] = field(default_factory=dict)
    """How many tiles each player has now, by side; none where it is as counted."""


@dataclass(frozen=True, slots=True)
class RackUnderdrawn:
    """A player had drawn too few tiles, and it was not put right before a turn was made."""

    side: Side
    missing: int
    """How many tiles fewer than counted are on the rack."""
    by: str
    why: str
    t_ns: int
    drawn_by: DrawnBy = "nobody"
    """Where they are: still in the bag, or on the opponent's rack."""


@dataclass(frozen=True, slots=True)
class ClockStartedInError:
    """A player started the opponent's clock without having completed the turn."""

    turn: int
    """The turn that the table saw end then, and that did not; 0 where it saw none."""
    side: Side
    """Who pressed in error."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class DrawDelayed:
    """A player tracked tiles before drawing and so kept the opponent from drawing."""

    side: Side
    """Who delayed."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class Reported:
    """Somebody reported what no camera sees and the rulebook has a rule on."""

    what: str
    """Its code, such as ``out_of_order``: a key of ``game.flags_reported.REPORTED``."""
    side: Side
    """Whose doing it was; of a wrong verdict, against whom; of a return, who came back."""
    by: str
    why: str
    t_ns: int
    turn: int = 0
    """The turn that it is about; 0: none."""


@dataclass(frozen=True, slots=True)
class DirectorNoted:
    """A director's note of what no other event foresees, and its effect on the game.

    It may be entered under any rulebook. What it does not name it leaves as it was.
    """

    what: str
    """What happened and what was decided, in words."""
    by: str
    why: str
    t_ns: int
    measure: Measure = "note"
    side: Side | None = None
    """The player whom it is about; a caution and a warning are somebody's."""
    turn: int = 0
    """The turn that it is about; 0: none."""
    rule: str | None = None
    score: Mapping[str, int] = field(default_factory=dict)
    """Points added to scores, by side; taken off where they are below 0."""
    spread: Mapping[str, int] = field(default_factory=dict)
    """The same on the spread alone."""
    added_ns: Mapping[str, int] = field(default_factory=dict)
    """Time given to clocks, by side; taken off where it is below 0."""
    turn_lost: Side | None = None
    """Who was on turn then and loses that turn, as if it had been a pass."""
    first: Side | None = None
    """Who is charged with the first turn, where that is not who played first."""
    rated: bool | None = None
    """False where the game does not count for ratings; true where it does after all."""


@dataclass(frozen=True, slots=True)
class OvertimeErased:
    """The director erases a penalty for overtime that was forced, or ran after the end."""

    side: Side
    """Whose penalty."""
    by: str
    why: str
    t_ns: int
    points: int = 0
    """How many of its points; 0: all."""


@dataclass(frozen=True, slots=True)
class PositionRestored:
    """The game went back to an earlier position, or began again."""

    turn: int
    """The last turn that stands; 0: none. Every later one counts as if it had never been."""
    by: str
    why: str
    t_ns: int
    racks: Mapping[str, str] = field(default_factory=dict)
    """The racks with which it goes on, by side, where they are known."""
    scores: Mapping[str, int] = field(default_factory=dict)
    """Of a game that begins again: the starting scores, by side."""


@dataclass(frozen=True, slots=True)
class ScoreAgreed:
    """Both players agree on a score: of one turn, or a player's total so far."""

    turn: int
    """Whose score it is; 0: the total of ``side`` at this moment."""
    side: Side
    points: int
    by: str
    why: str
    t_ns: int


BY_DIRECTOR = (
    TurnParted
    | TurnInserted
    | TurnsJoined
    | PlaysAssigned
    | PlayAccepted
    | TilesFound
    | RackUnderdrawn
    | ClockStartedInError
    | DrawDelayed
    | Reported
    | DirectorNoted
    | OvertimeErased
    | PositionRestored
    | ScoreAgreed
)
