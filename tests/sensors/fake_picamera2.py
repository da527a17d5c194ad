"""A stand-in for picamera2 that holds its caller to the rules of the real one.

It refuses calls in the wrong order, unknown controls, wrong value types and formats, and it runs
dry when requests are not released, as the real one does. It chooses a sensor mode as the real one
does, and stops only once whoever waits for a frame has it or knows that none comes.
``FakePicamera2.script`` can make it fail or hang in mid-stream, ``stall`` stop giving pictures.

``tests/sensors/test_picamera2.py`` holds it and the real one to the same rules.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_CONTROLS: Final[dict[str, type | tuple[type, ...]]] = {
    "AeEnable": bool,
    "ExposureTime": int,
    "AnalogueGain": float,
    "AwbEnable": bool,
    "ColourGains": tuple,
    "FrameDurationLimits": tuple,
    "AfMode": int,
    "LensPosition": float,
}

_OF_THE_SENSOR: Final = frozenset(_CONTROLS) - {"FrameDurationLimits"}
"""The controls of a camera whose sensor libcamera drives itself."""

MODES: Final[Mapping[tuple[int, int], tuple[int, int]]] = {
    (1536, 864): (3072, 1728),
    (2304, 1296): (4608, 2592),
    (4608, 2592): (4608, 2592),
}
"""The sensor modes of a Camera Module 3, and how much of its pixels each of them sees."""


class FakePicamera2:
    """The few calls of picamera2's ``Picamera2`` that a camera of ours makes."""

    def __init__(
        self,
        number: int = 0,
        *,
        focuses: bool = True,
        plain: bool = False,
        picture: Callable[[int, tuple[int, int]], NDArray[np.uint8]] | None = None,
        stamp_ns: Callable[[int], int] | None = None,
        script: Callable[[int], None] | None = None,
    ) -> None:
        """Open it. ``plain``: libcamera sets no exposure, gain or focus of it, and tells none."""
        if number:
            raise IndexError("list index out of range")
        self.number = number
        lacks = _OF_THE_SENSOR if plain else set() if focuses else {"AfMode", "LensPosition"}
        self.camera_controls = {name: (0, 1, 0) for name in _CONTROLS if name not in lacks}
        self.calls: list[str] = []
        self.config: dict[str, Any] | None = None
        self.sensor_resolution = (4608, 2592)
        self.mode: tuple[int, int] | None = None
        """The one of ``MODES`` that it is in, once configured."""
        self.controls: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        """The state of its automatics, for the metadata of the next frames."""
        self.running = False
        self.closed = False
        self.out = 0
        """Requests that were handed over and not released."""
        self.count = 0
        self._picture = picture or _noise
        self._stamp_ns = stamp_ns or (lambda _: time.clock_gettime_ns(time.CLOCK_BOOTTIME))
        self._script = script
        self._moves = threading.Condition()
        self._stalled = False
        self._waits = False
        """True if a caller waits for a frame."""
        self._cancelled = False

    def stall(self) -> None:
        """From now on no frame comes any more."""
        self._stalled = True

    def create_video_configuration(
        self,
        *,
        main: dict[str, Any],
        raw: dict[str, Any] | None = None,
        buffer_count: int,
        queue: bool,
        controls: dict[str, Any],
    ) -> dict[str, Any]:
        """A configuration; only formats that the stand-in can draw."""
        self._call("create_video_configuration")
        if main["format"] != "RGB888":
            raise ValueError(f"format {main['format']} is not blue, green, red in memory")
        width, height = main["size"]
        if width % 2 or height % 2:
            raise ValueError(f"bad size {width}×{height}")
        raw = {"size": main["size"]} | (raw or {})
        if any(side % 2 for side in raw["size"]):
            raise ValueError(f"bad raw size {raw['size']}")
        self._check(controls)
        return {
            "main": main,
            "raw": raw,
            "buffer_count": buffer_count,
            "queue": queue,
            "controls": controls,
        }

    def camera_configuration(self) -> dict[str, Any]:
        """Return the configuration that it has taken."""
        return self.config or {}

    def configure(self, config: dict[str, Any]) -> None:
        """Take a configuration, while stopped."""
        self._call("configure")
        if self.running:
            raise RuntimeError("Camera must be stopped before configuring")
        self.config = config
        self.mode = min(MODES, key=lambda mode: _unlike(config["raw"]["size"], mode))
        self.controls |= config["controls"]

    def start(self) -> None:
        """Start, once configured."""
        self._call("start")
        if self.config is None:
            raise RuntimeError("Camera has not been configured")
        self.running = True

    def set_controls(self, controls: dict[str, Any]) -> None:
        """Set controls that the camera has, with values of their types."""
        self._call("set_controls")
        self._check(controls)
        self.controls |= controls

    def capture_request(self) -> FakeRequest:
        """The next frame."""
        if not self.running or self.config is None:
            raise RuntimeError("Camera is not running")
        if self.out >= self.config["buffer_count"]:
            raise RuntimeError("no buffer is left: a request was not released")
        if self._script is not None:
            self._script(self.count)
        with self._moves:
            self._waits = True
            self._moves.wait_for(lambda: self._cancelled or not self._stalled)
            self._waits = False
            self._moves.notify_all()
            if self._cancelled:
                raise CancelledError
        self.out += 1
        request = FakeRequest(
            self,
            self._picture(self.count, self.config["main"]["size"]),
            {"SensorTimestamp": self._stamp_ns(self.count), **self._exposure(), **self.state},
        )
        self.count += 1
        return request

    def _exposure(self) -> dict[str, Any]:
        """Return what a frame's metadata tell of the sensor, if it is known."""
        usual = {
            "ExposureTime": 8000,
            "AnalogueGain": 2.5,
            "ColourGains": (1.5, 1.75),
            "LensPosition": 2.25,
        }
        if not _OF_THE_SENSOR & self.camera_controls.keys():
            return {}
        return {name: self.controls.get(name, value) for name, value in usual.items()}

    def cancel_all_and_flush(self) -> None:
        """Whoever waits for a frame waits no more."""
        with self._moves:
            self._cancelled = True
            self._moves.notify_all()

    def stop(self) -> None:
        """Stop, after those who wait for a frame: never, if the camera has stalled."""
        self._call("stop")
        with self._moves:
            self._moves.wait_for(lambda: not self._waits)
        self.running = False

    def close(self) -> None:
        """Give it back; again: nothing."""
        if self.closed:
            return
        self._call("close")
        self.closed = True

    def _call(self, name: str) -> None:
        if self.closed:
            raise RuntimeError(f"{name} on a closed camera")
        self.calls.append(name)

    def _check(self, controls: dict[str, Any]) -> None:
        for name, value in controls.items():
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
            if not isinstance(value, _CONTROLS[name]):
                raise TypeError(f"{name}: {value!r}")


class FakeRequest:
    """A frame that has to be released once."""

    def __init__(
        self, camera: FakePicamera2, image: NDArray[np.uint8], metadata: dict[str, Any]
    ) -> None:
        self._camera = camera
        self._image = image
        self._metadata = metadata
        self._released = False

    def make_array(self, name: str) -> NDArray[np.uint8]:
        """The picture, while the request is held."""
        if self._released or name != "main":
            raise RuntimeError(f"no picture {name!r} here")
        return self._image

    def get_metadata(self) -> dict[str, Any]:
        """Return the frame's metadata, while the request is held."""
        if self._released:
            raise RuntimeError("released")
        return self._metadata

    def release(self) -> None:
        """Give its buffer back."""
        if self._released:
            raise RuntimeError("released twice")
        self._released = True
        self._camera.out -= 1


def _unlike(wanted: tuple[int, int], mode: tuple[int, int]) -> float:
    """Return how badly a sensor mode fits the wanted size, as picamera2 and libcamera do."""

    def penalty(desired: float, actual: float) -> float:
        return (actual - desired) / 4 if actual > desired else (desired - actual) * 2

    sides = sum(penalty(w, m) for w, m in zip(wanted, mode, strict=True))
    return sides + 1500 * penalty(wanted[0] / wanted[1], mode[0] / mode[1])


def _noise(count: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    width, height = size
    rng = np.random.default_rng(count)
    return rng.integers(90, 110, (height, width, 3), dtype=np.uint8)
