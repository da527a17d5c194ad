"""Reads the board in one picture."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.blank_looks import BlankLooks, looks_alike
from vision.board_context import face_colours, recolour_posterior
from vision.change_detector import ChangeDetector, Patches
from vision.classifier import Classifier, Promise
from vision.decode import (
    Grid,
    agreement,
    decode,
    turned_grid,
    upright_votes,
)
from vision.empty_board import EmptyBoardModel
from vision.errors import NoBoardFoundError
from vision.labels import CLASS_NAMES, LETTER_CLASSES
from vision.locate.locator import Location
from vision.picture_edge import with_cut_tiles_in_doubt
from vision.premium_layout import premium_fit, square_colours
from vision.reading import Reading, assembled, without
from vision.rectify import (
    Corners,
    Image,
    as_corners,
    corner_distance,
    turned,
)
from vision.square_classifier import SquareClassifier
from vision.tile_angles import (
    askew,
    rotate_tile_poses,
    tile_offsets,
)
from vision.tile_sets import letter_weights, strangers
from vision.tiles_aside import SquaresSeen


class Finder(Protocol):
    """A finder of boards: :class:`vision.locate.locator.Locator`."""

    def candidates(self, image: Image) -> Sequence[Location]:
        """Return the places that may be boards, likeliest first."""
        ...

    def refine(self, image: Image, corners: Corners, iterations: int = ...) -> Location | None:
        """Return the grid near the corners, where a board lay before; None if it is lost."""
        ...


NO_BOARD: Final = "no board found; show the whole 15×15 grid, in focus and in better light"

_MANY_UNSURE: Final = 8
_FEWEST_FREE: Final = 60
_PATTERN_SHOWS: Final = 0.2
"""Share of the empty squares' colour that the premium layout explains. On real boards it is 0.6 and
more, even half in shadow; with a pose a square off, 0.25 at most."""

_FEWEST_LETTERS: Final = 3
"""With fewer letters than this, only the pattern tells a board from any other lattice."""
_PATTERN_ALONE: Final = 0.35
"""The same share, at least, on a board with fewer than ``_FEWEST_LETTERS``. Drawn empty boards have
0.5 and more in any light, lattices without premium squares 0.05 and, once in thirty, 0.26."""

_FEWEST_KNOWN: Final = 6
"""A board with at least this many known letters is first looked for where it lay before."""
_NEAR: Final = 0.4
"""The most, in squares, that a board found there may have moved."""
_NEAR_ITERATIONS: Final = 2
_MOST_AGREE: Final = 0.9
"""The least share of the visible letters that must read as before for a board found there."""
_UNREAD: Final = "~"

_SURELY_A_LETTER: Final = 0.9
"""A tile is compared with a named blank only if it is a letter with this probability: else it may
be the other blank."""


@dataclass(frozen=True)
class _Candidate:
    """A pose, and its classified squares, as rectified."""

    corners: Corners
    seen: SquaresSeen


class BoardReader:
    """Finds the board in a picture and reads its squares.

    Args:
        classifier: reads crops.
        finder: finds boards; None if corners are always given.
        letters: the tile set's letters; others are never read. None takes the letters of the
            shipped set that fits the tiles on the board.
        empty: the model of the empty board, if there is one.
        detector: compares two pictures of a square.
        other: reads crops that the first classifier is in doubt about, too.
    """

    def __init__(
        self,
        classifier: Classifier,
        finder: Finder | None = None,
        letters: frozenset[str] | None = None,
        empty: EmptyBoardModel | None = None,
        detector: ChangeDetector | None = None,
        other: Classifier | None = None,
    ) -> None:
        self._detector = detector
        self.empty = empty
        self._squares = SquareClassifier(classifier, other)
        self._finder = finder
        self._letters = letters

    def read(
        self,
        image: Image,
        corners: Corners | None = None,
        known: Reading | None = None,
    ) -> Reading:
        """Read a picture.

        Args:
            image: uint8 (H, W, 3) BGR.
            corners: of the playing grid, if they are known: float32 (4, 2), clockwise;
                the first is the top-left one unless the letters say otherwise.
            known: an earlier reading of the same game. It decides the upright direction where the
                letters alone can't, and the board is first looked for where it lay then.

        Raises:
            NoBoardFoundError: there is no board in the picture, or ``corners`` are none.
        """
        start = time.perf_counter()
        if corners is None and known is not None and (again := self._read_near(image, known)):
            return again
        if corners is not None:
            try:
                poses = [as_corners(corners)]
            except ValueError as error:
                raise NoBoardFoundError(f"these are no corners of a board: {error}") from None
        elif self._finder is not None:
            poses = [found.corners for found in self._finder.candidates(image)]
        else:
            poses = []
        if not poses:
            raise NoBoardFoundError(NO_BOARD)
        located = time.perf_counter()
        blanks = None if known is None else known.blank_looks
        tried = [_Candidate(pose, self._squares.see(image, pose, blanks)) for pose in poses]
        best = max(tried, key=lambda one: _plausibility(image, one)) if len(tried) > 1 else tried[0]
        reading = self._interpret(image, best, known)
        if corners is None and not _is_board(image, reading):
            raise NoBoardFoundError(NO_BOARD)
        done = time.perf_counter()
        reading.ms.update(
            locate=round((located - start) * 1e3, 2), read=round((done - located) * 1e3, 2)
        )
        return reading

    def _read_near(self, image: Image, known: Reading) -> Reading | None:
        """Read the board where it lay before; None if its letters do not show that it lies there.

        A board that was pushed by a square has its lattice in the same place.
        """
        letters = [
            (r, c) for r, row in enumerate(known.rows) for c in range(SIZE) if row[c].isalpha()
        ]
        if self._finder is None or len(letters) < _FEWEST_KNOWN:
            return None
        start = time.perf_counter()
        found = self._finder.refine(image, known.corners, _NEAR_ITERATIONS)
        if found is None or corner_distance(found.corners, known.corners) > _NEAR:
            return None
        located = time.perf_counter()
        squares = self._squares.see(image, found.corners, known.blank_looks)
        reading = self._interpret(image, _Candidate(found.corners, squares), known)
        read = [(reading.rows[r][c], known.rows[r][c]) for r, c in letters]
        seen = [(now, was) for now, was in read if now != _UNREAD]
        if sum(now == was for now, was in seen) < _MOST_AGREE * max(len(seen), _FEWEST_KNOWN):
            return None
        done = time.perf_counter()
        reading.ms.update(
            locate=round((located - start) * 1e3, 2), read=round((done - located) * 1e3, 2)
        )
        return reading

    def _promise(self, known: Reading | None) -> Promise | None:
        """Return the promise of the weights; None if the reading also depends on anything else."""
        taught = known is not None and known.blank_looks is not None
        return None if taught or self.empty is not None else self._squares.promise

    def blank_looks(
        self, image: Image, reading: Reading, blanks: Collection[Square]
    ) -> BlankLooks | None:
        """Return how the named blanks look; None if a letter looks so too.

        Args:
            image: uint8 (H, W, 3) BGR.
            reading: of that picture.
            blanks: their squares, in plain sight.
        """
        letters = [
            Square(row, col)
            for row, line in enumerate(reading.rows)
            for col, symbol in enumerate(line)
            if symbol.isalpha() and Square(row, col) not in blanks
            if reading.confidence[row, col] >= _SURELY_A_LETTER
        ]
        named, others = (
            self._squares.looks_of(
                image, reading.corners, np.array([s.row * SIZE + s.col for s in some], np.intp)
            )
            for some in (sorted(blanks), letters)
        )
        return looks_alike(named, others)

    def change_evidence(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the log-likelihood ratio of a tile having been placed on each square, in nats.

        Args:
            before: the squares when they were empty, :func:`vision.change_detector.square_patches`.
            after: the squares now.
            squares: indices ``15 * row + col`` (N,) of those to compare.

        Returns:
            float64 (N,); zeros if there is no detector.
        """
        if self._detector is None:
            return np.zeros(len(squares))
        return self._detector.log_likelihood_ratio(before, after, squares)

    def _interpret(self, image: Image, found: _Candidate, known: Reading | None) -> Reading:
        turns, upright = which_way_up(found.seen.grid, found.corners, known)
        grid = turned_grid(found.seen.grid, turns)
        decoded = decode(grid, letter_weights(grid, self._letters))
        residual = None
        if self.empty is not None:
            board = np.ascontiguousarray(np.rot90(found.seen.board, turns))
            residual = self.empty.residual(board, decoded.posterior)
        colours = np.rot90(face_colours(found.seen.board), turns)
        posterior = recolour_posterior(decoded.posterior, colours, residual)
        corners = turned(found.corners, turns)
        posterior = with_cut_tiles_in_doubt(posterior, image, corners)
        reading = assembled(posterior, decoded, corners, upright)
        reading = without(reading, strangers(grid, self._letters))
        tiles = np.array([[symbol not in ".~" for symbol in row] for row in reading.rows])
        within = tile_offsets(rotate_tile_poses(found.seen.tile_pose, turns), tiles)
        return replace(
            reading,
            tile_pose=within,
            findings=(*reading.findings, *askew(within)),
            blank_looks=None if known is None else known.blank_looks,
            promise=self._promise(known),
        )


def which_way_up(grid: Grid, corners: Corners, known: Reading | None) -> tuple[int, float]:
    """Return by how many quarter turns clockwise the rectified letters lie, and its posterior.

    The tiles of this reading and of the earlier one vote. If there are none, the board keeps its
    last orientation.
    """
    votes = upright_votes(grid)
    if known is not None:
        votes = votes + agreement(grid, known.rows)
        # Continuity: of four poses otherwise alike, the one nearest the last.
        drift = np.array(
            [
                np.linalg.norm(turned(corners, turn) - known.corners, axis=1).mean()
                for turn in range(4)
            ]
        )
        votes = votes - 2.0 * (drift > drift.min() + 1e-3)
    else:
        votes = votes + np.array([1e-6, 0, 0, 0])
    share = np.exp(votes - votes.max())
    best = int(votes.argmax())
    return best, float(share[best] / share.sum())


def _is_board(image: Image, reading: Reading) -> bool:
    """Return True if a located grid shows the premium squares, or at least reads like a board.

    A pose that is off by squares on a board cut off by the picture's edge does neither, nor does
    squared paper. The pattern alone can't decide: tiles may hide it.
    """
    symbols = "".join(reading.rows)
    letters, unsure = sum(symbol.isalpha() for symbol in symbols), symbols.count("~")
    if letters >= _FEWEST_LETTERS and unsure < _MANY_UNSURE:
        return True
    occupied = np.array([[symbol != "." for symbol in row] for row in reading.rows])
    if (~occupied).sum() < _FEWEST_FREE:
        return True
    fit = premium_fit(square_colours(image, reading.corners), occupied)
    least = _PATTERN_SHOWS if letters >= _FEWEST_LETTERS else _PATTERN_ALONE
    return bool(fit[1, 1] >= least)


def _plausibility(image: Image, found: _Candidate) -> float:
    """Return a score of a pose by its pattern and reading, to compare poses in one picture."""
    flat = found.seen.grid.reshape(-1, len(CLASS_NAMES))
    surely = float(np.log(np.maximum(flat.max(axis=1), 1e-3)).mean())
    occupied = found.seen.grid[..., :LETTER_CLASSES].sum(axis=-1) > 0.5
    fit = premium_fit(square_colours(image, found.corners), occupied)
    return surely + 4 * float(fit[1, 1] - np.delete(fit.ravel(), 4).max())
