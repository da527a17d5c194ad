"""The letters of a game record, and the sets of tiles that have them."""

from __future__ import annotations

from collections.abc import Iterable

from game.errors import TilewatchError
from game.gcg.record import Entry, GameRecord
from game.tileset import TileSet, load_tile_set, tile_set_ids


def possible_sets(record: GameRecord) -> list[TileSet]:
    """The tile sets that a record may have been played with, the likeliest first.

    Raises:
        TilewatchError: the record names a set that is not there, or none knows its letters.
    """
    if record.tile_set is not None:
        return [load_tile_set(record.tile_set)]
    used = letters(record.entries)
    ids = sorted(tile_set_ids(), key=lambda id_: (id_ != "english", id_))
    sets = [load_tile_set(id_) for id_ in ids]
    fitting = [tiles for tiles in sets if used <= set(tiles.letters)]
    if not fitting:
        known = set().union(*(tiles.letters for tiles in sets))
        strange = ", ".join(sorted(used - known)) or "such a mix of letters"
        raise TilewatchError(f"{record.name or 'the record'}: no tile set has {strange}")
    return fitting


def letters(entries: Iterable[Entry]) -> set[str]:
    """Every letter that the lines use, upper case."""
    found: set[str] = set()
    for entry in entries:
        noted = "".join([*entry.squares.values(), *entry.later.values()])
        for text in (entry.rack, entry.word, entry.tiles, noted):
            found.update(c.upper() for c in text or "" if c.isalpha())
    return found
