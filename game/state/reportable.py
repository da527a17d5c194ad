"""Reports that cannot be: no rule, no such turn, a recount for which it is too late."""

from __future__ import annotations

from game.errors import TilewatchError
from game.events import Reported
from game.flags import CODES
from game.state.game_state import GameState
from game.state.timed_rights import recount_refused, windows


def require_reportable(state: GameState, event: Reported) -> None:
    """Refuse a report on which the rulebook has no rule, or of a turn that never was.

    Raises:
        TilewatchError: the line says which.
    """
    book = state.rulebook
    if event.what not in book.guidance:
        raise TilewatchError(f"{book.id} has no rule on {CODES[event.what].meaning}")
    if not 0 <= event.turn <= len(state.turns):
        raise TilewatchError(f"there is no turn {event.turn}; {len(state.turns)} have been seen")
    if CODES[event.what].reported == "of_a_turn" and not event.turn:
        raise TilewatchError(f"say which turn it is about: {CODES[event.what].meaning}")

    if event.what.startswith("recount"):
        _require_recount(state, event)


def _require_recount(state: GameState, event: Reported) -> None:
    """Refuse a recount before the end, and one that nobody may ask for any more."""
    if state.status != "ended":
        raise TilewatchError("a game is recounted when it is over")
    if event.what != "recount_asked":
        return
    refused = recount_refused(state)
    window = next((one for one in windows(state) if one.right == "recount"), None)
    if refused is None and (window is None or not window.open_at(event.t_ns)):
        refused = "the time to ask for one is over"
    if refused is not None:
        rule = state.rulebook.guide(event.what).rule
        raise TilewatchError(f"{refused} ({rule}): enter that the recount was refused")
