"""Checks that there is enough memory to read pictures, before it is needed.

OpenCV, OpenBLAS and onnxruntime take address space as they are loaded and as they work. Where a
limit (``ulimit -v``, a service's ``LimitAS``) leaves them too little they do not raise an exception
that could be caught: they end the process with a segmentation fault or an abort. So the room that
they were measured to take is asked for first, by mapping as much and giving it back at once.
"""

from __future__ import annotations

import mmap
import os
from typing import Final

from game.errors import TilewatchError

READER_BYTES: Final = 512 * 2**20
"""Memory for libraries, weights and the reading of a picture of 3 megapixels: measured on x86-64
with one OpenBLAS thread it is 470 MiB."""

READING_BYTES: Final = 100 * 2**20
"""The memory that reading still needs once the libraries are loaded: 89 MiB, with a margin."""

DECODING_BYTES: Final = 6
"""Bytes a pixel: the decoded picture and a copy."""

PROGRESSIVE_BYTES: Final = 12
"""Bytes a pixel of a progressive JPEG, whose coefficients are held too."""

_FOREIGN: Final = ("cv2", "onnxruntime", "numpy")
_SIGNS: Final = ("insufficient memory", "failed to allocate", "allocat", "bad_alloc")


def has_room(size: int) -> bool:
    """Return True if this number of bytes can be mapped now. Nothing is written to them."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    try:
        mmap.mmap(-1, size, flags=flags).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def require_reader_room() -> None:
    """Make sure that the libraries can be loaded and a picture read; call it before either.

    OpenBLAS is limited to one thread: each takes some 40 MB, and our matrices are small.
    Raises ``TilewatchError``.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not has_room(READER_BYTES):
        raise TilewatchError(
            f"too little memory: reading pictures takes {READER_BYTES // 2**20} MB of address "
            "space; raise the limit (ulimit -v, LimitAS=) or close other programs"
        )


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an exception, of our libraries too, means that memory ran out."""
    if isinstance(error, MemoryError):
        return True
    text = str(error).lower()
    ours = type(error).__module__.partition(".")[0] in _FOREIGN
    return ours and any(sign in text for sign in _SIGNS)
