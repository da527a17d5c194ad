"""Which squares that could not be seen may hold a part of a play."""

from __future__ import annotations

import pytest

from game.board import UNREADABLE, Board, Square
from game.plays.change import compare
from game.plays.reach import may_hold_play


def board(*tiles: str) -> Board:
    return Board.empty().replace({Square.parse(t[:-2]): t[-1] for t in tiles})


@pytest.mark.parametrize(
    ("placed", "hidden", "may"),
    [
        (["8G=C", "8H=A"], ["8I"], ["8I"]),
        (["8G=C", "8H=A"], ["8J"], []),  # behind an empty square
        (["8G=C", "8H=A"], ["8I", "8J", "9H"], ["8I"]),
        (["8G=C", "8I=T"], ["8H"], ["8H"]),  # between two tiles
        (["8H=A"], ["8I", "7H", "7I"], ["7H", "8I"]),  # one tile runs either way
        (["H8=A", "H9=S"], ["8I", "10H"], ["10H"]),
        ([], ["8H", "8I", "1A"], ["8H", "8I"]),  # the opening covers the centre
        ([], ["1A", "1B"], []),
    ],
)
def test_what_an_opening_may_hide(placed, hidden, may):
    seen = board(*placed, *(f"{name}={UNREADABLE}" for name in hidden))
    found = may_hold_play(compare(Board.empty(), seen))
    assert {square.name for square in found} == set(may)


@pytest.mark.parametrize(
    ("placed", "hidden", "may"),
    [
        (["8J=S"], ["8K", "8F"], ["8F", "8K"]),  # at the ends of the earlier tiles
        ([], ["8J", "8K", "12A"], ["8J", "8K"]),
        ([], ["8K", "12A"], []),  # no play joins there
    ],
)
def test_what_a_later_play_may_hide(placed, hidden, may):
    before = board("8G=C", "8H=A", "8I=T")
    after = {Square.parse(t[:-2]): t[-1] for t in placed}
    seen = before.replace(after | {Square.parse(name): UNREADABLE for name in hidden})
    assert {square.name for square in may_hold_play(compare(before, seen))} == set(may)
