"""What people say of a game, each kind a class of its own; each names who and why.

Times are integers, nanoseconds on the table's one monotonic base. What the table sees is in
:mod:`game.events.observed`. All are stored and read by :mod:`game.events`, from where everybody
else takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from game.events.limits import ONLY_IF_SET
from game.terms import Cause, ChallengeGround, Counted, Ruling, Side, StopReason, VerdictBy


@dataclass(frozen=True, slots=True)
class PlayersNamed:
    """The players were named, or a name was mended: one or both."""

    players: Mapping[str, str]
    """By side; a side that is not in it keeps its name."""
    by: str
    t_ns: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class TurnRuled:
    """Somebody ruled what a turn was."""

    turn: int
    """The number of the turn, from 1."""
    ruling: Ruling
    by: str
    why: str
    t_ns: int
    words: int = 0
    """Of a challenge that failed: how many words were challenged; 0 where the points for it,
    if any, are given by a :class:`ChallengeBonus`."""
    called_ns: int | None = None
    """Of a challenge: when it was called, where that is known."""
    tiles: str = ""
    """Of an exchange: the tiles exchanged, or their number."""
    found_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """When it was found or announced at the table, where that was before it was entered."""
    challenged: bool | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a play that counts: false where it was asked whether it was challenged, and it was not."""
    challenged_words: tuple[str, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a challenge: the words that were challenged, whole, where that is known."""
    ground: ChallengeGround | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a challenge: its ground; the words, if not given."""
    verdict: VerdictBy | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a challenge: how it was decided, other than by one lookup."""
    announced: int | None = field(default=None, metadata=ONLY_IF_SET)
    """Of an exchange: how many tiles were announced, where others were put down."""

    @property
    def count(self) -> int:
        """How many words were challenged in vain; 0 where nobody has said."""
        return self.words or len(self.challenged_words or ())

    @property
    def happened_ns(self) -> int:
        """When what is ruled on came out: it is in time or late by that."""
        return self.t_ns if self.found_ns is None else self.found_ns


@dataclass(frozen=True, slots=True)
class HoldCalled:
    """The opponent holds a play: new tiles wait, and a challenge may follow."""

    turn: int
    """The turn that is held."""
    by: str
    t_ns: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class StopExplained:
    """Why the clock was stopped after a turn."""

    turn: int
    """The last turn before the clock was stopped; 0 before the first."""
    reason: StopReason
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class SetSeen:
    """The whole set of tiles laid out to be checked, before a game or after it."""

    symbols: str
    """Every tile, as letters and ``?`` for a blank, in any order."""
    by: str
    t_ns: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class SetAltered:
    """The game is played with a set that lacks tiles, or has more than it should.

    It holds for the whole game and replaces what was entered of the set before; nothing missing and
    nothing extra is the set as it should be.
    """

    missing: str
    """The tiles that it lacks, as letters and ``?`` for a blank."""
    extra: str
    """The tiles that it has beyond its own."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class InfractionNoted:
    """A minor infraction that no camera can see, such as a wrong score announced."""

    side: Side
    """Who made it."""
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class BlankDesignated:
    """The letter of the blank that lies on a square; counts from the turn that put it there.

    A tile that could not be read is a blank from then on. Where it is an open question whether a
    tile lies on the square, a blank lies there from then on.
    """

    square: str
    letter: str
    by: str
    why: str
    t_ns: int


CAMERA = "camera"
"""Who corrects a square that a later picture shows."""


@dataclass(frozen=True, slots=True)
class SquareCorrected:
    """What really lay on a square at a turn, and since; by a person, or by :data:`CAMERA`."""

    turn: int
    square: str
    symbol: str
    by: str
    why: str
    t_ns: int
    misoriented: str = ""
    """How the camera saw it lie turned, such as ``U lies upside down``; empty where it did not."""


@dataclass(frozen=True, slots=True)
class ChallengeBonus:
    """Points for a player whose play was challenged in vain; ``points`` are added."""

    side: Side
    points: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PenaltyAdded:
    """Points off a player's score; ``points`` above 0 are taken off."""

    side: Side
    points: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PointsAdjusted:
    """Points added to a player, or taken off where they are below 0, that are no penalty.

    On the score: a correction of it (WESPA 4.4), or what a player starts with (SANSPA 2001 22.17).
    On the spread alone: what bears on the standings and not on who wins (NASPA IV.B.6, IV.K.5;
    SANSPA 2001 7.5).
    """

    side: Side
    points: int
    on: Counted
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class RackReported:
    """The tiles on a player's rack at this moment, as letters and ``?``."""

    side: Side
    tiles: str
    t_ns: int
    by: str = ""
    why: str = ""
    counted: int | None = field(default=None, metadata=ONLY_IF_SET)
    """How many tiles they are, where somebody has counted them and they are not as many as turns
    and draws leave: from then on this is the number on the rack."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over by somebody's word (it also ends by itself when a player is out)."""

    reason: str  # an EndReason, or another text
    t_ns: int
    by: str = ""
    why: str = ""
    instead: int | None = field(default=None, metadata=ONLY_IF_SET)
    """The number of the event that had ended it, whose reason this one takes the place of."""


@dataclass(frozen=True, slots=True)
class ClockAdjusted:
    """Time given to a player's clock, or taken off it where ``added_ns`` is below 0."""

    side: Side
    added_ns: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class UnseenTimeCharged:
    """How much of the time that nobody watched was a player's; the last word on it counts."""

    event: int
    """The number of its :class:`TimeUnseen` in the game, the start being 1."""
    side: Side
    charged_ns: int
    """0 where it is nobody's."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class LateStart:
    """Time that ran off a player's clock before the game, because the player came late."""

    side: Side
    lost_ns: int
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class GameForfeited:
    """A player loses the game without its being played out."""

    side: Side
    """Who loses it."""
    cause: Cause
    by: str
    why: str
    t_ns: int
    margin: int | None = None
    """The spread that the director sets, where the text leaves it to the director or lets it be
    raised; else the text's own."""


@dataclass(frozen=True, slots=True)
class GameReopened:
    """A game that had ended goes on, or a signed result may be changed."""

    ground: str
    """After signing, one that the rulebook knows (``signed.grounds``), or ``record_wrong``: the
    record is not what was signed."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class ResultSigned:
    """Both players signed the result."""

    by: str
    t_ns: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Retracted:
    """An earlier ruling or correction is taken back; nothing is deleted."""

    event: int
    """Its number in the game, the start being 1."""
    by: str
    why: str
    t_ns: int


BY_PEOPLE = (
    PlayersNamed
    | TurnRuled
    | HoldCalled
    | StopExplained
    | SetSeen
    | SetAltered
    | InfractionNoted
    | BlankDesignated
    | SquareCorrected
    | ChallengeBonus
    | PenaltyAdded
    | PointsAdjusted
    | RackReported
    | GameEnded
    | ClockAdjusted
    | UnseenTimeCharged
    | LateStart
    | GameForfeited
    | GameReopened
    | ResultSigned
    | Retracted
)
