"""Which way is up, and what a square carries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.decode import SYMBOL_ORDER, agreement, decode, turned_grid, upright_votes
from vision.labels import CLASS_NAMES, LETTERS, class_index, parse, state_index
from vision.letters_in_use import letter_weights

ROWS = ("." * 15,) * 6 + ("....WANDERN....", "...?J..........") + ("." * 15,) * 7


def grid_of(rows, turn=0, sure=0.98):
    """What a good classifier says of a board whose letters lie ``turn`` quarter turns clockwise."""
    grid = np.full((15, 15, len(CLASS_NAMES)), (1 - sure) / (len(CLASS_NAMES) - 1), np.float32)
    for r, line in enumerate(rows):
        for c, symbol in enumerate(line):
            if symbol in LETTERS:
                index = class_index(symbol, 0)
            else:
                index = state_index({".": "empty", "?": "blank"}[symbol])
            grid[r, c, index] = sure
    return turned_grid(grid, -turn % 4)


def read(grid, allowed=None):
    weights = None if allowed is None else letter_weights(grid, allowed)
    best = decode(grid, weights).posterior.argmax(-1)
    return tuple("".join(SYMBOL_ORDER[i] for i in line) for line in best)


def test_class_names_and_indices_agree():
    for index, name in enumerate(CLASS_NAMES):
        symbol, turn = parse(name)
        assert index == (
            class_index(symbol, turn)
            if turn is not None
            else 4 * len(LETTERS) + ".?#~".index(symbol)
        )


@given(st.integers(0, 3))
def test_the_tiles_say_which_way_is_up(turn):
    grid = grid_of(ROWS, turn)
    assert upright_votes(grid).argmax() == turn
    assert read(turned_grid(grid, turn)) == ROWS


@given(st.integers(0, 3), st.integers(0, 3))
def test_turning_adds_up(one, two):
    grid = grid_of(ROWS, 1)
    assert np.allclose(turned_grid(turned_grid(grid, one), two), turned_grid(grid, one + two))


def test_one_tile_the_wrong_way_up_is_read_and_its_turn_told():
    grid = grid_of(ROWS)
    grid[6, 5] = 0.0002
    grid[6, 5, class_index("A", 2)] = 0.97
    decoded = decode(grid)
    assert read(grid) == ROWS
    assert decoded.rotation_posterior[6, 5].argmax() == 2
    assert decoded.rotation_posterior[6, 4].argmax() == 0


def test_a_letter_that_may_be_another_on_its_side_is_read_upright():
    """An N with no value on it is a Z on its side; the other tiles decide."""
    grid = grid_of(ROWS)
    grid[6, 6] = 0.0
    grid[6, 6, class_index("N", 0)] = 0.45
    grid[6, 6, class_index("Z", 1)] = 0.55
    assert read(grid) == ROWS


def test_letters_that_the_set_lacks_are_never_read():
    grid = grid_of(ROWS)
    grid[6, 5] = 0.0
    grid[6, 5, class_index("Ä", 0)] = 0.6
    grid[6, 5, class_index("A", 0)] = 0.4
    assert read(grid)[6][5] == "Ä"
    assert read(grid, frozenset("WANDERJ"))[6][5] == "A"


def test_an_empty_board_has_no_upright():
    votes = upright_votes(grid_of(("." * 15,) * 15))
    assert votes.max() == pytest.approx(votes.min())


@given(st.integers(0, 3))
def test_what_lay_there_before_says_which_way_is_up(turn):
    """OHO and XIX read the same upside down; the known position doesn't."""
    rows = ("." * 15,) * 7 + ("....OXO........",) + ("." * 15,) * 7
    grid = grid_of(rows, turn)
    for letter in "OX":
        columns = [class_index(letter, t) for t in range(4)]
        grid[..., columns] = grid[..., columns].mean(-1, keepdims=True)
    assert agreement(grid, rows).argmax() == turn


def test_probabilities_sum_to_one():
    rng = np.random.default_rng(1)
    grid = rng.dirichlet(np.full(len(CLASS_NAMES), 0.05), (15, 15)).astype(np.float32)
    for allowed in (None, frozenset("ABC"), frozenset()):
        weights = letter_weights(grid, allowed)
        assert np.allclose(decode(grid, weights).posterior.sum(-1), 1, atol=1e-5)
