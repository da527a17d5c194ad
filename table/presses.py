"""Which presses of the clock count."""

from __future__ import annotations

from typing import Final

from game.state.fold import GameState
from sensors.debounce import Timing
from sensors.interfaces import Press

_BOTH_NS: Final = Timing().both_ns


def echo_of_ns(state: GameState, press: Press) -> int | None:
    """Return when the other button passed the clock on, if this press was one blow with it."""
    passed_ns = state.progress.pressed_ns
    if passed_ns is None or state.clocks.running != press.button:
        return None
    return passed_ns if 0 <= press.t_ns - passed_ns < _BOTH_NS else None
