"""The Raspberry Pi's camera through picamera2. Never run on hardware yet.

libcamera stamps a frame at the end of its exposure, by ``CLOCK_BOOTTIME``; the exposure time is
subtracted to get the start. ``CLOCK_BOOTTIME`` goes on while the machine sleeps;
``CLOCK_MONOTONIC``, which times button edges and everything else here, does not. Their difference
is zero until the machine first sleeps, and changes only then. The bytes of the format ``RGB888``
are blue, green, red.

Exposure, white balance and focus are automatic until they have settled, and are then locked: a
picture that changes by itself looks like motion. Calibrated values may be given instead.

By default libcamera serves a small picture from a sensor mode that sees the middle of the field
(1280×960 of a Camera Module 3: two thirds of it each way). So this module chooses the mode, and a
camera sees as much at every size.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from pydantic import Field, model_validator

from sensors.interfaces import Frame, Image, SensorError
from sensors.options import CameraOptions, FrameRate, Height, Positive, Width

_FORMAT: Final = "RGB888"
_BUFFERS: Final = 4
_SETTLING: Final = 30
"""Frames during which exposure, white balance and focus stay automatic."""
_SETTLING_AT_MOST: Final = 4
"""While the automatics still search, settling may take this many times ``_SETTLING`` frames."""
_CLOCK_TRIES: Final = 5


def _monotonic_ns() -> int:
    return time.monotonic_ns()


def _boottime_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def boottime_ahead_ns(
    monotonic_ns: Callable[[], int] = _monotonic_ns,
    boottime_ns: Callable[[], int] = _boottime_ns,
) -> int:
    """Return the lead of ``CLOCK_BOOTTIME`` over ``CLOCK_MONOTONIC``, in nanoseconds.

    The two clocks cannot be read at the same moment. So the boot time is read between two readings
    of the monotonic clock, several times, and the try whose two readings are closest is used.
    """
    tries = []
    for _ in range(_CLOCK_TRIES):
        before = monotonic_ns()
        boot = boottime_ns()
        after = monotonic_ns()
        tries.append((after - before, boot - (before + after) // 2))
    return min(tries)[1]


@dataclass(frozen=True, slots=True)
class LockedExposure:
    """A fixed exposure and white balance; ``lens`` in dioptres if the camera can focus."""

    exposure_us: int
    gain: float
    red: float
    blue: float
    lens: float | None = None

    @classmethod
    def settled(cls, metadata: Mapping[str, Any]) -> LockedExposure | None:
        """Return the values that the automatics chose, from a frame's metadata.

        None if the metadata lacks them: libcamera does not know a webcam's exposure, for example.
        """
        if not {"ExposureTime", "AnalogueGain", "ColourGains"} <= metadata.keys():
            return None
        red, blue = metadata["ColourGains"]
        return cls(
            exposure_us=int(metadata["ExposureTime"]),
            gain=float(metadata["AnalogueGain"]),
            red=float(red),
            blue=float(blue),
            lens=metadata.get("LensPosition"),
        )

    def options(self) -> dict[str, float]:
        """Return the values as options of ``[camera]``."""
        names = ("exposure_us", "gain", "red", "blue", "lens")
        values = {name: getattr(self, name) for name in names}
        return {name: float(value) for name, value in values.items() if value is not None}

    def controls(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values as libcamera controls, without those that this camera lacks."""
        wanted: dict[str, Any] = {
            "AeEnable": False,
            "ExposureTime": self.exposure_us,
            "AnalogueGain": self.gain,
            "AwbEnable": False,
            "ColourGains": (self.red, self.blue),
        }
        if self.lens is not None:
            wanted |= {"AfMode": 0, "LensPosition": self.lens}  # 0: manual
        return {name: value for name, value in wanted.items() if name in known}


class PiCameraOptions(CameraOptions):
    """``[camera]`` with ``kind = "pi"``. The last five lock the exposure from the start."""

    device: int = Field(
        default=0, ge=0, le=9, description="number of the camera in rpicam-hello --list-cameras"
    )
    width: Width = 1536
    height: Height = 1152
    fps: FrameRate = 12
    exposure_us: Positive | None = Field(default=None, description="exposure time in µs")
    gain: Positive | None = Field(default=None, description="analogue gain")
    red: Positive | None = Field(default=None, description="gain of red, for white balance")
    blue: Positive | None = Field(default=None, description="gain of blue, for white balance")
    lens: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="focus in dioptres: 1 ÷ the distance in metres",
    )

    @model_validator(mode="after")
    def _all_or_none(self) -> PiCameraOptions:
        exposure = ("exposure_us", "gain", "red", "blue")
        given = [name for name in (*exposure, "lens") if getattr(self, name) is not None]
        missing = [name for name in exposure if name not in given]
        if given and missing:
            raise ValueError(f"{given[0]} is given without {missing[0]}; give all or none")
        return self

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return f"pi camera {self.device}"

    @property
    def locked(self) -> LockedExposure | None:
        """The exposure to lock from the start; None: the one that the automatics settle on."""
        if not (self.exposure_us and self.gain and self.red and self.blue):
            return None
        return LockedExposure(int(self.exposure_us), self.gain, self.red, self.blue, self.lens)


class PiCamera:
    """A ``sensors.interfaces.Camera``. ``make`` gives a ``Picamera2`` for a camera's number."""

    def __init__(
        self,
        options: PiCameraOptions,
        *,
        make: Callable[[int], Any] | None = None,
        settling: int = _SETTLING,
        ahead_ns: Callable[[], int] = boottime_ahead_ns,
    ) -> None:
        self._name = options.name
        self._settling = settling
        self._ahead_ns = ahead_ns
        self._close = threading.Lock()
        self._closed = threading.Event()
        self.locked = options.locked
        """The locked exposure and white balance; None while they settle or if they are unknown."""
        self._settled = self.locked is not None
        try:
            self._camera = (make or _picamera2)(options.device)
        except SensorError:
            raise
        except Exception as error:
            raise SensorError(
                f"{self._name}: cannot be opened ({error or type(error).__name__}); check its "
                "ribbon cable, and that no other program uses it"
            ) from error
        try:
            self._start(options.width, options.height, options.fps)
        except Exception as error:
            self.close()
            raise SensorError(f"{self._name}: cannot be started ({error})") from error

    def _start(self, width: int, height: int, fps: int) -> None:
        known = self._camera.camera_controls
        frame_us = round(1e6 / fps)
        controls: dict[str, Any] = {}
        if "FrameDurationLimits" in known:
            controls["FrameDurationLimits"] = (frame_us, frame_us)
        if self.locked is not None:
            controls |= self.locked.controls(known)
        elif "AfMode" in known:
            controls["AfMode"] = 2  # continuous
        config = self._camera.create_video_configuration(
            main={"size": (width, height), "format": _FORMAT},
            raw={"size": whole_field(self._camera.sensor_resolution, (width, height))},
            buffer_count=_BUFFERS,
            queue=True,  # a frame that waited is recognised by its stamp
            controls=controls,
        )
        self._camera.configure(config)
        format_ = self._camera.camera_configuration()["main"]["format"]
        if format_ != _FORMAT:
            raise SensorError(
                f"its pictures have the format {format_}, not {_FORMAT}; "
                'if it is a webcam, use kind = "webcam" in [camera]'
            )
        self._camera.start()

    @property
    def settling(self) -> bool:
        """True while exposure, white balance and focus settle before they are locked."""
        return not self._settled

    def frames(self) -> Iterator[Frame]:
        """Yield frames until closed. Raises ``SensorError`` when the camera fails."""
        seq, latest = 0, -1
        while not self._closed.is_set():
            try:
                request = self._camera.capture_request()
                try:
                    image = np.ascontiguousarray(request.make_array("main"))
                    metadata = request.get_metadata()
                finally:
                    request.release()  # else the camera runs out of buffers
                self._lock(metadata, seq)
            except Exception as error:
                if self._closed.is_set():
                    return
                raise SensorError(f"{self._name}: failed ({error})") from error
            t_ns = exposed_ns(metadata, self._ahead_ns())
            if t_ns > latest:
                latest = t_ns
                yield Frame(cast("Image", image), t_ns, seq)
            seq += 1

    def _lock(self, metadata: Mapping[str, Any], seq: int) -> None:
        if self._settled or seq < self._settling:
            return
        if settling(metadata) and seq < self._settling * _SETTLING_AT_MOST:
            return
        self._settled, self.locked = True, LockedExposure.settled(metadata)
        if self.locked is not None:
            self._camera.set_controls(self.locked.controls(self._camera.camera_controls))

    def close(self) -> None:
        """Stop the camera and give it back."""
        with self._close:
            if self._closed.is_set():
                return
            self._closed.set()
        # A pending request is before the stop in picamera2's queue, and the next frame of a stalled
        # camera never comes. Versions before 0.3.21 cannot cancel it.
        cancel = getattr(self._camera, "cancel_all_and_flush", None)
        if cancel is not None:
            cancel()
        try:
            self._camera.stop()
        finally:
            self._camera.close()


def whole_field(sensor: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Return the size of the sensor mode that shows the whole field, for a picture of ``size``.

    It is half the sensor's resolution (two by two pixels binned) if that is large enough: every
    sensor of a Pi camera has that mode, and it is fast. Otherwise it is the full resolution.
    """
    width, height = (side // 4 * 2 for side in sensor)
    return (width, height) if size[0] <= width and size[1] <= height else sensor


def settling(metadata: Mapping[str, Any]) -> bool:
    """Return True if the automatics report that they still search for focus or exposure."""
    # 1: scanning, searching. Versions of libcamera before 0.5 say AeLocked in place of AeState.
    return 1 in (metadata.get("AfState"), metadata.get("AeState")) or (
        metadata.get("AeLocked") is False
    )


def exposed_ns(metadata: Mapping[str, Any], ahead_ns: int) -> int:
    """The start of a frame's exposure on ``CLOCK_MONOTONIC``.

    ``SensorTimestamp`` is in ns of ``CLOCK_BOOTTIME``, ``ExposureTime`` in µs; ``ahead_ns`` is the
    lead of ``CLOCK_BOOTTIME`` over ``CLOCK_MONOTONIC``.
    """
    stamp = metadata.get("SensorTimestamp")
    if stamp is None:
        return time.monotonic_ns()
    return int(stamp) - ahead_ns - int(metadata.get("ExposureTime", 0)) * 1000


def _picamera2(number: int) -> Any:
    try:
        from picamera2 import Picamera2  # noqa: PLC0415 - only there on a Pi
    except ImportError as error:
        raise SensorError(
            "pi camera: needs picamera2: sudo apt install python3-picamera2 on a Raspberry Pi, "
            "in an environment made with --system-site-packages"
        ) from error
    return Picamera2(number)
