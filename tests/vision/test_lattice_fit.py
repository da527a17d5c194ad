"""The geometry between the networks' answers and the corners."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vision.locate.coarse import coarse_candidates
from vision.locate.inputs import (
    COARSE,
    COARSE_STRIDE,
    REFINE,
    Pyramid,
    canvas_to_board,
    cell_centres,
    letterbox,
    normalised,
    rectifying,
)
from vision.locate.lattice_fit import (
    BOARD,
    clockwise,
    convex,
    fit,
)
from vision.rectify import homography, project

CELLS = COARSE // COARSE_STRIDE


def answer_of(matrix: np.ndarray, spread: float = 0.05) -> np.ndarray:
    """What a perfect refiner says where board units p of the guess are truly matrix(p)."""
    cells = cell_centres()
    at = project(matrix, cells.reshape(-1, 2).astype(np.float64)).reshape(cells.shape)
    inside = ((at > 0) & (at < 15)).all(-1)
    out = np.zeros((5, *cells.shape[:2]), np.float32)
    out[:2] = (at - cells).transpose(2, 0, 1)
    out[2:4] = np.log(spread)
    out[4] = np.where(inside, 9, -9)
    return out


@given(st.lists(st.floats(-1.5, 1.5), min_size=8, max_size=8))
def test_fit_recovers_any_small_homography(moves: list[float]) -> None:
    corners = BOARD + np.array(moves).reshape(4, 2)
    matrix = np.linalg.inv(homography(corners.astype(np.float32)))
    at = project(matrix, cell_centres().reshape(-1, 2).astype(np.float64))
    assume(min(np.abs(at).min(), np.abs(at - 15).min()) > 1e-4)  # on the edge it may be either
    found = fit(answer_of(matrix))
    assert found is not None
    assert np.abs(found.corners - corners.astype(np.float32)).max() < 1e-3
    assert found.inside > 0.95
    assert found.miss < 1e-3
    assert found.moved == pytest.approx(np.linalg.norm(corners - BOARD, axis=1).max(), abs=1e-3)


def test_fit_shrugs_off_a_hand() -> None:
    corners = BOARD + np.array([[0.4, -0.2], [0.1, 0.3], [-0.5, 0], [0.2, 0.6]])
    answer = answer_of(np.linalg.inv(homography(corners.astype(np.float32))))
    answer[:2, 8:16, 6:14] += 1.3  # a tenth of the cells, all wrong the same way
    found = fit(answer)
    assert found is not None
    assert np.linalg.norm(found.corners - corners, axis=1).max() < 0.03


def test_fit_trusts_sure_cells_more() -> None:
    answer = answer_of(np.eye(3))
    answer[0, ::2] += 0.4
    answer[2:4, ::2] = np.log(2.0)
    found = fit(answer)
    assert found is not None
    assert found.moved < 0.02
    answer[4] = -9  # no grid anywhere
    assert fit(answer) is None


def coarse_answer(*quads: np.ndarray, peaks: bool = True) -> np.ndarray:
    answer = np.full((2, CELLS, CELLS), -8, np.float32)
    full = np.zeros((COARSE, COARSE), np.uint8)
    along = (np.arange(CELLS) + 0.5) * COARSE_STRIDE - 0.5
    for quad in quads:
        cv2.fillConvexPoly(full, np.round(quad).astype(np.int32), 255)
        for x, y in quad if peaks else ():
            bump = np.exp(-((along - x) ** 2 + (along[:, None] - y) ** 2) / (2 * 16))
            answer[1] = np.maximum(answer[1], 10 * bump.astype(np.float32) - 6)
    mask = cv2.resize(full, (CELLS, CELLS), interpolation=cv2.INTER_AREA) / 255
    answer[0] = (mask - 0.5) * 12
    return answer


@pytest.mark.parametrize("angle", range(0, 180, 15))
@pytest.mark.parametrize("peaks", [True, False])
def test_rough_place_at_any_rotation(angle: int, peaks: bool) -> None:
    way = np.deg2rad(angle)
    turn = np.array([[np.cos(way), -np.sin(way)], [np.sin(way), np.cos(way)]])
    quad = np.array([[-60, -55], [58, -50], [64, 52], [-57, 60]]) @ turn.T + (130, 121)
    places = coarse_candidates(coarse_answer(quad, peaks=peaks))
    assert places
    best = places[0].corners
    off = min(np.linalg.norm(np.roll(best, k, 0) - quad, axis=1).max() for k in range(4))
    assert off < (2.5 if peaks else 5)  # a square is 8 pixels here


def test_rough_places_tell_two_boards_and_none() -> None:
    one = np.array([[20, 20], [100, 22], [98, 103], [18, 99]], float)
    assert len(coarse_candidates(coarse_answer(one, one + np.array([130, 120])))) == 2
    assert coarse_candidates(np.full((2, CELLS, CELLS), -8, np.float32)) == []


def test_clockwise_and_convex() -> None:
    quad = np.array([[0, 0], [0, 10], [10, 10], [10, 0]], float)
    assert convex(clockwise(quad))
    assert not convex(quad)
    assert not convex(np.array([[0, 0], [10, 0], [3, 3], [0, 10]], float))


def dot(width: int, height: int, x: float, y: float, sigma: float) -> np.ndarray:
    down, across = (
        np.exp(-((np.arange(many) - at) ** 2) / (2 * sigma**2)).astype(np.float32)
        for many, at in ((height, y), (width, x))
    )
    blob = np.outer(down, across)
    return np.repeat((20 + 220 * blob)[..., None], 3, axis=2).astype(np.uint8)


def centre_of(image: np.ndarray) -> np.ndarray:
    light = image[..., 0].astype(float) - 20
    light[light < 15] = 0
    ys, xs = np.mgrid[: image.shape[0], : image.shape[1]]
    return np.array([(light * xs).sum(), (light * ys).sum()]) / light.sum()


@pytest.mark.parametrize("size", [(600, 800), (2000, 1501), (701, 4000)])
def test_letterbox_keeps_places_at_every_scale(size: tuple[int, int]) -> None:
    width, height = size
    where = np.array([width * 0.31, height * 0.62])
    image = dot(width, height, *where, sigma=max(size) / 60)
    matrix, span = letterbox(size)
    seen = Pyramid(image).warp(matrix, COARSE, span)
    expected = project(np.linalg.inv(matrix), where[None])[0]
    assert np.abs(centre_of(seen) - expected).max() < 0.25
    assert (expected > 0).all() and (expected < COARSE).all()


def test_rectified_view_puts_the_lattice_where_it_says() -> None:
    corners = np.array([[300, 200], [1500, 260], [1600, 1400], [220, 1300]], np.float32)
    spot = np.array([[4.0, 11.0]])
    where = project(homography(corners), spot)[0]
    image = dot(1800, 1600, *where, sigma=25)
    matrix, span = rectifying(corners)
    seen = Pyramid(image).warp(matrix, REFINE, span)
    at = project(canvas_to_board(), centre_of(seen)[None])[0]
    assert np.abs(at - spot[0]).max() < 0.04


def test_normalised_forgets_light_and_contrast() -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(60, 120, (64, 64, 3)).astype(np.uint8)
    other = (image * 1.8 + 20).astype(np.uint8)
    assert normalised(image).shape == (3, 64, 64)
    assert np.abs(normalised(image) - normalised(other)).mean() < 0.05
    assert np.isfinite(normalised(np.full((64, 64, 3), 7, np.uint8))).all()
