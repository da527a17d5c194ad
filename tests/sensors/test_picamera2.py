"""What ``PiCamera`` relies on, of the stand-in for picamera2 and of picamera2 itself.

The real one runs where it is installed and libcamera has a camera. Without a Raspberry Pi
``deploy/try-libcamera.sh`` makes such a place, with libcamera's virtual camera, which knows neither
exposure nor focus; one of the stand-ins does neither.
"""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import CancelledError
from functools import partial

import numpy as np
import pytest

from sensors.interfaces import SensorError
from sensors.picamera import PiCamera, PiCameraOptions
from tests.machine import PATIENCE_S, until
from tests.sensors.fake_picamera2 import FakePicamera2

# picamera2 uses what Python deprecates, and leaves the pipe of a camera open that was closed.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)

SIZE = (640, 480)
SECOND = 1_000_000_000


def real(number):
    picamera2 = pytest.importorskip("picamera2", reason="picamera2 is not installed")
    if not picamera2.Picamera2.global_camera_info():
        pytest.skip("libcamera has no camera here")
    return picamera2.Picamera2(number)


KINDS = {
    "stand-in": FakePicamera2,
    "stand-in-of-a-plain-camera": partial(FakePicamera2, plain=True),
    "real": real,
}


@pytest.fixture(params=KINDS)
def make(request):
    """Opens a camera; those that a test leaves open are given back after it."""
    opened = []

    def one(number=0):
        opened.append(KINDS[request.param](number))
        return opened[-1]

    yield one
    for camera in opened:
        camera.close()


def configured(camera, **controls):
    config = camera.create_video_configuration(
        main={"size": SIZE, "format": "RGB888"},
        raw={"size": SIZE},
        buffer_count=4,
        queue=True,
        controls=controls,
    )
    camera.configure(config)
    return camera


def started(camera):
    configured(camera).start()
    return camera


def test_it_gives_the_pictures_that_were_asked_for(make):
    camera = started(make())
    main = camera.camera_configuration()["main"]
    assert (tuple(main["size"]), main["format"]) == (SIZE, "RGB888")
    request = camera.capture_request()
    image = request.make_array("main")
    kept = image.copy()
    request.release()
    assert (image.shape, image.dtype) == ((480, 640, 3), np.uint8)
    assert image.flags.c_contiguous
    for _ in range(8):  # every buffer is written to again
        camera.capture_request().release()
    assert (image == kept).all()


def test_frames_are_stamped_one_after_another_by_the_boot_clock(make):
    camera = started(make())
    stamps = []
    for _ in range(4):
        request = camera.capture_request()
        stamps.append(request.get_metadata()["SensorTimestamp"])
        request.release()
    assert stamps == sorted(set(stamps))
    now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    assert now - PATIENCE_S * SECOND < stamps[0]
    assert stamps[-1] <= now


def test_controls_that_the_camera_has_not_are_refused(make):
    camera = make()
    assert "FrameDurationLimits" in camera.camera_controls
    assert "ColourOfTheSky" not in camera.camera_controls
    with pytest.raises(RuntimeError, match="not advertised"):
        configured(camera, ColourOfTheSky=1)
    configured(camera, FrameDurationLimits=(40000, 40000)).start()
    with pytest.raises(RuntimeError, match="not advertised"):
        camera.set_controls({"ColourOfTheSky": 1})


def test_it_is_configured_while_it_is_stopped(make):
    camera = started(make())
    with pytest.raises(RuntimeError, match="must be stopped"):
        configured(camera)
    camera.stop()
    configured(camera)


def test_a_request_is_released_once(make):
    camera = started(make())
    request = camera.capture_request()
    request.release()
    with pytest.raises(RuntimeError):
        request.release()


def test_whoever_waits_for_a_frame_can_be_released(make):
    camera = started(make())
    if isinstance(camera, FakePicamera2):
        camera.stall()
        held = []
    else:
        # All of its buffers but one, which it keeps for itself, are out.
        held = [camera.capture_request() for _ in range(4)]
    came = []

    def wait():
        try:
            camera.capture_request()
        except CancelledError as error:
            came.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.3)
    assert not came
    camera.cancel_all_and_flush()
    waiting.join(PATIENCE_S)
    assert len(came) == 1
    for request in held:
        request.release()
    camera.stop()


def test_a_camera_is_opened_again_once_it_is_closed(make):
    for _ in range(2):
        camera = started(make())
        camera.capture_request().release()
        camera.stop()
        camera.close()


# --- the driver ---


def driver(make, **options):
    chosen = PiCameraOptions(width=SIZE[0], height=SIZE[1], **options)
    return PiCamera(chosen, make=make, settling=3)


def test_the_driver_gives_frames_for_longer_than_the_automatics_take(make):
    camera = driver(make)
    frames = list(itertools.islice(camera.frames(), 40))
    camera.close()
    assert [frame.image.shape for frame in frames] == [(480, 640, 3)] * 40
    stamps = [frame.t_ns for frame in frames]
    assert stamps == sorted(set(stamps))
    assert 0 <= time.monotonic_ns() - stamps[-1] < PATIENCE_S * SECOND
    assert not camera.settling


def test_a_driver_can_be_closed_while_it_waits_and_opened_again(make):
    for _ in range(2):
        camera, ended = driver(make), threading.Event()
        seen = []

        def read(camera=camera, ended=ended, seen=seen):
            for frame in camera.frames():
                seen.append(frame.seq)
            ended.set()

        thread = threading.Thread(target=read)
        thread.start()
        until(lambda seen=seen: len(seen) > 5)
        camera.close()
        assert ended.wait(PATIENCE_S)
        thread.join()


def test_settings_that_the_camera_lacks_are_left_out(make):
    camera = driver(make, exposure_us=5000, gain=3.0, red=1.2, blue=2.0, lens=4.0)
    assert len(list(itertools.islice(camera.frames(), 5))) == 5
    camera.close()


def test_a_camera_that_is_not_there_is_one_line(make):
    with pytest.raises(SensorError, match="cannot be opened"):
        PiCamera(PiCameraOptions(device=7), make=make)


def test_pictures_of_another_kind_are_refused_in_one_line():
    """As a webcam's are, which libcamera also sees; that of a real one is not at hand."""

    class Yuv(FakePicamera2):
        def configure(self, config):
            super().configure(config | {"main": config["main"] | {"format": "YUYV"}})

    made = Yuv()
    with pytest.raises(SensorError, match=r"YUYV.*webcam"):
        PiCamera(PiCameraOptions(), make=lambda _: made)
    assert made.closed
