"""The clocks at an earlier moment, by the presses alone."""

from __future__ import annotations

from collections.abc import Mapping

from game.clock import Clocks
from game.events import (
    SIDES,
    ButtonPressed,
    Event,
    GameEnded,
    GameForfeited,
    RackReported,
    Side,
    TimeUnseen,
    other,
)
from game.referee.inference import Seen
from game.state.game_state import GameState
from game.state.ledger import Ledger


def clocks_at(state: GameState, t_ns: int) -> Clocks:
    """Return the clocks as they ran or stood at a moment, before any time was given or taken.

    They stand as they were at an earlier end, if one holds.
    """
    over_ns = over_earlier_ns(state)
    if over_ns is None or over_ns > t_ns:
        return clocks_by_presses(state, t_ns)
    return clocks_by_presses(state, over_ns).stop(over_ns)


def over_earlier_ns(state: GameState) -> int | None:
    """Return the moment for which the game was ended, if turns were taken after it; else None."""
    over = state.config.over_since
    if over is None or not any(turn.press_ns > over[0] for turn in state.turns):
        return None
    return over[0]


def clocks_by_presses(state: GameState, t_ns: int | None = None) -> Clocks:
    """Return the clocks at a moment, whenever the game was over; those of now without a moment.

    An end, for whatever moment it was entered, stopped only the clock that ran at its entry.
    """
    clocks, changed_ns = Clocks.full(state.rulebook), state.start.t_ns
    for number, event in enumerate(state.progress.events, start=1):
        at_ns, after = _changed(clocks, event)
        if after is clocks or number in state.progress.idle:
            continue
        changed_ns = max(changed_ns, at_ns)
        if t_ns is not None and changed_ns > t_ns:
            break
        clocks = after
    return clocks


def _changed(clocks: Clocks, event: Event) -> tuple[int, Clocks]:
    """Return the moment of an event that started or stopped a clock, and the clocks after it."""
    match event:
        case TimeUnseen():
            return event.from_ns, clocks.unseen(event)
        case GameEnded() | GameForfeited() | ButtonPressed(echo_of_ns=None, button="neutral"):
            return event.t_ns, clocks.stop(event.t_ns)
        case ButtonPressed(echo_of_ns=None, button="left" | "right" as side):
            started = clocks.start(other(side), event.t_ns)
            return event.t_ns, clocks if clocks.running == other(side) else started
        case _:
            return 0, clocks


def remaining_at(state: GameState, t_ns: int) -> Mapping[Side, int]:
    """Return the time on each clock at a moment, by the presses alone."""
    clocks = clocks_at(state, t_ns)
    return {side: clocks.remaining(side, t_ns) for side in SIDES}


def shown_clock_ns(state: GameState, ledger: Ledger, seen: Seen, at: int) -> int | None:
    """Return what a player's clock showed when the opponent showed the rack during a turn.

    With the bag empty, the player may be out with that turn, and have forgotten to stop the clock.

    Args:
        state: the state with the presses.
        ledger: the ledger with the racks that were shown.
        seen: the turn.
        at: its index in the ledger, or the one that it gets.

    Returns:
        the time by the presses alone; None if no rack was shown while the clock ran, or if showing
            it has no effect under the rulebook.
    """
    if not state.rulebook.out_showing_stops or seen.clocks_ns is None:
        return None
    side = seen.event.side
    for shown in _shown_before(ledger, at, other(side)):
        clocks = clocks_at(state, shown.t_ns)
        if clocks.running == side:
            return clocks.remaining(side, shown.t_ns)
    return None


def _shown_before(ledger: Ledger, at: int, side: Side) -> list[RackReported]:
    """Return the racks that a player showed since the last turn, with the bag empty, in order."""
    found: list[RackReported] = []
    for number in reversed(range(at)):
        entry = ledger.entries[number]
        if isinstance(entry, Seen):
            break
        if isinstance(entry, RackReported) and entry.side == side:
            found += [] if ledger.positions[number].bag else [entry]
    return found[::-1]
