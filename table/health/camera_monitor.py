"""Watches the pictures that reach a table's loop: their arrival, size and delay.

``sensors.watched_camera`` ends a camera that stalls or freezes. This module counts how long the
table has had no picture, for any reason, and when a camera has delivered for long enough to be
back. It also judges the pictures of a simulated camera, which has no driver to do so.
"""

from __future__ import annotations

from game.troubles import make_trouble
from sensors.interfaces import Frame
from sensors.watched_camera import CameraHealth
from table.health.limits import BACK_NS, BEHIND_NS, KEEPS_UP_NS, STALLED_NS
from table.health.lost_pictures import LostPictures
from table.health.monitor import HealthMonitor
from table.session import TableSession


class PictureArrival:
    """Detects in the loop that a camera is lost or back; with ``judge`` also dark or frozen."""

    def __init__(self, monitor: HealthMonitor, *, judge: bool = False) -> None:
        self._monitor = monitor
        self._health = CameraHealth() if judge else None
        self._latest_ns: int | None = None
        self._back_ns: int | None = None
        """The first picture of a camera that was lost and may be back; None if there is none."""
        self._lost = False
        self._size: tuple[int, ...] = ()

    def begin(self, now_ns: int | None) -> None:
        """Expect pictures from ``now_ns`` on; if None, from the first picture on."""
        self._latest_ns = now_ns

    def at(self, now_ns: int, session: TableSession) -> None:
        """Check, when no picture has come, if the camera is lost."""
        if self._latest_ns is None or now_ns - self._latest_ns <= STALLED_NS:
            return
        if session.camera_lost is None:
            session.camera_lost = "no picture from the camera"
        if not self._lost:
            goes_on = (
                "the game goes on by the clock"
                if session.state.timed
                else "nothing is seen of the game until it does"
            )
            text = f"the camera delivers no pictures; {goes_on}"
            self._monitor.take(make_trouble("camera_lost", text, self._latest_ns))
            self.lost()

    def lost(self) -> None:
        """Note that the camera has failed."""
        self._lost, self._back_ns = True, None

    def frame(self, frame: Frame) -> None:
        """Take the next picture."""
        now_ns = frame.t_ns
        gap = self._latest_ns is not None and now_ns - self._latest_ns > STALLED_NS
        self._latest_ns = now_ns
        self._resized(frame)
        if self._health is not None:
            self._judge(frame)
        if not self._lost:
            return
        if self._back_ns is None or gap:
            self._back_ns = now_ns
        elif now_ns - self._back_ns >= BACK_NS:
            self._lost, self._back_ns = False, None
            self._monitor.end("camera_lost", t_ns=now_ns)
            self._monitor.end("camera_frozen", t_ns=now_ns)

    def _resized(self, frame: Frame) -> None:
        size, before = frame.image.shape[:2], self._size
        self._size = size
        if before and size != before:
            text = (
                f"the camera went from {before[1]}×{before[0]} to {size[1]}×{size[0]} pixels; "
                "reading goes on at the new size"
            )
            self._monitor.take(make_trouble("camera_resized", text, frame.t_ns))

    def _judge(self, frame: Frame) -> None:
        assert self._health is not None
        for trouble in self._health.see(frame):
            self._monitor.take(trouble)


class Pace:
    """Measures how late pictures are processed and how many are dropped; notes pauses."""

    def __init__(self, monitor: HealthMonitor) -> None:
        self._monitor = monitor
        self._round_ns: int | None = None
        self._behind_ns: int | None = None
        """When the loop was last behind; None once it has kept up for long enough."""

    def look(self, taken_ns: int, now_ns: int, lost: LostPictures) -> None:
        """Note that a picture taken at ``taken_ns`` is processed now."""
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
        """Note that the loop has finished an item, or has waited for one without success."""
        before_ns, self._round_ns = self._round_ns, now_ns
        if before_ns is not None and now_ns - before_ns > BEHIND_NS:
            self._behind(f"for {(now_ns - before_ns) / 1e9:.1f} s it took no picture", now_ns)

    def _behind(self, how: str, now_ns: int) -> None:
        self._behind_ns = now_ns
        text = f"this computer cannot keep up with its camera: {how}"
        self._monitor.take(make_trouble("too_slow", text, now_ns))
