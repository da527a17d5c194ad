"""Reads a device into a table's inbox, and opens it again when it fails, with back-off."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from game.errors import TilewatchError
from sensors.errors import SensorError
from sensors.interfaces import Buttons, Camera, Frame, Press
from table.health.watchdog import Heartbeat

_LOG = logging.getLogger(__name__)

PATIENCE_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0)

AT_ONCE_S: Final = (0.5,)
"""The delays for a device that may be back at any moment: a phone's page."""

GOOD_S: Final = 10.0
"""The back-off of a device that has worked for this long starts anew."""


class DeviceHandle:
    """The open device, to be closed from another thread. Thread-safe."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._device: Camera | Buttons | None = None
        self._closed = False

    def set(self, device: Camera | Buttons) -> None:
        """Take the device that was opened; close it at once if the handle is closed."""
        with self._changing:
            self._device = device
            closed = self._closed
        if closed:
            device.close()

    @property
    def device(self) -> Camera | Buttons | None:
        """The device that was opened last."""
        with self._changing:
            return self._device

    def close(self) -> None:
        """Close the device, and any that is opened later."""
        with self._changing:
            self._closed, device = True, self._device
        if device is not None:
            device.close()


def read_forever(
    opened: Callable[[], Camera | Buttons],
    put: Callable[[Frame | Press], None],
    stop: threading.Event,
    pulse: Heartbeat,
    failed: Callable[[str | None], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    hold: DeviceHandle | None = None,
    patience_s: tuple[float, ...] | None = None,
) -> None:
    """Read a device until ``stop``.

    ``failed`` is called with one line each time that the device fails, and with None each time that
    it was opened. ``hold`` gets each opened device, to close it once ``stop`` is set.
    ``patience_s`` are the pauses after failures in a row, if not the usual ones.
    """
    pauses_s = patience_s or PATIENCE_S
    failures = 0
    before = ""
    while not stop.is_set():
        first_s: float | None = None
        try:
            pulse.tried()
            device = opened()
            if hold is not None:
                hold.set(device)
            pulse.opened()
            failed(None)
            for item in device.frames() if isinstance(device, Camera) else device.presses():
                now_s = clock()
                first_s = now_s if first_s is None else first_s
                if now_s - first_s >= GOOD_S:
                    failures = 0
                pulse.heard()
                put(item)
                if stop.is_set():
                    break
            device.close()
            if stop.is_set():
                return
            raise SensorError("the device has ended")
        except Exception as error:  # a driver has errors of its own; the table must outlive them
            pulse.failed()
            if stop.is_set():
                return
            patience = pauses_s[min(failures, len(pauses_s) - 1)]
            own = isinstance(error, TilewatchError)
            line = str(error) if own else f"{pulse.name}: {type(error).__name__}: {error}"
            if line != before or failures < len(
                PATIENCE_S
            ):  # a long absence must not fill the disk
                _LOG.warning("%s; tried again in %.1f s", line, patience)
            before = line
            failed(line)
            failures += 1
            stop.wait(patience)
