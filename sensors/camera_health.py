"""Detects dark and frozen pictures in a camera's frames. Pure code."""

from __future__ import annotations

import zlib
from typing import Final, Literal, TypeAlias

import numpy as np

from game.events import TroubleNoted
from game.troubles import make_trouble, trouble_over
from sensors.interfaces import Frame, Image

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
