"""From one picture to what lies on the board."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import Finding
from vision.board_context import face_colours, recolour_posterior
from vision.change_detector import ChangeDetector, Patches
from vision.classifier import Classifier
from vision.decode import (
    SYMBOL_ORDER,
    DecodedBoard,
    Grid,
    agreement,
    decode,
    likeliest,
    turned_back,
    turned_grid,
    upright_votes,
)
from vision.empty_board import EmptyBoardModel
from vision.errors import NoBoardFoundError
from vision.labels import CLASS_NAMES, LETTERS, UNREADABLE, state_index
from vision.letters_in_use import letter_weights
from vision.premium_layout import premium_fit, square_colours
from vision.reading import Reading
from vision.rectify import (
    Corners,
    Image,
    as_corners,
    homography,
    project,
    rectify,
    turned,
    windows,
)
from vision.tile_angles import askew, doubted, rotate_tile_poses, tile_offsets, unrotate_tile_poses

UNCERTAIN: Final = 0.6
"""A square whose best symbol is less likely than this is ``~`` with its guesses."""

DOUBTFUL: Final = 0.9
"""A square whose likeliest symbol is less likely than this is looked at again."""

MOST_DOUBTFUL: Final = 75
"""More doubtful squares than this are no detail: the picture is bad, or no board is there."""

NO_BOARD: Final = "no board found; show the whole 15×15 grid, in focus and in better light"

_MANY_UNSURE: Final = 8
_FEWEST_FREE: Final = 60
_PATTERN_SHOWS: Final = 0.2
"""Share of the empty squares' colour that the premium layout explains. On real boards it is 0.6 and
more, even half in shadow; laid a square off, 0.25 at most, and less over the whole board."""

_FEWEST_LETTERS: Final = 3
"""Fewer letters than these, and only the pattern tells a board from any other lattice."""
_PATTERN_ALONE: Final = 0.35
"""As above, where nothing else speaks for a board: drawn empty boards have 0.5 and more in any
light, lattices without premium squares 0.05 and, once in thirty, 0.26."""

_ASIDE: Final = 2
"""Rectified pixels, a twentieth of a square: what a locator leaves."""

_RULED_OUT: Final = 1e-6
"""What a look gives less than this, it rules out no further."""

_TURN_SURE: Final = 0.8
"""How surely a tile has to lie another way before that is reported."""

_QUARTERS: Final = ("upright", "a quarter turn clockwise", "upside down", "a quarter turn back")


class BoardCandidate(Protocol):
    """Where a board may be: corners float32 (4, 2) in any cyclic order, and how likely."""

    @property
    def corners(self) -> Corners: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102


class Finder(Protocol):
    """What finds boards: :class:`vision.locate.locator.Locator`."""

    def candidates(self, image: Image) -> Sequence[BoardCandidate]:
        """Places where a board may be, likeliest first; none where there is no board."""
        ...


@dataclass(frozen=True)
class _Seen:
    """A candidate pose and what the classifier sees there, as rectified."""

    corners: Corners
    grid: Grid
    board: Image
    tile_pose: NDArray[np.float32]
    """float32 (15, 15, 3), how a tile lies within each square, as rectified."""


class BoardReader:
    """Finds the board in a picture and reads its squares.

    Args:
        classifier: reads crops.
        finder: finds boards; None where corners are always given.
        letters: the tile set's letters; others are never read. None takes the letters of the
            shipped set that fits what lies on the board.
        empty: what the board looked like empty, where that is known.
        laid: compares two looks at a square.
    """

    def __init__(
        self,
        classifier: Classifier,
        finder: Finder | None = None,
        letters: frozenset[str] | None = None,
        empty: EmptyBoardModel | None = None,
        laid: ChangeDetector | None = None,
    ) -> None:
        self._laid = laid
        self.empty = empty
        self._classifier = classifier
        self._finder = finder
        self._letters = letters

    def read(
        self,
        image: Image,
        corners: Corners | None = None,
        known: Reading | None = None,
    ) -> Reading:
        """What lies on the board.

        Args:
            image: uint8 (H, W, 3) BGR.
            corners: where the playing grid is, if that is known: float32 (4, 2), clockwise;
                the first is the top-left one unless the letters say otherwise.
            known: an earlier reading of the same game. It decides which way is up where the
                letters alone can't, and nothing else: a reading is never bent to the past.

        Raises:
            NoBoardFoundError: there is no board in the picture, or ``corners`` are none.
        """
        start = time.perf_counter()
        if corners is not None:
            try:
                poses = [as_corners(corners)]
            except ValueError as error:
                raise NoBoardFoundError(f"these are no corners of a board: {error}") from None
        elif self._finder is not None:
            poses = [
                np.asarray(found.corners, np.float32) for found in self._finder.candidates(image)
            ]
        else:
            poses = []
        if not poses:
            raise NoBoardFoundError(NO_BOARD)
        located = time.perf_counter()
        seen = [self._look(image, pose) for pose in poses]
        best = max(seen, key=lambda one: _plausibility(image, one)) if len(seen) > 1 else seen[0]
        reading = self._interpret(best, known)
        if corners is None and not _is_board(image, reading):
            raise NoBoardFoundError(NO_BOARD)
        done = time.perf_counter()
        reading.ms.update(
            locate=round((located - start) * 1e3, 2), read=round((done - located) * 1e3, 2)
        )
        return reading

    def _look(self, image: Image, corners: Corners) -> _Seen:
        board = rectify(image, corners)
        grid, tile_pose = self._classifier.looked(windows(board))
        doubtful = np.flatnonzero(likeliest(grid) < DOUBTFUL)
        if 0 < len(doubtful) <= MOST_DOUBTFUL:
            grid[doubtful] = self._again(board, doubtful, grid[doubtful])
        outside = ~_in_view(image, corners)
        grid[outside] = 0
        grid[outside, state_index(UNREADABLE)] = 1
        shape = (SIZE, SIZE, len(CLASS_NAMES))
        return _Seen(corners, grid.reshape(shape), board, tile_pose.reshape(SIZE, SIZE, 3))

    def _again(
        self, board: Image, squares: NDArray[np.intp], first: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The mean of a first look at some squares and of looks from elsewhere at the same.

        What lies on a square hardly depends on which side it is seen from, or on where exactly the
        crop is cut; what the classifier makes of noise and of the finest strokes does. So each is
        looked at from the other three sides and from a hair's breadth aside, and the logarithms of
        the probabilities are averaged: what one look rules out is out.
        """
        wide = np.pad(board, ((_ASIDE, _ASIDE), (_ASIDE, _ASIDE), (0, 0)), "edge")
        side = board.shape[0]
        whole = windows(board, squares)
        looks = [np.rot90(whole, -turns, axes=(1, 2)) for turns in (1, 2, 3)]
        looks += [windows(wide[at : at + side, at : at + side], squares) for at in (0, 2 * _ASIDE)]
        seen = self._classifier.probabilities(np.concatenate(looks))
        parts = list(seen.reshape(len(looks), len(squares), -1))
        for turns in (1, 2, 3):
            parts[turns - 1] = turned_back(parts[turns - 1], turns)
        logs = np.log(np.maximum([first, *parts], _RULED_OUT)).mean(axis=0)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)

    def _pose_again(self, board: Image, squares: NDArray[np.intp]) -> NDArray[np.float32]:
        """How tiles lie, the median of what is seen from all four sides: float32 (N, 3)."""
        whole = windows(board, squares)
        looks = [np.rot90(whole, -turns, axes=(1, 2)) for turns in range(4)]
        _, tile_pose = self._classifier.looked(np.concatenate(looks))
        sides = tile_pose.reshape(4, len(squares), 3)
        seen = [unrotate_tile_poses(side, turns) for turns, side in enumerate(sides)]
        return np.asarray(np.median(seen, axis=0), np.float32)

    def change_evidence(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """How much two looks speak for something having been laid on each square, in nats.

        Args:
            before: the squares when they were empty, :func:`vision.change_detector.square_patches`.
            after: as they look now.
            squares: indices ``15 * row + col`` (N,) of those that are asked about.

        Returns:
            float64 (N,); nothing speaks for anything where there is nothing that compares.
        """
        if self._laid is None:
            return np.zeros(len(squares))
        return self._laid.log_likelihood_ratio(before, after, squares)

    def _interpret(self, seen: _Seen, known: Reading | None) -> Reading:
        turns, upright = which_way_up(seen.grid, seen.corners, known)
        grid = turned_grid(seen.grid, turns)
        decoded = decode(grid, letter_weights(grid, self._letters))
        board = np.ascontiguousarray(np.rot90(seen.board, turns))
        residual = self.empty.residual(board, decoded.posterior) if self.empty is not None else None
        posterior = recolour_posterior(decoded.posterior, face_colours(board), residual)
        reading = _reading(posterior, decoded, turned(seen.corners, turns), upright)
        tiles = np.array([[symbol not in ".~" for symbol in row] for row in reading.rows])
        tile_pose = rotate_tile_poses(seen.tile_pose, turns)
        doubts = doubted(tile_offsets(tile_pose, tiles))
        if len(doubts):
            tile_pose[doubts // SIZE, doubts % SIZE] = self._pose_again(board, doubts)
        within = tile_offsets(tile_pose, tiles)
        return replace(reading, tile_pose=within, findings=(*reading.findings, *askew(within)))


def which_way_up(grid: Grid, corners: Corners, known: Reading | None) -> tuple[int, float]:
    """Quarter turns clockwise by which the letters lie as rectified, and how sure that is.

    All the tiles vote; what lay on the board before votes with them; and where there is nothing
    to read, the board is taken to lie as it last did.
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


def _in_view(image: Image, corners: Corners) -> NDArray[np.bool_]:
    """Which squares have their middle within the picture: bool (225,).

    What lies beyond it is filled with the nearest pixels when the board is rectified; that must
    not pass for an empty square.
    """
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    middles = project(homography(corners), np.column_stack([cols, rows]) + 0.5)
    height, width = image.shape[:2]
    return np.asarray(((middles >= 0) & (middles <= (width - 1, height - 1))).all(axis=1))


def _is_board(image: Image, reading: Reading) -> bool:
    """Whether a located grid is one: its premium squares show, or at least it reads as one.

    A grid laid beside or across a board that is cut off by the picture's edge does neither, nor
    does squared paper. The pattern alone can't decide: tiles may hide it.
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


def _plausibility(image: Image, seen: _Seen) -> float:
    """How much a pose looks and reads like a board, to compare poses in one picture."""
    flat = seen.grid.reshape(-1, len(CLASS_NAMES))
    surely = float(np.log(np.maximum(flat.max(axis=1), 1e-3)).mean())
    occupied = seen.grid[..., : 4 * len(LETTERS)].sum(axis=-1) > 0.5
    fit = premium_fit(square_colours(image, seen.corners), occupied)
    return surely + 4 * float(fit[1, 1] - np.delete(fit.ravel(), 4).max())


def _reading(
    posterior: NDArray[np.float32], decoded: DecodedBoard, corners: Corners, upright: float
) -> Reading:
    best = posterior.argmax(axis=-1)
    confidence = np.take_along_axis(posterior, best[..., None], axis=-1)[..., 0]
    rotation = np.full((SIZE, SIZE), -1, np.int8)
    rows: list[str] = []
    guesses: dict[Square, tuple[tuple[str, float], ...]] = {}
    findings: list[Finding] = []
    for row in range(SIZE):
        line = ""
        for col in range(SIZE):
            square = Square(row, col)
            symbol = SYMBOL_ORDER[best[row, col]]
            sure = float(confidence[row, col])
            if symbol in LETTERS:
                turn = int(decoded.rotation_posterior[row, col].argmax())
                rotation[row, col] = turn
                turn_sure = float(decoded.rotation_posterior[row, col, turn])
                if turn and sure >= UNCERTAIN and turn_sure >= _TURN_SURE:
                    findings.append(
                        Finding("misoriented_tile", square.name, f"{symbol} lies {_QUARTERS[turn]}")
                    )
            if symbol == "#":
                findings.append(Finding("face_down", square.name, "a tile's back"))
            if sure < UNCERTAIN or symbol == "~":
                guesses[square] = _best_guesses(posterior[row, col])
                said = ", ".join(f"{s} {p:.0%}" for s, p in guesses[square])
                findings.append(Finding("uncertain_square", square.name, f"may be {said}"))
                symbol = "~"
            line += symbol
        rows.append(line)
    return Reading(
        corners=np.asarray(corners, np.float32),
        rows=tuple(rows),
        confidence=confidence.astype(np.float32),
        rotation=rotation,
        guesses=guesses,
        findings=tuple(findings),
        upright=upright,
        posterior=posterior.astype(np.float32, copy=False),
    )


def _best_guesses(posterior: NDArray[np.float32], most: int = 3) -> tuple[tuple[str, float], ...]:
    """The likeliest symbols other than "unreadable", with their probabilities."""
    order = [index for index in np.argsort(-posterior) if SYMBOL_ORDER[index] != "~"][:most]
    return tuple((SYMBOL_ORDER[i], round(float(posterior[i]), 4)) for i in order)
