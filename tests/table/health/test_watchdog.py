"""When the watchdog is fed, and when not: by the pulses, and through a manager's own socket."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time

import numpy as np
import pytest

from sensors.errors import SensorError
from sensors.interfaces import Frame
from table import device_reader, live, real_devices
from table.build import build_table
from table.config import Buttons, Camera, Serve, TableConfig
from table.health import systemd, watchdog
from table.health.systemd import Notify
from table.health.watchdog import GONE_S, HUNG_S, DeviceWatchdog, Heartbeat
from tests.machine import PATIENCE_S, until


class Clock:
    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def camera(clock: Clock) -> Heartbeat:
    return Heartbeat("camera", steady=True, clock=clock)


def buttons(clock: Clock) -> Heartbeat:
    return Heartbeat("buttons", steady=False, clock=clock)


def test_a_camera_that_stalls_is_given_time_to_come_back(clock):
    pulse = camera(clock)
    pulse.tried()
    pulse.opened()
    pulse.heard()
    clock.s += GONE_S
    assert pulse.trouble() is None
    clock.s += 0.1
    assert pulse.trouble() == "the camera cannot be opened again"
    pulse.heard()
    assert pulse.trouble() is None


def test_trying_again_does_not_feed(clock):
    pulse = camera(clock)
    pulse.tried()
    pulse.opened()
    pulse.heard()
    for _ in range(6):
        clock.s += 4
        pulse.failed()
        pulse.tried()
        pulse.opened()
    assert pulse.trouble() == "the camera cannot be opened again"


def test_a_camera_that_never_worked_in_this_process_starves_nobody(clock):
    pulse = camera(clock)
    for _ in range(100):
        pulse.tried()
        pulse.failed()
        clock.s += 8
        assert pulse.trouble() is None


@pytest.mark.parametrize("make", [camera, buttons])
def test_a_driver_that_hangs_in_opening_wants_a_fresh_process(clock, make):
    pulse = make(clock)
    pulse.tried()
    clock.s += HUNG_S + 1
    assert pulse.trouble() == f"the driver of the {pulse.name} hangs"


def test_a_camera_that_hangs_before_its_first_picture_wants_one_too(clock):
    pulse = camera(clock)
    pulse.tried()
    pulse.opened()
    clock.s += HUNG_S + 1
    assert pulse.trouble() == "the driver of the camera hangs"


def test_buttons_may_be_silent_for_hours(clock):
    pulse = buttons(clock)
    pulse.tried()
    pulse.opened()
    clock.s += 4 * 3600
    assert pulse.trouble() is None
    pulse.failed()
    clock.s += GONE_S - 1
    pulse.tried()
    pulse.failed()
    assert pulse.trouble() is None
    clock.s += 2
    assert pulse.trouble() == "the buttons cannot be opened again"


def test_any_of_them_is_enough(clock):
    eye, hands = camera(clock), buttons(clock)
    for pulse in (eye, hands):
        pulse.tried()
        pulse.opened()
    eye.heard()
    both = DeviceWatchdog(eye, hands)
    assert both.trouble() is None
    clock.s += GONE_S + 1
    assert both.trouble() == eye.trouble()


class Manager:
    """systemd's end of the socket."""

    def __init__(self, path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(0.02)
        self.got: list[str] = []

    def hear(self) -> list[str]:
        """What has come since the last time."""
        state_change = []
        with contextlib.suppress(TimeoutError):
            while True:
                state_change.append(self._socket.recv(4096).decode())
        self.got += state_change
        return state_change

    def wait_for(self, what: str, seconds: float = PATIENCE_S) -> None:
        until = time.monotonic() + seconds
        while not any(line.startswith(what) for line in self.hear()):
            assert time.monotonic() < until, f"no {what} in {self.got[-5:]}"

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path, monkeypatch):
    # A socket's name has at most 107 bytes, and a folder for temporary files may have more.
    monkeypatch.chdir(tmp_path)
    one = Manager("notify")
    monkeypatch.setenv("NOTIFY_SOCKET", "notify")
    yield one
    one.close()


def test_a_manager_is_fed_once_a_second_at_most(manager, clock):
    tell = Notify(clock)
    for _ in range(10):
        tell.alive()
        clock.s += 0.25
    assert manager.hear() == ["WATCHDOG=1"] * 3


def test_a_status_is_sent_when_it_changes_and_is_one_line(manager):
    tell = Notify()
    for text in ("running: Ann 20", "running:\nAnn 20", "ended"):
        tell.status(text)
    assert manager.hear() == ["STATUS=running: Ann 20", "STATUS=ended"]


def test_an_abstract_socket_and_one_that_nobody_reads(monkeypatch):
    name = f"tilewatch-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        tell = Notify()
        tell.ready()
        assert end.recv(100) == b"READY=1"
        for number in range(5000):  # more than the socket's buffer takes
            tell.status(str(number))
    tell.ready()  # nobody there any more


class Stalling:
    """A camera of noise that stalls when told to, and then cannot be opened for as long."""

    well = threading.Event()

    def __init__(self) -> None:
        if not self.well.is_set():
            raise SensorError("no camera at /dev/video0; plug it in")

    def frames(self):
        rng = np.random.default_rng(1)
        seq = 0
        while self.well.is_set():
            yield Frame(
                rng.integers(90, 110, (120, 160, 3), dtype=np.uint8), time.monotonic_ns(), seq
            )
            seq += 1
            time.sleep(0.02)
        raise SensorError("webcam 0: no picture for 1.8 s; check its cable")

    def close(self) -> None:
        pass


class Silent:
    def __init__(self) -> None:
        self._closed = threading.Event()

    def presses(self):
        self._closed.wait(60)
        yield from ()

    def close(self) -> None:
        self._closed.set()


def test_a_running_table_feeds_its_watchdog_only_while_its_camera_lives(
    manager, tmp_path, monkeypatch
):
    tables = []

    def known(*args):
        tables.append(build_table(*args))
        return tables[-1]

    monkeypatch.setattr(live, "build_table", known)
    monkeypatch.setattr(real_devices, "open_camera", lambda *_: Stalling())
    monkeypatch.setattr(real_devices, "open_buttons", lambda *_: Silent())
    monkeypatch.setattr(device_reader, "PATIENCE_S", (0.01,))
    monkeypatch.setattr(systemd, "_EVERY_S", 0.01)
    monkeypatch.setattr(watchdog, "GONE_S", 0.5)
    Stalling.well.set()
    config = TableConfig(
        camera=Camera(kind="webcam"),
        buttons=Buttons(kind="gpio"),
        serve=Serve(on=False),
        data=tmp_path / "data",
    )
    output: list[str] = []
    table = threading.Thread(target=live.run_table, args=(config, None, output.append))
    table.start()
    try:
        until(lambda: tables)
        manager.wait_for("READY=1")
        manager.wait_for("WATCHDOG=1")
        Stalling.well.clear()
        manager.wait_for("STATUS=the camera cannot")
        manager.hear()
        time.sleep(0.7)  # the loop goes round twice a second with nothing coming in
        assert "WATCHDOG=1" not in manager.hear()
        assert any("watchdog" in line for line in output)
        Stalling.well.set()
        manager.wait_for("WATCHDOG=1")
    finally:
        for one in tables:
            one.stop.set()
        table.join(PATIENCE_S)
    assert not table.is_alive()
    manager.wait_for("STOPPING=1")
