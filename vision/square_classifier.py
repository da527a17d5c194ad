"""Classifies a board's squares, and reuses the result for squares that have not changed.

One move changes a few squares. The posterior of a square holds as long as its crop differs by no
more than noise; an unsure square is classified in a few more pictures, whose noise differs. A crop
is compared with the one that was classified, not with the last one, so that a slow change is
noticed too. Tiles that lie, or are seen, aside of their squares are classified where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.blank_looks import BlankLooks, KnowsBlanks
from vision.classifier import Classifier, CropClassifier, LinearHead, Promise
from vision.decode import likeliest
from vision.labels import CLASS_NAMES
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
from vision.picture_edge import without_unseen
from vision.rectify import (
    CROP,
    PITCH,
    Corners,
    Image,
    overlapping_cells,
    pixels_per_square,
    rectify,
    windows,
)
from vision.second_look import DOUBTFUL, OtherOpinion, augmented, pose_augmented, with_other
from vision.tiles_aside import SquaresSeen, with_tiles_aside

_STILL: Final = 0.05
"""The most, in squares, by which the located corners of an unmoved board differ."""

_MORE_THAN_NOISE: Final = 1.6
"""A square has changed if its mean squared difference is this many times the median square's."""

_BOUNDS: Final = (0.5, 2.5)
"""Bounds of that limit, in squared grey levels. Noise is averaged over hundreds of pixels and
varies by a tenth; the edges of a plain blank of the square's own colour, faint as they are, make
several times as much. In more noise than the upper bound every square is read again."""

_MOST_READINGS: Final = 3
"""The most pictures in which an unsure square is read, while it looks the same."""

_BLUR: Final = 3
"""Side of the averaging window, in pixels of half the size: 6 of the rectified picture."""


@dataclass(frozen=True)
class SquaresRead:
    """The reading of each square, with its picture at that time.

    Attributes:
        corners: float32 (4, 2), the corners by which the pictures were rectified.
        looks: uint8 (225, side, side, 3), each square's picture when it was read.
        grid: float32 (225, classes), probabilities.
        tile_pose: float32 (225, 3).
        sure: bool (225,), True for squares that were read surely.
        readings: int (225,), pictures in which a square was read since it last changed.
    """

    corners: Corners
    looks: NDArray[np.uint8]
    grid: NDArray[np.float32]
    tile_pose: NDArray[np.float32]
    sure: NDArray[np.bool_]
    readings: NDArray[np.intp]

    def is_at(self, corners: Corners) -> bool:
        """Return True if the board has not moved, with the same corner first."""
        away = np.linalg.norm(np.asarray(corners) - self.corners, axis=1).max()
        return bool(away <= _STILL * pixels_per_square(self.corners))

    @property
    def settled(self) -> NDArray[np.bool_]:
        """The squares that need not be read again while they look the same: bool (225,)."""
        return np.asarray(self.sure | (self.readings >= _MOST_READINGS))

    def unchanged(self, looks: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return the squares that look as they did when they were read: bool (225,)."""
        before = self.looks.reshape(len(looks), -1)
        away = cv2.absdiff(looks.reshape(before.shape), before).astype(np.float32)
        energy = np.einsum("ij,ij->i", away, away) / away.shape[1]
        limit = np.clip(_MORE_THAN_NOISE * np.median(energy), *_BOUNDS)
        return np.asarray(energy <= limit)


def square_looks(board: Image) -> NDArray[np.uint8]:
    """Return how the squares look, noise averaged out: uint8 (225, side, side, 3).

    Args:
        board: as :func:`vision.rectify.rectify` makes it with its default sizes.
    """
    half = cv2.resize(board, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    averaged = np.asarray(cv2.blur(half, (_BLUR, _BLUR)), np.uint8)
    cells = overlapping_cells(averaged, PITCH // 2, CROP // 2)
    return cells.reshape(SIZE * SIZE, CROP // 2, CROP // 2, 3)


MOST_DOUBTFUL: Final = 75
"""With more doubtful squares than this the picture is bad, and no crop is classified again."""


@dataclass(frozen=True)
class _Networks:
    """The networks that classify crops."""

    classifier: CropClassifier
    other: OtherOpinion | None


@dataclass(frozen=True)
class _Past:
    """The last picture's squares, and the networks that read them."""

    squares: SquaresRead
    blanks: BlankLooks | None
    head: LinearHead | None


class SquareClassifier:
    """Classifies the squares of a board whose corners are known.

    Squares that look as they did in the last picture of the same board are not read again.

    Args:
        classifier: reads crops.
        other: a second network, which also reads tiles, and doubtful ones from all sides; None to
        do without. It is not used if the first one has learnt a set's own tiles.
    """

    def __init__(self, classifier: Classifier, other: Classifier | None = None) -> None:
        self._classifier = classifier
        opinion = None if other is None else OtherOpinion(other, classifier.letters)
        self._networks = _Networks(classifier, opinion)
        self._past: _Past | None = None

    @property
    def promise(self) -> Promise | None:
        """The promise of both networks together; None for one alone, or one adapted to a set."""
        alone = self._networks.other is None or self._classifier.head is not None
        return None if alone else self._classifier.promise

    def see(self, image: Image, corners: Corners, blanks: BlankLooks | None = None) -> SquaresSeen:
        """Return the classified squares of a picture, as rectified.

        Args:
            image: uint8 (H, W, 3) BGR.
            corners: of the grid, float32 (4, 2), clockwise.
            blanks: how this set's blanks look, if that is known.
        """
        networks, head = self._networks, self._classifier.head
        if head is not None:
            networks = replace(networks, other=None)
        if blanks is not None:
            networks = replace(networks, classifier=KnowsBlanks(self._classifier, blanks))
        past = self._past
        alike = past is not None and past.blanks is blanks and past.head is head
        squares, read = _lattice(networks, image, corners, past.squares if past and alike else None)
        self._past = _Past(read, blanks, head)
        return _faces(networks, image, corners, squares)

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
    networks: _Networks, image: Image, corners: Corners, squares: SquaresSeen
) -> SquaresSeen:
    """Return the squares; tiles that are seen far aside of their squares are classified there."""
    classifier = networks.classifier
    aside = _parallax(classifier, squares) if is_slanted(corners) else Parallax()
    if aside.most < LEANING:
        return with_tiles_aside(classifier, squares)
    for _ in range(ROUNDS):
        more = _parallax(classifier, _lattice(networks, image, aside.corners(corners))[0])
        aside += more
        if more.most < SETTLED:
            break
    where = aside.away_from(corners).corners(corners)
    faces = with_tiles_aside(classifier, _lattice(networks, image, where)[0])
    grid = merged(squares.grid, faces.grid)
    return SquaresSeen(with_faces(squares.board, faces.board, grid), grid, faces.tile_pose)


def _parallax(classifier: CropClassifier, seen: SquaresSeen) -> Parallax:
    letters = sure_letters(seen.grid)
    return parallax(letters, pose_augmented(classifier, seen.board, letters))


def _lattice(
    networks: _Networks, image: Image, corners: Corners, past: SquaresRead | None = None
) -> tuple[SquaresSeen, SquaresRead]:
    """Classify the crops of a lattice, and doubtful ones again.

    Args:
        networks: the networks that classify the crops.
        image: uint8 (H, W, 3) BGR.
        corners: of the lattice.
        past: the squares of an earlier picture; unchanged ones are reused.

    Returns:
        the squares, and the same in the form that a later picture takes as ``past``.
    """
    if past is not None and not past.is_at(corners):
        past = None
    if past is not None:
        corners = past.corners
    board = rectify(image, corners)
    looks = square_looks(board)
    unchanged = np.zeros(SIZE * SIZE, bool) if past is None else past.unchanged(looks)
    known = unchanged if past is None else unchanged & past.settled
    grid = np.zeros((SIZE * SIZE, len(CLASS_NAMES)), np.float32)
    tile_pose = np.zeros((SIZE * SIZE, 3), np.float32)
    if not known.all():
        crops = windows(board, np.flatnonzero(~known))
        grid[~known], tile_pose[~known] = networks.classifier.classify(crops)
    if past is not None:
        grid[known], tile_pose[known] = past.grid[known], past.tile_pose[known]
        looks[unchanged] = past.looks[unchanged]
    theirs = np.zeros_like(grid)
    if networks.other is not None:
        grid, theirs = with_other(grid, board, networks.other, known)
    doubtful = np.flatnonzero(~known & (likeliest(grid) < DOUBTFUL))
    if 0 < len(doubtful) <= MOST_DOUBTFUL:
        grid[doubtful] = augmented(
            networks.classifier, board, doubtful, grid[doubtful], networks.other, theirs[doubtful]
        )
    readings = np.ones(SIZE * SIZE, np.intp)
    if past is not None:
        readings[unchanged] += past.readings[unchanged]
    sure = likeliest(grid) >= DOUBTFUL
    read = SquaresRead(corners, looks, grid.copy(), tile_pose.copy(), sure, readings)
    shape = (SIZE, SIZE, len(CLASS_NAMES))
    seen = without_unseen(grid.reshape(shape), image, corners)
    return SquaresSeen(board, seen, tile_pose.reshape(SIZE, SIZE, 3)), read
