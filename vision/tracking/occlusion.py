"""What covers a part of the board: a hand, a sleeve, a bag.

A thing that covers is larger than a tile. The classifier reads its middle as unreadable; where it
covers a part of a square, what is left of that may pass for empty, for a blank, for another letter.
So what is next to such a thing and looks different from before counts as covered too, unless it is
read for sure as a letter, or as empty as before.

An arm or a sleeve comes in over the board's frame. Where only fingertips reach over the grid, what
lies on the frame beside them tells them from tiles.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.tracking.belief import NOTHING, SYMBOLS, Belief

UNREAD: Final = 0.5
"""Probability of "unreadable" from which a square counts as that."""

LEAST_SQUARES: Final = 4
"""So many adjacent unreadable squares are something large, ..."""

LEAST_DIFFERENT: Final = 3
"""... if so many of them look different from before."""

_LEAST_FROM_THE_FRAME: Final = 2
"""So many adjacent unreadable squares and parts of the frame are a thing that comes in over it."""

_SURE_LETTER: Final = 0.999
"""Of letters beside a thing that covers, those read as surely as this are taken to be in full view:
an R whose leg a fingertip hid has passed for a P with 99.8%. In plain sight nearly all are
surer."""

_HIDDEN_PART: Final = 0.06
"""How often a letter beside a thing that covers may be another, of which a part is hidden, however
surely it is read: a U has passed for a J with 99.97%. A clear view can correct it then."""

_SURE_EMPTY: Final = 0.9
"""The same of empty squares: a tile of which fingertips hid four fifths has read as empty with 53%,
and of 78 empty squares in sight beside hands, in three simulated games, none with less than 99%."""

_LETTERS: Final = np.array([symbol.isalpha() for symbol in SYMBOLS])

_BESIDE: Final = np.ones((3, 3), np.uint8)

_GRID: Final = np.s_[1:-1, 1:-1]
"""The grid within the frame around it."""


def covered_squares(
    likelihood: Belief,
    unread: NDArray[np.bool_],
    different: NDArray[np.bool_],
    best: NDArray[np.int_],
    frame: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Return the squares that something large covers, wholly or in part: bool (15, 15).

    Args:
        likelihood: float64 (15, 15, symbols), of the reading.
        unread: bool (15, 15), the squares that could not be read.
        different: bool (15, 15), the squares that do not look as they did.
        best: int (15, 15), the index of the symbol that was believed to be there.
        frame: bool (17, 17), the parts of the frame around the grid that do not look as they did;
            what lies on the grid in it is left out.
    """
    around = np.zeros((SIZE + 2, SIZE + 2), np.bool_) if frame is None else frame.copy()
    around[_GRID] = unread
    changed = around.copy()
    changed[_GRID] = different
    thing = large_patches(around, changed) | _from_the_frame(around)
    middle = thing[_GRID]
    if not thing.any():
        return middle
    near = cv2.dilate(thing.astype(np.uint8), _BESIDE).astype(np.bool_)[_GRID]
    beside = near & ~middle & different
    read = likelihood.argmax(axis=-1)
    sure = _LETTERS[read] & (likelihood.max(axis=-1) >= _SURE_LETTER)
    in_sight = sure & ((best == NOTHING) | (best == read))
    empty = (likelihood[..., NOTHING] >= _SURE_EMPTY) & (best == NOTHING) & ~unread
    covered = middle | (beside & ~in_sight & ~empty)
    return np.asarray(covered | (_enclosed(covered) & ~in_sight))


def half_hidden(likelihood: Belief, covered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the squares that read as a letter of which a part may be hidden: bool (15, 15).

    Args:
        likelihood: float64 (15, 15, symbols), of the reading.
        covered: bool (15, 15), the squares that something large covers.
    """
    beside = cv2.dilate(covered.astype(np.uint8), _BESIDE).astype(np.bool_) & ~covered
    return np.asarray(beside & _LETTERS[likelihood.argmax(axis=-1)])


def with_hidden_parts(likelihood: Belief, hidden: NDArray[np.bool_]) -> Belief:
    """Return the likelihood with some doubt of the letters of which a part may be hidden."""
    another = np.sqrt(likelihood) * _LETTERS  # one that resembles it, rather
    np.put_along_axis(another, likelihood.argmax(axis=-1)[..., None], 0.0, axis=-1)
    another /= another.sum(axis=-1, keepdims=True)
    mixed = (1 - _HIDDEN_PART) * likelihood + _HIDDEN_PART * another
    return np.asarray(np.where(hidden[..., None], mixed, likelihood))


def beside_things(covered: NDArray[np.bool_], frame: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the squares that are covered, or beside a covered square or part of the frame.

    Args:
        covered: bool (15, 15), the squares that something large covers.
        frame: bool (17, 17), the parts of the frame around the grid that do not look as they did.

    Returns:
        bool (15, 15).
    """
    around = frame.copy()
    around[_GRID] = covered
    return cv2.dilate(around.astype(np.uint8), _BESIDE).astype(np.bool_)[_GRID]


def _enclosed(covered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the squares with a covered one on each side.

    No hand, arm or bag leaves such a gap: its plain skin or cloth has passed for a bare square.
    """
    wide = np.pad(covered, 1)
    return wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]


def _from_the_frame(around: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return what comes in over the frame: bool (17, 17).

    A single finger does; a tile that lies askew ends on the frame, and can be read.
    """
    frame = around.copy()
    frame[_GRID] = False
    count, labels = _patches(around)
    size = np.bincount(labels.ravel(), minlength=count)
    found = (np.bincount(labels[frame], minlength=count) > 0) & (size >= _LEAST_FROM_THE_FRAME)
    found[0] = False
    return np.asarray(found[labels])


def large_patches(
    unread: NDArray[np.bool_], different: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Return the unreadable squares that lie in a large patch of them: bool, as ``unread``.

    Enough of a patch must look different from before. Not all: a thing of one colour, wider than
    the area that the light is estimated from, is taken for light in its middle.
    """
    count, labels = _patches(unread)
    size = np.bincount(labels.ravel(), minlength=count)
    changed = size if different is None else np.bincount(labels[different], minlength=count)
    large = (size >= LEAST_SQUARES) & (changed >= LEAST_DIFFERENT)
    large[0] = False
    return np.asarray(large[labels])


def _patches(squares: NDArray[np.bool_]) -> tuple[int, NDArray[np.intp]]:
    """Return the number of connected patches and each square's patch; number 0 is what is none."""
    count, labels = cv2.connectedComponents(squares.astype(np.uint8), connectivity=8)
    return count, np.asarray(labels, np.intp)
