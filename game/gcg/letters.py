"""The letters of a game record, and the sets of tiles that have them."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase

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
    return sets_with_its_letters(record)


def sets_with_its_letters(record: GameRecord) -> list[TileSet]:
    """The tile sets that have all letters of a record, the likeliest first.

    A set that the record names is the only one. Letters in ASCII are not held against it, as they
    are the same in every encoding: one too many is a mistake in the record, and not in how its
    bytes were read.

    Raises:
        TilewatchError: the record names a set that is not there, or none has its letters.
    """
    used = letters(record.entries)
    if record.tile_set is not None:
        named = load_tile_set(record.tile_set)
        if lacking := used - set(named.letters) - set(ascii_uppercase):
            raise TilewatchError(
                f"{record.name or 'the record'}: the {named.name} set has no "
                f"{', '.join(sorted(lacking))}"
            )
        return [named]
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
        for text in (entry.rack, entry.word, entry.exchanged, entry.tiles, noted):
            found.update(c.upper() for c in text or "" if c.isalpha())
    return found
