"""Whatever is handed to the command, it answers in one line and never with a traceback."""

from __future__ import annotations

import resource
import subprocess
import sys

import cv2
import numpy as np
import pytest

from models import weights
from table.cli import main
from table.doctor.reader import drawn

TOML = 'name = "game"\ntile_set = "english"\nplayers = { left = "Ann", right = "Bob" }\n'
CSV = "t_ms,button\n0,right\n1000,left\n"
GCG = (
    "#character-encoding UTF-8\n#player1 Ann Ann\n#player2 Bob Bob\n"
    ">Ann: CAT 8G CAT +10 10\n>Bob: EX H8 .XE +10 10\n"
)


@pytest.fixture
def refused(capfd):
    """``refused("read", path)``: what the command says is wrong, in one line.

    Libraries below Python may write to the terminal too, so the descriptors are read.
    """

    def refused(*argv: object) -> str:
        status = main([*map(str, argv)])
        out, err = capfd.readouterr()
        assert status == 2, err
        assert out == ""
        assert err.startswith("tilewatch: ")
        assert err.count("\n") == 1, err
        return err

    return refused


@pytest.fixture
def replayed(refused, recording, tmp_path):
    """``replayed(folder)``: what is wrong with a recording, ``recording`` or another."""
    return lambda folder=recording: refused("replay", folder, "--out", tmp_path / "out")


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 255, (height, width, 3)).astype(np.uint8)


def jpeg(height: int = 400, width: int = 400) -> bytes:
    return cv2.imencode(".jpg", noise(height, width))[1].tobytes()


@pytest.fixture
def recording(tmp_path):
    folder = tmp_path / "recording"
    (folder / "frames").mkdir(parents=True)
    (folder / "recording.toml").write_text(TOML + "stills = true\n", "utf-8")
    (folder / "buttons.csv").write_text(CSV, "utf-8")
    (folder / "frames" / "000000900.jpg").write_bytes(jpeg())
    return folder


# --- replay ---


def test_a_missing_folder(replayed, tmp_path):
    assert f"{tmp_path / 'none'}: no such recording" in replayed(tmp_path / "none")


def test_an_empty_folder(replayed, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "recording.toml: missing" in replayed(tmp_path / "empty")


def test_a_recording_without_frames(replayed, recording):
    (recording / "frames" / "000000900.jpg").unlink()
    assert "no frames" in replayed()


@pytest.mark.parametrize(
    ("csv", "line", "words"),
    [
        (CSV + "500,right\n", 4, "in order of time"),
        (CSV + "2000,middle\n", 4, "unknown button 'middle'"),
        ("0,right\n", 1, "t_ms,button"),
        (CSV + "later,right\n", 4, "is no time"),
    ],
)
def test_wrong_buttons(replayed, recording, csv, line, words):
    (recording / "buttons.csv").write_text(csv)
    message = replayed()
    assert f"{recording / 'buttons.csv'}, line {line}: " in message
    assert words in message


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (TOML.replace("english", "klingon"), "unknown tile_set 'klingon'; known are"),
        (TOML + "frames = 3\n", "unknown key 'frames'; known are"),
        (TOML + "rulebook = 'house'\n", "unknown rulebook 'house'"),
        ("name", "not TOML"),
    ],
)
def test_a_wrong_recording_toml(replayed, recording, toml, words):
    (recording / "recording.toml").write_text(toml)
    message = replayed()
    assert str(recording / "recording.toml") in message
    assert words in message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty file"),
        (b"not a picture", "not a picture"),
        (jpeg()[:5000], "cut off"),
        (cv2.imencode(".jpg", noise(1, 1))[1].tobytes(), "1×1 pixels are too few"),
    ],
)
def test_a_frame_that_is_no_picture(replayed, recording, data, words):
    frame = recording / "frames" / "000000900.jpg"
    frame.write_bytes(data)
    message = replayed()
    assert str(frame) in message
    assert words in message


# --- read ---


PICTURES = {
    "missing.jpg": (None, "no such file"),
    "zero.jpg": (b"", "empty"),
    "truncated.jpg": (jpeg()[:5000], "cut off"),
    "text.jpg": (b"This is no picture at all.\n", "not a picture"),
    "one.jpg": (cv2.imencode(".jpg", noise(1, 1))[1].tobytes(), "1×1 pixels are too few"),
    "one.png": (cv2.imencode(".png", noise(1, 1))[1].tobytes(), "1×1 pixels are too few"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_that_cannot_be_used(refused, tmp_path, name):
    data, words = PICTURES[name]
    if data is not None:
        (tmp_path / name).write_bytes(data)
    message = refused("read", tmp_path / name)
    assert str(tmp_path / name) in message
    assert words in message


def test_a_folder_is_no_picture(refused, tmp_path):
    assert "is a folder" in refused("read", tmp_path)


@pytest.mark.parametrize("ending", ["jpg", "png"])
def test_a_picture_that_is_too_large(refused, tmp_path, ending):
    path = tmp_path / f"large.{ending}"
    assert cv2.imwrite(str(path), np.zeros((9000, 12000), np.uint8))
    message = refused("read", path)
    assert "12000×9000 pixels are more than" in message


def test_a_picture_without_a_board_is_not_guessed_at(refused, tmp_path):
    """Sky, wood grain and plain noise: nothing that could be taken for a grid."""
    weights.path("tiles.onnx")  # not a skip: the package ships them
    sky = np.linspace(120, 250, 480)[:, None, None] * np.ones((1, 640, 3))
    cv2.imwrite(str(tmp_path / "sky.jpg"), sky.astype(np.uint8))
    grain = np.sin(np.linspace(0, 60, 480))[:, None, None] * 20 + 120
    wood = grain + np.random.default_rng(2).normal(0, 6, (480, 640, 3))
    cv2.imwrite(str(tmp_path / "wood.jpg"), wood.astype(np.uint8))
    cv2.imwrite(str(tmp_path / "noise.jpg"), noise(480, 640))
    for name in ("sky", "wood", "noise"):
        message = refused("read", "--json", tmp_path / f"{name}.jpg")
        assert f"{name}.jpg: no board found" in message


def test_an_unknown_tile_set(refused, tmp_path):
    (tmp_path / "x.jpg").write_bytes(jpeg())
    message = refused("read", tmp_path / "x.jpg", "--tile-set", "klingon")
    assert "unknown tile set 'klingon'" in message
    assert "english" in message


# --- score ---


RECORDS = {
    "missing.gcg": (None, "cannot be read"),
    "empty.gcg": (b"", "empty"),
    "cut.gcg": (GCG.encode()[:-30], ""),
    "stops.gcg": (GCG.encode(), "stops before the end of the game"),
    "binary.gcg": (bytes(range(256)) * 8, "binary"),
    "utf16.gcg": (GCG.encode("utf-16"), "UTF-8"),
    "latin1.gcg": (GCG.replace("CAT", "ÄÖÜ").encode("latin-1"), "0xC4"),
    "prose.gcg": (b"Dear diary, today I played Scrabble.\n", ""),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_cannot_be_used(refused, tmp_path, name):
    data, words = RECORDS[name]
    if data is not None:
        (tmp_path / name).write_bytes(data)
    message = refused("score", tmp_path / name)
    assert str(tmp_path / name) in message
    assert words in message


def test_a_folder_is_no_record(refused, tmp_path):
    assert str(tmp_path) in refused("score", tmp_path)


# --- memory ---


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A drawn board of 40 megapixels."""
    picture = cv2.resize(drawn("english"), (8000, 5000), interpolation=cv2.INTER_LINEAR)
    path = tmp_path_factory.mktemp("memory") / "board.jpg"
    assert cv2.imwrite(str(path), picture)
    return path


@pytest.mark.parametrize(
    "megabytes",
    [
        100,
        550,
        700,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (300, 450, 500, 575, 600)),
    ],
)
def test_too_little_memory_is_said_and_never_a_crash_or_no_picture(board, megabytes):
    """A large picture is read where there is room, else one line says why not."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))

    done = subprocess.run(
        [sys.executable, "-m", "table.cli", "read", str(board)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )
    if done.returncode == 0:
        assert "board found" in done.stdout
        return
    assert done.returncode == 2, done.stderr
    assert "too little memory" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
