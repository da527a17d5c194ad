"""Watches the camera of one rack: reads it when it stands still and has changed."""

from __future__ import annotations

from collections import Counter
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.events import Side
from sensors.interfaces import Frame
from table.racks.history import SURE, RackSighting
from vision.racks.reader import RackReader, RackReading

STILL_NS: Final = 500_000_000
"""A rack is read once nothing has moved on it for so long."""

_SIDE: Final = 160
"""The width in pixels of the pictures that are compared."""
_CHANGED: Final = 12.0
"""The grey levels by which a block differs that shows something else."""
_BLOCK: Final = 5


class RackWatch:
    """Finds what is new on one rack. For one thread, but for :meth:`begin`.

    Args:
        side: whose rack it is.
        reader: reads it; several watches may share one.
    """

    def __init__(self, side: Side, reader: RackReader) -> None:
        self._side, self._reader = side, reader
        self._last: tuple[NDArray[np.float32], int] | None = None
        """The last picture, small, and since when nothing has moved."""
        self._read: NDArray[np.float32] | None = None
        """The picture that was read last, small."""
        self._reading: RackReading | None = None
        self._begun = False

    def begin(self) -> None:
        """Take what stands on the rack for new: another game has begun. From any thread."""
        self._begun = True

    def look(self, frame: Frame) -> RackSighting | None:
        """Take the next picture; return the tiles if the rack was read and shows others."""
        height, width = frame.image.shape[:2]
        size = (_SIDE, max(1, round(_SIDE * height / width)))
        grey = cv2.cvtColor(
            cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY
        )
        small = np.asarray(grey, np.float32)
        last = self._last
        if last is None or _differ(small, last[0]):
            self._last = small, frame.t_ns
            return None
        self._last = small, last[1]
        if frame.t_ns - last[1] < STILL_NS:
            return None
        begun, self._begun = self._begun, False
        if not begun and self._read is not None and not _differ(small, self._read):
            return None
        self._read = small
        before, reading = self._reading, self._seen(frame)
        self._reading = reading
        if not begun and before is not None and Counter(before.tiles) == Counter(reading.tiles):
            return None
        return RackSighting(self._side, reading.tiles, frame.t_ns, reading.confidence)

    def _seen(self, frame: Frame) -> RackReading:
        """Return what a picture shows; where tiles are unsure, the row is found anew."""
        row = None if self._reading is None else self._reading.row
        if row is not None:
            known = self._reader.read(frame.image, row)
            if known.tiles and min(known.confidence) >= SURE:
                return known
        found = self._reader.read(frame.image)
        if row is None or sum(found.confidence) > sum(known.confidence):
            return found
        return known


def _differ(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    if one.shape != other.shape:
        return True
    away = cv2.blur(one - other, (_BLOCK, _BLOCK))
    return float(np.abs(away).max()) > _CHANGED
