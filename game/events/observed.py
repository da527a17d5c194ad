"""A table's observations of a game, each kind a class of its own.

Times are integers, in nanoseconds on the table's one monotonic base. What a table notes of
its own work is in :mod:`game.events.noted`, what people say in :mod:`game.events.by_people`.
:mod:`game.events` stores and reads all kinds; other code takes them from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from game.events.declaring import ONLY_IF_SET
from game.events.noted import HOUSEKEEPING
from game.events.values import (
    FlagCode,
    FromZero,
    Name,
    Probability,
    Rows,
    Sha256,
    SquareName,
    Tiles,
)
from game.terms import SIDES, BoardEnding, Button, PictureEdge, Side


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that the camera saw at one turn."""

    code: FlagCode
    """A flag code, such as ``misoriented_tile``."""
    square: SquareName | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PicturesLost:
    """A stretch of time from which no picture was examined."""

    from_ns: int
    """When the last picture before it was taken, if that is known."""
    until_ns: int
    """When the first picture after it was taken; the time of the press if none came before the
    press."""
    dropped: FromZero = 0
    """The pictures that the camera delivered meanwhile and this computer had no time for."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        return "until_ns: is before from_ns" if self.until_ns < self.from_ns else ""


@dataclass(frozen=True, slots=True)
class PlayMade:
    """A play: its player, its tiles, and when it ended."""

    side: Side
    tiles: Tiles
    """The tiles by square, each ``8H``; none for a pass or an exchange."""
    ended_ns: int
    came_off: bool = False
    """True if it was challenged off the board."""
    added: Tiles | None = field(default=None, metadata=ONLY_IF_SET)
    """The tiles that the player added to the play after the press; null for none."""


@dataclass(frozen=True, slots=True)
class TurnReading:
    """One way to split the tiles on the board into plays."""

    plays: tuple[PlayMade, ...]
    earlier: int = 0
    """The number of plays at the beginning that are turns recorded before."""
    going_on: bool = False
    """True if the last play has not ended; its ``ended_ns`` is then when it was seen."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        known = 0 <= self.earlier <= len(self.plays)
        return "" if known else "earlier: is more than the number of plays"


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins on an empty board, or on the position given as ``rows``."""

    game_id: Name
    players: Mapping[str, Name]
    """The names by side: ``{"left": name, "right": name}``."""
    rulebook: Name
    tile_set: Name
    first: Side | None
    """Who plays first; null if that is not known before the first press."""
    t_ns: int
    rows: Rows | None = None
    """The position at the start; null for an empty board."""
    adjust: Mapping[str, Any] = field(default_factory=dict)
    """The settings that the event announced in place of the rulebook's own, by name."""
    word_list: Mapping[str, str] | None = None
    """The word list in use: ``{"name": …, "sha256": …}``."""
    hands: Mapping[Side, PictureEdge] | None = field(default=None, metadata=ONLY_IF_SET)
    """In a game without a clock: the edge of the picture from which each player's hand comes."""
    by_hand: Mapping[str, Any] | None = field(default=None, metadata=ONLY_IF_SET)
    """The settings that somebody announced on the table's page, by name.

    They hold for this game and the games after it. Absent if the configuration gave the rules."""

    SAYS = "the game {game_id} began"

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        named = set(self.players) == set(SIDES)
        return "" if named else "players: name left and right"


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A clock button went down. The left player presses ``left`` to end a turn."""

    button: Button
    t_ns: int
    by: str = ""
    """The director who pressed it from the desk; empty for a player."""
    why: str = ""
    claimed_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """For a press on a page: the time that the page claims. ``t_ns`` is the time accepted."""
    heard_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """For a press on a page: when it arrived."""
    echo_of_ns: int | None = field(default=None, metadata=ONLY_IF_SET)
    """When the other button went down, if one blow hit both: this press then does nothing."""


@dataclass(frozen=True, slots=True)
class TimePassed:
    """The running clock passed the limit on overtime, and nobody had pressed a button."""

    t_ns: int

    SAYS = "the clock passed the limit on overtime before anybody pressed"


@dataclass(frozen=True, slots=True)
class TimeUnseen:
    """Nobody watched the table for a while: no process ran, or the machine slept or was off.

    Both clocks are stopped at ``from_ns``, and nobody is charged. Presses and tiles of that time
    were not seen.
    """

    from_ns: int
    """The last moment at which the table is known to have been watched."""
    t_ns: int
    """The first moment at which it was watched again. The table's time stood while the machine was
    off."""
    passed_ns: FromZero | None
    """How long it was; null if the machine cannot tell."""
    measured: bool
    """True if a clock that nobody can set measured it; false if the wall clock did."""
    runs_on: bool = False
    """True after a short restart: the clock that ran goes on by itself from ``t_ns``."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        return "t_ns: is before from_ns" if self.t_ns < self.from_ns else ""


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """The board as the camera read it at the end of a turn."""

    side: Side
    press_ns: int
    rows: Rows
    """15 strings of 15 symbols, see :mod:`game.board`."""
    sighted_ns: int | None = None
    """When the newest frame that shows the board as read was taken."""
    confidence: Mapping[SquareName, Probability] = field(default_factory=dict)
    """The certainty of each changed square, 0 to 1, by square."""
    frames: Mapping[str, Sha256] = field(default_factory=dict)
    """SHA-256 of the pictures by role: ``before``, ``at`` and ``after`` the press."""
    findings: tuple[Finding, ...] = ()
    certainty: Mapping[str, float] | None = field(default=None, metadata=ONLY_IF_SET)
    """The probability, 0 to 1, that ``tiles``, ``player`` and ``time`` (``press_ns``) are right."""
    marked: tuple[SquareName, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """The changed squares that are less sure in one picture than the weights promise (see their
    card). Absent if the weights promise nothing."""
    ended: BoardEnding | None = field(default=None, metadata=ONLY_IF_SET)
    """For a turn without a press: what showed that it had ended. ``press_ns`` is then when its play
    came to rest."""
    lost: tuple[PicturesLost, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """The stretches without pictures between the turn before and the frame that was read."""
    readings: tuple[TurnReading, ...] | None = field(default=None, metadata=ONLY_IF_SET)
    """The likely ways to split the tiles into turns, if somebody has to choose."""
    hands: Mapping[Side, PictureEdge] | None = field(default=None, metadata=ONLY_IF_SET)
    """The edge of the picture from which each player's hand has come so far; absent until that is
    sure. In a game without a clock :class:`GameStarted` has it."""

    @property
    def ended_by_ns(self) -> int:
        """By when the turn had surely ended; without a press, that may be in time unseen."""
        gaps = () if self.ended is None else self.lost or ()
        return max((self.press_ns, *(gap.until_ns for gap in gaps)))


@dataclass(frozen=True, slots=True)
class SecondPlaySeen:
    """A second play lies beside the first one of a turn, and nobody pressed the clock between them.

    Noted if it is not certain that the opponent made the second. If it is certain, the first is a
    :class:`TurnSeen` with ``ended``.
    """

    side: Side
    """The player on turn, who made the first play."""
    tiles: Tiles
    """The tiles of the first play, by square."""
    ended_ns: int
    """When the first play came to rest."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class TilesChanged:
    """Tiles changed after the press that ended the last turn."""

    turn: int
    """The turn that had just ended."""
    rows: Rows
    """The board as it lay then, as in :class:`TurnSeen`."""
    sighted_ns: int
    """When the frame that was read was taken."""
    frames: Mapping[str, Sha256]
    """SHA-256 of the pictures by role: ``at`` and ``after`` the press."""
    t_ns: int

    SAYS = "tiles of turn {turn} changed after the press"


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """The tiles of a play were taken off, or put back, while the clock stood or as it went on.

    Or tiles of a withdrawn play had gone.
    """

    turn: int
    rows: Rows
    """The board as it lay then, as in :class:`TurnSeen`."""
    sighted_ns: int
    """When the frame that was read was taken."""
    frames: Mapping[str, Sha256]
    """SHA-256 of the pictures by role: ``at`` and ``after`` the press."""
    t_ns: int

    SAYS = "after turn {turn} tiles of a play were taken off, or put back"


FACTS = (
    GameStarted
    | ButtonPressed
    | TimePassed
    | TimeUnseen
    | TurnSeen
    | TilesChanged
    | BoardSeen
    | SecondPlaySeen
    | HOUSEKEEPING
)
"""Events that the table saw or noted; all others are people's entries, which people may take
back."""
