"""Checks camera and clock buttons, as the configuration names them.

The camera must give enough pictures, with right stamps and a board in them. The buttons must be
readable, and none stuck. If a table is running, its desk is asked instead of its devices.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from game.errors import TilewatchError
from game.events import TroubleNoted
from sensors.drivers import CameraRemedies
from sensors.interfaces import Buttons, Frame, SensorError
from sensors.watched_camera import WatchedCamera, is_dark
from table import config as configured
from table.desk import Desk
from table.devices import open_buttons, open_camera
from table.doctor.check import Check, Figure, fine, wrong
from table.doctor.machine import Machine

if TYPE_CHECKING:
    from vision.reader import BoardReader
    from vision.rectify import Corners

PIXELS: Final = 40
"""The least width of a square: below 35 the reader begins to confuse letters."""
_STAMP_LATE_NS: Final = 1_500_000_000
"""A frame with an older stamp has a stamp of another clock, or the machine is overloaded."""
STALE_S: Final = 3.0
LOOK_S: Final = 5.0
"""The seconds for which pictures are taken: the Pi's automatics settle in 30 frames, a webcam's are
locked after three seconds and checked after four."""
ANSWER_S: Final = 20.0
IN_VIEW: Final = "lay the board in view, whole and with no hands over it, in even light"


@dataclass
class CameraSample:
    """The frames of a few seconds."""

    frames: int = 0
    first: Frame | None = None
    last: Frame | None = None
    late_ns: list[int] = field(default_factory=list)
    """The time from each frame's stamp to its arrival."""
    error: Exception | None = None
    faults: tuple[str, ...] = ()
    """The settings that the camera did not accept."""

    @property
    def rate(self) -> float | None:
        """Pictures a second; None if only one picture came."""
        if self.first is None or self.last is None or self.last.t_ns <= self.first.t_ns:
            return None
        return (self.frames - 1) / ((self.last.t_ns - self.first.t_ns) / 1e9)


def camera(
    config: configured.Camera,
    reader: Callable[[], BoardReader],
    running: bool,
    desk: Desk | None = None,
    opened: Callable[[configured.Camera], WatchedCamera] = open_camera,
    look_s: float = LOOK_S,
    answer_s: float = ANSWER_S,
) -> Iterator[Check]:
    """Check the configured camera, then the board in its last picture."""
    if config.entry.driver is None:
        yield fine("camera", f"{config.entry.title}, none is needed", kind=config.kind)
    elif running:
        yield from _running_camera(config, desk)
    else:
        looked = look(lambda: opened(config), look_s, answer_s)
        yield judged(looked, config)
        yield from locked(looked)
        yield from delay(config)
        if looked.last is not None:
            yield board(looked.last, reader, config.entry.remedies)


def look(opened: Callable[[], WatchedCamera], look_s: float, answer_s: float) -> CameraSample:
    """Open the camera and take pictures for ``look_s``, in a thread that may hang."""
    looked, over = CameraSample(), threading.Event()
    held: list[WatchedCamera] = []

    def take(frame: Frame) -> None:
        looked.late_ns.append(time.monotonic_ns() - frame.t_ns)
        looked.first = looked.first or frame
        looked.last = frame
        looked.frames += 1
        if over.is_set() or frame.t_ns - looked.first.t_ns > look_s * 1e9:
            held[0].close()

    def run() -> None:
        try:
            held.append(opened())
            held[0].deliver(take)
        except Exception as error:  # a driver has errors of its own
            looked.error = error

    thread = threading.Thread(target=run, name="doctor camera", daemon=True)
    thread.start()
    thread.join(answer_s)
    over.set()
    if thread.is_alive() and looked.error is None:
        looked.error = SensorError(f"the camera does not answer within {answer_s:.0f} s")
    if held:
        looked.faults = tuple(getattr(held[0].camera, "faults", ()))
        closing = threading.Thread(target=held[0].close, daemon=True)
        closing.start()
        closing.join(2.0)
    return looked


def judged(looked: CameraSample, config: configured.Camera) -> Check:
    """Return the check of a camera by a sample of its frames."""
    name, kind, remedies = "camera", config.kind, config.entry.remedies
    last, error = looked.last, looked.error
    if error is not None:
        says = (
            str(error) if isinstance(error, TilewatchError) else f"{type(error).__name__}: {error}"
        )
        return wrong(name, says.removesuffix(f"; {remedies.lost}"), remedies.lost, kind=kind)
    if last is None:
        return wrong(name, "opened, but it gives no picture", remedies.lost, kind=kind)
    height, width = last.image.shape[:2]
    rate, late = looked.rate, sorted(looked.late_ns)[len(looked.late_ns) // 2]
    figures = {
        "kind": kind,
        "width": width,
        "height": height,
        "per_second": None if rate is None else round(rate, 2),
        "late_ms": round(late / 1e6, 1),
    }
    says = f"{width}×{height}"
    own = config.options.own_rate()
    rate = own or rate
    if own == 0:
        says += ", one still picture and no video"
    else:
        says += f", {rate:.1f} pictures a second" if rate is not None else ", one picture"
    if is_dark(last.image):
        return wrong(name, f"{says}, all black", remedies.dark, **figures)
    if own == 0:
        return wrong(name, says, "name a video, or a folder of several pictures", **figures)
    if not 0 <= late < _STAMP_LATE_NS:
        return wrong(
            name,
            f"{says}, stamped {abs(late) / 1e9:.1f} s "
            + ("ago when they come" if late > 0 else "in the future"),
            remedies.late,
            **figures,
        )
    if rate is not None and rate < config.entry.least_rate:
        return wrong(name, f"only {says}", remedies.slow, **figures)
    stamped = config.entry.stamped
    return fine(name, f"{says}, each {late / 1e6:.0f} ms after {stamped}", **figures)


def delay(config: configured.Camera) -> Iterator[Check]:
    """Yield the check that a network camera's delay is known; nothing for other cameras."""
    if getattr(config.options, "delay_ms", 0) is None:
        yield wrong(
            "camera delay",
            "not known; a tile that is laid just before the clock is pressed may be missed",
            "measure it: tilewatch cameras --delay --config table.toml, and write delay_ms into "
            "[camera]",
        )


def locked(looked: CameraSample) -> Iterator[Check]:
    """Yield a failed check if some of a webcam's settings could not be locked; else nothing."""
    if looked.faults:
        yield wrong(
            "camera settings",
            "; ".join(looked.faults),
            "set it with the maker's own program and put lock = false into [camera], or use "
            "another webcam",
        )


def board(frame: Frame, reader: Callable[[], BoardReader], remedies: CameraRemedies) -> Check:
    """Check that a picture shows the board, and large enough."""
    from vision.errors import NoBoardFoundError  # noqa: PLC0415 - heavy

    height, width = frame.image.shape[:2]
    try:
        reading = reader().read(frame.image)
    except NoBoardFoundError as error:
        return wrong(
            "board",
            f"none found in the picture ({error})",
            IN_VIEW,
            width=width,
            height=height,
        )
    return sized(pixels_a_square(reading.corners), remedies)


def pixels_a_square(corners: Corners | tuple[tuple[float, float], ...]) -> float:
    """Return a square's width in pixels along the grid's shortest side, usually the far one."""
    sides = [
        ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    return float(min(sides)) / 15


def sized(pixels: float, remedies: CameraRemedies) -> Check:
    """Return the check that the squares are large enough to be read."""
    if pixels < PIXELS:
        return wrong(
            "board",
            f"{pixels:.0f} pixels a square, {PIXELS} are wanted",
            remedies.small.format(pixels / PIXELS),
            pixels_a_square=round(pixels, 1),
        )
    return fine("board", f"found, {pixels:.0f} pixels a square", pixels_a_square=round(pixels, 1))


def _running_camera(config: configured.Camera, desk: Desk | None) -> Iterator[Check]:
    if desk is None:
        yield fine("camera", "in use by the running table, not tested", kind=config.kind)
        return
    remedies = config.entry.remedies
    trouble = _trouble(desk, "camera_lost", "camera_dark", "camera_frozen", "camera_battery",
                       "camera_resized")  # fmt: skip
    picture = desk.picture()
    if trouble is not None:
        remedy: str = getattr(remedies, trouble.code.removeprefix("camera_"))
        yield wrong("camera", trouble.message, remedy, kind=config.kind)
    elif picture is None:
        yield wrong("camera", "no picture yet", remedies.lost, kind=config.kind)
    else:
        age_s = (desk.now_ns() - picture.frame.t_ns) / 1e9
        height, width = picture.frame.image.shape[:2]
        figures: dict[str, Figure] = {
            "kind": config.kind,
            "width": width,
            "height": height,
            "age_s": round(age_s, 2),
        }
        size = f"{width}×{height}"
        if age_s > STALE_S:
            says = f"{size}, the newest is {age_s:.0f} s old"
            yield wrong("camera", says, remedies.lost, **figures)
        else:
            yield fine("camera", f"{size}, watched by the running table", **figures)
    if picture is not None and picture.corners is None:
        yield wrong("board", "the running table has found none", IN_VIEW)
    elif picture is not None and picture.corners is not None:
        yield sized(pixels_a_square(picture.corners), remedies)


def _trouble(desk: Desk, *codes: str) -> TroubleNoted | None:
    """Return the first active trouble with one of these codes at a running table; None if none."""
    return next((one for one in desk.trouble() if one.code in codes), None)


LOOKS: Final = 50
"""The number of times each pin is read, ``EVERY_S`` apart: longer than any press by hand."""
EVERY_S: Final = 0.02


@runtime_checkable
class Pins(Protocol):
    """Buttons whose contacts can be read, such as ``sensors.gpio.GpioButtons``."""

    @property
    def pins(self) -> Mapping[str, int]:
        """The BCM number of each button's pin."""
        ...

    @property
    def exact(self) -> bool:
        """True if the kernel stamps the edges."""
        ...

    def closed(self) -> Mapping[str, bool]:
        """Return for each button whether it is held down."""
        ...


def buttons(
    machine: Machine,
    config: configured.Buttons,
    running: bool,
    desk: Desk | None = None,
    opened: Callable[[configured.Buttons], Buttons] = open_buttons,
) -> Check:
    """Check the configured buttons: open them briefly, or ask the running table's desk."""
    name, kind = "buttons", config.kind
    if config.entry.driver is None:
        return fine(name, f"{config.entry.title}, none are needed", kind=kind)
    if not running:
        return _opened(machine, config, opened)
    if desk is None:
        return fine(name, "in use by the running table, not tested", kind=kind)
    trouble, remedies = _trouble(desk, "buttons_lost", "button_stuck"), config.entry.remedies
    if trouble is None:
        return fine(name, "in use by the running table, which has no complaint", kind=kind)
    remedy = remedies.lost if trouble.code == "buttons_lost" else remedies.stuck
    return wrong(name, trouble.message, remedy, kind=kind)


def _opened(
    machine: Machine, config: configured.Buttons, opened: Callable[[configured.Buttons], Buttons]
) -> Check:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gpiozero's, of each library that it goes without
        try:
            device = opened(config)
        except TilewatchError as error:
            remedy = config.entry.diagnose(machine.root) or config.entry.remedies.lost
            return wrong("buttons", str(error), remedy, kind=config.kind)
    try:
        if isinstance(device, Pins):
            return _pins(machine, device, config.entry.remedies.stuck)
        return fine("buttons", config.entry.title, kind=config.kind)
    finally:
        device.close()


def _pins(machine: Machine, pins: Pins, wires: str) -> Check:
    held = dict.fromkeys(pins.pins, 0)
    for look in range(LOOKS):
        if look:
            machine.sleep(EVERY_S)
        for name, closed in pins.closed().items():
            held[name] += closed
    wired = ", ".join(f"{name} at GPIO {number}" for name, number in pins.pins.items())
    stuck = [name for name, count in held.items() if count == LOOKS]
    figures = {f"{name}_closed": count / LOOKS for name, count in held.items()}
    if stuck:
        return wrong(
            "buttons",
            f"{' and '.join(stuck)} closed for the whole {LOOKS * EVERY_S:.0f} s ({wired})",
            f"if nobody holds it, {wires}",
            **figures,
        )
    if not pins.exact:
        return wrong(
            "buttons",
            f"{wired}, but their edges are not stamped by the kernel",
            "sudo apt install python3-lgpio (or pip install lgpio), so that gpiozero uses it",
            **figures,
        )
    pressed = [name for name, count in held.items() if count]
    says = f"; {' and '.join(pressed)} pressed just now" if pressed else ", all open"
    return fine("buttons", wired + says, **figures)
