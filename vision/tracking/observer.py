"""Reads the board in the frames of one game, given the sightings before.

The last sighting serves three ends: to find the board where the locator fails or is off by whole
squares, to tell its orientation, and as the prior of each square
(``vision.tracking.board_tracker``). The rules of the game have no part in it.

The locator cannot detect that its lattice is off by a square; the tiles that were read before can.
At the right pose most of them appear on their squares, and at a wrong pose they vote for the shift
that would put them there.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, UNREADABLE, Board, Square, is_named_blank
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.blank_looks import BlankLooks
from vision.change_detector import Patches
from vision.errors import NoBoardFoundError
from vision.reading import Reading, rows_of
from vision.rectify import Corners, Image, homography, project, quarter_turns
from vision.tracking.appearance import AppearanceMap, appearance_of
from vision.tracking.board_tracker import BoardTracker, TrackedBoard
from vision.tracking.sighting import Observation, Sighting, combine_readings


def read_by_tiles(
    read: Callable[[Corners], Reading],
    found: Reading | None,
    known: Corners,
    tiles: Mapping[Square, str],
) -> Reading | None:
    """Return the reading at the pose at which most of the known tiles lie on their squares.

    Args:
        read: reads the board at a pose.
        found: the reading at the pose that the locator found; None if it found none.
        known: the corners when the board was seen last.
        tiles: the tiles that lay there then.

    Returns:
        ``found``, unless another pose shows more of the tiles, and more than half of them.
    """
    best, share = found, 0.0 if found is None else agreement(found.rows, tiles)
    if not tiles or share > 1 / 2:
        return found
    poses = [known]
    if found is not None and (shift := best_shift(found.rows, tiles)) != (0, 0):
        poses.append(shifted_by_squares(found.corners, *shift))
    for pose in poses:
        other = read(pose)
        if agreement(other.rows, tiles) > max(share, 1 / 2):
            best, share = other, agreement(other.rows, tiles)
    return best


def agreement(rows: Sequence[str], tiles: Mapping[Square, str]) -> float:
    """Return the share of known tiles on readable squares that the rows show there."""
    seen = [(rows[square.row][square.col], tile) for square, tile in tiles.items()]
    seen = [(symbol, tile) for symbol, tile in seen if symbol != UNREADABLE]
    agreeing = sum(symbol == tile or (tile.islower() and symbol == "?") for symbol, tile in seen)
    return agreeing / max(len(seen), 1)


def best_shift(rows: Sequence[str], tiles: Mapping[Square, str]) -> tuple[int, int]:
    """Return the shift down and right, in squares, at which most known tiles appear."""
    shown = Board.from_rows(rows).tiles().items()
    votes = Counter(
        (at.row - square.row, at.col - square.col)
        for square, tile in tiles.items()
        for at, symbol in shown
        if symbol == tile
    )
    return max(votes, key=lambda by: (votes[by], -abs(by[0]) - abs(by[1])), default=(0, 0))


def shifted_by_squares(corners: Corners, down: int, right: int) -> Corners:
    """Return the corners of the grid moved by whole squares, ``down`` and ``right``."""
    grid = np.array([(0, 0), (SIZE, 0), (SIZE, SIZE), (0, SIZE)]) + np.array((right, down))
    return project(homography(corners), grid.astype(np.float64)).astype(np.float32)


_LOG = logging.getLogger(__name__)


class ReadsBoards(Protocol):
    """A reader of boards: ``vision.reader.BoardReader``."""

    def read(
        self, image: Image, corners: Corners | None = None, known: Reading | None = None
    ) -> Reading:
        """Return the reading. Raises ``vision.errors.NoBoardFoundError``."""
        ...

    def blank_looks(
        self, image: Image, reading: Reading, blanks: Collection[Square]
    ) -> BlankLooks | None:
        """Return how the blanks on these squares look; None if a letter looks like them."""
        ...

    def change_evidence(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the log-likelihood ratio, in nats, of a tile having been placed on each square."""
        ...


class BoardObserver:
    """Reads the frames of one game, and keeps the posterior of its board."""

    def __init__(self, reader: ReadsBoards, corners: Corners | None = None) -> None:
        """``corners`` are the board's corners in every frame; None if they are to be found."""
        self._reader = reader
        self._fixed = corners
        self._tracker = BoardTracker(reader.change_evidence)
        self._known: Reading | None = None
        self._updated: tuple[tuple[Reading, AppearanceMap, int], TrackedBoard] | None = None
        """The newest result of ``update``, with its arguments."""
        self.guessed = False
        """True if the board's orientation was a guess until the newest sighting."""
        self._board: Board | None = None
        self._named: frozenset[Square] = frozenset()
        """The squares of the blanks whose letters somebody has entered."""
        self._learnt: frozenset[Square] = frozenset()
        """The squares of the named blanks from which the reader learnt how blanks look."""

    @property
    def corners(self) -> Corners | None:
        """The board's corners in the last sighting; None before the first."""
        return self._known.corners if self._known is not None else self._fixed

    def observe(
        self, frames: Sequence[Frame], last: Observation | None = None
    ) -> Observation | None:
        """Read frames of one still segment, newest first, until every square is read.

        Args:
            frames: the frames of the segment, newest first.
            last: an observation of the same segment, whose readings are used again.

        Returns:
            The observation; None if no frame shows a board.
        """
        known = {} if last is None else {frame.seq: reading for frame, reading in last.parts}
        parts: list[tuple[Frame, Reading]] = []
        for frame in frames:
            reading = known.get(frame.seq) or self._read(frame)
            if reading is None:
                continue
            parts.append((frame, reading))
            if not any(UNREADABLE in row for row in reading.rows):
                break
        if not parts:
            return None
        newest, reading = parts[0][0], combine_readings([reading for _, reading in parts])
        appearance = appearance_of(newest.image, reading.corners)
        return Observation(newest, reading, appearance, tuple(parts))

    def update(self, seen: Observation, turn: int) -> Sighting:
        """Combine an observation, made in turn number ``turn``, with the earlier sightings.

        The posterior stays as it is until ``commit``.
        """
        key, known = (seen.reading, seen.appearance, turn), self._updated
        if known is None or any(a is not b for a, b in zip(known[0], key, strict=True)):
            merged = self._tracker.update(*key, self._turned(seen), seen.in_sight)
            known = self._updated = key, merged
        return Sighting(seen, known[1])

    def recall(self, image: Image, state: GameState) -> Reading | None:
        """Resume a game by its state and a picture of its board; return the picture's reading."""
        seen = self.observe((Frame(image, 0, 0),))
        if seen is None:
            return None
        self._updated = None
        self._tracker.recall(seen.reading, seen.appearance, state.board, _placed_in(state))
        rows = rows_of(("?" if one.islower() else one for one in row) for row in state.board.rows)
        self._known = replace(seen.reading, rows=rows)
        return seen.reading

    def rescale(self, across: float, down: float) -> None:
        """Scale the known corners by the change of the pictures' size."""
        if self._known is not None:
            factor = np.array([across, down], np.float32)
            corners = (self._known.corners * factor).astype(np.float32)
            self._known = replace(self._known, corners=corners)

    def know_blanks(self, state: GameState) -> None:
        """Note which tiles are blanks that somebody has named: a plain blank may read as empty."""
        board = state.board
        if board is self._board:
            return
        self._board = board
        named = frozenset(
            square for square, symbol in board.tiles().items() if is_named_blank(symbol)
        )
        if named == self._named:
            return
        placed_in = _placed_in(state)
        self._tracker.know_blanks({square: placed_in.get(square.name, 0) for square in named})
        self._updated = None
        self._named = named
        if self._known is not None and self._learnt - named:
            # A letter that was named a blank by mistake is forgotten with the name.
            self._learnt = frozenset()
            self._known = replace(self._known, blank_looks=None)

    def commit(self, sighting: Sighting) -> None:
        """Make a sighting the prior of the next ones."""
        self.guessed = self.guesses
        self._tracker.commit(sighting.merged)
        self._updated = None
        looks = self._blank_looks(sighting)
        self._known = replace(sighting.reading, rows=sighting.merged.rows, blank_looks=looks)

    def _blank_looks(self, sighting: Sighting) -> BlankLooks | None:
        """Return how this set's blanks look, learnt from named ones; None if not known yet."""
        looks = None if self._known is None else self._known.blank_looks
        if self._named == self._learnt or not all(map(sighting.frame_shows, self._named)):
            return looks
        image, reading = sighting.frame.image, sighting.reading
        learnt = self._reader.blank_looks(image, reading, self._named)
        if learnt is None:
            return looks
        self._learnt = self._named
        return learnt

    @property
    def guesses(self) -> bool:
        """True if the board's orientation is still a guess: no letter has shown it."""
        known = self._known
        return known is not None and not any(s.isalpha() for row in known.rows for s in row)

    def _turned(self, seen: Observation) -> int:
        """Return the quarter turns clockwise from the orientation guessed until now to this one."""
        if self._known is None or not self.guesses:
            return 0
        turns = quarter_turns(self._known.corners, seen.reading.corners)
        if turns is not None:
            return turns
        # One that was moved meanwhile is known by the prints on its squares.
        return self._tracker.likeliest_turn(seen.reading, seen.appearance)

    def renumber(self, numbers: Mapping[int, int], placed_in: Mapping[str, int]) -> None:
        """Give the turns new numbers.

        ``numbers`` maps each old number to the new one; ``placed_in`` maps the names of squares to
        the new number of the turn that laid their tile.
        """
        self._tracker.renumber(numbers, placed_in)

    def _read(self, frame: Frame) -> Reading | None:
        known = self._known
        try:
            reading = self._reader.read(frame.image, self._fixed, known)
        except NoBoardFoundError as error:
            _LOG.info("frame %d: %s", frame.seq, error)
            reading = None
        except cv2.error as error:
            _LOG.warning("frame %d cannot be read: %s", frame.seq, error)
            return None
        if known is None or self._fixed is not None:
            return reading
        tiles = {s: t for s, t in Board.from_rows(known.rows).tiles().items() if t.isalpha()}
        at = partial(self._reader.read, frame.image, known=known)
        return read_by_tiles(at, reading, known.corners, tiles)


def _placed_in(state: GameState) -> dict[str, int]:
    """Return the number of the turn that placed each tile, by the name of its square."""
    return {name: turn.number for turn in state.turns for name in turn.tiles}
