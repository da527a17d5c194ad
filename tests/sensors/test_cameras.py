"""The Pi's camera over the stand-in for picamera2, a webcam over a fake capture, and the watch."""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import nullcontext

import numpy as np
import pytest

from sensors.drivers import CAMERAS, CameraKind, CameraRemedies
from sensors.interfaces import Camera, Frame, SensorError
from sensors.options import CameraOptions
from sensors.picamera import (
    LockedExposure,
    PiCamera,
    PiCameraOptions,
    boottime_ahead_ns,
    exposed_ns,
    whole_field,
)
from sensors.watched_camera import CameraHealth, WatchedCamera
from sensors.webcam import Webcam, WebcamOptions, stamp_ns
from tests.machine import PATIENCE_S, until
from tests.sensors.fake_picamera2 import MODES, FakePicamera2

MS = 1_000_000


def pi(fake: FakePicamera2, *, settling=30, ahead_ns=boottime_ahead_ns, **options):
    chosen = PiCameraOptions(width=640, height=480, **options)
    return PiCamera(chosen, make=lambda _: fake, settling=settling, ahead_ns=ahead_ns)


def take(camera, count):
    return list(itertools.islice(camera.frames(), count))


def test_a_pi_camera_is_set_up_read_and_given_back():
    fake = FakePicamera2()
    camera = pi(fake, fps=10)
    assert isinstance(camera, Camera)
    frames = take(camera, 6)
    camera.close()
    camera.close()
    assert fake.config["main"] == {"size": (640, 480), "format": "RGB888"}
    assert fake.controls["FrameDurationLimits"] == (100_000, 100_000)
    assert [frame.seq for frame in frames] == list(range(6))
    assert frames[0].image.shape == (480, 640, 3)
    assert fake.out == 0
    assert fake.calls == ["create_video_configuration", "configure", "start", "stop", "close"]


def test_exposure_white_balance_and_focus_are_locked_once_they_have_settled():
    fake = FakePicamera2()
    camera = pi(fake, settling=3)
    frames = camera.frames()
    for _ in range(3):
        next(frames)
    assert "AeEnable" not in fake.controls
    assert fake.controls["AfMode"] == 2
    next(frames)
    assert camera.locked == LockedExposure(8000, 2.5, 1.5, 1.75, 2.25)
    assert fake.controls["AeEnable"] is False
    assert fake.controls["AwbEnable"] is False
    assert fake.controls["ExposureTime"] == 8000
    assert fake.controls["ColourGains"] == (1.5, 1.75)
    assert (fake.controls["AfMode"], fake.controls["LensPosition"]) == (0, 2.25)
    take(camera, 3)
    assert fake.calls.count("set_controls") == 1


@pytest.mark.parametrize("still_at_it", [{"AfState": 1}, {"AeState": 1}, {"AeLocked": False}])
def test_nothing_is_locked_in_mid_search_but_it_is_not_waited_for_ever(still_at_it):
    fake = FakePicamera2()
    camera = pi(fake, settling=3)
    frames = camera.frames()
    fake.state = still_at_it
    for _ in range(7):
        next(frames)
    assert camera.locked is None
    fake.state = {"AfState": 2, "AeState": 2, "AeLocked": True}
    next(frames)
    assert camera.locked is not None
    again = FakePicamera2()
    again.state = still_at_it
    camera = pi(again, settling=3)
    take(camera, 13)
    assert camera.locked is not None


@pytest.mark.parametrize(
    ("size", "mode"),
    [
        ((640, 480), (2304, 1296)),
        ((1280, 960), (2304, 1296)),
        ((1536, 864), (2304, 1296)),
        ((1536, 1152), (2304, 1296)),
        ((1920, 1080), (2304, 1296)),
        ((2592, 1944), (4608, 2592)),
    ],
)
def test_a_camera_sees_its_whole_field_at_every_size(size, mode):
    fake = FakePicamera2()
    PiCamera(PiCameraOptions(width=size[0], height=size[1]), make=lambda _: fake)
    assert fake.mode == mode
    assert MODES[fake.mode] == fake.sensor_resolution


@pytest.mark.parametrize(
    ("sensor", "half"),
    [
        ((4056, 3040), (2028, 1520)),  # HQ Camera
        ((3280, 2464), (1640, 1232)),  # Camera Module 2
        ((1458, 1090), (728, 544)),
    ],
)
def test_half_a_sensors_resolution_is_asked_for_in_even_numbers(sensor, half):
    assert whole_field(sensor, half) == half
    assert whole_field(sensor, (half[0] + 2, half[1])) == sensor


def test_a_pi_camera_that_stalls_is_given_back_so_that_it_can_be_opened_again():
    fake = FakePicamera2()
    camera = pi(fake)
    watched = WatchedCamera(camera, name="pi", stalled_s=0.1, first_s=PATIENCE_S)
    with pytest.raises(SensorError, match=r"no picture for 0\.1 s"):
        watched.deliver(lambda _: fake.stall())
    until(lambda: fake.closed)
    assert fake.calls[-2:] == ["stop", "close"]


def test_pictures_that_were_lost_while_the_process_stood_still_are_counted():
    """Time in ms and number of each: the driver counts what it hands over, or what it lost."""

    class Counted:
        def __init__(self, *given: tuple[int, int]) -> None:
            self.given, self.closed = given, threading.Event()

        def frames(self):
            image = np.zeros((48, 64, 3), np.uint8)
            for t_ms, seq in self.given:
                yield Frame(image + seq % 250, t_ms * MS, seq)

        def close(self):
            self.closed.set()

    for given, numbers in (
        ([(0, 0), (100, 1), (600, 2), (700, 3)], [0, 1, 2, 3]),  # the camera stumbled
        ([(0, 0), (100, 1), (4100, 2), (4200, 3)], [0, 1, 41, 42]),
        ([(0, 0), (100, 1), (4100, 41), (4200, 42)], [0, 1, 41, 42]),
    ):
        got = []
        CAMERAS["webcam"].watched(Counted(*given), "webcam").deliver(got.append)
        assert [frame.seq for frame in got] == numbers


def test_a_pi_camera_that_cannot_be_stopped_is_closed_all_the_same():
    class Stubborn(FakePicamera2):
        def stop(self):
            raise RuntimeError("Failed to stop")

    fake = Stubborn()
    camera = pi(fake)
    with pytest.raises(RuntimeError, match="Failed to stop"):
        camera.close()
    assert fake.closed


def test_calibrated_settings_are_locked_from_the_start_and_what_the_camera_lacks_is_left_out():
    fake = FakePicamera2(focuses=False)
    pi(fake, exposure_us=5000, gain=3.0, red=1.2, blue=2.0, lens=4.0)
    assert fake.controls["ExposureTime"] == 5000
    assert "LensPosition" not in fake.controls


def test_a_frame_is_stamped_at_the_start_of_its_exposure_on_the_monotonic_clock():
    ahead = 7_000_000_000  # slept for seven seconds since it was started
    fake = FakePicamera2(stamp_ns=lambda n: ahead + 1_000_000_000 + n * 80 * MS)
    frames = take(pi(fake, ahead_ns=lambda: ahead), 3)
    assert [frame.t_ns for frame in frames] == [992 * MS, 1072 * MS, 1152 * MS]
    assert exposed_ns({"SensorTimestamp": 100, "ExposureTime": 0}, 40) == 60


def test_the_clocks_are_compared_at_the_closest_of_several_readings():
    times = iter([0, 900, 1000, 1004, 2000, 2500, 3000, 3500, 4000, 4900])
    boots = iter([777, 1002 + 50, 9999, 9999, 9999])
    assert boottime_ahead_ns(lambda: next(times), lambda: next(boots)) == 50
    assert boottime_ahead_ns() >= -1000


def test_a_frame_that_is_handed_over_twice_is_left_out():
    fake = FakePicamera2(stamp_ns=lambda n: 10**12 + (n // 2) * 80 * MS)
    assert [frame.seq for frame in take(pi(fake, ahead_ns=lambda: 0), 3)] == [0, 2, 4]


def test_a_pi_camera_that_fails_is_one_line():
    def pulled(count):
        if count == 2:
            raise RuntimeError("Camera frontend has timed out")

    camera = pi(FakePicamera2(script=pulled))
    with pytest.raises(SensorError, match="timed out"):
        take(camera, 5)


class Capture:
    def __init__(self, count=5, opened=True):
        self.left, self.opened, self.released, self.settings = count, opened, False, {}

    def isOpened(self):  # noqa: N802
        return self.opened

    def set(self, key, value):
        self.settings[key] = value

    def get(self, key):
        return time.monotonic_ns() / 1e6 - 5

    def read(self):
        self.left -= 1
        return (True, np.full((480, 640, 3), 90, np.uint8)) if self.left >= 0 else (False, None)

    def release(self):
        self.released = True


def test_a_webcam_is_set_read_stamped_and_says_when_it_is_gone():
    capture = Capture()
    frames = Webcam(WebcamOptions(width=1280, height=960), capture=lambda _: capture).frames()
    got = [next(frames) for _ in range(5)]
    assert [frame.seq for frame in got] == list(range(5))
    assert all(b.t_ns > a.t_ns for a, b in itertools.pairwise(got))
    with pytest.raises(SensorError, match="plugged in"):
        next(frames)
    assert capture.released
    assert {1280, 960} <= set(capture.settings.values())


def test_a_webcams_stamp_is_believed_only_when_plausible():
    now = time.monotonic_ns()
    assert abs(stamp_ns(now / 1e6 - 30, now) - (now - 30 * MS)) < MS
    assert abs(stamp_ns(now / 1e6 - 5000, now) - (now - 5000 * MS)) < MS  # kept by the driver
    assert stamp_ns(0.0, now) == now
    assert stamp_ns(1.7e12, now) == now
    with pytest.raises(SensorError, match="cannot be opened"):
        Webcam(WebcamOptions(), capture=lambda _: Capture(opened=False))


def state_of(report):
    return f"{report.code.removeprefix('camera_')} {report.state}"


def pictures(*kinds, ms=100):
    """Frames 100 ms apart: n noise, d dark, f the same picture, s another size."""
    rng = np.random.default_rng(1)
    same = rng.integers(90, 110, (480, 640, 3), dtype=np.uint8)
    for index, kind in enumerate("".join(kinds)):
        shape = (240, 320, 3) if kind == "s" else (480, 640, 3)
        image = rng.integers(90, 110, shape, dtype=np.uint8)
        if kind == "d":
            image = np.zeros(shape, np.uint8)
        yield Frame(same if kind == "f" else image, index * ms * MS, index)


@pytest.mark.parametrize(
    ("kinds", "reported"),
    [
        ("n" * 60, []),
        ("n" * 10 + "d" * 10 + "n" * 10, []),
        ("n" * 10 + "d" * 30 + "n" * 5, ["dark begins", "dark over"]),
        ("d" * 30 + "n" * 5, ["dark begins", "dark over"]),
        ("n" * 10 + "f" * 30 + "n" * 5, ["frozen begins", "frozen over"]),
        ("n" * 10 + "d" * 20 + "f" * 30, ["dark begins", "dark over", "frozen begins"]),
        ("n" * 10 + "s" * 30, []),
        ("n" * 10 + "f" * 10 + "n" + "f" * 10, []),
    ],
)
def test_conditions_are_told_once_and_within_two_seconds(kinds, reported):
    health = CameraHealth()
    found = [report for frame in pictures(kinds) for report in health.see(frame)]
    assert [state_of(report) for report in found] == reported
    if reported:
        began = next(i for i, kind in enumerate(kinds) if kind in "df") * 100 * MS
        assert found[0].t_ns - began <= 2_000 * MS


def test_a_camera_that_repeats_is_dark_at_times_and_never_frozen():
    health = CameraHealth(repeats=True)
    shown = pictures("n" * 10 + "f" * 40 + "d" * 30 + "f" * 40)
    found = [report for frame in shown for report in health.see(frame)]
    assert [state_of(report) for report in found] == ["dark begins", "dark over"]


@pytest.mark.parametrize("repeats", [False, True])
def test_a_kind_says_whether_its_pictures_may_repeat(repeats):
    kind = CameraKind(
        name="slides",
        title="slides",
        options=CameraOptions,
        driver=lambda _: Scripted(pictures("f" * 30)),
        remedies=CameraRemedies(lost="-", frozen="-", slow="-"),
        repeats=repeats,
    )
    reported, got = [], []
    watched = kind.watched(kind.open(kind.options()), "slides", reported.append)
    with nullcontext() if repeats else pytest.raises(SensorError, match="same picture"):
        watched.deliver(got.append)
        assert len(got) == 30
    assert [state_of(report) for report in reported] == ([] if repeats else ["frozen begins"])


class Scripted:
    """A camera that plays frames and then raises, hangs or ends."""

    def __init__(self, frames, end=None):
        self._frames, self._end, self.closed = list(frames), end, threading.Event()

    def frames(self):
        yield from self._frames
        if self._end == "hang":
            self.closed.wait(PATIENCE_S)
        elif self._end is not None:
            raise self._end

    def close(self):
        self.closed.set()


def watch(camera, patience_s=PATIENCE_S, health=None):
    output, got = [], []
    error = None
    watched = WatchedCamera(
        camera,
        name="camera",
        on_trouble=output.append,
        stalled_s=patience_s,
        first_s=patience_s,
        remedy="look at it",
        health=health,
    )
    try:
        watched.deliver(got.append)
    except SensorError as caught:
        error = str(caught)
    return got, [state_of(report) for report in output], error


@pytest.mark.parametrize(
    ("kinds", "end", "says"),
    [
        ("nnn", "hang", "no picture for 0.3 s; look at it"),
        ("", "hang", "no picture for 0.3 s; look at it"),
        ("nnn", SensorError("pulled"), "pulled"),
        ("nnn", RuntimeError("V4L2 says no"), "V4L2 says no"),
        ("n" + "f" * 30, "hang", "same picture"),
    ],
)
def test_a_lost_stalled_or_frozen_camera_ends_in_one_line_and_is_given_back(kinds, end, says):
    camera = Scripted(pictures(kinds), end)
    # Only a camera that hangs is waited for in vain.
    _, _, error = watch(camera, 0.3 if end == "hang" and "f" not in kinds else PATIENCE_S)
    assert says in error
    assert camera.closed.wait(PATIENCE_S)


def test_a_picture_that_is_handed_over_again_shows_nothing_of_now():
    got, output, _ = watch(Scripted(pictures("nn" + "f" * 5 + "n" + "dd")))
    assert [frame.seq for frame in got] == [0, 1, 2, 7, 8, 9]
    assert output == []
    # Nor does the first one after the camera was started anew.
    health = CameraHealth()
    _, output, error = watch(Scripted(pictures("nf" + "f" * 20)), health=health)
    assert "same picture" in error
    again, output, error = watch(Scripted(pictures("fffnn")), health=health)
    assert [frame.seq for frame in again] == [3, 4]
    assert (output, error) == ([], None)


def test_darkness_is_reported_and_the_frames_go_on():
    got, output, error = watch(Scripted(pictures("nn" + "d" * 30 + "nn" + "ss")))
    assert output == ["dark begins", "dark over"]
    assert got[-1].seq == 35
    assert error is None
