"""Tiles as Woogles writes them: one byte each, counted in the order of the letter distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from game.board import EMPTY, UNREADABLE
from game.errors import TilewatchError
from game.tile_symbols import SYMBOL_OF
from game.tileset import BLANK, TileSet, load_tile_set

DESIGNATED: Final = 0x80
"""The bit of a blank that stands for a letter."""

_LATIN: Final = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"
_ORDERS: Final[Mapping[str, str]] = {
    "dutch": _LATIN,
    "english": _LATIN,
    "french": _LATIN,
    "german": "A Ä B C D E F G H I J K L M N O Ö P Q R S T U Ü V W X Y Z",
    "catalan": "A B C Ç D E F G H I J L L·L M N NY O P QU R S T U V X Z",
    "norwegian": "A B C D E F G H I J K L M N O P Q R S T U V W X Y Ü Z Æ Ä Ø Ö Å",
    "polish": "A Ą B C Ć D E Ę F G H I J K L Ł M N Ń O Ó P R S Ś T U W Y Z Ź Ż",
    "slovene": "A B C Č D E F G H I J K L M N O P Q R S Š T U V W X Y Z Ž",
    "spanish": "A B C CH D E F G H I J L LL M N Ñ O P Q R RR S T U V X Y Z",
    "swedish": "A B C D E F G H I J K L M N O P Q R S T U V W X Y Ü Z Å Ä Æ Ö",
}
"""The letters by tile set, whose ids are the names of the distributions, too, as in the files of
woogles-io/liwords (commit fe5b923a; Spanish 05c6cbc5), domino14/macondo and andy-k/wolges. Letters
without a tile count. Other sets are left out: those files do not have them."""


@dataclass(frozen=True)
class Letters:
    """The tiles of one set, and the numbers of its letters."""

    tiles: TileSet
    numbers: Mapping[str, int]
    """The number from 1 of each letter, by its symbol in capitals."""

    def played(self, word: str) -> bytes:
        """Return the tiles of a play's line: 0 for a tile that lies there already.

        Raises ``TilewatchError`` for a symbol that the distribution lacks.
        """
        return bytes(0 if symbol == EMPTY else self._number(symbol) for symbol in word)

    def rack(self, tiles: str) -> bytes:
        """Return the tiles of a rack in order: 0 for a blank. Raises ``TilewatchError``."""
        return bytes(sorted(0 if tile == BLANK else self._number(tile.upper()) for tile in tiles))

    def symbols(self, data: bytes, through: str = EMPTY) -> str:
        """Return the symbols of a play's bytes, or of a rack's with ``through`` as the blank.

        A byte that means no letter is ``~``, as a tile that cannot be read.
        """
        by_number = {number: symbol for symbol, number in self.numbers.items()}
        found = (
            by_number.get(byte & ~DESIGNATED, UNREADABLE) if byte else through for byte in data
        )
        pairs = zip(found, data, strict=True)
        return "".join(one.lower() if byte & DESIGNATED else one for one, byte in pairs)

    def _number(self, symbol: str) -> int:
        number = self.numbers.get(symbol.upper())
        if number is None:
            raise TilewatchError(f"Woogles has no tile {symbol!r} in its set {self.tiles.id}")
        return number | DESIGNATED if symbol.islower() else number


def letters_of(tile_set: str) -> Letters:
    """Return the letters of a tile set. Raises ``TilewatchError`` for one not known to Woogles."""
    order = _ORDERS.get(tile_set)
    if order is None:
        raise TilewatchError(
            f"Woogles' letters of the tile set {tile_set!r} are not known here; "
            f"known are {', '.join(sorted(_ORDERS))}"
        )
    symbols = (SYMBOL_OF.get(text, text) for text in order.split())
    return Letters(load_tile_set(tile_set), {one: at for at, one in enumerate(symbols, start=1)})
