"""The parallax of tiles' faces, which stand above the board.

A tile's face lies higher than the squares. Seen at a slant it covers a place further from the
camera's foot, by up to half a square on boards whose rims hold the tiles up. A point at height h
under a camera at height c is seen, on the board, at a distance from the camera's foot that is c /
(c - h) times its own; so the faces lie on a lattice that is a little larger than the board's, and
moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.decode import Grid
from vision.labels import EMPTY, LETTER_CLASSES, UNREADABLE, state_index
from vision.rectify import BORDER, PITCH, Corners, Image, homography, project

LEANING: Final = 0.12
"""Faces are located if one is seen this far aside, in squares. On photographs from above none is by
0.1."""

SETTLED: Final = 0.03
"""Once the estimate changes by less, it is not refined any more."""

ROUNDS: Final = 3
"""The most estimates: one is not enough, as the classifier sees tiles nearer a crop's middle than
they are."""

_FORESHORTENED: Final = 0.88
"""A board is seen at a slant if its squares' sides have a lower ratio in the picture: 28°."""

_FEWEST: Final = 4
_MOST: Final = 24
"""Least tiles for an estimate, and the most that are used for one."""

_SURE: Final = 0.7
"""A letter's pose is used if the letter has this probability."""

_USUAL: Final = 0.08
"""A tile that is further off its square's middle than this, in squares, has less weight."""

_GROWTH_UNLIKELY: Final = 2.0
_SHIFT_UNLIKELY: Final = 0.1
"""Ridge penalty on the fitted growth and shift, as few tiles say little about either."""

_FIT_ROUNDS: Final = 6

_PERSPECTIVE: Final = 0.05
"""Share by which the board's far side must be further off than its near one to tell them apart."""
_ALONG: Final = 0.5
"""Component of the direction away from the camera from which on an axis of the board counts."""
_NEARER: Final = 0.35
"""Squares nearer to the camera from which on a face must be another square's: tiles are seen up to
0.65 squares away from their own, and the estimate is good to 0.1."""

_HALF: Final = (SIZE - 1) / 2

_BARE: Final = 0.9
"""A square that reads as bare with this probability is averaged with the face seen over it."""


_MIDDLE: Final = np.array([[7.0, 7.5], [8.0, 7.5], [7.5, 7.0], [7.5, 8.0]])
"""Board units across the middle square, and down."""


@dataclass(frozen=True)
class Parallax:
    """How far aside of their squares the tiles' faces are seen, in squares.

    Attributes:
        growth: how much further at the board's edge than in its middle, away from the middle.
        right: how far to the right in the board's middle.
        down: how far down in the board's middle.
    """

    growth: float = 0.0
    right: float = 0.0
    down: float = 0.0

    def __add__(self, other: Parallax) -> Parallax:
        return Parallax(
            self.growth + other.growth, self.right + other.right, self.down + other.down
        )

    @property
    def most(self) -> float:
        """The furthest that any square's face is seen aside, either way."""
        return abs(self.growth) + max(abs(self.right), abs(self.down))

    def away_from(self, corners: Corners) -> Parallax:
        """Return the parallax with each face given to the square that it can stand on.

        An offset is only known up to whole squares. Faces are seen further from the camera than
        their squares, so a face that seems far on the near side belongs to the square before.

        Args:
            corners: the board's corners, which show where the camera is.
        """
        matrix = homography(corners)
        depth = matrix[2] / (matrix[2] @ (SIZE / 2, SIZE / 2, 1))
        if np.linalg.norm(depth[:2]) * SIZE < _PERSPECTIVE:
            return self
        away = depth[:2] / np.linalg.norm(depth[:2])
        right, down = (
            offset + np.sign(part) * (abs(part) > _ALONG and offset * np.sign(part) < -_NEARER)
            for offset, part in zip((self.right, self.down), away, strict=True)
        )
        return Parallax(self.growth, float(right), float(down))

    def corners(self, corners: Corners) -> Corners:
        """Return the corners of the faces' lattice, given the board's: float32 (4, 2)."""
        board = np.array([[0, 0], [SIZE, 0], [SIZE, SIZE], [0, SIZE]], np.float64)
        aside = (board - SIZE / 2) * (self.growth / _HALF) + (self.right, self.down)
        return np.asarray(project(homography(corners), board + aside), np.float32)


def is_slanted(corners: Corners) -> bool:
    """Return True if a board is seen at such a slant that tiles' faces may be far aside."""
    across, down = np.diff(project(homography(corners), _MIDDLE), axis=0)[[0, 2]].astype(np.float64)
    sides = np.linalg.svd(np.column_stack([across, down]), compute_uv=False)
    return bool(sides[1] < _FORESHORTENED * sides[0])


def sure_letters(grid: Grid) -> NDArray[np.intp]:
    """Return the indices of some squares that surely show a letter, spread over the board."""
    letters = grid[..., :LETTER_CLASSES].reshape(SIZE * SIZE, -1, 4).sum(axis=-1).max(axis=-1)
    found = np.flatnonzero(letters >= _SURE)
    return found[np.linspace(0, len(found) - 1, min(len(found), _MOST)).round().astype(np.intp)]


def parallax(squares: NDArray[np.intp], tile_pose: NDArray[np.float32]) -> Parallax:
    """Return how far aside the faces of tiles are seen; not at all if there are too few tiles.

    Args:
        squares: indices ``15 * row + col`` (N,) of the tiles.
        tile_pose: float32 (N, 3), their poses within the squares.
    """
    count = len(squares)
    if count < _FEWEST:
        return Parallax()
    rows, cols = np.divmod(squares, SIZE)
    model = np.zeros((2 * count, 3))
    model[:, 0] = (np.concatenate([cols, rows]) - _HALF) / _HALF
    model[:count, 1] = model[count:, 2] = 1
    target = tile_pose[:, :2].T.ravel().astype(np.float64)
    ridge = np.diag([_GROWTH_UNLIKELY, _SHIFT_UNLIKELY, _SHIFT_UNLIKELY])
    weight = np.ones(2 * count)
    for _ in range(_FIT_ROUNDS):
        normal = model.T @ (model * weight[:, None]) + ridge
        solution = np.linalg.solve(normal, model.T @ (weight * target))
        off = np.abs(target - model @ solution).reshape(2, count).max(axis=0)
        weight = np.tile(1 / (1 + (off / _USUAL) ** 2), 2)
    return Parallax(*(float(value) for value in solution))


def merged(squares: Grid, faces: Grid) -> Grid:
    """Return the grid of a board's squares, merged from two grids of probabilities.

    Args:
        squares: of crops cut where the squares are.
        faces: of crops cut where the squares' tiles would be seen.

    Returns:
        the faces' grid; where the square itself shows bare, the mean of both in logarithms.
    """
    bare = squares[..., state_index(EMPTY)] >= _BARE
    unseen = bare & (faces[..., state_index(UNREADABLE)] >= _BARE)
    bare &= ~unseen
    both = np.sqrt(squares[bare] * faces[bare])
    out = faces.copy()
    out[bare] = both / np.maximum(both.sum(axis=1, keepdims=True), 1e-12)
    out[unseen] = squares[unseen]  # the face would be beyond the picture
    return out


def with_faces(squares: Image, faces: Image, grid: Grid) -> Image:
    """Return the rectified picture of the squares, with the faces on those that hold a tile."""
    out = squares.copy()
    for row, col in np.argwhere(grid[..., state_index(EMPTY)] < 0.5):
        top, left = BORDER + row * PITCH, BORDER + col * PITCH
        out[top : top + PITCH, left : left + PITCH] = faces[top : top + PITCH, left : left + PITCH]
    return out
