"""Occlusion of the board: hands, sleeves, bags.

An occluding object is larger than a tile. The classifier reads its middle as unreadable; a square
that is partly occluded may read as empty, as a blank or as another letter. So a square next to the
object that looks different from before counts as occluded too, unless it reads surely as a letter,
or as empty as before.

An arm or a sleeve comes in over the board's frame. Where only fingertips reach over the grid, the
changed frame beside them tells them from tiles.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.tracking.parameters import SQUARE
from vision.tracking.square_filter import NOTHING, SYMBOLS, Belief, Squares, grown

LETTERS: Final = np.array([symbol.isalpha() for symbol in SYMBOLS])

_GRID: Final = np.s_[1:-1, 1:-1]
"""The index of the grid within the frame around it."""


def covered_squares(
    read: Belief,
    unread: Squares,
    different: Squares,
    best: NDArray[np.int_],
    frame: Squares | None = None,
) -> Squares:
    """Return the squares that a large object occludes, wholly or in part: bool (15, 15).

    Args:
        read: likelihoods by the reading.
        unread: the squares that could not be read.
        different: the squares that do not look as they did.
        best: int (15, 15), the index of the likeliest symbol before.
        frame: bool (17, 17), the parts of the frame around the grid that look different.
    """
    around = np.zeros((SIZE + 2, SIZE + 2), np.bool_) if frame is None else frame.copy()
    around[_GRID] = unread
    changed = around.copy()
    changed[_GRID] = different
    thing = _things(around, changed)
    middle, near = thing[_GRID], grown(thing)[_GRID]
    symbol, sure = read.argmax(axis=-1), read.max(axis=-1)
    in_sight = LETTERS[symbol] & ((best == NOTHING) | (best == symbol)) & (sure >= SQUARE.in_full)
    bare = (read[..., NOTHING] >= SQUARE.sure) & (best == NOTHING) & ~unread
    covered = np.pad(middle | (near & different & ~in_sight & ~bare), 1)
    # No hand, arm or bag leaves a gap: its plain skin or cloth has passed for a bare square.
    sides = covered[:-2, 1:-1] & covered[2:, 1:-1] & covered[1:-1, :-2] & covered[1:-1, 2:]
    return np.asarray(covered[_GRID] | (sides & middle.any() & ~in_sight))


def with_hidden_parts(read: Belief, hidden: Squares) -> Belief:
    """Return a reading in which letters that may be partly occluded are less sure.

    However high its posterior, such a letter may be one that resembles it: a U has been read as a J
    with 0.9997. A clear view can correct it then.
    """
    another = np.sqrt(read) * LETTERS
    np.put_along_axis(another, read.argmax(axis=-1)[..., None], 0.0, axis=-1)
    another /= another.sum(axis=-1, keepdims=True)
    mixed = SQUARE.sure * read + (1 - SQUARE.sure) * another
    return np.where(hidden[..., None], mixed, read)


def beside_things(covered: Squares, frame: Squares) -> Squares:
    """Return the squares that are occluded, or next to an occluded square or part of the frame.

    ``covered`` is bool (15, 15), ``frame`` bool (17, 17), the parts of the frame that differ.
    """
    around = frame.copy()
    around[_GRID] = covered
    return grown(around)[_GRID]


def large_patches(unread: Squares) -> Squares:
    """Return the unreadable squares that lie in a large patch of them: bool (15, 15)."""
    around = np.pad(unread, 1)
    return _things(around, around)[_GRID]


def _things(unread: Squares, different: Squares) -> Squares:
    """Return the large patches, and those that come in over the frame: bool (17, 17).

    Over the frame a single finger comes in; a tile that lies askew ends there, and can be read.
    """
    count, labels = cv2.connectedComponents(unread.astype(np.uint8), connectivity=8)
    frame = unread.copy()
    frame[_GRID] = False
    size, changed, outside = (
        np.bincount(labels[squares], minlength=count) for squares in (unread, different, frame)
    )
    # A thing of one colour, wider than the area that the light is estimated from, is taken for
    # light in its middle: not all of it looks different.
    large = (size >= SQUARE.large) & (changed >= SQUARE.large - 1)
    found = large | ((size > 1) & (outside > 0))
    return np.asarray(found[labels] & unread)
