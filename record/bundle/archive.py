"""The evidence bundle as a file: a ZIP archive that can be written in exactly one way.

Any program opens it, yet no byte of it is free: entries are stored without compression, with the
same date, without attributes, comments or extra fields, in the order of the manifest. Whoever
changes one bit makes it another archive than the one its entries give. docs/evidence.md has every
byte of it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Final

from record.errors import BundleError

FORMAT: Final = "tilewatch evidence bundle"
VERSION: Final = 2
VERSIONS: Final = (1, 2)
"""Those that can be checked: version 1 had no ``exports``, no verifier and no edges."""

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

LOCAL: Final = struct.Struct("<4s5H3L2H")
CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
END: Final = struct.Struct("<4s4H2LH")
_DATE: Final = 33  # 1 January 1980, as DOS has it

MAX_FILE: Final = 2**32 - 1
"""Bytes of a whole bundle, as a ZIP's own fields can count them."""
MAX_BYTES: Final = MAX_FILE - 2**24
"""Of its entries, which leaves room for the directory."""
MAX_ENTRIES: Final = 65_000
MAX_TEXT: Final = 2**26
"""Bytes of the manifest, of the events and of the chain: what a check has to hold in memory."""
MAX_LINE: Final = 2**22
"""Bytes of one event's line."""
TEXTS: Final = (MANIFEST, SIGNATURE, EVENTS, CHAIN)

_PIECE: Final = 2**20


def picture_name(sha256: str) -> str:
    """The entry of a picture."""
    return f"{PICTURES}/{sha256}.jpg"


def local_header(name: str, crc: int, size: int) -> bytes:
    """The header before an entry's bytes."""
    return (
        LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, _DATE, crc, size, size, len(name), 0)
        + name.encode("ascii")
    )  # fmt: skip


def directory(entries: Sequence[tuple[str, int, int, int]]) -> bytes:
    """The directory after the last entry; each given as (name, CRC-32, size, where it begins)."""
    lines = b"".join(
        CENTRAL.pack(
            b"PK\1\2", 20, 20, 0, 0, 0, _DATE, crc, size, size, len(name), 0, 0, 0, 0, 0, begin
        )
        + name.encode("ascii")
        for name, crc, size, begin in entries
    )
    name, _, size, begin = entries[-1]
    end = begin + LOCAL.size + len(name) + size
    return lines + END.pack(b"PK\5\6", 0, 0, len(entries), len(entries), len(lines), end, 0)


class Writer:
    """Writes the entries of a bundle one after another."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle = handle
        self._at = 0
        self._entries: list[tuple[str, int, int, int]] = []

    def add(self, name: str, content: bytes) -> None:
        """Add an entry. Raises ``BundleError`` when the bundle becomes too large for a ZIP."""
        self._require_room(name, len(content))
        crc = zlib.crc32(content)
        header = local_header(name, crc, len(content))
        self._handle.write(header)
        self._handle.write(content)
        self._entries.append((name, crc, len(content), self._at))
        self._at += len(header) + len(content)

    def copy(self, name: str, source: IO[bytes]) -> None:
        """Add an entry from a file, piece by piece. Raises as :meth:`add` does."""
        begin, crc, size = self._at, 0, 0
        blank = local_header(name, 0, 0)
        self._handle.write(blank)
        while piece := source.read(_PIECE):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            self._require_room(name, size)
            self._handle.write(piece)
        self._handle.seek(begin)
        self._handle.write(local_header(name, crc, size))
        self._handle.seek(0, os.SEEK_END)
        self._entries.append((name, crc, size, begin))
        self._at = begin + len(blank) + size

    def _require_room(self, name: str, size: int) -> None:
        if self._at + size > MAX_BYTES or len(self._entries) >= MAX_ENTRIES:
            raise BundleError("the bundle is too large: more than 4 GB or 65,000 pictures")
        if name in TEXTS and size > MAX_TEXT:
            raise BundleError(f"the bundle is too large: {name} has more than 64 MiB")

    def finish(self) -> None:
        """Write the directory."""
        self._handle.write(directory(self._entries))


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it was found."""

    name: str
    begin: int
    """Offset of its header in the file."""
    content: memoryview
    whole: bool
    """True if its checksum holds."""


@dataclass(frozen=True, slots=True)
class ArchiveFault:
    """A place where the archive is not the one that its entries give."""

    place: str
    message: str


def looks_like_one(data: memoryview) -> bool:
    """True if a file is a bundle at all, sound or not."""
    return (
        bytes(data[LOCAL.size : LOCAL.size + len(MANIFEST)]) == MANIFEST.encode()
        or bytes(data[:4]) == b"PK\3\4"
    )


def read(data: memoryview) -> tuple[list[Entry], ArchiveFault | None]:
    """The entries up to the first flaw in the archive itself, and that flaw.

    An entry whose bytes were changed is no flaw here: ``Entry.whole`` says so.
    """
    entries: list[Entry] = []
    for found in _walk(data):
        if isinstance(found, ArchiveFault):
            return entries, found
        if len(entries) == MAX_ENTRIES:
            return entries, ArchiveFault(
                f"byte {found.begin}", "more entries than a bundle can have"
            )
        entries.append(found)
    if not entries:
        return [], ArchiveFault("byte 0", "no entry begins here")
    last = entries[-1]
    end = last.begin + LOCAL.size + len(last.name) + len(last.content)
    due = directory(
        # A changed entry is already reported; here its header's sum counts.
        [
            (one.name, _crc(data, one.begin), len(one.content), one.begin)
            for one in entries
        ]
    )  # fmt: skip
    there = bytes(data[end : end + len(due) + 1])
    if there != due:
        pairs = zip(there, due, strict=False)
        at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(there), len(due)))
        return entries, ArchiveFault(
            f"byte {end + at}", "the archive's directory is not the one that its entries give"
        )
    return entries, None


def _crc(data: memoryview, begin: int) -> int:
    crc: int = LOCAL.unpack_from(data, begin)[6]
    return crc


def _walk(data: memoryview) -> Iterator[Entry | ArchiveFault]:
    at = 0
    while bytes(data[at : at + 4]) != b"PK\1\2":
        if len(data) - at < LOCAL.size:
            yield ArchiveFault(
                f"byte {at}", "the file ends where an entry or its directory should begin"
            )
            return
        fields = LOCAL.unpack_from(data, at)
        crc, size, length = fields[6], fields[7], fields[9]
        begin = at + LOCAL.size
        name = bytes(data[begin : begin + length])
        content = data[begin + length : begin + length + size]
        header = bytes(data[at : begin + length])
        text = name.decode("ascii", "replace")
        if not text.isascii() or not text.isprintable() or len(content) != size:
            yield ArchiveFault(
                f"byte {at}", "no sound entry begins here, or the file is cut off in it"
            )
            return
        if header != local_header(text, crc, size):
            yield ArchiveFault(f"byte {at}", f"the header of {text[:80]} is not as it is written")
            return
        yield Entry(text, at, content, zlib.crc32(content) == crc)
        at = begin + length + size
