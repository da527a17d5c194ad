"""Observations of the board, and sightings: observations with the posterior that follows.

The frames of one still segment show the same board: a square that is unclear in one may be clear in
another. Of observations from different moments, squares may be taken from one and the other;
squares that are not to count are hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, UNREADABLE, Board, Square, is_tile
from sensors.interfaces import Frame
from vision.decode import SYMBOL_ORDER
from vision.reading import UNCERTAIN, Reading, best_guesses, rows_of, symbols_of
from vision.tracking.appearance import AppearanceMap
from vision.tracking.board_tracker import TrackedBoard
from vision.tracking.square_filter import posterior_of

COVERED: Final = 8
"""More unreadable squares than this are an occlusion, not a few tiles that are hard to read."""


@dataclass(frozen=True)
class Observation:
    """The reading of one still segment, without the sightings before."""

    frame: Frame
    """The newest of the frames that were combined."""
    reading: Reading
    appearance: AppearanceMap
    parts: tuple[tuple[Frame, Reading], ...] = ()
    """The frames that were combined, newest first, and the reading of each."""
    in_sight: NDArray[np.bool_] | None = None
    """bool (15, 15): squares taken from observations in which nothing occludes them; None: none."""
    not_of_frame: NDArray[np.bool_] | None = None
    """bool (15, 15): squares that ``frame`` itself shows differently; None: none."""

    @property
    def complete(self) -> bool:
        """True if every square could be read."""
        return not any(UNREADABLE in row for row in self.reading.rows)

    @property
    def covered(self) -> bool:
        """True if a large object occludes a part of the board."""
        return sum(row.count(UNREADABLE) for row in self.reading.rows) > COVERED


@dataclass(frozen=True)
class Sighting:
    """An observation, and the tracked board that follows from it."""

    observation: Observation
    merged: TrackedBoard

    @property
    def frame(self) -> Frame:
        """The newest of the frames that were combined."""
        return self.observation.frame

    @property
    def reading(self) -> Reading:
        """The reading of this observation alone."""
        return self.observation.reading

    @property
    def board(self) -> Board:
        """The board in this sighting. A blank has no letter on it."""
        return Board.from_rows(self.merged.rows)

    @property
    def unreadable(self) -> int:
        """The number of squares that stay unreadable."""
        return sum(row.count(UNREADABLE) for row in self.merged.rows)

    @property
    def clear(self) -> bool:
        """True if no large object occludes a part of the board."""
        return self.unreadable <= COVERED and not self.merged.covered.any()

    @property
    def legible(self) -> bool:
        """True if few squares are unreadable besides those that a large object occludes."""
        return self.unreadable - int(self.merged.covered.sum()) <= COVERED

    def shows(self, squares: Iterable[Square]) -> bool:
        """True if no large object occludes any of these squares."""
        return self.legible and not any(self.merged.covered[square] for square in squares)

    def shows_tile(self, square: Square) -> bool:
        """True if a tile is in sight on a square."""
        return is_tile(self.merged.symbol(square)) and not self.merged.covered[square]

    def frame_shows(self, square: Square) -> bool:
        """True if ``frame`` itself shows the tile on this square."""
        other = self.observation.not_of_frame
        if other is not None and other[square]:
            return False
        hidden = self.merged.covered[square]
        return not hidden and self.reading.symbol(square) not in (EMPTY, UNREADABLE)


_ORDER: Final = np.array(list(SYMBOL_ORDER))
_UNREAD: Final = (_ORDER == UNREADABLE).astype(np.float32)


def combine_readings(readings: Sequence[Reading]) -> Reading:
    """Combine several readings of the same board.

    Each square gets the symbol with the highest mean posterior. Findings, pose and directions are
    those of the first reading; its findings on squares that the others settled are dropped.
    """
    first = readings[0]
    if len(readings) == 1:
        return first
    mean = np.mean([posterior_of(reading) for reading in readings], axis=0)
    sure, symbols = mean.max(axis=-1), _ORDER[mean.argmax(axis=-1)]
    unread = (sure < UNCERTAIN) | (symbols == UNREADABLE)
    settled = (symbols_of(first.rows) == UNREADABLE) & ~unread
    squares = (Square(row, col) for row, col in np.argwhere(unread).tolist())
    return replace(
        first,
        promise=None,
        rows=rows_of(np.where(unread, UNREADABLE, symbols)),
        confidence=sure.astype(np.float32),
        guesses={square: best_guesses(mean[square].astype(np.float32)) for square in squares},
        findings=tuple(f for f in first.findings if not _is_about(f.square, settled)),
        posterior=mean.astype(np.float32),
    )


def overlaid(
    observation: Observation, squares: NDArray[np.bool_], other: Observation
) -> Observation:
    """Return an observation with some squares, bool (15, 15), taken from another one.

    The wooden frame around the grid is not taken: a hand on it in the other observation occludes
    nothing here.
    """
    unread = squares & (symbols_of(observation.reading.rows) == UNREADABLE)
    return replace(
        observation,
        reading=replace(_with(observation.reading, squares, other.reading), promise=None),
        appearance=observation.appearance.replaced(squares, other.appearance, frame=False),
        in_sight=_either(observation.in_sight, squares),
        not_of_frame=_either(observation.not_of_frame, unread),
    )


def hidden(
    observation: Observation, squares: NDArray[np.bool_], covered: NDArray[np.bool_]
) -> Observation:
    """Return an observation in which some squares are unreadable.

    Args:
        observation: the observation to change.
        squares: bool (15, 15), the squares to hide.
        covered: bool (15, 15), the squares that are occluded. All others stay in sight, although
            adjacent hidden squares look like an occluding object.
    """
    reading = observation.reading
    unread = replace(
        reading,
        rows=(UNREADABLE * len(reading.rows),) * len(reading.rows),
        guesses={},
        findings=(),
        posterior=np.broadcast_to(_UNREAD, (*squares.shape, len(_UNREAD))),
    )
    return replace(
        observation,
        reading=_with(reading, squares, unread),
        in_sight=~(squares | covered),
        not_of_frame=_either(observation.not_of_frame, squares),
    )


def _with(reading: Reading, squares: NDArray[np.bool_], other: Reading) -> Reading:
    """Return a reading with some squares from another one."""
    wide = squares[..., None]
    tile_pose = reading.tile_pose
    if tile_pose is not None and other.tile_pose is not None:
        tile_pose = np.where(wide, other.tile_pose, tile_pose)
    kept = {square: g for square, g in reading.guesses.items() if not squares[square]}
    taken = {square: g for square, g in other.guesses.items() if squares[square]}
    findings = [f for f in reading.findings if not _is_about(f.square, squares)]
    findings += [f for f in other.findings if _is_about(f.square, squares)]
    posterior = np.where(wide, posterior_of(other), posterior_of(reading))
    return replace(
        reading,
        rows=rows_of(np.where(squares, symbols_of(other.rows), symbols_of(reading.rows))),
        confidence=np.where(squares, other.confidence, reading.confidence),
        rotation=np.where(squares, other.rotation, reading.rotation),
        guesses={**kept, **taken},
        findings=tuple(findings),
        posterior=posterior.astype(np.float32),
        tile_pose=tile_pose,
    )


def _either(known: NDArray[np.bool_] | None, squares: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return squares if known is None else known | squares


def _is_about(name: str | None, squares: NDArray[np.bool_]) -> bool:
    return name is not None and bool(squares[Square.parse(name)])
