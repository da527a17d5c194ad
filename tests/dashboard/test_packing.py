"""Streams in gzip: any decoder reads them, event by event."""

from __future__ import annotations

import gzip
import io
import zlib

from hypothesis import given
from hypothesis import strategies as st

from dashboard.streaming import compression
from dashboard.streaming.compression import HEADER, packed
from dashboard.streaming.streams import frame

EVENTS = st.lists(
    st.builds(
        frame,
        st.sampled_from(["view", "time"]),
        st.one_of(
            st.binary(max_size=2000), st.integers(0, 80_000).map(lambda size: b"x" * size)
        ).map(lambda data: data.replace(b"\n", b" ")),
        st.none() | st.just("7-abc"),
    ),
    max_size=6,
)


@given(parts=st.lists(EVENTS.map(b"".join), max_size=5))
def test_every_part_can_be_read_when_it_has_come(parts):
    opened = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert opened.decompress(HEADER) == b""
    for part in parts:
        assert opened.decompress(packed(part)) == part
    assert not opened.eof


def test_gzip_itself_reads_it():
    long, short = frame("view", b'{"a":' + b"1" * 5000 + b"}", "7-a"), frame("time", b"{}")
    stream = HEADER + packed(short + long) + packed(short)
    last = b"\x01\x00\x00\xff\xff"
    text = short + long + short
    trailer = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
    assert gzip.GzipFile(fileobj=io.BytesIO(stream + last + trailer)).read() == text


def test_a_long_event_is_compressed_once():
    compression._deflated.cache_clear()
    event = frame("view", b"0123456789" * 200, "7-a")
    for number in range(50):
        packed(frame("time", b"%d" % number) + bytes(event))
    assert compression._deflated.cache_info().misses == 1
