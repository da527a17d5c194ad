"""Finds the stretches of time without a picture that was looked at, one picture after another.

Pictures are lost where the camera fails, where this computer has no time for them, and while no
process runs. What happened meanwhile nobody saw.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from game.events import PicturesLost
from game.values import replace
from sensors.interfaces import Frame
from table.health.limits import BLIND_NS, DROPPED_NS, STALLED_NS

_KEPT: Final = 200
"""Stretches that are kept: more than a turn can have that anybody can make sense of."""


class _Stretch(NamedTuple):
    """A stretch without pictures, and whether a play may have been made and answered in it."""

    lost: PicturesLost
    blind: bool


class LostPictures:
    """The pictures that were looked at, and the stretches between them."""

    def __init__(self, looked_ns: int | None = None) -> None:
        """``looked_ns``: when the last picture was taken that an earlier process looked at."""
        self._looked_ns, self._seq = looked_ns, -1
        self._unwatched = looked_ns is not None
        """True until the first picture after a time in which no process ran.

        However short it seems: while the machine was off the table's time may have stood."""
        self._away_ns = 0
        """How long nobody watched before the next picture, if that is known."""
        self._stretches: deque[_Stretch] = deque(maxlen=_KEPT)
        self.dropped = 0
        """How many pictures this computer had no time for since the last turn."""

    @property
    def newest(self) -> PicturesLost | None:
        """The newest stretch that is over."""
        return self._stretches[-1].lost if self._stretches else None

    def unwatched(self, away_ns: int | None) -> None:
        """Nobody watched until now, for ``away_ns`` or longer; None: for how long is not known."""
        self._unwatched = self._looked_ns is not None
        self._away_ns = BLIND_NS + 1 if away_ns is None else away_ns

    def frame(self, frame: Frame) -> None:
        """Take the next picture that is looked at."""
        before_ns, seq = self._looked_ns, self._seq
        self._looked_ns, self._seq = frame.t_ns, frame.seq
        # A camera that was opened again counts anew.
        dropped = frame.seq - seq - 1 if 0 <= seq < frame.seq else 0
        self.dropped += dropped
        if before_ns is None:
            return
        unwatched, self._unwatched = self._unwatched, False
        away_ns, self._away_ns = self._away_ns, 0
        length_ns = frame.t_ns - before_ns
        if unwatched or length_ns > (DROPPED_NS if dropped else STALLED_NS):
            blind = (unwatched or dropped > 0) and max(length_ns, away_ns) > BLIND_NS
            lost = PicturesLost(before_ns, frame.t_ns, dropped)
            self._stretches.append(_Stretch(lost, blind))

    def between(self, from_ns: int, until_ns: int) -> tuple[PicturesLost, ...]:
        """Return the stretches that reach into this time, those side by side as one.

        One that is not over ends with it.
        """
        found: list[PicturesLost] = []
        for lost in (one.lost for one in self._reaching(from_ns, until_ns)):
            last = found.pop() if found and found[-1].until_ns == lost.from_ns else None
            dropped = lost.dropped + (last.dropped if last else 0)
            found.append(replace(lost, from_ns=(last or lost).from_ns, dropped=dropped))
        looked_ns = self._looked_ns
        if looked_ns is not None and until_ns - max(looked_ns, from_ns) > STALLED_NS:
            found.append(PicturesLost(looked_ns, until_ns))
        return tuple(found)

    def blind(self, from_ns: int, until_ns: int) -> bool:
        """True if this computer was away in this time for as long as a play takes.

        Of a camera that fails it is seen when it fails, and what lay there then counts.
        """
        return any(one.blind for one in self._reaching(from_ns, until_ns))

    def _reaching(self, from_ns: int, until_ns: int) -> list[_Stretch]:
        within = (one for one in self._stretches if one.lost.from_ns < until_ns)
        return [one for one in within if one.lost.until_ns > from_ns]
