"""Decodes pictures from files and bytes, or raises one clear line why not.

libjpeg and libpng write their complaints to C's ``stderr``. While a picture is decoded, that stream
leads into memory; file descriptor 2 and Python's ``sys.stderr`` stay as they are, so that no output
of other threads is lost.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import cv2
import numpy as np

from game.files import read_file
from game.jpeg import START, jpeg_frame
from vision.address_space import (
    DECODING_BYTES,
    PROGRESSIVE_BYTES,
    READING_BYTES,
    has_room,
    is_out_of_memory,
)
from vision.errors import ImageError
from vision.rectify import Image

_T = TypeVar("_T")
_ONE_AT_A_TIME: Final = threading.Lock()
_MOST: Final = 4096
_UNBUFFERED: Final = 2  # _IONBF of stdio.h

if "OPENCV_LOG_LEVEL" not in os.environ:  # somebody who looks for a fault sets it
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def decoded_with_messages(decode: Callable[[], _T]) -> tuple[_T, str]:
    """Return the result of ``decode``, and what its libraries wrote to C's ``stderr``.

    The text is empty if that stream cannot be redirected: only glibc allows it.
    """
    with _ONE_AT_A_TIME:
        stream_in_memory = _message_stream()
        if stream_in_memory is None:
            return decode(), ""
        pointer, stream, descriptor = stream_in_memory
        before = pointer.value
        pointer.value = stream
        try:
            done = decode()
        finally:
            pointer.value = before
            text = os.pread(descriptor, _MOST, 0)
            os.ftruncate(descriptor, 0)
    return done, text.decode("utf-8", "replace")


@functools.cache
def _message_stream() -> tuple[Any, int, int] | None:
    """C's variable ``stderr``, a stream into memory, and that memory's file descriptor.

    The stream is never closed: a thread that still writes to it does no harm.
    """
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version"):
        return None  # elsewhere the variable may not be written
    descriptor = os.memfd_create("decoders")
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    libc.fdopen.restype = ctypes.c_void_p
    libc.setvbuf.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    stream = libc.fdopen(descriptor, b"a")
    if not stream:
        os.close(descriptor)
        return None
    libc.setvbuf(stream, None, _UNBUFFERED, 0)
    return ctypes.c_void_p.in_dll(libc, "stderr"), stream, descriptor


MIN_SIDE: Final = 150
"""Pixels. A board of 15 squares is illegible below about 10 pixels a square."""

MAX_PIXELS: Final = 60_000_000
"""A larger picture costs a Pi more memory than it has to spare; no camera made for it exceeds
this."""

MAX_BYTES: Final = 200_000_000
"""A picture of ``MAX_PIXELS`` pixels has fewer bytes, even if it is not compressed."""

_PNG_START = b"\x89PNG\r\n\x1a\n"
_TOO_LITTLE: Final = (
    "too little memory to read a picture of this size; shrink it, close other programs, or raise"
    " the limit (ulimit -v)"
)
_SPOILT: Final = re.compile(
    r"Corrupt JPEG data(?!: \d+ extraneous bytes before marker 0xd9)|Premature end of JPEG"
)
"""libjpeg's words for data that it had to make up. Padding before the end does no harm."""


def load_image(path: Path | str) -> Image:
    """Return the picture in a file: uint8 (H, W, 3) BGR, EXIF orientation applied.

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
    """Return the picture of a board in ``data``: uint8 (H, W, 3) BGR, EXIF orientation applied.

    Args:
        data: a JPEG, PNG or any other format that OpenCV reads.
        name: what to call the picture in an error.

    Raises:
        ImageError: as :func:`load_image`.
    """
    image = decode_picture(data, name)
    _check_size(image.shape[1], image.shape[0], name)
    return image


def decode_picture(data: bytes, name: str) -> Image:
    """Return a picture as :func:`decode_image` does, even if it is too small to read a board.

    Every picture from outside is decoded here. A picture that is cut off or damaged is refused:
    OpenCV would fill the missing rows with grey, and squares there would read as empty.
    """
    if not data:
        raise ImageError(f"{name}: the file is empty (0 bytes); copy or take the picture again")
    size: tuple[int, int] | None = None
    whole = True
    if data.startswith(START):
        size, whole = (frame := jpeg_frame(data)).size, frame.whole
    elif data.startswith(_PNG_START) and len(data) >= 24:
        size = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
        whole = _has_png_end(data)
    if not whole:
        kind = "JPEG" if data.startswith(START) else "PNG"
        raise ImageError(f"{name}: the {kind} is cut off; copy or take the picture again")
    if size is not None:
        _check_largest(*size, name)
        _check_room(size[0] * size[1] * DECODING_BYTES, name)
    try:
        image, complaint = decoded_with_messages(
            lambda: cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        )
    except (cv2.error, MemoryError) as error:
        if is_out_of_memory(error):
            raise ImageError(f"{name}: {_TOO_LITTLE}") from error
        image, complaint = None, ""
    if image is None:
        # OpenCV says no more than that where its memory ran out, too.
        pixels = MAX_PIXELS if size is None else size[0] * size[1]
        _check_room(pixels * PROGRESSIVE_BYTES, name)
        raise ImageError(f"{name}: not a picture that can be decoded; use JPEG or PNG")
    if _SPOILT.search(complaint):
        raise ImageError(f"{name}: the picture is damaged; copy or take it again")
    _check_largest(image.shape[1], image.shape[0], name)
    return np.asarray(image, dtype=np.uint8)


def _has_png_end(data: bytes) -> bool:
    """True if the chunks of a PNG go on to its last one."""
    at = len(_PNG_START)
    while at + 12 <= len(data):
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    return False


def _check_room(size: int, name: str) -> None:
    if not has_room(size + READING_BYTES):
        raise ImageError(f"{name}: {_TOO_LITTLE}")


def _check_size(width: int, height: int, name: str) -> None:
    if min(width, height) < MIN_SIDE:
        raise ImageError(
            f"{name}: {width}×{height} pixels are too few to read a board;"
            f" use a picture of at least {MIN_SIDE} pixels a side"
        )


def _check_largest(width: int, height: int, name: str) -> None:
    if width * height > MAX_PIXELS:
        raise ImageError(
            f"{name}: {width}×{height} pixels are more than {MAX_PIXELS // 1_000_000} million;"
            " shrink the picture"
        )
