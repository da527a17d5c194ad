"""Small pictures of the board: only what they show is averaged, and nothing of another frame."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.rectify import Corners, Image
from vision.tracking.small_pictures import PITCH, SmallPictures

SIDE = 15 * PITCH
SIZES = [(960, 1280), (1080, 1920), (480, 640), (400, 401)]


def noise(size: tuple[int, int], seed: int) -> Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, size[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)


def boards(size: tuple[int, int]) -> list[Corners]:
    """Boards that are turned, seen from aslant, small, and partly out of the picture."""
    height, width = size
    middle, unit = np.array([width / 2, height / 2]), min(size)
    square = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    aslant = square * [[0.8, 1], [0.8, 1], [1, 1], [1, 1]]
    turned = square @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    found = [
        middle + square * unit * 0.9,
        middle + aslant * unit * 0.8,
        middle + turned * unit * 0.6,
        middle + square * unit * 0.3,
        middle + (square + np.array([0.4, -0.3])) * unit,
    ]
    return [np.asarray(corners, np.float32) for corners in found]


def averaged_whole(image: Image, corners: Corners) -> Image:
    """The small picture, made from the average of the whole frame."""
    pictures = SmallPictures()
    pictures.of(image, corners, 3 * PITCH)
    return pictures.of(image, corners)


@pytest.mark.parametrize("size", SIZES)
def test_only_the_board_is_averaged_and_it_shows_the_same(size):
    pictures, image = SmallPictures(), noise(size, 1)
    for seed, corners in enumerate(boards(size), 2):
        pictures.of(noise(size, seed), None)  # leaves other pixels everywhere
        assert np.array_equal(pictures.of(image, corners), averaged_whole(image, corners))


@pytest.mark.parametrize("size", SIZES)
def test_boards_in_two_places_of_one_frame(size):
    pictures, image = SmallPictures(), noise(size, 1)
    for corners in boards(size):
        assert np.array_equal(pictures.of(image, corners), averaged_whole(image, corners))


def test_beyond_the_board_lies_what_the_frame_shows_there():
    image, corners = noise(SIZES[0], 1), boards(SIZES[0])[2]
    pictures = SmallPictures()
    inner = pictures.of(image, corners)
    wide = pictures.of(image, corners, 3 * PITCH)
    assert wide.shape == (SIDE + 6 * PITCH, SIDE + 6 * PITCH, 3)
    cut = wide[3 * PITCH : -3 * PITCH, 3 * PITCH : -3 * PITCH]
    assert cv2.absdiff(cut, inner).mean() < 0.5  # places are rounded to 1/32 of a pixel


def test_a_camera_may_use_one_array_for_all_frames():
    pictures, corners = SmallPictures(), boards(SIZES[0])[0]
    array = noise(SIZES[0], 1)
    pictures.next(array)
    before = pictures.of(array, corners)
    array[:] = noise(SIZES[0], 2)
    pictures.next(array)
    assert not np.array_equal(pictures.of(array, corners), before)
    assert np.array_equal(pictures.of(array, corners), averaged_whole(array, corners))


def test_frames_of_another_size():
    pictures = SmallPictures()
    for seed, size in enumerate([*SIZES, *reversed(SIZES)]):
        image, corners = noise(size, seed), boards(size)[1]
        assert np.array_equal(pictures.of(image, corners), averaged_whole(image, corners))
        assert pictures.of(image, None).shape == (SIDE, SIDE, 3)
