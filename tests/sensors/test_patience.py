"""Waits that do not count the time for which the process stands still."""

from __future__ import annotations

from sensors.patience import STEP_S, patiently


def test_a_step_in_which_the_process_stood_still_counts_as_one():
    clock, steps = [0.0], []

    def wait(seconds: float) -> bool:
        clock[0] += 30.0 if len(steps) == 1 else seconds
        steps.append(seconds)
        return len(steps) == 8

    assert patiently(wait, 1.0)
    assert len(steps) == 8
    assert clock[0] > 30


def test_patience_ends():
    steps: list[float] = []
    assert not patiently(lambda seconds: bool(steps.append(seconds)), 2.5 * STEP_S)
    assert [round(one, 6) for one in steps] == [STEP_S, STEP_S, round(STEP_S / 2, 6)]
