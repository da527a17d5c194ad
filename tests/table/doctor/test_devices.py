"""Camera and buttons, real code over devices that misbehave; and a file for a camera."""

from __future__ import annotations

import io
import itertools
import threading
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from game.troubles import TROUBLES, make_trouble
from sensors.drivers import CAMERAS
from sensors.gpio import GpioButtons, GpioOptions
from sensors.interfaces import Frame, SensorError
from sensors.picamera import PiCamera, PiCameraOptions
from table.calibrated_reader import board_reader
from table.config import Buttons, Camera
from table.desk import Desk, ShownFrame, TableDesk
from table.devices import open_camera
from table.doctor.devices import board, buttons, camera, judged, look, sized
from table.doctor.machine import Machine
from table.doctor.reader import ROWS, drawn
from tests.machine import PATIENCE_S
from tests.sensors.fake_picamera2 import FakePicamera2

from .doctorkit import amiss

PI = Camera(kind="pi")
GPIO = Buttons(kind="gpio")


@pytest.fixture(scope="module")
def reader():
    return board_reader("english")


@pytest.fixture(scope="module")
def picture():
    return drawn("english")


def unread():
    raise AssertionError("nothing to read")


def one(checks):
    (check,) = checks
    return check


def pi_camera(picture, **more):
    fake = FakePicamera2(picture=lambda _, __: picture, **more)
    return PiCamera(PiCameraOptions(width=640, height=480), make=lambda _: fake)


def test_a_camera_above_a_board_that_is_read(reader, picture):
    opened = watched(lambda _: pi_camera(picture))
    eye, view = camera(PI, lambda: reader, False, opened=opened, look_s=0.3)
    assert eye.ok, eye
    height, width = picture.shape[:2]
    assert (eye.figures["width"], eye.figures["height"]) == (width, height)
    assert view.name == "board"
    assert view.figures["pixels_a_square"] > 20


def test_a_board_has_to_be_in_view_with_large_squares(reader, picture):
    blank = np.full((480, 640, 3), 120, np.uint8)
    amiss(board(Frame(blank, 1, 0), lambda: reader, PI.entry.remedies), "", "lay the board in view")
    small = np.ascontiguousarray(picture[::2, ::2])
    seen = board(Frame(small, 1, 0), lambda: reader, PI.entry.remedies)
    amiss(seen, "are wanted")
    remedies = [CAMERAS[kind].remedies for kind in ("pi", "file")]
    assert sized(31.0, remedies[0]).remedy.startswith("bring the camera to 78% of its distance")
    assert ["[camera]" in sized(20, one).remedy for one in remedies] == [True, False]
    assert sized(46.0, remedies[0]).ok


class Film:
    """Frames as they are, one after another."""

    def __init__(self, frames, pause_s=0.0):
        self._frames, self._pause_s = frames, pause_s

    def frames(self):
        for image, age_ns in self._frames:
            time.sleep(self._pause_s)
            yield Frame(image, time.monotonic_ns() - age_ns, 0)

    def close(self):
        pass


def watched(opened):
    """The camera as a table opens it; that its pictures are all the same is no matter here."""
    return lambda config: CAMERAS["url"].watched(opened(config), "camera")


def grey(level, age_ns=0):
    return np.full((48, 64, 3), level, np.uint8), age_ns


def raising(error):
    def opened(_):
        raise error

    return opened


NO_CAMERA = SensorError("pi camera 0: cannot be opened (list index out of range)")


@pytest.mark.parametrize(
    ("kind", "opened", "says", "remedy"),
    [
        ("pi", raising(NO_CAMERA), "list index out of range", "ribbon cable"),
        ("pi", raising(ZeroDivisionError("in the driver")), "ZeroDivisionError: in the driver", ""),
        ("pi", lambda _: threading.Event().wait(2), "does not answer", ""),
        ("webcam", lambda _: Film([grey(3)] * 4), "all black", ""),
        ("webcam", lambda _: Film([grey(90, 9_000_000_000)] * 4), "9.0 s ago", ""),
        ("webcam", lambda _: Film([grey(90, -9_000_000_000)] * 4), "in the future", ""),
        ("webcam", lambda _: Film([]), "gives no picture", ""),
        ("webcam", lambda _: Film([grey(90)] * 3, 0.3), "only 64×48, ", "light"),
    ],
)
def test_a_camera_that_will_not_do_is_told_with_its_remedy(kind, opened, says, remedy):
    answer_s = 0.2 if says == "does not answer" else PATIENCE_S
    config = Camera(kind=kind)
    eye = next(iter(camera(config, unread, False, opened=watched(opened), answer_s=answer_s)))
    amiss(eye, says, remedy)


def stopped_desk() -> Desk:
    return TableDesk(lambda: 10_000_000_000, encode=lambda _: b"jpeg")


def test_the_camera_of_a_running_table_is_asked_of_its_desk():
    desk = stopped_desk()
    eye = one(camera(PI, unread, True, desk, opened=unread))
    assert eye.says == "no picture yet"
    frame = Frame(np.zeros((480, 640, 3), np.uint8), 9_900_000_000, 0)
    desk.show(ShownFrame(frame, ((0, 0), (450, 0), (450, 450), (0, 450)), ROWS, 9_900_000_000))
    eye, view = camera(PI, unread, True, desk, opened=unread)
    assert eye.ok
    amiss(view, "30 pixels a square")
    stale = Frame(frame.image, 1_000_000_000, 0)
    desk.show(ShownFrame(stale))
    eye, view = camera(PI, unread, True, desk, opened=unread)
    assert "9 s old" in eye.says
    assert view.says == "the running table has found none"
    desk.active_troubles.begin(make_trouble("camera_lost", "webcam 0: no picture for 1.8 s", 1))
    assert next(iter(camera(PI, unread, True, desk))).says == "webcam 0: no picture for 1.8 s"


@pytest.mark.parametrize("code", [code for code in TROUBLES if code.startswith("camera_")])
def test_each_trouble_of_a_running_camera_has_its_own_remedy(code):
    desk = stopped_desk()
    desk.active_troubles.begin(make_trouble(code, "the line", 1))
    seen = next(iter(camera(PI, unread, True, desk)))
    assert seen.says == "the line"
    assert seen.remedy == getattr(PI.entry.remedies, code.removeprefix("camera_"))


def test_the_devices_of_a_table_in_another_process_are_left_alone():
    def touched(_):
        raise AssertionError

    assert one(camera(PI, unread, True, opened=touched)).ok
    assert (buttons(Machine(), GPIO, True, opened=touched)).ok


def test_the_buttons_of_a_running_table_are_asked_of_its_desk():
    desk = stopped_desk()
    assert (buttons(Machine(), GPIO, True, desk)).ok
    desk.active_troubles.begin(
        make_trouble("button_stuck", "left has been closed for 3 s", 1, "left")
    )
    stuck = buttons(Machine(), GPIO, True, desk)
    assert stuck.says == "left has been closed for 3 s"


def test_simulated_web_and_keyboard_buttons(monkeypatch):
    assert (buttons(Machine(), Buttons(kind="simulated"), False)).ok
    assert (buttons(Machine(), Buttons(kind="web"), False)).ok
    monkeypatch.setattr("sys.stdin", io.StringIO())
    amiss((buttons(Machine(), Buttons(kind="keyboard"), False)), "terminal")


# --- pins ---


@pytest.fixture
def factory():
    pytest.importorskip("gpiozero", reason="gpiozero is not installed")
    from gpiozero.pins.mock import MockFactory

    made = MockFactory()
    yield made
    made.reset()


class Exact(GpioButtons):
    """Mock pins, taken for the kernel's own."""

    exact = True


def pins(factory, at_sleep=lambda: None, kind=Exact, closed=None):
    """The doctor's report on buttons at mock pins; ``at_sleep`` runs while it looks."""
    machine = Machine(Path("/nowhere"), lambda _: None, lambda _: at_sleep())
    opened = kind(GpioOptions(), factory=factory)
    if closed is not None:
        factory.pin(closed).drive_low()
    return buttons(machine, GPIO, False, opened=lambda _: opened)


def test_open_buttons_will_do_and_their_pins_are_given_back(factory):
    for _ in range(2):
        check = pins(factory)
        assert check.ok, check
    assert check.says == "left at GPIO 17, right at GPIO 27, neutral at GPIO 22, all open"
    amiss(pins(factory, closed=27), "right closed for the whole 1 s")
    amiss(pins(factory, kind=GpioButtons), "", "lgpio")  # its edges lack the kernel's stamp


def test_a_button_that_is_pressed_meanwhile_is_not_stuck(factory):
    naps = itertools.count(1)

    def sleep():
        getattr(factory.pin(17), "drive_low" if next(naps) == 5 else "drive_high")()

    check = pins(factory, sleep)
    assert (check.ok, "left pressed just now" in check.says) == (True, True)


@pytest.mark.parametrize(
    ("there", "allowed", "remedy"),
    [
        (False, (), "no /dev/gpiochip0"),
        (True, (), "usermod -aG gpio"),
        (True, ("gpiochip0",), "lgpio keeps a pipe"),
    ],
)
def test_pins_that_cannot_be_used_are_told_with_what_is_amiss(
    tmp_path, monkeypatch, there, allowed, remedy
):
    no_pins = SensorError("gpio: the button pins can't be used (Unable to load any pin factory!)")
    if there:
        (tmp_path / "dev").mkdir()
        (tmp_path / "dev" / "gpiochip0").touch()
    monkeypatch.setattr("sensors.gpio.os.access", lambda path, _: path.name in allowed)
    machine = Machine(tmp_path, lambda _: None, lambda _: None)
    assert remedy in (buttons(machine, GPIO, False, opened=raising(no_pins))).remedy


PICTURE = np.full((120, 160, 3), 128, np.uint8)


def check_of(path):
    config = Camera.model_validate({"kind": "file", "path": str(path)})
    return judged(look(lambda: open_camera(config), 0.3, PATIENCE_S), config)


@pytest.mark.parametrize("name", ["photo.png", "folder"])
def test_one_picture_is_no_video(tmp_path, name):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "photo.png", tmp_path / "folder" / "a.png"):
        cv2.imwrite(str(path), PICTURE)
    check = check_of(tmp_path / name)
    amiss(check, "one still picture")


def test_the_rate_of_a_video_is_its_own(tmp_path):
    path = tmp_path / "game.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 5.0, (160, 120))
    for _ in range(10):
        writer.write(PICTURE)
    writer.release()
    check = check_of(path)
    assert check.ok
    assert "5.0 pictures a second" in check.says
