"""Camera and buttons, real code over devices that misbehave."""

from __future__ import annotations

import io
import threading
import time

import numpy as np
import pytest

from sensors.errors import SensorError
from sensors.fake_picamera2 import FakePicamera2
from sensors.gpio import GpioButtons, GpioOptions
from sensors.interfaces import Frame
from sensors.picamera import PiCamera, PiCameraOptions
from table.config import Buttons, Camera
from table.desk import Desk
from table.doctor.buttons import buttons
from table.doctor.camera import board, camera, look, sized
from table.doctor.machine import Machine
from table.doctor.reader import ROWS, drawn
from table.health.alerts import CODES, Alert
from table.readers import board_reader
from table.table_picture import ShownFrame

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
    eye, view = camera(PI, lambda: reader, False, opened=lambda _: pi_camera(picture), look_s=0.3)
    assert eye.ok, eye
    height, width = picture.shape[:2]
    assert (eye.figures["width"], eye.figures["height"]) == (width, height)
    assert view.name == "board"
    assert view.figures["pixels_a_square"] > 20


def test_squares_have_to_be_large_enough(reader, picture):
    small = np.ascontiguousarray(picture[::2, ::2])
    seen = board(Frame(small, 1, 0), lambda: reader)
    assert not seen.ok
    assert "are wanted" in seen.says
    assert sized(31.0).remedy.startswith("bring the camera to 78% of its distance")
    assert sized(46.0).ok


def test_no_board_in_view(reader):
    blank = np.full((480, 640, 3), 120, np.uint8)
    seen = board(Frame(blank, 1, 0), lambda: reader)
    assert not seen.ok
    assert "lay the board in view" in seen.remedy


def test_no_camera():
    def missing(_):
        raise SensorError("pi camera 0: cannot be opened (list index out of range)")

    eye = one(camera(PI, unread, False, opened=missing))
    assert not eye.ok
    assert "list index out of range" in eye.says
    assert "ribbon cable" in eye.remedy


def test_a_driver_with_an_error_of_its_own():
    def broken(_):
        raise ZeroDivisionError("in the driver")

    eye = one(camera(PI, unread, False, opened=broken))
    assert eye.says == "ZeroDivisionError: in the driver"


def test_a_camera_that_hangs_in_opening_is_not_waited_for_for_ever():
    release = threading.Event()
    eye = one(camera(PI, unread, False, opened=lambda _: release.wait(60), answer_s=0.2))
    release.set()
    assert "does not answer" in eye.says


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


def grey(level):
    return np.full((48, 64, 3), level, np.uint8)


def judged(frames, **more):
    reading = camera(Camera(kind="webcam"), unread, False, opened=lambda _: Film(frames, **more))
    return next(iter(reading))


def test_a_black_picture_a_wrong_clock_and_no_picture_at_all():
    assert "all black" in judged([(grey(3), 0)] * 4).says
    late = judged([(grey(90), 9_000_000_000)] * 4)
    assert "9.0 s ago" in late.says
    ahead = judged([(grey(90), -9_000_000_000)] * 4)
    assert "in the future" in ahead.says
    assert "gives no picture" in judged([]).says


def test_too_few_pictures_a_second():
    slow = judged([(grey(90), 0)] * 3, pause_s=0.3)
    assert not slow.ok
    assert slow.says.startswith("only 64×48, 3.")
    assert "light" in slow.remedy


def test_a_picture_alone_has_no_rate():
    assert look(lambda: Film([(grey(90), 0)]), 1, 5).rate is None


class StoppedDesk(Desk):
    def __init__(self, now_ns=10_000_000_000):
        super().__init__(lambda: now_ns, encode=lambda frame: b"jpeg")


def test_the_camera_of_a_running_table_is_asked_of_its_desk():
    desk = StoppedDesk()
    eye = one(camera(PI, unread, True, desk, opened=unread))
    assert eye.says == "no picture yet"
    frame = Frame(np.zeros((480, 640, 3), np.uint8), 9_900_000_000, 0)
    desk.show(ShownFrame(frame, ((0, 0), (450, 0), (450, 450), (0, 450)), ROWS, 9_900_000_000))
    eye, view = camera(PI, unread, True, desk, opened=unread)
    assert eye.ok
    assert not view.ok
    assert "30 pixels a square" in view.says
    stale = Frame(frame.image, 1_000_000_000, 0)
    desk.show(ShownFrame(stale))
    eye, view = camera(PI, unread, True, desk, opened=unread)
    assert "9 s old" in eye.says
    assert view.says == "the running table has found none"
    desk.alerts.begin(Alert("camera_lost", "webcam 0: no picture for 1.8 s", 1))
    assert next(iter(camera(PI, unread, True, desk))).says == "webcam 0: no picture for 1.8 s"


@pytest.mark.parametrize("code", [code for code in CODES if code.startswith("camera_")])
def test_each_alert_of_a_running_camera_has_its_own_remedy(code):
    desk = StoppedDesk()
    desk.alerts.begin(Alert(code, "the line", 1))
    seen = next(iter(camera(PI, unread, True, desk)))
    assert seen.says == "the line"
    assert seen.remedy == getattr(PI.entry.remedies, code.removeprefix("camera_"))


def test_the_devices_of_a_table_in_another_process_are_left_alone():
    def touched(_):
        raise AssertionError

    assert one(camera(PI, unread, True, opened=touched)).ok
    assert one(buttons(Machine(), GPIO, True, opened=touched)).ok


def test_the_buttons_of_a_running_table_are_asked_of_its_desk():
    desk = StoppedDesk()
    assert one(buttons(Machine(), GPIO, True, desk)).ok
    desk.alerts.begin(Alert("button_stuck", "left has been closed for 3 s", 1, "left"))
    stuck = one(buttons(Machine(), GPIO, True, desk))
    assert stuck.says == "left has been closed for 3 s"


def test_simulated_web_and_keyboard_buttons(monkeypatch):
    assert one(buttons(Machine(), Buttons(kind="simulated"), False)).ok
    assert one(buttons(Machine(), Buttons(kind="web"), False)).ok
    monkeypatch.setattr("sys.stdin", io.StringIO())
    keys = one(buttons(Machine(), Buttons(kind="keyboard"), False))
    assert not keys.ok
    assert "terminal" in keys.says


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


def pins_machine(tmp_path, sleep=lambda _: None):
    return Machine(tmp_path, lambda _: None, sleep)


def test_open_buttons_will_do(factory, tmp_path):
    check = one(
        buttons(
            pins_machine(tmp_path),
            GPIO,
            False,
            opened=lambda _: Exact(GpioOptions(), factory=factory),
        )
    )
    assert check.ok, check
    assert check.says == "left at GPIO 17, right at GPIO 27, neutral at GPIO 22, all open"


def test_a_stuck_button_is_named(factory, tmp_path):
    def opened(_):
        device = Exact(GpioOptions(), factory=factory)
        factory.pin(27).drive_low()
        return device

    check = one(buttons(pins_machine(tmp_path), GPIO, False, opened=opened))
    assert not check.ok
    assert check.says.startswith("right closed for the whole 1 s")


def test_a_button_that_is_pressed_meanwhile_is_not_stuck(factory, tmp_path):
    naps = []

    def sleep(_):
        naps.append(1)
        (factory.pin(17).drive_low if len(naps) == 5 else factory.pin(17).drive_high)()

    check = one(
        buttons(
            pins_machine(tmp_path, sleep),
            GPIO,
            False,
            opened=lambda _: Exact(GpioOptions(), factory=factory),
        )
    )
    assert check.ok
    assert "left pressed just now" in check.says


def test_pins_are_given_back(factory, tmp_path):
    for _ in range(2):
        assert one(
            buttons(
                pins_machine(tmp_path),
                GPIO,
                False,
                opened=lambda _: Exact(GpioOptions(), factory=factory),
            )
        ).ok


def test_edges_without_the_kernels_stamp_are_said(factory, tmp_path):
    check = one(
        buttons(
            pins_machine(tmp_path),
            GPIO,
            False,
            opened=lambda _: GpioButtons(GpioOptions(), factory=factory),
        )
    )
    assert not check.ok
    assert "lgpio" in check.remedy


def no_pins(_):
    raise SensorError("gpio: the button pins can't be used (Unable to load any pin factory!)")


def test_a_machine_without_pins_is_told_so(tmp_path):
    check = one(buttons(pins_machine(tmp_path), GPIO, False, opened=no_pins))
    assert "no /dev/gpiochip0" in check.remedy


def test_pins_that_this_user_may_not_touch(tmp_path, monkeypatch):
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "gpiochip0").touch()
    monkeypatch.setattr("sensors.gpio.os.access", lambda *_: False)
    check = one(buttons(pins_machine(tmp_path), GPIO, False, opened=no_pins))
    assert "usermod -aG gpio" in check.remedy


def test_a_folder_in_which_lgpio_cannot_keep_its_pipe(tmp_path, monkeypatch):
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "gpiochip0").touch()
    monkeypatch.setattr("sensors.gpio.os.access", lambda path, _: path.name == "gpiochip0")
    check = one(buttons(pins_machine(tmp_path), GPIO, False, opened=no_pins))
    assert "lgpio keeps a pipe" in check.remedy
