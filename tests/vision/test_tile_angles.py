"""Where tiles lie within their squares."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tile_angles import ASKEW, askew, doubted, lies_turned_back, lies_within, turned_lies


@pytest.fixture
def tiles() -> np.ndarray:
    mask = np.zeros((15, 15), bool)
    mask[7, 2:12] = mask[2:12, 7] = mask[3, 5:11] = True
    return mask


@pytest.fixture
def leaning(tiles) -> np.ndarray:
    """Lies as a camera from aside has them: all tops lean, the far ones more."""
    rows, cols = np.indices((15, 15))
    lies = np.zeros((15, 15, 3), np.float32)
    lies[..., 0] = 0.1 + 0.02 * cols
    lies[..., 1] = -0.2 + 0.01 * rows
    lies[..., 2] = 1.5
    return lies


def test_what_all_tiles_share_is_no_ones_fault(tiles, leaning):
    within = lies_within(leaning, tiles)
    assert np.isfinite(within[tiles]).all()
    assert np.isnan(within[~tiles]).all()
    assert np.abs(within[tiles]).max() < 1e-4
    assert askew(within) == []


def test_one_tile_off_is_found_with_how_far(tiles, leaning):
    leaning[7, 4] += (0.32, -0.05, 8)
    (finding,) = askew(lies_within(leaning, tiles))
    assert (finding.code, finding.square) == ("askew", "8E")
    assert finding.detail.startswith("lies 0.3")
    assert "of a square right" in finding.detail
    assert "up" not in finding.detail
    assert "+8°" in finding.detail


def test_a_grid_that_is_off_is_no_fault_of_the_tiles(tiles, leaning):
    rng = np.random.default_rng(1)
    leaning[tiles] += rng.choice([-0.4, 0.4], (tiles.sum(), 3)).astype(np.float32)
    assert askew(lies_within(leaning, tiles)) == []


def test_a_few_tiles_say_nothing(leaning):
    few = np.zeros((15, 15), bool)
    few[7, 7:10] = True
    within = lies_within(leaning + 1, few)
    assert np.isnan(within).all()
    assert askew(within) == []


def test_lies_turn_with_the_board():
    lies = np.zeros((15, 15, 3), np.float32)
    lies[0, 14] = (0.3, 0.1, 5)  # the top right square's tile lies to the right and down
    once = turned_lies(lies, 1)
    # turned back by a quarter it is the top left one's, and lies up and to the right
    assert once[0, 0] == pytest.approx((0.1, -0.3, 5))
    four = lies
    for _ in range(4):
        four = turned_lies(four, 1)
    assert np.array_equal(four, lies)
    assert ASKEW < 0.3


def test_a_tile_that_seems_to_lie_aside_is_doubted(tiles, leaning):
    leaning[7, 4] += (0.16, 0.0, 0.0)
    leaning[3, 8] += (0.0, -0.3, 0.0)
    assert doubted(lies_within(leaning, tiles)).tolist() == [3 * 15 + 8, 7 * 15 + 4]


def test_what_lies_right_in_a_crop_turned_clockwise_lies_up():
    lies = np.array([[0.3, 0.0, 2.0]], np.float32)
    assert np.allclose(lies_turned_back(lies, 1), [[0.0, -0.3, 2.0]])
    assert np.allclose(lies_turned_back(lies, 2), [[-0.3, 0.0, 2.0]])
    assert np.allclose(lies_turned_back(lies, 4), lies)
