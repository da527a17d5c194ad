"""Pictures by their hash, a piece at a time: ``want`` asks for one, ``have`` brings it.

``want`` is :class:`hub.wire.messages.PictureWanted`. ``have`` is bytes: the hash in 64
hexadecimal digits, a space, the offset, a space, the picture's whole size (0: it is not there), a
line feed, and the piece. The hub repeats its requests; the table keeps no state. The hash proves
that a picture is the requested one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hub.errors import WireError
from hub.rate_limit import Bucket
from hub.repeating import Worker
from hub.wire.messages import PictureWanted
from record.evidence import EvidenceStore

PIECE: Final = 32 * 1024
"""Bytes of a picture in one message at most: a record is never long in coming behind it."""

MAX_PICTURE: Final = 32 * 1024 * 1024

_HEAD: Final = re.compile(rb"([0-9a-f]{64}) (\d{1,9}) (\d{1,9})\n")


@dataclass(frozen=True, slots=True)
class PictureChunk:
    """A piece of a picture."""

    sha256: str
    offset: int
    total: int
    """The bytes of the whole picture; 0 if the table does not have it."""
    octets: bytes


def encode_chunk(piece: PictureChunk) -> bytes:
    """A piece as it goes over the wire."""
    return f"{piece.sha256} {piece.offset} {piece.total}\n".encode("ascii") + piece.octets


def parse_chunk(message: bytes) -> PictureChunk:
    """The piece of a message. Raises ``WireError``."""
    head = _HEAD.match(message)
    if head is None:
        raise WireError("no piece of a picture")
    piece = PictureChunk(head[1].decode(), int(head[2]), int(head[3]), message[head.end() :])
    if len(piece.octets) > PIECE or piece.offset + len(piece.octets) > max(piece.total, 0):
        raise WireError("a piece that does not fit into its picture")
    if piece.total > MAX_PICTURE:
        raise WireError(f"a picture of {piece.total} bytes is too large")
    return piece


class ChunkServer:
    """A table's end: reads pieces of its pictures, no faster than it may send."""

    def __init__(
        self, evidence: EvidenceStore, say: Callable[[bytes], bool], bytes_per_s: float
    ) -> None:
        self._evidence, self._say = evidence, say
        self._bucket = Bucket(bytes_per_s, 4.0 * PIECE, time.monotonic())
        self._worker: Worker[PictureWanted] = Worker(
            "pieces", 64, lambda wants: self._serve(*wants)
        )
        self.start, self.stop = self._worker.start, self._worker.stop

    def take(self, want: PictureWanted) -> None:
        """Queue a picture that the hub wants; the hub asks again for one that is dropped."""
        self._worker.put(want)

    def _serve(self, want: PictureWanted) -> None:
        message = encode_chunk(self._read(want.sha256, want.offset))
        now = time.monotonic()
        time.sleep(self._bucket.wait_s(len(message), now))
        self._bucket.draw(len(message), time.monotonic())
        self._say(message)

    def _read(self, sha256: str, offset: int) -> PictureChunk:
        try:
            with self._evidence.path(sha256).open("rb") as handle:
                total = handle.seek(0, 2)
                handle.seek(min(offset, total))
                return PictureChunk(sha256, min(offset, total), total, handle.read(PIECE))
        except OSError:
            return PictureChunk(sha256, 0, 0, b"")
