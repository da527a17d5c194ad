"""Reads the board in the frames of one game, given the sightings before.

Continuity serves three ends here and no other: to find the board where the locator fails or slips
by a square, to know which way is up, and to update the belief about each square
(``vision.tracking.board_tracker``). What the rules would like has no part in it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE, Board, Square, is_named_blank
from game.events import Finding
from game.flags import POSES
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.blank_looks import BlankLooks
from vision.change_detector import Patches
from vision.errors import NoBoardFoundError
from vision.reading import Reading
from vision.rectify import Corners, Image, homography, project
from vision.tracking.appearance import AppearanceMap, appearance_of
from vision.tracking.board_tracker import BoardTracker, TrackedBoard
from vision.tracking.late_tiles import open_questions
from vision.tracking.motion_gate import combine_readings, quarter_turns
from vision.tracking.sighting import Observation, Sighting

_LOG = logging.getLogger(__name__)


_MIN_AGREEMENT: Final = 0.6
"""A pose that shows a smaller share of the known tiles on their squares is doubted."""

_MIN_TILES: Final = 4
"""With fewer known tiles agreement says nothing."""

_PUSHED: Final = 0.15
"""Squares by which a tile must have moved within its own to have been pushed aside: more than two
readings of an untouched tile differ by."""

_MAX_SHIFT: Final = 2
"""Squares by which a pose may be off, at most, to be tried."""


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
        """Return how the blanks on these squares look; None if a letter looks so too."""
        ...

    def change_evidence(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the log-likelihood ratio, in nats, of a tile having been placed on each square."""
        ...


class BoardObserver:
    """Reads the frames of one game and remembers the sightings."""

    def __init__(self, reader: ReadsBoards, corners: Corners | None = None) -> None:
        """``corners`` fix the pose of every frame, where a recording or a calibration knows it."""
        self._reader = reader
        self._fixed = corners
        self._tracker = BoardTracker(reader.change_evidence)
        self._known: Reading | None = None
        self._updated: tuple[tuple[Reading, AppearanceMap, int], TrackedBoard] | None = None
        """The newest result of ``update``, and what it was of."""
        self.guessed = False
        """True if it was a guess until the newest sighting which way round the board lies."""
        self._reported: set[tuple[str, str]] = set()
        self._board: Board | None = None
        self._named: frozenset[Square] = frozenset()
        """The blanks that somebody had named on that board."""
        self._learnt: frozenset[Square] = frozenset()
        """Those of them from which the looks of blanks were learnt."""
        self._offsets: dict[str, tuple[float, float]] = {}
        """Each tile's offset right and down from its square's middle when it was first seen."""

    @property
    def corners(self) -> Corners | None:
        """The board's corners when it was last seen."""
        return self._known.corners if self._known is not None else self._fixed

    def observe(
        self, frames: Sequence[Frame], last: Observation | None = None
    ) -> Observation | None:
        """Read frames of one still segment, newest first, until every square is read.

        Args:
            frames: of the segment.
            last: an observation of the same segment; what it has read is not read again.

        Returns:
            None if no board is found in any.
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
        """Return the sighting that an observation in turn number ``turn`` leads to.

        Nothing is remembered until ``commit``.
        """
        key = (seen.reading, seen.appearance, turn)
        known = self._updated
        if known is not None and all(a is b for a, b in zip(known[0], key, strict=True)):
            merged = known[1]
        else:
            turned = self._turned(seen)
            merged = self._tracker.update(*key, turned, seen.in_sight)
            self._updated = key, merged
        return Sighting(seen.frame, seen.reading, merged, seen)

    def recall(self, image: Image, state: GameState) -> None:
        """Take up a game by the newest picture of its board and by its state."""
        for turn in state.turns:
            self._reported.update(
                (f.code, f.square) for f in turn.seen.findings if f.square is not None
            )
        seen = self.observe((Frame(image, 0, 0),))
        if seen is None:
            return
        self._updated = None
        self._tracker.recall(seen.reading, seen.appearance, state.board, _placed_in(state))
        rows = tuple(
            "".join("?" if symbol.islower() else symbol for symbol in row)
            for row in state.board.rows
        )
        self._known = replace(seen.reading, rows=rows)
        self._note_offsets(seen.reading, state.board, set())

    def rescale(self, across: float, down: float) -> None:
        """Scale the known corners: the camera's pictures have changed their size by that much."""
        if self._known is not None:
            factor = np.array([across, down], np.float32)
            corners = (self._known.corners * factor).astype(np.float32)
            self._known = replace(self._known, corners=corners)

    def know_blanks(self, state: GameState) -> None:
        """Take what somebody has named for blanks: a plain one may read as an empty square."""
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
        """Remember a sighting."""
        self.guessed = self.guesses
        self._tracker.commit(sighting.merged)
        self._updated = None
        looks = self._blank_looks(sighting)
        self._known = replace(sighting.reading, rows=sighting.merged.rows, blank_looks=looks)

    def _blank_looks(self, sighting: Sighting) -> BlankLooks | None:
        """Learn how this set's blanks look from those that somebody has named."""
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
        """True if no letter has shown yet which way round the board lies."""
        known = self._known
        return known is not None and not any(s.isalpha() for row in known.rows for s in row)

    def _turned(self, seen: Observation) -> int:
        """Return how many corners further clockwise the board begins than was guessed until now."""
        if self._known is None or not self.guesses:
            return 0
        turns = quarter_turns(self._known.corners, seen.reading.corners)
        # One that was moved meanwhile is known by the prints on its squares.
        if turns is None:
            return self._tracker.likeliest_turn(seen.reading, seen.appearance)
        return turns

    def renumber(self, numbers: Mapping[int, int], placed_in: Mapping[str, int]) -> None:
        """Give the turns other numbers: ``numbers`` by the old ones, ``placed_in`` by square."""
        self._tracker.renumber(numbers, placed_in)

    def findings(self, sighting: Sighting, state: GameState) -> tuple[Finding, ...]:
        """Return the findings on a sighting that were not reported of the same tiles before.

        ``state`` is the game before the turn. What a square holds is asked about once.
        """
        before, asked = state.board, {square.name for _, square in open_questions(state)}
        after = Board.from_rows(sighting.merged.rows)
        changed = {square.name for square in before.diff(after)}
        found = [f for f in sighting.reading.findings if self._is_new(f, sighting, changed)]
        found = [f for f in found if f.code != "uncertain_square" or f.square not in asked]
        self._note_offsets(sighting.reading, after, changed)
        found += [f for f in sighting.merged.doubts if f.square is not None]
        self._reported.update((f.code, f.square) for f in found if f.square is not None)
        return tuple(found)

    def _is_new(self, finding: Finding, sighting: Sighting, changed: set[str]) -> bool:
        if finding.square is None:
            return True
        if finding.code == "misoriented_tile" and finding.square not in changed:
            return False  # tiles don't turn: it was reported, or not, when the tile was placed
        if finding.code in POSES:  # likewise, but that a sleeve may push a tile aside
            return self._shifted(finding.square, sighting.reading, changed)
        square, merged = Square.parse(finding.square), sighting.merged
        symbol = merged.rows[square.row][square.col]
        if finding.code == "uncertain_square" and symbol not in (
            UNREADABLE,
            sighting.reading.symbol(square),
        ):
            return False  # the sightings before settled it
        same = bool(merged.same_appearance[square])
        if same and (finding.code, finding.square) in self._reported:
            return False
        return finding.square in changed or not same

    def _shifted(self, name: str, reading: Reading, changed: set[str]) -> bool:
        """Return True if the tile is new, or has moved within its square since then."""
        first, tile_pose = self._offsets.get(name), reading.tile_pose
        if name in changed or first is None or tile_pose is None:
            return True
        square = Square.parse(name)
        return max(abs(float(tile_pose[square][way]) - first[way]) for way in (0, 1)) >= _PUSHED

    def _note_offsets(self, reading: Reading, board: Board, changed: set[str]) -> None:
        """Remember the offsets of tiles that are new or were pushed aside."""
        there = {square.name for square in board.tiles()}
        self._offsets = {name: at for name, at in self._offsets.items() if name in there}
        if reading.tile_pose is None:
            return
        for name in there:
            right, down, _ = reading.tile_pose[Square.parse(name)].tolist()
            if isfinite(right) and isfinite(down) and self._shifted(name, reading, changed):
                self._offsets[name] = right, down

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
        if len(tiles) < _MIN_TILES:
            return reading
        if reading is not None and agreement(reading.rows, tiles) >= _MIN_AGREEMENT:
            return reading
        return self._elsewhere(frame, known, tiles, reading)

    def _elsewhere(
        self, frame: Frame, known: Reading, tiles: dict[Square, str], found: Reading | None
    ) -> Reading | None:
        """Read at other poses: the last one, and the found one shifted by whole squares."""
        poses = [known.corners]
        if found is not None:
            down, right = best_shift(found.rows, tiles)
            if (down, right) != (0, 0):
                poses.append(shifted_by_squares(found.corners, down, right))
        best = found
        share = 0.0 if found is None else agreement(found.rows, tiles)
        for pose in poses:
            other = self._reader.read(frame.image, pose, known)
            if agreement(other.rows, tiles) > max(share, _MIN_AGREEMENT):
                best, share = other, agreement(other.rows, tiles)
        return best


def agreement(rows: Sequence[str], tiles: dict[Square, str]) -> float:
    """Return the share of known tiles that the rows show on their squares, of the readable ones."""
    seen = [(rows[s.row][s.col], tile) for s, tile in tiles.items()]
    seen = [(symbol, tile) for symbol, tile in seen if symbol != UNREADABLE]
    if not seen:
        return 0.0
    agreeing = sum(symbol == tile or (tile.islower() and symbol == "?") for symbol, tile in seen)
    return agreeing / len(seen)


def best_shift(rows: Sequence[str], tiles: dict[Square, str]) -> tuple[int, int]:
    """Return the shift down and right, in squares, at which most known tiles appear."""
    board = Board.from_rows(rows)
    steps = range(-_MAX_SHIFT, _MAX_SHIFT + 1)

    def matches(shift: tuple[int, int]) -> tuple[int, int]:
        shown = [board.get(Square(s.row + shift[0], s.col + shift[1])) for s in tiles]
        count = sum(a == b for a, b in zip(shown, tiles.values(), strict=True) if a != EMPTY)
        return count, -abs(shift[0]) - abs(shift[1])

    return max(((down, right) for down in steps for right in steps), key=matches)


def shifted_by_squares(corners: Corners, down: int, right: int) -> Corners:
    """Return the pose whose grid begins ``down`` and ``right`` squares further on."""
    square: NDArray[np.float64] = np.array(
        [
            [right, down],
            [right + SIZE, down],
            [right + SIZE, down + SIZE],
            [right, down + SIZE],
        ],
        dtype=np.float64,
    )
    return project(homography(corners), square).astype(np.float32)


def _placed_in(state: GameState) -> dict[str, int]:
    """Return the turn that placed each tile, by its square."""
    return {name: turn.number for turn in state.turns for name in turn.tiles}
