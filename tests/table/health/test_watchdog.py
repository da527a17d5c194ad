"""When the watchdog is fed, and when not: by the pulses, and through a manager's own socket."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time

import numpy as np
import pytest

from sensors.drivers import CAMERAS
from sensors.interfaces import Frame, SensorError
from table import live, real_devices
from table.config import Buttons, Camera, Serve, TableConfig
from table.health import watchdog
from table.health.watchdog import GONE_S, HUNG_S, Heartbeat, Notify, first_trouble
from tests.machine import PATIENCE_S, until


class Clock:
    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def clock() -> Clock:
    return Clock()


GONE, HANGS = "the {} cannot be opened again", "the driver of the {} hangs"


@pytest.mark.parametrize(
    ("device", "life", "trouble"),
    [
        ("camera", ["tried", "opened", "heard", GONE_S], None),
        ("camera", ["tried", "opened", "heard", GONE_S + 0.1], GONE),
        ("camera", ["tried", "opened", "heard", GONE_S + 0.1, "heard"], None),
        # Trying again feeds nobody.
        ("camera", ["tried", "opened", "heard", *[4, "failed", "tried", "opened"] * 6], GONE),
        # One that never worked in this process starves nobody.
        ("camera", ["tried", "failed", 8] * 100, None),
        ("camera", ["tried", HUNG_S + 1], HANGS),
        ("camera", ["tried", "opened", HUNG_S + 1], HANGS),
        ("buttons", ["tried", HUNG_S + 1], HANGS),
        # Buttons may be silent for hours.
        ("buttons", ["tried", "opened", 4 * 3600], None),
        ("buttons", ["tried", "opened", "failed", GONE_S - 1, "tried", "failed"], None),
        ("buttons", ["tried", "opened", "failed", GONE_S - 1, "tried", "failed", 2], GONE),
    ],
)
def test_when_a_device_starves_the_watchdog(clock, device, life, trouble):
    """A life is what happens to the device, and how many seconds pass."""
    pulse = Heartbeat(device, steady=device == "camera", clock=clock)
    for step in life:
        if isinstance(step, str):
            getattr(pulse, step)()
        else:
            clock.s += step
    expected = trouble and trouble.format(device)
    other = Heartbeat("other", steady=False, clock=clock)
    assert pulse.trouble() == first_trouble((other, pulse)) == expected


class Manager:
    """systemd's end of the socket."""

    def __init__(self, path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.setblocking(False)
        self.got: list[str] = []

    def hear(self) -> list[str]:
        """What has come since the last time."""
        state_change = []
        with contextlib.suppress(BlockingIOError):
            while True:
                state_change.append(self._socket.recv(4096).decode())
        self.got += state_change
        return state_change

    def wait_for(self, what: str) -> None:
        until(lambda: any(line.startswith(what) for line in self.hear()))

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


def test_a_running_table_feeds_its_watchdog_only_while_its_camera_lives(
    manager, tmp_path, monkeypatch, built
):
    monkeypatch.setattr(
        real_devices, "open_camera", lambda *_: CAMERAS["webcam"].watched(Stalling(), "webcam 0")
    )
    monkeypatch.setattr(real_devices, "PATIENCE_S", (0.01,))
    monkeypatch.setattr(watchdog, "_EVERY_S", 0.01)
    monkeypatch.setattr(watchdog, "GONE_S", 0.5)
    Stalling.well.set()
    config = TableConfig(
        camera=Camera(kind="webcam"),
        buttons=Buttons(kind="web"),
        serve=Serve(on=False),
        data=tmp_path / "data",
    )
    output: list[str] = []
    table = threading.Thread(target=live.run_table, args=(config, None, output.append))
    table.start()
    try:
        until(lambda: built)
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
        for one in built:
            one.stop.set()
        table.join(PATIENCE_S)
    assert not table.is_alive()
    manager.wait_for("STOPPING=1")
