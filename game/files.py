"""Reads files that a user names, and replaces files in one step.

A named pipe would block the program until somebody writes to it, ``/dev/zero`` never ends, and a
sparse file of 100 GB takes up no room on the disk but all of the memory. Every file that comes from
outside is therefore opened by :func:`open_file`: regular files of a bounded size alone.

A process that is killed, or a power cut, must not leave half a file under a known name. Every file
that replaces another is therefore written by :func:`replacing` or :func:`write_file`.

``OSError`` is left to the caller, who knows what the file is for; :func:`os_error_as` words it.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from game.errors import TilewatchError

SMALL: Final = 4_000_000
"""Bytes. No configuration, label or other small text is longer."""

_PIECE: Final = 2**16

_KINDS: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_TEMPORARY: Final = re.compile(r"\..+\.\d+\.(?P<process>\d+)\.tmp")
_NUMBERS: Final = itertools.count()
"""Numbers for temporary files: two threads may write the same file at once."""


def open_file(path: Path, at_most: int, error: type[TilewatchError] = TilewatchError) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        error: the path is a pipe, a socket or a device, or the file has more than ``at_most``
            bytes.
        OSError: the file is missing, a folder, or cannot be opened.
    """
    _require_regular(path, path.stat().st_mode, error)  # before it is opened: that alone may act
    # A pipe that took the file's place since then must not block.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    handle = os.fdopen(descriptor, "rb")
    try:
        found = os.fstat(descriptor)
        _require_regular(path, found.st_mode, error)
        if found.st_size > at_most:
            raise _too_large(path, found.st_size, at_most, error)
    except BaseException:
        handle.close()
        raise
    return handle


def read_file(path: Path, at_most: int, error: type[TilewatchError] = TilewatchError) -> bytes:
    """Return the bytes of a regular file. Raises as :func:`open_file` does."""
    with open_file(path, at_most, error) as handle:
        # A read takes as much memory as is asked for, whatever there is.
        data = handle.read(os.fstat(handle.fileno()).st_size + 1)
        while len(data) <= at_most and (more := handle.read(_PIECE)):
            data += more  # it grew, or is of a kind that has no size, as in /proc
    if len(data) > at_most:
        raise _too_large(path, len(data), at_most, error)
    return data


@contextlib.contextmanager
def os_error_as(error: type[TilewatchError], says: str) -> Iterator[None]:
    """Raise an ``OSError`` of the block as ``error``: what ``says`` says, and the system's word."""
    try:
        yield
    except OSError as found:
        raise error(f"{says} ({found.strerror})") from found


def require_replaceable(path: Path, error: type[TilewatchError] = TilewatchError) -> None:
    """Refuse to put a new file in the place of a pipe or a device. Raises ``error``."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # there is nothing yet; what else is wrong is found when it is written
    if stat.S_ISDIR(mode):
        raise error(f"{path}: is a folder; name a file")
    if not stat.S_ISREG(mode):
        raise error(f"{path}: is {_kind(mode)}, which a file cannot replace; name another file")


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False, durable: bool = True) -> Iterator[Path]:
    """Yield an empty temporary file beside ``path``, and rename it to ``path`` at the end.

    Readers find the old file or the whole new one. If the block fails, the old one stays. With
    ``private`` only the owner can read the new file. With ``durable`` the file and its name are on
    the disk afterwards; without it both survive a killed process, but not a power cut. Raises
    ``OSError``.
    """
    with _temporary(path, private=private) as temporary:
        yield temporary
        if durable:
            sync(temporary)
        temporary.replace(path)
        if durable:
            sync(path.parent)


def write_file(path: Path, data: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Write ``data`` to ``path`` in one step, in place of any file there; see :func:`replacing`.

    Raises ``OSError``.
    """
    with replacing(path, private=private, durable=durable) as temporary:
        temporary.write_bytes(data)


def write_ahead(path: Path, data: bytes) -> Path:
    """Write a temporary file beside ``path``, sync it to the disk, and return its path.

    The caller renames it to ``path`` to put it in place. If the process ends before that,
    ``remove_leftovers`` removes the file. Raises ``OSError``.
    """
    ahead = _new_temporary(path, private=False)
    try:
        ahead.write_bytes(data)
        sync(ahead)
    except OSError:
        with contextlib.suppress(OSError):
            ahead.unlink(missing_ok=True)
        raise
    return ahead


def create_private_file(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read; it is on the disk whole, or not at all.

    Raises ``FileExistsError`` if the file exists already, and ``OSError``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _temporary(path, private=True) as temporary:
        temporary.write_bytes(data)
        sync(temporary)
        try:
            os.link(temporary, path)  # unlike a rename, never over another file
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if path.exists():
                raise
            temporary.replace(path)
        sync(path.parent)


def sync(path: Path) -> None:
    """Force a file, or a folder's list of names, to the disk. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files left in a folder by processes that were killed. Raises ``OSError``."""
    for temporary in folder.glob(".*.tmp"):
        named = _TEMPORARY.fullmatch(temporary.name)
        if named and not Path("/proc", named["process"]).exists():
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _temporary(path: Path, *, private: bool) -> Iterator[Path]:
    """Yield an empty temporary file beside ``path``; at the end remove it if it is still there."""
    temporary = _new_temporary(path, private=private)
    try:
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _new_temporary(path: Path, *, private: bool) -> Path:
    if not path.name:  # an empty text, or the root
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    temporary = path.with_name(f".{path.name}.{next(_NUMBERS)}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    os.close(os.open(temporary, flags, 0o600 if private else 0o666))
    return temporary


def _require_regular(path: Path, mode: int, error: type[TilewatchError]) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise error(f"{path}: is {_kind(mode)}, not a file; save it to a file and name that")


def _kind(mode: int) -> str:
    return next((name for test, name in _KINDS if test(mode)), "something special")


def _too_large(path: Path, size: int, at_most: int, error: type[TilewatchError]) -> TilewatchError:
    return error(f"{path}: is too large ({_size(size)}; at most {_size(at_most)} are read)")


def _size(count: int) -> str:
    for unit, step in (("GB", 10**9), ("MB", 10**6)):
        if count >= step:
            return f"{count / step:,.1f} {unit}".replace(".0 ", " ")
    return f"{count:,} bytes"
