"""What the table sees of a game, each kind a class of its own, and what it notes of the work at it.

Times are integers, nanoseconds on the table's one monotonic base. What people say is in
:mod:`game.events.by_people`. All are stored and read by :mod:`game.events`, from where everybody
else takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from game.events.limits import ONLY_IF_SET
from game.terms import BoardEnding, Button, Edge, Side, TroubleState


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the camera itself saw amiss at one turn."""

    code: str
    """A flag code, such as ``misoriented_tile``."""
    square: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PicturesLost:
    """A stretch of time of which no picture was looked at."""

    from_ns: int
    """When the last picture before it was taken, as far as that is known."""
    until_ns: int
    """When the first picture after it was taken; the press, where none had come by then."""
    dropped: int = 0
    """How many pictures the camera delivered meanwhile, for which this computer had no time."""


@dataclass(frozen=True, slots=True)
class PlayMade:
    """A play as it may have been laid: whose it was, its tiles, and when it ended."""

    side: Side
    tiles: Mapping[str, str]
    """The tiles by square, each ``8H``; none for a pass or an exchange."""
    ended_ns: int
    came_off: bool = False
    """True if it was challenged, and came off the board."""


@dataclass(frozen=True, slots=True)
class TurnReading:
    """Plays that explain the tiles on the board: one way to part them into turns."""

    plays: tuple[PlayMade, ...]
    earlier: int = 0
    """So many of them are turns that were recorded before."""
    going_on: bool = False
    """True if the last of them has not ended; its ``ended_ns`` is then when it was seen."""


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
    """The position at the start, where the board was not empty."""
    adjust: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the rulebook that the event announced otherwise, by name."""
    word_list: Mapping[str, str] | None = None
    """The word list in use, as ``{"name": …, "sha256": …}``."""
    hands: Mapping[Side, Edge] | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a game without a clock: the edge of the picture across which each player's hand comes."""
    by_hand: Mapping[str, Any] | None = field(default=None, metadata=ONLY_IF_SET)
    """The settings announced by rules that somebody set at the table, by name.

    They hold for this game and those that follow. Null where the table's configuration gave the
    rules."""


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A clock button went down. ``left`` is pressed by the left player to end a turn."""

    button: Button
    t_ns: int
    by: str = ""
    """Who, where it was the director from the desk; players press without a word."""
    why: str = ""
    claimed_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a press on a page: when the page says that it was made. ``t_ns`` is what was accepted."""
    heard_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a press on a page: when it arrived."""
    echo_of_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """When the other button went down, if it was one blow on both: that one counts, and this one
    does nothing."""


@dataclass(frozen=True, slots=True)
class TimePassed:
    """It was so late, and nobody had pressed a button since the last press.

    Noted where the running clock has passed the limit on overtime: what it then shows follows from
    the presses, as always.
    """

    t_ns: int


@dataclass(frozen=True, slots=True)
class TimeUnseen:
    """Nobody watched the table for a while: no process ran, or the machine slept or was off.

    Both clocks stand from ``from_ns`` on, and nobody is charged. Presses and tiles of that time
    were not seen.
    """

    from_ns: int
    """The last moment at which the table is known to have been watched."""
    t_ns: int
    """The first moment at which it was watched again. While the machine was off the table's time
    stood."""
    passed_ns: int | None
    """How long it was, as far as the machine can tell; None where it cannot tell."""
    measured: bool
    """True if a clock that nobody sets went on all the while; False if the wall clock tells, which
    may have been set meanwhile."""
    runs_on: bool = False
    """True of a restart so short that the clock which ran goes on by itself from ``t_ns``."""


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """The board as the camera read it for the turn that a press ended, or the board itself."""

    side: Side
    """The player whose turn it was."""
    press_ns: int
    rows: tuple[str, ...]
    """15 strings of 15 symbols, see :mod:`game.board`."""
    sighted_ns: int | None = None
    """When the newest frame was taken that shows the board as it was read."""
    confidence: Mapping[str, float] = field(default_factory=dict)
    """Of the changed squares, 0..1, keyed ``8H``."""
    frames: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the evidence by role: ``before``, ``at``, ``after``."""
    findings: tuple[Finding, ...] = ()
    certainty: Mapping[str, float] | None = field(default=None, metadata=ONLY_IF_SET)
    """How sure it is, 0..1: ``tiles`` that these were played, ``player`` that it was this player
    who played them, ``time`` that the turn ended at ``press_ns``."""
    marked: tuple[str, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """The changed squares that one picture shows less surely than the promise of the weights asks
    for (their card says what they promise). None if they promise nothing about it."""
    ended: BoardEnding | None = field(default=None, metadata=ONLY_IF_SET)
    """Of a turn that nobody pressed for: what showed that it had ended. ``press_ns`` is then when
    its play had come to rest."""
    lost: tuple[PicturesLost, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """The stretches without pictures since the turn before, up to the view that it rests on."""
    readings: tuple[TurnReading, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """The likely ways to part the tiles into turns, where that is asked."""


@dataclass(frozen=True, slots=True)
class SecondPlaySeen:
    """A second play lies beside the first one of a turn, and nobody pressed the clock between them.

    Noted where it is not certain that the opponent made the second. Where it is, the first is a
    :class:`TurnSeen` that has ``ended``.
    """

    side: Side
    """The player on turn, who made the first."""
    tiles: Mapping[str, str]
    """The tiles of the first play, by square."""
    ended_ns: int
    """When the first had come to rest."""
    t_ns: int


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
class BoardSeen:
    """The board as the camera saw it while the clock stood after a play, or as it went on.

    Noted when it first shows the tiles of that play taken off, or lying there again.
    """

    turn: int
    """The turn of the play."""
    rows: tuple[str, ...]
    """The board as it lay then, like those of :class:`TurnSeen`."""
    sighted_ns: int
    """When the frame was taken that was read."""
    frames: Mapping[str, str]
    """SHA-256 of the evidence by role: ``at`` the press, ``after`` it."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class TableDescribed:
    """The equipment and software that record the game, logged once at its start."""

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
class ActionTaken:
    """Somebody did something at the table that is no ruling on the game."""

    action: str
    """Such as ``next_game``, ``new_game``, ``attended``, ``calibrated`` or ``tiles_learnt``."""
    message: str
    """What was done, in one line."""
    by: str
    why: str
    t_ns: int
    next_game: Mapping[str, Any] | None = field(default=None, metadata=ONLY_IF_SET)
    """Facts of the game after this one: ``players`` by side, and ``announced``, the settings that
    the event announces for that game alone."""


HOUSEKEEPING = TableDescribed | PicturesKept | PicturesDeleted | TroubleNoted | ActionTaken
"""What is noted of the work at the table: no part of the game, and welcome at any time."""

FACTS = (
    GameStarted
    | ButtonPressed
    | TimePassed
    | TimeUnseen
    | TurnSeen
    | TilesChanged
    | BoardSeen
    | SecondPlaySeen
    | TableDescribed
    | PicturesKept
    | PicturesDeleted
    | TroubleNoted
    | ActionTaken
)
"""What was seen; people entered everything else, and may take it back."""
