"""Files as they are read: a bundle, or the folder into which somebody unpacked one."""

import mmap
import os
import re
import stat
import tempfile
import zlib

from .entries import MAX_ENTRIES, MAX_FILE, MAX_TEXT, directory, heads
from .problems import Unusable
from .strict_json import loads


def contents(path: str, at_most: int) -> memoryview:
    """The bytes of a regular file, which take no memory until they are looked at."""
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode) or about.st_size > at_most:  # as opening a device may act
        raise Unusable(f"{os.path.basename(path)}: not a file, or larger than a bundle can be")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # no wait for a pipe
        there = about.st_size and mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return memoryview(there or b"")


def packed(folder: str) -> memoryview:
    """The bundle as it was before somebody unpacked it into ``folder``."""
    try:
        manifest = loads(bytes(contents(f"{folder}/manifest.json", MAX_TEXT)))
        names = ["manifest.json", "manifest.sig", *(one["name"] for one in manifest["files"])]
    except (OSError, ValueError, TypeError, KeyError, Unusable):
        raise Unusable("a folder without the manifest of a bundle") from None
    central: list[bytes] = []
    with tempfile.TemporaryFile() as bundle:
        for name in names:
            if not re.fullmatch(r"(pictures/)?[\w-]+\.\w+", str(name), re.A):
                raise Unusable("a folder that is no bundle: its manifest lists odd names")
            if not os.path.isfile(f"{folder}/{name}"):
                continue
            file = contents(f"{folder}/{name}", MAX_FILE)
            if bundle.tell() + len(file) > MAX_FILE or len(central) == MAX_ENTRIES:
                raise Unusable("a folder that is larger than a bundle can be")
            head, entry = heads(name.encode(), zlib.crc32(file), len(file), bundle.tell())
            bundle.writelines([head, name.encode(), file])
            central.append(entry)
        bundle.write(directory(central, bundle.tell()))
        bundle.flush()
        return memoryview(mmap.mmap(bundle.fileno(), 0, access=mmap.ACCESS_READ))
