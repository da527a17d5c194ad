"""Pictures that teach the locator: repeatable, and true about where the grid is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.scenes.render import render
from models.scenes.view import CORNERS, View
from tools.scenes import random_overview, random_rows
from tools.scenes.draw_overview import overview_camera
from tools.train.locate_data import BOARD, Picture, coarse_sample, overview, refine_sample
from vision.locate.inputs import COARSE, COARSE_STRIDE, REFINE, cell_centres
from vision.locate.lattice_fit import fit
from vision.rectify import homography, project


def test_a_seed_draws_the_same_picture_again() -> None:
    one, other, different = (overview(np.random.default_rng(n), side=320) for n in (5, 5, 6))
    assert (one.image == other.image).all()
    assert one.corners is not None
    assert np.array_equal(one.corners, other.corners)
    assert (different.image[:50, :50] != one.image[:50, :50]).any()


def test_cameras_see_the_whole_grid_at_every_rotation() -> None:
    rng = np.random.default_rng(1)
    ways = []
    for _ in range(60):
        camera = overview_camera(rng, 1.05, 640)
        corners = View(camera, 1.05).points(CORNERS)
        assert (corners > -20).all()
        assert (corners < (camera.width + 20, camera.height + 20)).all()
        edge, other = corners[1] - corners[0], corners[3] - corners[0]
        ways.append(np.arctan2(edge[1], edge[0]))
        assert edge[0] * other[1] - edge[1] * other[0] > 0  # clockwise as seen
    counts, _ = np.histogram(ways, bins=4, range=(-np.pi, np.pi))
    assert (counts > 4).all()


def test_some_tables_have_no_board() -> None:
    """Only the board is left out: what else the table has is drawn where it was."""
    spec = random_overview(np.random.default_rng(5), side=320, board=1.0)
    spec = replace(spec, clutter=replace(spec.clutter, loose=(), hands=(), things=()))
    bare = replace(spec, board=replace(spec.board, opacity=0.0))
    rows = random_rows(np.random.default_rng(0), words=0)
    there, gone = (render(s, rows, np.random.default_rng(1)) for s in (spec, bare))
    inner = project(homography(there.corners), np.array([[2.0, 2.0], [12.0, 12.0]])).astype(int)
    difference = np.abs(there.image.astype(int) - gone.image)
    assert all(difference[y - 3 : y + 3, x - 3 : x + 3].mean() > 4 for x, y in inner)
    assert overview(np.random.default_rng(2), side=240, board=0.0).corners is None


def test_all_that_an_overview_may_show_turns_up() -> None:
    specs = [random_overview(np.random.default_rng([8, k])) for k in range(120)]
    kinds = {thing.kind for spec in specs for thing in spec.clutter.things}
    assert kinds >= {"grid", "sheet", "cup", "device", "ring", "disc", "rack", "paper"}
    assert {spec.clutter.table.texture for spec in specs} >= {"checks", "stripes", "terrazzo"}
    assert max(len(spec.clutter.loose) for spec in specs) >= 100  # a whole set on the table
    boards = [spec.board for spec in specs]
    assert any(board.layout for board in boards)
    assert any(sum(board.legends) for board in boards)
    assert {board.opacity == 0 for board in boards} == {True, False}
    assert {board.line_width == 0 for board in boards} == {True, False}
    for seed in range(6):  # and can be drawn
        made = overview(np.random.default_rng([9, seed]), side=200)
        assert made.image.dtype == np.uint8
        assert made.image.std() > 0


def drawn(seed: int = 5) -> Picture:
    return overview(np.random.default_rng(seed), side=480, board=1.0)


def test_coarse_sample_marks_the_grid_and_its_corners() -> None:
    rng, picture = np.random.default_rng(0), drawn()
    for _ in range(4):
        sample = coarse_sample(rng, picture)
        assert sample.picture.shape == (3, COARSE, COARSE)
        assert sample.mask.shape == sample.corners.shape == (COARSE // COARSE_STRIDE,) * 2
        assert 20 < sample.mask.sum() < 64 * 64
        tops = np.argwhere(sample.corners > 0.7)
        assert len(tops) >= 3  # give or take one just outside the picture
        edge = (sample.mask > 0.02) & (sample.mask < 0.98)
        for y, x in tops:  # every corner is at the mask's edge
            assert edge[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3].any()


def test_refine_sample_tells_the_way_back_to_the_truth() -> None:
    rng, picture = np.random.default_rng(0), drawn()
    seen = 0
    for _ in range(30):
        sample = refine_sample(rng, picture)
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
    empty = overview(np.random.default_rng(2), side=320, board=0.0)
    sample = refine_sample(np.random.default_rng(0), empty)
    assert not sample.inside.any()
    assert not sample.known.any()
