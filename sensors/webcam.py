"""A USB webcam through OpenCV."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

from pydantic import BeforeValidator, Field

from game.options import OptionPath
from sensors.errors import SensorError
from sensors.interfaces import Frame, Image
from sensors.options import CameraOptions, FrameRate, Height, Positive, Width
from sensors.v4l2 import CameraControls, VideoMode, best_mode, controls_of, modes_of
from sensors.webcam_lock import LockedWebcam, WebcamLock

_LATE_NS: Final = 60_000_000_000
"""A stamp further from now than this is of another clock. The driver keeps a picture for seconds,
where this process stands still."""

Setting = Annotated[float, Field(ge=0, allow_inf_nan=False)]


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
    power_line: Literal["50", "60", "off"] | None = Field(
        default=None, description="frequency of the mains in hertz, against flicker"
    )
    lock: bool = Field(
        default=True, description="lock exposure, white balance and focus once they have settled"
    )
    exposure_us: Positive | None = Field(default=None, description="exposure time in µs")
    gain: Setting | None = Field(default=None, description="gain, in the camera's own unit")
    white_balance: Setting | None = Field(default=None, description="white balance in kelvin")
    focus: Setting | None = Field(default=None, description="focus, in the camera's own unit")

    @property
    def locked(self) -> LockedWebcam:
        """What to lock from the start."""
        return LockedWebcam(self.exposure_us, self.gain, self.white_balance, self.focus)

    @property
    def path(self) -> Path:
        """The device."""
        return _path(self.device)

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return f"webcam {self.device}"


class Webcam:
    """A ``sensors.interfaces.Camera``.

    ``capture`` makes the capture of a device; tests replace OpenCV's, and the kernel's ``controls``
    and ``modes``. Frames are stamped by the
    driver (V4L2 stamps a buffer by ``CLOCK_MONOTONIC``) where its stamp is plausible, else just
    before the grab.
    """

    def __init__(
        self,
        options: WebcamOptions,
        *,
        capture: Callable[[int | Path], Any] | None = None,
        controls: Callable[[Path], CameraControls | None] = controls_of,
        modes: Callable[[Path], tuple[VideoMode, ...]] = modes_of,
    ) -> None:
        import cv2  # noqa: PLC0415 - heavy

        self._name = options.name
        self._capture = (capture or _opened)(options.device)
        self._closed = threading.Event()
        self._stamp_property = cv2.CAP_PROP_POS_MSEC
        if not self._capture.isOpened():
            self._capture.release()
            raise SensorError(f"{self._name}: cannot be opened; is it plugged in, is it in use?")
        # Without a list of modes MJPG: uncompressed, most webcams give five large frames a second.
        mode = best_mode(modes(options.path), options.width, options.height, options.fps)
        mode = mode or VideoMode("MJPG", options.width, options.height, options.fps)
        # Two buffers: with one, each frame that comes while the last is decoded is lost, which
        # halves their number.
        for key, value in (
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*mode.format.ljust(4))),
            (cv2.CAP_PROP_FRAME_WIDTH, mode.width),
            (cv2.CAP_PROP_FRAME_HEIGHT, mode.height),
            (cv2.CAP_PROP_FPS, min(options.fps, mode.fps or options.fps)),
            (cv2.CAP_PROP_BUFFERSIZE, 2),
        ):
            self._capture.set(key, value)
        self._controls = controls(options.path)
        self._lock: WebcamLock | None = None
        if self._controls is not None and (options.lock or options.power_line is not None):
            self._lock = WebcamLock(
                self._controls,
                options.locked,
                options.power_line,
                time.monotonic_ns(),
                lock=options.lock,
            )

    @property
    def locked(self) -> LockedWebcam | None:
        """What it is locked to; None while it settles, or if it cannot be."""
        return None if self._lock is None else self._lock.locked

    @property
    def faults(self) -> tuple[str, ...]:
        """What could not be set, in words."""
        return () if self._lock is None else tuple(self._lock.faults)

    @property
    def settling(self) -> bool:
        """True while its automatics are at work before they are locked."""
        return self._lock is not None and self._lock.settling

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
                if self._lock is not None:
                    self._lock.see(image, before)
                yield Frame(cast("Image", image), t_ns, seq)
                seq += 1
        finally:
            self._capture.release()
            if self._controls is not None:
                self._controls.close()

    def close(self) -> None:
        """End; the capture is released by the thread that reads it."""
        self._closed.set()


def _opened(device: int | Path) -> Any:
    import cv2  # noqa: PLC0415 - heavy

    if not sys.platform.startswith("linux"):
        return cv2.VideoCapture(device if isinstance(device, int) else str(device))
    # V4L2 alone, because it gives stamps. For a device that is missing OpenCV would try all its
    # other libraries, and each prints a complaint.
    path = _path(device)
    if not path.exists():
        raise SensorError(f"webcam {device}: there is no {path}; is it plugged in?")
    return cv2.VideoCapture(str(path), cv2.CAP_V4L2)


def _path(device: int | Path) -> Path:
    return Path(f"/dev/video{device}") if isinstance(device, int) else device


def stamp_ns(driver_ms: float, before_ns: int) -> int:
    """Return the driver's stamp (ms of ``CLOCK_MONOTONIC``) if plausible, else ``before_ns``."""
    driver_ns = round(driver_ms * 1e6)
    now_ns = time.monotonic_ns()
    return driver_ns if now_ns - _LATE_NS < driver_ns <= now_ns else before_ns
