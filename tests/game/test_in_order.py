"""Which plays, one after another, new tiles are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Board, Square
from game.plays.completing import is_play
from game.plays.in_order import plays_in_order


def placed_tiles(*words: tuple[str, str], board: Board | None = None) -> Board:
    board = board or Board.empty()
    for place, letters in words:
        start = Square.parse(place)
        across = place[0].isdigit()
        squares = {start.step(across, n): one for n, one in enumerate(letters) if one != "."}
        board = board.replace(squares)
    return board


CAT = placed_tiles(("8G", "CAT"))


def names(plays):
    return None if plays is None else [sorted(square.name for square in one) for one in plays]


@pytest.mark.parametrize(
    ("words", "count", "due"),
    [
        ([("I9", "VEN")], 1, [["10I", "11I", "9I"]]),
        ([], 1, None),
        ([], 2, None),
        # One play is not taken for two.
        ([("I9", "VEN")], 2, None),
        ([("I9", "VEN"), ("10E", "PLAC")], 2, [["10I", "11I", "9I"], ["10E", "10F", "10G", "10H"]]),
        # Both touch the board, so either may have come first.
        ([("I9", "VEN"), ("G9", "OT")], 2, None),
        # The N may be of VEN or of CLEAN.
        ([("I9", "VEN"), ("11E", "CLEA")], 2, None),
        # Nothing joins the second to the board.
        ([("I9", "VEN"), ("2B", "LOST")], 2, None),
        (
            [("I9", "VEN"), ("10E", "PLAC"), ("F9", "O.T")],
            3,
            [["10I", "11I", "9I"], ["10E", "10F", "10G", "10H"], ["11F", "9F"]],
        ),
    ],
)
def test_plays_in_order(words, count, due):
    tiles = placed_tiles(*words).tiles()
    assert names(plays_in_order(CAT, tiles, count, 7)) == due


SQUARES = st.sampled_from([Square(row, col) for row in range(5, 12) for col in range(5, 12)])


@given(st.sets(SQUARES, max_size=7), st.integers(1, 3))
def test_what_is_found_are_plays_of_all_tiles_one_after_another(squares, count):
    board = CAT
    tiles = {square: "E" for square in squares if board[square] == "."}
    plays = plays_in_order(board, tiles, count, 7)
    if plays is None:
        return
    assert len(plays) == count
    for squares_of_one in plays:
        placed = {square: tiles.pop(square) for square in squares_of_one}
        assert is_play(board, placed, 7)
        board = board.replace(placed)
    assert not tiles
