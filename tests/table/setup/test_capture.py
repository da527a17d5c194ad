"""Pictures for setting a table up, from its camera, and the delay that they come with."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from types import ModuleType

import numpy as np
import pytest

from sensors.interfaces import Frame, SensorError
from sensors.watched_camera import CameraHealth, WatchedCamera
from table.config import Buttons, Camera, TableConfig
from table.setup import capture
from table.setup.capture import (
    LiveCapture,
    delay_ms,
    from_files,
    measured_delay_ms,
    name_of,
    spots,
    take,
)
from tests.machine import PATIENCE_S

CONFIG = TableConfig(camera=Camera(kind="webcam", device=3), buttons=Buttons(kind="web"))


class Fake:
    """A camera that gives numbered pictures, and may fail after some."""

    def __init__(self, fails_after=None):
        self.fails_after = fails_after
        self.closed = False

    def frames(self):
        seq = 0
        while not self.closed:
            if seq == self.fails_after:
                raise SensorError("webcam 3: gave no picture; see that it is still plugged in")
            time.sleep(0.001)
            yield Frame(np.full((48, 64, 3), seq % 256, np.uint8), seq, seq)
            seq += 1

    def close(self):
        self.closed = True


@pytest.fixture
def camera(monkeypatch):
    made = Fake()
    monkeypatch.setattr(
        capture, "open_camera", lambda config: config.entry.watched(made, "webcam 3")
    )
    monkeypatch.setattr(capture, "SETTLING_S", 0.05)
    monkeypatch.setattr(capture, "_PATIENCE_S", PATIENCE_S)
    return made


def test_pictures_are_the_next_ones_once_exposure_has_settled(camera):
    begun = time.monotonic()
    taken = take(CONFIG)
    assert time.monotonic() - begun > 0.05
    assert len(taken.pictures) == capture.PICTURES
    assert taken.camera == "webcam 3"
    assert taken.settings == {}
    assert camera.closed


def test_a_camera_that_stays_open_gives_its_newest(camera):
    with closing(LiveCapture(CONFIG)) as watching:
        first = watching.taken().pictures
        second = watching.taken().pictures
        assert not any(a is b for a in first for b in second)
        assert watching.newest().shape == (48, 64, 3)
    assert camera.closed


def test_a_camera_that_fails_or_ends_is_one_line(camera):
    camera.fails_after = 3
    with pytest.raises(SensorError, match="see that it is still plugged in"):
        take(CONFIG)
    camera.close()
    with pytest.raises(SensorError, match="has stopped giving pictures"):
        take(CONFIG)


@pytest.fixture
def of_a_pi(monkeypatch):
    from tests.sensors.fake_picamera2 import FakePicamera2

    made = []

    def opened(number):
        made.append(FakePicamera2(number))
        return made[-1]

    module = ModuleType("picamera2")
    module.Picamera2 = opened
    monkeypatch.setitem(sys.modules, "picamera2", module)
    monkeypatch.setattr(capture, "SETTLING_S", 0.0)
    config = TableConfig(
        camera=Camera(kind="pi", width=640, height=480), buttons=Buttons(kind="web")
    )
    return config, made


@pytest.mark.parametrize("count", [3, 40])
def test_what_the_pis_camera_locked_itself_to_is_waited_for_and_kept(of_a_pi, count):
    config, _ = of_a_pi
    with closing(LiveCapture(config, count=count)) as watching:
        taken = watching.taken()
    assert taken.pictures[0].shape == (480, 640, 3)
    assert {"exposure_us", "gain", "red", "blue"} <= set(taken.settings)
    assert all(value > 0 for value in taken.settings.values())


def test_files_and_names(tmp_path):
    import cv2

    path = tmp_path / "board.png"
    path.write_bytes(cv2.imencode(".png", np.zeros((200, 300, 3), np.uint8))[1].tobytes())
    taken = from_files([path, path])
    assert len(taken.pictures) == 2
    assert taken.camera == "picture board.png"
    assert name_of(TableConfig()) == "simulated table 8"


MS = 1_000_000


def watched(delay: int, *, fps: int = 15, seed: int = 1, contrast: int = 120):
    """Flashes for 25 s, and the pictures of a camera with this delay; the screen fills a corner."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    flashes, t_ms, bright = [], 0.0, False
    while t_ms < 25_000:
        t_ms += rng.uniform(300, 900)
        bright = not bright
        flashes.append((round(t_ms * MS), bright))
    looks = []
    for number in range(25 * fps):
        stamp_ns = round((number / fps * 1000 + rng.uniform(0, 10)) * MS)
        state = next((b for t, b in reversed(flashes) if t <= stamp_ns - delay * MS), False)
        image = noise.integers(60, 90, (120, 160, 3)).astype(np.uint8)
        image[:60, :80] += np.uint8(contrast * state)
        looks.append((stamp_ns, spots(image)))
    return flashes, looks


@pytest.mark.parametrize("delay", [0, 257, 700])
def test_the_delay_is_found_to_some_milliseconds(delay):
    found = [delay_ms(*watched(delay, seed=seed)) for seed in range(2)]
    assert all(value is not None and abs(value - delay) <= 20 for value in found), found


def test_a_camera_that_does_not_see_the_screen_has_no_delay():
    assert all(delay_ms(*watched(100, seed=seed, contrast=0)) is None for seed in range(2))
    assert delay_ms([], []) is None


class Mirror:
    """A camera that shows the screen."""

    def __init__(self) -> None:
        self.bright, self.closed = False, False

    def frames(self) -> Iterator[Frame]:
        for number in range(10_000):
            time.sleep(0.01)
            image = np.full((48, 64, 3), 200 if self.bright else 50, np.uint8)
            yield Frame(image, time.monotonic_ns(), number)

    def close(self) -> None:
        self.closed = True


@pytest.mark.slow
def test_a_camera_without_delay_is_measured_and_given_back():
    camera = Mirror()

    def show(bright: bool) -> None:
        camera.bright = bright

    seen = WatchedCamera(
        camera, name="mirror", stalled_s=5, first_s=5, health=CameraHealth(repeats=True)
    )
    assert measured_delay_ms(seen, show, 9.0) is not None
    assert camera.closed
