"""Reads a device into a table's inbox, and opens it again when it fails, ever more patiently."""

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

GOOD_S: Final = 10.0
"""A device that has worked for so long is trusted again; one that flaps stays suspect."""


class DeviceHandle:
    """The device that is open now, to be closed from another thread. Thread-safe."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._device: Camera | Buttons | None = None
        self._closed = False

    def keep(self, device: Camera | Buttons) -> None:
        """This one is open; it is closed at once if nothing should be open any more."""
        with self._changing:
            self._device = device
            closed = self._closed
        if closed:
            device.close()

    @property
    def device(self) -> Camera | Buttons | None:
        """The one that was opened last."""
        with self._changing:
            return self._device

    def close(self) -> None:
        """Close it, and whatever is opened later: whoever waits for it waits no more."""
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
) -> None:
    """Read a device until ``stop``.

    ``failed`` is told one line each time that it fails, and None each time that it was opened.
    ``hold`` gets each device that was opened, to close it once ``stop`` is set.
    """
    failures = 0
    before = ""
    while not stop.is_set():
        first_s: float | None = None
        try:
            pulse.tried()
            device = opened()
            if hold is not None:
                hold.keep(device)
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
            patience = PATIENCE_S[min(failures, len(PATIENCE_S) - 1)]
            own = isinstance(error, TilewatchError)
            said = str(error) if own else f"{pulse.name}: {type(error).__name__}: {error}"
            if said != before or failures < len(PATIENCE_S):  # a night without one fills no disk
                _LOG.warning("%s; tried again in %.1f s", said, patience)
            before = said
            failed(said)
            failures += 1
            stop.wait(patience)
