"""Locks a webcam's exposure, white balance and focus once its automatics have settled.

A picture that changes by itself looks like motion, and a lens that hunts reads nothing. What the
automatics have reached is read, set by hand, and read again. Some webcams do not tell what their
automatics have reached: then the picture becomes brighter or darker by the locking, and the
exposure is given back to the automatic.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

import numpy as np

from sensors.interfaces import Image
from sensors.v4l2 import APERTURE_PRIORITY, MANUAL_EXPOSURE, CameraControls, ControlName

_LOG = logging.getLogger(__name__)

SETTLING_S: Final = 3.0
"""For how long the automatics are left alone."""
CHECKED_S: Final = 1.0
"""The time from locking until the picture is compared: a few frames are under way."""
CHANGED: Final = 0.25
"""A change of the picture's brightness by this much means that the exposure was not kept."""

POWER_LINE: Final = {"off": 0, "50": 1, "60": 2}


@dataclass(frozen=True, slots=True)
class LockedWebcam:
    """What a webcam is locked to; None where it has no such control, or could not be locked."""

    exposure_us: float | None = None
    gain: float | None = None
    white_balance: float | None = None
    focus: float | None = None

    def options(self) -> dict[str, float]:
        """Return it as ``[camera]`` takes it."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: float(value) for name, value in values.items() if value is not None}


_LOCKS: Final[tuple[tuple[str, ControlName, ControlName, int, float], ...]] = (
    ("exposure_us", "auto_exposure", "exposure", MANUAL_EXPOSURE, 100.0),
    ("gain", "auto_gain", "gain", 0, 1.0),
    ("white_balance", "auto_white_balance", "white_balance", 0, 1.0),
    ("focus", "auto_focus", "focus", 0, 1.0),
)
"""The option, its automatic, its value, what switches the automatic off, and the option's unit."""


class WebcamLock:
    """Settles and locks one webcam. Feed it every picture; for the thread that reads the camera.

    Args:
        controls: the camera's.
        given: what the configuration or the calibration says; it is set from the start.
        power_line: ``"50"``, ``"60"`` or ``"off"``; None leaves it as it is.
        now_ns: the time, in ns.
        lock: False leaves all to the automatics.
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
        """What could not be set, in words."""
        self.locked: LockedWebcam | None = None
        """What it is locked to; None while it settles."""
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
        """Take the next picture; lock when it is time, and check afterwards that it was kept."""
        if self.settling and now_ns - self._began_ns >= SETTLING_S * 1e9:
            self._before, self._locked_ns = brightness(image), now_ns
            self.locked = self._set(self._reached())
        elif self._before is not None and now_ns - self._locked_ns >= CHECKED_S * 1e9:
            after, self._before = brightness(image) / max(self._before, 1.0), None
            if not 1 - CHANGED < after < 1 + CHANGED:
                self._give_back()

    def _automatic(self) -> None:
        """Switch on what a program before may have switched off."""
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
        """Set by hand, verify, and return what was set."""
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
