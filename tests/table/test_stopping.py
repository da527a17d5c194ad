"""A stop signal ends the program, whatever it is doing when it comes."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time

import pytest

from table.stopping import AGAIN_S, interrupted_by_signals
from tests.machine import PATIENCE_S


class Finalized:
    """Gets a signal while its finalizer runs, where Python drops what is raised."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(100):
            time.sleep(0)


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts(which):
    before = signal.getsignal(which)
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        os.kill(os.getpid(), which)
        time.sleep(PATIENCE_S)
    assert signal.getsignal(which) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_signal_that_a_finalizer_swallows_comes_again(monkeypatch):
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: dropped.append(found.exc_type))
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        Finalized()
        gc.collect()
        time.sleep(PATIENCE_S)
    assert dropped == [KeyboardInterrupt]


def test_cleaning_up_after_a_signal_is_not_interrupted_again():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(PATIENCE_S)
        finally:
            until = time.monotonic() + 2.5 * AGAIN_S
            while time.monotonic() < until:
                try:
                    raise OSError("one of its own")
                except OSError:
                    time.sleep(0.01)
            done.append(True)
    assert done == [True]
