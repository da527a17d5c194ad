"""From where arms come: the lines to the board's rim that they cover.

An arm is a large patch in which a picture differs, light aside, from how the board is known to
look, and that reaches the board's rim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.light import differences, lit_as
from vision.rectify import Corners, Image
from vision.tracking.board_watch import AROUND
from vision.tracking.seats import DIRECTIONS
from vision.tracking.small_picture import PITCH
from vision.tracking.square_model import MODEL

_LEAST: Final = MODEL.large * PITCH**2
"""Pixels of an arm, at least: those of so many squares."""

_TILE: Final = np.ones((PITCH, PITCH), np.uint8)

_NUDGED: Final = 3
"""Pixels within which the board may have shifted: it counts as in its place until then."""

Mask = NDArray[np.bool_]
"""bool (75, 75): pixels of the small picture."""


class Arms:
    """The arms over a board in some pictures, each picture looked at once."""

    def __init__(self, bare: Sequence[Image], pictures: Mapping[int, Image]) -> None:
        """Take pictures by their times, and the board without arms: each of ``bare`` may be right.

        All are uint8 (75, 75, 3) BGR.
        """
        self._bare, self._pictures = bare, pictures
        self._found: dict[int, list[Mask]] = {}

    def over(self, square: Square, times: Iterable[int], before: Sequence[Image]) -> list[Mask]:
        """Return the arms over a square in the pictures of some times.

        One that lay there ``before``, in pictures from earlier, and lies there still lays no tile.
        """
        found = []
        for t_ns in times:
            small = self._pictures[t_ns]
            if t_ns not in self._found:
                self._found[t_ns] = list(_arms(_difference(small, self._bare)))
            over = [arm for arm in self._found[t_ns] if _is_over(arm, square)]
            if over and before:
                moved = _difference(small, before) > MODEL.another
                over = [arm for arm in over if (arm & moved).sum() >= _LEAST]
            found += over
        return found


def with_tiles(known: Image, now: Image, tiles: Iterable[Square]) -> Image:
    """Return a board, uint8 (75, 75, 3), as it was known, but for these squares as they are now."""
    new = np.zeros((SIZE, SIZE), np.uint8)
    for square in tiles:
        new[square] = 1
    pixels = cv2.dilate(np.kron(new, _TILE), _TILE) > 0
    return np.where(pixels[..., None], lit_as(known, now, ~pixels), known)


def _difference(small: Image, known: Sequence[Image]) -> NDArray[np.float32]:
    """Return by how much a picture differs from the one of those known that is most like it."""
    now = small.astype(np.float32)
    each = (differences(one.astype(np.float32), now, AROUND, _NUDGED) for one in known)
    return np.asarray(np.minimum.reduce(list(each)), np.float32)


def _arms(difference: NDArray[np.float32]) -> Iterator[Mask]:
    """Yield the large patches in which a picture differs.

    One that does not reach the rim is followed through fainter differences, if they lead there: a
    wrist may have nearly the table's colour.
    """
    labels, faint = (_patches(difference > MODEL.another / by) for by in (1, 2))
    for label in np.flatnonzero(np.bincount(labels.ravel())[1:] >= _LEAST) + 1:
        arm = labels == label
        if not _reaches_rim(arm):
            arm = arm | np.isin(faint, np.unique(faint[arm & (faint > 0)]))
        yield arm


def _patches(different: Mask) -> NDArray[np.int32]:
    """Return the number of the patch that each pixel belongs to, from 1; 0 for none."""
    solid = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_CLOSE, _TILE)
    return np.asarray(cv2.connectedComponents(solid, connectivity=8)[1], np.int32)


def _is_over(arm: Mask, square: Square) -> bool:
    """True if an arm is over a square, or beside it: the tips of its fingers hold the tile."""
    rows, cols = (slice(max(0, (at - 1) * PITCH), (at + 2) * PITCH) for at in square)
    return bool(arm[rows, cols].any())


def _reaches_rim(arm: Mask) -> bool:
    return bool(arm.any() and arm[2:-2, 2:-2].sum() != arm.sum())


def lines_under(arms: Sequence[Mask], corners: Corners, square: Square) -> NDArray[np.float64]:
    """Return how arms cover the lines from a square to the board's rim, for each of ``DIRECTIONS``.

    float64 (24,): the squares that are covered less those that are not, in the mean of all arms.
    """
    a, b, c, d = np.asarray(corners, np.float64)
    across = np.stack([b + c - a - d, c + d - a - b], axis=1) / (2 * SIZE)
    step = np.linalg.solve(across, DIRECTIONS.T).T
    step /= np.linalg.norm(step, axis=1, keepdims=True)
    away = np.arange(len(_TILE), 2 * SIZE * PITCH)[:, None, None]
    at = PITCH * (np.array([square.col, square.row]) + 0.5) + away * step
    on_board = ((at >= 0) & (at < SIZE * PITCH)).all(axis=2)
    col, row = np.clip(at, 0, SIZE * PITCH - 1).astype(int).transpose(2, 0, 1)
    covered = np.mean([arm[row, col] for arm in arms], axis=0) if arms else np.zeros_like(on_board)
    return np.asarray(np.where(on_board, 2.0 * covered - 1.0, 0.0).sum(axis=0) / PITCH)
