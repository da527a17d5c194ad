"""A USB webcam through OpenCV.

Its exposure, white balance and focus are locked once its automatics have settled: a picture that
changes by itself looks like motion, and letters cannot be read while the lens hunts for focus. The
values that the automatics have reached are read, set by hand, and read back. Some webcams do not
tell these values: then locking makes the picture brighter or darker, and the exposure is given
back to the automatic.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import numpy as np
from pydantic import BeforeValidator, Field

from game.options import OptionPath
from sensors.interfaces import Frame, Image, SensorError
from sensors.options import CameraOptions, FrameRate, Height, Positive, Width
from sensors.v4l2 import (
    APERTURE_PRIORITY,
    MANUAL_EXPOSURE,
    CameraControls,
    ControlName,
    VideoMode,
    best_mode,
    controls_of,
    modes_of,
)

_LOG = logging.getLogger(__name__)

_DRIVER_LATE_NS: Final = 60_000_000_000
"""A stamp older than this belongs to another clock. Seconds are normal: the driver keeps a picture
while this process is paused."""

SETTLING_S: Final = 3.0
"""The seconds for which the automatics may settle before they are locked."""
CHECKED_S: Final = 1.0
"""The seconds from locking until the brightness is compared: a few frames are still old."""
CHANGED: Final = 0.25
"""A change of the brightness by this share means that locking changed the exposure."""

POWER_LINE: Final = {"off": 0, "50": 1, "60": 2}

Setting = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class LockedWebcam:
    """The settings that a webcam is locked to; None for one that it lacks or did not accept."""

    exposure_us: float | None = None
    gain: float | None = None
    white_balance: float | None = None
    focus: float | None = None

    def options(self) -> dict[str, float]:
        """Return the settings as options of ``[camera]``."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: float(value) for name, value in values.items() if value is not None}


_LOCKS: Final[tuple[tuple[str, ControlName, ControlName, int, float], ...]] = (
    ("exposure_us", "auto_exposure", "exposure", MANUAL_EXPOSURE, 100.0),
    ("gain", "auto_gain", "gain", 0, 1.0),
    ("white_balance", "auto_white_balance", "white_balance", 0, 1.0),
    ("focus", "auto_focus", "focus", 0, 1.0),
)
"""Option, control of its automatic, control of its value, the number that switches the automatic
off, and the option's unit in steps of the control."""


class WebcamLock:
    """Settles and locks one webcam. Call ``see`` with every picture, in the thread that reads them.

    Args:
        controls: the controls of the camera.
        given: the settings from the configuration or the calibration, set from the start.
        power_line: ``"50"``, ``"60"`` or ``"off"``; None leaves it as it is.
        now_ns: the present time, in ns.
        lock: False leaves everything to the automatics.
    """

    def __init__(
        self,
        controls: CameraControls,
        given: LockedWebcam,
        power_line: str | None,
        now_ns: int,
        *,
        lock: bool = True,
    ) -> None:
        self._controls, self._began_ns = controls, now_ns
        self.faults: list[str] = []
        """The settings that the camera did not accept, in words."""
        self.locked: LockedWebcam | None = None
        """The settings that the camera is locked to; None while it settles."""
        self._wanted = lock
        self._before: float | None = None
        self._locked_ns = 0
        if power_line is not None and not controls.set("power_line", POWER_LINE[power_line]):
            self.faults.append(f"its power-line frequency cannot be set to {power_line}")
        controls.set("steady_rate", 0)
        self._automatic()
        if given != LockedWebcam():
            self.locked = self._set(given)

    @property
    def settling(self) -> bool:
        """True while the automatics are at work before they are locked."""
        return self._wanted and self.locked is None

    def see(self, image: Image, now_ns: int) -> None:
        """Take the next picture; lock when it is time, and check the exposure a second later."""
        if self.settling and now_ns - self._began_ns >= SETTLING_S * 1e9:
            self._before, self._locked_ns = brightness(image), now_ns
            self.locked = self._set(self._reached())
        elif self._before is not None and now_ns - self._locked_ns >= CHECKED_S * 1e9:
            after, self._before = brightness(image) / max(self._before, 1.0), None
            if not 1 - CHANGED < after < 1 + CHANGED:
                self._give_back()

    def _automatic(self) -> None:
        """Switch on the automatics that another program may have switched off."""
        self._controls.set("auto_exposure", APERTURE_PRIORITY)
        for name in ("auto_gain", "auto_white_balance", "auto_focus"):
            self._controls.set(name, 1)

    def _reached(self) -> LockedWebcam:
        values: dict[str, float] = {}
        ranges = self._controls.ranges()
        for option, automatic, name, _, unit in _LOCKS:
            value = self._controls.get(name)
            # Without an automatic a value is a fixed one already, and stays as it is.
            if value is not None and automatic in ranges:
                values[option] = value * unit
        return LockedWebcam(**values)

    def _set(self, wanted: LockedWebcam) -> LockedWebcam:
        """Set values by hand and read them back; return those that the camera accepted."""
        kept: dict[str, float] = {}
        for option, automatic, name, manual, unit in _LOCKS:
            value = getattr(wanted, option)
            if value is None:
                continue
            self._controls.set(automatic, manual)
            if self._controls.set(name, value / unit):
                kept[option] = value
            else:
                self.faults.append(f"its {option} cannot be locked")
        for fault in self.faults:
            _LOG.warning("webcam: %s", fault)
        return LockedWebcam(**kept)

    def _give_back(self) -> None:
        self._controls.set("auto_exposure", APERTURE_PRIORITY)
        self._controls.set("auto_gain", 1)
        assert self.locked is not None
        self.locked = LockedWebcam(white_balance=self.locked.white_balance, focus=self.locked.focus)
        self.faults.append("its exposure cannot be locked: the camera does not say what it uses")
        _LOG.warning("webcam: %s", self.faults[-1])


def brightness(image: Image) -> float:
    """Return the mean of a picture's samples, 0 to 255."""
    return float(np.mean(image[8::16, 8::16]))


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
        """The settings to lock from the start."""
        return LockedWebcam(self.exposure_us, self.gain, self.white_balance, self.focus)

    @property
    def path(self) -> Path:
        """The path of the device."""
        return _path(self.device)

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return f"webcam {self.device}"


class Webcam:
    """A ``sensors.interfaces.Camera``.

    ``capture`` opens a device with OpenCV, and ``controls`` and ``modes`` ask the kernel; tests
    replace them. A frame has the driver's stamp (V4L2 stamps a buffer by ``CLOCK_MONOTONIC``) if
    that is plausible, else the time just before the grab.
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
            raise SensorError(
                f"{self._name}: cannot be opened; see that it is plugged in, and that no other "
                "program uses it"
            )
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
        """The settings that it is locked to; None while it settles or if it cannot be locked."""
        return None if self._lock is None else self._lock.locked

    @property
    def faults(self) -> tuple[str, ...]:
        """The settings that the camera did not take, in words."""
        return () if self._lock is None else tuple(self._lock.faults)

    @property
    def settling(self) -> bool:
        """True while the automatics settle before they are locked."""
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
                    raise SensorError(
                        f"{self._name}: gave no picture; see that it is still plugged in"
                    )
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
        """End the frames; the thread that reads the capture releases it."""
        self._closed.set()


def _opened(device: int | Path) -> Any:
    import cv2  # noqa: PLC0415 - heavy

    if not sys.platform.startswith("linux"):
        return cv2.VideoCapture(device if isinstance(device, int) else str(device))
    # V4L2 alone, because it gives stamps. For a device that is missing OpenCV would try all its
    # other libraries, and each prints a complaint.
    path = _path(device)
    if not path.exists():
        raise SensorError(f"webcam {device}: there is no {path}; see that it is plugged in")
    return cv2.VideoCapture(str(path), cv2.CAP_V4L2)


def names_device(text: str) -> bool:
    """Return True if a text names a webcam's device, present or not.

    A path below ``/dev/shm`` does not: it names a recording, like other files and folders.
    """
    path = Path(text)
    return text.startswith("/dev/") and not (path.is_file() or path.is_dir())


def _path(device: int | Path) -> Path:
    return Path(f"/dev/video{device}") if isinstance(device, int) else device


def stamp_ns(driver_ms: float, before_ns: int) -> int:
    """Return the driver's stamp (ms of ``CLOCK_MONOTONIC``) if plausible, else ``before_ns``."""
    driver_ns = round(driver_ms * 1e6)
    now_ns = time.monotonic_ns()
    return driver_ns if now_ns - _DRIVER_LATE_NS < driver_ns <= now_ns else before_ns
