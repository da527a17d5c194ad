"""Tiles that nobody saw laid: squares that may hold some, and which plays new tiles are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import UNREADABLE, Board, Square
from game.plays.change import compare
from game.plays.completing import completed_by, is_play
from game.plays.in_order import plays_in_order
from game.plays.reach import may_hold_play


def tiles(text: str) -> dict[Square, str]:
    """Tiles written as ``8G=C 8H=A``."""
    return {Square.parse(one[:-2]): one[-1] for one in text.split()}


def words(*plays: str) -> dict[Square, str]:
    """The tiles of plays written as ``8G CAT``."""
    found = {}
    for place, letters in (one.split() for one in plays):
        start, across = Square.parse(place), place[0].isdigit()
        found |= {start.step(across, n): one for n, one in enumerate(letters) if one != "."}
    return found


CAT = Board.empty().replace(words("8G CAT"))


@pytest.mark.parametrize(
    ("before", "placed", "hidden", "may"),
    [
        ("", "8G=C 8H=A", "8I", "8I"),
        ("", "8G=C 8H=A", "8J", ""),  # behind an empty square
        ("", "8G=C 8H=A", "8I 8J 9H", "8I"),
        ("", "8G=C 8I=T", "8H", "8H"),  # between two tiles
        ("", "8H=A", "8I 7H 7I", "7H 8I"),  # one tile runs either way
        ("", "H8=A H9=S", "8I 10H", "10H"),
        ("", "", "8H 8I 1A", "8H 8I"),  # the opening covers the centre
        ("", "", "1A 1B", ""),
        ("8G CAT", "8J=S", "8K 8F", "8F 8K"),  # at the ends of the earlier tiles
        ("8G CAT", "", "8J 8K 12A", "8J 8K"),
        ("8G CAT", "", "8K 12A", ""),  # no play joins there
    ],
)
def test_which_unread_squares_may_hold_a_part_of_a_play(before, placed, hidden, may):
    board = CAT if before else Board.empty()
    unread = dict.fromkeys(map(Square.parse, hidden.split()), UNREADABLE)
    found = may_hold_play(compare(board, board.replace(tiles(placed) | unread)))
    assert {square.name for square in found} == set(may.split())


@pytest.mark.parametrize(
    ("known", "new", "free", "part"),
    [
        # FUME lies across the end of a column that only its last tiles were seen of.
        ("6I=T 7I=E", "4I=N 5I=I 9F=F 9G=U 9H=M", "all", "4I 5I"),
        # A tile that is known to have come later is left to the next play.
        ("6I=T 7I=E", "4I=N 5I=I 9F=F 9G=U 9H=M", "4I 9F 9G 9H", None),
        # One play may have them all.
        ("7I=E", "6I=T 5I=N", "all", None),
        # Either play may have the tile in the corner.
        ("7I=E", "6I=T 6H=A 6G=C", "all", None),
        # No way of parting makes two plays.
        ("7I=E", "6I=T 1A=A 3C=C", "all", None),
        ("", "6I=T 1A=A", "all", None),
    ],
)
def test_what_completes_the_play_before(known, new, free, part):
    earlier = Board.empty().replace(words("8H OX"))
    may = tiles(new) if free == "all" else set(map(Square.parse, free.split()))
    found = completed_by(earlier, tiles(known), tiles(new), may, 7)
    assert found == (None if part is None else frozenset(map(Square.parse, part.split())))


VEN = ["10I", "11I", "9I"]
PLAC = ["10E", "10F", "10G", "10H"]


@pytest.mark.parametrize(
    ("plays", "count", "due"),
    [
        (["I9 VEN"], 1, [VEN]),
        ([], 1, None),
        ([], 2, None),
        # One play is not taken for two.
        (["I9 VEN"], 2, None),
        (["I9 VEN", "10E PLAC"], 2, [VEN, PLAC]),
        # Both touch the board, so either may have come first.
        (["I9 VEN", "G9 OT"], 2, None),
        # The N may be of VEN or of CLEAN.
        (["I9 VEN", "11E CLEA"], 2, None),
        # Nothing joins the second to the board.
        (["I9 VEN", "2B LOST"], 2, None),
        (["I9 VEN", "10E PLAC", "F9 O.T"], 3, [VEN, PLAC, ["11F", "9F"]]),
    ],
)
def test_plays_in_order(plays, count, due):
    found = plays_in_order(CAT, words(*plays), count, 7)
    names = None if found is None else [sorted(square.name for square in one) for one in found]
    assert names == due


SQUARES = st.sampled_from([Square(row, col) for row in range(5, 12) for col in range(5, 12)])


@given(st.sets(SQUARES, max_size=7), st.integers(1, 3))
def test_what_is_found_are_plays_of_all_tiles_one_after_another(squares, count):
    board = CAT
    left = {square: "E" for square in squares if board[square] == "."}
    plays = plays_in_order(board, left, count, 7)
    if plays is None:
        return
    assert len(plays) == count
    for squares_of_one in plays:
        placed = {square: left.pop(square) for square in squares_of_one}
        assert is_play(board, placed, 7)
        board = board.replace(placed)
    assert not left
