"""Finds the gaps between the pictures that were processed.

Pictures are lost when the camera fails or its lens is covered, when this computer has no time for
them, and while no process runs. The table does not know what happened in such a gap.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from game.events import PicturesLost
from game.values import replace
from sensors.interfaces import Frame
from table.health.limits import BLIND_NS, GAP_NS

_KEPT: Final = 200
"""The number of newest gaps that are kept, more than any useful turn has."""


class _Stretch(NamedTuple):
    """A gap without pictures; ``blind`` is True if a play may have been made and answered in it."""

    lost: PicturesLost
    blind: bool


class _Missed(NamedTuple):
    """The pictures that this computer missed in a gap; none if a lens was only covered."""

    pictures: int
    longest_ns: int
    """The longest time between two pictures that it processed."""

    def with_gap(self, pictures: int, length_ns: int) -> _Missed:
        """Return what it missed with one more time between two pictures."""
        return _Missed(self.pictures + pictures, max(self.longest_ns, length_ns))


class LostPictures:
    """Collects the gaps between the pictures that were processed."""

    def __init__(self, looked_ns: int | None = None) -> None:
        """``looked_ns``: the time of the last picture that an earlier process handled, or None."""
        self._looked_ns, self._seq = looked_ns, -1
        self._unwatched = looked_ns is not None
        """True until the first picture after a time in which no process ran.

        The gap then counts even if it seems short: the table's time may have stood while the
        machine was off."""
        self._away_ns = 0
        """The time before the next picture in which no process watched, in ns."""
        self._stretches: deque[_Stretch] = deque(maxlen=_KEPT)
        self.dropped = 0
        """The number of pictures since the last turn that this computer had no time for."""
        self._taken_ns = looked_ns
        """When the last picture was taken that was processed, dark or not; None if none was."""
        self._missed = _Missed(0, 0)
        """The pictures that this computer has missed since the last one that shows something."""

    @property
    def newest(self) -> PicturesLost | None:
        """The newest gap that is over; None if there was none."""
        return self._stretches[-1].lost if self._stretches else None

    def unwatched(self, away_ns: int | None) -> None:
        """Note that no process was watching for a time that ends now.

        ``away_ns``: its least length; None if unknown, which counts as long enough for a play.
        """
        self._unwatched = self._looked_ns is not None
        self._away_ns = BLIND_NS + 1 if away_ns is None else away_ns

    def frame(self, frame: Frame, *, dark: bool = False) -> None:
        """Take the next picture that is processed; a dark one shows nothing and ends no gap."""
        seq, self._seq = self._seq, frame.seq
        # A camera that was opened again counts anew.
        newly = frame.seq - seq - 1 if 0 <= seq < frame.seq else 0
        self.dropped += newly
        taken_ns, self._taken_ns = self._taken_ns, frame.t_ns
        if taken_ns is not None and frame.t_ns - taken_ns > GAP_NS:
            self._missed = self._missed.with_gap(newly, frame.t_ns - taken_ns)
        if not dark:
            self._end_gap(frame.t_ns)

    def _end_gap(self, now_ns: int) -> None:
        """Note the gap that ends with a picture which shows something, if it is one."""
        before_ns, self._looked_ns = self._looked_ns, now_ns
        missed, self._missed = self._missed, _Missed(0, 0)
        if before_ns is None:
            return
        unwatched, self._unwatched = self._unwatched, False
        away_ns, self._away_ns = self._away_ns, 0
        if unwatched or now_ns - before_ns > GAP_NS:
            longest_ns = max(missed.longest_ns, away_ns)
            blind = (unwatched or missed.pictures > 0) and longest_ns > BLIND_NS
            lost = PicturesLost(before_ns, now_ns, missed.pictures)
            self._stretches.append(_Stretch(lost, blind))

    def between(self, from_ns: int, until_ns: int) -> tuple[PicturesLost, ...]:
        """Return the gaps that overlap a period; adjacent gaps are joined.

        A gap that is not over yet ends at ``until_ns``.
        """
        found: list[PicturesLost] = []
        for lost in (one.lost for one in self._reaching(from_ns, until_ns)):
            last = found.pop() if found and found[-1].until_ns == lost.from_ns else None
            dropped = lost.dropped + (last.dropped if last else 0)
            found.append(replace(lost, from_ns=(last or lost).from_ns, dropped=dropped))
        looked_ns = self._looked_ns
        if looked_ns is not None and until_ns - max(looked_ns, from_ns) > GAP_NS:
            found.append(PicturesLost(looked_ns, until_ns))
        return tuple(found)

    def blind(self, from_ns: int, until_ns: int) -> bool:
        """Return True if this computer missed pictures in a period for as long as a play takes.

        Gaps from a failing camera do not count: their beginning is noticed, and the board as it was
        then is used.
        """
        return any(one.blind for one in self._reaching(from_ns, until_ns))

    def _reaching(self, from_ns: int, until_ns: int) -> list[_Stretch]:
        within = (one for one in self._stretches if one.lost.from_ns < until_ns)
        return [one for one in within if one.lost.until_ns > from_ns]
