"""The time that the plays of a rack take, over a word list and real game records.

python benchmarks/plays.py WORDS ../shared/gcg/*.gcg [--slow 1000]

WORDS is a text file, one word a line. ENABLE (public domain) is one; the npm package ``word-list``
has a free list of 274,000 words. Each board is that of a record six turns before its end, each rack
has two blanks. With ``--slow`` the plays and scores of random positions are compared with those of
a search that tries every word at every place (tests/analysis).
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from common import machine, memory_mb, spread

from analysis.plays import find_plays
from analysis.word_index import WordIndex
from game.board import Board
from game.errors import TilewatchError
from game.gcg import parse
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set
from simulation import script_of
from table.word_list import load_word_list

RACKS = ("ERSTA??", "IOUDN??", "QZVW?K?")
BEFORE_THE_END = 6


def late_boards(files: list[Path]) -> list[Board]:
    boards = []
    for file in files:
        try:
            script = script_of(parse(file.read_bytes(), file.name))
            boards.append(list(script.boards())[-BEFORE_THE_END])
        except (TilewatchError, IndexError) as error:
            print(f"{file.name}: left out: {error}")
    return boards


def compared(count: int) -> None:
    from tests.analysis.test_plays import BOOK, position, slow  # noqa: PLC0415

    names = ("english", "german", "polish", "spanish", "welsh")
    plays = 0
    for seed in range(count):
        words, tiles, board, rack = position(seed, names[seed % 5], 120)
        want = slow(words, board, rack, tiles)
        index = WordIndex(words, tiles)
        every = find_plays(index, board, rack, BOOK, every_blank=True)
        assert len(every) == len(want), seed
        assert {frozenset(play.tiles): play.score for play in every} == want, seed
        plays += len(want)
    print(f"{count} random positions: all {plays} plays and scores are those of the slow search")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", type=Path)
    parser.add_argument("records", type=Path, nargs="+")
    parser.add_argument("--slow", type=int, default=0)
    given = parser.parse_args()
    tiles, book = load_tile_set("english"), load_rulebook("wespa-2021")
    words = load_word_list(given.words, tiles)
    before, began = memory_mb(), time.perf_counter()
    index = WordIndex(words.words, tiles)
    took = time.perf_counter() - began
    print(machine())
    print(
        f"{len(words.words)} words: index built in {took:.2f} s, {memory_mb() - before:.0f} MB more"
    )
    boards = late_boards(given.records)
    for rack in RACKS:
        ms, found = [], []
        for board in boards:
            began = time.perf_counter()
            found.append(len(find_plays(index, board, rack, book)))
            ms.append((time.perf_counter() - began) * 1000)
        print(f"{rack} on {len(boards)} boards: {spread(ms)}; {statistics.median(found):.0f} plays")
    if given.slow:
        compared(given.slow)


if __name__ == "__main__":
    main()
