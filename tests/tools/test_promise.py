"""The least certainty with which squares may count as read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.train.promise_boards import RISK, Squares, binomial_tail, joined, least_certainty


def squares(right: list[float], wrong: list[float]) -> Squares:
    certainty = np.array([*right, *wrong], np.float32).astype(np.float64)
    return Squares(certainty, np.array([False] * len(right) + [True] * len(wrong), bool))


@pytest.mark.parametrize(
    ("count", "trials", "share", "tail"),
    [(0, 10, 0.5, 0.5**10), (10, 10, 0.5, 1.0), (1, 4, 0.25, 0.75**4 + 4 * 0.25 * 0.75**3)],
)
def test_the_binomial_tail(count, trials, share, tail):
    assert binomial_tail(count, trials, share) == pytest.approx(tail)


@pytest.mark.parametrize(
    ("right", "wrong", "least"),
    [
        (59_000, [], None),  # too few squares prove nothing
        (60_000, [], 0.0),
        (112_498, [1.0, 1.0], None),
        # Of 112,500 squares one may be wrong and not two: 0.0239 and 0.0809, against 0.05.
        (112_497, [0.95, 0.9, 0.8], 0.9),
    ],
)
def test_the_first_mistake_too_many_is_excluded(right, wrong, least):
    found = least_certainty(squares([1.0] * right, wrong))
    assert found == (least and pytest.approx(least, abs=1e-6))
    if least:
        assert squares([], wrong).silent(found) == 1


@given(
    st.lists(st.floats(0, 1, width=32), max_size=40),
    st.floats(0.01, 0.3),
    st.integers(50, 400),
)
def test_what_is_left_above_it_passes_the_test_and_any_lower_one_does_not(wrong, risk, right):
    seen = squares([0.5] * right, wrong)
    count = len(seen.wrong)
    sure = least_certainty(seen, risk)
    if sure is None:
        assert binomial_tail(seen.silent(1.0), count, risk) > 0.05
        return
    assert binomial_tail(seen.silent(sure), count, risk) <= 0.05
    lower = [one for one in wrong if one < sure]
    if lower:
        assert binomial_tail(seen.silent(max(lower)), count, risk) > 0.05


def test_marked_and_silent_are_counted():
    seen = joined([squares([0.99, 0.5], [0.95]), squares([1.0], [])])
    assert seen.marked(0.9) == 0.25
    assert seen.silent(0.9) == 1
    assert seen.silent(0.96) == 0
    assert RISK == 1 / 20_000
