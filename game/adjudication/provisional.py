"""Whether an open question may still change the result of a game that is over."""

from __future__ import annotations

from game.adjudication.remedies import offers
from game.flags import QUESTIONS, Flag
from game.referee.position import Turn
from game.state.game_state import GameState


def is_provisional(state: GameState) -> bool:
    """True if the result is there, but not signed, and a question is open that may change it.

    Nothing is said of a game that may still go on: that would tell players of a doubt.
    """
    if not state.final or state.signed is not None:
        return False
    return any(
        flag.code in QUESTIONS and flag.settled is None and _can_be_answered(state, turn, flag)
        for turn in (*state.turns, None)
        for flag in (state.flags if turn is None else turn.flags)
    )


def _can_be_answered(state: GameState, turn: Turn | None, flag: Flag) -> bool:
    return not flag.remedies or any(offer.open for offer in offers(state, turn, flag))
