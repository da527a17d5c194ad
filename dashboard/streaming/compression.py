"""Event streams in gzip, whose long events are compressed once for everybody.

A view is some ten kilobytes of JSON that shrink to a fifth: in a hall it is the air that is short,
when a turn is sent to three hundred phones at once. A gzip stream (RFC 1952) is a header and
deflate blocks (RFC 1951). Blocks that end with a full flush refer to nothing before them and end on
a whole byte, so the same compressed event fits into any stream, and every reader can decode it as
soon as it has come. What is short goes uncompressed, as a stored block.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Final

HEADER: Final = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255))
"""The first bytes of a gzip stream: deflate, no name, no time, no particular system."""

_END: Final = b"\n\n"
_SHORT: Final = 512
_MOST_STORED: Final = 65535


def packed(data: bytes) -> bytes:
    """Whole events of a stream as deflate blocks."""
    events = data.split(_END)
    blocks = []
    short = b""
    for event in events[:-1]:
        if len(event) < _SHORT and len(short) + len(event) < _MOST_STORED - len(_END):
            short += event + _END
            continue
        if short:
            blocks.append(_stored(short))
            short = b""
        blocks.append(_deflated(event + _END))
    short += events[-1]
    if short:
        blocks.append(_stored(short))
    return b"".join(blocks)


def _stored(data: bytes) -> bytes:
    """A block that is not compressed, and not the last."""
    if len(data) > _MOST_STORED:
        return _deflated(data)
    length = len(data).to_bytes(2, "little")
    return b"\x00" + length + bytes(byte ^ 0xFF for byte in length) + data


@lru_cache(maxsize=32)
def _deflated(data: bytes) -> bytes:
    """Blocks that refer to nothing before them."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
