"""Frozen values: the quick copy does what the library's does; a grown sequence never changes."""

from __future__ import annotations

import dataclasses

import pytest

from game.board import Board
from game.flags import make_flag
from game.grown import Grown
from game.referee.position import Position
from game.values import replace

TALLY = Position(Board.empty(), 86, {"left": 7, "right": 7}, {"left": 0, "right": 0})
FLAG = make_flag("gap", position="8D")


@pytest.mark.parametrize(
    ("value", "changes"), [(TALLY, {"bag": 3, "turns": ()}), (TALLY, {}), (FLAG, {"rule": "1.2"})]
)
def test_a_copy_is_the_one_that_the_library_makes(value, changes):
    before = repr(value)
    copy = replace(value, **changes)
    assert copy == dataclasses.replace(value, **changes)
    assert copy is not value
    assert repr(value) == before
    with pytest.raises(TypeError, match="strange"):
        replace(value, strange=1)


def test_a_copy_is_frozen_too():
    with pytest.raises(dataclasses.FrozenInstanceError):
        replace(TALLY, bag=1).bag = 2


def test_two_that_are_grown_of_one_differ_and_leave_it_as_it_was():
    one = Grown("ab")
    two, other = one.plus("c"), one.plus("d")
    assert ["".join(each) for each in (one, two, other)] == ["ab", "abc", "abd"]
    assert list(two.plus("e")) == ["a", "b", "c", "e"]


def test_a_grown_sequence_is_looked_into_like_a_tuple():
    whole = Grown(range(5)).plus(5)[:5]
    assert (whole[0], whole[-1], len(whole)) == (0, 4, 5)
    assert list(whole[:2]) == [0, 1]
    assert list(whole[1:4:2]) == [1, 3]
    assert list(reversed(whole)) == [4, 3, 2, 1, 0]
    assert list(whole[:2].plus(9)) == [0, 1, 9]
    for at in (5, -6):
        with pytest.raises(IndexError):
            whole[at]
