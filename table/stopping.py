"""Stop signals that are never lost.

A signal's handler raises ``KeyboardInterrupt`` wherever the main thread is. If it is in a finalizer
that the garbage collector runs, Python prints the exception, drops it, and the program goes on. So
the interrupt is repeated until the exception propagates.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

AGAIN_S: Final = 0.5
"""The seconds between two raises of the interrupt."""


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let SIGINT and SIGTERM (of a service manager) raise ``KeyboardInterrupt`` in here.

    Only the main thread may use it. The signals' handlers are put back at the end.
    """
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.signal(one, _interrupt) for one in signals}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _interrupt_again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in before.items():
            signal.signal(one, handler)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
    raise KeyboardInterrupt


def _interrupt_again(_signal: int, _frame: FrameType | None) -> None:
    """Raise the interrupt again, unless the program is ending because of it."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    raise KeyboardInterrupt
