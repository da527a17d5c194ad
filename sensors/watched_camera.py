"""Watches a camera: one that is lost, stalled or frozen raises within two seconds.

A driver's call may block for ever when its camera is unplugged, so a thread of its own reads the
camera, and a picture is waited for no longer than ``stalled_s``, without the time for which the
process was stopped. The error ends the stream, and the reader opens the camera again (with
back-off), which is what brings such a camera back. A picture
that is handed over again is dropped: its time is now, and what it shows is not. Darkness is
reported, and the frames go on.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from game.errors import TilewatchError
from sensors.camera_health import CameraHealth
from sensors.errors import SensorError
from sensors.interfaces import Camera, Frame, OnTrouble
from sensors.patience import patiently

_LOG = logging.getLogger(__name__)
STALLED_S: Final = 1.8
"""A fifth of a second less than the two seconds in which a stall is promised to be noticed."""
FIRST_S: Final = 8.0
"""The time that a camera may take for its first picture."""
_WAITING: Final = 3
"""Frames that may wait; of more the oldest is dropped."""


class WatchedCamera:
    """A ``sensors.interfaces.Camera`` around another. ``on_trouble`` gets its troubles.

    One that ``repeats`` may hand over the same picture again. ``health`` knows the last picture of
    the same camera before it was opened again.
    """

    def __init__(
        self,
        camera: Camera,
        *,
        name: str = "camera",
        on_trouble: OnTrouble | None = None,
        stalled_s: float = STALLED_S,
        first_s: float = FIRST_S,
        repeats: bool = False,
        health: CameraHealth | None = None,
    ) -> None:
        self._camera = camera
        self._name = name
        self._on_trouble = on_trouble or (lambda one: _LOG.warning("%s: %s", name, one.message))
        self._stalled_s = stalled_s
        self._first_s = first_s
        self._health = health or CameraHealth(repeats=repeats)
        self._queue: queue.Queue[Frame | Exception | None] = queue.Queue(_WAITING)
        self._next: Frame | Exception | None = None
        self._newest: Frame | None = None
        self._interval_ns, self._missed = 0, 0
        """The time between two frames, and how many were lost that the driver has not counted."""
        self._closed = threading.Event()

    @property
    def camera(self) -> Camera:
        """The camera that is watched."""
        return self._camera

    def frames(self) -> Iterator[Frame]:
        """Yield the camera's frames. Raises ``SensorError`` when it is lost, stalled or frozen."""
        threading.Thread(target=self._pump, name=f"{self._name} reader", daemon=True).start()
        health, patience_s = self._health, self._first_s
        health.reopened()
        try:
            while not self._closed.is_set():
                if not patiently(self._wait, patience_s):
                    raise SensorError(
                        f"{self._name}: no picture for {patience_s:g} s; check its cable"
                    )
                item = self._next
                if item is None:
                    return
                if isinstance(item, Exception):
                    raise item
                patience_s = self._stalled_s
                for report in health.see(item):
                    self._on_trouble(report)
                    if (report.code, report.state) == ("camera_frozen", "begins"):
                        raise SensorError(f"{self._name}: {report.message}; it is started anew")
                if not health.repeated:
                    yield self._counted(item)
        finally:
            self.close()

    def _counted(self, frame: Frame) -> Frame:
        """Return a frame with its number, where frames were lost that the driver has not counted.

        A camera that gave nothing for as long as a stalled one, and was not taken for lost, did so:
        it was this process that stood still.
        """
        before, self._newest = self._newest, frame
        if before is not None:
            gap_ns, passed = frame.t_ns - before.t_ns, frame.seq - before.seq
            if gap_ns > self._stalled_s * 1e9 and self._interval_ns:
                self._missed += max(0, round(gap_ns / self._interval_ns) - passed)
            else:
                self._interval_ns = gap_ns // max(1, passed)
        return replace(frame, seq=frame.seq + self._missed)

    def _wait(self, seconds: float) -> bool:
        """Wait for the next item for so long; return True if it has come."""
        try:
            self._next = self._queue.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def _pump(self) -> None:
        last: Exception | None = None
        try:
            for frame in self._camera.frames():
                if self._closed.is_set():
                    return
                self._offer(frame)
        except TilewatchError as error:
            last = error
        except Exception as error:  # a driver has errors of its own
            last = SensorError(f"{self._name}: failed ({error or type(error).__name__})")
        self._offer(last)

    def _offer(self, item: Frame | Exception | None) -> None:
        """Queue an item; if the queue is full, drop the oldest so that the newest is never late."""
        while True:
            try:
                self._queue.put_nowait(item)
                return
            except queue.Full:
                try:
                    self._queue.get_nowait()
                except queue.Empty:
                    continue

    def close(self) -> None:
        """Close the camera, without waiting for one that hangs."""
        if not self._closed.is_set():
            self._closed.set()
            self._offer(None)
            closing = threading.Thread(target=self._camera.close, daemon=True)
            closing.start()
            closing.join(0.5)
