"""From which way arms come: where they cross the rim of what is watched of a board.

An arm is a large patch in which a picture differs, light aside, from how the board is known to
look, and that reaches the board's rim. It comes from where it crosses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.rectify import Corners, Image
from vision.tracking.board_watch import AROUND
from vision.tracking.light import differences, lit_as
from vision.tracking.small_picture import PITCH
from vision.tracking.square_model import MODEL

_ONE_WAY: Final = 0.8
"""Length of the mean of directions from which they are one."""

_LEAST: Final = MODEL.large * PITCH**2
"""Pixels of an arm, at least: those of so many squares."""

_TILE: Final = np.ones((PITCH, PITCH), np.uint8)

_NUDGED: Final = 3
"""Pixels within which the board may have shifted: it counts as in its place until then."""

Mask = NDArray[np.bool_]
"""bool (75, 75): pixels of the small picture."""

Way = NDArray[np.float64]


def arms_over(pictures: Iterable[Image], known: Sequence[Image], square: Square) -> list[Mask]:
    """Return the arms over a square in some pictures, each bool (75, 75).

    Args:
        pictures: uint8 (75, 75, 3) BGR, the board.
        known: the same without the arms that are looked for; any of them may be right.
        square: only arms over it count.
    """
    return [arm for small in pictures for arm in _arms(small, known) if _is_over(arm, square)]


def way_of(arms: Iterable[Mask], corners: Corners, square: Square) -> Way | None:
    """Return the way from which arms come to a square, if it is one.

    Right and down in the camera's picture, of length 1; ``corners`` are the board's in it.
    """
    ways = [_way(arm, corners, square) for arm in arms]
    return _one_way([way for way in ways if way is not None])


def with_tiles(known: Image, now: Image, tiles: Iterable[Square]) -> Image:
    """Return a board, uint8 (75, 75, 3), as it was known, but for these squares as they are now."""
    new = np.zeros((SIZE, SIZE), np.uint8)
    for square in tiles:
        new[square] = 1
    pixels = cv2.dilate(np.kron(new, _TILE), _TILE) > 0
    return np.where(pixels[..., None], lit_as(known, now, ~pixels), known)


def _arms(small: Image, known: Sequence[Image]) -> Iterator[Mask]:
    """Yield the large patches in which a picture differs from all those known.

    One that does not reach the rim is followed through fainter differences, if they lead there: a
    wrist may have nearly the table's colour.
    """
    now = small.astype(np.float32)
    each = (differences(one.astype(np.float32), now, AROUND, _NUDGED) for one in known)
    difference = np.minimum.reduce(list(each))
    labels, faint = (_patches(difference > MODEL.another / by) for by in (1, 2))
    for label in np.flatnonzero(np.bincount(labels.ravel())[1:] >= _LEAST) + 1:
        arm = labels == label
        if not _at_rim(arm).any():
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


def _at_rim(arm: Mask) -> Mask:
    """Return the part of an arm that lies on the outermost pixels."""
    rim = arm.copy()
    rim[2:-2, 2:-2] = False
    return rim


def _way(arm: Mask, corners: Corners, square: Square) -> Way | None:
    """Return the way from which an arm comes to a square, if it is one.

    An arm may lie along one edge of the board and come in over another. So the way goes from the
    square to the farther half of what crosses the rim, and not to the middle of it.
    """
    rim = _at_rim(arm)
    centres = cv2.connectedComponentsWithStats(rim.astype(np.uint8), connectivity=8)[3][1:]
    # A hand over a corner crosses two edges; an arm across the board has no one way.
    from_middle = centres + 0.5 - len(arm) / 2
    if _one_way([_in_picture(right, down, corners) for right, down in from_middle]) is None:
        return None
    from_square = np.argwhere(rim) + 0.5 - PITCH * (np.array(square) + 0.5)
    length = np.hypot(*from_square.T)
    down, right = from_square[length >= length.max() / 2].mean(axis=0)
    return _in_picture(right, down, corners)


def _in_picture(right: float, down: float, corners: Corners) -> Way:
    """Return a way on the board as one in the camera's picture, of length 1."""
    a, b, c, d = np.asarray(corners, np.float64)
    way = right * (b + c - a - d) + down * (c + d - a - b)
    return np.asarray(way / max(float(np.hypot(*way)), 1e-6))


def _one_way(ways: Sequence[Way]) -> Way | None:
    """Return the mean of some ways, of length 1; None if they are not one."""
    mean = np.asarray(np.sum(ways, axis=0) / max(len(ways), 1), np.float64)
    length = float(np.hypot(*mean)) if ways else 0.0
    return mean / length if length >= _ONE_WAY else None
