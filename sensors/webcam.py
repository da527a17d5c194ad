"""A USB webcam through OpenCV."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

from sensors.errors import SensorError
from sensors.interfaces import Frame, Image

_LATE_NS: Final = 1_000_000_000


class Webcam:
    """A ``sensors.interfaces.Camera``; ``device`` is a number (``/dev/video0`` is 0) or a path.

    ``capture`` makes the capture of ``device`` and is OpenCV's unless a test says otherwise. Frames
    are stamped by the driver (V4L2 stamps a buffer by ``CLOCK_MONOTONIC``) where its stamp is
    plausible, else just before the grab.
    """

    def __init__(
        self,
        device: int | str = 0,
        *,
        width: int = 1920,
        height: int = 1080,
        fps: int = 15,
        capture: Callable[[int | str], Any] | None = None,
    ) -> None:
        import cv2  # noqa: PLC0415 - heavy

        self._name = f"webcam {device}"
        self._capture = (capture or _opened)(device)
        self._closed = threading.Event()
        self._stamp_property = cv2.CAP_PROP_POS_MSEC
        if not self._capture.isOpened():
            self._capture.release()
            raise SensorError(f"{self._name}: cannot be opened; is it plugged in, is it in use?")
        # MJPG first: uncompressed, most webcams give five large frames a second. Two buffers: with
        # one, each frame that comes while the last is decoded is lost, which halves their number.
        for key, value in (
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
            (cv2.CAP_PROP_FRAME_WIDTH, width),
            (cv2.CAP_PROP_FRAME_HEIGHT, height),
            (cv2.CAP_PROP_FPS, fps),
            (cv2.CAP_PROP_BUFFERSIZE, 2),
        ):
            self._capture.set(key, value)

    def frames(self) -> Iterator[Frame]:
        """Yield frames until closed. Raises ``SensorError`` when the webcam is gone."""
        seq = 0
        latest = -1
        try:
            while not self._closed.is_set():
                before = time.monotonic_ns()
                good, image = self._capture.read()
                if self._closed.is_set():
                    return
                if not good or image is None:
                    raise SensorError(f"{self._name}: gave no picture; is it still plugged in?")
                stamp = stamp_ns(self._capture.get(self._stamp_property), before)
                t_ns = max(stamp, latest + 1)
                latest = t_ns
                yield Frame(cast("Image", image), t_ns, seq)
                seq += 1
        finally:
            self._capture.release()

    def close(self) -> None:
        """End; the capture is released by the thread that reads it."""
        self._closed.set()


def _opened(device: int | str) -> Any:
    import cv2  # noqa: PLC0415 - heavy

    if not sys.platform.startswith("linux"):
        return cv2.VideoCapture(device)
    # By V4L2 alone, which gives stamps; asked of a device that is not there OpenCV tries all the
    # others, each with a complaint of its own.
    path = Path(f"/dev/video{device}" if isinstance(device, int) else device)
    if not path.exists():
        raise SensorError(f"webcam {device}: there is no {path}; is it plugged in?")
    return cv2.VideoCapture(str(path), cv2.CAP_V4L2)


def stamp_ns(driver_ms: float, before_ns: int) -> int:
    """The driver's stamp, in ms of ``CLOCK_MONOTONIC``, if plausible; else when the grab began."""
    driver_ns = round(driver_ms * 1e6)
    now_ns = time.monotonic_ns()
    return driver_ns if now_ns - _LATE_NS < driver_ns <= now_ns else before_ns
