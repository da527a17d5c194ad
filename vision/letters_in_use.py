"""Which letters can occur on a board: those of the named set, or of the likeliest one.

An O with a crumb over it looks like an Ó, alone. On a board that shows a Q and no other marked
letter it is an O: the tiles of a board are of one set.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.tileset import load_tile_set
from vision.decode import Grid, letter_masses
from vision.labels import LETTERS
from vision.tile_sets import readable_sets

Weights = NDArray[np.float64]
"""float64 (letters,), 0..1: the prior weight of each of ``LETTERS``."""

_STRAY: Final = 0.01
"""Share of tiles that are another set's, or were read wrong."""

_LEAST: Final = 0.002
"""Least weight of a letter that the likeliest sets don't have: lost tiles get replaced."""

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
