"""Tiles that lie far from the middle of a square: one letter, on the square they most cover."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import Square
from table.readers import board_reader
from tests.vision.boards_in_perspective import WORDS, board, pushed
from vision.labels import (
    BLANK,
    CLASS_NAMES,
    EMPTY,
    FACE_DOWN,
    LETTERS,
    UNREADABLE,
    class_index,
    state_index,
)
from vision.tile_angles import unrotate_tile_poses
from vision.tiles_aside import SquaresSeen, look_where_tiles_lie


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
    (1, "11G", "D", 0.38, 0, "11G"),
    (2, "11G", "D", 0.62, 0, "11H"),
    (5, "3J", "Q", 0, -0.33, "3J"),
    (1, "3J", "Q", 0, -0.67, "2J"),
    (2, "3J", "Q", 0.4, 0, "3J"),
]


@pytest.mark.parametrize(("seed", "name", "letter", "right", "down", "counts"), CASES)
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


@pytest.mark.parametrize("seed", [1, 5])
def test_a_tile_half_on_each_of_two_squares_is_one_and_reported(reader, seed):
    scene = board(seed, tilt=0, height=0.15)
    picture = pushed(scene, Square.parse("11G"), 0.5, 0)
    reading = reader.read(picture, scene.corners)
    both = [reading.symbol(Square.parse(name)) for name in ("11G", "11H")]
    assert both.count("D") <= 1
    codes = {one.code for one in reading.findings if one.square in ("11G", "11H")}
    assert codes & {"askew", "uncertain_square"}


class OneAside:
    """Sees a tile, wherever it is asked to look, where it is told that it lies."""

    def __init__(self, tile_at):
        self.tile_at = tile_at

    def classify(self, crops):
        shares = np.zeros((len(crops), len(CLASS_NAMES)), np.float32)
        shares[range(len(crops)), [class_index("A", turn % 4) for turn in range(len(crops))]] = 1
        pose = np.zeros((len(crops), 3), np.float32)
        if self.tile_at is not None:
            pose = np.array([rotated(self.tile_at, turn) for turn in range(len(crops))], np.float32)
            self.tile_at = None
        return shares, pose


def rotated(tile_at, turn):
    return unrotate_tile_poses(np.array([*tile_at, 0], np.float32), -turn % 4)


@pytest.mark.parametrize("beside", [BLANK, FACE_DOWN, UNREADABLE, EMPTY, "A"])
def test_what_lies_beside_a_pushed_tile_stays_as_it_was_seen(beside):
    """A part of the tile shows there; a tile of the same letter may lie there, too."""
    grid = np.zeros((15, 15, len(CLASS_NAMES)), np.float32)
    grid[..., state_index(EMPTY)] = 1
    grid[7, 3:11] = 0
    grid[7, 3:11, class_index("A", 0)] = 1
    if beside != "A":
        grid[7, 10, [state_index(beside), class_index("A", 0)]] = 0.9, 0.1
    pose = np.zeros((15, 15, 3), np.float32)
    pose[7, 9, 0] = 0.25
    seen = SquaresSeen(np.zeros((652, 652, 3), np.uint8), grid, pose)
    out = look_where_tiles_lie(OneAside((0.25, 0.0)), seen)
    assert out.grid[7, 10] == pytest.approx(grid[7, 10])
    assert out.grid[7, 9, : 4 * len(LETTERS)].sum() > 0.99
    assert out.tile_pose[7, 9, 0] == pytest.approx(0.25)


def test_a_tile_pushed_aside_on_a_board_at_a_slant_keeps_its_square(reader):
    scene = board(2, tilt=45, height=0.4)
    reading = reader.read(pushed(scene, Square.parse("11G"), 0.3, 0), scene.corners)
    assert reading.rows[10][6] in "D~"
    assert reading.rows[10][7] in ".~"
