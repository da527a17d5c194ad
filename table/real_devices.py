"""Feeds a running table from its camera and its clock buttons, each read by a thread of its own.

A :class:`DeviceReader` hands on the frames or presses of its device. If the device fails, it is
opened again after ever longer pauses. The game goes on by the clock meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from game.errors import TilewatchError
from game.events import SIDES, Side, TroubleNoted
from game.troubles import TroubleCode, make_trouble, trouble_over
from sensors.interfaces import Buttons, Frame, Press, SensorError
from sensors.watched_camera import WatchedCamera
from table.devices import open_buttons, open_camera
from table.health.watchdog import Heartbeat, first_trouble
from table.running import RunningTable
from table.setup.capture import settings_of

_LOG = logging.getLogger(__name__)

PATIENCE_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""The pauses in seconds after successive failures."""

AT_ONCE_S: Final = (0.5,)
"""The pauses in seconds for a device that may be back at any moment: a phone's page."""

GOOD_S: Final = 10.0
"""After working for this long, a device that fails begins with the shortest pause again."""


class DeviceReader:
    """Reads one device until it is stopped. :meth:`close` may be called from another thread.

    Args:
        opened: opens the device.
        take: called with each picture and press, in the thread of the device or of ``run``.
        pulse: receives the signs of life.
        failed: called with one line whenever the device fails, and with None whenever it was
            opened.
        patience_s: the pauses in seconds after successive failures.
        clock: returns monotonic seconds.
    """

    def __init__(
        self,
        opened: Callable[[], WatchedCamera | Buttons],
        take: Callable[[Frame | Press], None],
        pulse: Heartbeat,
        failed: Callable[[str | None], None] = lambda _: None,
        *,
        patience_s: tuple[float, ...] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._opened, self._take, self.pulse, self._failed = opened, take, pulse, failed
        self._patience_s, self._clock = patience_s or PATIENCE_S, clock
        self._failures = 0
        self._first_s: float | None = None
        """When the open device first delivered; None before that."""
        self._reported = ""
        self._changing = threading.Lock()
        self._device: WatchedCamera | Buttons | None = None
        self._closed = False

    @property
    def device(self) -> WatchedCamera | Buttons | None:
        """The device that was opened last."""
        with self._changing:
            return self._device

    def run(self, stop: threading.Event) -> None:
        """Read the device until ``stop``."""
        while not stop.is_set():
            self._first_s = None
            try:
                self._read(stop)
                if stop.is_set():
                    return
                raise SensorError("the device has ended")
            except Exception as error:  # a driver has errors of its own; the table outlives them
                self.pulse.failed()
                if stop.is_set():
                    return
                stop.wait(self._report(error))

    def close(self) -> None:
        """Close the device, and any that is opened later."""
        with self._changing:
            self._closed, device = True, self._device
        if device is not None:
            device.close()

    def _read(self, stop: threading.Event) -> None:
        self.pulse.tried()
        device = self._opened()
        with self._changing:
            self._device, closed = device, self._closed
        if closed:
            device.close()
        self.pulse.opened()
        self._failed(None)
        if isinstance(device, Buttons):
            for press in device.presses():
                self._heard(press)
                if stop.is_set():
                    break
        else:
            self._deliver(device, stop)
        device.close()

    def _deliver(self, camera: WatchedCamera, stop: threading.Event) -> None:
        def take(frame: Frame) -> None:
            self._heard(frame)
            if stop.is_set():
                camera.close()

        camera.deliver(take)

    def _heard(self, item: Frame | Press) -> None:
        now_s = self._clock()
        self._first_s = now_s if self._first_s is None else self._first_s
        if now_s - self._first_s >= GOOD_S:
            self._failures = 0
        self.pulse.heard()
        self._take(item)

    def _report(self, error: Exception) -> float:
        """Report a failure; return the seconds to wait before the device is opened again."""
        pause_s = self._patience_s[min(self._failures, len(self._patience_s) - 1)]
        own = isinstance(error, TilewatchError)
        line = str(error) if own else f"{self.pulse.name}: {type(error).__name__}: {error}"
        if line != self._reported or self._failures < len(PATIENCE_S):
            # A long absence must not fill the disk.
            _LOG.warning("%s; tried again in %.1f s", line, pause_s)
        self._reported = line
        self._failed(line)
        self._failures += 1
        return pause_s


def run_real(table: RunningTable) -> None:
    """Run a table on its devices until it is stopped."""
    stack = table.resources.stack
    if hint := table.resources.config.buttons.entry.hint:
        table.resources.say(hint)
    readers = _readers(table)
    for reader in readers:
        stack.callback(reader.close)
    if table.calibration is not None:
        camera = readers[0]
        table.calibration.settings = lambda: settings_of(camera.device)
    stack.callback(table.stop.set)
    threads = [
        threading.Thread(target=one.run, args=(table.stop,), name=one.pulse.name, daemon=True)
        for one in readers
    ]
    for thread in threads:
        thread.start()
    stack.callback(table.notify.stopping)
    table.notify.ready()
    _loop(table, [reader.pulse for reader in readers], threads)


def _loop(table: RunningTable, pulses: list[Heartbeat], threads: list[threading.Thread]) -> None:
    starving = False
    table.camera.begin(table.now_ns())
    while not table.stop.is_set():
        item = table.inbox.get(0.5)
        now_ns = table.now_ns()
        table.check_watch()  # after the time was taken: what passed till then has been looked at
        if item is not None:
            table.take(item)
        elif table.inbox.quiet:
            table.check_time(now_ns)
        table.after_item()
        trouble = first_trouble(pulses)
        if trouble is None and all(thread.is_alive() for thread in threads):
            table.notify.alive()
        if trouble is not None and not starving:
            table.resources.say(
                f"{trouble}; systemd's watchdog, if there is one, restarts the table"
            )
        starving = trouble is not None
        table.notify.status(trouble or _status(table))


def _readers(table: RunningTable) -> list[DeviceReader]:
    """Return the readers of the camera and of the clock buttons, unless these are on a page."""
    config = table.resources.config
    entry, put = config.camera.entry, partial(_put, table)
    health = entry.health()

    def camera() -> WatchedCamera:
        bench = table.calibration
        locked = bench.calibrated.locked(config.camera) if bench else config.camera
        return open_camera(locked, put, table.phone, health)

    readers = [
        DeviceReader(
            camera,
            put,
            # A phone that sleeps is no reason to restart the table.
            Heartbeat("camera", steady=not entry.on_page),
            partial(_failed, table, "camera_lost"),
            patience_s=AT_ONCE_S if entry.on_page else None,
        )
    ]
    if config.buttons.entry.driver is not None:
        buttons = partial(open_buttons, config.buttons, put, table.resources.folder)
        pulse = Heartbeat("buttons", steady=False)
        readers.append(DeviceReader(buttons, put, pulse, partial(_failed, table, "buttons_lost")))
    return [*readers, *(_rack_reader(table, side) for side in table.rack_watches)]


def _rack_reader(table: RunningTable, side: Side) -> DeviceReader:
    """Return the reader of a rack's camera: its pictures are read in its thread."""
    camera, watch = table.resources.config.racks.cameras[side], table.rack_watches[side]
    working = threading.Event()

    def take(item: Frame | Press | TroubleNoted) -> None:
        if not isinstance(item, Frame):
            return
        if not working.is_set():
            working.set()
            _put(table, trouble_over("rack_camera_lost", time.monotonic_ns(), side))
        seen = watch.look(replace(item, t_ns=table.time.base.of(item.t_ns)))
        if seen is not None:
            table.rack_sightings.put(seen)
            table.inbox.wake()

    def failed(why: str | None) -> None:
        if why is not None:
            working.clear()
            _put(table, make_trouble("rack_camera_lost", why, time.monotonic_ns(), side))

    pulse = Heartbeat(f"camera of the {side} rack", steady=False)
    return DeviceReader(partial(open_camera, camera, take), take, pulse, failed)


def _put(table: RunningTable, item: Frame | Press | TroubleNoted) -> None:
    """Put an item into the table's inbox, with its time on the table's base."""
    item = replace(item, t_ns=table.time.base.of(item.t_ns))
    table.inbox.put(table.straightened(item) if isinstance(item, Frame) else item)


def _failed(table: RunningTable, code: TroubleCode, why: str | None) -> None:
    """Report that a device failed or, if ``why`` is None, that buttons were opened.

    A camera counts as working only once it delivers.
    """
    now_ns = time.monotonic_ns()
    if why is not None:
        _put(table, make_trouble(code, why, now_ns))
    elif code != "camera_lost":
        _put(table, trouble_over(code, now_ns))


def _status(table: RunningTable) -> str:
    state = table.session.state
    scores = ", ".join(f"{state.players[side]} {state.scores[side]}" for side in SIDES)
    troubles = (one.message for one in table.desk.trouble())
    return "; ".join((f"{table.session.phase}: {scores}", *troubles))
