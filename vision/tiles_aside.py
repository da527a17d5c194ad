"""Classifies tiles where they lie, if that is far from the middle of a square.

A tile counts for the square that it most covers (NASPA III.G.4). A crop that shows little more than
half of a tile, and the crop of the square beside it with the rest, may both be read, one of them as
another letter or as a second tile. So a tile that seems far aside is cut out again where it seems
to lie, until it is in the middle of its crop: that crop gives its letter, and the place its square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.classifier import CropClassifier
from vision.decode import Grid, unrotated
from vision.labels import (
    BLANK,
    CLASS_NAMES,
    EMPTY,
    FACE_DOWN,
    LETTER_CLASSES,
    UNREADABLE,
    state_index,
)
from vision.rectify import BORDER, CROP, PITCH, Image
from vision.second_look import pose_augmented
from vision.tile_angles import doubtful_offsets, tile_offsets, unrotate_tile_poses

FAR: Final = 0.14
"""A tile is cut out again if the classifier sees it this far off the middle, in squares, either
way. It sees tiles nearer the middle than they are: one that is half a square aside, at 0.17."""

_ROUNDS: Final = 3
_REACH: Final = 0.75
"""The furthest from a square's middle, in squares, that a tile is followed."""

_ONE_TILE: Final = 0.5
"""Tiles nearer to each other than this, in squares, are one."""

_BORDERLINE: Final = 0.05
"""A tile that lies this much nearer, in squares, to one square than to the other belongs to it with
73%: its place is known no more exactly."""

_SHOWN: Final = 0.5
_TILE_CLASSES: Final = np.r_[np.arange(LETTER_CLASSES), state_index(BLANK)]
_HELD: Final = np.r_[_TILE_CLASSES, state_index(FACE_DOWN)]
"""Classes of squares that hold a tile."""


@dataclass(frozen=True)
class _Tile:
    """A tile that was followed from the crop of a square to where it lies.

    Attributes:
        start: the square, (row, col).
        place: float64 (2,), how far right and down of the square's middle it lies, in squares.
        shares: float32 (classes,), the class probabilities of the crop at that place.
        degrees: the tile's angle, clockwise.
    """

    start: tuple[int, int]
    place: NDArray[np.float64]
    shares: NDArray[np.float32]
    degrees: float

    @property
    def middle(self) -> NDArray[np.float64]:
        """The tile's middle, right and down from the middle of the top-left square."""
        return np.array([self.start[1], self.start[0]]) + self.place


@dataclass(frozen=True)
class SquaresSeen:
    """The squares of a board, as rectified.

    Attributes:
        board: uint8, the rectified picture.
        grid: the squares' probabilities.
        tile_pose: float32 (15, 15, 3), as the classifier has them.
    """

    board: Image
    grid: Grid
    tile_pose: NDArray[np.float32]


def with_tiles_aside(classifier: CropClassifier, seen: SquaresSeen) -> SquaresSeen:
    """Return the squares; tiles that lie far aside are classified, and drawn, in their own."""
    tiles = seen.grid[..., _TILE_CLASSES].sum(axis=-1) >= _SHOWN
    within = tile_offsets(seen.tile_pose, tiles)
    doubts = doubtful_offsets(within)
    if not len(doubts):
        return seen
    tile_pose = seen.tile_pose.copy()
    rows, cols = np.divmod(doubts, SIZE)
    shared = (tile_pose - within)[rows, cols]
    tile_pose[rows, cols] = pose_augmented(classifier, seen.board, doubts)
    own = np.abs((tile_pose[rows, cols] - shared)[:, :2]).max(axis=1) >= FAR
    out = SquaresSeen(seen.board.copy(), seen.grid.copy(), tile_pose)
    common, followed = {}, []
    for row, col, offset in zip(rows[own], cols[own], shared[own], strict=True):
        start = (int(row), int(col))
        common[start] = offset[:2].astype(np.float64)
        followed.append(_follow(classifier, seen.board, start, tile_pose[start]))
    for group in _grouped(followed):
        _settle(group, common[group[0].start], seen, out)
    return out


def _follow(
    classifier: CropClassifier, board: Image, start: tuple[int, int], seen: NDArray[np.float32]
) -> _Tile:
    """Follow the tile in a square's crop to where it lies."""
    place, degrees = seen[:2].astype(np.float64), float(seen[2])
    shares = np.zeros(len(CLASS_NAMES), np.float32)
    for _ in range(_ROUNDS):
        crop = _window(board, start, place)
        copies = np.stack([np.rot90(crop, -turns) for turns in range(4)])
        probabilities, poses = classifier.classify(copies)
        turned = [unrotated(one, turns) for turns, one in enumerate(probabilities)]
        shares = np.asarray(np.mean(turned, axis=0), np.float32)
        rest = np.median([unrotate_tile_poses(one, k) for k, one in enumerate(poses)], axis=0)
        place, degrees = (place + rest[:2]).clip(-_REACH, _REACH), float(rest[2])
    return _Tile(start, place, shares, degrees)


def _window(board: Image, square: tuple[int, int], place: NDArray[np.float64]) -> Image:
    """Return the crop with a place in its middle; beyond the picture its edge is repeated."""
    left, top = np.round((np.array([square[1], square[0]]) + place) * PITCH).astype(int)
    rows = np.arange(top, top + CROP).clip(0, board.shape[0] - 1)
    cols = np.arange(left, left + CROP).clip(0, board.shape[1] - 1)
    return np.asarray(board[rows[:, None], cols], np.uint8)


def _grouped(tiles: list[_Tile]) -> list[list[_Tile]]:
    """Group crops of the same tile; the crop nearest to its square comes first."""
    groups: list[list[_Tile]] = []
    for tile in sorted(tiles, key=lambda one: float(np.abs(one.place).max())):
        for group in groups:
            if np.abs(group[0].middle - tile.middle).max() < _ONE_TILE:
                group.append(tile)
                break
        else:
            groups.append([tile])
    return groups


def _settle(
    group: list[_Tile], shared: NDArray[np.float64], seen: SquaresSeen, out: SquaresSeen
) -> None:
    """Give a tile to the square that it most covers; if two are about equal, leave both unread.

    Args:
        group: the tile, as followed from one square or more.
        shared: float64 (2,), how far aside all tiles are seen.
        seen: the squares before any tile was followed.
        out: the squares that are changed.
    """
    tile = group[0]
    if tile.shares[_TILE_CLASSES].sum() < _SHOWN:
        return
    aside = tile.place - shared
    way = int(np.abs(aside).argmax())
    step = int(np.sign(aside[way]))
    start = tile.start
    other = (start[0] + step * way, start[1] + step * (1 - way))
    here = float(1 / (1 + np.exp((abs(aside[way]) - 0.5) / _BORDERLINE)))
    if not _has_room(other, group, seen):
        here = 1.0
    back = tile.place - np.array([other[1] - start[1], other[0] - start[0]])
    place, loser, sure = (tile.place, other, here) if here >= _SHOWN else (back, start, 1 - here)
    winner = start if loser == other else other
    out.grid[winner] = sure * tile.shares + (1 - sure) * _only(UNREADABLE)
    out.tile_pose[winner] = (*place, tile.degrees)
    if here < 1 and (loser == start or _shows(loser, group, seen)):
        out.grid[loser] = sure * _only(EMPTY) + (1 - sure) * _only(UNREADABLE)
    # Colours are compared later, square by square.
    row, col = winner
    face = _window(seen.board, start, tile.place)[BORDER:-BORDER, BORDER:-BORDER]
    top, left = BORDER + row * PITCH, BORDER + col * PITCH
    out.board[top : top + PITCH, left : left + PITCH] = face


def _has_room(square: tuple[int, int], group: list[_Tile], seen: SquaresSeen) -> bool:
    """Return True if a square is on the board and holds no tile but the group's own."""
    if not (min(square) >= 0 and max(square) < SIZE):
        return False
    return _shows(square, group, seen) or float(seen.grid[square][_HELD].sum()) < _SHOWN


def _shows(square: tuple[int, int], group: list[_Tile], seen: SquaresSeen) -> bool:
    """Return True if a square shows the group's tile, not another one with the same letter."""
    if any(tile.start == square for tile in group):
        return True
    shares = seen.grid[square]
    shown = float(shares[_TILE_CLASSES].sum()) >= _SHOWN
    middle = np.array([square[1], square[0]]) + seen.tile_pose[square][:2]
    apart = float(np.abs(middle - group[0].middle).max())
    return shown and apart < _ONE_TILE and _face(shares) == _face(group[0].shares)


def _only(state: str) -> NDArray[np.float32]:
    """Return the probabilities of a square that is surely in a state."""
    shares = np.zeros(len(CLASS_NAMES), np.float32)
    shares[state_index(state)] = 1
    return shares


def _face(shares: NDArray[np.float32]) -> int:
    """Return the index of the likeliest letter, whichever way it is turned, or that of a blank."""
    letters = shares[:LETTER_CLASSES].reshape(-1, 4).sum(axis=1)
    return int(np.append(letters, shares[state_index(BLANK)]).argmax())
