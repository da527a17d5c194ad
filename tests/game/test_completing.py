"""Tiles that must belong to the play before."""

from __future__ import annotations

import pytest

from game.board import Board, Square
from game.plays.completing import completed_by

EARLIER = Board.empty().replace({Square(7, 7): "O", Square(7, 8): "X"})


def tiles(*words: str) -> dict[Square, str]:
    return {Square.parse(word[:-2]): word[-1] for word in words}


@pytest.mark.parametrize(
    ("known", "new", "part"),
    [
        # FUME lies across the end of a column that only its last tiles were seen of.
        (["6I=T", "7I=E"], ["4I=N", "5I=I", "9F=F", "9G=U", "9H=M"], ["4I", "5I"]),
        # One play may have them all.
        (["7I=E"], ["6I=T", "5I=N"], None),
        # Either play may have the tile in the corner.
        (["7I=E"], ["6I=T", "6H=A", "6G=C"], None),
        # No way of parting makes two plays.
        (["7I=E"], ["6I=T", "1A=A", "3C=C"], None),
        ([], ["6I=T", "1A=A"], None),
    ],
)
def test_what_completes_the_play_before(known, new, part):
    found = completed_by(EARLIER, tiles(*known), tiles(*new), tiles(*new), 7)
    assert found == (None if part is None else frozenset(map(Square.parse, part)))


def test_a_tile_that_is_known_to_have_come_later_is_left_to_the_next_play():
    new = tiles("4I=N", "5I=I", "9F=F", "9G=U", "9H=M")
    free = set(new) - {Square.parse("5I")}
    assert completed_by(EARLIER, tiles("6I=T", "7I=E"), new, free, 7) is None
