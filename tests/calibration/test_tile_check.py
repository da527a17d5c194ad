"""The tiles of a set, laid out to be counted."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.model import CalibrationError
from calibration.tile_check import assign, check_tiles, find_layout
from game.board import Square
from game.tileset import load_tile_set
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading

ENGLISH = load_tile_set("english")
BAG = [tile for tile, count in ENGLISH.counts.items() for _ in range(count)]


def reading(symbols: dict[tuple[int, int], str], sure: float = 0.98) -> Reading:
    """A reading that is as sure of every square."""
    p = np.full((15, 15, len(SYMBOL_ORDER)), (1 - sure) / len(SYMBOL_ORDER), np.float32)
    for row, col in itertools.product(range(15), range(15)):
        p[row, col, SYMBOL_ORDER.index(symbols.get((row, col), "."))] += sure
    best = p.argmax(-1)
    rows = tuple("".join(SYMBOL_ORDER[b] for b in line) for line in best)
    return Reading(
        np.zeros((4, 2), np.float32), rows, p.max(-1), np.zeros((15, 15), np.int8), {}, (), 1.0,
        posterior=p,
    )  # fmt: skip


def block(tiles: list[str], top: int = 2, left: int = 3) -> dict[tuple[int, int], str]:
    return {(top + at // 10, left + at % 10): tile for at, tile in enumerate(tiles)}


def shuffled(seed: int = 1) -> list[str]:
    tiles = BAG.copy()
    random.Random(seed).shuffle(tiles)
    return tiles


@given(
    st.integers(1, 5).flatmap(
        lambda rows: st.lists(
            st.lists(st.integers(0, 20), min_size=6, max_size=6), min_size=rows, max_size=rows
        )
    )
)
def test_nothing_is_cheaper_than_what_is_assigned(cost):
    array = np.array(cost, np.float64)
    got = assign(array)
    assert len(set(got.tolist())) == len(cost)
    least = min(
        sum(array[row, column] for row, column in enumerate(columns))
        for columns in itertools.permutations(range(6), len(cost))
    )
    assert array[np.arange(len(cost)), got].sum() == least


def test_more_rows_than_columns_are_refused():
    with pytest.raises(ValueError, match="3 rows are too many for 2"):
        assign(np.zeros((3, 2)))


@pytest.mark.parametrize(("top", "left"), [(0, 0), (2, 3), (5, 5), (0, 5)])
def test_a_whole_set_is_complete_wherever_its_block_lies(top, left):
    found = check_tiles(reading(block(shuffled(), top, left)), ENGLISH)
    assert found.complete
    assert Counter(found.seen) == Counter(BAG)
    assert found.lines()[0] == "100 tiles in 10 rows of 10"


def test_four_blocks_are_a_layout_too_and_a_set_of_102_ends_in_a_part_of_a_row():
    rows, columns = (*range(1, 6), *range(8, 13)), (*range(5), *range(7, 12))
    placed = dict(zip(itertools.product(rows, columns), shuffled(), strict=True))
    german = load_tile_set("german")
    rest = block([tile for tile, count in german.counts.items() for _ in range(count)], 1, 2)
    found = [check_tiles(reading(placed), ENGLISH), check_tiles(reading(rest), german)]
    assert [one.layout for one in found] == ["four blocks of 5 by 5", "10 rows of 10, and 2"]
    assert all(one.complete for one in found)


def test_a_tile_that_is_missing_and_one_too_many_are_named():
    tiles = shuffled()
    tiles[tiles.index("Q")] = "E"
    found = check_tiles(reading(block(tiles)), ENGLISH)
    assert (found.missing, found.extra) == ({"Q": 1}, {"E": 1})
    assert {"missing: 1 × Q", "too many: 1 × E"} <= set(found.lines())


def test_a_gap_in_the_block_is_a_tile_missing():
    placed = block(shuffled())
    gone = placed.pop((6, 6))
    found = check_tiles(reading(placed), ENGLISH)
    assert found.missing == {gone: 1}
    assert len(found.symbols) == 99
    assert not found.extra


def test_a_tile_beside_the_block_is_counted_and_named():
    placed = block(shuffled(), 0, 0)
    placed[(13, 13)] = "S"
    found = check_tiles(reading(placed), ENGLISH)
    assert found.extra == {"S": 1}
    assert "lies beside the block: 14N" in found.lines()


def test_what_the_set_has_settles_a_read_that_is_in_doubt():
    tiles = shuffled()
    placed = block(tiles)
    at = next(square for square, tile in placed.items() if tile == "Q")
    doubtful = reading(placed)
    doubtful.posterior[at] = 1e-4
    doubtful.posterior[(*at, SYMBOL_ORDER.index("O"))] = 0.8
    doubtful.posterior[(*at, SYMBOL_ORDER.index("Q"))] = 0.2
    found = check_tiles(doubtful, ENGLISH)
    assert found.complete
    assert found.symbols[Square(*at)] == "Q"
    assert found.unsure == (Square(*at),)


def test_a_tiles_back_counts_as_a_blank_and_is_said():
    placed = block(shuffled())
    at = next(square for square, tile in placed.items() if tile == "?")
    placed[at] = "#"
    found = check_tiles(reading(placed), ENGLISH)
    assert found.complete
    assert found.face_down == (Square(*at),)


@pytest.mark.parametrize(("at", "unsure"), [((4, 4), (Square(4, 4),)), ((0, 0), ())])
def test_a_hidden_square_is_said_in_the_block_and_no_tile_beside_it(at, unsure):
    found = check_tiles(reading(block(shuffled()) | {at: "~"}), ENGLISH)
    assert found.complete
    assert (found.unsure, len(found.symbols)) == (unsure, 100)


def test_a_gap_where_a_blank_is_missing_may_be_a_blank_that_is_not_seen():
    placed = block(shuffled())
    at = next(square for square, tile in placed.items() if tile == "?")
    del placed[at]
    found = check_tiles(reading(placed), ENGLISH)
    assert found.missing == {"?": 1}
    name = Square(*at).name
    assert f"nothing is seen at {name}: if a blank lies there, it is not missing" in found.lines()
    gone = next(square for square, tile in placed.items() if tile == "E")
    placed[at], placed[gone] = "?", "."
    assert not check_tiles(reading(placed), ENGLISH).warnings


def test_tiles_in_no_layout_are_refused_in_one_line():
    placed = {(row, col): "E" for row in range(0, 15, 2) for col in range(0, 15, 2)}
    with pytest.raises(CalibrationError, match="64 tiles are seen, but in no known layout"):
        check_tiles(reading(placed), ENGLISH)
    assert find_layout(np.zeros((15, 15))) is None


def test_json_says_the_same():
    found = check_tiles(reading(block(shuffled())), ENGLISH).as_json()
    assert (found["complete"], found["count"]) == (True, 100)
    assert sorted(found["tiles"].values()) == sorted(BAG)
