"""How each square looks, so that two sightings can be compared pixel by pixel.

What looks as it did cannot hold another tile, whatever a reader makes of it. Light that changed and
a pose that is a pixel off are taken out first; a new shadow's edge is not, so that a square that
looks different may still be the same.
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
"""Two looks that differ by less, as a share of the level around, are the same: above what a pose
half a pixel off does to the edges of letters, below what tells an O from a Q."""

_FLOOR: Final = 12.0
"""Grey levels added to that level, so that noise in the dark is no difference."""

_Board = NDArray[np.float32]


@dataclass(frozen=True)
class AppearanceMap:
    """How a board looks, upright."""

    board: NDArray[np.float32]
    """float32 (180, 180, 3): 12 pixels a square, BGR levels."""
    patches: Patches
    """Every square with what is around it, finer."""

    def but(self, squares: NDArray[np.bool_], others: AppearanceMap) -> AppearanceMap:
        """These looks, but those of some squares, bool (15, 15), taken from others."""
        wide = np.repeat(np.repeat(squares, PITCH, axis=0), PITCH, axis=1)[..., None]
        patches = self.patches.copy()
        patches[squares.ravel()] = others.patches[squares.ravel()]
        return AppearanceMap(np.where(wide, others.board, self.board), patches)


def appearance_of(image: Image, corners: Corners) -> AppearanceMap:
    """The board's pixels, so that two sightings can be compared square by square.

    ``image`` is uint8 (H, W, 3) BGR, ``corners`` those of a reading (upright).
    """
    board = rectify(image, corners, pitch=PITCH, border=0).astype(np.float32)
    soft = np.asarray(cv2.GaussianBlur(board, (5, 5), 0), dtype=np.float32)
    return AppearanceMap(soft, square_patches(image, corners))


def same_appearance(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.bool_]:
    """Which squares look the same in two sightings: bool (15, 15)."""
    return np.asarray(apart(before, now) < SAME_APPEARANCE)


def apart(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.float32]:
    """How differently each square looks in two sightings: float32 (15, 15), a share of the level.

    The second is first moved by whatever part of a pixel the two poses lie apart. Then light is
    taken out: by how much a square is brighter now is, in each colour, the median of that over the
    squares around it, so that it takes more than half of them to change before one that did not
    seems to have. Squares are compared without their rims, where a neighbour's new tile shows.
    """
    # As it is, too: on a board with few tiles, a new one can pull the second off its place.
    was, is_ = before.board, now.board
    return np.minimum(_apart(was, is_), _apart(was, _aligned(was, is_)))


def _apart(before: _Board, now: _Board) -> NDArray[np.float32]:
    """By what share of the level around it each square differs: float32 (15, 15)."""
    earlier, later = _squares(before), _squares(now)
    level = earlier.mean(axis=(2, 3))
    brighter = ((later.mean(axis=(2, 3)) + 1.0) / (level + 1.0)).astype(np.float32)
    gain = np.stack([cv2.medianBlur(channel, 5) for channel in np.moveaxis(brighter, 2, 0)], 2)
    around = cv2.medianBlur(level.mean(axis=2).astype(np.float32), 5) + _FLOOR
    off = later / gain[:, :, None, None] - earlier
    return np.asarray(np.sqrt((off**2).mean(axis=(2, 3, 4))) / around, dtype=np.float32)


def _squares(board: _Board) -> NDArray[np.float32]:
    """float32 (15, 15, 8, 8, 3): the squares without their rims."""
    squares = board.reshape(SIZE, PITCH, SIZE, PITCH, 3).transpose(0, 2, 1, 3, 4)
    return squares[:, :, _RIM:-_RIM, _RIM:-_RIM]


def _aligned(before: _Board, now: _Board) -> _Board:
    """The later board, moved onto the earlier one where it lies a little off."""
    greys = [cv2.cvtColor(board, cv2.COLOR_BGR2GRAY) for board in (before, now)]
    everywhere = np.full(greys[0].shape, 255, np.uint8)
    move = np.eye(2, 3, dtype=np.float32)
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 1e-3)
    try:
        found = cv2.findTransformECC(
            greys[0], greys[1], move, cv2.MOTION_TRANSLATION, enough, everywhere, 1
        )[1]
    except cv2.error:
        return now  # nothing alike in them: another board, or a bare one in the dark
    move = np.asarray(found, dtype=np.float32)
    if np.abs(move[:, 2]).max() > _RIM:
        return now
    side = now.shape[0]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(now, move, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE),
        np.float32,
    )
