"""Waits that only count the time in which this process runs.

A process may be paused, or get a small share of a busy machine. Whatever it waits for then comes
late but has not failed. So a wait is counted in short steps: a step that took longer because the
process was paused still counts as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

STEP_S: Final = 0.1


def patiently(wait: Callable[[float], bool], seconds: float) -> bool:
    """Wait for something for up to ``seconds``, not counting time in which this process is paused.

    ``wait`` waits for at most the seconds it is given; it returns True if the thing has come.
    Returns True if it has come, False if the time is up.
    """
    left_s = seconds
    while left_s > 0:
        if wait(min(left_s, STEP_S)):
            return True
        left_s -= STEP_S
    return False
