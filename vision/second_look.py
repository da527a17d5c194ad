"""Classifies doubtful crops again: by a second network, and with test-time augmentation."""

from __future__ import annotations

import unicodedata
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.tile_symbols import DOTTED_I, TEXT_OF
from vision.classifier import MIN_PROBABILITY, Classifier, CropClassifier, Pool, softmax
from vision.decode import likeliest, unrotated
from vision.labels import BLANK, CLASS_NAMES, EMPTY, UNREADABLE, class_index, state_index
from vision.rectify import Image, windows
from vision.tile_angles import unrotate_tile_poses

_SHIFT: Final = 2
"""Rectified pixels, a twentieth of a square: the locator's residual error."""

_OTHER_SIDES: Final = (1, 2, 3)
"""Quarter turns of the augmented crops."""

_LEFT_OPEN: Final = 0.95
"""Probability of the likeliest symbol below which the second network classifies a crop from all
sides."""

DOUBTFUL: Final = 0.97
"""A square whose likeliest symbol is less probable than this is classified again, augmented. The
second network is not asked about a square that is bare with at least this probability."""

_SETTLED: Final = 0.9999
"""The second network is not asked about a tile whose symbol has at least this probability. On 332
drawn boards 5,420 tiles, 4 in 10, are so sure. Ten of them were wrong, and the second network made
the same mistakes."""


class OtherOpinion:
    """A second classifier of the same crops, mapped to the letters of the first.

    A letter that the first one does not know counts as the letter without its mark; several letters
    on one tile count as a blank's print.

    Args:
        classifier: reads crops.
        letters: the letters of the first classifier.
    """

    def __init__(self, classifier: Classifier, letters: frozenset[str]) -> None:
        self._classifier = classifier
        self.pool = classifier.pool or Pool()
        """How this classifier's probabilities are combined with the first one's."""
        known = classifier.letters
        stands_for = [
            (index, _in_terms_of(name, letters))
            for index, name in enumerate(CLASS_NAMES)
            if "@" in name and name[: name.index("@")] in known
        ]
        self._renamed = [(index, to) for index, to in stands_for if index != to]

    def probabilities(self, crops: Image) -> NDArray[np.float32]:
        """Return class probabilities, float32 (N, classes), as the first classifier names them."""
        out = self._classifier.probabilities(crops).copy()
        for index, to in self._renamed:
            out[:, to] += out[:, index]
            out[:, index] = 0
        return out

    def from_all_sides(
        self, crops: Image, upright: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """Return the mean probabilities as seen from all four sides: float32 (N, classes).

        Args:
            crops: uint8 (N, CROP, CROP, 3).
            upright: float32 (N, classes), the probabilities of the crops as they are; None if
            unknown.
        """
        upright = self.probabilities(crops) if upright is None else upright
        return _mean([upright, *_again(self, _other_sides(crops))])


def _in_terms_of(name: str, letters: frozenset[str]) -> int:
    """Return the index of the class that replaces ``name`` if only ``letters`` are known."""
    letter, _, turn = name.partition("@")
    if not turn or letter in letters:
        return CLASS_NAMES.index(name)
    plain = unicodedata.normalize("NFD", letter)[0]
    plain = {"Đ": "D", "Ø": "O", "Æ": "A", DOTTED_I: "I"}.get(letter, plain)
    if letter in TEXT_OF or plain not in letters:
        return state_index(BLANK)
    return class_index(plain, int(turn))


def with_other(
    grid: NDArray[np.float32], board: Image, other: OtherOpinion, known: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the probabilities, pooled with the second network's where a tile may lie.

    If one network is sure and wrong about a letter, the other seldom makes the same mistake.

    Args:
        grid: float32 (225, classes), the first classifier's probabilities.
        board: the rectified picture.
        other: the second network.
        known: bool (225,), True for squares whose ``grid`` has the other's probabilities in it
        already.

    Returns:
        float32 (225, classes), the pooled probabilities, and those of the other alone; zeros where
        it was not asked.
    """
    pooled, theirs = grid.copy(), np.zeros_like(grid)
    tiles = np.flatnonzero(~known & open_to_others(grid))
    if len(tiles):
        theirs[tiles] = other.probabilities(windows(board, tiles))
        pooled[tiles] = other.pool.of(grid[tiles], theirs[tiles])
    return pooled, theirs


def open_to_others(grid: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the squares for which the second network is to be asked: bool (N,).

    They may hold a tile, and the first network is not sure of its symbol.
    """
    bare = grid[:, state_index(EMPTY)] >= DOUBTFUL
    return np.asarray(~bare & (likeliest(grid) < _SETTLED))


def augmented(
    classifier: CropClassifier,
    board: Image,
    squares: NDArray[np.intp],
    first: NDArray[np.float32],
    other: OtherOpinion | None = None,
    theirs: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Classify some squares with test-time augmentation.

    The symbol does not depend on the side that a crop is seen from, or on where exactly it is cut;
    the classifier's errors on noise and fine strokes do. So each square is classified in the three
    other directions and slightly shifted too, and the log-probabilities are averaged.

    Args:
        classifier: reads crops.
        board: the rectified picture.
        squares: indices ``15 * row + col`` (N,).
        first: float32 (N, classes), the classifier's probabilities of the plain crops.
        other: a second network, asked again, from all four sides, about the squares that stay
        unsure; None to skip this.
        theirs: float32 (N, classes), the other's probabilities of the plain crops; zeros where it
        was not asked.

    Returns:
        float32 (N, classes).
    """
    wide = np.pad(board, ((_SHIFT, _SHIFT), (_SHIFT, _SHIFT), (0, 0)), "edge")
    side = board.shape[0]
    shown = windows(board, squares)
    copies = _other_sides(shown)
    copies += [windows(wide[at : at + side, at : at + side], squares) for at in (0, 2 * _SHIFT)]
    own = _mean([first, *_again(classifier, copies)])
    if other is None:
        return own
    # The other must not make a letter of a sleeve.
    covered = own.argmax(axis=1) == state_index(UNREADABLE)
    unsure = (likeliest(own) < _LEFT_OPEN) & ~covered
    if unsure.any():
        upright = None if theirs is None else theirs[unsure]
        own[unsure] = other.pool.of(own[unsure], other.from_all_sides(shown[unsure], upright))
    return own


def _other_sides(crops: Image) -> list[Image]:
    """Return the crops turned by one, two and three quarter turns."""
    return [np.rot90(crops, -turns, axes=(1, 2)) for turns in _OTHER_SIDES]


def _again(
    classifier: CropClassifier | OtherOpinion, copies: list[Image]
) -> list[NDArray[np.float32]]:
    """Return the probabilities (N, classes) of each copy of some crops, turned copies first."""
    seen = classifier.probabilities(np.concatenate(copies))
    parts = list(seen.reshape(len(copies), len(copies[0]), -1))
    turned = [unrotated(part, turns) for part, turns in zip(parts, _OTHER_SIDES, strict=False)]
    return turned + parts[len(turned) :]


def _mean(parts: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the normalised geometric mean of some probabilities: float32 (N, classes)."""
    return softmax(np.log(np.maximum(parts, MIN_PROBABILITY)).mean(axis=0))


def pose_augmented(
    classifier: CropClassifier, board: Image, squares: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return tile poses, the median over all four directions: float32 (N, 3)."""
    shown = windows(board, squares)
    copies = [np.rot90(shown, -turns, axes=(1, 2)) for turns in range(4)]
    _, tile_pose = classifier.classify(np.concatenate(copies))
    sides = tile_pose.reshape(4, len(squares), 3)
    seen = [unrotate_tile_poses(side, turns) for turns, side in enumerate(sides)]
    return np.asarray(np.median(seen, axis=0), np.float32)
