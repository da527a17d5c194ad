"""The bytes of a game record as text, in whichever encoding they were written."""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Callable
from encodings.aliases import aliases
from typing import Final

from game.errors import TilewatchError

MOST = 4_000_000
"""The most bytes of a game record."""

DEFAULT: Final = "iso8859-1"
"""The default encoding of GCG, for files that are not UTF-8 and name none."""

_ASCII: Final = bytes((*b"\t\n\r", *range(0x20, 0x7F)))
_ESCAPED: Final = b"\\n\\u0041.xn--bcher-kva"
_EIGHT_BIT: Final = re.compile(r"iso8859_\d+|cp125\d")
_SHORT: Final = 100_000
"""The most characters of a record for which other encodings are tried."""
_MOST_NAMED: Final = 3
_HEADER = re.compile(rb"#character-encoding[ \t]+([^\r\n]+)", re.IGNORECASE)
_CODE_PAGE = re.compile(r"(?:x-)?(?:windows|win|cp)[ _-]*(\d+)")
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def decoded(data: bytes, name: str) -> tuple[str, bool]:
    """Return the text, and True if no encoding was named and it was taken for Latin-1.

    The encoding is the one that the first line names, else UTF-8, else Latin-1, which is GCG's
    default.

    Raises:
        TilewatchError: the bytes are not text, or not in the named encoding; the message says
            where.
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
        named = header[1].decode("latin-1").strip()
        codec = codec_of(named)
        if codec is None:
            raise TilewatchError(
                f"{name}: line 1: unknown character encoding {named!r}; save it as UTF-8"
            )
        try:
            return data.decode(codec), False
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise TilewatchError(
                f"{name}: line {line}: byte 0x{data[error.start]:02X} is not {named}, which the "
                "first line says the file is; correct that line or save the file as UTF-8"
            ) from None
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return data.decode(DEFAULT), True


def codec_of(named: str) -> str | None:
    """Return Python's name of an encoding; None if it is unknown or a first line cannot name it.

    A first line in ASCII cannot name an encoding in which it would be other text. Python knows the
    names of RFC 1345 and IANA; Windows' code pages have more names, which are read here.
    """
    page = _CODE_PAGE.fullmatch(named.lower())
    try:
        codec = codecs.lookup(f"cp{page[1]}" if page else named).name
        if any(text.decode(codec) != text.decode("ascii") for text in (_ESCAPED, _ASCII)):
            return None  # UTF-16, EBCDIC and others, in which that line would be something else
    except (LookupError, ValueError):  # unknown, or no encoding of text
        return None
    return "utf-8" if codec == "ascii" else codec


def other_encodings(text: str, reads: Callable[[str], str]) -> str:
    """Return the remedy for a file that names no encoding and was taken for Latin-1.

    Args:
        text: the file as Latin-1.
        reads: returns the name of the set whose tiles a text has, or raises ``TilewatchError`` if
            the text makes no sense.
    """
    fitting: list[str] = []
    seen: set[str] = set()
    for codec in _eight_bit_codecs() if len(text) <= _SHORT else ():
        with contextlib.suppress(TilewatchError, UnicodeError):
            read = text.encode(DEFAULT).decode(codec)
            if read in seen:
                continue  # one more name for the same letters would crowd out others
            seen.add(read)
            tiles = reads(read)
            fitting.append(f"#character-encoding {codec} ({tiles} tiles)")
    names = ", or ".join(fitting[:_MOST_NAMED])
    return "the file names no encoding and is not UTF-8, so it was taken for ISO-8859-1: " + (
        f"its letters make sense with the first line {names}"
        if names
        else "write the right one into the first line, like #character-encoding ISO-8859-2"
    )


def _eight_bit_codecs() -> list[str]:
    """Return the encodings with one byte for each letter, first those of ISO, then Windows'."""
    found = {codecs.lookup(one).name for one in aliases.values() if _EIGHT_BIT.fullmatch(one)}
    return sorted(found, key=lambda one: (not one.startswith("iso"), len(one), one))
