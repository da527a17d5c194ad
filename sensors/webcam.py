"""A USB webcam through OpenCV."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final, cast

from pydantic import BeforeValidator, Field

from game.options import OptionPath
from sensors.errors import SensorError
from sensors.interfaces import Frame, Image
from sensors.options import CameraOptions, FrameRate, Height, Width

_LATE_NS: Final = 1_000_000_000


def _number_or_path(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str | Path):
        raise ValueError("must be a number or a path like /dev/video0")
    return value


class WebcamOptions(CameraOptions):
    """``[camera]`` with ``kind = "webcam"``."""

    device: Annotated[int | OptionPath, BeforeValidator(_number_or_path)] = Field(
        default=0, description="number of the webcam (0 is /dev/video0), or its path"
    )
    width: Width = 1920
    height: Height = 1080
    fps: FrameRate = 15

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return f"webcam {self.device}"


class Webcam:
    """A ``sensors.interfaces.Camera``.

    ``capture`` makes the capture of a device; tests replace OpenCV's. Frames are stamped by the
    driver (V4L2 stamps a buffer by ``CLOCK_MONOTONIC``) where its stamp is plausible, else just
    before the grab.
    """

    def __init__(
        self, options: WebcamOptions, *, capture: Callable[[int | Path], Any] | None = None
    ) -> None:
        import cv2  # noqa: PLC0415 - heavy

        self._name = options.name
        self._capture = (capture or _opened)(options.device)
        self._closed = threading.Event()
        self._stamp_property = cv2.CAP_PROP_POS_MSEC
        if not self._capture.isOpened():
            self._capture.release()
            raise SensorError(f"{self._name}: cannot be opened; is it plugged in, is it in use?")
        # MJPG first: uncompressed, most webcams give five large frames a second. Two buffers: with
        # one, each frame that comes while the last is decoded is lost, which halves their number.
        for key, value in (
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
            (cv2.CAP_PROP_FRAME_WIDTH, options.width),
            (cv2.CAP_PROP_FRAME_HEIGHT, options.height),
            (cv2.CAP_PROP_FPS, options.fps),
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


def _opened(device: int | Path) -> Any:
    import cv2  # noqa: PLC0415 - heavy

    if not sys.platform.startswith("linux"):
        return cv2.VideoCapture(device if isinstance(device, int) else str(device))
    # V4L2 alone, because it gives stamps. For a device that is missing OpenCV would try all its
    # other libraries, and each prints a complaint.
    path = Path(f"/dev/video{device}") if isinstance(device, int) else device
    if not path.exists():
        raise SensorError(f"webcam {device}: there is no {path}; is it plugged in?")
    return cv2.VideoCapture(str(path), cv2.CAP_V4L2)


def stamp_ns(driver_ms: float, before_ns: int) -> int:
    """Return the driver's stamp (ms of ``CLOCK_MONOTONIC``) if plausible, else ``before_ns``."""
    driver_ns = round(driver_ms * 1e6)
    now_ns = time.monotonic_ns()
    return driver_ns if now_ns - _LATE_NS < driver_ns <= now_ns else before_ns
