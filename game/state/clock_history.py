"""The clocks at an earlier moment, by the presses alone."""

from __future__ import annotations

from collections.abc import Mapping

from game.clock import Clocks
from game.events import (
    SIDES,
    ButtonPressed,
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
    """Return the clocks as they ran or stood at a moment, before any time was given or taken."""
    clocks, idle = Clocks.full(state.rulebook), state.progress.idle
    for number, event in enumerate(state.progress.events, start=1):
        match event:
            case TimeUnseen() if event.from_ns <= t_ns:
                clocks = clocks.unseen(event)
            case GameEnded() | GameForfeited() if event.t_ns <= t_ns:
                clocks = clocks.stop(event.t_ns)
            case ButtonPressed(echo_of_ns=None) if event.t_ns <= t_ns and number not in idle:
                if event.button == "neutral":
                    clocks = clocks.stop(event.t_ns)
                elif clocks.running != other(event.button):
                    clocks = clocks.start(other(event.button), event.t_ns)
    return clocks


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
