"""Waits that count the time for which this process runs.

A process may be stopped, or get a small share of a busy machine. Whatever it waits for is late by
as long then, and has not failed. So a wait is counted in steps: one that took longer, as the
process stood still, counts as one step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

STEP_S: Final = 0.1


def patiently(wait: Callable[[float], bool], seconds: float) -> bool:
    """Wait for something until so many seconds of this process's own have passed.

    ``wait`` waits for at most as many seconds as it is given, and returns True once it has come.
    Returns False if it has not come.
    """
    left_s = seconds
    while left_s > 0:
        if wait(min(left_s, STEP_S)):
            return True
        left_s -= STEP_S
    return False
