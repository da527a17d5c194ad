"""Reads the bytes of a bundle, from its file or from the folder into which it was unpacked."""

from __future__ import annotations

import mmap
import os
import re
import stat
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from record.bundle.archive import (
    MANIFEST,
    MAX_FILE,
    MAX_TEXT,
    SIGNATURE,
    TEXTS,
    Writer,
)
from record.strict_json import loads
from record.verifier.report import Unusable


def contents(path: Path, at_most: int = MAX_FILE) -> memoryview:
    """The bytes of a regular file, which take no memory until they are looked at.

    Raises ``Unusable`` and ``OSError``.
    """
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > at_most:  # as opening a device may act
        raise Unusable(f"{path.name}: not a file, or larger than a bundle can be")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # no wait for a pipe
        return mapped(file)


def mapped(file: IO[bytes]) -> memoryview:
    """The bytes of an open file, which may be empty."""
    empty = not os.fstat(file.fileno()).st_size
    return memoryview(b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def packed(folder: Path) -> memoryview:
    """Put an unpacked bundle together again, byte for byte. Raises as contents does."""
    try:
        manifest = loads(bytes(contents(folder / MANIFEST, MAX_TEXT)))
        names = [MANIFEST, SIGNATURE, *(one["name"] for one in manifest["files"])]
    except (OSError, ValueError, TypeError, KeyError, Unusable):
        text = "a folder without the manifest of a bundle; unpack the whole bundle into it"
        raise Unusable(text) from None
    if not all(re.fullmatch(r"(pictures/)?[\w-]+\.\w+", str(name), re.A) for name in names):
        raise Unusable("no bundle: the folder's manifest lists a file of an odd name")
    with tempfile.TemporaryFile() as bundle:
        writer = Writer(bundle)
        for name in names:
            if (folder / name).is_file():
                try:
                    writer.add(name, contents(folder / name))
                except ValueError as error:
                    raise Unusable(str(error)) from None
        writer.finish()
        bundle.flush()
        return mapped(bundle)


def opened(path: Path) -> memoryview:
    """The bytes of a bundle or of such a folder. Raises as :func:`contents` does."""
    return packed(path) if path.is_dir() else contents(path)


def was_repacked(path: Path) -> bool:
    """True if any program can unpack it, and it has the entries of a bundle."""
    try:
        with zipfile.ZipFile(path) as other:
            return set(TEXTS) <= {Path(name).name for name in other.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False
