"""A word list as arrays, in which all words of a length that fit a pattern are found at once.

Words are grouped by length. The letters of a group are one array with a row for each place in the
word; beside it is, for each place, the order of the words by their letter there. The words with a
letter at a place are therefore a slice, and every further condition is one comparison over it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from game.tileset import TileSet

Bytes = NDArray[np.uint8]
Rows = NDArray[np.int32]

NO_LETTER: Final = 255
"""The code of a square whose letter is not known: no word has it."""


class Group(NamedTuple):
    """The words of one length."""

    letters: Bytes
    """The letters' codes: ``letters[place, word]``."""
    counts: Bytes
    """How often each letter is in each word: ``counts[letter, word]``."""
    order: Rows
    """``order[place]``: the words, sorted by their letter at the place."""
    starts: Rows
    """``starts[place, letter]``: where the words with the letter begin in ``order[place]``."""

    def with_letter(self, place: int, letter: int) -> Rows:
        """Return the words with a letter at a place, as columns of ``letters``."""
        starts = self.starts[place]
        found: Rows = self.order[place, starts[letter] : starts[letter + 1]]
        return found


class WordIndex:
    """The words of a list that can lie on a board, by length.

    Building takes about half a second for 270,000 words, and about 80 bytes a word.
    """

    def __init__(self, words: Iterable[str], tile_set: TileSet) -> None:
        """``words`` are in the symbols of the set, in capitals, as a board has them."""
        self.tile_set = tile_set
        self.letters: Final = tile_set.letters
        self.codes: Final = {letter: code for code, letter in enumerate(tile_set.letters)}
        by_length: dict[int, list[str]] = defaultdict(list)
        for word in words:
            if 2 <= len(word) <= SIZE:
                by_length[len(word)].append(word)
        codes = np.full(0x10000, NO_LETTER, np.uint8)
        for letter, code in self.codes.items():
            codes[ord(letter)] = code
        self.groups: Final[Mapping[int, Group]] = {
            length: _group(sorted(found), length, codes, len(self.codes))
            for length, found in sorted(by_length.items())
        }

    def code(self, symbol: str) -> int:
        """Return the code of a letter or a designated blank; :data:`NO_LETTER` for others."""
        return self.codes.get(symbol.upper(), NO_LETTER)

    def matching(self, length: int, fixed: Mapping[int, int]) -> Rows:
        """Return the words of a length with given letters, at least one, at their places."""
        group = self.groups.get(length)
        if group is None or NO_LETTER in fixed.values():
            return np.empty(0, np.int32)
        starts = group.starts
        first = min(fixed, key=lambda at: starts[at, fixed[at] + 1] - starts[at, fixed[at]])
        found = group.with_letter(first, fixed[first])
        for place, letter in fixed.items():
            if place != first:
                found = found[group.letters[place, found] == letter]
        return found

    def between(self, before: str, after: str) -> frozenset[int]:
        """Return the codes of the letters that make a word between two texts of a board."""
        length, hole = len(before) + len(after) + 1, len(before)
        fixed = {at + (at >= hole): self.code(one) for at, one in enumerate(before + after)}
        found = self.matching(length, fixed)
        if not len(found):
            return frozenset()
        return frozenset(np.unique(self.groups[length].letters[hole, found]).tolist())


def _group(words: list[str], length: int, codes: Bytes, letters: int) -> Group:
    text = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    table = codes[text].reshape(-1, length).T
    table = np.ascontiguousarray(table[:, (table != NO_LETTER).all(axis=0)])
    counts = np.zeros((letters, table.shape[1]), np.uint8)
    for row in table:
        counts[row, np.arange(table.shape[1])] += 1
    order = np.argsort(table, axis=1, kind="stable").astype(np.int32)
    starts = np.zeros((length, letters + 1), np.int32)
    for place, row in enumerate(table):
        starts[place, 1:] = np.cumsum(np.bincount(row, minlength=letters))
    return Group(table, counts, order, starts)
