"""Samples for the two networks of the locator, cut from drawn pictures with vision's own code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from game.files import replacing
from models.scenes.render import render
from models.scenes.spec import Rng
from tools.scenes import random_camera, random_overview, random_rows, random_sensor, random_spec
from tools.train.drawing import drawn
from vision.locate.inputs import (
    COARSE,
    COARSE_STRIDE,
    REFINE,
    Pyramid,
    Tensor,
    canvas_to_board,
    cell_centres,
    letterbox,
    normalised,
    rectifying,
)
from vision.locate.lattice_fit import BOARD
from vision.rectify import Image, homography, project

REACH: Final = 3.0
"""Squares by which a cell may be off and the refiner still be asked to say by how much."""

OVERVIEWS: Final = 0.7
"""Share of the pictures that show a table from afar; the rest are as the classifier sees them."""


@dataclass(frozen=True)
class Picture:
    """image uint8 BGR; corners float32 (4, 2) of the grid, clockwise in pixels, or None."""

    image: Image
    corners: NDArray[np.float32] | None


def overview(rng: Rng, side: int = 640, board: float = 0.88) -> Picture:
    """A table from afar, with a board on it in a share ``board`` of the draws."""
    spec = random_overview(rng, side, board)
    words = 0 if not spec.board.opacity or rng.random() < 0.1 else int(rng.integers(1, 29))
    scene = render(spec, random_rows(rng, words=words), rng)
    return Picture(scene.image, scene.corners if spec.board.opacity else None)


def any_table(rng: Rng) -> Picture:
    """A table from afar or, now and then, from near, some 500 to 900 pixels wide."""
    if rng.random() < OVERVIEWS:
        return overview(rng)
    spec = random_spec(rng)
    scale = float(np.exp(rng.uniform(np.log(14), np.log(34))))
    camera, sensor = random_camera(rng, spec.board, scale), random_sensor(rng, scale)
    scene = render(replace(spec, camera=camera, sensor=sensor), random_rows(rng), rng)
    return Picture(scene.image, scene.corners)


def _store(task: tuple[Path, int, int]) -> Path:
    folder, seed, k = task
    target = folder / f"{seed}-{k:06d}.npz"
    if target.exists():
        return target
    rng = np.random.default_rng([seed, k])
    made = any_table(rng)
    _, jpeg = cv2.imencode(
        ".jpg", made.image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))]
    )
    corners = np.zeros((0, 2), np.float32) if made.corners is None else made.corners
    with replacing(target, durable=False) as temporary, temporary.open("wb") as handle:
        np.savez(handle, jpg=jpeg, corners=corners)
    return target


def store_pictures(folder: Path, count: int, seed: int, processes: int) -> list[Path]:
    """The files of ``count`` drawn pictures; those that are in the folder already stay."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(folder, seed, k) for k in range(count)]
    return list(drawn(_store, tasks, processes, "pictures"))


def load_picture(path: Path) -> Picture:
    """One of the files of :func:`store_pictures`."""
    with np.load(path) as stored:
        image = cv2.imdecode(stored["jpg"], cv2.IMREAD_COLOR)
        corners = stored["corners"]
    return Picture(np.asarray(image, np.uint8), corners if len(corners) else None)


def tinted(rng: Rng, image: Image) -> Image:
    """The picture in other colours, light, sharpness and grain."""
    ramp = np.linspace(0, 1, 256, dtype=np.float32)
    tables = []
    strength = rng.choice([0.04, 0.2])
    gamma = np.exp(rng.normal(0, 0.3))
    for _ in range(3):
        table = ramp ** (gamma * np.exp(rng.normal(0, strength))) * np.exp(rng.normal(0, strength))
        tables.append(np.clip(table * 255, 0, 255))
    lut = np.stack(tables, axis=-1).astype(np.uint8).reshape(1, 256, 3)
    out = np.asarray(cv2.LUT(image, lut))
    pick = rng.uniform()
    if pick < 0.25:
        out = np.ascontiguousarray(out[..., rng.permutation(3)])
    elif pick < 0.33:
        out = np.repeat(out.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    if rng.uniform() < 0.25:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 1.3))
    if rng.uniform() < 0.5:
        grain = rng.standard_normal(out.shape, np.float32) * rng.uniform(1, 9)
        out = np.clip(out + grain, 0, 255)
    return np.asarray(out, np.uint8)


@dataclass(frozen=True)
class CoarseSample:
    """picture (3, 256, 256); mask and corners (64, 64) in 0..1; all float32."""

    picture: Tensor
    mask: Tensor
    corners: Tensor


def _rotation(angle: float) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _heat(points: NDArray[np.float64], cells: int, sigma: float) -> Tensor:
    along = (np.arange(cells) + 0.5) * COARSE_STRIDE - 0.5
    heat: Tensor = np.zeros((cells, cells), np.float32)
    for x, y in points:
        bump_x = np.exp(-((along - x) ** 2) / (2 * (sigma * COARSE_STRIDE) ** 2))
        bump_y = np.exp(-((along - y) ** 2) / (2 * (sigma * COARSE_STRIDE) ** 2))
        heat = np.maximum(heat, (bump_y[:, None] * bump_x).astype(np.float32))
    return heat


def coarse_sample(rng: Rng, picture: Picture) -> CoarseSample:
    """The picture seen whole, turned by quarters, mirrored, cropped and tinted."""
    image = picture.image
    corners = None if picture.corners is None else picture.corners.astype(np.float64)
    height, width = image.shape[:2]
    # A window stands for the whole picture; it keeps the grid, give or take a sliver.
    lo, hi = np.array([0, 0]), np.array([width, height])
    if rng.uniform() < 0.6:
        inner_lo, inner_hi = (lo + hi) * 0.35, (lo + hi) * 0.65
        if corners is not None:
            inner_lo, inner_hi = corners.min(0), corners.max(0)
        part = rng.uniform(0, 1, 4) ** 0.7
        slack = (inner_hi - inner_lo) * rng.uniform(-0.02, 0.02)
        lo = np.clip(inner_lo * part[:2] - slack, 0, hi - 32).astype(int)
        hi = np.clip(hi - (hi - inner_hi) * part[2:] + slack, lo + 32, hi).astype(int)
    window = np.ascontiguousarray(image[lo[1] : hi[1], lo[0] : hi[0]])
    size = (window.shape[1], window.shape[0])
    matrix, span = letterbox(size)
    turn = np.eye(3)
    quarter = np.round(_rotation(rng.integers(4) * np.pi / 2))
    turn[:2, :2] = quarter @ np.diag([rng.choice([-1, 1]), 1])
    middle = (COARSE - 1) / 2
    shift = np.array([[1, 0, middle], [0, 1, middle], [0, 0, 1]])
    matrix = matrix @ shift @ turn @ np.linalg.inv(shift)
    seen = tinted(rng, Pyramid(window).warp(matrix, COARSE, span))
    cells = COARSE // COARSE_STRIDE
    mask: Tensor = np.zeros((cells, cells), np.float32)
    heat: Tensor = np.zeros((cells, cells), np.float32)
    if corners is not None:
        points = project(np.linalg.inv(matrix), corners - lo)
        full = np.zeros((COARSE, COARSE), np.uint8)
        cv2.fillConvexPoly(full, np.round(points * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        share = cv2.resize(full, (cells, cells), interpolation=cv2.INTER_AREA)
        mask = np.asarray(share / 255, np.float32)
        heat = _heat(points, cells, 1.0)
    return CoarseSample(normalised(seen), np.asarray(mask, np.float32), heat)


@dataclass(frozen=True)
class RefineSample:
    """Input and target of the refiner. All float32.

    picture (3, 240, 240); offset (2, 30, 30) in squares; known (30, 30): 1 where the offset
    counts; inside (30, 30): 1 in the grid; corner_offset (4, 2), of the guess's own corners.
    """

    picture: Tensor
    offset: Tensor
    known: Tensor
    inside: Tensor
    corner_offset: Tensor


def _guess(rng: Rng) -> NDArray[np.float64]:
    """Board units at which a guess has its corners, (4, 2)."""
    size = np.exp(rng.uniform(np.log(0.02), np.log(1.4)))
    out = BOARD + rng.normal(0, 0.7 * size, (4, 2)) + rng.normal(0, 0.6 * size, 2)
    out += (BOARD - SIZE / 2) * rng.normal(0, 0.06 * size, 2)
    if rng.uniform() < 0.15:  # the rim taken for the grid, or one row left out
        out += (BOARD > 0) * rng.choice([-1, 0, 1], (1, 2)) - (BOARD == 0) * rng.choice(
            [-1, 0, 1], (1, 2)
        )
    return out


def refine_sample(rng: Rng, picture: Picture) -> RefineSample:
    """The picture rectified by a guess that is off by up to some squares, or far from any board."""
    image = picture.image
    height, width = image.shape[:2]
    far = picture.corners is None or rng.uniform() < 0.06
    cells = cell_centres()
    if picture.corners is None:
        side = rng.uniform(0.25, 1.0) * min(width, height)
        turn = _rotation(rng.uniform(0, 2 * np.pi))
        quad = (BOARD / SIZE - 0.5) * side @ turn.T + rng.uniform(0.25, 0.75, 2) * (width, height)
        truth = None
    else:
        order = np.roll(np.arange(4), rng.integers(4))
        order = order[::-1] if rng.uniform() < 0.5 else order
        truth = homography(picture.corners[order])
        units = _guess(rng)
        if far:
            turn = _rotation(rng.uniform(0, 2 * np.pi))
            units = (BOARD - 7.5) @ turn.T * rng.uniform(0.4, 2) + 7.5 + rng.normal(0, 3, 2)
        quad = project(truth, units)
    guess = quad.astype(np.float32)
    matrix, span = rectifying(guess)
    seen = tinted(rng, Pyramid(image).warp(matrix, REFINE, span))
    shape = cells.shape[:2]
    offset = np.zeros((*shape, 2), np.float32)
    inside: Tensor = np.zeros(shape, np.float32)
    known = inside
    corner_offset = np.zeros((4, 2), np.float32)
    if truth is not None:
        to_truth = np.linalg.inv(truth) @ matrix @ np.linalg.inv(canvas_to_board())
        at = project(to_truth, cells.reshape(-1, 2).astype(np.float64)).reshape(*shape, 2)
        offset = np.asarray(at - cells, np.float32)
        inside = np.asarray(((at > 0) & (at < SIZE)).all(-1), np.float32)
        close = (np.abs(offset) < REACH).all(-1) & (at > -0.7).all(-1) & (at < SIZE + 0.7).all(-1)
        known = np.where(far, 0, close).astype(np.float32)
        corner_offset = np.asarray(project(to_truth, BOARD) - BOARD, np.float32)
    return RefineSample(normalised(seen), offset.transpose(2, 0, 1), known, inside, corner_offset)
