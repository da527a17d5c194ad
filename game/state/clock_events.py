"""The fold's steps that change the time on a clock, or what overtime costs."""

from __future__ import annotations

from game.errors import TilewatchError
from game.events import (
    ClockAdjusted,
    ClockStartedInError,
    DrawDelayed,
    LateStart,
    OvertimeErased,
    Side,
    TurnRuled,
    UnseenTimeCharged,
    other,
)
from game.state.clock_history import remaining_at
from game.state.derive import clocks_stopped, derive, with_ledger
from game.state.game_state import Erased, GameState, Progress
from game.state.rulings import require_rule, ruled
from game.values import replace

OnClocks = (
    ClockAdjusted
    | UnseenTimeCharged
    | LateStart
    | ClockStartedInError
    | DrawDelayed
    | OvertimeErased
)


def changed_clocks(state: GameState, event: OnClocks) -> GameState:
    """Return the state after an event that changes the clocks, or the cost of overtime.

    Raises:
        TilewatchError: the rulebook has no such rule, or the event is invalid; the line says why.
    """
    match event:
        case ClockAdjusted():
            return clock_changed(state, event.side, event.added_ns, event.t_ns)
        case UnseenTimeCharged():
            return _unseen_charged(state, event)
        case LateStart():
            return _late_started(state, event)
        case ClockStartedInError():
            return _started_in_error(state, event)
        case DrawDelayed():
            return _delayed(state, event)
        case OvertimeErased():
            return _erased(state, event)


def clock_changed(state: GameState, side: Side, added_ns: int, t_ns: int) -> GameState:
    """Return the state after ``added_ns`` was given to a clock, or taken off if it is below 0."""
    given = (*state.progress.given, (t_ns, side, added_ns))
    return _with_clocks(state, replace(state.progress, given=given))


def _with_clocks(state: GameState, progress: Progress) -> GameState:
    """Return the state with a record whose clocks changed; all turns are computed again."""
    state = replace(state, progress=progress)
    if state.lost_on_time:
        # Given more time, the game goes on when somebody starts a clock.
        state = clocks_stopped(state, state.reached_ns)
    return with_ledger(state, state.ledger.again(1, state.config))


def _unseen_charged(state: GameState, event: UnseenTimeCharged) -> GameState:
    unseen = state.progress.unseen
    if event.event not in unseen:
        raise TilewatchError(
            f"event {event.event} is not a time when a clock ran and nobody watched"
        )
    charged = {**unseen, event.event: replace(unseen[event.event], charged=event)}
    return _with_clocks(state, replace(state.progress, unseen=charged))


def _late_started(state: GameState, event: LateStart) -> GameState:
    late = state.progress.late_ns.get(event.side, 0) + event.lost_ns
    progress = replace(state.progress, late_ns={**state.progress.late_ns, event.side: late})
    return clock_changed(replace(state, progress=progress), event.side, -event.lost_ns, event.t_ns)


def _started_in_error(state: GameState, event: ClockStartedInError) -> GameState:
    require_rule(state.rulebook, "clock_started_in_error")
    if event.turn:
        turn = state.turn(event.turn)
        if turn.side != event.side:
            raise TilewatchError(
                f"turn {turn.number} was {state.players[turn.side]}'s, not "
                f"{state.players[event.side]}'s"
            )
        state = ruled(state, TurnRuled(turn.number, "undone", event.by, event.why, event.t_ns))
    return clock_changed(state, other(event.side), state.rulebook.press_error_ns, event.t_ns)


def _delayed(state: GameState, event: DrawDelayed) -> GameState:
    require_rule(state.rulebook, "draw_delayed")
    before = state.progress.delays.get(event.side, 0)
    delays = {**state.progress.delays, event.side: before + 1}
    state = replace(state, progress=replace(state.progress, delays=delays))
    if not before:
        return state  # the first brings a warning
    return clock_changed(state, other(event.side), state.rulebook.delay_ns, event.t_ns)


def _erased(state: GameState, event: OvertimeErased) -> GameState:
    rule = require_rule(state.rulebook, "overtime_erased")
    lost = state.forfeit is not None and state.forfeit.side == event.side
    if lost and state.rulebook.overtime_limit_then == "lose_by_margin":
        raise TilewatchError(
            f"{state.players[event.side]} has lost by the limit on overtime, and not by a penalty: "
            f"give the disregarded time back on the clock instead ({rule})"
        )
    one = Erased(event, remaining_at(state, event.t_ns)[event.side])
    erased = sorted((*state.progress.erased, one), key=lambda one: one.event.t_ns)
    return derive(state, replace(state.progress, erased=tuple(erased)))
