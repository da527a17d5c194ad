"""The quick copy of frozen values does what the library's does."""

from __future__ import annotations

import dataclasses

import pytest

from game.board import Board
from game.flags import make_flag
from game.referee.position import Position
from game.values import replace

TALLY = Position(Board.empty(), 86, {"left": 7, "right": 7}, {"left": 0, "right": 0})
FLAG = make_flag("gap", position="8D")


@pytest.mark.parametrize(
    ("value", "changes"), [(TALLY, {"bag": 3, "turns": ()}), (TALLY, {}), (FLAG, {"rule": "1.2"})]
)
def test_a_copy_is_the_one_that_the_library_makes(value, changes):
    before = dataclasses.asdict(value) if value is FLAG else dict(vars(value))
    copy = replace(value, **changes)
    assert copy == dataclasses.replace(value, **changes)
    assert copy is not value
    assert before == (dataclasses.asdict(value) if value is FLAG else vars(value))


@pytest.mark.parametrize("value", [TALLY, FLAG])
def test_what_is_no_field_is_refused(value):
    with pytest.raises(TypeError, match="strange"):
        replace(value, strange=1)


def test_a_copy_is_frozen_too():
    with pytest.raises(dataclasses.FrozenInstanceError):
        replace(TALLY, bag=1).bag = 2
