"""What the frames of one still segment show, alone and with what was known before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, UNREADABLE, Square
from sensors.interfaces import Frame
from vision.reading import Reading
from vision.tracking.appearance import AppearanceMap
from vision.tracking.board_tracker import TrackedBoard

COVERED: Final = 8
"""More unreadable squares than this are a hand or a sleeve, not a few hard tiles."""


@dataclass(frozen=True)
class Observation:
    """The reading of one still segment's frames, without the sightings before."""

    frame: Frame
    """The newest of those that were combined."""
    reading: Reading
    appearance: AppearanceMap
    parts: tuple[tuple[Frame, Reading], ...] = ()
    """The frames that were combined, newest first, and the reading of each."""
    in_sight: NDArray[np.bool_] | None = None
    """The squares, bool (15, 15), taken from views that nothing covered there; None: no such."""
    not_of_frame: NDArray[np.bool_] | None = None
    """The squares, bool (15, 15), that look otherwise in the frame itself; None: no such."""

    @property
    def complete(self) -> bool:
        """True if every square could be read."""
        return not any(UNREADABLE in row for row in self.reading.rows)

    @property
    def covered(self) -> bool:
        """True if something large occludes a part of the board."""
        return sum(row.count(UNREADABLE) for row in self.reading.rows) > COVERED


@dataclass(frozen=True)
class Sighting:
    """An observation, and the tracked board that it leads to."""

    frame: Frame
    """The newest of the frames that were combined."""
    reading: Reading
    merged: TrackedBoard
    observation: Observation | None = None
    """That observation."""

    @property
    def unreadable(self) -> int:
        """The number of squares that stay unreadable."""
        return sum(row.count(UNREADABLE) for row in self.merged.rows)

    @property
    def clear(self) -> bool:
        """True if nothing large occludes a part of the board."""
        return self.unreadable <= COVERED and not self.merged.covered.any()

    def shows(self, squares: Iterable[Square]) -> bool:
        """True if nothing large occludes these squares, whatever it occludes beside them."""
        covered = self.merged.covered
        scattered = self.unreadable - int(covered.sum())
        return scattered <= COVERED and not any(covered[square] for square in squares)

    def frame_shows(self, square: Square) -> bool:
        """True if the frame itself shows the tile on a square."""
        seen = self.observation
        if seen is not None and seen.not_of_frame is not None and seen.not_of_frame[square]:
            return False
        hidden = self.merged.covered[square]
        return not hidden and self.reading.symbol(square) not in (EMPTY, UNREADABLE)
