"""Classifies a board's squares: where they are, where their tiles are seen, and where those lie."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.blank_looks import BlankLooks, KnowsBlanks
from vision.classifier import Classifier, CropClassifier
from vision.decode import likeliest
from vision.labels import CLASS_NAMES, UNREADABLE, state_index
from vision.parallax import (
    LEANING,
    ROUNDS,
    SETTLED,
    Parallax,
    is_slanted,
    merged,
    parallax,
    sure_letters,
    with_faces,
)
from vision.promise import Promise
from vision.rectify import Corners, Image, homography, project, rectify, windows
from vision.second_look import OtherOpinion, augmented, pose_augmented, with_other
from vision.tiles_aside import SquaresSeen, look_where_tiles_lie

DOUBTFUL: Final = 0.97
"""A square whose likeliest symbol is less likely than this is classified again, augmented."""

MOST_DOUBTFUL: Final = 75
"""With more doubtful squares the picture is bad or shows no board, and augmentation is no use."""


class SquareClassifier:
    """Classifies the squares of a board whose corners are known.

    Args:
        classifier: reads crops.
        other: reads tiles too, and those that are in doubt from all sides; None if there is no
            other. It has no say where the first one has learnt a set's own tiles.
    """

    def __init__(self, classifier: Classifier, other: Classifier | None = None) -> None:
        self._classifier = classifier
        self._other = None if other is None else OtherOpinion(other, classifier.letters)

    @property
    def promise(self) -> Promise | None:
        """What both networks promise; None with one alone, or if it is adapted to a set."""
        alone = self._other is None or self._classifier.head is not None
        return None if alone else self._classifier.promise

    def see(self, image: Image, corners: Corners, blanks: BlankLooks | None = None) -> SquaresSeen:
        """Return what a picture shows on the squares, as rectified.

        Args:
            image: uint8 (H, W, 3) BGR.
            corners: of the grid, float32 (4, 2), clockwise.
            blanks: how this set's blanks look, where that is known.
        """
        classifier = self._classifier if blanks is None else KnowsBlanks(self._classifier, blanks)
        other = self._other if self._classifier.head is None else None
        return _faces(classifier, other, image, corners)

    def looks_of(
        self, image: Image, corners: Corners, tiles: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Return the features of tiles as seen from each of four sides: float32 (4, N, F).

        Args:
            image: uint8 (H, W, 3) BGR.
            corners: of the grid.
            tiles: indices ``15 * row + col`` (N,) of their squares.
        """
        shown = windows(self.see(image, corners).board, tiles)
        sides = [np.rot90(shown, -turns, axes=(1, 2)) for turns in range(4)]
        return np.stack([self._classifier.classify_with_features(side)[2] for side in sides])


def _faces(
    classifier: CropClassifier, other: OtherOpinion | None, image: Image, corners: Corners
) -> SquaresSeen:
    """Classify the squares, and tiles where they are seen, if that is far aside of theirs."""
    squares = _lattice(classifier, other, image, corners)
    aside = _parallax(classifier, squares) if is_slanted(corners) else Parallax()
    if aside.most < LEANING:
        return look_where_tiles_lie(classifier, squares)
    for _ in range(ROUNDS):
        more = _parallax(classifier, _lattice(classifier, other, image, aside.corners(corners)))
        aside += more
        if more.most < SETTLED:
            break
    where = aside.away_from(corners).corners(corners)
    faces = look_where_tiles_lie(classifier, _lattice(classifier, other, image, where))
    grid = merged(squares.grid, faces.grid)
    return SquaresSeen(with_faces(squares.board, faces.board, grid), grid, faces.tile_pose)


def _parallax(classifier: CropClassifier, seen: SquaresSeen) -> Parallax:
    letters = sure_letters(seen.grid)
    return parallax(letters, pose_augmented(classifier, seen.board, letters))


def _lattice(
    classifier: CropClassifier, other: OtherOpinion | None, image: Image, corners: Corners
) -> SquaresSeen:
    """Classify the crops of a lattice, and those in doubt once more."""
    board = rectify(image, corners)
    grid, tile_pose = classifier.classify(windows(board))
    if other is not None:
        grid = with_other(grid, board, other)
    doubtful = np.flatnonzero(likeliest(grid) < DOUBTFUL)
    if 0 < len(doubtful) <= MOST_DOUBTFUL:
        grid[doubtful] = augmented(classifier, board, doubtful, grid[doubtful], other)
    outside = ~_in_view(image, corners)
    grid[outside] = 0
    grid[outside, state_index(UNREADABLE)] = 1
    shape = (SIZE, SIZE, len(CLASS_NAMES))
    return SquaresSeen(board, grid.reshape(shape), tile_pose.reshape(SIZE, SIZE, 3))


def _in_view(image: Image, corners: Corners) -> NDArray[np.bool_]:
    """Return the squares with their middle within the picture: bool (225,).

    Rectifying fills the rest with the nearest pixels; that must not pass for an empty square.
    """
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    middles = project(homography(corners), np.column_stack([cols, rows]) + 0.5)
    height, width = image.shape[:2]
    return np.asarray(((middles >= 0) & (middles <= (width - 1, height - 1))).all(axis=1))
