"""A game as it stands after some events: what follows from the ledger and the clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from game.board import Board
from game.clock import Clocks
from game.events import (
    SIDES,
    ButtonPressed,
    EndReason,
    GameStarted,
    ResultSigned,
    Side,
    other,
)
from game.flags import Flag
from game.referee.corrected_sightings import known_board, withdrawn_there
from game.referee.position import GameConfig, Turn, due
from game.rulebooks.loading import Rulebook
from game.state.adjustments import credited_lines
from game.state.ending import (
    UNFINISHED,
    Adjustment,
    Forfeit,
    Settlement,
    end_reason,
    forfeit,
    out_turn,
    scoreless_turn,
    settle,
    settle_left,
    settle_limit,
)
from game.state.game_flags import always_due, limit_flags, standing
from game.state.ledger import Ledger, Limit, Seen, ends, limit_side
from game.state.outcome import Outcome, by_limit, forfeited, played, rated_as_noted
from game.state.progress import AtEnd, Progress
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
        return due(self.progress.ledger.position, self.config)

    def known_board(self, seen: Board) -> Board:
        """Return the board before the next play, as far as what is seen is known to be older.

        With earlier tiles that had gone, or lain elsewhere, and lie there again; and with those of
        a withdrawn play that nobody has taken up.
        """
        position = self.progress.ledger.position
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
        return (
            self.end_reason == EndReason.OUT
            and out_turn(self.progress.ledger.position, self.config) is None
        )

    @property
    def play_off(self) -> bool:
        """True if the last play was last seen off the board while the clock stood after it."""
        return self.progress.ledger.taken_off

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


def advance(state: GameState, progress: Progress) -> GameState:
    """Return the state with another progress, and nothing else brought up to date."""
    return replace(state, progress=progress)


def with_ledger(state: GameState, ledger: Ledger) -> GameState:
    """Return the state with another ledger and everything that follows from it."""
    return derive(advance(state, replace(state.progress, ledger=ledger)))


def derive(state: GameState, config: GameConfig | None = None) -> GameState:
    """Return the state with everything that follows from its progress brought up to date.

    ``config``: ``state.config``, where the caller has it.
    """
    progress, config, book = state.progress, config or state.config, state.rulebook
    ledger, position = progress.ledger, progress.ledger.position
    at_end = None if state.settled else state.progress.at_end
    added_ns = {side: config.added(side) for side in SIDES}
    clocks = (state.raw_clocks if at_end is None else at_end.clocks).added(added_ns)
    lines = credited_lines(ledger, book)
    limit = ledger.limit
    if limit is None:
        reached = clocks.remaining_ns
        if state.progress.passed_ns is not None:
            reached = {side: clocks.remaining(side, state.reached_ns) for side in SIDES}
        if side := limit_side(reached, book):
            limit = Limit(side, position.scores, reached, len(position.turns))
    lost = None if limit is None else forfeit(limit.side, limit.scores, limit.clocks_ns, book)
    reason = _reason(state, limit, config)
    if reason is None and at_end is not None:
        return derive(advance(state, replace(state.progress, at_end=None)))
    if reason is not None and not state.settled:
        at_end = _at_end(state, reason)
        clocks = at_end.clocks.added(added_ns)
    scores = position.scores
    flags = (*state.progress.set_flags, *always_due(state))
    status: Status = "waiting" if state.status == "waiting" else "running"
    outcome: Outcome | None = None
    if reason is not None:
        status = "ended"
        settled = _settled(state, clocks, reason, limit)
        lines += settled.adjustments
        flags += settled.flags
        scores = settled.scores
        outcome = rated_as_noted(_outcome(state, reason, scores, lost), progress.notes)
    elif clocks.running is None and state.progress.stopped_ns is not None:
        flags += standing(state)
    if limit is not None and ledger.limit is None:
        flags += limit_flags(state, limit, flags)
    return replace(
        state,
        board=position.board,
        turns=position.turns,
        scores=MappingProxyType(scores),
        status=status,
        bag_count=position.bag,
        clocks=clocks,
        adjustments=tuple(lines),
        flags=flags,
        end_reason=reason,
        forfeit=lost,
        racks=MappingProxyType(dict(position.racks)),
        outcome=outcome,
        progress=progress if at_end is progress.at_end else replace(progress, at_end=at_end),
    )


def _outcome(
    state: GameState, reason: str, scores: Mapping[Side, int], lost: Forfeit | None
) -> Outcome | None:
    """Who won by what, with the end's points in ``scores``; None if there is no result."""
    if state.progress.forfeited is not None:
        return forfeited(state.progress.forfeited, scores, state.rulebook, lost)
    if reason in UNFINISHED:
        return None
    return played(scores) if lost is None else by_limit(lost, scores, state.rulebook)


def clocks_changed(state: GameState) -> GameState:
    """Return the state brought up to date after its clocks alone changed, one of them running.

    While the game goes on nothing else follows from the clocks of a game, up to the limit.
    """
    clocks = state.raw_clocks.added(state.added_ns)
    if (
        state.status != "running"
        or state.forfeit is not None
        or clocks.running is None
        or state.progress.passed_ns is not None
        or limit_side(clocks.remaining_ns, state.rulebook) is not None
    ):
        return derive(state)
    return replace(state, clocks=clocks)


def clocks_stopped(state: GameState, now_ns: int) -> GameState:
    """The state with both clocks stopped, now or when the game ended by itself."""
    at_end = state.progress.at_end
    clocks = (state.raw_clocks if at_end is None else at_end.clocks).stop(now_ns)
    if at_end is not None:
        at_end = replace(at_end, clocks=clocks)
    return advance(state, replace(state.progress, clocks=clocks, at_end=at_end))


def pressed_at_end(state: GameState, event: ButtonPressed) -> AtEnd | None:
    """How the clocks stand after a press while the game is over by itself.

    A press starts nothing then, but for one: whoever has played out starts the opponent's clock
    again if the text has players stop the clock on playing out (``out.stops``).
    """
    at_end = state.progress.at_end
    if at_end is None:
        return None
    clocks, button = at_end.clocks, event.button
    out = (
        out_turn(state.progress.ledger.position, state.config)
        if at_end.reason == EndReason.OUT
        else None
    )
    if out is not None and button == out.side:
        if state.rulebook.out_stops == "player" and clocks.running is None:
            clocks = clocks.start(other(out.side), event.t_ns)
    else:
        clocks = clocks.stop(event.t_ns)
    return replace(at_end, clocks=clocks)


def _at_end(state: GameState, reason: str) -> AtEnd:
    """How the clocks stand at the end: no time counts from then on (PSA 5.3.4)."""
    ledger = state.progress.ledger
    out = out_turn(ledger.position, state.config) if reason == EndReason.OUT else None
    last = scoreless_turn(ledger.position, state.config) if reason == EndReason.SIX_ZEROS else out
    turn = len(ledger.position.turns) if last is None else last.number
    known = state.progress.at_end
    if known is not None and (known.reason, known.turn) == (reason, turn):
        return known
    clocks = state.raw_clocks.stop(state.reached_ns)
    shown = None if out is None else _shown_before_press(state, out)
    if shown is not None:
        return AtEnd(reason, turn, Clocks(None, None, MappingProxyType(shown)))
    by_opponent = out is not None and state.rulebook.out_stops == "opponent"
    if not by_opponent and (out is not None or turn < len(ledger.position.turns)):
        # Whoever plays out stops the clocks; the opponent's is not charged for the end.
        entries = [entry for entry in ledger.entries if isinstance(entry, Seen)]
        if (shown_ns := entries[turn - 1].clocks_ns) is not None:
            clocks = Clocks(None, None, MappingProxyType(dict(shown_ns)))
    return AtEnd(reason, turn, clocks)


def _reason(state: GameState, limit: Limit | None, config: GameConfig) -> str | None:
    if state.progress.ended is not None:
        return state.progress.ended.reason
    if state.progress.forfeited is not None:
        return f"forfeit_{state.progress.forfeited.cause}"
    position = state.progress.ledger.position
    if state.progress.reopened_at is not None and state.progress.reopened_at >= len(position.turns):
        return None
    if limit is not None and state.rulebook.limit_changes_scores:
        return EndReason.OVERTIME_LIMIT
    rulings = state.progress.ledger.rulings_for(len(position.turns))
    stopped = ends(state.progress.stopped_ns, rulings)
    reason = end_reason(position, config, stopped=stopped)
    if reason is None and state.rulebook.out_stops == "opponent":
        # A stop stays one, whatever is played since; and showing the tiles ends the game too.
        out = out_turn(position, config)
        over = out is not None and (_stopped_since(state, out) or _shown_before_press(state, out))
        reason = EndReason.OUT if over else None
    return reason


def _stopped_since(state: GameState, out: Turn) -> bool:
    """True if the clock was stopped for the end between a player's going out and a later turn."""
    ledger = state.progress.ledger
    later = [entry for entry in ledger.entries if isinstance(entry, Seen)][out.number :]
    return any(
        ends(entry.stopped_ns, ledger.rulings_for(number))
        for number, entry in enumerate(later, start=out.number)
    )


def _shown_before_press(state: GameState, out: Turn) -> dict[Side, int] | None:
    """Return both clocks by the presses alone when the opponent of a player who is out showed.

    None if the tiles were not shown before the player's press.
    """
    entries = [entry for entry in state.progress.ledger.entries if isinstance(entry, Seen)]
    entry = entries[out.number - 1]
    if entry.shown_clock_ns is None or entry.clocks_ns is None:
        return None
    return {**entry.clocks_ns, out.side: entry.shown_clock_ns}


def _settled(state: GameState, clocks: Clocks, reason: str, limit: Limit | None) -> Settlement:
    position, config = state.progress.ledger.position, state.config
    gone = state.progress.forfeited
    if (
        limit is not None
        and state.rulebook.limit_changes_scores
        # By itself, or as the director has entered too.
        and (gone is None or (gone.cause, gone.side) == ("overtime", limit.side))
    ):
        return settle_limit(limit.side, limit.scores, limit.clocks_ns, config, limit.after_turn)
    if gone is not None:
        if gone.cause in ("left", "resigned"):
            turns = len(position.turns)
            resigned = gone.cause == "resigned"
            shown_ns = clocks.remaining_ns
            return settle_left(
                gone.side, position.scores, shown_ns, config, turns, resigned=resigned
            )
        return Settlement((), (), position.scores)
    return settle(position, clocks.remaining_ns, reason, config)
