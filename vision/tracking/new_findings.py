"""The findings of a reading that are new: each is reported once of the same tile.

The reader tells of every picture anew which tiles are turned, askew or unsure. A tile does not turn
or move by itself: what was reported of it when it was placed, or was not, stands until its square
looks otherwise, or until a sleeve pushes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import isfinite
from typing import Final

from game.board import UNREADABLE, Board, Square
from game.events import Finding
from game.flags import POSES
from game.state.fold import GameState
from vision.reading import Reading
from vision.tracking.late_tiles import open_questions
from vision.tracking.sighting import Sighting

_PUSHED: Final = 0.15
"""Squares by which a tile must have moved within its own to have been pushed aside: more than two
readings of an untouched tile differ by."""


class NewFindings:
    """Remembers what was reported of the tiles of one game, and how they lay."""

    def __init__(self) -> None:
        self._reported: set[tuple[str, str]] = set()
        self._offsets: dict[str, tuple[float, float]] = {}
        """Each tile's offset right and down from its square's middle when it was first seen."""

    def recall(self, state: GameState, reading: Reading | None) -> None:
        """Take up a game by a reading of the newest picture of its board, if there is one."""
        self._note(finding for turn in state.turns for finding in turn.seen.findings)
        if reading is not None:
            self._note_offsets(reading, state.board, ())

    def of(self, sighting: Sighting, state: GameState) -> tuple[Finding, ...]:
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
        self._note(found)
        return tuple(found)

    def _note(self, findings: Iterable[Finding]) -> None:
        self._reported.update((f.code, f.square) for f in findings if f.square is not None)

    def _is_new(self, finding: Finding, sighting: Sighting, changed: Collection[str]) -> bool:
        if finding.square is None:
            return True
        if finding.code == "misoriented_tile" and finding.square not in changed:
            return False  # tiles don't turn: it was reported, or not, when the tile was placed
        if finding.code in POSES:  # likewise, but that a sleeve may push a tile aside
            return self._shifted(finding.square, sighting.reading, changed)
        square, merged = Square.parse(finding.square), sighting.merged
        symbol = merged.rows[square.row][square.col]
        settled = symbol not in (UNREADABLE, sighting.reading.symbol(square))
        if finding.code == "uncertain_square" and settled:
            return False  # the sightings before settled it
        same = bool(merged.same_appearance[square])
        if same and (finding.code, finding.square) in self._reported:
            return False
        return finding.square in changed or not same

    def _shifted(self, name: str, reading: Reading, changed: Collection[str]) -> bool:
        """Return True if the tile is new, or has moved within its square since then."""
        first, tile_pose = self._offsets.get(name), reading.tile_pose
        if name in changed or first is None or tile_pose is None:
            return True
        right, down, _ = tile_pose[Square.parse(name)].tolist()
        return bool(max(abs(right - first[0]), abs(down - first[1])) >= _PUSHED)

    def _note_offsets(self, reading: Reading, board: Board, changed: Collection[str]) -> None:
        """Remember the offsets of tiles that are new or were pushed aside."""
        there = {square.name for square in board.tiles()}
        self._offsets = {name: at for name, at in self._offsets.items() if name in there}
        if reading.tile_pose is None:
            return
        poses = reading.tile_pose.tolist()
        for square in board.tiles():
            right, down, _ = poses[square.row][square.col]
            if isfinite(right) and isfinite(down) and self._shifted(square.name, reading, changed):
                self._offsets[square.name] = right, down
