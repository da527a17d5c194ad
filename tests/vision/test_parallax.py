"""Tiles that stand high and are seen at a slant: on the squares that they stand on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from table.readers import board_reader
from tests.vision.boards_in_perspective import WORDS, board
from vision.labels import CLASS_NAMES, EMPTY, UNREADABLE, class_index, state_index
from vision.parallax import Parallax, is_slanted, merged, parallax
from vision.rectify import homography, project

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
