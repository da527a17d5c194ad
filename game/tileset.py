"""Sets of tiles as data: which letters, how many of each, what each is worth.

Every set is one TOML file in ``game/data/tilesets/``; the README there has the form.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE
from game.errors import TilewatchError
from game.tile_symbols import DOTTED_I, SYMBOL_OF, TEXT_OF, spelled

BLANK = UNDESIGNATED
"""The key of the blank in ``counts`` and ``values``."""


_AS_WRITTEN = re.compile(r"\[([^\[\]]*)\]|(.)", re.DOTALL)
"""A tile as people write it: letters in square brackets, or one character."""


@dataclass(frozen=True, eq=False)
class TileSet:
    """One set of tiles. Compared by identity: ``load_tile_set`` returns one object for each id."""

    id: str
    name: str
    letters: tuple[str, ...]
    """The symbol of every letter that a tile or a blank can be, upper case, in order."""
    counts: Mapping[str, int]
    """Tiles of each symbol, ``?`` the blank; 0 for a letter that only a blank can be."""
    values: Mapping[str, int]
    """Points of each symbol, ``?`` the blank (0)."""
    source: str
    """The publication of the counts and values."""
    spelling: Mapping[str, str]
    """The letters on a tile, in upper case, by its symbol, where the two differ; usually empty. The
    symbols are those of :mod:`game.tile_symbols`."""

    @property
    def shown(self) -> frozenset[str]:
        """The letters that are on tiles; any other letter can only be a blank's."""
        return frozenset(letter for letter in self.letters if self.counts[letter])

    @property
    def total(self) -> int:
        """Number of tiles, blanks included."""
        return sum(self.counts.values())

    def value(self, symbol: str) -> int:
        """Return the points of a symbol: a letter's own value, 0 for anything else."""
        return self.values.get(symbol, 0)

    def knows(self, symbol: str) -> bool:
        """True if the set has this letter, a blank, or a blank of this letter."""
        return symbol == BLANK or symbol.upper() in self.counts

    def tile_of(self, symbol: str) -> str:
        """Return the tile that shows a symbol: the same symbol, or ``?`` for a designated blank."""
        return BLANK if symbol.islower() else symbol

    def text(self, symbol: str) -> str:
        """Return the letters of a tile, for people: ``CH`` for its symbol, ``ch`` for its blank."""
        if symbol == "i" and DOTTED_I in self.counts:
            return "ı"
        return spelled(symbol)

    def word(self, symbols: str) -> str:
        """Return a word for people: the letters of its tiles, in order."""
        if not self.spelling:
            return symbols
        return "".join(self.text(symbol) for symbol in symbols)

    def upper(self, word: str) -> str:
        """Return a word in capitals of its language (Turkish: i → İ)."""
        if DOTTED_I in self.counts:
            word = word.replace("i", "İ")
        return word.upper()

    @property
    def spellings(self) -> dict[str, str]:
        """The letters on tiles and blanks, by symbol, where the two differ."""
        both = (cased for letter in self.letters for cased in (letter, letter.lower()))
        return {symbol: text for symbol in both if (text := self.text(symbol)) != symbol}

    def rack(self, text: str) -> str:
        """Return the symbols of tiles that people typed, in either case: ``[CH]a?``.

        A tile that says several letters is in square brackets, as in a game record, or is its
        symbol. Anything that is no tile of the set is returned unchanged, but in capitals.
        """
        found = []
        for bracketed, single in _AS_WRITTEN.findall(unicodedata.normalize("NFC", text)):
            letters = self.upper(bracketed or single)
            found.append(SYMBOL_OF.get(letters, f"[{letters}]" if bracketed else letters))
        return "".join(found)

    def symbols(self, text: str) -> str:
        """Return the symbols of tiles that people typed, a blank in lower case: ``[CH]a?``.

        Anything that is no tile of the set is returned unchanged.
        """
        found = []
        for bracketed, single in _AS_WRITTEN.findall(unicodedata.normalize("NFC", text)):
            known = SYMBOL_OF.get(self.upper(bracketed)) if bracketed else self.symbol(single)
            symbol = known or f"[{bracketed}]"
            found.append(symbol.lower() if known and bracketed.islower() else symbol)
        return "".join(found)

    def bracketed(self, symbols: str) -> str:
        """Return tiles as people type them, ``[CH]a?``: the inverse of :meth:`symbols`."""
        if not self.spelling:
            return symbols
        texts = (self.text(symbol) for symbol in symbols)
        return "".join(f"[{text}]" if len(text) > 1 else text for text in texts)

    def symbol(self, letter: str) -> str:
        """Return the symbol of a single letter that people typed; the inverse of :meth:`text`."""
        if DOTTED_I in self.counts:
            return {"İ": DOTTED_I, "i": DOTTED_I.lower(), "ı": "i"}.get(letter, letter)
        return letter

    def unseen(self, symbols: Iterable[str]) -> dict[str, int]:
        """Return how many of each of the set's tiles remain without these symbols of a board.

        A number is negative if there are more than the set has. A tile that lies face down or could
        not be read is not counted.
        """
        left = dict(self.counts)
        for symbol, count in Counter(symbols).items():
            if symbol in (EMPTY, FACE_DOWN, UNREADABLE):
                continue
            tile = self.tile_of(symbol)
            left[tile] = left.get(tile, 0) - count
        return left


@cache
def tile_set_ids() -> tuple[str, ...]:
    """Return the ids of the shipped sets, in alphabetical order."""
    folder = resources.files("game").joinpath("data", "tilesets")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=64)
def load_tile_set(id: str) -> TileSet:  # noqa: A002 - the contract's word
    """Return the shipped set of an id.

    Raises:
        TilewatchError: there is no such set; the message lists all ids.
    """
    known = tile_set_ids()
    if id not in known:
        raise TilewatchError(f"unknown tile set {id!r}: choose one of {', '.join(known)}")
    text = resources.files("game").joinpath("data", "tilesets", f"{id}.toml").read_text("utf-8")
    return parse_tile_set(id, text)


@lru_cache(maxsize=64)
def altered_set(tiles: TileSet, missing: str, extra: str) -> TileSet:
    """Return the set without ``missing`` and with ``extra`` tiles; itself if both are empty.

    Raises:
        TilewatchError: the set has no such tile, or fewer than are missing.
    """
    if not missing and not extra:
        return tiles
    counts = dict(tiles.counts)
    for symbols, by in ((extra, 1), (missing, -1)):
        for symbol in symbols:
            if counts.get(symbol, -1) + by < 0:
                raise TilewatchError(
                    f"the {tiles.name} set has no tile {tiles.text(symbol)!r} to be {_IS[by]}"
                )
            counts[symbol] += by
    return replace(tiles, counts=MappingProxyType(counts))


def set_faults(symbols: str, tiles: TileSet) -> dict[str, int]:
    """Return how many of each tile a laid-out set has too many (above 0) or too few (below 0)."""
    seen = Counter(symbols)
    return {tile: seen[tile] - count for tile, count in tiles.counts.items() if seen[tile] != count}


_IS = {1: "one too many", -1: "missing"}


def parse_tile_set(id: str, text: str) -> TileSet:  # noqa: A002
    """Return the set that the text of a TOML file declares.

    Raises:
        TilewatchError: the text is not in the form of the README beside the sets.
    """
    where = f"tile set {id!r}"
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TilewatchError(f"{where}: not TOML: {error}") from error
    tiles = data.get("tiles")
    if not isinstance(tiles, dict) or BLANK not in tiles:
        raise TilewatchError(f'{where}: it needs a [tiles] table with the blank as "?"')
    counts: dict[str, int] = {}
    values: dict[str, int] = {}
    for label, pair in tiles.items():
        symbol = SYMBOL_OF.get(label, label)
        match pair:
            case [int(count), int(value)] if count >= 0 and value >= 0:
                counts[symbol], values[symbol] = count, value
            case _:
                raise TilewatchError(f"{where}: tile {label!r} needs [count, value]: {pair!r}")
        if symbol != BLANK and not _is_letter(symbol):
            raise TilewatchError(
                f"{where}: {label!r} is neither one upper-case letter nor several letters "
                f"that have a symbol: {', '.join(SYMBOL_OF)}"
            )
    for name in ("name", "source"):
        if not isinstance(data.get(name), str) or not data[name].strip():
            raise TilewatchError(f"{where}: {name} is missing or not a text")
    if data.get("total") != sum(counts.values()):
        raise TilewatchError(
            f"{where}: total is {data.get('total')}, but the tiles add up to {sum(counts.values())}"
        )
    return TileSet(
        id=id,
        name=data["name"],
        letters=tuple(symbol for symbol in counts if symbol != BLANK),
        counts=MappingProxyType(counts),
        values=MappingProxyType(values),
        source=data["source"],
        spelling=MappingProxyType({s: TEXT_OF[s] for s in counts if s in TEXT_OF}),
    )


def _is_letter(symbol: str) -> bool:
    """True for one upper-case letter whose lower case, which a blank shows, is one letter too."""
    lower = symbol.lower()
    return (
        len(symbol) == 1
        and symbol.isalpha()
        and symbol.isupper()
        and len(lower) == 1
        and lower.upper() == symbol
    )
