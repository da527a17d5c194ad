"""The state of a game as a fold over its events.

``fold(events)`` is ``apply`` over all of them; ``apply(state, event)`` is one step. Both are
pure: the same events give the same state, and nothing is read but the packaged data. What
cannot be (a ruling on a turn that never was, a second start) is refused with
:class:`~game.errors.TilewatchError` and leaves the state as it was, so a recorder applies an
event before it logs it; what can be but should not (a tile moved, a turn out of order) is
kept and flagged.

An amendment (:class:`TurnRuled`, :class:`SquareCorrected`, :class:`BlankDesignated`) is
remembered beside the sightings, and the turns from the first that it touches are taken again
(:mod:`game.state.ledger`). Each keeps the sighting it came from. Turns keep their numbers, unless
one before them is parted, inserted or joined (:mod:`game.state.numbering`). What was entered can be
taken back (:class:`Retracted`): the state is then the one without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import assert_never

from game.board import Board, Square
from game.clock import Clocks
from game.errors import TilewatchError
from game.events import (
    FACTS,
    HOUSEKEEPING,
    ActionTaken,
    BlankDesignated,
    BoardSeen,
    Button,
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    ClockStartedInError,
    DirectorNoted,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    GameStarted,
    HoldCalled,
    InfractionNoted,
    LateStart,
    OvertimeErased,
    PenaltyAdded,
    PicturesDeleted,
    PicturesKept,
    PlayersNamed,
    PlaysAssigned,
    PointsAdjusted,
    RackReported,
    ResultSigned,
    Retracted,
    SecondPlaySeen,
    SetAltered,
    SetSeen,
    Side,
    SquareCorrected,
    StopExplained,
    TableDescribed,
    TilesChanged,
    TimePassed,
    TimeUnseen,
    TroubleNoted,
    TurnRuled,
    TurnSeen,
    UnseenTimeCharged,
    check_event,
)
from game.grown import Grown
from game.plays.change import compare
from game.referee.between_turns import place_of_play
from game.referee.position import Position
from game.rulebooks.loading import STOP, adjusted, load_rulebook
from game.state.declared_events import Declared, declared
from game.state.director_events import apply_director_event
from game.state.forfeits import forfeit_refused
from game.state.game_state import (
    GameState,
    Status,
    advance,
    clocks_stopped,
    derive,
    with_ledger,
)
from game.state.ledger import Ledger
from game.state.noting import noted
from game.state.numbering import named_turn, renumbered
from game.state.observed_events import (
    board_seen,
    pressed,
    second_play_seen,
    tiles_changed,
    time_passed,
    time_unseen,
    turn_seen,
)
from game.state.outcome import raise_refused
from game.state.progress import Progress
from game.state.reports import with_reports
from game.state.restructuring import Restructuring, matched, restructured
from game.state.rulings import (
    clock_ruled,
    credited,
    designated,
    ended,
    grounds,
    reopened,
    report_only,
    require_going_on,
    ruled,
    square_corrected,
)
from game.state.settled_flags import deducted, settle
from game.tileset import load_tile_set
from game.values import replace

__all__ = ["GameState", "Status", "apply", "ends_turn", "fold", "play_was_moved", "stop_ends_turn"]


_OF_A_CLOCK = (
    ButtonPressed
    | SecondPlaySeen
    | TimePassed
    | ClockAdjusted
    | UnseenTimeCharged
    | LateStart
    | StopExplained
    | ClockStartedInError
    | OvertimeErased
)


def fold(events: Iterable[Event], state: GameState | None = None) -> GameState:
    """The state after all events, the first of which starts the game.

    Args:
        events: the events in order.
        state: a snapshot from which to go on; None to begin with the first event.

    Raises:
        TilewatchError: no events, or one that cannot be; the line says which.
    """
    for after in course(events, state):
        state = after
    if state is None:
        raise TilewatchError("no events: a game begins with GameStarted")
    return state


def course(events: Iterable[Event], state: GameState | None = None) -> Iterator[GameState]:
    """Yield the state after each event.

    Args:
        events: the events in order.
        state: a snapshot from which to go on; None to begin with the first event.

    Raises:
        TilewatchError: an event cannot be; the line says which.
    """
    for number, event in enumerate(events, start=1):
        try:
            state = apply(state, event)
        except TilewatchError as error:
            raise TilewatchError(f"event {number}: {error}") from error
        yield state


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
    if not state.timed and isinstance(event, _OF_A_CLOCK):
        raise TilewatchError("this game is played without a clock")
    over = state.settled or state.signed is not None
    if isinstance(event, ButtonPressed | TimeUnseen) and (
        over or (isinstance(event, ButtonPressed) and event.echo_of_ns is not None)
    ):
        # Nothing is started or stopped, whatever is taken back later.
        idle = state.progress.idle | {len(state.progress.events) + 1}
        return _noted(advance(state, replace(state.progress, idle=idle)), event)
    if isinstance(event, HOUSEKEEPING):
        return _noted(state, event, named_turn(state, event))
    if state.signed is not None and not isinstance(event, GameReopened):
        raise TilewatchError(
            "the result was signed; to change it reopen the game for a reason that "
            f"{grounds(state.rulebook)}"
        )
    if state.progress.reopened_for in state.rulebook.signed_report_only and not isinstance(
        event, GameReopened | ResultSigned | PlayersNamed | ButtonPressed | TimeUnseen
    ):
        raise TilewatchError(report_only(state))
    named = named_turn(state, event)
    after = _with_reports(_applied(state, event), event, len(state.progress.events) + 1, named)
    ledger, turns = after.progress.ledger, state.turns
    if ledger is not state.progress.ledger:
        if isinstance(event, Restructuring | DirectorNoted):
            known = matched(state, after)
            turns = tuple(turn or now for turn, now in zip(known, after.turns, strict=True))
        turns = settle(
            turns, ledger.position, ledger.rulings, state.progress.events, event, after.tile_set
        )
    progress = _with_event(after.progress, event, named)
    return _deducted(state, replace(after, turns=turns, progress=progress))


def _deducted(before: GameState, after: GameState) -> GameState:
    """Return a state with the flags for overtime settled whose points have come off."""
    sides = {line.side for line in after.adjustments if line.kind == "overtime"}
    if not sides:
        return after
    number, old = len(after.progress.events), [turn.flags for turn in before.turns]
    old += [()] * (len(after.turns) - len(old))
    turns = tuple(
        replace(turn, flags=deducted(was, turn.flags, number)) if turn.side in sides else turn
        for turn, was in zip(after.turns, old, strict=False)
    )
    return replace(after, turns=turns, flags=deducted(before.flags, after.flags, number))


def _with_reports(after: GameState, event: Event, number: int, named: int | None) -> GameState:
    """Return the state with what event ``number`` reports, and with the reports it answers."""
    reports = with_reports(event, number, named, after.progress, after.rulebook)
    if reports == after.progress.reports:
        return after
    return derive(advance(after, replace(after.progress, reports=reports)))


def _applied(state: GameState, event: Event) -> GameState:
    if isinstance(event, ButtonPressed):
        return pressed(state, event)
    if isinstance(event, TurnSeen):
        return turn_seen(state, event)
    if isinstance(event, Restructuring):
        return restructured(state, event)
    if isinstance(event, Declared):
        return declared(state, event)
    match event:
        case TimePassed():
            return time_passed(state, event)
        case TimeUnseen():
            return time_unseen(state, event)
        case TilesChanged():
            return tiles_changed(state, event)
        case BoardSeen():
            return board_seen(state, event)
        case SecondPlaySeen():
            return second_play_seen(state, event)
        case PlayersNamed():
            return _named(state, event)
        case TurnRuled():
            return ruled(state, event)
        case SquareCorrected():
            return square_corrected(state, event)
        case BlankDesignated():
            return designated(state, event)
        case ChallengeBonus() | PenaltyAdded() | PointsAdjusted() | RackReported():
            return credited(state, event)
        case HoldCalled() | StopExplained() | SetSeen() | SetAltered() | InfractionNoted():
            return apply_director_event(state, event)
        case DirectorNoted():
            return noted(state, event)
        case GameEnded():
            return ended(state, event)
        case ClockAdjusted() | UnseenTimeCharged() | LateStart():
            return clock_ruled(state, event)
        case GameForfeited():
            return _forfeited(state, event)
        case GameReopened():
            return reopened(state, event)
        case ResultSigned():
            if state.status != "ended":
                raise TilewatchError("a result is signed when the game has ended")
            progress = replace(state.progress, reopened_for=None)
            return replace(state, signed=event, progress=progress)
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


def _named(state: GameState, event: PlayersNamed) -> GameState:
    players = MappingProxyType({**state.players, **event.players})
    progress = replace(state.progress, seated=state.progress.seated or bool(state.turns))
    state = advance(replace(state, players=players), progress)
    return with_ledger(state, state.progress.ledger.again(1, state.config))


def _noted(state: GameState, event: Event, named: int | None = None) -> GameState:
    """Return the state with one more event in its list, which names the turn of that id."""
    return advance(state, _with_event(state.progress, event, named))


def _with_event(progress: Progress, event: Event, named: int | None) -> Progress:
    return replace(progress, events=progress.events.plus(event), named=progress.named.plus(named))


def ends_turn(state: GameState, button: Button) -> Side | None:
    """Whose turn a press would end now, if anybody's.

    The first press of a game ends nobody's turn, but that of the player who is to play first if
    the text has it a pass (``opening.press_passes``). Nor does ``neutral``, nor the button of the
    player who is not on turn (after a hold it only starts the other clock again). What a stop
    of the clock ends is for :func:`stop_ends_turn`.
    """
    if state.status == "waiting":
        passes = state.rulebook.first_press_passes and state.start.first == button
        return state.start.first if passes else None
    if button == "neutral" or state.on_turn != button:
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
    if not change.tiles_added:
        return None
    # It may be more than the count says: a tile taken off the board counts as played. And what
    # could not be read may be one of them: better a turn with a square to ask about than none.
    placed = change.tiles_added + len(change.unreadable)
    out = not state.bag_count and placed >= state.racks[side]
    return side if out or STOP in state.rulebook.turn_ends else None


def play_was_moved(state: GameState, seen: Board) -> bool:
    """True if the last play was newly taken off, or put back, since the clock was stopped."""
    if state.settled or state.progress.stopped_ns is None:
        return False
    place = place_of_play(state.progress.ledger.position, seen)
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
        progress=Progress(
            Ledger((), (position,)), Clocks.full(book), events=Grown((event,)), named=Grown((None,))
        ),
    )


def _forfeited(state: GameState, event: GameForfeited) -> GameState:
    require_going_on(state)
    if refused := forfeit_refused(state, event):
        raise TilewatchError(refused)
    stopped = clocks_stopped(state, event.t_ns)
    if event.margin is not None:
        fixed = replace(stopped.progress, forfeited=replace(event, margin=None))
        usual = derive(advance(stopped, fixed)).outcome
        if usual is not None and (why := raise_refused(event, usual, state.rulebook)):
            raise TilewatchError(why)
    return derive(advance(stopped, replace(stopped.progress, forfeited=event)))


def _refuse_said_since(state: GameState, number: int) -> None:
    """Refuse to take back what a tile is, if that was said again with the plays since.

    Raises:
        TilewatchError: it was, so that taking it back would change nothing.
    """
    target = state.progress.events[number - 1]
    if not isinstance(target, SquareCorrected | BlankDesignated):
        return
    square = Square.parse(target.square).name
    for at, later in enumerate(state.progress.events[number:], start=number + 1):
        if not isinstance(later, PlaysAssigned) or at in state.progress.retracted:
            continue
        if any(square in play.tiles for play in later.plays):
            raise TilewatchError(
                f"take back event {at} first: it says which turn the tile on {square} was of"
            )


def _retracted(state: GameState, event: Retracted) -> GameState:
    """The state without an earlier event; the list of events keeps both."""
    number = event.event
    if not 1 <= number <= len(state.progress.events):
        raise TilewatchError(
            f"there is no event {number}; there have been {len(state.progress.events)}"
        )
    target = state.progress.events[number - 1]
    if isinstance(target, FACTS | Retracted):
        raise TilewatchError(
            f"event {number} is {type(target).__name__}: only an entry can be taken back"
        )
    if number in state.progress.retracted:
        raise TilewatchError(f"event {number} has already been taken back")
    if state.signed is not None:
        raise TilewatchError(f"event {number}: the result was signed; reopen the game first")
    if state.progress.reopened_for in state.rulebook.signed_report_only and not isinstance(
        target, PlayersNamed | GameReopened | ResultSigned
    ):
        raise TilewatchError(f"event {number}: {report_only(state)}")
    _refuse_said_since(state, number)
    gone = state.progress.retracted | {number}
    again: GameState | None = None
    end_retracted = False
    for at, kept in enumerate(state.progress.events, start=1):
        if isinstance(kept, Retracted) or at in state.progress.idle:
            continue
        if again is not None:
            # Events keep their numbers.
            events, named = state.progress.events[: at - 1], state.progress.named[: at - 1]
            again = advance(again, replace(again.progress, events=events, named=named))
            if (
                isinstance(kept, ResultSigned | GameReopened)
                and again.status != "ended"
                and end_retracted
            ):
                continue  # a game that goes on now has nothing to sign, and nothing to open again
        if at not in gone:
            then = kept if again is None else renumbered(again, at, kept, state.progress.named)
            again = apply(again, then)
        elif again is not None and isinstance(kept, GameEnded | GameForfeited):
            end_retracted = True
            # It stopped the clocks: the game goes on when somebody starts one.
            again = replace(derive(clocks_stopped(again, kept.t_ns)), turns=again.turns)
    if again is None:
        raise TilewatchError("nothing is left of the game")
    progress = replace(
        again.progress,
        events=state.progress.events.plus(event),
        retracted=gone,
        named=state.progress.named.plus(None),
        idle=state.progress.idle,
    )
    return advance(again, progress)
