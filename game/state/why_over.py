"""Why a game is over, in words: by what, and after which turn."""

from __future__ import annotations

from game.events import EndReason
from game.referee.game_over import out_turn, scoreless_turn
from game.state.game_state import GameState


def why_over(state: GameState) -> str:
    """By what a game that has ended is over, to go on from "the game is over:"."""
    last, gone, players = len(state.turns), state.progress.forfeited, state.players
    after = f"after turn {last}" if last else "before the first turn"
    if state.progress.ended is None:
        if gone is not None:
            who = "both players" if gone.cause == "both_absent" else players[gone.side]
            return f"{who} forfeited it {after} ({gone.cause.replace('_', ' ')})"
        position, config = state.position, state.config
        if state.end_reason == EndReason.OVERTIME_LIMIT and state.forfeit is not None:
            return f"{players[state.forfeit.side]} passed the limit on overtime {after}"
        if (out := out_turn(position, config)) is not None:
            return f"{players[out.side]} played out in turn {out.number}"
        if (scoreless := scoreless_turn(position, config)) is not None:
            needed = state.rulebook.scoreless_turns
            return f"turn {scoreless.number} made {needed} scoreless turns in a row"
    return f"it was ended {after} ({str(state.end_reason).replace('_', ' ')})"
