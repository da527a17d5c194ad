"""The files of a bundle, out of its archive: every file stored as it is, and nothing else."""

import struct
import zlib

from .problems import Bad

TEXTS = ("manifest.json", "manifest.sig", "events.jsonl", "chain.txt")
MAX_FILE, MAX_TEXT, MAX_ENTRIES = 2**32 - 1, 2**26, 65_000


def heads(name: bytes, crc: int, size: int, at: int) -> tuple[bytes, bytes]:
    """The header before the content that begins at byte ``at``, and the one in the directory."""
    fields = (20, 0, 0, 0, 33, crc, size, size, len(name), 0)
    head = struct.pack("<4s5H3L2H", b"PK\3\4", *fields)
    return head, struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, *fields, *[0] * 4, at) + name


def directory(central: list[bytes], at: int) -> bytes:
    """What stands at the end, from byte ``at`` on: the headers of all entries, and their number."""
    count, size = len(central), sum(map(len, central))
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, size, at, 0)
    return b"".join(central) + end


def archive(data: memoryview) -> tuple[dict[str, memoryview], list[Bad]]:
    """The entries by name, where the archive is the only one they can make; check sums amiss."""
    files: dict[str, memoryview] = {}
    central: list[bytes] = []
    at, amiss = 0, []
    while len(files) < MAX_ENTRIES and len(data) >= at + 30 and bytes(data[at:][:4]) == b"PK\3\4":
        crc, size, length = struct.unpack_from("<L4xLH", data, at + 14)
        start = at + 30 + length
        name, content = bytes(data[at + 30 : start]), data[start : start + size]
        text = name.decode("ascii") if name.isascii() else "\n"
        head, entry = heads(name.ljust(length), crc, size, at)
        if data[at : at + 30] != head or len(content) != size or not text.isprintable():
            raise Bad(f"byte {at}", "no sound entry begins here")
        if zlib.crc32(content) != crc:
            amiss.append(Bad(f"byte {at}", f"the check sum of {text} is wrong"))
        if text in files:
            raise Bad(text, "is in the bundle twice")
        files[text] = content
        central.append(entry)
        at = start + size
    end = directory(central, at)
    there = bytes(data[at : at + len(end) + 1])
    if there != end:
        shorter = min(len(there), len(end))
        odd = next((n for n in range(shorter) if there[n] != end[n]), shorter)
        amiss.append(Bad(f"byte {at + odd}", "the directory is not what the entries give"))
    for one in TEXTS:
        if one in files and len(files[one]) > MAX_TEXT:
            raise Bad(one, "has more than 64 MiB")
    return files, amiss
