"""What can happen in a game or be said of it, each kind a class of its own.

Times are integers, nanoseconds on the table's one monotonic base. The classes are stored and
read by :mod:`game.events`, from where everybody else takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Side = Literal["left", "right"]
Button = Literal["left", "right", "neutral"]
Ruling = Literal[
    "play",
    "pass",
    "exchange",
    "challenge_upheld",
    "challenge_failed",
    "challenge_withdrawn",
    "illegal_play",
    "illegal_play_unknown",
    "taken_back",
    "no_score",
    "undone",
]
"""What somebody says of a turn. ``illegal_play``: announced as one (NASPA III.G.5), by a player
known or not; when, is told by the turns seen since. ``taken_back``: the play comes off for
another reason, and the turn is lost. ``no_score``: the tiles stay and score nothing.
``undone``: there was no such turn, as after a slip on the clock."""

StopReason = Literal[
    "blank",
    "challenge",
    "director",
    "extra_tiles",
    "family_emergency",
    "foreign_tiles",
    "improper_procedure",
    "late_arrival",
    "medical",
    "misoriented_tiles",
    "missing_tiles",
    "out",
    "overdraw",
    "score",
    "six_zeros",
    "tile_bag",
    "unforeseen",
    "other",
]
"""Why a clock may have been stopped; which of these a text allows is its ``stop.reasons``."""

TroubleState = Literal["begins", "over", "happened"]
Cause = Literal["absent", "both_absent", "late", "left", "resigned", "overtime", "director"]
"""Why a game is forfeited; ``both_absent``: by both, whoever is named."""

SIDES: tuple[Side, Side] = ("left", "right")


def other(side: Side) -> Side:
    """The opponent's side."""
    return "right" if side == "left" else "left"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the camera itself saw amiss at one turn."""

    code: str
    """A flag code, such as ``misoriented_tile``."""
    square: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins on an empty board, or on the position given as ``rows``."""

    game_id: str
    players: Mapping[str, str]
    """``{"left": name, "right": name}``"""
    rulebook: str
    tile_set: str
    first: Side | None
    """Who plays first, where that is known before the first press."""
    t_ns: int
    rows: tuple[str, ...] | None = None
    """Only when told so: the position at the start."""
    adjust: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the rulebook that the event announced otherwise, by name."""
    word_list: Mapping[str, str] | None = None
    """The word list in use, as ``{"name": …, "sha256": …}``."""


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A clock button went down. ``left`` is pressed by the left player to end a turn."""

    button: Button
    t_ns: int


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """The board as the camera read it for the turn that a press ended."""

    side: Side
    """The player whose turn it was."""
    press_ns: int
    rows: tuple[str, ...]
    """15 strings of 15 symbols, see :mod:`game.board`."""
    sighted_ns: int | None = None
    """When the frame was taken that was read."""
    confidence: Mapping[str, float] = field(default_factory=dict)
    """Of the changed squares, 0..1, keyed ``8H``."""
    frames: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the evidence by role: ``before``, ``at``, ``after``."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class TilesChanged:
    """The camera saw that tiles changed after the press that ended the last turn."""

    turn: int
    """The turn that had just ended."""
    rows: tuple[str, ...]
    """The board as it lay then, like those of :class:`TurnSeen`."""
    sighted_ns: int
    """When the frame was taken that was read."""
    frames: Mapping[str, str]
    """SHA-256 of the evidence by role: ``at`` the press, ``after`` it."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class TableDescribed:
    """What the game is recorded with, said once at its start."""

    software: str
    """Version of tilewatch."""
    files: Mapping[str, str]
    """SHA-256 of what readings and scores depend on, by name: models, rulebook, set of tiles."""
    settings: Mapping[str, Any]
    """The table's configuration."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class Picture:
    """One evidence picture, kept under its SHA-256."""

    role: str
    """``before``, ``at`` and ``after`` the press; ``read``: what the reading rests on;
    ``around``: near a press whose turn was flagged; ``crop``: a changed square of ``of``."""
    sha256: str
    exposed_ns: int
    """When its exposure began."""
    square: str | None = None
    of: str | None = None
    """Of a crop: SHA-256 of the picture that it was cut from."""
    corners: tuple[tuple[float, ...], ...] | None = None
    """Of the picture that was read: where the board's corners are, as x and y in pixels, clockwise
    from the one that is top-left when the letters read upright."""


@dataclass(frozen=True, slots=True)
class PicturesKept:
    """Evidence pictures of a turn are on the disk."""

    turn: int
    pictures: tuple[Picture, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class PicturesDeleted:
    """Evidence pictures of the game were deleted, as the table's rule for keeping them has it."""

    pictures: tuple[str, ...]
    """The SHA-256 of each."""
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class TroubleNoted:
    """The camera, a clock button or the disk was in trouble, or no longer; or somebody called."""

    code: str
    """Such as ``camera_lost``, ``button_double`` or ``director_called``."""
    what: str
    """Which one, where there are several: the button's name; else empty."""
    state: TroubleState
    message: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PlayersNamed:
    """Who sits where was said, or mended: one name or both."""

    players: Mapping[str, str]
    """By side; a side that is not in it keeps its name."""
    by: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class TurnRuled:
    """Somebody said what a turn was."""

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


@dataclass(frozen=True, slots=True)
class HoldCalled:
    """The opponent holds a play: new tiles wait, and a challenge may follow."""

    turn: int
    """The turn that is held."""
    by: str
    t_ns: int


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
    """The letter of the blank that lies on a square; counts from the turn that put it there."""

    square: str
    letter: str
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class SquareCorrected:
    """What really lay on a square at a turn, and since."""

    turn: int
    square: str
    symbol: str
    by: str
    why: str
    t_ns: int


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
class RackReported:
    """The tiles on a player's rack at this moment, as letters and ``?``."""

    side: Side
    tiles: str
    t_ns: int
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over by somebody's word (it also ends by itself when a player is out)."""

    reason: str
    t_ns: int
    by: str = ""
    why: str = ""


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
    """After signing, one that the rulebook knows (``signed.grounds``)."""
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


Event = (
    GameStarted
    | ButtonPressed
    | TurnSeen
    | TilesChanged
    | PlayersNamed
    | TurnRuled
    | HoldCalled
    | StopExplained
    | SetSeen
    | InfractionNoted
    | BlankDesignated
    | SquareCorrected
    | ChallengeBonus
    | PenaltyAdded
    | RackReported
    | GameEnded
    | ClockAdjusted
    | LateStart
    | GameForfeited
    | GameReopened
    | ResultSigned
    | Retracted
    | TableDescribed
    | PicturesKept
    | PicturesDeleted
    | TroubleNoted
)

HOUSEKEEPING = (TableDescribed, PicturesKept, PicturesDeleted, TroubleNoted)
"""What the table notes of its own work: no part of the game, and welcome at any time."""

FACTS = (GameStarted, ButtonPressed, TurnSeen, TilesChanged, *HOUSEKEEPING)
"""What was seen; everything else was said, and may be taken back."""
