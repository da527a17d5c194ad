"""Watches a camera: one that is lost, stalled or frozen is given up within two seconds.

A driver's call may block for ever when its camera is unplugged, so a separate thread reads the
camera and hands each picture on at once. The caller's thread waits for each picture for at most
``stalled_s``, not counting time in which the process was paused. An error ends the reading; the
table then opens the camera again (with back-off), which is how such a camera recovers. A picture
that the driver hands over again is dropped, because its stamp is new but it shows the past.
Darkness is reported, and the pictures go on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace

from game.errors import TilewatchError
from sensors.camera_health import CameraHealth
from sensors.interfaces import Camera, Frame, OnTrouble, SensorError
from sensors.patience import patiently

_LOG = logging.getLogger(__name__)


class WatchedCamera:
    """A camera that is watched for losses, stalls and faulty pictures.

    Args:
        camera: the driver.
        name: the camera's name for people.
        stalled_s: the seconds without a picture after which it is given up.
        first_s: the seconds that it may take for its first picture.
        remedy: what to do if it gives no pictures.
        on_trouble: called with each report of a fault.
        health: judges its pictures; it may know the last one from before the camera was reopened.
    """

    def __init__(
        self,
        camera: Camera,
        *,
        name: str,
        stalled_s: float,
        first_s: float,
        remedy: str = "",
        on_trouble: OnTrouble | None = None,
        health: CameraHealth | None = None,
    ) -> None:
        self.camera = camera
        self._name, self._remedy = name, remedy
        self._on_trouble = on_trouble or (lambda one: _LOG.warning("%s: %s", name, one.message))
        self._stalled_s, self._first_s = stalled_s, first_s
        self._health = health or CameraHealth()
        self._newest: Frame | None = None
        self._interval_ns, self._missed = 0, 0
        """The ns between two frames, and the number of lost frames that the driver missed."""
        self._came = threading.Event()
        """Set with each picture and at the end."""
        self._ended = threading.Event()
        self._error: Exception | None = None
        self._closed = threading.Event()

    def deliver(self, take: Callable[[Frame], None]) -> None:
        """Call ``take`` with each picture, from the camera's own thread, until it ends.

        Raises ``SensorError`` when the camera is lost, stalled or frozen.
        """
        self._health.reopened()
        threading.Thread(
            target=self._read, args=(take,), name=f"{self._name} reader", daemon=True
        ).start()
        patience_s = self._first_s
        try:
            while not self._ended.is_set():
                if not patiently(self._wait, patience_s):
                    remedy = f"; {self._remedy}" if self._remedy else ""
                    raise SensorError(f"{self._name}: no picture for {patience_s:g} s{remedy}")
                patience_s = self._stalled_s
            if self._error is not None and not self._closed.is_set():
                raise self._error
        finally:
            self.close()

    def close(self) -> None:
        """Close the camera; wait for at most half a second, since it may hang."""
        if not self._closed.is_set():
            self._closed.set()
            self._end()
            closing = threading.Thread(target=self.camera.close, daemon=True)
            closing.start()
            closing.join(0.5)

    def _wait(self, seconds: float) -> bool:
        """Wait for the next picture or the end; return True if one has come within ``seconds``."""
        if not self._came.wait(seconds):
            return False
        self._came.clear()
        return True

    def _end(self) -> None:
        self._ended.set()
        self._came.set()

    def _read(self, take: Callable[[Frame], None]) -> None:
        try:
            for frame in self.camera.frames():
                if self._closed.is_set():
                    return
                self._came.set()
                self._judge(frame)
                if not self._health.repeated:
                    take(self._counted(frame))
        except TilewatchError as error:
            self._error = error
        except Exception as error:  # a driver has errors of its own
            self._error = SensorError(f"{self._name}: failed ({error or type(error).__name__})")
        finally:
            self._end()

    def _judge(self, frame: Frame) -> None:
        """Report faults that begin or end with a frame. Raises ``SensorError`` if it is frozen."""
        for report in self._health.see(frame):
            self._on_trouble(report)
            if (report.code, report.state) == ("camera_frozen", "begins"):
                raise SensorError(f"{self._name}: {report.message}; it is started again")

    def _counted(self, frame: Frame) -> Frame:
        """Return the frame with its number raised by frames lost without the driver noticing.

        After a gap as long as a stall that was not reported as one, this process was paused and
        lost the frames.
        """
        before, self._newest = self._newest, frame
        if before is not None:
            gap_ns, passed = frame.t_ns - before.t_ns, frame.seq - before.seq
            if gap_ns > self._stalled_s * 1e9 and self._interval_ns:
                self._missed += max(0, round(gap_ns / self._interval_ns) - passed)
            else:
                self._interval_ns = gap_ns // max(1, passed)
        return replace(frame, seq=frame.seq + self._missed) if self._missed else frame
