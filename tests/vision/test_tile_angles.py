"""Where tiles lie within their squares."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tile_angles import (
    ASKEW,
    askew,
    doubtful_offsets,
    rotate_tile_poses,
    tile_offsets,
    unrotate_tile_poses,
)


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
