"""Tiles that lie far from the middle of a square: one letter, on the square they most cover."""

from __future__ import annotations

import pytest

from game.board import Square
from table.readers import board_reader
from tests.vision.boards_in_perspective import WORDS, board, pushed


@pytest.fixture(scope="module")
def reader():
    return board_reader("english")


def rows_with(moves: dict[str, str]) -> tuple[str, ...]:
    out = [list(row) for row in WORDS]
    for name, symbol in moves.items():
        square = Square.parse(name)
        out[square.row][square.col] = symbol
    return tuple("".join(row) for row in out)


CASES = [
    ("11G", "D", 0.38, 0, "11G"),
    ("11G", "D", 0.62, 0, "11H"),
    ("3J", "Q", 0, -0.33, "3J"),
    ("3J", "Q", 0, -0.67, "2J"),
    ("3J", "Q", 0.4, 0, "3J"),
]


@pytest.mark.parametrize("seed", [1, 2, 5])
@pytest.mark.parametrize(("name", "letter", "right", "down", "counts"), CASES)
def test_a_tile_counts_once_for_the_square_that_it_most_covers(
    reader, seed, name, letter, right, down, counts
):
    scene = board(seed, tilt=0, height=0.15)
    picture = pushed(scene, Square.parse(name), right, down)
    reading = reader.read(picture, scene.corners)
    assert reading.rows == rows_with({name: ".", counts: letter})


def test_a_tile_far_aside_is_reported_with_how_far(reader):
    scene = board(1, tilt=0, height=0.15)
    reading = reader.read(pushed(scene, Square.parse("11G"), 0.38, 0), scene.corners)
    (found,) = [one for one in reading.findings if one.code == "askew"]
    assert found.square == "11G"
    assert reading.tile_pose[Square.parse("11G")][0] == pytest.approx(0.38, abs=0.1)


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_a_tile_half_on_each_of_two_squares_is_not_surely_on_either(reader, seed):
    scene = board(seed, tilt=0, height=0.15)
    picture = pushed(scene, Square.parse("11G"), 0.5, 0)
    reading = reader.read(picture, scene.corners)
    both = {reading.symbol(Square.parse(name)) for name in ("11G", "11H")}
    assert both in ({"~"}, {"~", "."}, {"~", "D"}, {"D", "."})
    assert sum(row.count("D") for row in reading.rows) <= 1
