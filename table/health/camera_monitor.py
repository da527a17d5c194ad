"""Watches the pictures that reach a table's loop: whether they come, and their size.

``sensors.watched_camera`` ends a camera that stalls or freezes. This module counts how long the
table has had no picture, for any reason, and when a camera has delivered for long enough to be
back. It also judges the pictures of a simulated camera, which has no driver to do so.
"""

from __future__ import annotations

from game.troubles import make_trouble
from sensors.camera_health import CameraHealth
from sensors.interfaces import Frame
from table.health.limits import BACK_NS, STALLED_NS
from table.health.monitor import HealthMonitor
from table.session import TableSession


class CameraWatch:
    """The camera as the loop sees it, in the table's time; ``judge``: also dark or frozen."""

    def __init__(self, monitor: HealthMonitor, *, judge: bool = False) -> None:
        self._monitor = monitor
        self._health = CameraHealth() if judge else None
        self._latest_ns: int | None = None
        self._back_ns: int | None = None
        """The first picture of a camera that was lost."""
        self._lost = False
        self._size: tuple[int, ...] = ()

    def begin(self, now_ns: int | None) -> None:
        """Expect pictures from now on; None: from the first one on."""
        self._latest_ns = now_ns

    def at(self, now_ns: int, session: TableSession) -> None:
        """Check the time when no picture has come."""
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
        """Take it that the camera has failed."""
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
