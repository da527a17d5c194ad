"""The frame of a JPEG (ITU-T T.81, annex B): its size and its end, without decoding it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

START: Final = b"\xff\xd8"

_START_OF_FRAME: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_LONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers that no length field follows."""
_END: Final = 0xD9
_SCAN: Final = 0xDA
_MARKER_AFTER_SCAN: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""In entropy-coded data 0xFF is stuffed (FF00) or a restart (FFD0–FFD7); anything else ends it
(B.1.1.5)."""


@dataclass(frozen=True, slots=True)
class JpegFrame:
    """The frame of one JPEG.

    Attributes:
        size: width and height in pixels; None if the header does not say them.
        whole: True if the picture is there to its end; more data may follow.
    """

    size: tuple[int, int] | None
    whole: bool


def jpeg_size(data: bytes | memoryview) -> tuple[int, int] | None:
    """Return (width, height) from the header, even if the rest is missing; None if it has none."""
    return jpeg_frame(data, header=True).size


def jpeg_frame(data: bytes | memoryview, *, header: bool = False) -> JpegFrame:
    """Return the size of a JPEG and whether it is whole.

    With ``header`` the search stops at the size, and ``whole`` is False. Phones append whole videos
    to their JPEGs and put thumbnails, which are JPEGs too, into the header, so the end is searched
    for where the format puts it.
    """
    size: tuple[int, int] | None = None
    if bytes(data[:2]) != START:
        return JpegFrame(None, False)
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return JpegFrame(size, False)
        marker = data[at + 1]
        if marker == _END:
            return JpegFrame(size, True)
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker in _LONE:
            at += 2
            continue
        if marker in _START_OF_FRAME and at + 9 <= len(data):
            height = int.from_bytes(data[at + 5 : at + 7], "big")
            width = int.from_bytes(data[at + 7 : at + 9], "big")
            size = (width, height) if width and height else None
            if header:
                return JpegFrame(size, False)
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _SCAN:
            end = _MARKER_AFTER_SCAN.search(data, at)
            if end is None:
                return JpegFrame(size, False)
            at = end.start()
    return JpegFrame(size, bytes(data[at : at + 2]) == b"\xff\xd9")
