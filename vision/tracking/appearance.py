"""The looks of each square: its pixels, compared between two sightings in each one's light.

A square that looks the same cannot hold another tile, whatever its reading. The gain of the light
and a shift by part of a pixel are taken out first. The edge of a new shadow is not: a square that
looks different may still be the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.change_detector import PITCH as FINE
from vision.change_detector import square_patches
from vision.light import DIMMED, Pixels, apart, gain_around, level_around
from vision.rectify import Corners, Image, homography, project, rectify
from vision.tracking.parameters import SQUARE

PITCH: Final = 12
"""Pixels per square."""

FRAME: Final = PITCH // 2
"""Pixels of the board's frame that are compared around the grid: a frame is hardly narrower."""

_TURNS: Final = range(-45, 46, 5)
"""Degrees by which a tile is tried turned: further round its letter may be another one's."""

_PUSH: Final = FINE // 4
"""Pixels, of a patch, by which a tile is tried pushed, either way: further off it may be another
square's."""

_ALIKE: Final = 0.95
"""Least correlation of the same tile, turned or pushed. On recordings it had 0.97 or more, and any
other letter 0.92 or less."""

_NORMED: Final = cv2.TM_CCOEFF_NORMED

_RIM: Final = 2
"""Pixels on each side of a square in which a neighbour's tile may show."""


@dataclass(frozen=True)
class AppearanceMap:
    """The pixels of a board, upright."""

    framed: Pixels
    """The board with half a square of its frame: float32 (192, 192, 3), 12 pixels a square, BGR."""
    patches: NDArray[np.uint8] | Pixels
    """Each square with its surroundings, at a finer resolution: ``change_detector.Patches``."""
    in_picture: NDArray[np.bool_]
    """bool (17, 17): squares and parts of the frame that lie wholly in the picture."""

    @property
    def board(self) -> Pixels:
        """The board alone: float32 (180, 180, 3)."""
        return self.framed[FRAME:-FRAME, FRAME:-FRAME]

    def replaced(
        self, squares: NDArray[np.bool_], others: AppearanceMap, *, frame: bool = True
    ) -> AppearanceMap:
        """Return this map with some squares, bool (15, 15), taken from another map.

        If ``frame`` is true, the frame beside them is taken too.
        """
        patches = np.where(squares.reshape(-1, 1, 1, 1), others.patches, self.patches)
        around = np.pad(squares, 1, mode="edge" if frame else "constant")
        inside = np.where(around, others.in_picture, self.in_picture)
        return AppearanceMap(np.where(_wide(around), others.framed, self.framed), patches, inside)

    def relit(
        self, now: AppearanceMap, kept: NDArray[np.bool_], alike: NDArray[np.bool_]
    ) -> AppearanceMap:
        """Return this map with some squares brought to the light of a later map.

        A square that is ``kept`` while its neighbours are replaced would otherwise be compared in
        another light than theirs. The squares that show ``alike`` in both maps give the gain. Both
        are bool (15, 15).
        """
        level, later = (_squares(each.board).mean(axis=(2, 3, 4)) for each in (self, now))
        # One gain for all colours: in one that the squares around hardly have, it would be noise.
        gain = gain_around(level, later, alike)
        gain = np.where(kept, np.clip(gain, 1 / DIMMED, DIMMED), np.float32(1))
        patches = np.minimum(self.patches * gain.reshape(-1, 1, 1, 1), np.float32(255))
        return replace(self, framed=self.framed * _wide(np.pad(gain, 1, "edge")), patches=patches)

    def turned(self, turns: int) -> AppearanceMap:
        """Return this map of a board whose first corner is ``turns`` corners further clockwise."""
        cells = self.patches.reshape(SIZE, SIZE, *self.patches.shape[1:])
        cells = np.rot90(np.rot90(cells, turns, axes=(0, 1)), turns, axes=(2, 3))
        framed = np.ascontiguousarray(np.rot90(self.framed, turns))
        inside = np.rot90(self.in_picture, turns)
        return AppearanceMap(framed, cells.reshape(self.patches.shape), inside)


def appearance_of(image: Image, corners: Corners) -> AppearanceMap:
    """Return the appearance of the board in a picture.

    ``image`` is uint8 (H, W, 3) BGR, ``corners`` those of a reading (upright).
    """
    framed = rectify(image, corners, pitch=PITCH, border=FRAME).astype(np.float32)
    soft = np.asarray(cv2.GaussianBlur(framed, (5, 5), 0), dtype=np.float32)
    lines = np.concatenate([[-FRAME / PITCH], np.arange(SIZE + 1), [SIZE + FRAME / PITCH]])
    points = project(homography(corners), np.stack(np.meshgrid(lines, lines), -1).reshape(-1, 2))
    # A pixel reaches half a pixel beyond its middle.
    inside = ((points >= -0.5) & (points <= (image.shape[1], image.shape[0]))).all(axis=1)
    inside = inside.reshape(len(lines), len(lines))
    whole = inside[1:, 1:] & inside[1:, :-1] & inside[:-1, 1:] & inside[:-1, :-1]
    return AppearanceMap(soft, square_patches(image, corners), whole)


def rim_differs(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.bool_]:
    """Return the parts of the frame over which something comes in: they differ, light aside.

    A tile that lies askew, and the shadow beside it, end before the frame's outer side.

    Returns:
        bool (17, 17): the grid with the frame around it, False on the grid itself and where the
        frame reaches out of the picture; all False if most of the frame differs.
    """
    around = np.zeros((SIZE + 2, SIZE + 2), np.float32)
    for turns in range(4):
        outer = [np.rot90(each.framed, turns)[0, FRAME:-FRAME] for each in (before, now)]
        parts = [pixels.reshape(SIZE, 1, PITCH, 3) for pixels in outer]
        np.rot90(around, turns)[0, 1:-1] = apart(*parts)
    known = before.in_picture & now.in_picture
    around = np.where(known, around, np.float32(0))
    other = around > SQUARE.another
    known[1:-1, 1:-1] = False
    if 2 * other.sum() > known.sum():
        return np.zeros_like(other)  # the board has moved on
    # What adjoins another thing is of it if it differs half as much: skin on a brown frame.
    _, labels = cv2.connectedComponents((around > SQUARE.another / 2).astype(np.uint8))
    return np.asarray(np.isin(labels, labels[other]))


def looks_other(
    before: AppearanceMap,
    now: AppearanceMap,
    squares: NDArray[np.bool_],
    tiles: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return the squares that show another thing than before, even if the light has changed.

    Args:
        before: the earlier appearance.
        now: the present appearance.
        squares: bool (15, 15), the squares to compare.
        tiles: bool (15, 15), where tiles lie: a tile that is raised or lies askew reaches into the
            near half of the square beside it.

    Returns:
        bool (15, 15), False on all other squares; all False if most of them differ: the board has
        moved.
    """
    looks = _squares(before.board), _squares(now.board)
    differs, beside = apart(*looks), np.pad(tiles, 1)
    for turns in range(4):  # a tile above each square, then at its right, below, at its left
        above = np.rot90(np.rot90(beside, turns)[:-2, 1:-1], -turns)
        far = [np.rot90(each, turns, (2, 3))[:, :, PITCH // 2 - _RIM :] for each in looks]
        differs = np.where(above, np.minimum(differs, apart(*far)), differs)
    other = squares & (differs > SQUARE.another)
    return np.asarray(other & (2 * other.sum() <= squares.sum()))


def same_appearance(before: AppearanceMap, now: AppearanceMap) -> NDArray[np.bool_]:
    """Return the squares that look the same in two sightings: bool (15, 15)."""
    return np.asarray(appearance_distance(before, now) < SQUARE.same)


def turned_tiles(
    before: AppearanceMap, now: AppearanceMap, squares: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return by how many degrees clockwise the tile of each of these squares was turned.

    Args:
        before: the earlier appearance.
        now: the present appearance.
        squares: bool (15, 15), the squares to compare.

    Returns:
        float32 (15, 15): 0 if the tile was only pushed; NaN if it is another one, lies as it lay,
        or the square is not to be compared.
    """
    out = np.full((SIZE, SIZE), np.nan, np.float32)
    for at in np.flatnonzero(squares):
        move = move_of(before.patches[at], now.patches[at])
        if move is not None and any(move):
            out.flat[at] = move[0]
    return out


def move_of(
    before: NDArray[Any], now: NDArray[Any], *, same: bool = False
) -> tuple[float, float] | None:
    """Return by how many degrees clockwise a tile was turned, and how far pushed, in squares.

    Both are patches of a square: uint8 or float32 (PATCH, PATCH, 3). (0, 0) if the tile lies as it
    lay; None if it is another one, or all around has moved with it. ``same``: the letter is known
    to be the same. A tile was pushed if that explains most of the difference, and turned if that
    explains most of what a push leaves: the face of an I fits as well a little below itself.
    """
    was, later = (np.asarray(one, np.float32).mean(axis=2) for one in (before, now))
    middle, edge = (len(was) - 1) / 2, (len(was) - FINE) // 2 + _RIM
    face, area = slice(edge, -edge), slice(edge - _PUSH, _PUSH - edge)
    if min(one[face, face].std() / (one.mean() + 1) for one in (was, later)) < SQUARE.same:
        return None  # a plain face fits everywhere
    still, straight, best = (-1.0, 0, (0, 0)), (-1.0, 0, (0, 0)), (-1.0, 0, (0, 0))
    for turn in _TURNS:
        # The face of a tile that lies askew beside its square's middle is not all in the cut.
        for one, other, way in ((was, later, turn), (later, was, -turn)):
            matrix = cv2.getRotationMatrix2D((middle, middle), -way, 1.0)
            turned = cv2.warpAffine(one, matrix, one.shape, borderMode=cv2.BORDER_REPLICATE)
            fits = cv2.matchTemplate(other[area, area], turned[face, face], _NORMED)
            down, right = np.argwhere(fits == fits.max())[0] - _PUSH
            push = (down, right) if other is later else (-down, -right)
            best = max(best, (float(fits.max()), turn, push), key=itemgetter(0))
            if not turn:
                still = max(still, (float(fits[_PUSH, _PUSH]), 0, (0, 0)), key=itemgetter(0))
                straight = max(straight, (float(fits.max()), 0, push), key=itemgetter(0))
    found = still
    if 2 * (1 - best[0]) < 1 - straight[0]:
        found = best
    elif 2 * (1 - straight[0]) < 1 - still[0]:
        found = straight
    fit, degrees, push = found
    if fit <= _ALIKE and not (same and found is not still):
        return None
    pushed = max(abs(by) for by in push)
    if pushed < _RIM:
        return degrees, 0.0
    return (degrees, pushed / FINE) if _surroundings_stayed(was, later, *push) else None


def _surroundings_stayed(was: Pixels, later: Pixels, down: int, right: int) -> bool:
    """True if what is around a tile did not move as it did: float32 (PATCH, PATCH) each."""
    size, margin = len(was), (len(was) - FINE) // 2
    rows, cols = (np.arange(max(by, 0), size + min(by, 0)) for by in (down, right))
    around = np.ones((size, size), bool)
    for below, beside in ((0, 0), (down, right)):
        top, left = margin + below, margin + beside
        around[top : top + FINE, left : left + FINE] = False
    around = around[np.ix_(rows, cols)]
    now, there, came = (
        one[np.ix_(rows - dy, cols - dx)][around]
        for one, dy, dx in ((later, 0, 0), (was, 0, 0), (was, down, right))
    )
    # By correlation: a shadow may have fallen on it. Where all is of one brightness, nothing tells.
    with np.errstate(invalid="ignore", divide="ignore"):
        stayed, moved = (np.corrcoef(one, now)[0, 1] for one in (there, came))
    return bool(stayed > moved)


def appearance_distance(
    before: AppearanceMap, now: AppearanceMap, alike: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Return each square's RMS difference as a share of the level around it: float32 (15, 15).

    The second map is aligned to the first by part of a pixel; then the gain of the light is taken
    out, in each colour the median over the squares around. ``alike``, bool (15, 15), are the
    squares that are known to hold the same in both maps: they alone give the gain. The rims are
    left out, where a neighbour's new tile shows.
    """
    # Unaligned too: on a board with few tiles, a new one can mislead the alignment.
    was, later = before.board, now.board
    return np.minimum(_distance(was, later, alike), _distance(was, _aligned(was, later), alike))


def _distance(before: Pixels, now: Pixels, alike: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    earlier, later = _by_colour(before), _by_colour(now)
    level = earlier.mean(axis=3)
    gain = gain_around(level, later.mean(axis=3), alike)
    around = level_around(level)
    residual = later / gain[..., None] - earlier
    return np.asarray(np.sqrt((residual**2).mean(axis=(2, 3))) / around, dtype=np.float32)


def _by_colour(board: Pixels) -> Pixels:
    """Return the squares' pixels in each colour: float32 (15, 15, 3, 64), which sums fastest."""
    by_colour = _squares(board).transpose(0, 1, 4, 2, 3)
    return np.ascontiguousarray(by_colour).reshape(SIZE, SIZE, 3, -1)


def _squares(board: Pixels) -> Pixels:
    """Return the squares without their rims: float32 (15, 15, 8, 8, 3)."""
    squares = board.reshape(SIZE, PITCH, SIZE, PITCH, 3).transpose(0, 2, 1, 3, 4)
    return squares[:, :, _RIM:-_RIM, _RIM:-_RIM]


def _wide(around: NDArray[Any]) -> NDArray[Any]:
    """Spread values of the squares and the frame, (17, 17), over their pixels: (192, 192, 1)."""
    wide = np.kron(around, np.ones((PITCH, PITCH), around.dtype))
    return wide[FRAME:-FRAME, FRAME:-FRAME, None]


def _aligned(before: Pixels, now: Pixels) -> Pixels:
    """Return the later board, translated onto the earlier one if it is a little off."""
    was, later = (cv2.cvtColor(board, cv2.COLOR_BGR2GRAY) for board in (before, now))
    mask, move = np.full(was.shape, 255, np.uint8), np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 1e-3)
    try:
        cv2.findTransformECC(was, later, move, cv2.MOTION_TRANSLATION, criteria, mask, 1)
    except cv2.error:
        return now  # nothing in common: another board, or an empty one in the dark
    if np.abs(move[:, 2]).max() > _RIM:
        return now
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size, beyond = was.shape, cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpAffine(now, move, size, flags=flags, borderMode=beyond), np.float32)
