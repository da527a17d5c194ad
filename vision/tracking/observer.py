"""From frames to what lay on the board, helped by what was known of it.

Continuity serves three ends here and no other: to find the board where the locator fails or slips
by a square, to know which way is up, and to weigh a square's new look against what was read before
(``vision.tracking.board_tracker``). What the rules would like has no part in it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE, Board, Square
from game.events import Finding
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.change_detector import Patches
from vision.errors import NoBoardFoundError
from vision.reading import Reading
from vision.rectify import Corners, Image, homography, project
from vision.tracking.appearance import AppearanceMap, appearance_of
from vision.tracking.board_tracker import BoardTracker, TrackedBoard
from vision.tracking.motion_gate import combine_readings

_LOG = logging.getLogger(__name__)

COVERED: Final = 8
"""More unreadable squares than this are a hand or a sleeve, not a few hard tiles."""

_PATCH: Final = 4
"""So many unreadable squares side by side, which look otherwise than before, are one too."""

_AGREE: Final = 0.6
"""A pose that shows fewer than this share of the known tiles where they lay is doubted."""

_ENOUGH: Final = 4
"""Known tiles without which agreement says nothing."""

_PUSHED: Final = 0.15
"""Squares by which a tile must have moved within its own to have been pushed aside: more than two
looks at one and the same tile differ by."""

_MAX_SLIP: Final = 2
"""Squares by which a pose is tried elsewhere."""


class ReadsBoards(Protocol):
    """What reads boards: ``vision.reader.BoardReader``."""

    def read(
        self, image: Image, corners: Corners | None = None, known: Reading | None = None
    ) -> Reading:
        """What lies on the board. Raises ``vision.errors.NoBoardFoundError``."""
        ...

    def change_evidence(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """How much two looks speak for something having been laid on each square, in nats."""
        ...


@dataclass(frozen=True)
class Observation:
    """What frames of one stretch show, before it is weighed against what was known."""

    frame: Frame
    """The newest of those that were combined."""
    reading: Reading
    looks: AppearanceMap

    @property
    def whole(self) -> bool:
        """Whether every square could be read."""
        return not any(UNREADABLE in row for row in self.reading.rows)

    @property
    def covered(self) -> bool:
        """Whether something large hides a part of the board."""
        return sum(row.count(UNREADABLE) for row in self.reading.rows) > COVERED


@dataclass(frozen=True)
class Sighting:
    """What was seen of the board, and what was made of it."""

    frame: Frame
    """The frame that it rests on most: the newest of those that were combined."""
    reading: Reading
    merged: TrackedBoard

    @property
    def unreadable(self) -> int:
        """How many squares stay unreadable."""
        return sum(row.count(UNREADABLE) for row in self.merged.rows)

    @property
    def clear(self) -> bool:
        """Whether nothing large hides a part of the board."""
        return self.unreadable <= COVERED and self._patch() < _PATCH

    def _patch(self) -> int:
        """The most unreadable squares that touch, of those that look otherwise than before."""
        hidden = np.array([[symbol == UNREADABLE for symbol in row] for row in self.merged.rows])
        hidden &= ~self.merged.same_look
        if not hidden.any():
            return 0
        _, _, stats, _ = cv2.connectedComponentsWithStats(hidden.astype(np.uint8), connectivity=8)
        return int(stats[1:, cv2.CC_STAT_AREA].max())


class BoardObserver:
    """Reads the frames of one game, remembering what it saw."""

    def __init__(self, reader: ReadsBoards, corners: Corners | None = None) -> None:
        """``corners`` fix the pose of every frame, where a recording or a calibration knows it."""
        self._reader = reader
        self._fixed = corners
        self._tracker = BoardTracker(reader.change_evidence)
        self._known: Reading | None = None
        self._reported: set[tuple[str, str]] = set()
        self._lay: dict[str, tuple[float, float]] = {}
        """How far right and down of its square's middle each tile lay when it was first seen."""

    @property
    def corners(self) -> Corners | None:
        """Where the board lay when it was last seen."""
        return self._known.corners if self._known is not None else self._fixed

    def look(self, frames: Sequence[Frame]) -> Observation | None:
        """Read frames of one stretch, newest first, until every square is read.

        None when no board could be found in any.
        """
        readings: list[Reading] = []
        used: list[Frame] = []
        for frame in frames:
            reading = self._read(frame)
            if reading is None:
                continue
            readings.append(reading)
            used.append(frame)
            if not any(UNREADABLE in row for row in reading.rows):
                break
        if not readings:
            return None
        whole = combine_readings(readings)
        return Observation(used[0], whole, appearance_of(used[0].image, whole.corners))

    def update(self, look: Observation, turn: int) -> Sighting:
        """What was seen in the light of what was known; ``turn`` is the turn it was seen in.

        Nothing is remembered until ``commit``.
        """
        merged = self._tracker.update(look.reading, look.looks, turn)
        return Sighting(look.frame, look.reading, merged)

    def recall(self, image: Image, state: GameState) -> None:
        """Remember a game from the newest picture of its board and from what is known of it."""
        for turn in state.turns:
            self._reported.update(
                (f.code, f.square) for f in turn.seen.findings if f.square is not None
            )
        look = self.look((Frame(image, 0, 0),))
        if look is None:
            return
        laid = {name: turn.number for turn in state.turns for name in turn.tiles}
        self._tracker.recall(look.reading, look.looks, state.board, laid)
        rows = tuple(
            "".join("?" if symbol.islower() else symbol for symbol in row)
            for row in state.board.rows
        )
        self._known = replace(look.reading, rows=rows)
        self._note_tile_pose(look.reading, state.board, set())

    def rescale(self, across: float, down: float) -> None:
        """The camera's pictures have another size now: so many times as wide and as high."""
        if self._known is not None:
            factor = np.array([across, down], np.float32)
            corners = (self._known.corners * factor).astype(np.float32)
            self._known = replace(self._known, corners=corners)

    def commit(self, sighting: Sighting) -> None:
        """Remember a sighting."""
        self._tracker.commit(sighting.merged)
        self._known = replace(sighting.reading, rows=sighting.merged.rows)

    def findings(self, sighting: Sighting, before: Board) -> tuple[Finding, ...]:
        """What is to be said of a sighting, and was not said of the same tiles before."""
        merged = sighting.merged
        after = Board.from_rows(merged.rows)
        changed = {square.name for square in before.diff(after)}
        said: list[Finding] = []
        for finding in sighting.reading.findings:
            if finding.square is None:
                said.append(finding)
                continue
            if finding.code == "misoriented_tile" and finding.square not in changed:
                continue  # it was said, or not so, when the tile was laid; tiles don't turn
            if finding.code == "askew":
                # Likewise, but that a sleeve may push a tile aside.
                if self._shifted(finding.square, sighting.reading, changed):
                    said.append(finding)
                continue
            square = Square.parse(finding.square)
            key = (finding.code, finding.square)
            if finding.code == "uncertain_square" and merged.rows[square.row][square.col] not in (
                UNREADABLE,
                sighting.reading.symbol(square),
            ):
                continue  # what was known before settled it
            old = key in self._reported and bool(merged.same_look[square])
            if not old and (finding.square in changed or not merged.same_look[square]):
                said.append(finding)
        self._note_tile_pose(sighting.reading, after, changed)
        said += [f for f in merged.doubts if f.square is not None]
        self._reported.update((f.code, f.square) for f in said if f.square is not None)
        return tuple(said)

    def _shifted(self, name: str, reading: Reading, changed: set[str]) -> bool:
        """Whether the tile there is new, or lies elsewhere in its square than it did at first."""
        first, tile_pose = self._lay.get(name), reading.tile_pose
        if name in changed or first is None or tile_pose is None:
            return True
        square = Square.parse(name)
        return max(abs(float(tile_pose[square][way]) - first[way]) for way in (0, 1)) >= _PUSHED

    def _note_tile_pose(self, reading: Reading, board: Board, changed: set[str]) -> None:
        """Remember how the tiles lie: the new ones, and those that were pushed aside."""
        there = {square.name for square in board.tiles()}
        self._lay = {name: at for name, at in self._lay.items() if name in there}
        if reading.tile_pose is None:
            return
        for name in there:
            right, down, _ = (float(part) for part in reading.tile_pose[Square.parse(name)])
            if np.isfinite([right, down]).all() and self._shifted(name, reading, changed):
                self._lay[name] = right, down

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
        if len(tiles) < _ENOUGH:
            return reading
        if reading is not None and agreement(reading.rows, tiles) >= _AGREE:
            return reading
        return self._elsewhere(frame, known, tiles, reading)

    def _elsewhere(
        self, frame: Frame, known: Reading, tiles: dict[Square, str], found: Reading | None
    ) -> Reading | None:
        """Read at other poses: where the board lay last, and the found one, slipped."""
        poses = [known.corners]
        if found is not None:
            down, right = best_shift(found.rows, tiles)
            if (down, right) != (0, 0):
                poses.append(shifted_by_squares(found.corners, down, right))
        best = found
        share = 0.0 if found is None else agreement(found.rows, tiles)
        for pose in poses:
            other = self._reader.read(frame.image, pose, known)
            if agreement(other.rows, tiles) > max(share, _AGREE):
                best, share = other, agreement(other.rows, tiles)
        return best


def agreement(rows: Sequence[str], tiles: dict[Square, str]) -> float:
    """Share of the known tiles that the rows show on their squares; unreadable ones abstain."""
    seen = [(rows[s.row][s.col], tile) for s, tile in tiles.items()]
    seen = [(symbol, tile) for symbol, tile in seen if symbol != UNREADABLE]
    if not seen:
        return 0.0
    alike = sum(symbol == tile or (tile.islower() and symbol == "?") for symbol, tile in seen)
    return alike / len(seen)


def best_shift(rows: Sequence[str], tiles: dict[Square, str]) -> tuple[int, int]:
    """By how many squares down and right the known tiles appear off their places."""
    board = Board.from_rows(rows)
    steps = range(-_MAX_SLIP, _MAX_SLIP + 1)

    def alike(slip: tuple[int, int]) -> tuple[int, int]:
        shown = [board.get(Square(s.row + slip[0], s.col + slip[1])) for s in tiles]
        count = sum(a == b for a, b in zip(shown, tiles.values(), strict=True) if a != EMPTY)
        return count, -abs(slip[0]) - abs(slip[1])

    return max(((down, right) for down in steps for right in steps), key=alike)


def shifted_by_squares(corners: Corners, down: int, right: int) -> Corners:
    """The pose whose grid begins ``down`` and ``right`` squares further on than this one's."""
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
