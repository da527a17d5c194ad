"""Messages of the libraries that decode pictures are caught here, off the terminal.

libjpeg and libpng write to C's ``stderr``. While a picture is decoded, that stream leads into
memory. File descriptor 2 and Python's ``sys.stderr`` stay as they are, so nothing is lost that
other threads write meanwhile.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import cv2

_T = TypeVar("_T")
_ONE_AT_A_TIME: Final = threading.Lock()
_MOST: Final = 4096
_UNBUFFERED: Final = 2  # _IONBF of stdio.h

if "OPENCV_LOG_LEVEL" not in os.environ:  # somebody who looks for a fault sets it
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def heard(decode: Callable[[], _T]) -> tuple[_T, str]:
    """Return what ``decode`` returns, and what its libraries wrote to C's ``stderr``.

    Where that stream cannot be led elsewhere (it is not glibc's), the text is empty.
    """
    with _ONE_AT_A_TIME:
        ear = _ear()
        if ear is None:
            return decode(), ""
        pointer, stream, descriptor = ear
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
def _ear() -> tuple[Any, int, int] | None:
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
