"""Turning one tile of a picture in place."""

from __future__ import annotations

import numpy as np

from game.board import Square
from models.rotation_metrics import with_turned_tile
from vision.rectify import PITCH, crops, rectify

CORNERS = np.array([(40, 60), (640, 40), (660, 650), (30, 640)], np.float32)


def picture() -> np.ndarray:
    rng = np.random.default_rng(4)
    small = rng.integers(0, 255, (44, 44, 3)).astype(np.uint8)
    return np.asarray(np.kron(small, np.ones((16, 16, 1), np.uint8)), np.uint8)


def inner(image: np.ndarray, square: Square) -> np.ndarray:
    crop = crops(image, CORNERS, np.array([15 * square.row + square.col]))[0]
    side = PITCH // 2
    start = (crop.shape[0] - side) // 2
    return crop[start : start + side, start : start + side].astype(np.float32)


def test_a_tile_is_turned_clockwise_and_four_quarters_make_a_whole():
    image, square = picture(), Square(5, 9)
    before = inner(image, square)
    for turns in range(5):
        after = inner(with_turned_tile(image, CORNERS, square, turns), square)
        assert np.abs(after - np.rot90(before, -turns)).mean() < 12
        if turns in (1, 2, 3):
            assert np.abs(after - before).mean() > 30


def test_other_squares_are_left_alone():
    image = picture()
    turned = with_turned_tile(image, CORNERS, Square(0, 0), 1)
    board, was = rectify(turned, CORNERS), rectify(image, CORNERS)
    changed = np.abs(board.astype(int) - was.astype(int)).max(axis=2) > 0
    assert 0 < np.argwhere(changed).max() < 1.6 * PITCH


def test_a_corner_square_at_the_edge_of_the_picture_can_be_turned():
    image = picture()
    at_edge = np.array([(0, 0), (703, 0), (703, 703), (0, 703)], np.float32)
    assert with_turned_tile(image, at_edge, Square(14, 14), 3).shape == image.shape
