"""The pixels of each square, so that two sightings can be compared one by one.

A square whose appearance is unchanged cannot hold another tile, whatever a reader makes of it.
Differences of light and of pose by part of a pixel are taken out first; a new shadow's edge is not,
so that a square that looks different may still be the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.change_detector import Patches, square_patches
from vision.neighbourhood import median_around
from vision.rectify import Corners, Image, homography, project, rectify

PITCH: Final = 12
"""Pixels a square."""

_RIM: Final = 2

SAME_APPEARANCE: Final = 0.05
"""Two appearances with a smaller distance are the same: above what a pose half a pixel off does to
the edges of letters, below what tells an O from a Q."""

_UNLIKE_BARE: Final = 0.1
_NEARER: Final = 3.0
"""What lay on a square before lies there still if that looked so unlike the bare square, and so
many times nearer to what is there now: a tile of which the picture's edge cut off a half, 0.47 and
0.11; another tile, or a shadow, is as far from it as the bare square."""

_FLOOR: Final = 12.0
"""Grey levels added to the level around, so that noise in the dark is no difference."""

_BEYOND: Final = PITCH // 2
"""Pixels of the board's frame that are looked at around the grid: a frame is hardly narrower."""

_OUTER: Final = _BEYOND // 2
"""Pixels of it from its outer side that tell what comes in over it: tiles at the edge of the grid
and their shadows reach over the rest."""

_ANOTHER: Final = 0.2
"""Share of the level from which what is left when the light is taken out is another thing."""

_PART_OF_ANOTHER: Final = 0.1
"""The same for what adjoins another thing: skin on a brown frame differs little."""

_ACROSS: Final = 0.75
"""What comes in over the frame changes its outermost pixels at least so many times as much as its
outer half: in two simulated games hands did 0.85 times and more, tiles that lie askew 0.2 to 0.6.
"""

_SAME_LIGHT: Final = 0.01
"""Light that has changed by less is the same: to bring squares from one into another rounds them.
"""

_DIMMED: Final = 4.0
"""The light changes by no more than that factor."""

_MOVED_ON: Final = 0.5
"""Where a greater share of the picture looks different, it is not a thing that covers a part."""

_MARGIN: Final = 0.1
"""Of a square that lies in the picture so much may be cut off on each side."""

_Board = NDArray[np.float32]


@dataclass(frozen=True)
class AppearanceMap:
    """The pixels of a board, upright."""

    board: NDArray[np.float32]
    """float32 (180, 180, 3): 12 pixels a square, BGR levels."""
    patches: Patches
    """Each square with its surroundings, at a finer resolution."""
    rim: NDArray[np.float32] | None = None
    """What lies half a square around the grid: float32 (60, 6, 12, 3), the parts beside each
    square clockwise from the top left, each with its outer side up; NaN in parts that reach out of
    the picture, None where nobody looked."""
    in_picture: NDArray[np.bool_] | None = None
    """Squares that lie in the picture as a whole: bool (15, 15); None: all of them."""

    def replaced(self, squares: NDArray[np.bool_], others: AppearanceMap) -> AppearanceMap:
        """Return this map with some squares, bool (15, 15), and their rims from another."""
        wide = np.repeat(np.repeat(squares, PITCH, axis=0), PITCH, axis=1)[..., None]
        patches = self.patches.copy()
        patches[squares.ravel()] = others.patches[squares.ravel()]
        rim = self.rim
        if rim is not None and others.rim is not None:
            rim = np.where(_around(squares)[:, None, None, None], others.rim, rim)
        inside = self.in_picture
        if inside is not None and others.in_picture is not None:
            inside = np.where(squares, others.in_picture, inside)
        return AppearanceMap(np.where(wide, others.board, self.board), patches, rim, inside)

    def relit(
        self, now: AppearanceMap, kept: NDArray[np.bool_], alike: NDArray[np.bool_]
    ) -> AppearanceMap:
        """Return this map, with some squares brought to the light of a later map.

        A square that is kept while those around it are replaced would otherwise be compared under
        another light than theirs.

        Args:
            now: the later map.
            kept: bool (15, 15), the squares to bring to its light.
            alike: bool (15, 15), those that show the same in both, to measure the light.
        """
        if not kept.any():
            return self
        level, later = (_squares(each.board).mean(axis=(2, 3, 4)) for each in (self, now))
        # One gain for all colours: in one that the squares around hardly have, it would be noise.
        gain = median_around((later + 1.0) / (level + 1.0), alike)[..., None]
        gain = np.clip(gain, 1 / _DIMMED, _DIMMED)
        gain = np.where(kept[..., None] & (np.abs(gain - 1) >= _SAME_LIGHT), gain, 1.0)
        wide = np.repeat(np.repeat(gain, PITCH, axis=0), PITCH, axis=1).astype(np.float32)
        gains, patches = gain.reshape(-1, 1, 1, 1), self.patches.copy()
        other = np.flatnonzero(gains != 1.0)
        lit = np.clip(np.rint(patches[other] * gains[other]), 0, 255)
        patches[other] = lit.astype(np.uint8)
        return replace(self, board=self.board * wide, patches=patches)

    def turned(self, turns: int) -> AppearanceMap:
        """Return this map of a board whose first corner is ``turns`` corners further clockwise."""
        cells = self.patches.reshape(SIZE, SIZE, *self.patches.shape[1:])
        cells = np.rot90(np.rot90(cells, turns, axes=(0, 1)), turns, axes=(2, 3))
        board = np.ascontiguousarray(np.rot90(self.board, turns))
        rim = None if self.rim is None else np.roll(self.rim, -SIZE * turns, axis=0)
        cells = np.ascontiguousarray(cells).reshape(self.patches.shape)
        inside = None if self.in_picture is None else np.rot90(self.in_picture, turns)
        return AppearanceMap(board, cells, rim, inside)


def appearance_of(image: Image, corners: Corners) -> AppearanceMap:
    """Return the appearance of the board in a picture.

    ``image`` is uint8 (H, W, 3) BGR, ``corners`` those of a reading (upright).
    """
    framed = rectify(image, corners, pitch=PITCH, border=_BEYOND).astype(np.float32)
    soft = np.asarray(cv2.GaussianBlur(framed, (5, 5), 0), dtype=np.float32)
    board = np.ascontiguousarray(soft[_BEYOND:-_BEYOND, _BEYOND:-_BEYOND])
    sides = [np.rot90(soft, turns)[:_BEYOND, _BEYOND:-_BEYOND] for turns in range(4)]
    cells = [side.reshape(_BEYOND, SIZE, PITCH, 3).swapaxes(0, 1) for side in sides]
    rim = np.concatenate(cells)
    rim[~_rim_in_picture(image, corners)] = np.nan
    inside = _squares_in_picture(image, corners)
    return AppearanceMap(board, square_patches(image, corners), rim, inside)


def _squares_in_picture(image: Image, corners: Corners) -> NDArray[np.bool_]:
    """Return which squares are in the picture, but for what may be a neighbour: bool (15, 15)."""
    low, high = np.arange(SIZE) + _MARGIN, np.arange(SIZE) + 1 - _MARGIN
    ends = [
        np.stack(np.meshgrid(x, y), -1).reshape(-1, 2) for x in (low, high) for y in (low, high)
    ]
    found = project(homography(corners), np.concatenate(ends))
    inside = ((found >= 0) & (found <= (image.shape[1], image.shape[0]))).all(axis=1)
    return np.asarray(inside.reshape(4, SIZE, SIZE).all(axis=0))


def _rim_in_picture(image: Image, corners: Corners) -> NDArray[np.bool_]:
    """Return which parts of the frame around the grid are in the picture: bool (60,)."""
    along, out = np.arange(SIZE + 1.0), np.full(SIZE + 1, -_BEYOND / PITCH)
    sides = [(along, out), (SIZE - out, along), (along[::-1], SIZE - out), (out, along[::-1])]
    outer = project(homography(corners), np.hstack(sides).T)
    inside = ((outer >= 0) & (outer <= (image.shape[1], image.shape[0]))).all(axis=1)
    ends = inside.reshape(4, SIZE + 1)
    return np.asarray((ends[:, :-1] & ends[:, 1:]).ravel())


def rim_differs(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.bool_]:
    """Return the parts of the frame that something comes in over: they differ, light aside.

    A tile that lies askew, and the shadow beside it, end before the frame's outer side.

    Returns:
        bool (17, 17): the grid with the frame around it, False on the grid itself and where the
        frame reaches out of the picture; False everywhere where most of the frame differs, or
        nobody looked.
    """
    found = np.zeros((SIZE + 2, SIZE + 2), np.bool_)
    if before.rim is None or now.rim is None:
        return found
    differs = _difference(before.rim[:, :_OUTER], now.rim[:, :_OUTER])
    if np.count_nonzero(differs > _ANOTHER) > _MOVED_ON * np.count_nonzero(np.isfinite(differs)):
        return found
    across = _difference(before.rim[:, :1], now.rim[:, :1]) > _ACROSS * differs
    around = _on_the_frame(differs)
    _, labels = cv2.connectedComponents((around > _PART_OF_ANOTHER).astype(np.uint8))
    return np.asarray(np.isin(labels, labels[_on_the_frame(across * differs) > _ANOTHER]))


def _on_the_frame(parts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what is known of the parts of the frame, (60,), around the grid: (17, 17)."""
    around = np.zeros((SIZE + 2, SIZE + 2), np.float32)
    for turns in range(4):
        np.rot90(around, turns)[0, 1:-1] = parts[SIZE * turns : SIZE * (turns + 1)]
    return around


def looks_other(
    before: AppearanceMap,
    now: AppearanceMap,
    squares: NDArray[np.bool_],
    tiles: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which of some squares look like something else, whatever their light.

    Args:
        before: how they looked.
        now: how they look now.
        squares: bool (15, 15), those that are to look the same: where most of them do not, the
            board has moved on.
        tiles: bool (15, 15), where tiles lie: one that is raised or lies askew reaches into the
            near half of the square beside it.

    Returns:
        bool (15, 15), False on all other squares, and everywhere where most of these do.
    """
    differs = _squares_differ(before, now)
    beside = np.pad(tiles, 1)
    for turns in range(4):  # a tile above each square, then at its right, below, at its left
        above = np.rot90(np.rot90(beside, turns)[:-2, 1:-1], -turns)
        far = _squares_differ(before, now, far_from=turns)
        differs = np.where(above, np.minimum(differs, far), differs)
    other = squares & (differs > _ANOTHER)
    return np.asarray(other & (other.sum() <= _MOVED_ON * squares.sum()))


def _squares_differ(
    before: AppearanceMap, now: AppearanceMap, far_from: int | None = None
) -> NDArray[np.float32]:
    """Return by what share of its level each square differs, light aside: float32 (15, 15).

    ``far_from`` compares the half far from the top, the right, the bottom or the left (0 to 3).
    """
    parts = []
    for each in (before, now):
        squares = _squares(each.board)
        if far_from is not None:
            squares = np.rot90(squares, far_from, axes=(2, 3))[:, :, squares.shape[2] // 2 :]
        parts.append(squares.reshape(SIZE * SIZE, -1, 1, 3))
    return _difference(*parts).reshape(SIZE, SIZE)


def _difference(before: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return by what share of the level parts differ once the light is taken out: float32 (N,)."""
    pixels = (1, 2, 3)
    gain = (before * now).sum(axis=pixels) / np.maximum((now**2).sum(axis=pixels), 1.0)
    gain = np.clip(gain, 1 / _DIMMED, _DIMMED)[:, None, None, None]
    residual = np.sqrt(((gain * now - before) ** 2).mean(axis=pixels))
    return np.asarray(residual / (before.mean(axis=pixels) + _FLOOR))


def _around(squares: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the parts of the frame beside some squares, bool (15, 15): bool (60,)."""
    return np.concatenate([np.rot90(squares, turns)[0] for turns in range(4)])


def same_appearance(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.bool_]:
    """Return the squares that look the same in two sightings: bool (15, 15)."""
    return np.asarray(appearance_distance(before, now) < SAME_APPEARANCE)


def lies_there_still(
    before: AppearanceMap, now: AppearanceMap, bare: AppearanceMap
) -> NDArray[np.bool_]:
    """Return the squares that look as they did, and not as they look bare: bool (15, 15)."""
    without = appearance_distance(before, bare)
    nearer = _NEARER * appearance_distance(before, now) < without
    return np.asarray(nearer & (without > _UNLIKE_BARE))


def appearance_distance(
    before: AppearanceMap, now: AppearanceMap, alike: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Return each square's RMS difference as a share of the level around it: float32 (15, 15).

    The second map is first aligned to the first, by part of a pixel. Then the change of light is
    taken out: in each colour, the median over the squares around of the ratio of their levels, so
    that more than half of them must change before one that did not seems to have. ``alike``, bool
    (15, 15), are the squares that are known to hold the same in both: they alone tell of the light.
    Squares are compared without their rims, where a neighbour's new tile shows.
    """
    # Unaligned too: on a board with few tiles, a new one can mislead the alignment.
    return np.minimum(
        _distance(before.board, now.board, alike),
        _distance(before.board, _aligned(before.board, now.board), alike),
    )


def _distance(before: _Board, now: _Board, alike: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    earlier, later = _squares(before), _squares(now)
    level = earlier.mean(axis=(2, 3))
    gain = median_around((later.mean(axis=(2, 3)) + 1.0) / (level + 1.0), alike)
    around = median_around(level.mean(axis=2)) + _FLOOR
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
