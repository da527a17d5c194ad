"""Squares that the picture's edge cuts: what is out of the picture must not count as seen.

Rectifying fills what lies beyond the picture with the nearest pixels: a square of which nothing
shows looks bare, and an upside-down U that is cut looks like an F.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.decode import SYMBOL_ORDER, Grid
from vision.labels import BLANK, LETTERS, SYMBOLS, UNREADABLE, state_index
from vision.rectify import Corners, Image, homography, project

_FACE: Final = np.linspace(0.2, 0.8, 7)
"""Positions along each side of a square at which a tile shows its letter and its value."""

_LETTER: Final = np.linspace(0.28, 0.72, 5)
"""Positions along each side of a square at which a tile shows its letter."""

_LEAST: Final = 0.45
"""Least doubt about a letter that is partly out of the picture: enough to ask about it. The network
has not learnt such tiles, and was 99% sure of a wrong letter of which a third was missing."""


def without_unseen(grid: Grid, image: Image, corners: Corners) -> Grid:
    """Return the grid; squares whose middle is out of the picture are made unreadable.

    Args:
        grid: probabilities of the squares as rectified.
        image: uint8 (H, W, 3) BGR.
        corners: of the grid, float32 (4, 2), clockwise.
    """
    if _in_picture(image, corners).all():
        return grid
    out = ~_faces_in_picture(image, corners, np.full(1, 0.5))[..., 0]
    left = grid.copy()
    left[out] = 0
    left[out, state_index(UNREADABLE)] = 1
    return left


def with_cut_tiles_in_doubt(
    posterior: NDArray[np.float32], image: Image, corners: Corners
) -> NDArray[np.float32]:
    """Return the probabilities; the more of a face is cut off, the likelier it is another letter.

    That a tile lies there is not in doubt: a part of it is in the picture.

    Args:
        posterior: float32 (15, 15, symbols), of an upright board.
        image: uint8 (H, W, 3) BGR.
        corners: of the grid, float32 (4, 2), clockwise from the upright top left.
    """
    if _in_picture(image, corners).all():
        return posterior
    hidden = 1 - _faces_in_picture(image, corners, _FACE).mean(axis=-1)
    likeliest = posterior.argmax(axis=-1)
    tile = (likeliest < len(LETTERS)) | (likeliest == SYMBOL_ORDER.index(SYMBOLS[BLANK]))
    cut = ~_faces_in_picture(image, corners, _LETTER).all(axis=-1)
    doubt = np.where(cut, np.maximum(hidden, _LEAST), hidden)
    share = np.where(tile, doubt, 0).astype(np.float32)
    doubted = posterior * (1 - share[..., None])
    doubted[..., : len(LETTERS)] += share[..., None] / len(LETTERS)
    return np.asarray(doubted)


def _faces_in_picture(image: Image, corners: Corners, at: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points of each square are in the picture: bool (15, 15, points).

    ``at`` holds the points' positions along each side of a square, 0..1.
    """
    rows, cols, down, along = np.meshgrid(np.arange(SIZE), np.arange(SIZE), at, at, indexing="ij")
    points = np.column_stack([(cols + along).ravel(), (rows + down).ravel()])
    return _in_picture(image, project(homography(corners), points)).reshape(SIZE, SIZE, -1)


def _in_picture(image: Image, points: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return True for the points (N, 2) that are in the picture: bool (N,)."""
    height, width = image.shape[:2]
    return np.asarray(((points >= 0) & (points <= (width - 1, height - 1))).all(axis=1))
