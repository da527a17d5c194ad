"""A grown sequence never changes, whatever is grown of it."""

from __future__ import annotations

import pytest

from game.grown import Grown


def test_two_that_are_grown_of_one_differ_and_leave_it_as_it_was():
    one = Grown("ab")
    two, other = one.plus("c"), one.plus("d")
    assert [list(each) for each in (one, two, other)] == [
        ["a", "b"],
        ["a", "b", "c"],
        ["a", "b", "d"],
    ]
    assert list(two.plus("e")) == ["a", "b", "c", "e"]


def test_it_is_looked_into_like_a_tuple():
    whole = Grown(range(5)).plus(5)[:5]
    assert (whole[0], whole[-1], len(whole)) == (0, 4, 5)
    assert list(whole[:2]) == [0, 1]
    assert list(whole[1:4:2]) == [1, 3]
    assert list(reversed(whole)) == [4, 3, 2, 1, 0]
    assert list(whole[:2].plus(9)) == [0, 1, 9]
    for at in (5, -6):
        with pytest.raises(IndexError):
            whole[at]
