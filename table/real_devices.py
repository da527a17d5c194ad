"""Feeds a running table from its camera and its clock buttons, each read by a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from game.events import SIDES, TroubleNoted
from game.troubles import TroubleCode, make_trouble, trouble_over
from sensors.interfaces import Buttons, Camera, Frame, Press
from table.device_reader import AT_ONCE_S, DeviceHandle, read_forever
from table.devices import open_buttons, open_camera
from table.health.watchdog import Heartbeat, first_trouble
from table.running import RunningTable
from table.setup.capture import settings_of


@dataclass(frozen=True)
class _Device:
    """A device of a table: how it is opened, and what tells that it is alive."""

    opened: Callable[[], Camera | Buttons]
    pulse: Heartbeat
    lost: TroubleCode
    patience_s: tuple[float, ...] | None = None
    handle: DeviceHandle = field(default_factory=DeviceHandle)


def run_real(table: RunningTable) -> None:
    """Run a table on its devices until it is stopped."""
    stack = table.resources.stack
    if hint := table.resources.config.buttons.entry.hint:
        table.resources.say(hint)
    devices = _devices(table)
    for device in devices:
        stack.callback(device.handle.close)
    if table.calibration is not None:
        camera = devices[0].handle
        table.calibration.settings = lambda: settings_of(cast("Camera | None", camera.device))
    stack.callback(table.stop.set)
    threads = [_reader(table, device) for device in devices]
    for thread in threads:
        thread.start()
    stack.callback(table.notify.stopping)
    table.notify.ready()
    _loop(table, [device.pulse for device in devices], threads)


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


def _devices(table: RunningTable) -> list[_Device]:
    """Return the camera and, unless they are on a page, the clock buttons."""
    config = table.resources.config
    put = partial(_put, table)
    health = config.camera.entry.health()

    def camera() -> Camera:
        bench = table.calibration
        locked = bench.calibrated.locked(config.camera) if bench else config.camera
        return open_camera(locked, put, table.phone, health)

    patience_s = AT_ONCE_S if config.camera.entry.on_page else None
    # A phone that sleeps is no reason to restart the table.
    pulse = Heartbeat("camera", steady=not config.camera.entry.on_page)
    devices = [_Device(camera, pulse, "camera_lost", patience_s)]
    if config.buttons.entry.driver is not None:
        buttons = partial(open_buttons, config.buttons, put, table.resources.folder)
        devices.append(_Device(buttons, Heartbeat("buttons", steady=False), "buttons_lost"))
    return devices


def _reader(table: RunningTable, device: _Device) -> threading.Thread:
    return threading.Thread(
        target=read_forever,
        args=(
            device.opened,
            partial(_put, table),
            table.stop,
            device.pulse,
            partial(_failed, table, device.lost),
        ),
        kwargs={"hold": device.handle, "patience_s": device.patience_s},
        name=device.pulse.name,
        daemon=True,
    )


def _put(table: RunningTable, item: Frame | Press | TroubleNoted) -> None:
    """Put an item into the table's inbox, with its time on the table's base."""
    item = replace(item, t_ns=table.time.base.of(item.t_ns))
    table.inbox.put(table.straightened(item) if isinstance(item, Frame) else item)


def _failed(table: RunningTable, code: TroubleCode, why: str | None) -> None:
    """Report that a device failed or, with None, was opened; a camera is well once it delivers."""
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
