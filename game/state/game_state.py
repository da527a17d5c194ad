"""A game as it stands after some events: the record that it was folded into, and all that follows.

:class:`Progress` holds what events said; :mod:`game.state.derive` brings the rest of a
:class:`GameState` up to date with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from game.board import Board
from game.clock import Clocks
from game.errors import TilewatchError
from game.events import (
    SIDES,
    DirectorNoted,
    EndReason,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    GameStarted,
    ResultSigned,
    SecondPlaySeen,
    Side,
    TimeUnseen,
    UnseenTimeCharged,
)
from game.flags import Flag
from game.referee.corrected_sightings import known_board, withdrawn_there
from game.referee.game_over import out_turn
from game.referee.position import GameConfig, Position, Turn, due
from game.rulebooks.loading import Rulebook
from game.state.ledger import Ledger
from game.state.outcome import Outcome
from game.state.settlement import UNFINISHED, Adjustment, Forfeit
from game.tileset import TileSet
from game.values import Grown

Status = Literal["waiting", "running", "ended"]


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


@dataclass(frozen=True)
class GameState:
    """A game as it stands after some events."""

    game_id: str
    players: Mapping[str, str]
    rulebook: Rulebook
    tile_set: TileSet
    board: Board
    turns: tuple[Turn, ...]
    scores: Mapping[Side, int]
    """With everything counted so far; once the game has ended, with racks and time too."""
    status: Status
    on_turn: Side | None
    bag_count: int
    clocks: Clocks
    adjustments: tuple[Adjustment, ...]
    """Bonuses, penalties, racks and time, in order."""
    flags: tuple[Flag, ...]
    """The flags about the game rather than one turn."""
    end_reason: str | None
    """An :class:`~game.terms.EndReason` or another text; None while the game goes on."""
    forfeit: Forfeit | None
    """Who has forfeited on time under the rulebook, for the director to rule on."""
    racks: Mapping[Side, int]
    """Tiles on each rack, by counting."""
    start: GameStarted
    progress: Progress = field(repr=False)
    """The record that all of this follows from."""
    outcome: Outcome | None = None
    """Who won and by what, once the game is over; None if it ended without a result."""
    signed: ResultSigned | None = None

    @property
    def ledger(self) -> Ledger:
        """The sightings and entries of the game, in order, with the positions between them."""
        return self.progress.ledger

    @property
    def position(self) -> Position:
        """How the game stands after the last entry of the ledger."""
        return self.progress.ledger.position

    @property
    def config(self) -> GameConfig:
        """The players, the set and the rules: the same in every turn."""
        return GameConfig(
            self.players,
            self.tile_set,
            self.rulebook,
            self.start.first,
            self.progress.added_ns,
            self.progress.reopened_at or 0,
            self.progress.erased,
            tuple(
                (one.event.from_ns, one.charged.side, one.charged.charged_ns)
                for one in self.progress.unseen.values()
                if one.charged is not None
            ),
        )

    @property
    def added_ns(self) -> Mapping[Side, int]:
        """Time given to each clock on top of what ran, below 0 if more was taken off it."""
        config = self.config
        return {side: config.added(side) for side in SIDES}

    @property
    def next_side(self) -> Side | None:
        """Who is on turn by the turns so far; None before the first if nobody named it."""
        return due(self.position, self.config)

    @property
    def out_turn(self) -> Turn | None:
        """The turn with which a player went out, if one did."""
        return out_turn(self.position, self.config)

    @property
    def event_number(self) -> int:
        """The number that the next event of the game gets."""
        return len(self.progress.events) + 1

    def turn(self, number: int) -> Turn:
        """Return a turn by its number, from 1.

        Raises:
            TilewatchError: there is no such turn.
        """
        if not 1 <= number <= len(self.turns):
            raise TilewatchError(f"there is no turn {number}; {len(self.turns)} have been seen")
        return self.turns[number - 1]

    def known_board(self, seen: Board) -> Board:
        """Return the board before the next play, as far as what is seen is known to be older.

        With earlier tiles that had gone, or lain elsewhere, and lie there again; and with those of
        a withdrawn play that nobody has taken up.
        """
        position = self.position
        left = withdrawn_there(position, seen)
        return known_board(position, seen).replace({square: seen[square] for square in left})

    @property
    def timed(self) -> bool:
        """True if the game is played with a clock."""
        return self.start.hands is None

    @property
    def raw_clocks(self) -> Clocks:
        """The clocks by the presses alone, before anything was added."""
        return self.progress.clocks

    @property
    def reached_ns(self) -> int:
        """The latest moment at which the clocks are known to have run on: a press, or later."""
        return max(self.raw_clocks.since_ns or 0, self.progress.passed_ns or 0)

    @property
    def lost_on_time(self) -> bool:
        """True if the limit on overtime has ended the game, as some texts have it (NASPA V.G.3)."""
        return self.end_reason == EndReason.OVERTIME_LIMIT

    @property
    def ended_but_nobody_out(self) -> bool:
        """True if the game was ended as played out and, by counting, nobody is out.

        So it is once the last play has come off in a challenge.
        """
        return self.end_reason == EndReason.OUT and self.out_turn is None

    @property
    def play_off(self) -> bool:
        """True if the last play was last seen off the board while the clock stood after it."""
        return self.ledger.taken_off

    @property
    def settled(self) -> bool:
        """True if somebody ended the game, or its result was signed.

        One that is only played out can still be undone by a challenge.
        """
        return self.signed is not None or self.progress.settled

    @property
    def lacks_rack(self) -> bool:
        """True if the end of the game costs or brings a rack that nobody knows yet."""
        return any(
            flag.code == "rack_unknown" and flag.visibility == "public" for flag in self.flags
        )

    @property
    def no_result(self) -> bool:
        """True if the game ended without a result: it was broken off, or never begun."""
        return self.end_reason in UNFINISHED

    @property
    def final(self) -> bool:
        """True if the scores are the result: everything that the end brings is in them.

        What both players have signed is the result, whatever was not known.
        """
        if self.no_result:
            return False
        return self.signed is not None or (self.settled and not self.lacks_rack)

    @property
    def unseen(self) -> Mapping[str, int]:
        """How many of each tile are not on the board; never for players' eyes."""
        return self.tile_set.unseen(self.board.symbols)
