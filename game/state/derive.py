"""Everything in a game's state that follows from its record: positions, scores, flags, the end."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from game.clock import Clocks
from game.events import SIDES, ButtonPressed, EndReason, Side, other
from game.referee.game_over import end_reason, out_turn, scoreless_turn
from game.referee.position import GameConfig, Turn
from game.referee.turn_rulings import TurnRulings
from game.state.clock_history import clocks_at
from game.state.game_flags import always_due, limit_flags, standing, stood_at_end
from game.state.game_state import AtEnd, GameState, Progress, Status
from game.state.ledger import Ledger, Limit, limit_side, until_limit_ns, without
from game.state.outcome import Outcome, by_limit, forfeited, played, rated_as_noted
from game.state.settlement import (
    UNFINISHED,
    Forfeit,
    Settlement,
    credited_lines,
    forfeit,
    settle,
    settle_left,
    settle_limit,
)
from game.state.timed_rights import acceptance
from game.values import replace


def with_ledger(state: GameState, ledger: Ledger) -> GameState:
    """Return the state with another ledger and everything that follows from it."""
    return derive(state, replace(state.progress, ledger=ledger))


def derive(state: GameState, progress: Progress) -> GameState:
    """Return the state with this record, and with everything that follows from the record."""
    state = replace(state, progress=progress)
    config, book = state.config, state.rulebook
    ledger, position = progress.ledger, progress.ledger.position
    at_end = progress.at_end
    added_ns = state.added_ns
    clocks = _clocks(state, at_end).added(added_ns)
    lines = credited_lines(ledger, book)
    limit = ledger.limit
    if limit is None:
        reached = clocks.remaining_ns
        if progress.passed_ns is not None:
            reached = {side: clocks.remaining(side, state.reached_ns) for side in SIDES}
        if side := limit_side(reached, config.before_play_ns, book):
            at_ns = _used_up_ns(state, clocks, side)
            then = without(position.scores, ledger.credited_after(at_ns))
            limit = Limit(side, then, reached, len(position.turns), at_ns)
    lost = None if limit is None else forfeit(limit.side, limit.scores, limit.clocks_ns, book)
    reason = _reason(state, limit, config)
    if reason is None and at_end is not None:
        return derive(state, replace(progress, at_end=None))
    if reason is not None and not state.settled:
        at_end = _at_end(state, reason)
        clocks = _clocks(state, at_end).added(added_ns)
    scores = position.scores
    flags = (*progress.set_flags, *always_due(state))
    status: Status = "waiting" if state.status == "waiting" else "running"
    outcome: Outcome | None = None
    if reason is not None:
        status = "ended"
        settled = _settled(state, clocks, reason, limit)
        lines += settled.adjustments
        flags += settled.flags
        flags += stood_at_end(state)
        scores = settled.scores
        outcome = rated_as_noted(_outcome(state, reason, settled, lost), progress.notes)
    elif clocks.running is None and progress.stopped_ns is not None:
        flags += standing(state)
    if limit is not None and not _carried(position.turns, limit.side):
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


def _carried(turns: Sequence[Turn], side: Side) -> bool:
    """True if a turn of the player has the flag for the limit; one that is no turn has none."""
    own = [turn for turn in turns if turn.side == side]
    return any(flag.code == "overtime_limit" for turn in own for flag in turn.flags)


def _used_up_ns(state: GameState, clocks: Clocks, side: Side) -> int:
    """Return when a player used up the overtime, by the clocks as they stand or run."""
    raw, progress = state.raw_clocks, state.progress
    if raw.since_ns is not None:  # `clocks` may be those of the end already
        at_ns, clocks = raw.since_ns, raw.added(state.added_ns)
    else:
        stopped_ns, by_word = progress.stopped_ns, progress.ended or progress.forfeited
        if by_word is not None and (stopped_ns is None or stopped_ns < (progress.pressed_ns or 0)):
            stopped_ns = by_word.t_ns  # which stopped the clock
        at_ns = state.reached_ns if stopped_ns is None else stopped_ns
    return at_ns + until_limit_ns(clocks.remaining_ns, side, state.config)


def _outcome(
    state: GameState, reason: str, settled: Settlement, lost: Forfeit | None
) -> Outcome | None:
    """Return the result by scores that include the points of the end; None if there is none."""
    scores = settled.scores
    if state.progress.forfeited is not None:
        then = without(scores, settled.late)
        return forfeited(state.progress.forfeited, scores, then, state.rulebook, lost)
    if reason in UNFINISHED:
        return None
    return played(scores) if lost is None else by_limit(lost, scores, state.rulebook)


def clocks_changed(state: GameState) -> GameState:
    """Return the state after nothing but its clocks changed.

    While the game goes on, nothing else depends on the clocks until one exceeds the limit on
    overtime. So usually only the clocks are updated; otherwise the whole state is computed again.
    """
    clocks = state.raw_clocks.added(state.added_ns)
    if (
        state.status != "running"
        or state.forfeit is not None
        or clocks.running is None
        or state.progress.passed_ns is not None
        or limit_side(clocks.remaining_ns, state.before_play_ns, state.rulebook) is not None
    ):
        return derive(state, state.progress)
    return replace(state, clocks=clocks)


def clocks_stopped(state: GameState, now_ns: int) -> GameState:
    """Return the state with both clocks stopped, at ``now_ns`` or when the game ended by itself."""
    at_end = state.progress.at_end
    clocks = (state.raw_clocks if at_end is None else at_end.clocks).stop(now_ns)
    if at_end is not None:
        at_end = replace(at_end, clocks=clocks)
    return replace(state, progress=replace(state.progress, clocks=clocks, at_end=at_end))


def pressed_at_end(state: GameState, event: ButtonPressed) -> AtEnd | None:
    """Return the clocks after a press while the game is over by itself; None if it is not over.

    Such a press starts no clock, with one exception: the player who went out may start the
    opponent's clock again if the rulebook has players stop the clock on playing out
    (``out.stops``).
    """
    at_end = state.progress.at_end
    if at_end is None:
        return None
    clocks, button = at_end.clocks, event.button
    out = state.out_turn if at_end.reason == EndReason.OUT else None
    if out is not None and button == out.side:
        if state.rulebook.out_stops == "player" and clocks.running is None:
            clocks = clocks.start(other(out.side), event.t_ns)
            return replace(at_end, clocks=clocks, restarted=clocks)
    else:
        clocks = clocks.stop(event.t_ns)
    return replace(at_end, clocks=clocks)


def _clocks(state: GameState, at_end: AtEnd | None) -> Clocks:
    """Return the clocks, by the presses alone, with no time on them after the end of the game.

    Whoever accepted the last play has ended the game, whatever stops the clock then, and however
    late that is entered: by releasing a hold or by word, or by showing the tiles where that ends
    the time (NASPA V.E, SANSPA 18.2, WESPA 2021 5.1.3(b), 5.3.4, PSA 5.3.4).
    """
    clocks = state.raw_clocks if at_end is None else at_end.clocks
    out = None if at_end is None and not state.progress.settled else state.out_turn
    if out is None:
        return clocks
    if (shown := _shown_before_press(state, out)) is not None:
        return Clocks(None, None, MappingProxyType(shown))
    accepted = acceptance(state, out)
    moments = [accepted[0]] if accepted is not None and state.rulebook.out_showing_stops else []
    if state.rulebook.out_stops == "opponent":
        return _stopped_at(state, clocks, other(out.side), moments)
    rulings = state.ledger.rulings_for(out.number)
    if rulings.accepted is not None and rulings.ruling is None:
        moments.append(rulings.accepted.moment_ns)
    return at_end.until(min(moments)) if moments and at_end is not None else clocks


def _stopped_at(state: GameState, clocks: Clocks, side: Side, moments: list[int]) -> Clocks:
    """Return the clocks with a player's stopped at the first of these moments, if it was later."""
    if not moments:
        return clocks
    then_ns = clocks_at(state, min(moments)).remaining(side, min(moments))
    if then_ns <= clocks.remaining_ns[side]:
        return clocks
    return Clocks(None, None, MappingProxyType({**clocks.remaining_ns, side: then_ns}))


def _at_end(state: GameState, reason: str) -> AtEnd:
    """Return the clocks at the end of the game: no time counts after it (PSA 5.3.4)."""
    ledger = state.ledger
    out = out_turn(ledger.position, state.config) if reason == EndReason.OUT else None
    last = scoreless_turn(ledger.position, state.config) if reason == EndReason.SIX_ZEROS else out
    turn = len(ledger.position.turns) if last is None else last.number
    known = state.progress.at_end
    if known is not None and (known.reason, known.turn) == (reason, turn):
        return known
    if known is not None and known.turn == turn and known.restarted is not None:
        # An entry that becomes known late may still show when the opponent's time ended.
        return replace(known, reason=reason, clocks=known.clocks.stop(state.reached_ns))
    clocks = state.raw_clocks.stop(state.reached_ns)
    by_opponent = out is not None and state.rulebook.out_stops == "opponent"
    if not by_opponent and (out is not None or turn < len(ledger.position.turns)):
        # Whoever plays out stops the clocks; the opponent's is not charged for the end.
        entries = ledger.sightings
        if (shown_ns := entries[turn - 1].clocks_ns) is not None:
            clocks = Clocks(None, None, MappingProxyType(dict(shown_ns)))
    return AtEnd(reason, turn, clocks)


def _reason(state: GameState, limit: Limit | None, config: GameConfig) -> str | None:
    if state.progress.ended is not None:
        return state.progress.ended.reason
    if state.progress.forfeited is not None:
        return f"forfeit_{state.progress.forfeited.cause}"
    position = state.position
    if state.progress.reopened_at is not None and state.progress.reopened_at >= len(position.turns):
        return None
    if limit is not None and state.rulebook.limit_changes_scores:
        return EndReason.OVERTIME_LIMIT
    rulings = state.ledger.rulings_for(len(position.turns))
    stopped = _ends(state.progress.stopped_ns, rulings)
    reason = end_reason(position, config, stopped=stopped)
    if reason is None and state.rulebook.out_stops == "opponent":
        # A stop stays one, whatever is played since; and showing the tiles ends the game too.
        out = out_turn(position, config)
        over = out is not None and (_stopped_since(state, out) or _shown_before_press(state, out))
        reason = EndReason.OUT if over else None
    return reason


def _stopped_since(state: GameState, out: Turn) -> bool:
    """True if, after the out play and before a later turn, the clock was stopped for the end."""
    ledger = state.ledger
    later = ledger.sightings[out.number :]
    return any(
        _ends(stop.at_ns, ledger.rulings_for(number))
        for number, entry in enumerate(later, start=out.number)
        for stop in entry.stops
    )


def _shown_before_press(state: GameState, out: Turn) -> dict[Side, int] | None:
    """Return the clocks, by the presses alone, when the opponent showed the rack.

    None if it was not shown before the press of the player who is out.
    """
    entries = state.ledger.sightings
    entry = entries[out.number - 1]
    if entry.shown_clock_ns is None or entry.clocks_ns is None:
        return None
    return {**entry.clocks_ns, out.side: entry.shown_clock_ns}


def _settled(state: GameState, clocks: Clocks, reason: str, limit: Limit | None) -> Settlement:
    position, config = state.position, state.config
    gone = state.progress.forfeited
    if (
        limit is not None
        and state.rulebook.limit_changes_scores
        # By itself, or as the director has entered too.
        and (gone is None or (gone.cause, gone.side) == ("overtime", limit.side))
    ):
        late = state.ledger.credited_after(limit.at_ns)
        return settle_limit(
            limit.side, limit.scores, limit.clocks_ns, config, limit.after_turn
        ).with_late(late)
    if gone is not None:
        if gone.cause in ("left", "resigned"):
            turns = len(position.turns)
            resigned = gone.cause == "resigned"
            shown_ns = clocks.remaining_ns
            late = state.ledger.credited_after(gone.t_ns)
            then = without(position.scores, late)
            return settle_left(
                gone.side, then, shown_ns, config, turns, resigned=resigned
            ).with_late(late)
        return Settlement((), (), position.scores)
    return settle(position, clocks.remaining_ns, reason, config)


def _ends(stopped_ns: int | None, rulings: TurnRulings) -> bool:
    """True if the clock was stopped after a turn and that stop may have ended the game."""
    if stopped_ns is None:
        return False
    reason = rulings.reason_for(stopped_ns)
    if reason == "challenge":
        # The play stands, and nothing else is due.
        return rulings.ruling in ("challenge_failed", "challenge_withdrawn")
    return reason in (None, "six_zeros", "out")
