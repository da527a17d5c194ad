"""Moves the times of a network stream to ``CLOCK_MONOTONIC``. Pure code.

A stream counts its pictures' times (PTS) on a clock of the camera's own. Picture for picture, the
time of arrival less the PTS is the difference of the two clocks, plus the delay of that picture;
the least that was seen lately belongs to a picture that was hardly delayed. So a picture that
waited in a network is stamped as early as one that did not. What all pictures are delayed by, in
the camera's encoder for example, cannot be seen from here: ``delay_ms`` is for that.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

WINDOW_NS: Final = 30_000_000_000
"""After this time a difference is forgotten, so that the drift of two clocks (some 50 ppm) does no
harm: 1.5 ms."""


@dataclass(slots=True)
class _Bucket:
    """The least and the greatest difference of a stretch of time, in ns."""

    began_ns: int
    least: int
    most: int


class StreamClock:
    """The clock of one stream. Tell it of every picture that arrives, then ask."""

    def __init__(self) -> None:
        self._buckets: deque[_Bucket] = deque(maxlen=2)

    def arrived(self, pts_ns: int, now_ns: int) -> None:
        """Take the PTS of a picture and the time of its arrival."""
        ahead = now_ns - pts_ns
        newest = self._buckets[-1] if self._buckets else None
        if newest is None or now_ns - newest.began_ns > WINDOW_NS:
            self._buckets.append(_Bucket(now_ns, ahead, ahead))
        else:
            newest.least, newest.most = min(newest.least, ahead), max(newest.most, ahead)

    def sent_ns(self, pts_ns: int) -> int:
        """Return when a picture would have arrived had nothing delayed it more than the others.

        Raises ``ValueError`` before the first picture.
        """
        return pts_ns + min(bucket.least for bucket in self._buckets)

    @property
    def spread_ns(self) -> int:
        """The longest delay of a picture lately, compared with the least delayed one."""
        if not self._buckets:
            return 0
        most = max(bucket.most for bucket in self._buckets)
        return most - min(bucket.least for bucket in self._buckets)
