"""The pixels of each square, so that two sightings can be compared one by one.

A square whose appearance is unchanged cannot hold another tile, whatever a reader makes of it.
Differences of light and of pose by part of a pixel are taken out first; a new shadow's edge is not,
so that a square that looks different may still be the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.change_detector import Patches, square_patches
from vision.rectify import Corners, Image, rectify

PITCH: Final = 12
"""Pixels a square."""

_RIM: Final = 2

SAME_APPEARANCE: Final = 0.05
"""Two appearances with a smaller distance are the same: above what a pose half a pixel off does to
the edges of letters, below what tells an O from a Q."""

_FLOOR: Final = 12.0
"""Grey levels added to the level around, so that noise in the dark is no difference."""

_Board = NDArray[np.float32]


@dataclass(frozen=True)
class AppearanceMap:
    """The pixels of a board, upright."""

    board: NDArray[np.float32]
    """float32 (180, 180, 3): 12 pixels a square, BGR levels."""
    patches: Patches
    """Each square with its surroundings, at a finer resolution."""

    def replaced(self, squares: NDArray[np.bool_], others: AppearanceMap) -> AppearanceMap:
        """Return this map with some squares, bool (15, 15), taken from another."""
        wide = np.repeat(np.repeat(squares, PITCH, axis=0), PITCH, axis=1)[..., None]
        patches = self.patches.copy()
        patches[squares.ravel()] = others.patches[squares.ravel()]
        return AppearanceMap(np.where(wide, others.board, self.board), patches)

    def turned(self, turns: int) -> AppearanceMap:
        """Return this map of a board whose first corner is ``turns`` corners further clockwise."""
        cells = self.patches.reshape(SIZE, SIZE, *self.patches.shape[1:])
        cells = np.rot90(np.rot90(cells, turns, axes=(0, 1)), turns, axes=(2, 3))
        board = np.ascontiguousarray(np.rot90(self.board, turns))
        return AppearanceMap(board, np.ascontiguousarray(cells).reshape(self.patches.shape))


def appearance_of(image: Image, corners: Corners) -> AppearanceMap:
    """Return the appearance of the board in a picture.

    ``image`` is uint8 (H, W, 3) BGR, ``corners`` those of a reading (upright).
    """
    board = rectify(image, corners, pitch=PITCH, border=0).astype(np.float32)
    soft = np.asarray(cv2.GaussianBlur(board, (5, 5), 0), dtype=np.float32)
    return AppearanceMap(soft, square_patches(image, corners))


def same_appearance(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.bool_]:
    """Return the squares that look the same in two sightings: bool (15, 15)."""
    return np.asarray(appearance_distance(before, now) < SAME_APPEARANCE)


def appearance_distance(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.float32]:
    """Return each square's RMS difference as a share of the level around it: float32 (15, 15).

    The second map is first aligned to the first, by part of a pixel. Then the change of light is
    taken out: in each colour, the median over the squares around of the ratio of their levels, so
    that more than half of them must change before one that did not seems to have. Squares are
    compared without their rims, where a neighbour's new tile shows.
    """
    # Unaligned too: on a board with few tiles, a new one can mislead the alignment.
    return np.minimum(
        _distance(before.board, now.board),
        _distance(before.board, _aligned(before.board, now.board)),
    )


def _distance(before: _Board, now: _Board) -> NDArray[np.float32]:
    earlier, later = _squares(before), _squares(now)
    level = earlier.mean(axis=(2, 3))
    ratio = ((later.mean(axis=(2, 3)) + 1.0) / (level + 1.0)).astype(np.float32)
    gain = np.stack([cv2.medianBlur(channel, 5) for channel in np.moveaxis(ratio, 2, 0)], 2)
    around = cv2.medianBlur(level.mean(axis=2).astype(np.float32), 5) + _FLOOR
    residual = later / gain[:, :, None, None] - earlier
    return np.asarray(np.sqrt((residual**2).mean(axis=(2, 3, 4))) / around, dtype=np.float32)


def _squares(board: _Board) -> NDArray[np.float32]:
    """Return the squares without their rims: float32 (15, 15, 8, 8, 3)."""
    squares = board.reshape(SIZE, PITCH, SIZE, PITCH, 3).transpose(0, 2, 1, 3, 4)
    return squares[:, :, _RIM:-_RIM, _RIM:-_RIM]


def _aligned(before: _Board, now: _Board) -> _Board:
    """Return the later board, translated onto the earlier one where it is a little off."""
    greys = [cv2.cvtColor(board, cv2.COLOR_BGR2GRAY) for board in (before, now)]
    mask = np.full(greys[0].shape, 255, np.uint8)
    move = np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 1e-3)
    try:
        found = cv2.findTransformECC(
            greys[0], greys[1], move, cv2.MOTION_TRANSLATION, criteria, mask, 1
        )[1]
    except cv2.error:
        return now  # nothing in common: another board, or an empty one in the dark
    move = np.asarray(found, dtype=np.float32)
    if np.abs(move[:, 2]).max() > _RIM:
        return now
    side = now.shape[0]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(now, move, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE),
        np.float32,
    )
