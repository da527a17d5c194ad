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
    """One set of tiles. Compared by identity: ``load_tile_set`` gives one object an id."""

    id: str
    name: str
    letters: tuple[str, ...]
    """The symbol of every letter that a tile or a blank can be, upper case, in order."""
    counts: Mapping[str, int]
    """Tiles of each symbol, ``?`` the blank; 0 for a letter that only a blank can be."""
    values: Mapping[str, int]
    """Points of each symbol, ``?`` the blank (0)."""
    source: str
    """Where the counts and values were published."""
    spelling: Mapping[str, str]
    """The print of a tile if that is not its symbol, in upper case; usually empty. The symbols are
    those of :mod:`game.tile_symbols`."""

    @property
    def shown(self) -> frozenset[str]:
        """The letters that tiles show: a letter without tiles is one that only a blank can be."""
        return frozenset(letter for letter in self.letters if self.counts[letter])

    @property
    def total(self) -> int:
        """Number of tiles, blanks included."""
        return sum(self.counts.values())

    def value(self, symbol: str) -> int:
        """Points of what lies on a square: a letter's own value, 0 for anything else."""
        return self.values.get(symbol, 0)

    def knows(self, symbol: str) -> bool:
        """True if the set has this letter, blank or designated blank."""
        return symbol == BLANK or symbol.upper() in self.counts

    def tile_of(self, symbol: str) -> str:
        """The tile that shows a symbol: itself, or ``?`` for a designated blank."""
        return BLANK if symbol.islower() else symbol

    def text(self, symbol: str) -> str:
        """What a tile says, for people: ``CH`` for its symbol, ``ch`` for a blank that is one."""
        if symbol == "i" and DOTTED_I in self.counts:
            return "ı"
        return spelled(symbol)

    def word(self, symbols: str) -> str:
        """A word as people write it: what each of its tiles says, in order."""
        if not self.spelling:
            return symbols
        return "".join(self.text(symbol) for symbol in symbols)

    def upper(self, word: str) -> str:
        """A word in capitals, as its language writes them: the capital of i may be İ."""
        if DOTTED_I in self.counts:
            word = word.replace("i", "İ")
        return word.upper()

    @property
    def spellings(self) -> dict[str, str]:
        """The print of a tile or a blank if that is not its symbol, by the symbol."""
        both = (cased for letter in self.letters for cased in (letter, letter.lower()))
        return {symbol: text for symbol in both if (text := self.text(symbol)) != symbol}

    def rack(self, text: str) -> str:
        """The symbols of tiles as people write them, in either case: ``[CH]a?``.

        A tile that says several letters stands in square brackets, as in a game record, or as its
        symbol. What is no tile of the set is returned as it is, in capitals.
        """
        found = []
        for bracketed, single in _AS_WRITTEN.findall(unicodedata.normalize("NFC", text)):
            letters = self.upper(bracketed or single)
            found.append(SYMBOL_OF.get(letters, f"[{letters}]" if bracketed else letters))
        return "".join(found)

    def symbols(self, text: str) -> str:
        """The symbols of tiles as people write them, the case kept: ``[CH]a?``, blanks lower case.

        What is no tile of the set is returned as it is.
        """
        found = []
        for bracketed, single in _AS_WRITTEN.findall(unicodedata.normalize("NFC", text)):
            known = SYMBOL_OF.get(self.upper(bracketed)) if bracketed else self.symbol(single)
            symbol = known or f"[{bracketed}]"
            found.append(symbol.lower() if known and bracketed.islower() else symbol)
        return "".join(found)

    def bracketed(self, symbols: str) -> str:
        """The inverse of :meth:`symbols`: in brackets what says several letters."""
        if not self.spelling:
            return symbols
        texts = (self.text(symbol) for symbol in symbols)
        return "".join(f"[{text}]" if len(text) > 1 else text for text in texts)

    def symbol(self, letter: str) -> str:
        """The symbol of a single letter as people write it: the inverse of :meth:`text`."""
        if DOTTED_I in self.counts:
            return {"İ": DOTTED_I, "i": DOTTED_I.lower(), "ı": "i"}.get(letter, letter)
        return letter

    def unseen(self, symbols: Iterable[str]) -> dict[str, int]:
        """How many of each tile are left once these are out.

        Symbols as on a board. Negative if there are more than the set has; a tile face
        down or unreadable counts for none.
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
    """The ids of the shipped sets, in order of the alphabet."""
    folder = resources.files("game").joinpath("data", "tilesets")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=64)
def load_tile_set(id: str) -> TileSet:  # noqa: A002 - the contract's word
    """The shipped set of that id.

    Raises:
        TilewatchError: there is no such set; the line names those there are.
    """
    known = tile_set_ids()
    if id not in known:
        raise TilewatchError(f"unknown tile set {id!r}: choose one of {', '.join(known)}")
    text = resources.files("game").joinpath("data", "tilesets", f"{id}.toml").read_text("utf-8")
    return parse_tile_set(id, text)


@lru_cache(maxsize=64)
def altered_set(tiles: TileSet, missing: str, extra: str) -> TileSet:
    """The set without some of its tiles, or with more of them; the set itself for neither.

    Raises:
        TilewatchError: it has no such tile, or fewer than are missing.
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
    """By how many tiles of each kind a set is off: above 0 too many, below 0 missing."""
    seen = Counter(symbols)
    return {tile: seen[tile] - count for tile, count in tiles.counts.items() if seen[tile] != count}


_IS = {1: "one too many", -1: "missing"}


def parse_tile_set(id: str, text: str) -> TileSet:  # noqa: A002
    """A set from the text of its TOML file.

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
            raise TilewatchError(f"{where}: it needs a {name}")
    if data.get("total") != sum(counts.values()):
        raise TilewatchError(
            f"{where}: total says {data.get('total')}, the tiles are {sum(counts.values())}"
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
    """One upper-case letter whose lower case is one letter too: a blank must be able to be it."""
    lower = symbol.lower()
    return (
        len(symbol) == 1
        and symbol.isalpha()
        and symbol.isupper()
        and len(lower) == 1
        and lower.upper() == symbol
    )
