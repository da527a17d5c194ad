"""Pictures from files and bytes, or one clear line why not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from game.files import read_file
from vision.address_space import (
    DECODING_BYTES,
    PROGRESSIVE_BYTES,
    READING_BYTES,
    has_room,
    is_out_of_memory,
)
from vision.errors import ImageError
from vision.rectify import Image

MIN_SIDE: Final = 150
"""Pixels. A board of 15 squares is illegible below about 10 pixels a square."""

MAX_PIXELS: Final = 60_000_000
"""A larger picture costs a Pi more memory than it has to spare; no camera made for it exceeds
this."""

MAX_BYTES: Final = 200_000_000
"""A picture of that many pixels takes less, even where nothing of it is compressed."""

_JPEG_START = b"\xff\xd8"
_PNG_START = b"\x89PNG\r\n\x1a\n"
_TOO_LITTLE: Final = (
    "too little memory to read a picture of this size; shrink it, close other programs, or raise"
    " the limit (ulimit -v)"
)
_MARKER_AFTER_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""In entropy-coded data 0xFF is stuffed (FF00) or a restart (FFD0–FFD7); anything else ends it
(ITU-T T.81, B.1.1.5)."""


def load_image(path: Path | str) -> Image:
    """The picture in a file, uint8 (H, W, 3) BGR, turned as its EXIF orientation says.

    Raises:
        ImageError: missing, unreadable, empty, truncated, not a picture, too small or too large.
    """
    path = Path(path)
    try:
        data = read_file(path, MAX_BYTES, ImageError)
    except FileNotFoundError:
        raise ImageError(f"{path}: no such file; check the name") from None
    except IsADirectoryError:
        raise ImageError(f"{path}: is a folder; name the pictures in it") from None
    except OSError as error:
        raise ImageError(f"{path}: {error.strerror}; check the file and its permissions") from None
    return decode_image(data, str(path))


def decode_image(data: bytes, name: str) -> Image:
    """The picture in ``data``, uint8 (H, W, 3) BGR, EXIF orientation applied.

    Args:
        data: a JPEG, PNG or any other format that OpenCV reads.
        name: what to call the picture in an error.

    Raises:
        ImageError: as :func:`load_image`.
    """
    if not data:
        raise ImageError(f"{name}: the file is empty (0 bytes); copy or take the picture again")
    size: tuple[int, int] | None = None
    if data.startswith(_JPEG_START):
        size, whole = _scan_jpeg(data)
        if not whole:
            # OpenCV would fill the missing rows with grey, and squares there read as empty.
            raise ImageError(f"{name}: the JPEG is cut off; copy or take the picture again")
    elif data.startswith(_PNG_START) and len(data) >= 24:
        size = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if size is not None:
        _check_size(*size, name)
        _check_room(size[0] * size[1] * DECODING_BYTES, name)
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except (cv2.error, MemoryError) as error:
        if is_out_of_memory(error):
            raise ImageError(f"{name}: {_TOO_LITTLE}") from error
        image = None
    if image is None:
        # OpenCV says no more than that where its memory ran out, too.
        pixels = MAX_PIXELS if size is None else size[0] * size[1]
        _check_room(pixels * PROGRESSIVE_BYTES, name)
        raise ImageError(f"{name}: not a picture that can be decoded; use JPEG or PNG")
    _check_size(image.shape[1], image.shape[0], name)
    return np.asarray(image, dtype=np.uint8)


def _check_room(size: int, name: str) -> None:
    if not has_room(size + READING_BYTES):
        raise ImageError(f"{name}: {_TOO_LITTLE}")


def _check_size(width: int, height: int, name: str) -> None:
    if min(width, height) < MIN_SIDE:
        raise ImageError(
            f"{name}: {width}×{height} pixels are too few to read a board;"
            f" use a picture of at least {MIN_SIDE} pixels a side"
        )
    if width * height > MAX_PIXELS:
        raise ImageError(
            f"{name}: {width}×{height} pixels are more than {MAX_PIXELS // 1_000_000} million;"
            " shrink the picture"
        )


def _scan_jpeg(data: bytes) -> tuple[tuple[int, int] | None, bool]:
    """Width and height from the frame header, and whether the end of the picture is there.

    Phones append whole videos to their JPEGs and put thumbnails, JPEGs themselves, into the
    header, so the end marker is searched for where the format puts it.
    """
    size: tuple[int, int] | None = None
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return size, False
        marker = data[at + 1]
        if marker == 0xD9:
            return size, True
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(data[at + 5 : at + 7], "big")
            size = int.from_bytes(data[at + 7 : at + 9], "big"), height
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            end = _MARKER_AFTER_SCAN.search(data, at)
            if end is None:
                return size, False
            at = end.start()
    return size, data[at : at + 2] == b"\xff\xd9"
