"""Every picture is read right or refused in one line that names it and the remedy.

No library below says or writes anything of its own.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import ImageError
from vision.images import decode_image, decoded_with_messages

PICTURE = (np.add.outer(np.arange(240), np.arange(320)) % 251).astype(np.uint8)
PICTURE = np.dstack([PICTURE, PICTURE.T[:240, :240].repeat(2, 1)[:, :320], 255 - PICTURE])


def jpeg(image=PICTURE, *options):
    return cv2.imencode(".jpg", image, list(options))[1].tobytes()


def with_exif_orientation(data: bytes, orientation: int) -> bytes:
    tiff = b"II*\0\x08\0\0\0" + struct.pack("<HHHII", 1, 0x0112, 3, 1, orientation) + b"\0\0\0\0"
    body = b"Exif\0\0" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]


def giant_png(width: int, height: int) -> bytes:
    """A valid, tiny file that would unpack to gigabytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IEND", b"")


def test_a_png_is_read_as_it_is():
    png = cv2.imencode(".png", PICTURE)[1].tobytes()
    assert (decode_image(png, "a.png") == PICTURE).all()


BEHIND = b"\0" * 100_000
"""The beginning of a phone's video."""


@pytest.mark.parametrize(
    "data",
    [
        *(
            jpeg(PICTURE, option, 1)
            for option in (cv2.IMWRITE_JPEG_PROGRESSIVE, cv2.IMWRITE_JPEG_RST_INTERVAL)
        ),
        jpeg() + BEHIND,
        *(jpeg()[:-2] + padding + jpeg()[-2:] for padding in (b"\0\0\0\0", b"abc")),
    ],
    ids=["progressive", "restarted", "a video behind it", "padding", "more padding"],
)
def test_jpegs_of_every_make_are_whole(data):
    assert decode_image(data, "a.jpg").shape == PICTURE.shape


def test_exif_orientation_is_applied():
    upright = decode_image(jpeg(), "a.jpg")
    turned = decode_image(with_exif_orientation(jpeg(), 6), "a.jpg")
    assert turned.shape == (320, 240, 3)
    assert np.abs(np.rot90(upright, -1).astype(int) - turned).mean() < 1


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.95, 0.999])
def test_a_cut_off_jpeg_is_refused_at_any_length(share):
    data = jpeg(PICTURE, cv2.IMWRITE_JPEG_QUALITY, 98)
    with pytest.raises(ImageError, match=r"^a\.jpg: .*(cut off|not a picture)"):
        decode_image(data[: int(len(data) * share)], "a.jpg")


def spoilt(kind: str) -> bytes:
    """A picture whose beginning is well."""
    if kind == "jpeg":  # its end is there, and half its rows are not
        data = jpeg()
        return data[: len(data) // 2] + b"\xff\xd9"
    data = cv2.imencode(kind.partition(" ")[0], PICTURE)[1].tobytes()
    if kind.endswith("cut"):
        return data[: len(data) // 2]
    at = len(data) // 2
    return data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1 :]


SPOILT = ("jpeg", ".png", ".png cut", ".bmp cut", ".ppm cut", ".tiff cut", ".jp2 cut")


@pytest.mark.parametrize("kind", SPOILT)
def test_a_picture_of_which_a_part_is_missing_is_refused(kind):
    with pytest.raises(ImageError, match=r"^a: (the|not a picture that can be decoded)"):
        decode_image(spoilt(kind), "a")


def test_no_library_comments_on_spoilt_pictures(tmp_path):
    """In a process of its own, whose file descriptor 2 is looked at."""
    names = [tmp_path / f"{number}" for number, _ in enumerate(SPOILT)]
    for name, kind in zip(names, SPOILT, strict=True):
        name.write_bytes(spoilt(kind))
    command = [sys.executable, "-m", "table.cli", "read", *map(str, names)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["tilewatch"] * len(names), done.stderr
    assert all(str(name) in line for name, line in zip(names, lines, strict=True))


def test_what_other_threads_print_is_not_lost_meanwhile(capfd):
    def decode() -> str:
        os.write(2, b"from another thread\n")
        ctypes.CDLL(None).perror(b"from a library")
        return "done"

    done, messages = decoded_with_messages(decode)
    assert (done, capfd.readouterr().err) == ("done", "from another thread\n")
    assert "from a library" in messages
    assert decoded_with_messages(lambda: None) == (None, "")


def test_a_cut_off_jpeg_with_a_whole_thumbnail_is_refused():
    data = jpeg()
    body = b"Exif\0\0" + jpeg(PICTURE[:16, :16])
    data = data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]
    assert decode_image(data, "a.jpg").shape == (240, 320, 3)
    with pytest.raises(ImageError, match="cut off"):
        decode_image(data[:-500], "a.jpg")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (b"hello, this is no picture\n" * 40, "not a picture"),
        (b"\xff\xd8\xff\xd9", "not a picture"),
        (jpeg(np.zeros((1, 1, 3), np.uint8)), "too few"),
        (jpeg(np.zeros((100, 4000, 3), np.uint8)), "too few"),
        (giant_png(12_000, 9_000), "60 million"),
        (giant_png(2**31 - 1, 2**31 - 1), "60 million"),
    ],
)
def test_what_is_no_usable_picture_is_refused(data, words):
    with pytest.raises(ImageError, match=words) as refused:
        decode_image(data, "IMG_1.jpg")
    assert str(refused.value).startswith("IMG_1.jpg: ")
    assert "\n" not in str(refused.value)


def test_a_giant_jpeg_is_refused_before_it_is_unpacked():
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", 9_000, 12_000)
    with pytest.raises(ImageError, match="12000×9000"):
        decode_image(bytes(data), "a.jpg")


ROOT = Path(__file__).resolve().parents[2]
LOAD = (
    "from models import weights; from vision.classifier import open_session; "
    "open_session(weights.path('tiles.onnx'))"
)


@pytest.mark.parametrize("home", ["a folder", "none"])
def test_loading_weights_says_nothing_and_leaves_nothing_behind(tmp_path, home):
    """Not a line on stderr without a home folder, and no identifier of the machine within one."""
    folder = str(tmp_path) if home == "a folder" else "/proc/nobody"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ORT_"))}
    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        cwd=ROOT,
        env={**kept, "HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
