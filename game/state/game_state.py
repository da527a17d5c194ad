"""The state of a game after some events: the record of those events, and all that follows from it.

:class:`Progress` is the record; :mod:`game.state.derive` computes the rest of a :class:`GameState`
from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
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
    OvertimeErased,
    ResultSigned,
    SecondPlaySeen,
    Side,
    TimeUnseen,
    UnseenTimeCharged,
)
from game.flags import Flag
from game.referee.corrected_sightings import known_board, withdrawn_there
from game.referee.game_over import out_turn
from game.referee.inference import Stop
from game.referee.position import GameConfig, Position, Turn, due
from game.rulebooks.loading import Rulebook
from game.state.ledger import Ledger
from game.state.outcome import Outcome
from game.state.settlement import UNFINISHED, Adjustment, Forfeit
from game.tileset import TileSet
from game.values import Grown, replace

Status = Literal["waiting", "running", "ended"]


ENDED_BY_TURN = (EndReason.OUT, EndReason.SIX_ZEROS, EndReason.OVERTIME_LIMIT)
"""Reasons for which a game ends with a turn, whenever somebody says that it has."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """The clocks of a game that is over by itself.

    ``Progress.clocks`` still follow the presses after the end: they give the time used if it turns
    out that the game was not over.
    """

    reason: str
    turn: int
    """The turn with which the game ended."""
    clocks: Clocks
    """The clocks before any time was given or taken off."""
    restarted: Clocks | None = None
    """The clocks as the opponent's was started again after a player went out, if it was."""

    def unseen(self, gap: TimeUnseen) -> AtEnd:
        """Return the clocks after a time that nobody watched, during which neither ran."""
        restarted = None if self.restarted is None else self.restarted.unseen(gap)
        return replace(self, clocks=self.clocks.unseen(gap), restarted=restarted)

    def until(self, t_ns: int) -> Clocks:
        """Return the clocks at the end, with the opponent's restarted clock stopped at a moment.

        The moment is that at which the opponent accepted the last play. Clocks that had stopped
        earlier stay as they were.
        """
        if self.restarted is None or self.restarted.running is None:
            return self.clocks
        side, then = self.restarted.running, self.restarted.stop(t_ns)
        stood = self.clocks.running is None
        earlier = stood and self.clocks.remaining_ns[side] >= then.remaining_ns[side]
        return self.clocks if earlier else then


@dataclass(frozen=True, slots=True)
class UnseenTime:
    """A time during which nobody watched; the clock that ran was stopped for it."""

    event: TimeUnseen
    side: Side
    """The player whose clock ran."""
    charged: UnseenTimeCharged | None = None
    """The entry that charges the time to a player; None until somebody makes it."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report of something that no camera sees, and the event that answered it."""

    code: str
    side: Side
    named: int | None = None
    """The id of the turn that the report is about; for a rack that lacked tiles, of the turn after
    which too few were drawn. None if there is no such turn."""
    missing: int = 0
    """The number of tiles that the rack lacked."""
    answered: int | None = None
    """The number of the event that carried out a remedy for the report; None if there is none
    yet."""
    event: int = 0
    """The number of the event that made the report."""


@dataclass(frozen=True, slots=True)
class Restart:
    """A start of the opponent's clock by a player who was out."""

    turn: int
    """The number of the turn with which the player went out."""
    at_ns: int


@dataclass(frozen=True, slots=True)
class Erased:
    """Overtime that a director erased, and the clock of its moment."""

    event: OvertimeErased
    clock_ns: int
    """The time on the player's clock at that moment, by the presses alone."""

    def points(self, given_ns: int, before: int, book: Rulebook) -> int:
        """Return the points erased; what is used up later costs its points.

        Args:
            given_ns: the time given to the clock by that moment.
            before: the points erased before.
            book: the rules in force.
        """
        shown = self.clock_ns + given_ns
        due = book.overtime_penalty(shown)
        if book.limit_changes_scores and book.over_limit(shown):
            due = book.overtime_limit_points
        left = max(0, due - before)
        return min(left, self.event.points) if self.event.points else left


@dataclass(frozen=True)
class Progress:
    """The record of a game so far; everything else in a ``GameState`` follows from it."""

    ledger: Ledger
    clocks: Clocks
    """The clocks by the presses alone, before any time was given or taken off."""
    at_end: AtEnd | None = None
    """The clocks at the end of a game that was over by itself; None if it goes on, or was not."""
    given: tuple[tuple[int, Side, int], ...] = ()
    """The times given to clocks: the moment, to which, and how much; below 0 if it was taken
    off."""
    late_ns: Mapping[Side, int] = field(default_factory=dict)
    """The time that each player lost by coming late."""
    ended: GameEnded | None = None
    forfeited: GameForfeited | None = None
    reopened_at: int | None = None
    """How many turns had been seen when the game was reopened; None if it was not."""
    reopened_for: str | None = None
    """The ground on which a signed result was reopened, until it is signed again; else None."""
    opened_unlisted: tuple[GameReopened, ...] = ()
    """The reopenings of a signed result on a ground that the rulebook does not list."""
    first_press_ns: int | None = None
    """When the first press of the game started a clock; None before it."""
    pressed_ns: int | None = None
    """When a press last started a clock; None if none did."""
    stopped_ns: int | None = None
    """When the clock was stopped after the last turn; None if it was not."""
    stops: tuple[Stop, ...] = ()
    """The stops of the clock since the last turn, in order."""
    unseen: Mapping[int, UnseenTime] = field(default_factory=dict)
    """The times during which nobody watched, by the number of the event; somebody is asked about
    each."""
    unseen_stop_ns: int | None = None
    """When both clocks were stopped because nobody watched; None if that is not why they stand."""
    passed_ns: int | None = None
    """The latest time known to have been reached without another press; None if none is known."""
    delays: Mapping[Side, int] = field(default_factory=dict)
    """How often each player kept the opponent from drawing."""
    reports: tuple[Report, ...] = ()
    """Reports of what no camera sees, in the order of entry."""
    notes: tuple[DirectorNoted, ...] = ()
    """Notes of directors, in the order of entry."""
    erased: tuple[Erased, ...] = ()
    """The overtime that was erased, in the order in which it was."""
    early_restart: Restart | None = None
    """The start of the opponent's clock by a player who was out, if it came too soon; else None."""
    second_play: SecondPlaySeen | None = None
    """The event that reports a second play in the open turn; None if there is none."""
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

    @property
    def added_ns(self) -> dict[Side, int]:
        """The time given to each clock; below 0 if it was taken off."""
        added: dict[Side, int] = dict.fromkeys(SIDES, 0)
        for _, side, ns in self.given:
            added[side] += ns
        return added

    def given_by(self, side: Side, t_ns: int) -> int:
        """Return the time given to a clock up to a moment."""
        return sum(ns for at_ns, to, ns in self.given if to == side and at_ns <= t_ns)

    @property
    def charges(self) -> tuple[tuple[int, Side, int], ...]:
        """The charges for times when nobody watched, as in :class:`GameConfig`."""
        if not self.unseen:
            return ()
        return tuple(
            (one.event.from_ns, one.charged.side, one.charged.charged_ns)
            for one in self.unseen.values()
            if one.charged is not None
        )


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
    """The scores with everything counted so far; racks and time are included once the game has
    ended."""
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
    """The forfeit on time under the rulebook, for the director to rule on; None if there is
    none."""
    racks: Mapping[Side, int]
    """The number of tiles on each rack, by count."""
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
        """The position after the last entry of the ledger."""
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
            self._erased(),
            self.progress.charges,
            self._over_since(),
            self.before_play_ns,
        )

    @property
    def before_play_ns(self) -> dict[Side, int]:
        """The time beyond the allotted that ran off clocks before their players came."""
        if not self.rulebook.late_lost or not self.progress.late_ns:
            return {}
        added, allotted_ns = self.progress.added_ns, self.rulebook.clock_ns
        return {side: max(0, -allotted_ns - added[side]) for side in self.progress.late_ns}

    def _over_since(self) -> tuple[int, str | None] | None:
        """Return when somebody ended the game, and the rule by which it is over; None if nobody."""
        event, book, ended = self.progress.forfeited, self.rulebook, self.progress.ended
        if event is None:
            by_turn = ended is None or ended.reason in (*ENDED_BY_TURN, "confirmed")
            return None if ended is None or by_turn else (ended.t_ns, None)
        setting = {"left": "leaving.then", "resigned": "leaving.resigning"}.get(event.cause)
        if event.cause == "overtime":
            setting = "overtime_limit.then"
        elif setting is not None and book.resigning == "as_leaving":
            setting = "leaving.then"
        return event.t_ns, None if setting is None else book.rule(setting)

    def _erased(self) -> dict[Side, int]:
        """Return the points of each player's penalty for overtime that were erased."""
        points: dict[Side, int] = dict.fromkeys(SIDES, 0)
        for one in self.progress.erased:
            side, given = one.event.side, self.progress.given_by(one.event.side, one.event.t_ns)
            points[side] += one.points(given, points[side], self.rulebook)
        return points

    @property
    def added_ns(self) -> Mapping[Side, int]:
        """The time added to each clock; below 0 if more was taken off than given."""
        added = self.progress.added_ns
        for _, side, charged in self.progress.charges:
            added[side] -= charged
        return added

    @property
    def next_side(self) -> Side | None:
        """The side on turn by the turns so far; None before the first turn if nobody named it."""
        return due(self.position, self.config)

    @property
    def out_turn(self) -> Turn | None:
        """The turn with which a player went out; None if nobody has."""
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

    def bag_before(self, number: int) -> int:
        """Return how many tiles were in the bag before a turn."""
        return self.turns[number - 2].bag_count if number > 1 else self.ledger.positions[0].bag

    def known_board(self, seen: Board) -> Board:
        """Return the board before the next play, with tiles in ``seen`` that are no part of it.

        These are earlier tiles that had been taken off or displaced and are back in place, and
        tiles of a withdrawn play that are still on the board.
        """
        position = self.position
        left = withdrawn_there(position, seen)
        return known_board(position, seen).replace({square: seen[square] for square in left})

    def stops_after(self, number: int) -> tuple[Stop, ...]:
        """Return the stops of the clock between a turn and the next one, in order."""
        if number >= len(self.turns):
            return self.progress.stops
        return self.ledger.sightings[number].stops

    def stops_since(self, number: int) -> tuple[Stop, ...]:
        """Return the stops of the clock between a turn and the next one that counts, in order."""
        stops = self.stops_after(number)
        for turn in takewhile(lambda turn: turn.kind == "undone", self.turns[number:]):
            stops += self.stops_after(turn.number)
        return stops

    @property
    def timed(self) -> bool:
        """True if the game is played with a clock."""
        return self.start.hands is None

    @property
    def raw_clocks(self) -> Clocks:
        """The clocks by the presses alone, before any time was given or taken off."""
        return self.progress.clocks

    @property
    def reached_ns(self) -> int:
        """The latest time up to which the clocks are known to have run: a press, or later."""
        progress = self.progress
        known = (self.raw_clocks.since_ns, progress.pressed_ns, progress.passed_ns)
        return max(at_ns or 0 for at_ns in known)

    @property
    def lost_on_time(self) -> bool:
        """True if the limit on overtime ended the game, as under some rulebooks (NASPA V.G.3)."""
        return self.end_reason == EndReason.OVERTIME_LIMIT

    @property
    def ended_but_nobody_out(self) -> bool:
        """True if the game was ended as played out although, by count, nobody is out.

        This happens when the last play comes off in a challenge.
        """
        return self.end_reason == EndReason.OUT and self.out_turn is None

    @property
    def play_off(self) -> bool:
        """True if the last play was off the board when it was last seen while the clock stood."""
        return self.ledger.taken_off

    @property
    def settled(self) -> bool:
        """True if somebody ended the game, or its result was signed.

        A game that is only played out is not settled: a challenge can still undo its end.
        """
        return self.signed is not None or self.progress.settled

    @property
    def lacks_rack(self) -> bool:
        """True if the points of the end depend on a rack that nobody knows yet."""
        return any(
            flag.code == "rack_unknown" and flag.visibility == "public" for flag in self.flags
        )

    @property
    def no_result(self) -> bool:
        """True if the game ended without a result: it was broken off, postponed or set up again."""
        return self.end_reason in UNFINISHED

    @property
    def final(self) -> bool:
        """True if the scores are the result: complete, or signed by both players.

        They are complete if the game is settled and no rack is unknown. A game without a result is
        never final.
        """
        if self.no_result:
            return False
        return self.signed is not None or (self.settled and not self.lacks_rack)

    @property
    def unseen(self) -> Mapping[str, int]:
        """How many of each tile are not on the board; this must not be shown to players."""
        return self.tile_set.unseen(self.board.symbols)


def said_out(state: GameState) -> bool:
    """True if the clock stands because a player has played out, by what somebody says."""
    stopped_ns = state.progress.stopped_ns
    if stopped_ns is None:
        return False
    return state.ledger.rulings_for(len(state.turns)).reason_at(stopped_ns) == "out"


def may_have_stopped(state: GameState) -> bool:
    """True if a stop of the clock may end a turn.

    It may after the game was ended by word, if somebody says only then that a player had played
    out.
    """
    if state.status == "running":
        return True
    by_word = state.progress.ended is not None and state.signed is None
    return by_word and state.out_turn is None and said_out(state)
