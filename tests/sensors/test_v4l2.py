"""Webcams by linuxpy over a stand-in for the kernel: names, formats, controls, locking."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("linuxpy", reason="Linux only")
import cv2

from sensors.drivers import CAMERAS
from sensors.v4l2 import CameraControls, VideoMode, best_mode, video_devices
from sensors.webcam import CHECKED_S, SETTLING_S, LockedWebcam, Webcam, WebcamLock, WebcamOptions
from table.cli import main
from table.commands import machine
from table.doctor.devices import locked, look
from tests.machine import PATIENCE_S
from tests.sensors.fake_v4l2 import ID, FakeKernel, FakeWebcam
from tests.sensors.test_cameras import Capture

S = 1_000_000_000
GREY = np.full((48, 64, 3), 100, np.uint8)


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    import linuxpy.ioctl

    made = FakeKernel(tmp_path)
    monkeypatch.setattr(linuxpy.ioctl, "fcntl", made)
    return made


def test_webcams_are_listed_with_name_port_modes_and_a_path_that_lasts(kernel):
    kernel.plug(0, FakeWebcam(), "usb-046d_HD_Pro_Webcam_C920-video-index0")
    kernel.plug(1, FakeWebcam(capture=False), "usb-046d_HD_Pro_Webcam_C920-video-index1")
    kernel.plug(2, FakeWebcam(bus="usb-0000:01:00.0-1.3"))  # its twin, without a serial number
    kernel.plug(10, FakeWebcam(name="Other", modes={"YUYV": {(640, 480): (30,)}}))
    (kernel.root / "video7").touch()  # does not answer
    first, second, third = video_devices(kernel.root)
    assert first.name == "HD Pro Webcam C920"
    assert first.stable == kernel.root / "v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0"
    assert second.stable == kernel.root / "v4l/by-path/pci-usb-0000:01:00.0-1.3-index2"
    assert (first.bus, second.bus) == ("usb-0000:01:00.0-1.2", "usb-0000:01:00.0-1.3")
    assert VideoMode("MJPG", 1920, 1080, 30.0) in first.modes
    assert third.path.name == "video10"


MODES = tuple(
    VideoMode(kind, width, height, float(fps))
    for kind, sizes in FakeWebcam().modes.items()
    for (width, height), rates in sizes.items()
    for fps in rates
)


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ((1920, 1080, 15), VideoMode("MJPG", 1920, 1080, 15)),
        ((1920, 1080, 30), VideoMode("MJPG", 1920, 1080, 30)),
        ((1900, 1000, 12), VideoMode("MJPG", 1920, 1080, 15)),
        ((640, 480, 20), VideoMode("MJPG", 640, 480, 30)),
        ((2304, 1536, 15), VideoMode("MJPG", 1920, 1080, 30)),
        ((2304, 1536, 2), VideoMode("YUYV", 2304, 1536, 2)),
        ((1920, 1080, 60), VideoMode("YUYV", 2304, 1536, 2)),
    ],
)
def test_a_mode_is_chosen_by_size_and_rate(wanted, chosen):
    assert best_mode(MODES, *wanted) == chosen


def test_a_mode_that_opencv_cannot_read_is_not_chosen():
    assert best_mode([VideoMode("H264", 1920, 1080, 30)], 1280, 720, 15) is None
    assert best_mode([], 1280, 720, 15) is None
    unsaid = VideoMode("YUYV", 640, 480, 0)
    assert best_mode([unsaid], 1280, 720, 15) == unsaid


def locking(kernel, webcam, given=None, power_line="50", **options):
    controls = CameraControls(kernel.plug(0, webcam))
    return WebcamLock(controls, given or LockedWebcam(), power_line, 0, **options)


def test_what_the_automatics_have_reached_is_locked_and_kept(kernel):
    webcam = FakeWebcam()
    lock = locking(kernel, webcam)
    assert webcam.controls[ID["power_line"]].value == 1
    assert webcam.controls[ID["steady_rate"]].value == 0
    lock.see(GREY, round(SETTLING_S * S) - 1)
    assert lock.settling
    webcam.controls[ID["exposure"]].value = 200  # the automatics are at work
    webcam.controls[ID["focus"]].value = 120
    lock.see(GREY, round(SETTLING_S * S))
    assert not lock.settling
    assert lock.locked == LockedWebcam(20000.0, None, 4200.0, 120.0)
    assert webcam.controls[ID["auto_exposure"]].value == 1
    assert webcam.controls[ID["auto_focus"]].value == 0
    assert webcam.controls[ID["auto_white_balance"]].value == 0
    lock.see(GREY, round((SETTLING_S + CHECKED_S) * S))
    assert lock.locked.exposure_us == 20000.0
    assert lock.faults == []


def test_an_exposure_that_is_not_kept_is_given_back_to_the_automatic(kernel):
    webcam = FakeWebcam()
    lock = locking(kernel, webcam)
    lock.see(GREY, round(SETTLING_S * S))
    lock.see(GREY // 3, round((SETTLING_S + CHECKED_S) * S))
    assert webcam.controls[ID["auto_exposure"]].value == 3
    assert lock.locked == LockedWebcam(None, None, 4200.0, 35.0)
    assert "its exposure cannot be locked" in lock.faults[0]


class Deaf(FakeWebcam):
    """Its focus stays where it is."""

    def written(self, number, value):
        if number != ID["focus"]:
            super().written(number, value)


def test_a_camera_that_ignores_what_is_set_is_found_out(kernel):
    lock = locking(kernel, Deaf(), LockedWebcam(10000.0, None, 4600.0, 80.0))
    assert lock.locked == LockedWebcam(10000.0, None, 4600.0, None)
    assert lock.faults == ["its focus cannot be locked"]


def test_calibrated_settings_are_set_from_the_start_to_what_the_camera_takes(kernel):
    webcam = FakeWebcam()
    lock = locking(kernel, webcam, LockedWebcam(9_000_000.0, 70.4, 4601.0, 82.0))
    assert not lock.settling
    assert webcam.controls[ID["exposure"]].value == 2047
    assert webcam.controls[ID["gain"]].value == 70
    assert webcam.controls[ID["focus"]].value == 80
    assert lock.faults == []


def test_a_camera_without_controls_is_left_as_it_is(kernel):
    lock = locking(kernel, FakeWebcam(controls={}), power_line="60")
    lock.see(GREY, round(SETTLING_S * S))
    assert lock.locked == LockedWebcam()
    assert lock.faults == ["its power-line frequency cannot be set to 60"]


def test_nothing_is_locked_where_that_is_not_wanted(kernel):
    webcam = FakeWebcam()
    lock = locking(kernel, webcam, lock=False)
    lock.see(GREY, 100 * S)
    assert not lock.settling
    assert webcam.controls[ID["auto_exposure"]].value == 3
    assert webcam.controls[ID["power_line"]].value == 1


def test_a_webcam_is_opened_in_its_best_mode_and_locked(kernel):
    path = kernel.plug(0, FakeWebcam())
    capture = Capture(10**6)
    webcam = Webcam(
        WebcamOptions(device=path, width=1280, height=720, power_line="50", focus=60.0),
        capture=lambda _: capture,
        modes=lambda _: MODES,
    )
    assert capture.settings[cv2.CAP_PROP_FRAME_WIDTH] == 1280
    assert capture.settings[cv2.CAP_PROP_FPS] == 15
    assert capture.settings[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")
    assert webcam.locked == LockedWebcam(focus=60.0)
    assert webcam.locked.options() == {"focus": 60.0}
    assert not webcam.settling
    frames = webcam.frames()
    assert len(list(itertools.islice(frames, 3))) == 3
    frames.close()


def test_the_doctor_says_what_could_not_be_locked(kernel):
    looked = []
    for number, plugged in enumerate((Deaf(), FakeWebcam())):
        options = WebcamOptions(device=kernel.plug(number, plugged), focus=60.0)
        webcam = Webcam(options, capture=lambda _: Capture(10**6), modes=lambda _: MODES)
        watched = CAMERAS["url"].watched(webcam, "webcam")  # its pictures are all the same
        looked.append(list(locked(look(lambda watched=watched: watched, 0.2, PATIENCE_S))))
    ((check,), nothing) = looked
    assert str(check).startswith("NO  camera settings: its focus cannot be locked → ")
    assert nothing == []


def test_the_command_lists_cameras_and_warns_of_two_at_one_port(kernel, monkeypatch, capsys):
    monkeypatch.setattr(machine, "DEVICES", kernel.root)
    kernel.plug(0, FakeWebcam(), "usb-046d_C920-video-index0")
    kernel.plug(2, FakeWebcam(bus="usb-0000:01:00.0-1.3"))
    assert main(["cameras"]) == 0
    out = capsys.readouterr().out
    assert f'device = "{kernel.root}/v4l/by-id/usb-046d_C920-video-index0"' in out
    assert "1920×1080 MJPG at 15 a second" in out
    assert "share a USB controller" in out
    assert main(["cameras", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["cameras"]
    assert [one["name"] for one in found] == ["HD Pro Webcam C920"] * 2
    assert found[0]["modes"][0] == {"format": "YUYV", "width": 2304, "height": 1536, "fps": 2.0}
    assert found[0]["controls"]["exposure"]["most"] == 2047


def test_a_machine_without_cameras_is_told_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machine, "DEVICES", Path(tmp_path))
    assert main(["cameras"]) == 1
    assert "no webcam" in capsys.readouterr().out
