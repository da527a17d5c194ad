"""Cutting crops: the geometry that training and serving share."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.rectify import (
    BORDER,
    CROP,
    PITCH,
    as_corners,
    corner_distance,
    crops,
    homography,
    pixels_per_square,
    rectify,
    turned,
)

CORNERS = np.array([[60, 40], [420, 70], [400, 430], [50, 410]], np.float32)


def numbered_board(corners: np.ndarray, size: tuple[int, int] = (480, 480)) -> np.ndarray:
    """A picture in which square number n has the flat colour (n, 255 - n, 128)."""
    pitch = 20
    flat = np.zeros((15 * pitch, 15 * pitch, 3), np.uint8)
    for n in range(225):
        row, col = divmod(n, 15)
        flat[row * pitch : (row + 1) * pitch, col * pitch : (col + 1) * pitch] = (n, 255 - n, 128)
    matrix = homography(corners) @ np.diag([1 / pitch, 1 / pitch, 1.0])
    return cv2.warpPerspective(flat, matrix, size, flags=cv2.INTER_LINEAR)


def test_each_crop_shows_its_square():
    cut = crops(numbered_board(CORNERS), CORNERS)
    assert cut.shape == (225, CROP, CROP, 3)
    middle = cut[:, CROP // 2 - 4 : CROP // 2 + 4, CROP // 2 - 4 : CROP // 2 + 4].mean(axis=(1, 2))
    assert np.abs(middle[:, 0] - np.arange(225)).max() < 1
    assert np.abs(middle[:, 1] - (255 - np.arange(225))).max() < 1


def test_chosen_squares_are_those_of_the_whole_board():
    image = numbered_board(CORNERS)
    chosen = np.array([0, 112, 224, 17])
    assert (crops(image, CORNERS, chosen) == crops(image, CORNERS)[chosen]).all()


def test_a_crop_shows_a_quarter_of_each_neighbour():
    cut = crops(numbered_board(CORNERS), CORNERS, np.array([112]))[0]
    assert abs(float(cut[CROP // 2, BORDER // 2, 0]) - 111) < 3
    assert abs(float(cut[CROP // 2, -BORDER // 2, 0]) - 113) < 3


def test_a_fine_picture_gives_the_same_crops_as_a_coarse_one():
    """Area averaging, not aliasing: 6 times the pixels change the crops by little."""
    coarse = numbered_board(CORNERS)
    fine = cv2.resize(coarse, None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    scaled = (CORNERS + 0.5) * 6 - 0.5
    difference = np.abs(crops(fine, scaled).astype(int) - crops(coarse, CORNERS).astype(int))
    assert difference.mean() < 2.5


def test_corners_outside_the_picture_are_filled_not_refused():
    cut = crops(np.full((200, 200, 3), 90, np.uint8), CORNERS)
    assert (cut == 90).all()


@given(st.integers(-8, 8))
def test_turning_corners_turns_the_board(turns):
    image = numbered_board(CORNERS)
    straight = rectify(image, CORNERS, PITCH, 0).astype(int)
    moved = rectify(image, turned(CORNERS, turns), PITCH, 0).astype(int)
    assert np.abs(np.rot90(straight, turns) - moved).mean() < 1.5


@pytest.mark.parametrize("turns", range(4))
def test_corner_distance_is_the_worst_corner_s_whichever_comes_first(turns: int):
    moved = CORNERS + np.array([[0, 0], [3, 4], [1, 0], [0, 0]], np.float32)
    squares = 5 / pixels_per_square(CORNERS)
    assert corner_distance(turned(moved, turns), CORNERS) == pytest.approx(squares, rel=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        [[0, 0], [1, 0], [1, 1]],
        [[0, 0], [1, 0], [np.nan, 1], [0, 1]],
        [[0, 0], [10, 10], [10, 0], [0, 10]],
        [[0, 0], [0, 0], [0, 0], [0, 0]],
        [[0, 0], [10, 0], [2, 2], [0, 10]],
    ],
)
def test_what_is_no_quadrilateral_is_refused(wrong):
    with pytest.raises(ValueError, match="corners"):
        as_corners(wrong)
