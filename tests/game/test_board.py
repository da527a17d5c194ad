"""The board, and other frozen values: copies are equal, and a grown sequence never changes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections import Counter

import pytest

from game.board import (
    CENTRE,
    PREMIUMS,
    SQUARES,
    Board,
    Premium,
    Square,
    parse_position,
    position,
    premium,
)
from game.errors import TilewatchError
from game.flags import make_flag
from game.referee.position import Position
from game.values import Grown, replace


@pytest.mark.parametrize(
    ("text", "square"),
    [("8H", (7, 7)), ("H8", (7, 7)), ("h8", (7, 7)), ("1a", (0, 0)), ("O15", (14, 14))],
)
def test_square_is_read_in_either_order(text, square):
    assert Square.parse(text) == square


@pytest.mark.parametrize("square", SQUARES)
def test_every_square_survives_its_name(square):
    assert Square.parse(square.name) == square
    for across in (True, False):
        assert parse_position(position(square, across)) == (square, across)


@pytest.mark.parametrize("text", ["", "8", "H", "16A", "0A", "8P", "88", "8H8", "8HH", "８H"])
def test_what_is_no_square_is_refused_by_name(text):
    with pytest.raises(TilewatchError, match="no such square"):
        Square.parse(text)


def test_premiums_are_the_publishers():
    count = Counter(kind for row in PREMIUMS for kind in row)
    assert count == {
        Premium.NONE: 164,
        Premium.DLS: 24,
        Premium.DWS: 17,
        Premium.TLS: 12,
        Premium.TWS: 8,
    }
    assert premium(CENTRE) is Premium.DWS
    for kind, names in {
        "TW": "1A 1H 8A", "DW": "2B 5E 11K", "TL": "2F 6B 6F 10J 14J",
        "DL": "1D 4A 3G 4H 7G 8D 8L", "": "8G 1B 6G",
    }.items():  # fmt: skip
        assert {premium(Square.parse(name)).value for name in names.split()} == {kind}, kind


def test_premiums_are_symmetric():
    for row, col in SQUARES:
        assert PREMIUMS[row][col] is PREMIUMS[col][row] is PREMIUMS[14 - row][col]


def test_board_is_a_value():
    rows = [EMPTY_ROW] * 7 + [".......FIZz?#~."] + [EMPTY_ROW] * 7
    board = Board.from_rows(rows)
    same = Board.from_rows(tuple(rows))
    assert board == same
    assert hash(board) == hash(same)
    assert board != Board.empty()
    assert list(board.rows) == rows
    assert board[Square(7, 7)] == "F"
    assert board.tiles()[Square(7, 10)] == "z"
    assert board.symbols == "FIZz?#~"
    assert pickle.loads(pickle.dumps(board)) == board == copy.deepcopy(board)


EMPTY_ROW = "." * 15


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([EMPTY_ROW] * 14, "15 rows"),
        ([EMPTY_ROW] * 14 + ["." * 14], "row 15"),
        ([EMPTY_ROW] * 14 + ["." * 14 + "1"], "unknown symbol '1'"),
        ([EMPTY_ROW] * 14 + [None], "row 15"),
        ([EMPTY_ROW] * 14 + ["." * 14 + " "], "unknown symbol ' '"),
    ],
)
def test_what_is_no_board_is_refused(rows, why):
    with pytest.raises(TilewatchError, match=why):
        Board.from_rows(rows)


def test_run_and_diff():
    board = Board.empty().replace({Square(7, c): "A" for c in (3, 4, 5, 7)})
    assert [s.name for s in board.run(Square(7, 4), True)] == ["8D", "8E", "8F"]
    assert [s.name for s in board.run(Square(7, 4), False)] == ["8E"]
    assert board.run(Square(7, 6), True) == ()
    edge = board.replace({Square(r, 14): "B" for r in range(15)})
    assert len(edge.run(Square(6, 14), False)) == 15
    assert [s.name for s in Board.empty().diff(board)] == ["8D", "8E", "8F", "8H"]


def test_off_the_board_is_not_the_other_side():
    board = Board.empty().replace({Square(0, 14): "A"})
    assert board.get(Square(0, -1)) == "."
    with pytest.raises(IndexError):
        board[Square(0, -1)]


@pytest.mark.parametrize("square", [Square(7, 15), Square(15, 0), Square(-1, 3), Square(3, -1)])
def test_no_square_off_the_edge_is_changed(square):
    with pytest.raises(TilewatchError, match="lies off the board"):
        Board.empty().replace({square: "A"})


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
