"""A lens is told from the board's own lines."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.lens import Lens, Straightener, bend_of, measure_lens

from .conftest import drawn


def bent(image: np.ndarray, lens: Lens) -> np.ndarray:
    width, height = lens.size
    y, x = np.mgrid[0:height, 0:width]
    source = lens.straight(np.column_stack([x.ravel(), y.ravel()]).astype(np.float64))
    at = source.astype(np.float32).reshape(height, width, 2)
    return cv2.remap(image, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


@pytest.mark.parametrize(("k1", "k2"), [(-0.25, 0.06), (0.1, 0.0), (-0.1, 0.0), (0.0, 0.0)])
def test_straight_undoes_bent(k1, k2):
    lens = Lens(k1, k2, (1280, 960))
    rng = np.random.default_rng(0)
    points = rng.uniform((0, 0), (1279, 959), (500, 2))
    assert np.abs(lens.straight(lens.bent(points)) - points).max() < 0.05


def test_opencv_means_the_same_by_these_numbers():
    lens = Lens(-0.2, 0.03, (800, 600))
    image = np.random.default_rng(1).integers(0, 256, (600, 800, 3)).astype(np.uint8)
    image = cv2.GaussianBlur(image, (0, 0), 4)
    theirs = cv2.undistort(image, lens.camera, lens.coefficients)
    ours = Straightener(lens)(image)
    assert np.abs(theirs[50:-50, 50:-50].astype(int) - ours[50:-50, 50:-50]).mean() < 1


def test_a_bent_board_is_straightened(spec, locator):
    scene = drawn(spec)
    true = Lens(-0.25, 0.06, (scene.image.shape[1], scene.image.shape[0]))
    image = bent(scene.image, true)
    place = locator.locate(image)
    found = measure_lens(locator, image, place.corners)
    assert found.worth
    assert found.bend == pytest.approx(bend_of(true, scene.corners), rel=0.35)
    # Corners of the straightened picture, back in the picture as taken, against the truth.
    here = found.lens.bent(found.corners.astype(np.float64))
    there = true.bent(scene.corners.astype(np.float64))
    now, before = (
        min(np.linalg.norm(np.roll(corners, k, 0) - there, axis=1).max() for k in range(4))
        for corners in (here, place.corners)
    )
    assert now < before / 2


def test_where_nothing_is_bent_nothing_is_straightened(spec, locator):
    scene = drawn(spec)
    place = locator.locate(scene.image)
    assert not measure_lens(locator, scene.image, place.corners).worth


def test_a_picture_of_another_size_is_left_as_it_is():
    image = np.zeros((100, 120, 3), np.uint8)
    assert Straightener(Lens(-0.1, 0, (640, 480)))(image) is image
