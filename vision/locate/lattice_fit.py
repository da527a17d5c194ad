"""Fits the grid's corners to the refiner's output: geometry alone, no networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.locate.inputs import Matrix, Tensor, cell_centres
from vision.rectify import project
from vision.robust import RobustFit, cauchy, robust_fit

BOARD: Final = np.array([[0, 0], [SIZE, 0], [SIZE, SIZE], [0, SIZE]], np.float64)
"""The grid's corners in board units."""

_STEPS: Final = 6
"""Rounds of reweighting in a fit, at most."""

_SETTLED: Final = 1e-4
"""A round that changes no entry of the matrix by more than this is the last: a thousandth of a
square."""

_CELLS: Final = cell_centres().reshape(-1, 2).astype(np.float64)


def sigmoid(x: Tensor) -> Tensor:
    """Return probabilities of logits."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -30, 30))), np.float32)


def clockwise(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four points (4, 2) in clockwise order as seen (y runs down)."""
    following = np.roll(quad, -1, axis=0)
    area = float((quad[:, 0] * following[:, 1] - following[:, 0] * quad[:, 1]).sum())
    return quad if area > 0 else quad[::-1].copy()


def convex(quad: NDArray[np.float64], least: float = 4.0) -> bool:
    """Return True if four points in order enclose a convex area, no side shorter than least."""
    edges = np.roll(quad, -1, axis=0) - quad
    after = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    return bool((turns > 0).all() and np.linalg.norm(edges, axis=1).min() >= least)


@dataclass(frozen=True)
class Fit:
    """The fit of one run of the refiner.

    corners: float64 (4, 2), where the grid's corners are in the guess's own board units.
    inside: how well "in the grid" agrees with the corners, 0..1 (intersection over union).
    spread: the median of the spreads that the network gave its offsets, in squares.
    miss: the median residual of the offsets, in squares.
    """

    corners: NDArray[np.float64]
    inside: float
    spread: float
    miss: float

    @property
    def moved(self) -> float:
        """The farthest that a corner went from the guess, in squares."""
        return float(np.linalg.norm(self.corners - BOARD, axis=1).max())


@dataclass(frozen=True)
class Lattice:
    """Points of a picture and their places in the grid, by one run of the refiner.

    pixels: float64 (N, 2), x and y in the picture. board: float64 (N, 2), the same points in board
    units. spread: float64 (N, 2), how far off those may be, in squares.
    """

    pixels: NDArray[np.float64]
    board: NDArray[np.float64]
    spread: NDArray[np.float64]


def lattice(output: Tensor, to_pixels: Matrix) -> Lattice:
    """Return every point within the grid by the refiner's output (5, 30, 30).

    to_pixels: the 3×3 from the guess's board units to the picture's pixels.
    """
    use = sigmoid(output[4]).reshape(-1) > 0.5
    offset = output[:2].reshape(2, -1).T.astype(np.float64)
    spread = np.exp(np.clip(output[2:4].reshape(2, -1).T, -4.5, 2.0)).astype(np.float64)
    return Lattice(project(to_pixels, _CELLS[use]), _CELLS[use] + offset[use], spread[use])


def fit(output: Tensor) -> Fit | None:
    """Return the homography fitted to the refiner's output (5, 30, 30), or None without a grid."""
    offset = output[:2].reshape(2, -1).T.astype(np.float64)
    spread = np.exp(np.clip(output[2:4].reshape(2, -1).T, -4.5, 2.0)).astype(np.float64)
    inside = sigmoid(output[4]).reshape(-1).astype(np.float64)
    use = inside > 0.3
    if use.sum() < 60:
        return None
    guess, truth = _CELLS[use], _CELLS[use] + offset[use]
    weight = np.sqrt(inside[use])[:, None] / spread[use]
    matrix = weighted_homography(guess, truth, weight)
    if matrix is None:
        return None
    try:
        corners = project(np.asarray(np.linalg.inv(matrix), np.float64), BOARD)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(corners).all() or not convex(corners):
        return None
    at = project(matrix, _CELLS)
    within = ((at > 0) & (at < SIZE)).all(axis=1)
    both = float(np.minimum(inside, within).sum())
    either = float(np.maximum(inside, within).sum())
    left = np.linalg.norm(project(matrix, guess) - truth, axis=1)
    return Fit(
        corners, both / max(either, 1e-6), float(np.median(spread[use])), float(np.median(left))
    )


def weighted_homography(
    source: NDArray[np.float64], target: NDArray[np.float64], weight: NDArray[np.float64]
) -> Matrix | None:
    """Return the 3×3 from source to target (N, 2), fitted robustly; None if that fails.

    weight (N, 2) is one over the expected error of each target coordinate.
    """
    middle, reach = SIZE / 2, SIZE / 2
    p, q = (source - middle) / reach, (target - middle) / reach
    n = len(p)
    one, zero = np.ones(n), np.zeros((n, 3))
    xy1 = np.column_stack([p, one])
    right = np.hstack([xy1, zero, -q[:, :1] * p])
    down = np.hstack([zero, xy1, -q[:, 1:] * p])
    model, precision = np.vstack([right, down]), weight.T.ravel()

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        # The algebraic residual is the geometric one times the denominator of the projection.
        denominator = np.tile(p @ fit.coefficients[6:, 0] + 1, 2)
        left = fit.residual[:, 0] / denominator * reach * precision
        return precision**2 * cauchy(left / 2)

    try:
        solution = robust_fit(
            model, q.T.reshape(-1, 1), precision**2, reweight, rounds=_STEPS, settled=_SETTLED
        )
    except np.linalg.LinAlgError:
        return None
    matrix = np.append(solution.coefficients, 1.0).reshape(3, 3)
    to_unit = np.array(
        [[1 / reach, 0, -middle / reach], [0, 1 / reach, -middle / reach], [0, 0, 1]]
    )
    out = np.linalg.inv(to_unit) @ matrix @ to_unit
    return out if np.isfinite(out).all() else None
