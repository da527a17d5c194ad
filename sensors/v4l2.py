"""Webcams by Video4Linux: a list of them, their formats and sizes, and their controls.

Linux only, through linuxpy. OpenCV takes the pictures; a second handle on the device sets its
controls meanwhile. Never run on a camera yet: ``tests/sensors/fake_v4l2.py`` stands in for the
kernel, below linuxpy.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

_LOG = logging.getLogger(__name__)

DEVICES: Final = Path("/dev")

ControlName: TypeAlias = Literal[
    "power_line",
    "auto_exposure",
    "exposure",
    "auto_gain",
    "gain",
    "auto_white_balance",
    "white_balance",
    "auto_focus",
    "focus",
    "steady_rate",
]

CONTROLS: Final[Mapping[ControlName, int]] = {
    "power_line": 0x00980918,
    "auto_exposure": 0x009A0901,
    "exposure": 0x009A0902,  # in 100 µs
    "auto_gain": 0x00980912,
    "gain": 0x00980913,
    "auto_white_balance": 0x0098090C,
    "white_balance": 0x0098091A,  # in kelvin
    "auto_focus": 0x009A090C,
    "focus": 0x009A090A,
    "steady_rate": 0x009A0903,  # 0: the exposure never lowers the rate
}
"""The numbers of the controls in ``linux/v4l2-controls.h``."""

MANUAL_EXPOSURE: Final = 1
APERTURE_PRIORITY: Final = 3
"""The automatic exposure of most webcams: the aperture is fixed."""

_PREFERRED: Final = ("MJPG", "YUYV", "NV12", "UYVY", "YU12", "RGB3", "BGR3")
"""The formats that OpenCV reads, best first. MJPG leaves room on the bus for another camera."""


@dataclass(frozen=True, slots=True)
class VideoMode:
    """A format, a size in pixels and the most pictures a second; 0: the driver does not say."""

    format: str
    width: int
    height: int
    fps: float

    def __str__(self) -> str:
        rate = f" at {self.fps:g} a second" if self.fps else ""
        return f"{self.width}×{self.height} {self.format}{rate}"


@dataclass(frozen=True, slots=True)
class VideoDevice:
    """A camera that is plugged in.

    Attributes:
        path: ``/dev/video0``.
        stable: a path that stays the same when it is plugged in again or the machine restarts.
        name: the name that its maker gave it.
        bus: the kernel's name of the port that it is plugged into.
        modes: the formats, sizes and rates that it can deliver.
    """

    path: Path
    stable: Path
    name: str
    bus: str
    modes: tuple[VideoMode, ...]


@dataclass(frozen=True, slots=True)
class ControlRange:
    """The values that a control takes; ``writable`` is False while an automatic sets it."""

    least: int
    most: int
    step: int
    default: int
    writable: bool

    def nearest(self, value: float) -> int:
        """Return the settable value nearest to ``value``."""
        steps = round((min(max(value, self.least), self.most) - self.least) / max(self.step, 1))
        return min(self.least + steps * max(self.step, 1), self.most)


def video_devices(root: Path = DEVICES) -> list[VideoDevice]:
    """Return the cameras in a folder of devices, without those that cannot be queried."""
    found = []
    for path in sorted(root.glob("video*"), key=lambda path: (len(path.name), path.name)):
        try:
            device = _described(path, root)
        except OSError as error:
            _LOG.info("%s: cannot be queried (%s)", path, error.strerror)
            continue
        if device is not None:
            found.append(device)
    return found


def best_mode(modes: Iterable[VideoMode], width: int, height: int, fps: float) -> VideoMode | None:
    """Return the mode to use for a wanted size and rate; None if ``modes`` is empty.

    It is the smallest mode with at least that size and rate, and of equal ones the best format. If
    there is none, it is the largest mode with that rate, or else the largest of all, since the
    reader needs many pixels.
    """
    usable = [mode for mode in modes if mode.format in _PREFERRED]
    fast = [mode for mode in usable if mode.fps >= fps - 0.5 or not mode.fps]
    large = [mode for mode in fast if mode.width >= width and mode.height >= height]
    if large:
        return min(large, key=lambda m: (m.width * m.height, _PREFERRED.index(m.format), m.fps))
    if not usable:
        return None
    return max(
        fast or usable, key=lambda m: (m.width * m.height, -_PREFERRED.index(m.format), m.fps)
    )


class CameraControls:
    """The controls of an open camera. One that it lacks reads as None; setting it does nothing."""

    def __init__(self, path: Path) -> None:
        """Open the device. Raises ``OSError``."""
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def close(self) -> None:
        """Give the handle back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def ranges(self) -> dict[ControlName, ControlRange]:
        """Return the present range of each control; it changes as automatics are switched."""
        from linuxpy.video import device, raw  # noqa: PLC0415 - Linux only

        names = {number: name for name, number in CONTROLS.items()}
        unusable = raw.ControlFlag.INACTIVE | raw.ControlFlag.READ_ONLY | raw.ControlFlag.GRABBED
        return {
            names[one.id]: ControlRange(
                one.minimum, one.maximum, one.step, one.default_value, not one.flags & unusable
            )
            for one in device.iter_read_controls(self._fd)
            if one.id in names and not one.flags & raw.ControlFlag.DISABLED
        }

    def get(self, name: ControlName) -> int | None:
        """Return a control's value; None if the camera lacks the control or cannot read it."""
        from linuxpy.video import device  # noqa: PLC0415

        try:
            return int(device.get_control(self._fd, CONTROLS[name]))
        except OSError:
            return None

    def set(self, name: ControlName, value: float) -> bool:
        """Set a control to the nearest settable value; return True if reading it back agrees."""
        from linuxpy.video import device  # noqa: PLC0415

        known = self.ranges().get(name)
        if known is None or not known.writable:
            return False
        wanted = known.nearest(value)
        try:
            device.set_control(self._fd, CONTROLS[name], wanted)
        except OSError:
            return False
        return self.get(name) == wanted


def modes_of(path: Path) -> tuple[VideoMode, ...]:
    """Return the modes that a camera can deliver; an empty tuple if they are unknown."""
    if not sys.platform.startswith("linux"):
        return ()
    try:
        device = _described(path, DEVICES)
    except OSError:
        return ()
    return () if device is None else device.modes


def controls_of(path: Path) -> CameraControls | None:
    """Open a camera's controls; None if there are none, for example on systems other than Linux."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return CameraControls(path)
    except OSError:
        return None


@contextmanager
def _handle(path: Path) -> Iterator[int]:
    fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        yield fd
    finally:
        os.close(fd)


def _described(path: Path, root: Path) -> VideoDevice | None:
    """Return the camera at a path; None if it is none, such as a webcam's node for metadata."""
    from linuxpy.video import device, raw  # noqa: PLC0415

    with _handle(path) as fd:
        known = device.read_capabilities(fd)
        # What this node can do; older drivers only say what all of them can.
        able = known.device_caps or known.capabilities
        if not able & raw.Capability.VIDEO_CAPTURE:
            return None
        formats = device.iter_read_formats(fd, raw.BufType.VIDEO_CAPTURE)
        asked = [one.pixel_format for one in formats]
        modes = {
            VideoMode(_fourcc(int(one.pixel_format)), one.width, one.height, float(one.max_fps))
            for one in device.iter_read_pixel_formats_frame_intervals(fd, asked)
        }
        name, bus = (bytes(text).decode(errors="replace") for text in (known.card, known.bus_info))
    order = sorted(modes, key=lambda m: (-m.width * m.height, m.format, -m.fps))
    return VideoDevice(path, stable_path(path, root), name, bus, tuple(order))


def stable_path(path: Path, root: Path = DEVICES) -> Path:
    """Return a link to a device that stays the same: by name and serial number, or by port.

    Two webcams of the same make without serial numbers share a name, and only one of them gets the
    link by name.
    """
    for folder in ("by-id", "by-path"):
        for link in sorted((root / "v4l" / folder).glob("*")):
            if link.resolve() == path.resolve():
                return link
    return path


def _fourcc(number: int) -> str:
    return (number & 0x7FFFFFFF).to_bytes(4, "little").decode("ascii", "replace").strip()
