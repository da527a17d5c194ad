"""The letters that a board can show: those of the set in play, or of the likeliest shipped set.

Alone, an O with a crumb over it looks like an Ó. On a board with a Q, and no other letter with a
diacritic, it is an O: all tiles of a board are of one set.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import Square
from game.tileset import TileSet, load_tile_set, tile_set_ids
from vision.decode import Grid, letter_masses
from vision.errors import ModelError
from vision.labels import LETTERS


def letters_of(tile_set: str) -> frozenset[str]:
    """Return the letters that the tiles of a set show, as symbols.

    Raises:
        TilewatchError: there is no such set.
        ModelError: the weights do not know one of its letters; the line names them all.
    """
    tiles = load_tile_set(tile_set)
    if unknown := _unknown(tiles):
        named = ", ".join(tiles.text(letter) for letter in unknown)
        raise ModelError(
            f"tile set {tile_set!r}: its {named} cannot be read by these weights; the sets that"
            f" can be read are {', '.join(readable_sets())}"
        )
    return tiles.shown


@cache
def readable_sets() -> tuple[str, ...]:
    """Return the ids of the shipped sets whose every letter the weights know, in order."""
    return tuple(id_ for id_ in tile_set_ids() if not _unknown(load_tile_set(id_)))


def _unknown(tiles: TileSet) -> list[str]:
    return [letter for letter in tiles.letters if letter in tiles.shown and letter not in LETTERS]


Weights = NDArray[np.float64]
"""float64 (letters,), 0..1: the prior weight of each of ``LETTERS``."""

_STRAY: Final = 0.01
"""Share of tiles that are another set's, or were read wrong."""

_LEAST: Final = 0.002
"""Least weight of a letter that the likeliest sets lack: a lost tile may be replaced by another
set's."""

_SHOWN: Final = 0.5


def letter_weights(grid: Grid, allowed: frozenset[str] | None = None) -> Weights:
    """Return each letter's prior weight, float64 (letters,).

    Args:
        grid: probabilities of an upright board.
        allowed: the letters of the set in play; others can't occur. None compares the shipped
            sets by their likelihood on this board.
    """
    if allowed is not None:
        return np.array([float(letter in allowed) for letter in LETTERS])
    masses = letter_masses(grid).reshape(-1, len(LETTERS))
    total = masses.sum(axis=1)
    shown = total > _SHOWN
    share = masses[shown] / total[shown, None]
    has = _sets()
    # Per tile, a set with more letters gives each of them less: having more is no advantage.
    likely = (1 - _STRAY) * (share @ _frequencies().T) + _STRAY / len(LETTERS)
    votes = np.log(likely).sum(axis=0)
    odds = np.exp(votes - votes.max())
    return np.asarray(np.maximum(odds @ has / odds.sum(), _LEAST))


@lru_cache(maxsize=1)
def _frequencies() -> NDArray[np.float64]:
    """Return how likely each letter is on a tile of each shipped set: (sets, letters), rows sum 1.

    Half by its tiles and half the same for every letter: a board holds part of the bag only.
    """
    sets = [load_tile_set(name) for name in readable_sets()]
    counts = np.array([[float(one.counts.get(letter, 0)) for letter in LETTERS] for one in sets])
    by_count = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray((by_count + _sets() / _sets().sum(axis=1, keepdims=True)) / 2)


@lru_cache(maxsize=1)
def _sets() -> NDArray[np.float64]:
    """Return 1 where a shipped set has a tile of a letter, else 0: (sets, letters)."""
    shown = [load_tile_set(name).shown for name in readable_sets()]
    return np.array([[float(letter in letters) for letter in LETTERS] for letters in shown])


_SURELY_ANOTHER: Final = 0.999
"""A tile counts as another set's if its letter is with this probability none of the set in play.
One tile in a thousand is such; an O that looks like a Q with less is an O."""

_LIKELY_ANOTHER: Final = 0.9
_FEWEST_ANOTHER: Final = 3
"""The number of squares above ``_SURELY_ANOTHER`` that shows another set."""


def strangers(grid: Grid, allowed: frozenset[str] | None) -> dict[Square, str]:
    """Return the squares whose tile surely shows a letter of another set, with that letter.

    A diacritic may be dirt or a scratch: if the set has an A, an Ä is not returned.

    Args:
        grid: probabilities of an upright board.
        allowed: the letters of the set in play; None for any.
    """
    if allowed is None:
        return {}
    masses = letter_masses(grid)
    total = masses.sum(axis=-1)
    outside = np.array([not _may_be(letter, allowed) for letter in LETTERS])
    share = masses[..., outside].sum(axis=-1) / np.maximum(total, 1e-9)
    likely = (share > _LIKELY_ANOTHER) & (total > _SHOWN)
    least = _LIKELY_ANOTHER if np.count_nonzero(likely) >= _FEWEST_ANOTHER else _SURELY_ANOTHER
    found = np.argwhere(likely & (share > least))
    return {
        Square(int(row), int(col)): LETTERS[int((masses[row, col] * outside).argmax())]
        for row, col in found
    }


def _may_be(letter: str, allowed: frozenset[str]) -> bool:
    """Return True if the set has the letter, with or without its diacritic."""
    plain = "L" if letter == "Ł" else unicodedata.normalize("NFD", letter)[0]
    return letter in allowed or plain in allowed
