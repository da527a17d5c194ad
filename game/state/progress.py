"""The record that a game is folded into: the ledger, the presses, and what ended or reopened it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from game.clock import Clocks
from game.events import (
    DirectorNoted,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    SecondPlaySeen,
    Side,
    TimeUnseen,
    UnseenTimeCharged,
)
from game.flags import Flag
from game.grown import Grown
from game.state.ledger import Ledger


@dataclass(frozen=True, slots=True)
class AtEnd:
    """How the clocks stand while a game is over by itself, whatever is pressed since.

    The clocks by the presses alone (``Progress.clocks``) go on beside them: where it turns out
    that the game was not over, those say how much time was used.
    """

    reason: str
    turn: int
    """The turn with which the game ended."""
    clocks: Clocks
    """Before anything was added."""


@dataclass(frozen=True, slots=True)
class UnseenTime:
    """A time that nobody watched, for which a clock that ran was made to stand."""

    event: TimeUnseen
    side: Side
    """Whose clock it was."""
    charged: UnseenTimeCharged | None = None
    """Whose time it was; None until somebody says so."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report, and the event that answered it."""

    code: str
    side: Side
    named: int | None = None
    """The id of the turn that it is about, or that the player had made last before a rack that
    lacked tiles; None if there is none."""
    missing: int = 0
    """The number of tiles that the rack lacked."""
    answered: int | None = None
    """The number of the event that carried out a remedy for it."""


@dataclass(frozen=True, slots=True)
class Restart:
    """A start of the opponent's clock by a player who was out."""

    turn: int
    """The number of the last play."""
    at_ns: int


@dataclass(frozen=True)
class Progress:
    """How far a game has come; everything else in a ``GameState`` follows from this."""

    ledger: Ledger
    clocks: Clocks
    """By the presses alone, before anything was added."""
    at_end: AtEnd | None = None
    """Set while the game is over and nobody has ended it."""
    added_ns: Mapping[Side, int] = field(default_factory=dict)
    """Time given to each clock, or taken off it."""
    late_ns: Mapping[Side, int] = field(default_factory=dict)
    """Time that each player lost by coming late."""
    ended: GameEnded | None = None
    forfeited: GameForfeited | None = None
    reopened_at: int | None = None
    """How many turns had been seen when the game was reopened."""
    reopened_for: str | None = None
    """The ground on which a signed result was opened, until it is signed again."""
    opened_unlisted: tuple[GameReopened, ...] = ()
    """When a signed result was opened on a ground that the text does not list."""
    first_press_ns: int | None = None
    """The first press of the game, which started a clock."""
    pressed_ns: int | None = None
    """The last press that started a clock."""
    stopped_ns: int | None = None
    """When the clock was stopped after the last turn, if it was."""
    stopped_at_desk: bool = False
    """Nobody but a director at the desk has stopped it since that turn."""
    shown_clock: tuple[Side, int] | None = None
    """Whose clock ran, and what it showed by the presses alone, when the opponent showed the tiles
    in the turn that is open, where showing ends the game of a player who is out."""
    unseen: Mapping[int, UnseenTime] = field(default_factory=dict)
    """The times that nobody watched and that somebody is asked about, by the event's number."""
    unseen_stop_ns: int | None = None
    """Since when both clocks stand because nobody had watched; None while they do not."""
    passed_ns: int | None = None
    """How late it is known to have been without a press since the last."""
    delays: Mapping[Side, int] = field(default_factory=dict)
    """How often each player kept the opponent from drawing."""
    reports: tuple[Report, ...] = ()
    """Reports of what no camera sees, in the order in which it was entered."""
    notes: tuple[DirectorNoted, ...] = ()
    """Notes of directors, in the order in which they were entered."""
    erased: Mapping[Side, int | None] = field(default_factory=dict)
    """Points of each player's penalty for overtime that were erased; None for all of them."""
    early_restart: Restart | None = None
    """When a player who was out started the opponent's clock sooner than the text allows."""
    restarted: Side | None = None
    """Whose clock was started again after that stop."""
    second_play: SecondPlaySeen | None = None
    """Two plays of the open turn that lie on the board, with no press between them."""
    seated: bool = False
    """True if somebody has entered the players' names since the first play."""
    set_flags: tuple[Flag, ...] = ()
    """The flags from the check of the set of tiles."""
    events: Grown[Event] = field(default=Grown[Event](), repr=False, compare=False)
    retracted: frozenset[int] = field(default=frozenset(), repr=False, compare=False)
    """The numbers of events that were taken back."""
    named: Grown[int | None] = field(default=Grown[int | None](), repr=False, compare=False)
    """The id of the turn that each event named; None if it named none."""
    idle: frozenset[int] = field(default=frozenset(), repr=False, compare=False)
    """Presses that started and stopped nothing, because the game had been ended or signed."""

    @property
    def settled(self) -> bool:
        """True if somebody ended the game or it was forfeited."""
        return self.ended is not None or self.forfeited is not None
