"""Opens a camera by its kind, watched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sensors.camera_health import CameraStatusChange
from sensors.errors import SensorError
from sensors.interfaces import Camera
from sensors.picamera import LockedExposure, PiCamera
from sensors.watched_camera import WatchedCamera
from sensors.webcam import Webcam

_NUMBERS: Final = {"width": (320, 8192), "height": (240, 8192), "fps": (1, 60)}
_LOCK: Final = ("exposure_us", "gain", "red", "blue")

OPTIONS: Final = frozenset({"device", *_NUMBERS, *_LOCK, "lens"})
"""What may be said of a camera; the last five are for the Pi's alone."""


def open_camera(
    kind: str, options: Mapping[str, Any], said: Callable[[CameraStatusChange], None] | None = None
) -> Camera:
    """The camera of ``kind`` ("webcam" or "pi"), opened. Raises ``SensorError`` with one line.

    ``said`` is told whenever what it sees turns dark, freezes, changes its size, or is well again.
    """
    found = check(kind, options)
    if kind == "webcam":
        return WatchedCamera(
            Webcam(found.device, **found.size), name=f"webcam {found.device}", said=said
        )
    assert isinstance(found.device, int)
    return WatchedCamera(
        PiCamera(found.device, locked=found.locked, **found.size),
        name=f"pi camera {found.device}",
        said=said,
    )


@dataclass(frozen=True)
class CameraOptions:
    """What a camera's options say."""

    device: int | str
    size: Mapping[str, Any]
    locked: LockedExposure | None


def check(kind: str, options: Mapping[str, Any]) -> CameraOptions:
    """See that the options can be meant, before any camera. Raises ``SensorError``."""
    if kind not in {"pi", "webcam"}:
        raise SensorError(f"camera: unknown kind {kind!r}; known are pi, webcam")
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise SensorError(
            f"camera: unknown option {unknown[0]!r}; known are {', '.join(sorted(OPTIONS))}"
        )
    size: dict[str, Any] = {}
    for name, (least, most) in _NUMBERS.items():
        if name in options:
            value = options[name]
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise SensorError(f"camera: {name} must be a whole number from {least} to {most}")
            size[name] = value
    device = options.get("device", 0)
    if isinstance(device, bool) or not isinstance(device, int | str):
        raise SensorError("camera: device must be a number or a path like /dev/video0")
    if kind == "pi" and not isinstance(device, int):
        raise SensorError("camera: a pi camera's device is a number, 0 or 1")
    return CameraOptions(device, size, _locked(options) if kind == "pi" else None)


def _locked(options: Mapping[str, Any]) -> LockedExposure | None:
    given = [name for name in (*_LOCK, "lens") if name in options]
    if not given:
        return None
    missing = [name for name in _LOCK if name not in options]
    if missing:
        raise SensorError(f"camera: {given[0]} is given without {missing[0]}; give all or none")
    for name in given:
        value = options[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise SensorError(f"camera: {name} must be a number, 0 or more")
        if name != "lens" and value == 0:  # which means to the camera: choose it yourself
            raise SensorError(f"camera: {name} must be more than 0; give none to have it chosen")
    lens = options.get("lens")
    return LockedExposure(
        int(options["exposure_us"]),
        float(options["gain"]),
        float(options["red"]),
        float(options["blue"]),
        None if lens is None else float(lens),
    )
