"""The stretches of time of which no picture was looked at: pure, one picture after another.

Pictures are lost where the camera fails, where this computer has no time for them, and while no
process runs. What happened meanwhile nobody saw.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from game.events import PicturesLost
from game.values import replace
from sensors.interfaces import Frame
from table.health.limits import DROPPED_NS, STALLED_NS

_KEPT: Final = 200
"""Stretches that are kept: more than a turn can have that anybody can make sense of."""


class LostPictures:
    """The pictures that were looked at, and the stretches between them."""

    def __init__(self, looked_ns: int | None = None) -> None:
        """``looked_ns``: when the last picture was taken that an earlier process looked at."""
        self._looked_ns, self._seq = looked_ns, -1
        self._unwatched = looked_ns is not None
        """True until the first picture after a time in which no process ran.

        However short it seems: while the machine was off the table's time may have stood."""
        self._stretches: deque[PicturesLost] = deque(maxlen=_KEPT)
        self.dropped = 0
        """How many pictures this computer had no time for since the last turn."""

    def frame(self, frame: Frame) -> PicturesLost | None:
        """Take the next picture that is looked at; return the stretch that it ends, if any."""
        before_ns, seq = self._looked_ns, self._seq
        self._looked_ns, self._seq = frame.t_ns, frame.seq
        # A camera that was opened again counts anew.
        dropped = frame.seq - seq - 1 if 0 <= seq < frame.seq else 0
        self.dropped += dropped
        if before_ns is None:
            return None
        passed_ns = frame.t_ns - before_ns
        unwatched, self._unwatched = self._unwatched, False
        if passed_ns <= (DROPPED_NS if dropped else STALLED_NS) and not unwatched:
            return None
        found = PicturesLost(before_ns, frame.t_ns, dropped)
        if self._stretches and self._stretches[-1].until_ns == before_ns:
            last = self._stretches.pop()
            found = replace(found, from_ns=last.from_ns, dropped=last.dropped + dropped)
        self._stretches.append(found)
        return found

    def between(self, from_ns: int, until_ns: int) -> tuple[PicturesLost, ...]:
        """Return the stretches that reach into this time, the last cut off where it is not over."""
        found = [
            one for one in self._stretches if one.until_ns > from_ns and one.from_ns < until_ns
        ]
        looked_ns = self._looked_ns
        if looked_ns is not None and until_ns - max(looked_ns, from_ns) > STALLED_NS:
            found.append(PicturesLost(looked_ns, until_ns))
        return tuple(found)
