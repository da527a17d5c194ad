"""Which tiles a player may draw, and how likely."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from math import comb

from game.board import UNDESIGNATED
from game.tileset import TileSet

_VOWELS = frozenset("AEIOU")
_DEAR = 8
"""The points from which a tile counts as one of the dear ones: J, Q, X and Z in English."""


def chance_of_one(wanted: int, pool: int, drawn: int) -> float:
    """Return the chance that at least one of ``wanted`` tiles is among ``drawn`` out of ``pool``.

    All numbers are of tiles; more are not drawn than there are.
    """
    drawn = min(drawn, pool)
    return 1 - comb(pool - wanted, drawn) / comb(pool, drawn) if pool else 0.0


def unseen_by(unseen: Mapping[str, int], racks: Iterable[str | None]) -> dict[str, int]:
    """Return the tiles that are neither on the board nor on a rack that is known.

    Args:
        unseen: how many of each tile are not on the board.
        racks: the tiles of each rack, None for one that is not known.
    """
    left = {tile: count for tile, count in unseen.items() if count > 0}
    for rack in racks:
        for tile in rack or "":
            left[tile] = left.get(tile, 0) - 1
    return {tile: count for tile, count in left.items() if count > 0}


def draw_chances(pool: Mapping[str, int], tiles: TileSet, most: int) -> dict[str, list[float]]:
    """Return the chances of at least one tile of a kind, for 1 to ``most`` tiles drawn.

    The kinds are each tile of the pool, and ``"vowels"`` and ``"dear"``, tiles of 8 points or more.

    Args:
        pool: how many of each tile may be drawn.
        tiles: the set.
        most: the most tiles drawn, as on a rack.
    """
    total = sum(pool.values())
    kinds = {tile: count for tile, count in pool.items() if count}
    kinds["vowels"] = sum(count for tile, count in pool.items() if is_vowel(tile))
    kinds["dear"] = sum(count for tile, count in pool.items() if tiles.value(tile) >= _DEAR)
    return {
        kind: [chance_of_one(count, total, drawn) for drawn in range(1, min(most, total) + 1)]
        for kind, count in kinds.items()
    }


def is_vowel(tile: str) -> bool:
    """True for A, E, I, O, U, with or without marks; not for a blank or several letters."""
    return tile != UNDESIGNATED and unicodedata.normalize("NFD", tile)[0] in _VOWELS
