"""A file that stands for a camera."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from sensors.drivers import CAMERAS
from sensors.errors import SensorError
from sensors.interfaces import Camera
from sensors.video_file import FileCamera, FileOptions
from vision.images import decode_picture

SHAPE = (48, 64, 3)


class Clock:
    """A clock that only moves while somebody sleeps."""

    ns = 5_000_000_000

    def now_ns(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)


def opened(path: Path, **options) -> FileCamera:
    clock = Clock()
    return FileCamera(
        FileOptions(path=path, **options),
        decode=decode_picture,
        now_ns=clock.now_ns,
        sleep=clock.sleep,
    )


def grey(level: int) -> np.ndarray:
    return np.full(SHAPE, level, np.uint8)


def level(frame) -> int:
    return round(float(frame.image.mean()))


@pytest.fixture
def video(tmp_path) -> Path:
    path = tmp_path / "table.avi"
    out = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (64, 48))
    for at in range(10):
        out.write(grey(20 * at + 10))
    out.release()
    return path


def test_a_video_is_played_at_its_own_pace_and_its_last_picture_stays(video):
    camera = opened(video, fps=60)
    assert isinstance(camera, Camera)
    frames = list(itertools.islice(camera.frames(), 13))
    camera.close()
    stamps = [frame.t_ns for frame in frames]
    assert stamps == sorted(set(stamps))
    assert [frame.seq for frame in frames] == list(range(13))
    assert abs(level(frames[0]) - 10) < 4
    assert abs(level(frames[-1]) - 190) < 4
    assert level(frames[-1]) == level(frames[-2])


def test_pictures_beyond_the_rate_that_is_asked_for_are_left_out(video):
    camera = opened(video, fps=5)
    first, second = itertools.islice(camera.frames(), 2)
    camera.close()
    assert (second.t_ns - first.t_ns) >= 170_000_000


@pytest.mark.parametrize(
    ("away_s", "given"),
    [
        (0.42, [(0, 0, 0), (3, 150, 3), (4, 200, 4), (5, 250, 5)]),
        (30.0, [(0, 0, 0), (1, 50, 1), (9, 30_100, 10), (9, 30_200, 11)]),
    ],
)
def test_a_video_goes_on_without_a_machine_that_is_behind(video, away_s, given):
    """Its pictures are lost as a camera's are: picture, time in ms, number."""
    clock = Clock()
    camera = FileCamera(
        FileOptions(path=video, fps=60),
        decode=decode_picture,
        now_ns=clock.now_ns,
        sleep=clock.sleep,
    )
    frames = camera.frames()
    first = next(frames)
    clock.sleep(away_s)
    later = list(itertools.islice(frames, 3))
    camera.close()
    assert given == [
        (
            round(level(frame) / 20 - 0.5),
            round((frame.t_ns - first.t_ns) / 1e6),
            frame.seq,
        )
        for frame in (first, *later)
    ]


def test_a_video_is_not_begun_anew_where_a_machine_is_slow():
    assert CAMERAS["file"].stalled_s > 10 * CAMERAS["webcam"].stalled_s


def test_a_recording_plays_by_the_times_in_its_names(tmp_path):
    (tmp_path / "frames").mkdir()
    for t_ms, grey_level in ((5000, 50), (5100, 100), (5200, 150)):
        cv2.imwrite(str(tmp_path / "frames" / f"{t_ms:09d}.jpg"), grey(grey_level))
    camera = opened(tmp_path)
    frames = list(itertools.islice(camera.frames(), 3))
    camera.close()
    assert [level(frame) for frame in frames] == [50, 100, 150]
    assert [frame.t_ns - frames[0].t_ns for frame in frames] == [0, 100_000_000, 200_000_000]


def test_pictures_without_times_are_shown_for_some_seconds_each(tmp_path):
    for name, grey_level in (("a.png", 50), ("b.png", 100)):
        cv2.imwrite(str(tmp_path / name), grey(grey_level))
    camera = opened(tmp_path, seconds=1.0)
    shown = []
    for frame in camera.frames():
        shown.append(frame)
        if level(frame) == 100:
            camera.close()
    assert {level(frame) for frame in shown[:-1]} == {50}
    assert len(shown) > 2, "it is given again and again while it is shown"
    assert shown[-1].t_ns - shown[0].t_ns == 1_000_000_000


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("video.mp4", r"cannot be read \(No such file or directory\)"),
        ("", "holds no JPEG or PNG"),
    ],
)
def test_what_is_not_there_is_one_line(tmp_path, name, says):
    with pytest.raises(SensorError, match=says):
        FileCamera(FileOptions(path=tmp_path / name), decode=decode_picture)


def test_no_library_comments_on_a_file_that_is_no_video(tmp_path):
    """In a process of its own: FFmpeg takes its level of logging once."""
    (tmp_path / "video.mp4").write_bytes(b"nothing of the kind")
    code = (
        "import sys; from pathlib import Path; from sensors.video_file import *\n"
        "try: FileCamera(FileOptions(path=Path(sys.argv[1])), decode=None)\n"
        "except SensorError as error: print(error)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "video.mp4")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "no video that can be played" in done.stdout
    assert done.stderr == ""


def test_a_spoilt_picture_in_a_folder_is_one_line(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"no JPEG")
    with pytest.raises(SensorError, match=r"a\.jpg: not a picture that can be decoded"):
        next(opened(tmp_path).frames())


def test_a_picture_that_is_cut_off_is_not_half_a_grey_board(tmp_path):
    whole = cv2.imencode(".jpg", np.arange(300 * 400, dtype=np.uint8).reshape(300, 400))[1]
    (tmp_path / "a.jpg").write_bytes(whole.tobytes()[: len(whole) // 2])
    with pytest.raises(SensorError, match=r"a\.jpg: the JPEG is cut off"):
        next(opened(tmp_path).frames())
