"""Whose letters lie on a board."""

from __future__ import annotations

import numpy as np
import pytest

from game.tileset import load_tile_set, tile_set_ids
from vision.decode import SYMBOL_ORDER, decode
from vision.labels import LETTERS, class_index, state_index
from vision.letters_in_use import letter_weights

from .test_decode import grid_of


def board(*words):
    return tuple(word.ljust(15, ".") for word in words) + ("." * 15,) * (15 - len(words))


def unsure(grid, row, col, **letters):
    grid[row, col] = 0
    for letter, share in letters.items():
        grid[row, col, class_index(letter, 0)] = share
    return grid


def read(grid, row, col, allowed=None):
    posterior = decode(grid, letter_weights(grid, allowed)).posterior
    return SYMBOL_ORDER[posterior[row, col].argmax()]


def test_a_mark_seen_once_on_a_board_of_another_set_is_dirt():
    """Q, V and X are on no Polish tile, Ó on no other."""
    grid = unsure(grid_of(board("QUIXOTIC", "VEX")), 0, 4, O=0.3, Ó=0.7)
    assert read(grid, 0, 4) == "O"


def test_a_mark_among_others_of_its_set_is_believed():
    grid = unsure(grid_of(board("ŻÓŁW", "ŁÓDŹ", "DOM")), 2, 1, O=0.4, Ó=0.6)
    assert read(grid, 2, 1) == "Ó"
    assert [read(grid, 0, col) for col in range(4)] == list("ŻÓŁW")


def test_a_mark_surely_seen_is_read_though_nothing_else_speaks_for_its_set():
    grid = unsure(grid_of(board("DOM")), 0, 1, O=0.001, Ó=0.999)
    assert read(grid, 0, 1) == "Ó"


def test_marks_of_two_sets_are_told_by_the_company_they_keep():
    german = unsure(grid_of(board("MÜHE", "XÄNTHE")), 0, 1, Ü=0.4, Ó=0.6)
    assert read(german, 0, 1) == "Ü"


def test_what_shows_no_letter_is_left_alone():
    grid = grid_of(board("QUIXOTIC"))
    grid[5, 5] = 0
    grid[5, 5, state_index("blank")] = 0.6
    grid[5, 5, class_index("Ż", 0)] = 0.4
    posterior = decode(grid, letter_weights(grid)).posterior[5, 5]
    assert posterior[SYMBOL_ORDER.index("?")] == pytest.approx(0.6, abs=0.01)


def test_a_named_set_is_taken_at_its_word():
    grid = grid_of(board("ŻÓŁW"))
    weights = letter_weights(grid, frozenset("AB"))
    assert weights[LETTERS.index("A")] == 1
    assert weights.sum() == 2


def test_an_empty_board_favours_no_shipped_set():
    weights = letter_weights(grid_of(("." * 15,) * 15))
    assert weights[LETTERS.index("A")] == pytest.approx(1)
    assert 0.1 < weights[LETTERS.index("Ó")] < 0.5
    assert np.all(weights <= 1 + 1e-12)


def test_a_set_with_more_letters_does_not_win_by_having_more():
    """Every letter here is on Czech and Slovak tiles too; their As have an accent now and then."""
    words = ("HOTELIER", "MANDOLINES", "BUTTER", "SEDIMENT", "OUTLINED")
    grid = unsure(grid_of(board(*words)), 1, 1, A=0.1, Á=0.9)
    assert read(grid, 1, 1) == "A"


@pytest.mark.parametrize("tile_set", tile_set_ids())
def test_half_a_bag_tells_its_own_letters(tile_set):
    tiles = load_tile_set(tile_set)
    bag = [tile for tile, count in tiles.counts.items() if tile != "?" for _ in range(count)]
    drawn = "".join(np.random.default_rng(7).permutation(bag)[: len(bag) // 2])
    grid = grid_of(board(*(drawn[at : at + 15] for at in range(0, len(drawn), 15))))
    weights = letter_weights(grid)
    assert all(weights[LETTERS.index(tile)] > 0.3 for tile in set(drawn))
    assert weights[[letter not in tiles.shown for letter in LETTERS]].mean() < 0.15
