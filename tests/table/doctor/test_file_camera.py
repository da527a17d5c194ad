"""What the doctor says of a file that stands for a camera."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from table.config import Camera
from table.devices import open_camera
from table.doctor.camera import judged, look, sized

PICTURE = np.full((120, 160, 3), 128, np.uint8)


def check_of(path):
    config = Camera.model_validate({"kind": "file", "path": str(path)})
    return judged(look(lambda: open_camera(config), 0.3, 10.0), config)


@pytest.mark.parametrize("name", ["photo.png", "folder"])
def test_one_picture_is_no_video(tmp_path, name):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "photo.png", tmp_path / "folder" / "a.png"):
        cv2.imwrite(str(path), PICTURE)
    check = check_of(tmp_path / name)
    assert not check.ok
    assert "one still picture" in check.says


def test_the_rate_of_a_video_is_its_own(tmp_path):
    path = tmp_path / "game.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 5.0, (160, 120))
    for _ in range(10):
        writer.write(PICTURE)
    writer.release()
    check = check_of(path)
    assert check.ok
    assert "5.0 pictures a second" in check.says


def test_the_remedy_for_small_squares_fits_a_video():
    assert "[camera]" not in sized(20, "file").remedy
    assert "[camera]" in sized(20).remedy
