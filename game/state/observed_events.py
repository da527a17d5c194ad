"""The fold's steps for what the table saw: presses, turns, changed tiles, the board at a stop."""

from __future__ import annotations

from game.board import EMPTY, Square
from game.errors import TilewatchError
from game.events import (
    SIDES,
    BoardSeen,
    ButtonPressed,
    EndReason,
    SecondPlaySeen,
    Side,
    TilesChanged,
    TimePassed,
    TimeUnseen,
    TurnSeen,
    other,
)
from game.referee.inference import Seen, Stop
from game.referee.position import last_turn
from game.state.clock_history import shown_clock_ns
from game.state.derive import clocks_changed, derive, pressed_at_end, with_ledger
from game.state.game_state import AtEnd, GameState, Restart, Status, UnseenTime, may_have_stopped
from game.state.ledger import Ledger
from game.values import replace

Observed = (
    ButtonPressed | TurnSeen | TimePassed | TimeUnseen | TilesChanged | BoardSeen | SecondPlaySeen
)


def observed(state: GameState, event: Observed) -> GameState:
    """Return the state after a press, a sighting or a report that time has passed.

    Raises:
        TilewatchError: a sighting of the board is not about the last turn, or comes after the end.
    """
    match event:
        case ButtonPressed():
            return _pressed(state, event)
        case TurnSeen():
            return _turn_seen(state, event)
        case TimePassed():
            return _time_passed(state, event)
        case TimeUnseen():
            return _time_unseen(state, event)
        case TilesChanged() | BoardSeen():
            return _board_seen(state, event)
        case SecondPlaySeen():
            return _second_play_seen(state, event)


def _pressed(state: GameState, event: ButtonPressed) -> GameState:
    clocks, now = state.raw_clocks, event.t_ns
    if state.lost_on_time and now >= state.reached_ns:
        return state  # one that was made in time, and is heard of late, is taken as ever
    if state.progress.pressed_ns is not None:
        now = max(now, state.progress.pressed_ns)
    at_end = None if state.lost_on_time else pressed_at_end(state, event)
    if event.button == "neutral":
        stopped = None if state.status == "waiting" else now
        if at_end == state.progress.at_end is not None and state.progress.stopped_ns is not None:
            stopped = state.progress.stopped_ns  # both stood already
        progress = replace(
            state.progress,
            clocks=clocks.stop(now),
            at_end=at_end,
            passed_ns=None,
            unseen_stop_ns=None,
            stopped_ns=stopped,
            stops=_stops(state, now, stopped, at_desk=bool(event.by)),
        )
        return derive(state, progress)
    side: Side = event.button
    opponent = other(side)
    early = _restarted_early(state, at_end, now) or state.progress.early_restart
    if clocks.running == opponent:
        # Pressing one's own button again does nothing to a clock.
        if at_end == state.progress.at_end:
            return state
        return derive(state, replace(state.progress, at_end=at_end, early_restart=early))
    on_turn, status, stops = state.on_turn, state.status, state.progress.stops
    if status == "waiting":
        status, on_turn = "running", opponent
    elif on_turn == side:
        on_turn = opponent
    elif stops:
        stops = (*stops[:-1], replace(stops[-1], restarted=opponent))
    progress = replace(
        state.progress,
        clocks=clocks.start(opponent, now),
        at_end=at_end,
        early_restart=early,
        pressed_ns=now,
        first_press_ns=now if state.status == "waiting" else state.progress.first_press_ns,
        passed_ns=None,
        unseen_stop_ns=None,
        stops=stops,
    )
    after = replace(state, status=status, on_turn=on_turn, progress=progress)
    return derive(after, progress) if clocks.running is None else clocks_changed(after)


def _stops(
    state: GameState, now: int, stopped_ns: int | None, *, at_desk: bool
) -> tuple[Stop, ...]:
    """Return the stops since the last turn after the neutral button was pressed.

    ``stopped_ns`` is the stop since which both clocks stand, None before the first turn. A press
    while they stand at the end is a stop of its own only if the one before it has a reason.
    """
    known, stops = state.ledger.rulings_for(len(state.turns)), state.progress.stops
    if stopped_ns is None:
        return ()
    if stopped_ns != now and (
        state.raw_clocks.running is None or known.reason_for(stopped_ns) is None
    ):
        return stops
    return (*stops, Stop(now, at_desk))


def _restarted_early(state: GameState, at_end: AtEnd | None, now_ns: int) -> Restart | None:
    """Return the restart of the opponent's clock if it came too soon after the out play.

    None if the press restarted no clock, or came late enough.
    """
    before = state.progress.at_end
    if at_end is None or before is None or at_end.clocks.running == before.clocks.running:
        return None
    if at_end.clocks.running is None or at_end.reason != EndReason.OUT:
        return None
    late = now_ns - state.turns[at_end.turn - 1].press_ns >= state.rulebook.out_restart_ns
    return None if late else Restart(at_end.turn, now_ns)


def _time_passed(state: GameState, event: TimePassed) -> GameState:
    if state.status == "ended" and state.clocks.running is None:
        return state
    passed_ns = max(event.t_ns, state.progress.passed_ns or 0)
    return derive(state, replace(state.progress, passed_ns=passed_ns))


def _time_unseen(state: GameState, event: TimeUnseen) -> GameState:
    """Return the state after a time during which nobody watched: it counts on no clock."""
    side, progress = state.clocks.running, state.progress
    if side is None:
        return state
    at_end = progress.at_end
    progress = replace(
        progress,
        clocks=progress.clocks.unseen(event),
        at_end=None if at_end is None else at_end.unseen(event),
    )
    if not event.runs_on:
        asked = UnseenTime(event, side)
        progress = replace(
            progress,
            unseen={**progress.unseen, state.event_number: asked},
            unseen_stop_ns=event.t_ns,
        )
    return derive(state, progress)


def _turn_seen(state: GameState, event: TurnSeen) -> GameState:
    by_stop = state.progress.stopped_ns == event.press_ns and may_have_stopped(state)
    if state.progress.settled and not by_stop:
        raise TilewatchError("a turn was seen after the game was ended")
    clocks, on_turn = state.raw_clocks, state.on_turn
    current = state.progress.pressed_ns is None or event.press_ns >= state.progress.pressed_ns
    shown = None
    if state.progress.pressed_ns is not None:
        shown = {side: clocks.remaining_ns[side] for side in SIDES}
        if clocks.running == event.side and current:
            shown[event.side] = clocks.remaining(event.side, event.press_ns)
    # A stop at the very press that ended the turn is the end of that turn, not one before it.
    stopped = state.progress.stopped_ns
    earlier = stopped if stopped is not None and stopped < event.press_ns else None
    stops = state.progress.stops
    entry = Seen(
        event,
        shown,
        tuple(stop for stop in stops if stop.at_ns < event.press_ns),
        at_stop=stopped == event.press_ns,
        passed=_first_press(state, event),
        id=state.event_number,
    )
    shown_ns = shown_clock_ns(state, state.ledger, entry, state.ledger.place(entry))
    ledger = state.ledger.append(replace(entry, shown_clock_ns=shown_ns), state.config)
    if state.end_reason is not None and not _plays(ledger):
        return state  # nothing was played: an idle press, or the board is being cleared
    if current and on_turn in (event.side, None):
        on_turn = other(event.side)
    status: Status = "running" if state.status == "waiting" else state.status
    progress = replace(
        state.progress,
        stopped_ns=stopped if earlier is None else None,
        stops=tuple(stop for stop in stops if stop.at_ns >= event.press_ns),
        second_play=None,
        ledger=ledger,
    )
    return derive(replace(state, on_turn=on_turn, status=status), progress)


def _plays(ledger: Ledger) -> bool:
    """True if the last turn is a play, or shows that the play before it was challenged off."""
    new = ledger.position.turns[-1]
    before = last_turn(ledger.position.turns[:-1])
    off = before is not None and ledger.inferred.get(before.number) == "challenge_upheld"
    return bool(new.tiles or new.open_tiles) or off


def _first_press(state: GameState, event: TurnSeen) -> bool:
    """True if the turn ended with the game's first press and the rulebook makes that a pass."""
    return (
        state.rulebook.first_press_passes
        and event.side == state.start.first
        and not state.turns
        and event.press_ns == state.progress.first_press_ns
    )


def _board_seen(state: GameState, event: TilesChanged | BoardSeen) -> GameState:
    """Return the state after tiles changed since the last press, or the board was seen again."""
    name = type(event).__name__
    if event.turn != len(state.turns) or not state.turns:
        raise TilewatchError(f"{name}: turn {event.turn} is not the last one seen")
    if state.progress.settled:
        raise TilewatchError(f"{name}: the game was ended; its board is no longer watched")
    if state.status == "ended" and isinstance(event, TilesChanged):
        raise TilewatchError(f"{name}: the game is over; changed tiles are no longer noted")
    return with_ledger(state, state.ledger.append(event, state.config))


def _second_play_seen(state: GameState, event: SecondPlaySeen) -> GameState:
    if state.status != "running" or event.side != state.on_turn:
        raise TilewatchError(f"SecondPlaySeen: it is not {event.side}'s turn")
    for name in event.tiles:
        if state.board[Square.parse(name)] != EMPTY:
            raise TilewatchError(f"SecondPlaySeen: a tile lay on {name} before")
    return derive(state, replace(state.progress, second_play=event))
