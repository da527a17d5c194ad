"""Reads a word list, a text file that the user supplies: the first word of each line counts.

Its name and the SHA-256 of its bytes go into every game recorded with it. No list is shipped.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from game.files import read_file
from game.tileset import TileSet

_MOST_BYTES: Final = 100_000_000


@dataclass(frozen=True)
class WordList:
    """Words in capitals, and the name of the list."""

    name: str
    sha256: str
    words: frozenset[str]

    def named(self) -> dict[str, str]:
        """The name and hash, in the form of a game's start."""
        return {"name": self.name, "sha256": self.sha256}


def load_word_list(path: Path, tile_set: TileSet) -> WordList:
    """Read a list for games with one set of tiles.

    Tiles with several letters are found in the words as the set spells them. Empty lines, lines
    that begin with ``#`` and anything after a word on its line are ignored.

    Raises:
        TilewatchError: it cannot be read, is not UTF-8, or none of its words can be laid with the
            set.
    """
    try:
        data = read_file(path, _MOST_BYTES)
    except OSError as error:
        raise TilewatchError(f"{path}: word list not readable ({error.strerror})") from None
    try:
        lines = unicodedata.normalize("NFC", data.decode("utf-8-sig")).splitlines()
    except UnicodeDecodeError:
        raise TilewatchError(
            f"{path}: not UTF-8; convert the word list, for example with iconv -f latin1 -t utf8"
        ) from None
    spelled = sorted(
        ((letters.upper(), tile) for tile, letters in tile_set.spelling.items()),
        key=lambda pair: -len(pair[0]),
    )
    words = set()
    known = frozenset(tile_set.letters)
    for line in lines:
        first = line.split(maxsplit=1)[:1]
        if not first or first[0].startswith("#"):
            continue
        word = tile_set.upper(first[0])
        for letters, tile in spelled:
            word = word.replace(letters, tile)
        if known.issuperset(word):
            words.add(word)
    if not words:
        raise TilewatchError(
            f"{path}: no word in it can be laid with the {tile_set.name} set; a word list has one"
            " word a line"
        )
    return WordList(path.stem, hashlib.sha256(data).hexdigest(), frozenset(words))
