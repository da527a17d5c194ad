"""Sketches of tables: repeatable, and true about where the grid is."""

from __future__ import annotations

import numpy as np
import pytest

from models.locate_data import BOARD, coarse_sample, refine_sample
from models.sketches.sketch import Sketch, any_view, sketch
from vision.locate.inputs import COARSE, COARSE_STRIDE, REFINE, cell_centres
from vision.locate.lattice_fit import fit
from vision.rectify import project


def test_a_seed_draws_the_same_sketch_again() -> None:
    one, other = (sketch(np.random.default_rng(5), side=320) for _ in range(2))
    assert (one.image == other.image).all()
    assert one.corners is not None
    assert other.corners is not None
    assert (one.corners == other.corners).all()
    assert (sketch(np.random.default_rng(6), side=320).image[:50, :50] != one.image[:50, :50]).any()


def test_views_show_the_whole_grid_at_every_rotation() -> None:
    rng = np.random.default_rng(1)
    ways = []
    for _ in range(60):
        corners = any_view(rng, 640, 480).corners()
        assert (corners > -20).all()
        assert (corners < (660, 500)).all()
        edge = corners[1] - corners[0]
        ways.append(np.arctan2(edge[1], edge[0]))
        area = np.cross(
            np.append(corners[1] - corners[0], 0), np.append(corners[3] - corners[0], 0)
        )
        assert area[2] > 0  # clockwise as seen
    counts, _ = np.histogram(ways, bins=4, range=(-np.pi, np.pi))
    assert (counts > 4).all()


def test_heights_rise_towards_the_camera() -> None:
    view = any_view(np.random.default_rng(3), 640, 640)
    spans = []
    for height in (0.0, 0.5, 1.0):
        corners = project(view.homography(height), BOARD)
        spans.append(np.linalg.norm(corners - corners.mean(axis=0), axis=1).mean())
    assert spans[0] < spans[1] < spans[2]


def test_some_sketches_have_no_board() -> None:
    assert sketch(np.random.default_rng(2), side=240, board=0.0).corners is None


def drawn(seed: int = 5) -> Sketch:
    return sketch(np.random.default_rng(seed), side=480, board=1.0)


def test_coarse_sample_marks_the_grid_and_its_corners() -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        sample = coarse_sample(rng, drawn())
        assert sample.picture.shape == (3, COARSE, COARSE)
        assert sample.mask.shape == sample.corners.shape == (COARSE // COARSE_STRIDE,) * 2
        assert 20 < sample.mask.sum() < 64 * 64
        tops = np.argwhere(sample.corners > 0.7)
        assert len(tops) >= 3  # give or take one just outside the picture
        edge = (sample.mask > 0.02) & (sample.mask < 0.98)
        for y, x in tops:  # every corner is at the mask's edge
            assert edge[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3].any()


def test_refine_sample_tells_the_way_back_to_the_truth() -> None:
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(30):
        sample = refine_sample(rng, drawn())
        assert sample.picture.shape == (3, REFINE, REFINE)
        if sample.known.sum() < 400:
            continue
        answer = np.zeros((5, *cell_centres().shape[:2]), np.float32)
        answer[:2] = sample.offset
        answer[2:4] = np.where(sample.known > 0, -3, 2)
        answer[4] = np.where(sample.inside > 0, 9, -9)
        found = fit(answer)
        assert found is not None
        assert found.miss < 1e-3
        if found.moved > 0.8:  # there and back are opposite only for small ways
            continue
        seen += 1
        moved = found.corners + sample.corner_offset
        assert np.abs(moved - BOARD).max() < 0.1
    assert seen > 5


def test_refine_sample_without_a_board_asks_for_nothing() -> None:
    empty = sketch(np.random.default_rng(2), side=320, board=0.0)
    sample = refine_sample(np.random.default_rng(0), empty)
    assert sample.inside.sum() == 0
    assert sample.known.sum() == 0


@pytest.mark.parametrize("seed", range(6))
def test_every_style_can_be_drawn(seed: int) -> None:
    made = sketch(np.random.default_rng([9, seed]), side=200)
    assert made.image.dtype == np.uint8
    assert made.image.std() > 0
