"""The state of a game as a fold over its events.

``fold(events)`` is ``apply`` over all of them; ``apply(state, event)`` is one step. Both are pure:
the same events give the same state, and nothing is read but the packaged data. An invalid event (a
ruling on a turn that does not exist, a second start) is refused with
:class:`~game.errors.TilewatchError` and leaves the state unchanged, so a recorder applies an event
before it logs it. What happened against the rules (a tile moved, a turn out of order) is kept and
flagged.

An amendment (:class:`TurnRuled`, :class:`SquareCorrected`, :class:`BlankDesignated`) is stored
beside the sightings, and the turns from the first that it changes are computed again
(:mod:`game.state.ledger`). Each turn keeps its sighting. Turns keep their numbers, unless an
earlier turn is divided, inserted or joined (:mod:`game.state.numbering`). An entry can be taken
back (:class:`Retracted`): the state is then the one without that entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import assert_never

from game.board import EMPTY, Board, Square
from game.errors import TilewatchError
from game.events import (
    FACTS,
    HOUSEKEEPING,
    BlankDesignated,
    Button,
    ButtonPressed,
    ClockAdjusted,
    ClockStartedInError,
    DirectorNoted,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    GameStarted,
    LateStart,
    OvertimeErased,
    PlayersNamed,
    PlaysAssigned,
    Reported,
    ResultSigned,
    Retracted,
    SecondPlaySeen,
    Side,
    SquareCorrected,
    StopExplained,
    TimePassed,
    TimeUnseen,
    UnseenTimeCharged,
    check_event,
)
from game.events.declaring import Remark
from game.plays.change import Change, compare, lies_as_play
from game.referee.between_turns import not_seen_gone, place_of_play
from game.rulebooks.loading import STOP
from game.state.clock_events import OnClocks, changed_clocks
from game.state.derive import clocks_stopped, derive
from game.state.end_events import (
    OnTheEnd,
    after_signing,
    ended_by_word,
    grounds,
    names_only,
    names_only_words,
)
from game.state.entered_events import Said, entered
from game.state.game_state import GameState, Progress, Status, may_have_stopped, said_out
from game.state.numbering import named_turn, renumbered
from game.state.observed_events import Observed, observed
from game.state.reports import with_reports
from game.state.restructuring import Restructuring, matched, restructured
from game.state.rulings import OnTurn, said_of_turn
from game.state.settled_flags import deducted, settle
from game.state.start_events import OnStart, put_right, started
from game.values import replace

__all__ = [
    "GameState",
    "Status",
    "apply",
    "ends_turn",
    "fold",
    "may_have_stopped",
    "play_was_moved",
    "said_out",
    "stop_ends_turn",
]


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
_STARTS_OR_STOPS = ButtonPressed | TimeUnseen
_FOR_NAMES_ONLY = ResultSigned | PlayersNamed | ButtonPressed | TimeUnseen
"""The entries that a game takes which was reopened for the names alone."""


def fold(events: Iterable[Event], state: GameState | None = None) -> GameState:
    """Return the state after all events; the first event starts the game.

    Args:
        events: the events in order.
        state: the state to continue from; None if the first event starts the game.

    Raises:
        TilewatchError: there are no events, or one is invalid; the line gives its number.
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
        state: the state to continue from; None if the first event starts the game.

    Raises:
        TilewatchError: an event is invalid; the line gives its number.
    """
    for number, event in enumerate(events, start=1):
        try:
            state = apply(state, event)
        except TilewatchError as error:
            raise TilewatchError(f"event {number}: {error}") from error
        yield state


def apply(state: GameState | None, event: Event) -> GameState:
    """Return the state after one more event; ``state`` is None before the first.

    Raises:
        TilewatchError: the event is invalid here. The given state is unchanged.
    """
    check_event(event)
    if isinstance(event, GameStarted):
        if state is not None:
            raise TilewatchError(f"game {state.game_id!r} has already started")
        return started(event)
    if state is None:
        raise TilewatchError(f"{type(event).__name__} before the game was started")
    if isinstance(event, Retracted):
        return _retracted(state, event)
    if not state.timed and isinstance(event, _OF_A_CLOCK):
        raise TilewatchError("this game is played without a clock")
    if isinstance(event, _STARTS_OR_STOPS) and (
        state.settled or (isinstance(event, ButtonPressed) and event.echo_of_ns is not None)
    ):
        # Nothing is started or stopped, whatever is taken back later.
        idle = replace(state.progress, idle=state.progress.idle | {state.event_number})
        return replace(state, progress=_with_event(idle, event))
    if isinstance(event, HOUSEKEEPING):
        noted = _with_event(state.progress, event, named_turn(state, event))
        return replace(state, progress=noted)
    _require_open(state, event)
    named = named_turn(state, event)
    after = _reported(_applied(state, event), event, named)
    turns = state.turns
    if after.ledger is not state.ledger:
        if isinstance(event, Restructuring | DirectorNoted):
            known = matched(state, after)
            turns = tuple(turn or now for turn, now in zip(known, after.turns, strict=True))
        turns = settle(turns, after, event)
    progress = _with_event(after.progress, event, named)
    return _deducted(state, replace(after, turns=turns, progress=progress))


def _require_open(state: GameState, event: Event) -> None:
    """Refuse an event if the result is signed, or reopened on a ground that does not allow it."""
    if isinstance(event, GameReopened) or after_signing(state, event):
        return
    if state.signed is not None:
        raise TilewatchError(
            "the result was signed; to change it reopen the game for a reason that "
            f"{grounds(state.rulebook)}"
        )
    if names_only(state) and not isinstance(event, _FOR_NAMES_ONLY):
        raise TilewatchError(names_only_words(state))


def _deducted(before: GameState, after: GameState) -> GameState:
    """Return ``after`` with flags for overtime settled if it was deducted at the end, or erased."""
    sides = {line.side for line in after.adjustments if line.kind == "overtime"}
    if after.progress.erased and after.status == "ended":
        sides |= {side for side, points in after.config.erased.items() if points}
    if not sides:
        return after
    number, old = len(after.progress.events), [turn.flags for turn in before.turns]
    old += [()] * (len(after.turns) - len(old))
    turns = tuple(
        replace(turn, flags=deducted(was, turn.flags, number)) if turn.side in sides else turn
        for turn, was in zip(after.turns, old, strict=False)
    )
    return replace(after, turns=turns, flags=deducted(before.flags, after.flags, number))


def _reported(after: GameState, event: Event, named: int | None) -> GameState:
    """Return the state with any report that the event makes or answers."""
    reports = with_reports(event, named, after)
    if reports == after.progress.reports:
        return after
    return derive(after, replace(after.progress, reports=reports))


def _applied(state: GameState, event: Event) -> GameState:
    """Return the state after an event, computed by the step of the event's group."""
    if isinstance(event, Observed):
        return observed(state, event)
    if isinstance(event, OnTurn):
        return said_of_turn(state, event)
    if isinstance(event, Restructuring):
        return restructured(state, event)
    if isinstance(event, Said):
        return entered(state, event)
    if isinstance(event, OnClocks):
        return changed_clocks(state, event)
    if isinstance(event, OnTheEnd):
        return ended_by_word(state, event)
    if isinstance(event, OnStart):
        return put_right(state, event)
    if isinstance(event, Remark):
        return state
    if isinstance(event, GameStarted | Retracted | HOUSEKEEPING):
        raise TilewatchError(f"{type(event).__name__} is not valid after the start of a game")
    assert_never(event)


def _with_event(progress: Progress, event: Event, named: int | None = None) -> Progress:
    """Return the record with one more event; ``named`` is the id of the turn that it names."""
    return replace(progress, events=progress.events.plus(event), named=progress.named.plus(named))


def ends_turn(state: GameState, button: Button) -> Side | None:
    """Return the player whose turn a press would end now; None if it would end no turn.

    The first press of a game ends a turn only if the rulebook counts it as a pass of the player who
    is to play first (``opening.press_passes``). ``neutral`` ends no turn, and neither does the
    button of the player who is not on turn: after a hold it only starts the other clock again. For
    a stop of the clock see :func:`stop_ends_turn`.
    """
    if state.status == "waiting":
        passes = state.rulebook.first_press_passes and state.start.first == button
        return state.start.first if passes else None
    if button == "neutral" or state.on_turn != button:
        return None
    return button


def stop_ends_turn(state: GameState, seen: Board) -> Side | None:
    """Return the player whose turn a stop of the clock ended, judged by the board; else None.

    A player who goes out stops both clocks instead of starting the opponent's. It shows by the
    count of the tiles, or somebody says so: a tile may be left in a bag that the players thought to
    be empty (WESPA 2021 4.6). Under some rulebooks stopping the clock ends any play, even by
    mistake (SANSPA 2001 7.2).
    """
    side = state.on_turn
    if side is None or not may_have_stopped(state):
        return None
    change = compare(state.board, seen)
    if not change.tiles_added or _upset(state, change):
        return None
    # It may be more than the count says: a tile taken off the board counts as played. And what
    # could not be read may be one of them: better a turn with a square to ask about than none.
    placed = change.tiles_added + len(change.unreadable)
    counted_out = not state.bag_count and placed >= state.racks[side]
    out = counted_out or said_out(state)
    return side if out or STOP in state.rulebook.turn_ends else None


def _upset(state: GameState, change: Change) -> bool:
    """True if new tiles are earlier ones that were knocked away, by the board or by a report."""
    since, made = state.progress.stopped_ns or 0, state.progress.events
    upset = (one for one in state.progress.reports if one.code.startswith("board_upset"))
    reports = (made[one.event - 1] for one in upset)
    if any(isinstance(one, Reported) and one.t_ns >= since for one in reports):
        return True
    gone, placed = len(change.removed) + len(change.moved), change.placed
    left = change.after.replace(dict.fromkeys(placed, EMPTY))
    return bool(placed) and gone >= len(placed) and not lies_as_play(left, placed)


def play_was_moved(state: GameState, seen: Board) -> bool:
    """True if the clock stands and the last play has just come off the board or back onto it.

    Also true if a withdrawn tile has gone.
    """
    if state.settled:
        return False
    if not_seen_gone(state.position, seen) != state.position.withdrawn:
        return True
    if state.progress.stopped_ns is None:
        return False
    place = place_of_play(state.position, seen)
    return place == ("on" if state.play_off else "off")


def _retracted(state: GameState, event: Retracted) -> GameState:
    """Return the state without an earlier event; the list of events keeps both."""
    _require_retractable(state, event.event)
    gone = state.progress.retracted | {event.event}
    again = _without(state, gone)
    progress = replace(
        again.progress,
        events=state.progress.events.plus(event),
        retracted=gone,
        named=state.progress.named.plus(None),
        idle=state.progress.idle,
    )
    return replace(again, progress=progress)


def _require_retractable(state: GameState, number: int) -> None:
    """Refuse to retract what is no entry, is retracted already, or is covered by a signature."""
    events = state.progress.events
    if not 1 <= number <= len(events):
        raise TilewatchError(f"there is no event {number}; there have been {len(events)}")
    target = events[number - 1]
    if isinstance(target, FACTS | Retracted):
        raise TilewatchError(
            f"event {number} is {type(target).__name__}: only an entry can be taken back"
        )
    if number in state.progress.retracted:
        raise TilewatchError(f"event {number} has already been taken back")
    if not after_signing(state, target):
        _require_unsigned(state, number, target)
    if isinstance(target, SquareCorrected | BlankDesignated):
        _require_not_said_since(state, number, Square.parse(target.square).name)


def _require_unsigned(state: GameState, number: int, target: Event) -> None:
    """Refuse to retract what the signature, or the ground on which it was opened, covers."""
    if state.signed is not None:
        raise TilewatchError(f"event {number}: the result was signed; reopen the game first")
    if names_only(state) and not isinstance(target, PlayersNamed | GameReopened | ResultSigned):
        raise TilewatchError(f"event {number}: {names_only_words(state)}")


def _require_not_said_since(state: GameState, number: int, square: str) -> None:
    """Refuse to retract a square's symbol that a later ``PlaysAssigned`` also names.

    Retracting it would change nothing.
    """
    for at, later in enumerate(state.progress.events[number:], start=number + 1):
        if not isinstance(later, PlaysAssigned) or at in state.progress.retracted:
            continue
        if any(square in play.tiles for play in later.plays):
            raise TilewatchError(
                f"take back event {at} first: it says which turn laid the tile on {square}"
            )


def _without(state: GameState, gone: AbstractSet[int]) -> GameState:
    """Return the game folded again without the events in ``gone``."""
    events, named = state.progress.events, state.progress.named
    again = apply(None, events[0])
    ends_retracted = False
    for at, kept in enumerate(events[1:], start=2):
        if isinstance(kept, Retracted) or at in state.progress.idle:
            continue
        # Events keep their numbers.
        progress = replace(
            again.progress, events=events[: at - 1], named=named[: at - 1], idle=state.progress.idle
        )
        again = replace(again, progress=progress)
        if at in gone:
            if isinstance(kept, GameEnded | GameForfeited):
                ends_retracted = True
                # It stopped the clocks: the game goes on when somebody starts one.
                stopped = clocks_stopped(again, kept.t_ns)
                again = replace(derive(stopped, stopped.progress), turns=again.turns)
            continue
        goes_on = ends_retracted and again.status != "ended"
        if goes_on and isinstance(kept, ResultSigned | GameReopened):
            continue  # a game that goes on has nothing to sign, and nothing to open again
        again = apply(again, renumbered(again, at, kept, named))
    return again
