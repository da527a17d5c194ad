"""Files as they are read: a bundle, or the folder into which somebody unpacked one."""

import mmap
import os
import re
import stat
import tempfile
import zlib
from typing import BinaryIO

from .entries import MAX_ENTRIES, MAX_FILE, MAX_TEXT, directory, heads
from .problems import Unusable
from .strict_json import loads

PIECE = 2**20


def regular(path: str, at_most: int) -> BinaryIO:
    """Open a regular file of at most so many bytes. Raises Unusable, or OSError."""
    if stat.S_ISREG(os.stat(path).st_mode):  # asked first, as opening a device may act
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe must not make us wait
        about = os.fstat(handle)
        if stat.S_ISREG(about.st_mode) and about.st_size <= at_most:
            return os.fdopen(handle, "rb")
        os.close(handle)
    raise Unusable("not a file, or larger than a bundle can be")


def mapped(file: BinaryIO) -> memoryview:
    """The bytes of a file, which take no memory until they are looked at. Raises Unusable."""
    if not os.fstat(file.fileno()).st_size:
        raise Unusable("empty")
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def packed(folder: str) -> memoryview:
    """The bundle as it was before somebody unpacked it into ``folder``."""
    try:
        with regular(f"{folder}/manifest.json", MAX_TEXT) as manifest:
            listed = [one["name"] for one in loads(manifest.read())["files"]]
    except (OSError, ValueError, TypeError, KeyError, Unusable):
        raise Unusable("a folder without the manifest of a bundle") from None
    central: list[bytes] = []
    with tempfile.TemporaryFile() as bundle:
        for name in ("manifest.json", "manifest.sig", *listed):
            odd = not isinstance(name, str) or not re.fullmatch(
                r"(pictures/)?[\w-]+\.\w+", name, re.A
            )
            if odd or len(central) == MAX_ENTRIES:
                raise Unusable(
                    "a folder that is no bundle: its manifest lists odd or too many names"
                )
            try:
                file = regular(f"{folder}/{name}", MAX_FILE)
            except (OSError, Unusable):
                continue  # it will be missing
            with file:
                central.append(put(bundle, name.encode(), file))
        end = directory(central, bundle.tell())
        bundle.write(end)
        bundle.flush()
        return mapped(bundle)


def put(bundle: BinaryIO, name: bytes, file: BinaryIO) -> bytes:
    """Put a file into a bundle, piece by piece, and return its entry in the directory."""
    at, crc, size = bundle.tell(), 0, 0
    bundle.write(heads(name, 0, 0, at)[0] + name)
    while piece := file.read(PIECE):
        crc, size = zlib.crc32(piece, crc), size + len(piece)
        if bundle.tell() + len(piece) > MAX_FILE:
            raise Unusable("a folder that is larger than a bundle can be")
        bundle.write(piece)
    head, entry = heads(name, crc, size, at)
    bundle.seek(at)
    bundle.write(head)
    bundle.seek(0, os.SEEK_END)
    return entry
