"""A game as it stands after some events: what follows from the ledger and the clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from game.board import Board
from game.clock import Clocks, overtime_flags, shown
from game.ending import (
    Adjustment,
    Forfeit,
    Settlement,
    end_reason,
    forfeit,
    settle,
    settle_left,
    settle_limit,
)
from game.events import (
    SIDES,
    ChallengeBonus,
    Event,
    GameEnded,
    GameForfeited,
    GameStarted,
    PenaltyAdded,
    ResultSigned,
    Side,
)
from game.flags import Flag, make_flag
from game.ledger import Ledger, Limit, ends, limit_side
from game.outcome import Outcome, by_limit, forfeited, played
from game.referee import judge
from game.rulebook import Rulebook
from game.tally import Setting, Turn
from game.tileset import TileSet
from game.values import replace

Status = Literal["waiting", "running", "ended"]


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
    """What concerns the game rather than one turn."""
    end_reason: str | None
    """``out``, ``six_zeros``, or what somebody said; None while the game goes on."""
    forfeit: Forfeit | None
    """Who has forfeited on time under the rulebook, for the director to rule on."""
    racks: Mapping[Side, int]
    """Tiles on each rack, by counting."""
    start: GameStarted
    outcome: Outcome | None = None
    """Who won and by what, once the game is over."""
    signed: ResultSigned | None = None
    _ledger: Ledger = field(default_factory=lambda: Ledger((), ()), repr=False)
    _clocks: Clocks | None = field(default=None, repr=False)
    """By the presses alone, before anything was added."""
    _added_ns: Mapping[Side, int] = field(default_factory=dict, repr=False)
    _late_ns: Mapping[Side, int] = field(default_factory=dict, repr=False)
    _ended: GameEnded | None = field(default=None, repr=False)
    _forfeited: GameForfeited | None = field(default=None, repr=False)
    _reopened_at: int | None = field(default=None, repr=False)
    """How many turns had been seen when the game was reopened."""
    _reopened_for: str | None = field(default=None, repr=False)
    """On what ground a signed result was opened, until it is signed again."""
    _pressed_ns: int | None = field(default=None, repr=False)
    _stopped_ns: int | None = field(default=None, repr=False)
    """When the clock was stopped after the last turn, if it was."""
    _passed_ns: int | None = field(default=None, repr=False)
    """How late it is known to have been without a press since the last."""
    _restarted: Side | None = field(default=None, repr=False)
    _set_flags: tuple[Flag, ...] = field(default=(), repr=False)
    """What the check of the set of tiles found."""
    _events: tuple[Event, ...] = field(default=(), repr=False, compare=False)
    _retracted: frozenset[int] = field(default=frozenset(), repr=False, compare=False)

    @property
    def setting(self) -> Setting:
        """What does not change from turn to turn."""
        return Setting(self.players, self.tile_set, self.rulebook, self.start.first, self._added_ns)

    @property
    def raw_clocks(self) -> Clocks:
        """The clocks by the presses alone, before anything was added."""
        return self._clocks or Clocks.full(self.rulebook)

    @property
    def reached_ns(self) -> int:
        """The latest moment at which the clocks are known to have run on: a press, or later."""
        return max(self.raw_clocks.since_ns or 0, self._passed_ns or 0)

    @property
    def lost_on_time(self) -> bool:
        """Whether the limit on overtime has ended the game, as some texts have it (NASPA V.G.3)."""
        return self.end_reason == "overtime_limit"

    @property
    def over_ns(self) -> int | None:
        """When the game ended by itself though nobody had stopped the clock, if it did.

        No time counts from then on (PSA 5.3.4). Where a game goes on that nobody saw end, it
        counts after all: the presses say how much.
        """
        return self.reached_ns if _over_running(self.end_reason, self) else None

    @property
    def play_off(self) -> bool:
        """Whether the last play was last seen off the board while the clock stood after it."""
        return self._ledger.taken_off

    @property
    def settled(self) -> bool:
        """Whether somebody ended the game, or its result was signed.

        One that is only played out can still be undone by a challenge.
        """
        said = (self._ended, self._forfeited, self.signed)
        return any(event is not None for event in said)

    @property
    def lacks_rack(self) -> bool:
        """Whether the end of the game costs or brings a rack that nobody knows yet."""
        return any(
            flag.code == "rack_unknown" and flag.visibility == "public" for flag in self.flags
        )

    @property
    def final(self) -> bool:
        """Whether the scores are the result: everything that the end brings is in them.

        What both players have signed is the result, whatever was not known.
        """
        return self.signed is not None or (self.settled and not self.lacks_rack)

    @property
    def unseen(self) -> Mapping[str, int]:
        """How many of each tile are not on the board; never for players' eyes."""
        return self.tile_set.unseen(self.board.symbols)


def derive(state: GameState) -> GameState:
    """Bring everything that follows from the ledger and the clocks up to date."""
    ledger, tally, setting = state._ledger, state._ledger.tally, state.setting
    book = state.rulebook
    clocks = (state._clocks or Clocks.full(book)).added(state._added_ns)
    lines = _lines(ledger, book)
    limit = ledger.limit
    if limit is None:
        reached = clocks.remaining_ns
        if state._passed_ns is not None:
            reached = {side: clocks.remaining(side, state.reached_ns) for side in SIDES}
        if side := limit_side(reached, setting):
            limit = Limit(side, tally.scores, reached, len(tally.turns))
    lost = None if limit is None else forfeit(limit.side, limit.scores, limit.clocks_ns, book)
    reason = _reason(state, limit, setting)
    scores = dict(tally.scores)
    flags = (*state._set_flags, *_late_flags(state), *_unlisted(state))
    status: Status = "waiting" if state.status == "waiting" else "running"
    outcome: Outcome | None = None
    if reason is not None:
        status = "ended"
        if _over_running(reason, state):
            clocks = clocks.stop(state.reached_ns)
        settled = _settled(state, clocks, reason, limit)
        lines += settled.adjustments
        flags += settled.flags
        scores = dict(settled.scores)
        if state._forfeited is not None:
            outcome = forfeited(state._forfeited, scores, book, lost)
        elif lost is not None:
            outcome = by_limit(lost, scores, book)
        else:
            outcome = played(scores)
    elif clocks.running is None and state._stopped_ns is not None:
        flags += _standing(state)
    if limit is not None and ledger.limit is None:
        flags += _limit_flags(state, limit, flags)
    return replace(
        state,
        board=tally.board,
        turns=tally.turns,
        scores=MappingProxyType(scores),
        status=status,
        bag_count=tally.bag,
        clocks=clocks,
        adjustments=tuple(lines),
        flags=flags,
        end_reason=reason,
        forfeit=lost,
        racks=MappingProxyType(dict(tally.racks)),
        outcome=outcome,
    )


def clocks_stopped(state: GameState, now_ns: int) -> GameState:
    """The state with both clocks stopped: now, or when the game ended by itself."""
    moment = now_ns if state.over_ns is None else state.over_ns
    return replace(state, _clocks=state.raw_clocks.stop(moment))


def _over_running(reason: str | None, state: GameState) -> bool:
    """Whether what ended the game left a clock running that should have been stopped."""
    if reason == "overtime_limit":
        return True
    by_itself = state.rulebook.scoreless_ends == "by_itself"
    return reason == "six_zeros" and by_itself and not state.settled


def _reason(state: GameState, limit: Limit | None, setting: Setting) -> str | None:
    if state._ended is not None:
        return state._ended.reason
    if state._forfeited is not None:
        return f"forfeit_{state._forfeited.cause}"
    tally = state._ledger.tally
    if state._reopened_at is not None and state._reopened_at >= len(tally.turns):
        return None
    if limit is not None and state.rulebook.overtime_limit_then == "lose_by_one":
        return "overtime_limit"
    said = state._ledger.about(len(tally.turns))
    return end_reason(tally, setting, stopped=ends(state._stopped_ns, said))


def _settled(state: GameState, clocks: Clocks, reason: str, limit: Limit | None) -> Settlement:
    tally, setting = state._ledger.tally, state.setting
    gone = state._forfeited
    if limit is not None and state.rulebook.overtime_limit_then == "lose_by_one" and gone is None:
        return settle_limit(limit.side, limit.scores, limit.clocks_ns, setting, limit.after_turn)
    if gone is not None:
        if gone.cause in ("left", "resigned"):
            turns = len(tally.turns)
            resigned = gone.cause == "resigned"
            shown_ns = clocks.remaining_ns
            return settle_left(gone.side, tally.scores, shown_ns, setting, turns, resigned=resigned)
        return Settlement((), (), tally.scores)
    return settle(tally, clocks.remaining_ns, reason, setting)


def _lines(ledger: Ledger, book: Rulebook) -> list[Adjustment]:
    """Bonuses and penalties of the game so far, in order."""
    turns = ledger.tally.turns
    if len(turns) == len(ledger.entries) and not any(t.bonus or t.penalty for t in turns):
        return []  # nothing but turns, and none of them with any: the usual case
    lines = []
    for entry, before, after in zip(
        ledger.entries, ledger.tallies, ledger.tallies[1:], strict=False
    ):
        if isinstance(entry, ChallengeBonus | PenaltyAdded) and entry.points:
            bonus = isinstance(entry, ChallengeBonus)
            lines.append(
                Adjustment(
                    kind="challenge_bonus" if bonus else "penalty",
                    side=entry.side,
                    points=entry.points if bonus else -entry.points,
                    total=after.scores[entry.side],
                    rule=entry.rule,
                    after_turn=len(after.turns),
                    why=entry.why,
                )
            )
        elif len(after.turns) > len(before.turns) and (turn := after.turns[-1]).bonus:
            rule = book.rule("challenge.failed")
            total = turn.total + turn.bonus
            lines.append(
                Adjustment("challenge_bonus", turn.side, turn.bonus, total, rule, turn.number)
            )
        elif len(after.turns) > len(before.turns) and (turn := after.turns[-1]).penalty:
            rule, why = book.rule("exchange.late_points"), "an exchange with too few tiles"
            total = turn.total - turn.penalty
            lines.append(
                Adjustment("penalty", turn.side, -turn.penalty, total, rule, turn.number, why=why)
            )
    return lines


def _late_flags(state: GameState) -> tuple[Flag, ...]:
    """Who started late, with what is left and what may be done about it."""
    if not state._late_ns:
        return ()
    flags = []
    book = state.rulebook
    for side in SIDES:
        lost = state._late_ns.get(side, 0)
        if lost:
            left = book.clock_ns - lost
            text = f"{state.players[side]} came late and starts with {shown(left)} on the clock."
            if left < 0 and book.late_lost:
                text = f"{state.players[side]} came after the clock had run out: the game is lost."
            flag = judge(make_flag("late_start", text, side=side), book)
            over = left < 0 and book.late_lost
            gone = "none" if over else "forfeit" if left >= book.late_option_ns else ""
            kept = tuple(r for r in flag.remedies if r.action != gone)
            flag = replace(flag, remedies=kept)
            flags.append(flag)
    return tuple(flags)


def _limit_flags(state: GameState, limit: Limit, flags: tuple[Flag, ...]) -> tuple[Flag, ...]:
    """The flag for a limit on overtime that was passed with no turn seen to hang it on."""
    if any(flag.code == "overtime_limit" and flag.side == limit.side for flag in flags):
        return ()
    name, left = state.players[limit.side], limit.clocks_ns[limit.side]
    return tuple(
        replace(flag, side=limit.side)
        for flag in overtime_flags(name, left, state.rulebook)
        if flag.code == "overtime_limit"
    )


def _standing(state: GameState) -> tuple[Flag, ...]:
    """The question why the clock stands, while it does and nobody has said."""
    turn = len(state._ledger.tally.turns)
    if state._ledger.about(turn).stop_reason is not None:
        return ()
    text = f"The clock was stopped after turn {turn}: why?" if turn else "The clock stands: why?"
    rule = state.rulebook.rule("stop.reasons")
    return (make_flag("clock_stopped", text, rule=rule, turn=turn),)


def _unlisted(state: GameState) -> tuple[Flag, ...]:
    """Stops of the clock for a reason that the rulebook does not list."""
    book = state.rulebook
    if not book.stop_only or not state._ledger.said:
        return ()
    return tuple(
        judge(
            make_flag(
                "stop_unlisted",
                f"The clock was stopped after turn {turn} for {said.stop_reason}, which is "
                f"not among the reasons allowed.",
                turn=turn,
            ),
            book,
        )
        for turn, said in sorted(state._ledger.said.items())
        if said.stop_reason is not None and said.stop_reason not in book.stop_reasons
    )
