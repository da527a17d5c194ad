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
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal, TypeAlias

import numpy as np

from game.errors import TilewatchError
from game.events import TroubleNoted
from game.troubles import make_trouble, trouble_over
from sensors.interfaces import Camera, Frame, Image, OnTrouble, SensorError
from sensors.patience import patiently

PATIENCE_NS: Final = 1_500_000_000
"""The time that a fault must last to be reported. Faults are promised within two seconds; the
rest is for the frame that shows it."""
DARK: Final = 12
"""The brightness of 255 below which 99 of 100 samples of an unreadable picture lie."""
_STEP: Final = 16

PictureFault: TypeAlias = Literal["camera_dark", "camera_frozen"]

_BEGINS: Final[dict[PictureFault, str]] = {
    "camera_dark": "the camera's pictures are black: is it covered, the lamp off?",
    "camera_frozen": "the camera hands over the same picture again and again",
}


class CameraHealth:
    """Reports each fault of the pictures once, and its end. Feed it every frame in order.

    With ``repeats``, a picture that is the same as the last is no fault. One object may serve a
    camera that is opened several times (call ``reopened``): it recognises the last picture of the
    time before, which a driver may hand over again.
    """

    def __init__(self, *, repeats: bool = False) -> None:
        self._repeats = repeats
        self._started = False
        self._checksum: int | None = None
        self._changed_ns = 0
        """When the picture last differed from the one before."""
        self._lit_ns = 0
        """When the picture was last not dark."""
        self.fault: PictureFault | None = None
        self.repeated = False
        """True if the newest frame's picture is the same as the one before, so it may be old."""

    def reopened(self) -> None:
        """Forget the faults: the frames that follow are from a camera that was opened again."""
        self._started, self.fault = False, None

    def see(self, frame: Frame) -> list[TroubleNoted]:
        """Take the next frame; return reports of the fault that ends and the one that begins."""
        first, self._started = not self._started, True
        # Even a still scene differs by the sensor's noise; a picture that is handed over again
        # is the same to the last bit. A black one may be, and is dark rather than frozen.
        checksum = zlib.crc32(_samples(frame.image).tobytes())
        dark = is_dark(frame.image)
        self.repeated = not (self._repeats or dark) and checksum == self._checksum
        if first or dark or checksum != self._checksum:
            self._changed_ns = frame.t_ns
        if first or not dark:
            self._lit_ns = frame.t_ns
        self._checksum = checksum
        return self._reports(frame.t_ns)

    def _reports(self, now_ns: int) -> list[TroubleNoted]:
        fault: PictureFault | None = None
        if now_ns - self._lit_ns >= PATIENCE_NS:
            fault = "camera_dark"
        elif not self._repeats and now_ns - self._changed_ns >= PATIENCE_NS:
            fault = "camera_frozen"
        before, self.fault = self.fault, fault
        reports = []
        if before is not None and before != fault:
            reports.append(trouble_over(before, now_ns))
        if fault is not None and before != fault:
            reports.append(make_trouble(fault, _BEGINS[fault], now_ns))
        return reports


def is_dark(image: Image) -> bool:
    """Return True if a picture is so dark that nothing in it can be read."""
    return bool(np.mean(_samples(image) >= DARK) < 0.01)


def _samples(image: Image) -> Image:
    return np.ascontiguousarray(image[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP])


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
