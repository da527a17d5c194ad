"""The bytes of a game record as text, whatever wrote them."""

from __future__ import annotations

import re

from game.errors import TilewatchError

MOST = 4_000_000
"""No game record is longer."""

_ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "iso-8859-1": "latin-1",
    "iso8859-1": "latin-1",
    "iso_8859-1": "latin-1",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "iso-8859-2": "iso8859-2",
    "iso-8859-15": "iso8859-15",
    "windows-1250": "cp1250",
    "windows-1252": "cp1252",
    "cp1250": "cp1250",
    "cp1252": "cp1252",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
}
_HEADER = re.compile(rb"#character-encoding[ \t]+(\S+)", re.IGNORECASE)
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def decoded(data: bytes, name: str) -> str:
    """The text: as its first line says, else UTF-8, else Latin-1, the form's own default.

    Raises:
        TilewatchError: the bytes are no text, or not in the encoding named; the line says where.
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            raise TilewatchError(f"{name}: line 1: {encoding} text; save it as UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\x00" in data:
        line = data[: data.index(b"\x00")].count(b"\n") + 1
        raise TilewatchError(f"{name}: line {line}: binary data, not a game record in GCG")
    header = _HEADER.match(data.lstrip())
    if header is not None:
        named = header[1].decode("latin-1")
        encoding = _ENCODINGS.get(named.lower(), "")
        if not encoding:
            raise TilewatchError(
                f"{name}: line 1: unknown character encoding {named!r}; save it as UTF-8"
            )
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise TilewatchError(
                f"{name}: line {line}: byte 0x{data[error.start]:02X} is not {named}, which the "
                "first line says the file is; correct that line or save the file as UTF-8"
            ) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # the form's own default
