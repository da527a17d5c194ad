"""Which tile sets the shipped weights can read."""

from __future__ import annotations

from functools import cache

from game.tileset import TileSet, load_tile_set, tile_set_ids
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
