"""Symbols for tiles that say several letters, and for İ, whose lower case is another letter's.

A square holds one character everywhere in the program: an upper-case letter, or its lower case for
a blank. A tile that says ``CH`` or ``L·L`` has no such character, so it is given one of the
Glagolitic alphabet, in which no set of tiles is made. The symbol is the same in every set, in every
log and in every version: entries are added at the end and never moved.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, is_blank

_TEXTS: Final = (
    *("CH", "LL", "RR"),
    *("CS", "GY", "LY", "NY", "SZ", "TY", "ZS"),
    *("DŽ", "LJ", "NJ"),
    *("L·L", "QU"),
    *("DD", "FF", "NG", "RH", "TH"),
    "İ",
    *("DZ", "DZS", "IJ", "PH", "MH", "NH"),
)
_FIRST: Final = 0x2C00
"""U+2C00, the first of 48 capital letters of the Glagolitic alphabet (Unicode 14.0)."""

SYMBOL_OF: Final = MappingProxyType({text: chr(_FIRST + i) for i, text in enumerate(_TEXTS)})
"""The symbol of each of these tiles, by its letters in upper case."""

TEXT_OF: Final = MappingProxyType({symbol: text for text, symbol in SYMBOL_OF.items()})
"""The letters of each of these tiles, in upper case, by its symbol."""

_SPELLED: Final = str.maketrans(
    {**TEXT_OF, **{s.lower(): t.lower().replace("i\u0307", "i") for s, t in TEXT_OF.items()}}
)

_STATES: Final = {
    EMPTY: "nothing",
    FACE_DOWN: "a tile face down",
    UNREADABLE: "something unreadable",
    UNDESIGNATED: "a blank",
}

DOTTED_I: Final = SYMBOL_OF["İ"]
"""The symbol of the tile İ: its lower case is i, which in other alphabets belongs to I."""


def symbol_words(symbol: str) -> str:
    """Return the symbol of a square in words."""
    if symbol in _STATES:
        return _STATES[symbol]
    return spelled(f"a blank {symbol.upper()}" if is_blank(symbol) else symbol)


def printed(symbols: str) -> str:
    """Return tiles as they are printed: ▢ for one that lies face down or was not read."""
    return symbols.replace(FACE_DOWN, "▢").replace(UNREADABLE, "▢")


def spelled(text: str) -> str:
    """Return a text for people: each such tile's letters for its symbol, ``ch`` for its blank.

    Use :meth:`game.tileset.TileSet.word` for a text that holds words of one set; it also knows the
    dotless ı of a Turkish blank.
    """
    return text if text.isascii() else text.translate(_SPELLED)
