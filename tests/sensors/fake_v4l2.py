"""A stand-in for the kernel's Video4Linux, below linuxpy: files in a folder answer to ioctl.

It holds to the rules that matter here: a control that an automatic has is inactive and cannot be
set, values outside a control's range or its menu are refused, and ends of lists are EINVAL.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linuxpy.video import raw

from sensors.v4l2 import CONTROLS

ID = CONTROLS
_AUTOMATIC = {
    ID["exposure"]: (ID["auto_exposure"], 1),
    ID["gain"]: (ID["auto_gain"], 0),
    ID["white_balance"]: (ID["auto_white_balance"], 0),
    ID["focus"]: (ID["auto_focus"], 0),
}
"""What has a control, and the value of that which sets it free."""


@dataclass
class FakeControl:
    least: int
    most: int
    value: int
    step: int = 1
    menu: tuple[int, ...] = ()


def usual_controls() -> dict[int, FakeControl]:
    """Those of a common webcam (Logitech C920), with what its automatics have reached."""
    return {
        ID["power_line"]: FakeControl(0, 2, 2, menu=(0, 1, 2)),
        ID["auto_exposure"]: FakeControl(0, 3, 3, menu=(1, 3)),
        ID["exposure"]: FakeControl(3, 2047, 333),
        ID["steady_rate"]: FakeControl(0, 1, 1),
        ID["gain"]: FakeControl(0, 255, 64),
        ID["auto_white_balance"]: FakeControl(0, 1, 1),
        ID["white_balance"]: FakeControl(2000, 6500, 4200),
        ID["auto_focus"]: FakeControl(0, 1, 1),
        ID["focus"]: FakeControl(0, 250, 35, step=5),
    }


@dataclass
class FakeWebcam:
    """A webcam's node. ``modes``: by format, sizes with their rates."""

    name: str = "HD Pro Webcam C920"
    bus: str = "usb-0000:01:00.0-1.2"
    capture: bool = True
    modes: dict[str, dict[tuple[int, int], tuple[int, ...]]] = field(
        default_factory=lambda: {
            "YUYV": {(640, 480): (30,), (1920, 1080): (5,), (2304, 1536): (2,)},
            "MJPG": {(640, 480): (30, 15), (1280, 720): (30, 15), (1920, 1080): (30, 15, 5)},
        }
    )
    controls: dict[int, FakeControl] = field(default_factory=usual_controls)

    def ioctl(self, request: int, arg: Any) -> None:
        name = raw.IOC(request).name
        getattr(self, f"_{name.lower()}")(arg)

    def _querycap(self, arg: Any) -> None:
        arg.card, arg.bus_info = self.name.encode(), self.bus.encode()
        able = raw.Capability.VIDEO_CAPTURE if self.capture else raw.Capability.META_CAPTURE
        arg.capabilities = raw.Capability.VIDEO_CAPTURE | raw.Capability.DEVICE_CAPS
        arg.device_caps = able

    def _enum_fmt(self, arg: Any) -> None:
        name = _at(list(self.modes), arg.index)
        arg.pixelformat = int.from_bytes(name.encode(), "little")

    def _sizes(self, number: int) -> dict[tuple[int, int], tuple[int, ...]]:
        return self.modes[int(number).to_bytes(4, "little").decode()]

    def _enum_framesizes(self, arg: Any) -> None:
        arg.type = 1
        arg.m1.discrete.width, arg.m1.discrete.height = _at(
            list(self._sizes(arg.pixel_format)), arg.index
        )

    def _enum_frameintervals(self, arg: Any) -> None:
        rates = self._sizes(arg.pixel_format)[arg.width, arg.height]
        arg.type = 1
        arg.m1.discrete.numerator, arg.m1.discrete.denominator = 1, _at(list(rates), arg.index)

    def _query_ext_ctrl(self, arg: Any) -> None:
        after = arg.id & 0x0FFFFFFF
        number = min((one for one in self.controls if one > after), default=None)
        if number is None:
            raise OSError(errno.EINVAL, "Invalid argument")
        control = self.controls[number]
        arg.id, arg.minimum, arg.maximum = number, control.least, control.most
        arg.step, arg.default_value = control.step, control.least
        arg.flags = 0 if self._free(number) else int(raw.ControlFlag.INACTIVE)

    def _free(self, number: int) -> bool:
        automatic, manual = _AUTOMATIC.get(number, (None, 0))
        return automatic not in self.controls or self.controls[automatic].value == manual

    def _g_ctrl(self, arg: Any) -> None:
        arg.value = self._known(arg.id).value

    def _s_ctrl(self, arg: Any) -> None:
        control = self._known(arg.id)
        if not self._free(arg.id):
            raise OSError(errno.EACCES, "Permission denied")
        if not control.least <= arg.value <= control.most:
            raise OSError(errno.ERANGE, "Numerical result out of range")
        if control.menu and arg.value not in control.menu:
            raise OSError(errno.EINVAL, "Invalid argument")
        self.written(arg.id, arg.value)

    def written(self, number: int, value: int) -> None:
        """What a write does; a test may have a camera that does not hold to it."""
        self.controls[number].value = value

    def _known(self, number: int) -> FakeControl:
        if number not in self.controls:
            raise OSError(errno.EINVAL, "Invalid argument")
        return self.controls[number]


class FakeKernel:
    """The devices below a folder. Install it in place of ``linuxpy.ioctl.fcntl``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.devices: dict[str, FakeWebcam] = {}

    def plug(self, number: int, webcam: FakeWebcam, link: str = "") -> Path:
        """Plug a webcam in; ``link`` is its name in ``v4l/by-id``."""
        path = self.root / f"video{number}"
        path.touch()
        self.devices[str(path)] = webcam
        for folder, name in (("by-id", link), ("by-path", f"pci-{webcam.bus}-index{number}")):
            if name:
                (self.root / "v4l" / folder).mkdir(parents=True, exist_ok=True)
                (self.root / "v4l" / folder / name).symlink_to(path)
        return path

    def ioctl(self, fd: int, request: int, *args: Any) -> int:
        path = str(Path(f"/proc/self/fd/{fd}").readlink())
        if path not in self.devices:
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")
        self.devices[path].ioctl(int(request), *args)
        return 0


def _at(items: list[Any], index: int) -> Any:
    if index >= len(items):
        raise OSError(errno.EINVAL, "Invalid argument")
    return items[index]
