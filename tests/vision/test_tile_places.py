"""Tiles are seen in one place and lie in another: high ones at a slant, and ones far aside.

A tile counts once, for the square on which it stands, or which it most covers.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from table.calibrated_reader import board_reader
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
from vision.parallax import Parallax, is_slanted, merged, parallax
from vision.rectify import homography, project
from vision.tile_angles import (
    ASKEW,
    askew,
    doubtful_offsets,
    rotate_tile_poses,
    tile_offsets,
    unrotate_tile_poses,
)
from vision.tiles_aside import SquaresSeen, with_tiles_aside

FROM_ABOVE = np.array([[100, 100], [700, 100], [700, 700], [100, 700]], np.float32)
FROM_BELOW = np.array([[200, 100], [600, 100], [750, 500], [50, 500]], np.float32)
"""A board whose far side is its upper one."""


@pytest.fixture(scope="module")
def reader():
    return board_reader("english")


@pytest.mark.parametrize("seed", range(2))
def test_high_tiles_seen_at_a_slant_are_read_on_their_squares(reader, seed):
    scene = board(seed, tilt=45, height=0.4)
    assert reader.read(scene.image, scene.corners).rows == WORDS


def test_a_slant_shows_in_the_corners():
    assert not is_slanted(FROM_ABOVE)
    assert is_slanted(FROM_BELOW)


@given(
    growth=st.floats(0, 0.2),
    right=st.floats(-0.3, 0.3),
    down=st.floats(-0.3, 0.3),
    seed=st.integers(0, 1000),
)
def test_the_faces_lattice_is_found_from_some_tiles_in_spite_of_one_askew(
    growth, right, down, seed
):
    rng = np.random.default_rng(seed)
    squares = rng.choice(225, 30, replace=False)
    rows, cols = np.divmod(squares, 15)
    pose = np.zeros((30, 3), np.float32)
    pose[:, 0] = growth * (cols - 7) / 7 + right
    pose[:, 1] = growth * (rows - 7) / 7 + down
    pose[:, :2] += rng.normal(0, 0.01, (30, 2))
    pose[0, :2] += 0.4
    found = parallax(squares, pose)
    assert found.growth == pytest.approx(growth, abs=0.04)
    assert (found.right, found.down) == pytest.approx((right, down), abs=0.04)


def test_three_tiles_say_nothing():
    assert parallax(np.arange(3), np.full((3, 3), 0.3, np.float32)) == Parallax()


def test_the_faces_corners_are_the_board_s_moved_and_larger():
    aside = Parallax(growth=0.14, right=0.1, down=-0.3)
    corners = aside.corners(FROM_BELOW)
    seen = project(np.linalg.inv(homography(FROM_BELOW)), corners)
    half = 0.14 * 7.5 / 7
    low, high = (0.1 - half, -0.3 - half), (15.1 + half, 14.7 + half)
    assert seen[0] == pytest.approx(low, abs=1e-4)
    assert seen[2] == pytest.approx(high, abs=1e-4)


@pytest.mark.parametrize(
    ("down", "right_down"),
    [(-0.4, -0.4), (0.45, -0.55), (0.13, 0.13), (0.05, 0.05), (-0.05, -0.05)],
)
def test_no_face_is_seen_nearer_to_the_camera_than_its_square(down, right_down):
    turned = Parallax(0.05, 0.02, down).away_from(FROM_BELOW)
    assert (turned.right, turned.down) == pytest.approx((0.02, right_down))


def test_a_board_without_perspective_does_not_tell_where_the_camera_is():
    aside = Parallax(0.05, 0.02, 0.45)
    assert aside.away_from(FROM_ABOVE) == aside


def grid(**shares):
    out = np.full((15, 15, len(CLASS_NAMES)), 1e-6, np.float32)
    for name, share in shares.items():
        out[..., state_index(EMPTY) if name == "empty" else class_index(name, 0)] = share
    return out / out.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    ("squares", "faces", "best"),
    [
        ({"empty": 0.9999}, {"L": 0.9, "empty": 0.1}, "empty"),
        ({"empty": 0.95, "L": 0.05}, {"L": 0.9999, "empty": 1e-5}, "L"),
        ({"E": 0.99}, {"B": 0.8, "empty": 0.2}, "B"),
    ],
    ids=["a bare square", "a face over bare board", "a square that shows two tiles' halves"],
)
def test_a_square_that_shows_itself_bare_counts_beside_the_face_over_it(squares, faces, best):
    at = merged(grid(**squares), grid(**faces))[7, 7].argmax()
    assert at == (state_index(EMPTY) if best == "empty" else class_index(best, 0))


def test_a_bare_square_whose_face_would_be_beyond_the_picture_stays_bare():
    out = np.zeros((15, 15, len(CLASS_NAMES)), np.float32)
    out[..., state_index(UNREADABLE)] = 1
    at = merged(grid(empty=0.99), out)[7, 7]
    assert at[state_index(EMPTY)] >= 0.99


def rows_with(moves: dict[str, str]) -> tuple[str, ...]:
    out = [list(row) for row in WORDS]
    for name, symbol in moves.items():
        square = Square.parse(name)
        out[square.row][square.col] = symbol
    return tuple("".join(row) for row in out)


@pytest.mark.parametrize(
    ("seed", "name", "letter", "right", "down", "counts"),
    [
        (1, "11G", "D", 0.38, 0, "11G"),
        (2, "11G", "D", 0.62, 0, "11H"),
        (5, "3J", "Q", 0, -0.33, "3J"),
        (1, "3J", "Q", 0, -0.67, "2J"),
        (2, "3J", "Q", 0.4, 0, "3J"),
    ],
)
def test_a_tile_counts_once_for_the_square_that_it_most_covers(
    reader, seed, name, letter, right, down, counts
):
    scene = board(seed, tilt=0, height=0.15)
    picture = pushed(scene, Square.parse(name), right, down)
    reading = reader.read(picture, scene.corners)
    assert reading.rows == rows_with({name: ".", counts: letter})
    if counts == name == "11G":
        assert [one.square for one in reading.findings if one.code == "askew"] == ["11G"]
        assert reading.tile_pose[Square.parse("11G")][0] == pytest.approx(right, abs=0.1)


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
    out = with_tiles_aside(OneAside((0.25, 0.0)), seen)
    assert out.grid[7, 10] == pytest.approx(grid[7, 10])
    assert out.grid[7, 9, : 4 * len(LETTERS)].sum() > 0.99
    assert out.tile_pose[7, 9, 0] == pytest.approx(0.25)


def test_a_tile_pushed_aside_on_a_board_at_a_slant_keeps_its_square(reader):
    scene = board(2, tilt=45, height=0.4)
    reading = reader.read(pushed(scene, Square.parse("11G"), 0.3, 0), scene.corners)
    assert reading.rows[10][6] in "D~"
    assert reading.rows[10][7] in ".~"


@pytest.fixture
def tiles() -> np.ndarray:
    mask = np.zeros((15, 15), bool)
    mask[7, 2:12] = mask[2:12, 7] = mask[3, 5:11] = True
    return mask


@pytest.fixture
def leaning(tiles) -> np.ndarray:
    """Lies as a camera from aside has them: all tops lean, the far ones more."""
    rows, cols = np.indices((15, 15))
    tile_pose = np.zeros((15, 15, 3), np.float32)
    tile_pose[..., 0] = 0.1 + 0.02 * cols
    tile_pose[..., 1] = -0.2 + 0.01 * rows
    tile_pose[..., 2] = 1.5
    return tile_pose


def test_what_all_tiles_share_is_no_ones_fault(tiles, leaning):
    within = tile_offsets(leaning, tiles)
    assert np.isfinite(within[tiles]).all()
    assert np.isnan(within[~tiles]).all()
    assert np.abs(within[tiles]).max() < 1e-4
    assert askew(within) == []


def test_one_tile_off_is_found_with_how_far(tiles, leaning):
    leaning[7, 4] += (0.32, -0.05, 8)
    (finding,) = askew(tile_offsets(leaning, tiles))
    assert (finding.code, finding.square) == ("askew", "8E")
    assert finding.detail.startswith("lies 0.3")
    assert "of a square right" in finding.detail
    assert "up" not in finding.detail
    assert "+8°" in finding.detail


def test_a_grid_that_is_off_is_no_fault_of_the_tiles(tiles, leaning):
    rng = np.random.default_rng(1)
    leaning[tiles] += rng.choice([-0.4, 0.4], (tiles.sum(), 3)).astype(np.float32)
    assert askew(tile_offsets(leaning, tiles)) == []


def test_a_few_tiles_say_nothing(leaning):
    few = np.zeros((15, 15), bool)
    few[7, 7:10] = True
    within = tile_offsets(leaning + 1, few)
    assert np.isnan(within).all()
    assert askew(within) == []


def test_lies_turn_with_the_board():
    tile_pose = np.zeros((15, 15, 3), np.float32)
    tile_pose[0, 14] = (0.3, 0.1, 5)  # the top right square's tile lies to the right and down
    once = rotate_tile_poses(tile_pose, 1)
    # turned back by a quarter it is the top left one's, and lies up and to the right
    assert once[0, 0] == pytest.approx((0.1, -0.3, 5))
    four = tile_pose
    for _ in range(4):
        four = rotate_tile_poses(four, 1)
    assert np.array_equal(four, tile_pose)
    assert ASKEW < 0.3


def test_a_tile_that_seems_to_lie_aside_is_doubted(tiles, leaning):
    leaning[7, 4] += (0.16, 0.0, 0.0)
    leaning[3, 8] += (0.0, -0.3, 0.0)
    assert doubtful_offsets(tile_offsets(leaning, tiles)).tolist() == [3 * 15 + 8, 7 * 15 + 4]


def test_what_lies_right_in_a_crop_turned_clockwise_lies_up():
    tile_pose = np.array([[0.3, 0.0, 2.0]], np.float32)
    assert np.allclose(unrotate_tile_poses(tile_pose, 1), [[0.0, -0.3, 2.0]])
    assert np.allclose(unrotate_tile_poses(tile_pose, 2), [[-0.3, 0.0, 2.0]])
    assert np.allclose(unrotate_tile_poses(tile_pose, 4), tile_pose)
