"""Watches whether this computer keeps up with its camera."""

from __future__ import annotations

from game.troubles import make_trouble
from table.health.limits import BEHIND_NS, KEEPS_UP_NS
from table.health.lost_pictures import LostPictures
from table.health.monitor import HealthMonitor


class Pace:
    """How late pictures are looked at, how many are dropped, and whether the loop stood still."""

    def __init__(self, monitor: HealthMonitor) -> None:
        self._monitor = monitor
        self._round_ns: int | None = None
        self._behind_ns: int | None = None
        """When it was last behind; None once it has kept up for long enough."""

    def look(self, taken_ns: int, now_ns: int, lost: LostPictures) -> None:
        """Take note of a picture that was taken at one time and is looked at now."""
        late_ns, newest = now_ns - taken_ns, lost.newest
        dropped = newest is not None and newest.dropped > 0 and newest.until_ns == taken_ns
        if late_ns > BEHIND_NS or dropped:
            number = lost.dropped
            how = []
            if number:
                pictures = "picture" if number == 1 else "pictures"
                how.append(f"it has dropped {number} {pictures} since the last turn")
            if late_ns > BEHIND_NS:
                how.append(f"it looks at pictures {late_ns / 1e9:.1f} s after they were taken")
            self._behind(", and ".join(how), now_ns)
        elif self._behind_ns is not None and now_ns - self._behind_ns > KEEPS_UP_NS:
            self._behind_ns = None
            self._monitor.end("too_slow", t_ns=now_ns)

    def round(self, now_ns: int) -> None:
        """Take note that the loop has done with an item, or waited for one in vain."""
        before_ns, self._round_ns = self._round_ns, now_ns
        if before_ns is not None and now_ns - before_ns > BEHIND_NS:
            self._behind(f"for {(now_ns - before_ns) / 1e9:.1f} s it took no picture", now_ns)

    def _behind(self, how: str, now_ns: int) -> None:
        self._behind_ns = now_ns
        text = f"this computer cannot keep up with its camera: {how}"
        self._monitor.take(make_trouble("too_slow", text, now_ns))
