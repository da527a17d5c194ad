"""The state of a game as a fold over its events.

``fold(events)`` is ``apply`` over all of them; ``apply(state, event)`` is one step. Both are
pure: the same events give the same state, and nothing is read but the packaged data. What
cannot be (a ruling on a turn that never was, a second start) is refused with
:class:`~game.errors.TilewatchError` and leaves the state as it was, so a recorder applies an
event before it logs it; what can be but should not (a tile moved, a turn out of order) is
kept and flagged.

An amendment (:class:`TurnRuled`, :class:`SquareCorrected`, :class:`BlankDesignated`) is
remembered beside the sightings, and the turns from the first that it touches are taken again
(:mod:`game.state.ledger`). Turns keep their numbers. Each keeps the sighting it came from. Whatever
was said can be taken back (:class:`Retracted`): the state is then the one without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import assert_never

from game.board import Board, Square
from game.clock import Clocks
from game.errors import TilewatchError
from game.events import (
    FACTS,
    HOUSEKEEPING,
    SIDES,
    ActionTaken,
    BlankDesignated,
    BoardSeen,
    Button,
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    GameStarted,
    HoldCalled,
    InfractionNoted,
    LateStart,
    PenaltyAdded,
    PicturesDeleted,
    PicturesKept,
    PlayersNamed,
    RackReported,
    ResultSigned,
    Retracted,
    SetSeen,
    Side,
    SquareCorrected,
    StopExplained,
    TableDescribed,
    TilesChanged,
    TimePassed,
    TroubleNoted,
    TurnRuled,
    TurnSeen,
    check_event,
    other,
)
from game.plays.change import compare
from game.referee.between_turns import place_of_play
from game.referee.position import Position
from game.rulebooks.loading import STOP, adjusted, load_rulebook
from game.state.director_events import apply_director_event
from game.state.ending import out_turn
from game.state.game_state import GameState, Status, clocks_stopped, derive, pressed_at_end
from game.state.ledger import Ledger, Seen, trial
from game.state.outcome import raise_refused
from game.state.rulings import (
    amended,
    clock_changed,
    credited,
    designated,
    grounds,
    reopened,
    report_only,
    ruled,
)
from game.state.settled_flags import settle
from game.tileset import load_tile_set
from game.values import replace

__all__ = ["GameState", "Status", "apply", "ends_turn", "fold", "play_was_moved", "stop_ends_turn"]


def fold(events: Iterable[Event], state: GameState | None = None) -> GameState:
    """The state after all events, the first of which starts the game.

    Args:
        events: the events in order.
        state: a snapshot from which to go on; None to begin with the first event.

    Raises:
        TilewatchError: no events, or one that cannot be; the line says which.
    """
    for number, event in enumerate(events, start=1):
        try:
            state = apply(state, event)
        except TilewatchError as error:
            raise TilewatchError(f"event {number}: {error}") from error
    if state is None:
        raise TilewatchError("no events: a game begins with GameStarted")
    return state


def apply(state: GameState | None, event: Event) -> GameState:
    """The state after one more event; ``None`` before the first.

    Raises:
        TilewatchError: the event cannot be. The given state is still good.
    """
    check_event(event)
    if isinstance(event, GameStarted):
        if state is not None:
            raise TilewatchError(f"game {state.game_id!r} has already started")
        return _started(event)
    if state is None:
        raise TilewatchError(f"{type(event).__name__} before the game was started")
    if isinstance(event, Retracted):
        return _retracted(state, event)
    if isinstance(event, HOUSEKEEPING):
        return replace(state, _events=(*state._events, event))
    if state.signed is not None and not isinstance(event, GameReopened | ButtonPressed):
        raise TilewatchError(
            f"{type(event).__name__}: the result was signed; to change it reopen the game for "
            f"a reason that {grounds(state.rulebook)}"
        )
    if state._reopened_for in state.rulebook.signed_report_only and not isinstance(
        event, GameReopened | ResultSigned | PlayersNamed | ButtonPressed
    ):
        raise TilewatchError(f"{type(event).__name__}: {report_only(state)}")
    if isinstance(event, ButtonPressed) and (state.settled or state.signed is not None):
        # The game is over: nothing is started, whatever is taken back later.
        idle = state._idle | {len(state._events) + 1}
        return replace(state, _events=(*state._events, event), _idle=idle)
    after = _applied(state, event)
    ledger, turns = after._ledger, state.turns
    if ledger is not state._ledger:
        turns = settle(turns, ledger.position, ledger.rulings, state._events, event, after.tile_set)
    return replace(after, turns=turns, _events=(*state._events, event))


def _applied(state: GameState, event: Event) -> GameState:
    match event:
        case ButtonPressed():
            return _pressed(state, event)
        case TimePassed() if state.status == "ended":
            return state
        case TimePassed():
            passed_ns = max(event.t_ns, state._passed_ns or 0)
            return derive(replace(state, _passed_ns=passed_ns))
        case TurnSeen():
            return _seen(state, event)
        case TilesChanged():
            return _changed(state, event)
        case BoardSeen():
            return _board_seen(state, event)
        case PlayersNamed():
            names = {**state.players, **event.players}
            state = replace(state, players=MappingProxyType(names))
            return derive(replace(state, _ledger=state._ledger.again(1, state.config)))
        case TurnRuled():
            return ruled(state, event)
        case SquareCorrected():
            square = Square.parse(event.square)
            return amended(state, event.turn, square, event.symbol, event.t_ns)
        case BlankDesignated():
            return designated(state, event)
        case ChallengeBonus() | PenaltyAdded() | RackReported():
            return credited(state, event)
        case HoldCalled() | StopExplained() | SetSeen() | InfractionNoted():
            return apply_director_event(state, event)
        case GameEnded():
            _require_going_on(state)
            return derive(replace(clocks_stopped(state, event.t_ns), _ended=event))
        case ClockAdjusted():
            return clock_changed(state, event.side, event.added_ns)
        case LateStart():
            late = state._late_ns.get(event.side, 0) + event.lost_ns
            late_ns = {**state._late_ns, event.side: late}
            return clock_changed(replace(state, _late_ns=late_ns), event.side, -event.lost_ns)
        case GameForfeited():
            return _forfeited(state, event)
        case GameReopened():
            return reopened(state, event)
        case ResultSigned():
            if state.status != "ended":
                raise TilewatchError("a result is signed when the game has ended")
            return replace(state, signed=event, _reopened_for=None)
        case (
            GameStarted()
            | Retracted()
            | TableDescribed()
            | PicturesKept()
            | PicturesDeleted()
            | TroubleNoted()
            | ActionTaken()
        ):
            raise TilewatchError(f"{type(event).__name__} cannot be here")
        case _:
            assert_never(event)


def ends_turn(state: GameState, button: Button) -> Side | None:
    """Whose turn a press would end now, if anybody's.

    The first press of a game ends nobody's turn, nor does ``neutral``, nor the button of the
    player who is not on turn (after a hold it only starts the other clock again). What a stop
    of the clock ends is for :func:`stop_ends_turn`.
    """
    if state.status == "waiting" or button == "neutral" or state.on_turn != button:
        return None
    return button


def stop_ends_turn(state: GameState, seen: Board) -> Side | None:
    """Whose turn a stop of the clock ended, by the board as it lay then, if anybody's.

    Whoever plays out stops both clocks instead of starting the opponent's. Under a text that
    has it so any play ends when the clock is stopped, be it by a slip (SANSPA 2001 7.2).
    """
    side = state.on_turn
    if side is None or state.status != "running":
        return None
    change = compare(state.board, seen)
    if not change.placed:
        return None
    # It may be more than the count says: a tile taken off the board counts as played. And what
    # could not be read may be one of them: better a turn with a square to ask about than none.
    laid = len(change.placed) + len(change.unreadable)
    out = not state.bag_count and laid >= state.racks[side]
    return side if out or STOP in state.rulebook.turn_ends else None


def play_was_moved(state: GameState, seen: Board) -> bool:
    """Whether the last play was taken off since the clock was stopped, or put back, as news."""
    if state.settled or state._stopped_ns is None:
        return False
    place = place_of_play(state._ledger.position, seen)
    return place == ("on" if state.play_off else "off")


def _started(event: GameStarted) -> GameState:
    book = adjusted(load_rulebook(event.rulebook), event.adjust)
    tiles = load_tile_set(event.tile_set)
    board = Board.empty() if event.rows is None else Board.from_rows(event.rows)
    position = Position.opening(board, tiles, book)
    return GameState(
        game_id=event.game_id,
        players=MappingProxyType(dict(event.players)),
        rulebook=book,
        tile_set=tiles,
        board=board,
        turns=(),
        scores=MappingProxyType(dict(position.scores)),
        status="waiting",
        on_turn=event.first,
        bag_count=position.bag,
        clocks=Clocks.full(book),
        adjustments=(),
        flags=(),
        end_reason=None,
        forfeit=None,
        racks=MappingProxyType(dict(position.racks)),
        start=event,
        _ledger=Ledger((), (position,)),
        _clocks=Clocks.full(book),
        _events=(event,),
    )


def _pressed(state: GameState, event: ButtonPressed) -> GameState:
    clocks, now = state.raw_clocks, event.t_ns
    if state.lost_on_time and now >= state.reached_ns:
        return state  # one that was made in time, and is heard of late, is taken as ever
    if state._pressed_ns is not None:
        now = max(now, state._pressed_ns)
    at_end = None if state.lost_on_time else pressed_at_end(state, event)
    if event.button == "neutral":
        stopped = None if state.status == "waiting" else now
        if at_end == state._at_end is not None and state._stopped_ns is not None:
            stopped = state._stopped_ns  # both stood already
        state = replace(state, _clocks=clocks.stop(now), _at_end=at_end)
        return derive(replace(state, _passed_ns=None, _stopped_ns=stopped))
    side: Side = event.button
    if clocks.running == other(side):
        # Pressing one's own button again does nothing to a clock.
        return state if at_end == state._at_end else derive(replace(state, _at_end=at_end))
    on_turn, status, restarted = state.on_turn, state.status, state._restarted
    if status == "waiting":
        status, on_turn = "running", other(side)
    elif on_turn == side:
        on_turn = other(side)
    elif state._stopped_ns is not None:
        restarted = other(side)
    return derive(
        replace(
            state,
            status=status,
            on_turn=on_turn,
            _clocks=clocks.start(other(side), now),
            _at_end=at_end,
            _pressed_ns=now,
            _passed_ns=None,
            _restarted=restarted,
        )
    )


def _seen(state: GameState, event: TurnSeen) -> GameState:
    if state._ended is not None or state._forfeited is not None:
        raise TilewatchError("a turn was seen after the game was ended")
    clocks, on_turn = state.raw_clocks, state.on_turn
    current = state._pressed_ns is None or event.press_ns >= state._pressed_ns
    shown = None
    if state._pressed_ns is not None:
        shown = {side: clocks.remaining_ns[side] for side in SIDES}
        if clocks.running == event.side and current:
            shown[event.side] = clocks.remaining(event.side, event.press_ns)
    # A stop at the very press that ended the turn is the end of that turn, not one before it.
    stopped = state._stopped_ns
    earlier = stopped if stopped is not None and stopped < event.press_ns else None
    restarted = state._restarted if earlier is not None else None
    entry = Seen(event, shown, earlier, restarted, at_stop=stopped == event.press_ns)
    if state.end_reason is not None and not trial(state._ledger, entry, state.config):
        return state  # nothing was played: an idle press, or the board is being cleared
    if current and on_turn in (event.side, None):
        on_turn = other(event.side)
    state = derive(
        replace(
            state,
            on_turn=on_turn,
            status="running" if state.status == "waiting" else state.status,
            _stopped_ns=stopped if earlier is None else None,
            _restarted=None,
            _ledger=state._ledger.append(entry, state.config),
        )
    )
    out = out_turn(state._ledger.position)
    if state.end_reason == "out" and out is not None and out.number == len(state.turns):
        # Whoever plays out stops the clocks; the opponent's is not charged for the end.
        state = derive(replace(state, _clocks=state.raw_clocks.stop(event.press_ns)))
    return state


def _changed(state: GameState, event: TilesChanged) -> GameState:
    if event.turn != len(state.turns) or not state.turns:
        raise TilewatchError(f"TilesChanged: turn {event.turn} is not the last one seen")
    if state.status == "ended":
        raise TilewatchError("TilesChanged: the game is over, and its tiles are nobody's business")
    return derive(replace(state, _ledger=state._ledger.append(event, state.config)))


def _board_seen(state: GameState, event: BoardSeen) -> GameState:
    if event.turn != len(state.turns) or not state.turns:
        raise TilewatchError(f"BoardSeen: turn {event.turn} is not the last one seen")
    if state._ended is not None or state._forfeited is not None:
        raise TilewatchError("BoardSeen: the game was ended, and its tiles are nobody's business")
    return derive(replace(state, _ledger=state._ledger.append(event, state.config)))


def _forfeited(state: GameState, event: GameForfeited) -> GameState:
    _require_going_on(state)
    stopped = clocks_stopped(state, event.t_ns)
    if event.margin is not None:
        usual = derive(replace(stopped, _forfeited=replace(event, margin=None))).outcome
        if usual is not None and (why := raise_refused(event, usual, state.rulebook)):
            raise TilewatchError(why)
    return derive(replace(stopped, _forfeited=event))


def _require_going_on(state: GameState) -> None:
    if state._ended is not None or state._forfeited is not None:
        raise TilewatchError("the game has already been ended")


def _retracted(state: GameState, event: Retracted) -> GameState:
    """The state without an earlier event; the list of events keeps both."""
    number = event.event
    if not 1 <= number <= len(state._events):
        raise TilewatchError(f"there is no event {number}; there have been {len(state._events)}")
    target = state._events[number - 1]
    if isinstance(target, (*FACTS, Retracted)):
        raise TilewatchError(
            f"event {number} is {type(target).__name__}: only what somebody said can be taken back"
        )
    if number in state._retracted:
        raise TilewatchError(f"event {number} has already been taken back")
    if state.signed is not None:
        raise TilewatchError(f"event {number}: the result was signed; reopen the game first")
    if state._reopened_for in state.rulebook.signed_report_only and not isinstance(
        target, PlayersNamed | GameReopened | ResultSigned
    ):
        raise TilewatchError(f"event {number}: {report_only(state)}")
    gone = state._retracted | {number}
    again: GameState | None = None
    for at, kept in enumerate(state._events, start=1):
        if isinstance(kept, Retracted) or at in state._idle:
            continue
        if again is not None:
            again = replace(again, _events=state._events[: at - 1])  # events keep their numbers
        if at not in gone:
            again = apply(again, kept)
        elif again is not None and isinstance(kept, GameEnded | GameForfeited):
            # It stopped the clocks: the game goes on when somebody starts one.
            again = derive(clocks_stopped(again, kept.t_ns))
    if again is None:
        raise TilewatchError("nothing is left of the game")
    return replace(again, _events=(*state._events, event), _retracted=gone, _idle=state._idle)
