"""Recordings and files for a camera: played as written, and every fault named in one line."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensors.drivers import CAMERAS
from sensors.interfaces import Buttons, Camera, Frame, Press, SensorError
from sensors.recording import Recording, merged
from sensors.video_file import FileCamera, FileOptions
from vision.images import decode_picture

TOML = 'name = "game"\ntile_set = "english"\nplayers = { left = "Ann", right = "Bob" }\n'
CSV = "t_ms,button\n0,right\n1000,left\n2500,neutral\n"


def make(folder: Path, toml: str = TOML, csv: str = CSV, frames: tuple[str, ...] = ()) -> Path:
    (folder / "frames").mkdir(parents=True)
    (folder / "recording.toml").write_text(toml, "utf-8")
    (folder / "buttons.csv").write_text(csv, "utf-8")
    for name in frames or ("000000900.jpg", "000001000.jpg", "000002000.jpg"):
        (folder / "frames" / name).write_bytes(name.encode())
    return folder


def decode(jpeg: bytes, name: str) -> np.ndarray:
    assert Path(name).read_bytes() == jpeg
    return np.zeros((1, 1, 3), np.uint8)


def refusal(folder: Path) -> str:
    with pytest.raises(SensorError) as caught:
        Recording.open(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_recording_is_read_as_it_was_written(tmp_path):
    corners = "corners = [[1, 2], [100, 3], [101.5, 99], [0, 98]]\nstills = true\n"
    corners += 'announced = { clock.minutes = 22, challenge = "lose_turn" }\n'
    recording = Recording.open(make(tmp_path / "r", TOML + corners))
    assert recording.meta.name == "game"
    assert recording.meta.tile_set == "english"
    assert recording.meta.names == {"left": "Ann", "right": "Bob"}
    assert recording.meta.rulebook is None
    assert recording.meta.corners == ((1, 2), (100, 3), (101.5, 99), (0, 98))
    assert recording.meta.stills
    assert recording.meta.announced == {"clock.minutes": 22, "challenge": "lose_turn"}
    camera, buttons = recording.camera(decode), recording.buttons()
    assert isinstance(camera, Camera)
    assert isinstance(buttons, Buttons)
    frames = list(camera.frames())
    assert [(f.t_ns, f.seq, f.jpeg) for f in frames] == [
        (900_000_000, 0, b"000000900.jpg"),
        (1_000_000_000, 1, b"000001000.jpg"),
        (2_000_000_000, 2, b"000002000.jpg"),
    ]
    assert list(buttons.presses()) == [
        Press("right", 0),
        Press("left", 1_000_000_000),
        Press("neutral", 2_500_000_000),
    ]


def test_frames_and_presses_come_in_order_of_time_and_the_frame_first(tmp_path):
    recording = Recording.open(make(tmp_path / "r"))
    stream = list(merged(recording.camera(decode), recording.buttons()))
    assert [type(item).__name__[0] + str(item.t_ns // 1_000_000) for item in stream] == [
        "P0",
        "F900",
        "F1000",
        "P1000",
        "F2000",
        "P2500",
    ]


def test_a_closed_recording_ends(tmp_path):
    recording = Recording.open(make(tmp_path / "r"))
    camera, buttons = recording.camera(decode), recording.buttons()
    frames, presses = camera.frames(), buttons.presses()
    assert isinstance(next(frames), Frame)
    assert isinstance(next(presses), Press)
    camera.close()
    buttons.close()
    assert list(frames) == []
    assert list(presses) == []


def test_byte_order_mark_dos_lines_and_blank_lines_do_no_harm(tmp_path):
    folder = make(tmp_path / "r", csv="\ufefft_ms,button\r\n0, right\r\n\r\n5,left\r\n")
    (folder / "frames" / ".DS_Store").write_bytes(b"litter")
    recording = Recording.open(folder)
    assert [press.button for press in recording.button_presses] == ["right", "left"]
    assert len(recording.frame_paths) == 3


TOML_FAULTS = [
    ("name = \n", "recording.toml: not TOML"),
    (TOML + "announced = 7\n", "recording.toml: announced: an announcement is 7: give a table"),
    (TOML + "tileset = 1\n", "recording.toml: unknown key 'tileset'; known are name"),
    ('tile_set = "english"\n' + TOML.splitlines()[2], "recording.toml: name: Field required"),
    (TOML.replace('"game"', '" "'), "name: String should have at least 1 character"),
    (TOML.replace("english", "klingon"), "unknown tile_set 'klingon'; known are"),
    (TOML + 'rulebook = "house"\n', "unknown rulebook 'house'; known are"),
    (TOML.replace(', right = "Bob"', ""), "players.right: Field required"),
    (TOML.replace('"Bob"', "7"), "players.right: Input should be a valid string"),
    (TOML.replace('{ left = "Ann", right = "Bob" }', '"Ann, Bob"'), "players: Input should be"),
    (TOML + "stills = 1\n", "stills: Input should be a valid boolean"),
    (TOML + 'first = "left"\n', "the first press tells who plays first"),
    (TOML + 'buttons = "none"\nfirst = "Ann"\n', "first: Input should be 'left' or 'right'"),
    (TOML + "corners = [1, 2, 3]\n", "corners: corners are eight numbers"),
    (TOML + 'corners = [1, 2, 3, 4, 5, 6, 7, "8"]\n', "corners: corners must be numbers"),
    (TOML + "corners = [0, 0, 0, 9, 9, 9, 9, 0]\n", "corners: corners run anticlockwise"),
    (TOML + "corners = [0, 0, 9, 9, 9, 0, 0, 9]\n", "corners: corners do not make"),
    (TOML + "corners = [0, 0, 9, 0, inf, 9, 0, 9]\n", "corners: corners must be finite"),
    (TOML + 'buttons = "web"\n', 'buttons can be "none"'),
    (TOML + "buttons = 3\n", 'buttons can be "none"'),
    (TOML + 'buttons = { kind = "none", left = "below" }\n', "buttons.left"),
    (TOML + 'buttons = { kind = "none", left = "top" }\n', "both hands"),
    (TOML + 'buttons = "none"\nstills = true\n', "stills show no hands"),
    (TOML + 'buttons = "none"\n', "remove one of the two"),
]
CSV_FAULTS = [
    ("", "line 1: the first line must be t_ms,button"),
    ("0,right\n1,left\n", "line 1: the first line must be t_ms,button"),
    (CSV + "3000,middle\n", "line 5: unknown button 'middle'; known are left, right, neutral"),
    (CSV + "2400,left\n", "line 5: 2400 comes after 2500"),
    (CSV + "-5,left\n", "line 5: '-5' is no time"),
    (CSV + "soon,left\n", "line 5: 'soon' is no time"),
    (CSV + "2.5e3,left\n", "line 5: '2.5e3' is no time"),
    (CSV + "3000\n", "line 5: needs two fields"),
    (CSV + "3000,left,x\n", "line 5: needs two fields"),
    (CSV + "2500,left\n2500,neutral\n", "line 6: the same press twice"),
    ("\n" + CSV + '3000,"lef\nt"\n', "unknown button"),
]
NAMES = ("1.jpg", "000000900.png", "0000009000.jpg", "000000900.JPG", "-00000900.jpg", "notes.txt")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        *[({"toml": toml}, ("recording.toml", words)) for toml, words in TOML_FAULTS],
        *[({"csv": csv}, ("buttons.csv", words)) for csv, words in CSV_FAULTS],
        *[({"frames": ("000000900.jpg", name)}, (name, "nine digits")) for name in NAMES],
    ],
)
def test_a_wrong_part_of_a_recording_is_named_with_its_key_or_line(tmp_path, wrong, words):
    message = refusal(make(tmp_path / "r", **wrong))
    assert all(word in message for word in words)


FRAME = "frames/000001000.jpg"


@pytest.mark.parametrize(
    ("part", "content", "words"),
    [
        ("", None, "no such recording"),
        ("", b"x", "not a folder"),
        ("recording.toml", None, "recording.toml: cannot be read"),
        ("buttons.csv", None, "buttons.csv: cannot be read"),
        ("frames", None, "frames: missing"),
        ("frames/*", None, "no frames"),
        (FRAME, b"", "000001000.jpg: empty file"),
        ("buttons.csv", CSV.encode() + b"3000,\xff\n", "buttons.csv, line 5: not UTF-8"),
        ("recording.toml", b"\x00\xff", "recording.toml: not TOML"),
    ],
)
def test_a_part_that_is_missing_empty_or_no_text_is_named(tmp_path, part, content, words):
    folder = make(tmp_path / "r")
    for path in list(folder.glob(part)) if part else [folder]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        if content is not None:
            path.write_bytes(content)
    assert words in refusal(folder)


@given(csv=st.binary(max_size=80), toml=st.text(max_size=80))
def test_any_rubbish_gets_one_line(tmp_path_factory, csv, toml):
    folder = make(tmp_path_factory.mktemp("rubbish") / "r")
    (folder / "buttons.csv").write_bytes(b"t_ms,button\n" + csv)
    try:
        Recording.open(folder)
    except SensorError as error:
        assert "\n" not in str(error)
    (folder / "recording.toml").write_text(toml, "utf-8", errors="replace")
    assert refusal(folder).startswith(str(folder))


@pytest.mark.parametrize("spoilt", ["000000900.jpg", "000001000.jpg", "000002000.jpg"])
def test_a_spoilt_picture_in_a_video_is_said_and_left_out(tmp_path, caplog, spoilt):
    folder = make(tmp_path / "r")

    def picky(jpeg: bytes, name: str) -> np.ndarray:
        if name.endswith(spoilt):
            raise SensorError(f"{name}: not a picture")
        return decode(jpeg, name)

    frames = list(Recording.open(folder).camera(picky).frames())
    assert [frame.seq for frame in frames] == [
        seq for seq, path in enumerate(sorted((folder / "frames").iterdir())) if path.name != spoilt
    ]
    assert spoilt in caplog.text


def test_a_recording_of_nothing_but_spoilt_pictures_is_refused(tmp_path):
    def blind(_: bytes, name: str) -> np.ndarray:
        raise SensorError(f"{name}: not a picture")

    stills = make(tmp_path / "stills", TOML + "stills = true\n")
    for folder in (make(tmp_path / "video"), stills):
        with pytest.raises(SensorError, match="not a picture"):
            list(Recording.open(folder).camera(blind).frames())


def test_a_video_without_a_clock_has_no_presses_and_says_where_the_hands_come_from(tmp_path):
    plain = make(tmp_path / "plain", TOML + 'buttons = "none"\n')
    (plain / "buttons.csv").unlink()
    recording = Recording.open(plain)
    assert recording.meta.hands == {"left": "bottom", "right": "top"}
    assert list(recording.buttons().presses()) == []
    beside = make(tmp_path / "beside", TOML + 'buttons = { kind = "none", left = "left" }\n')
    (beside / "buttons.csv").unlink()
    assert Recording.open(beside).meta.hands == {"left": "left", "right": "top"}


SHAPE = (48, 64, 3)


class Clock:
    """A clock that only moves while somebody sleeps."""

    ns = 5_000_000_000

    def now_ns(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)


def opened(path: Path, clock: Clock | None = None, **options) -> FileCamera:
    clock = clock or Clock()
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
    camera = opened(video, clock, fps=60)
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


def test_nothing_rests_between_the_pictures_of_a_slow_film_and_a_longer_gap_is_filled(tmp_path):
    (tmp_path / "frames").mkdir()
    for t_ms, grey_level in ((0, 50), (400, 100), (1000, 150)):
        cv2.imwrite(str(tmp_path / "frames" / f"{t_ms:09d}.jpg"), grey(grey_level))
    camera = opened(tmp_path)
    frames = list(itertools.islice(camera.frames(), 8))
    camera.close()
    assert [level(frame) for frame in frames] == [50, *[100] * 6, 150]


def test_of_pictures_that_are_left_out_none_is_read(tmp_path):
    (tmp_path / "frames").mkdir()
    for at in range(6):
        cv2.imwrite(str(tmp_path / "frames" / f"{at * 100:09d}.jpg"), grey(20 * at + 10))
    clock, read = Clock(), []

    def decode(data: bytes, name: str):
        read.append(Path(name).stem)
        return decode_picture(data, name)

    options = FileOptions(path=tmp_path)
    camera = FileCamera(options, decode=decode, now_ns=clock.now_ns, sleep=clock.sleep)
    frames = camera.frames()
    next(frames)
    clock.sleep(0.75)
    assert next(frames).seq == 5
    camera.close()
    assert read == ["000000000", "000000500"]


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


WHOLE = cv2.imencode(".jpg", np.arange(300 * 400, dtype=np.uint8).reshape(300, 400))[1].tobytes()


@pytest.mark.parametrize(
    ("path", "picture", "says"),
    [
        ("video.mp4", None, r"cannot be read \(No such file or directory\)"),
        ("", None, "holds no JPEG or PNG"),
        ("", b"no JPEG", r"a\.jpg: not a picture that can be decoded"),
        # It is not half a grey board.
        ("", WHOLE[: len(WHOLE) // 2], r"a\.jpg: the JPEG is cut off"),
    ],
)
def test_what_is_not_there_spoilt_or_cut_off_is_one_line(tmp_path, path, picture, says):
    if picture is not None:
        (tmp_path / "a.jpg").write_bytes(picture)
    with pytest.raises(SensorError, match=says):
        next(opened(tmp_path / path).frames())


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
