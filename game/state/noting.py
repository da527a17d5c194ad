"""The fold's step for a director's note: its effect on scores, clocks and the turn."""

from __future__ import annotations

from game.errors import TilewatchError
from game.events import SIDES, DirectorNoted
from game.state.game_state import GameState, advance, derive, with_ledger
from game.state.restructuring import with_turn_lost
from game.state.rulings import clock_changed, turn_of
from game.values import replace


def noted(state: GameState, event: DirectorNoted) -> GameState:
    """Return the state with the effect of a note.

    Raises:
        TilewatchError: there is no such turn or clock, or the turn was not that player's to lose.
    """
    if event.turn:
        turn_of(state, event.turn)
    if event.added_ns and not state.timed:
        raise TilewatchError("this game is played without a clock")
    if event.turn_lost is not None:
        state = with_turn_lost(state, event.turn_lost, event)
    if event.score or event.spread:
        state = with_ledger(state, state.progress.ledger.append(event, state.config))
    for side in SIDES:
        if added_ns := event.added_ns.get(side):
            state = clock_changed(state, side, added_ns)
    notes = (*state.progress.notes, event)
    return derive(advance(state, replace(state.progress, notes=notes)))
