"""Every kind of camera and clock buttons: its entry in the registry is whole."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from game.options import FOLDER, StrictOptions, one_line
from sensors.drivers import BUTTONS, CAMERAS, ButtonKind, ButtonsFault, CameraFault, CameraKind
from sensors.interfaces import SensorError
from sensors.picamera import LockedExposure
from table.config import Buttons, Camera

KINDS = [*CAMERAS.values(), *BUTTONS.values()]
_PAGE = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text("utf-8")
_CAMERA_ROWS, _BUTTON_ROWS = _PAGE.split("| `[camera]`")[1].split("| `[buttons]`")
DOC = {CameraKind: _CAMERA_ROWS, ButtonKind: _BUTTON_ROWS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{type(kind).__name__}-{kind.name}")
def test_every_kind_is_whole(kind):
    assert kind.name
    assert kind.title
    assert issubclass(kind.options, StrictOptions)
    for name, field in kind.options.model_fields.items():
        assert field.description, f"{kind.options.__name__}.{name} needs a description"
    codes = get_args(CameraFault if isinstance(kind, CameraKind) else ButtonsFault)
    assert {field.name for field in fields(kind.remedies)} == set(codes)
    for code in codes:
        assert getattr(kind.remedies, code), f"sensors/drivers.py has no remedy for {code}"
    start = f'| `"{kind.name}"` |'
    rows = [line for line in DOC[type(kind)].splitlines() if line.startswith(start)]
    assert len(rows) == 1, f"docs/configuration.md needs one row that begins {start}"
    (row,) = rows
    for name in kind.options.model_fields:
        assert f"`{name}`" in row, f"{name} is missing in docs/configuration.md"
    if not any(field.is_required() for field in kind.options.model_fields.values()):
        section = Camera if isinstance(kind, CameraKind) else Buttons
        assert section(kind=kind.name).options == kind.options()


GONE = {
    "webcam": {"device": "/dev/video-of-nobody"},
    "url": {"url": "rtsp://127.0.0.1:1/"},
    "file": {"path": "/no/such/video.mp4"},
}
"""Options of a device that is not there, for the kinds whose defaults may mean one that is."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{type(kind).__name__}-{kind.name}")
def test_a_device_that_is_not_there_is_one_line(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)
    monkeypatch.setitem(sys.modules, "gpiozero", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    says = {"webcam": "plugged in", "pi": "python3-picamera2", "gpio": "python3-gpiozero"}
    with pytest.raises(SensorError, match=says.get(kind.name)) as caught:
        kind.open(kind.options.model_validate(GONE.get(kind.name, {})))
    assert "\n" not in str(caught.value)


def test_the_registry_loads_no_library_of_a_device():
    libraries = {"av", "cv2", "gpiozero", "picamera2"}
    code = f"import sys, sensors.drivers; print(*{libraries} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        (CAMERAS["webcam"], {"red": 2.0}, "unknown key 'red'; known are device, width, height"),
        (CAMERAS["webcam"], {"fps": True}, "fps: Input should be a valid integer"),
        (CAMERAS["webcam"], {"device": True}, "device: must be a number or a path"),
        (CAMERAS["pi"], {"lens": 1.0}, "lens is given without exposure_us; give all or none"),
        (CAMERAS["pi"], {"exposure_us": 0}, "exposure_us: Input should be greater than 0"),
        (CAMERAS["url"], {"url": "ftp://ann:hid@x/"}, "url: must begin with rtsp://"),
        (CAMERAS["url"], {"url": "rtsp://ann:h/id@x/"}, "url: must be like rtsp://"),
        (CAMERAS["url"], {"url": "rtsp:///path"}, "url: must be like rtsp://"),
        (CAMERAS["url"], {"url": "http://x/", "password": "hid"}, "password is given without user"),
        (BUTTONS["web"], {"left": 17}, "unknown key 'left'; none is known"),
    ],
)
def test_options_that_cannot_be_meant_are_one_line(kind, given, says):
    with pytest.raises(ValidationError) as caught:
        kind.options.model_validate(given)
    line = one_line(caught.value)
    assert line.startswith(says)
    assert "\n" not in line


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in KINDS
        for name, field in kind.options.model_fields.items()
        if "Path" in repr(field)
    ],
    ids=lambda item: getattr(item, "name", item),
)
def test_paths_are_relative_to_the_folder_of_the_configuration(kind, name, tmp_path):
    given = {**GONE.get(kind.name, {}), name: "x"}
    options = kind.options.model_validate(given, context={FOLDER: tmp_path})
    assert getattr(options, name) == tmp_path / "x"


def test_a_pi_camera_is_locked_to_the_exposure_that_is_given():
    pi = CAMERAS["pi"].options
    given = {"exposure_us": 8000.0, "gain": 2.0, "red": 1.6, "blue": 1.8, "lens": 0.0}
    assert pi.model_validate(given).locked == LockedExposure(8000, 2.0, 1.6, 1.8, 0.0)
    assert pi().locked is None
