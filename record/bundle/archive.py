"""The evidence bundle as a file: a ZIP archive that can be written in exactly one way.

Any program opens it, yet no byte is free: entries are stored without compression, with the same
date, without attributes, comments or extra fields, in the order of the manifest. If one bit is
changed, the archive is no longer the one that its entries give; an unpacked bundle can be packed
again byte for byte. docs/evidence.md specifies every byte. Every bundle carries the verifier with
this module, so it imports nothing of tilewatch but other modules of the verifier.
"""

from __future__ import annotations

import mmap
import os
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

from record.strict_json import loads

FORMAT: Final = "tilewatch evidence bundle"
VERSION: Final = 2

MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.sig"
EVENTS: Final = "events.jsonl"
CHAIN: Final = "chain.txt"
RECORD: Final = "game.gcg"
PAGE: Final = "index.html"
VERIFIER: Final = "verify_bundle.py"
EDGES: Final = "edges.csv"
README: Final = "README.txt"
PICTURES: Final = "pictures"

MAX_FILE: Final = 2**32 - 1
"""The most bytes of a bundle, limited by the fields of a ZIP archive."""
MAX_ENTRIES: Final = 65_000
MAX_TEXT: Final = 2**26
"""The most bytes of the manifest, the events and the chain each, which a check holds in memory."""
MAX_LINE: Final = 2**22
"""The most bytes of one event's line."""
TEXTS: Final = (MANIFEST, SIGNATURE, EVENTS, CHAIN)

LOCAL: Final = struct.Struct("<4s5H3L2H")
CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
END: Final = struct.Struct("<4s4H2LH")
_DATE: Final = 33  # 1 January 1980, as DOS has it
_MAX_ENTRIES_BYTES: Final = MAX_FILE - 2**24  # the rest is room for the directory


class Unusable(Exception):  # noqa: N818 (it is no error of the program)
    """The file is no bundle, or cannot be checked here."""


def picture_name(sha256: str) -> str:
    """Return the name of a picture's entry."""
    return f"{PICTURES}/{sha256}.jpg"


class Entry(NamedTuple):
    """One entry of an archive that is read."""

    name: str
    begin: int
    """The offset of the entry's header in the file."""
    crc: int
    """The check sum that the header states."""
    content: bytes | memoryview

    @property
    def end(self) -> int:
        """The offset of the first byte after the entry."""
        return self.begin + LOCAL.size + len(self.name) + len(self.content)

    @property
    def whole(self) -> bool:
        """True if the content has the check sum stated."""
        return zlib.crc32(self.content) == self.crc

    @property
    def header(self) -> bytes:
        """The bytes of the header, without the entry's name."""
        return LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, _DATE, *self._sizes, 0)

    @property
    def line(self) -> bytes:
        """The bytes of the entry in the directory."""
        fields = (20, 20, 0, 0, 0, _DATE, *self._sizes, 0, 0, 0, 0, 0, self.begin)
        return CENTRAL.pack(b"PK\1\2", *fields) + self.name.encode("ascii")

    @property
    def _sizes(self) -> tuple[int, int, int, int]:
        return self.crc, len(self.content), len(self.content), len(self.name)


def directory(lines: list[bytes], begin: int) -> bytes:
    """Return the directory that follows the last entry and begins at byte ``begin``."""
    text = b"".join(lines)
    return text + END.pack(b"PK\5\6", 0, 0, len(lines), len(lines), len(text), begin, 0)


class Writer:
    """Writes the entries of a bundle one after another, and at last the directory."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle = handle
        self._at = 0
        self._lines: list[bytes] = []

    def add(self, name: str, content: bytes | memoryview) -> None:
        """Add an entry. Raises ``ValueError`` if the bundle becomes too large."""
        if self._at + len(content) > _MAX_ENTRIES_BYTES or len(self._lines) >= MAX_ENTRIES:
            raise ValueError("the bundle is too large: more than 4 GB or 65,000 pictures")
        if name in TEXTS and len(content) > MAX_TEXT:
            raise ValueError(f"the bundle is too large: {name} has more than 64 MiB")
        entry = Entry(name, self._at, zlib.crc32(content), content)
        self._handle.writelines((entry.header, name.encode("ascii"), content))
        self._lines.append(entry.line)
        self._at = entry.end

    def finish(self) -> None:
        """Write the directory."""
        self._handle.write(directory(self._lines, self._at))


def is_bundle(data: memoryview) -> bool:
    """True if a file is a bundle at all, sound or not."""
    name = bytes(data[LOCAL.size : LOCAL.size + len(MANIFEST)])
    return name == MANIFEST.encode() or bytes(data[:4]) == b"PK\3\4"


def read(data: memoryview) -> tuple[list[Entry], tuple[str, str] | None]:
    """Return the entries up to the first flaw of the archive, and the flaw: (place, what), or None.

    Changed bytes of a content are no flaw here: ``Entry.whole`` shows them.
    """
    entries: list[Entry] = []
    for found in _walk(data):
        if isinstance(found, str):
            at = entries[-1].end if entries else 0
            return entries, (f"byte {at}", found)
        if len(entries) == MAX_ENTRIES:
            return entries, (f"byte {found.begin}", "more entries than a bundle can have")
        entries.append(found)
    if not entries:
        return [], ("byte 0", "no entry begins here")
    end = entries[-1].end
    due = directory([one.line for one in entries], end)
    there = bytes(data[end : end + len(due) + 1])
    if there == due:
        return entries, None
    shorter = min(len(there), len(due))
    at = end + next((n for n in range(shorter) if there[n] != due[n]), shorter)
    return entries, (f"byte {at}", "the archive's directory is not the one that its entries give")


def _walk(data: memoryview) -> Iterator[Entry | str]:
    """Yield every entry; if one is malformed, yield the fault in words and end."""
    at = 0
    while bytes(data[at : at + 4]) != b"PK\1\2":
        if len(data) - at < LOCAL.size:
            yield "the file ends where an entry or its directory should begin"
            return
        *_, crc, size, _, length, _ = LOCAL.unpack_from(data, at)
        start = at + LOCAL.size + length
        name = bytes(data[at + LOCAL.size : start]).decode("latin-1")
        entry = Entry(name, at, crc, data[start : start + size])
        if not name.isascii() or not name.isprintable() or len(entry.content) != size:
            yield "no sound entry begins here, or the file is cut off in it"
            return
        if bytes(data[at : at + LOCAL.size]) != entry.header:
            yield f"the header of {name[:80]} is not as it was written"
            return
        yield entry
        at = entry.end


def contents(path: Path, at_most: int = MAX_FILE) -> memoryview:
    """Return the bytes of a regular file, mapped into memory and read only when used.

    Raises ``Unusable`` and ``OSError``.
    """
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > at_most:  # as opening a device may act
        raise Unusable(f"{path.name}: not a file, or larger than a bundle can be")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # no wait for a pipe
        return mapped(file)


def mapped(file: IO[bytes]) -> memoryview:
    """Return the bytes of an open file, which may be empty, mapped into memory."""
    empty = not os.fstat(file.fileno()).st_size
    return memoryview(b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def packed(folder: Path) -> memoryview:
    """Put an unpacked bundle together again, byte for byte. Raises as ``contents`` does."""
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


def was_repacked(path: Path) -> bool:
    """True if the file is an ordinary ZIP archive with the entries of a bundle."""
    try:
        with zipfile.ZipFile(path) as other:
            return set(TEXTS) <= {Path(name).name for name in other.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False
