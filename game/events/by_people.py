"""People's statements on a game, each kind a class of its own; each names who said it and why.

Times are integers, in nanoseconds on the table's one monotonic base. What the table sees is in
:mod:`game.events.observed`. :mod:`game.events` stores and reads all kinds; other code takes them
from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from game.events.declaring import ONLY_IF_SET, TYPED, Asked, Form
from game.events.values import (
    ChallengedWord,
    FromOne,
    FromZero,
    Letter,
    NamedSide,
    PlayerName,
    SquareName,
    Symbol,
)
from game.terms import Cause, ChallengeGround, Counted, Ruling, Side, StopReason, VerdictBy


@dataclass(frozen=True, slots=True)
class PlayersNamed:
    """One or both players were named, or a name was corrected."""

    players: Mapping[NamedSide, PlayerName]
    """The names by side; a side that is left out keeps its name."""
    by: str
    t_ns: int
    why: str = ""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        return "" if self.players else "players: name left, right or both"


@dataclass(frozen=True, slots=True)
class TurnRuled:
    """Somebody ruled what a turn was."""

    turn: int
    ruling: Ruling
    by: str
    why: str
    t_ns: int
    words: FromZero = 0
    """For a failed challenge: the number of words challenged; 0 if a :class:`ChallengeBonus` gives
    the points, or if there are none."""
    called_ns: int | None = None
    """For a challenge: when it was called, if that is known."""
    tiles: Annotated[str, TYPED] = ""
    """For an exchange: the tiles exchanged, or their number."""
    found_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """When the matter came out at the table, if that was before it was entered."""
    challenged: bool | None = field(default=None, metadata=ONLY_IF_SET)
    """False if somebody asked whether the play was challenged, and it was not."""
    challenged_words: tuple[ChallengedWord, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """For a challenge: the words that were challenged, whole, if they are known."""
    ground: ChallengeGround | None = field(default=None, metadata=ONLY_IF_SET)
    """For a challenge: its ground; absent for the words."""
    verdict: VerdictBy | None = field(default=None, metadata=ONLY_IF_SET)
    """For a challenge: how it was decided; absent for one lookup."""
    announced: FromOne | None = field(default=None, metadata=ONLY_IF_SET)
    """For an exchange: the number of tiles announced, if another number was laid down."""

    @property
    def count(self) -> int:
        """The number of words that were challenged unsuccessfully; 0 if nobody has entered it."""
        return self.words or len(self.challenged_words or ())

    @property
    def costs_turn(self) -> bool:
        """True for an unsuccessful challenge of words, which may cost points or the turn.

        A challenge of the placement costs nothing (WESPA 2021 3.13.1(c), PSA 3.10.15(c)), nor does
        one that was refused because it came too late.
        """
        failed = self.ruling == "challenge_failed"
        return failed and self.ground != "placement" and self.verdict != "refused"

    @property
    def happened_ns(self) -> int:
        """When the matter came out; this decides whether the ruling is in time."""
        return self.t_ns if self.found_ns is None else self.found_ns

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        challenge = self.ruling.startswith("challenge") or self.ruling == "taken_back"
        for name in ("challenged_words", "ground", "verdict"):
            if getattr(self, name) is not None and not challenge:
                return f"{name}: {self.ruling} is not a challenge"
        named = len(self.challenged_words or ())
        if named and self.words not in (0, named):
            return f"challenged_words: {named} words are given, but words is {self.words}"
        if self.ground == "placement" and self.count:
            return "words: a challenge of the placement has no words"
        if self.verdict == "refused" and self.ruling != "challenge_failed":
            return f"verdict: a challenge that was refused is no {self.ruling}"
        if self.announced is not None and self.ruling != "exchange":
            return f"announced: {self.ruling} is not an exchange"
        return ""


@dataclass(frozen=True, slots=True)
class HoldCalled:
    """The opponent holds a play: new tiles wait, and a challenge may follow."""

    turn: Annotated[int, Asked("Which play")]
    by: str
    t_ns: int
    why: str = ""

    SAYS = "turn {turn} is held"
    FORM = Form(button="Hold…", title="The last play is held", of_play=True, earlier=False)


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

    It holds for the whole game and replaces earlier entries. If nothing is missing and nothing
    extra, the set is complete.
    """

    missing: Annotated[str, TYPED, Asked("Tiles that the set lacks", hint="letters, ? for a blank")]
    """The tiles that it lacks, as letters and ``?`` for a blank."""
    extra: Annotated[str, TYPED, Asked("Tiles that it has too many", hint="letters, ? for a blank")]
    """The tiles that it has too many."""
    by: str
    why: str
    t_ns: int

    FORM = Form(
        button="Set of tiles…",
        title="The game is played with another set",
        about="For a set that lacks a tile or has one too many, and plays on. The whole game is "
        "counted with it; leave both empty for the set as it should be.",
        earlier=False,
    )


@dataclass(frozen=True, slots=True)
class InfractionNoted:
    """A minor infraction that no camera can see, such as a wrong score announced."""

    side: Side
    rule: str | None
    by: str
    why: str
    t_ns: int

    SAYS = "a minor infraction of {side}"
    FORM = Form(
        button="Minor infraction…",
        title="Note a minor infraction",
        rule="infractions.every",
    )


@dataclass(frozen=True, slots=True)
class BlankDesignated:
    """The letter of the blank on a square; it counts from the turn that put the blank there.

    If the tile could not be read, or might not have been there at all, it is now a blank.
    """

    square: SquareName
    letter: Annotated[Letter, TYPED]
    by: str
    why: str
    t_ns: int


CAMERA = "camera"
"""The ``by`` of a square corrected because a later picture shows the tile."""


@dataclass(frozen=True, slots=True)
class SquareCorrected:
    """A person, or ``camera``, corrected the reading of a square from a turn on."""

    turn: int
    square: SquareName
    symbol: Symbol
    by: str
    why: str
    t_ns: int
    misoriented: str = ""
    """How the tile was turned, such as ``U lies upside down``; empty if it was not."""


@dataclass(frozen=True, slots=True)
class ChallengeBonus:
    """Points for a player whose play was challenged unsuccessfully; ``points`` are added."""

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
    """Points that are no penalty: added to a player, or taken off if below 0.

    On the score: a correction (WESPA 4.4) or a starting score (SANSPA 2001 22.17). On the spread
    alone: points for the standings, not for who wins (NASPA IV.B.6, IV.K.5; SANSPA 2001 7.5).
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
    tiles: Annotated[str, TYPED]
    t_ns: int
    by: str = ""
    why: str = ""
    counted: int | None = field(default=None, metadata=ONLY_IF_SET)
    """The number of tiles on the rack from now on, if somebody counted another number than turns
    and draws leave."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        known = self.counted in (None, len(self.tiles))
        return "" if known else f"counted: {self.counted} tiles, but {len(self.tiles)} are named"


@dataclass(frozen=True, slots=True)
class GameEnded:
    """Somebody ended the game; it ends without this event when a player is out."""

    reason: str  # an EndReason, or another text
    t_ns: int
    by: str = ""
    why: str = ""
    instead: int | None = field(default=None, metadata=ONLY_IF_SET)
    """The number of an earlier event that ended the game, if this one corrects its reason."""


@dataclass(frozen=True, slots=True)
class ClockAdjusted:
    """Time added to a player's clock, or taken off it if ``added_ns`` is below 0."""

    side: Side
    added_ns: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class UnseenTimeCharged:
    """How much of an unwatched time counts as a player's; the newest entry holds."""

    event: int
    """The number in the game of the :class:`TimeUnseen`; the start of the game is 1."""
    side: Side
    charged_ns: FromZero
    """The time charged; 0 if it is nobody's."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class LateStart:
    """Time that ran off a player's clock before the game, because the player came late."""

    side: Side
    lost_ns: Annotated[FromZero, Asked("Time lost", value="5:00")]
    by: str
    why: str
    t_ns: int

    SAYS = "{side} came late and lost {lost_ns}"
    FORM = Form(
        button="Late start…",
        title="A player came late",
        timed=True,
        earlier=False,
    )


@dataclass(frozen=True, slots=True)
class GameForfeited:
    """A player forfeited the game."""

    side: Side
    """The player who loses it."""
    cause: Cause
    by: str
    why: str
    t_ns: int
    margin: int | None = None
    """The spread that the director set, if the rulebook lets the director set or raise it."""


@dataclass(frozen=True, slots=True)
class GameReopened:
    """A game that had ended goes on, or a signed result may be changed."""

    ground: str
    """After signing: one of the rulebook's ``signed.grounds``, or ``record_wrong`` if the record is
    not what was signed."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class ResultSigned:
    """Both players signed the result."""

    by: str
    """Who says so: a player, a director or anybody else at the desk."""
    t_ns: int
    why: str = ""

    SAYS = "the result was signed"


@dataclass(frozen=True, slots=True)
class Retracted:
    """An earlier ruling or correction is taken back; nothing is deleted."""

    event: int
    """The number, in the game, of the entry that is taken back; the start of the game is 1."""
    by: str
    why: str
    t_ns: int

    SAYS = "event {event} was taken back"


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
