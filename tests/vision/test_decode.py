"""Which way is up, what a square carries, and whose letters lie on a board."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.tileset import load_tile_set, tile_set_ids
from vision.decode import SYMBOL_ORDER, agreement, decode, turned_grid, upright_votes
from vision.labels import CLASS_NAMES, LETTERS, class_index, parse, state_index
from vision.tile_sets import letter_weights

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


ANY_SET = "any"
"""The set is not named: what lies on the board tells whose letters they are."""


def read(grid, allowed=None):
    weights = None
    if allowed is not None:
        weights = letter_weights(grid, None if allowed == ANY_SET else allowed)
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


def board(*words):
    return tuple(word.ljust(15, ".") for word in words) + ("." * 15,) * (15 - len(words))


def unsure(grid, row, col, **letters):
    grid[row, col] = 0
    for letter, share in letters.items():
        grid[row, col, class_index(letter, 0)] = share
    return grid


@pytest.mark.parametrize(
    ("words", "at", "shares", "letter"),
    [
        # A mark seen once on a board of another set is dirt: Q, V and X are on no Polish tile, Ó
        # on no other.
        (("QUIXOTIC", "VEX"), (0, 4), {"O": 0.3, "Ó": 0.7}, "O"),
        # One among others of its set is believed.
        (("ŻÓŁW", "ŁÓDŹ", "DOM"), (2, 1), {"O": 0.4, "Ó": 0.6}, "Ó"),
        # One surely seen is read though nothing else speaks for its set.
        (("DOM",), (0, 1), {"O": 0.001, "Ó": 0.999}, "Ó"),
        # Marks of two sets are judged by the company they keep.
        (("MÜHE", "XÄNTHE"), (0, 1), {"Ü": 0.4, "Ó": 0.6}, "Ü"),
        # A set with more letters does not win by having more: every letter here is on Czech and
        # Slovak tiles too, whose As have an accent now and then.
        (("HOTELIER", "MANDOLINES", "BUTTER", "SEDIMENT", "OUTLINED"), (1, 1),
         {"A": 0.1, "Á": 0.9}, "A"),
    ],
)  # fmt: skip
def test_a_letter_in_doubt_is_of_the_set_that_lies_on_the_board(words, at, shares, letter):
    seen = read(unsure(grid_of(board(*words)), *at, **shares), ANY_SET)
    assert seen[at[0]][at[1]] == letter
    lie = [[*line] for line in board(*words)]
    lie[at[0]][at[1]] = letter
    assert seen == tuple("".join(line) for line in lie)


def test_what_shows_no_letter_is_left_alone():
    grid = grid_of(board("QUIXOTIC"))
    grid[5, 5] = 0
    grid[5, 5, state_index("blank")] = 0.6
    grid[5, 5, class_index("Ż", 0)] = 0.4
    posterior = decode(grid, letter_weights(grid)).posterior[5, 5]
    assert posterior[SYMBOL_ORDER.index("?")] == pytest.approx(0.6, abs=0.01)


def test_an_empty_board_favours_no_shipped_set():
    weights = letter_weights(grid_of(("." * 15,) * 15))
    assert weights[LETTERS.index("A")] == pytest.approx(1)
    assert 0.1 < weights[LETTERS.index("Ó")] < 0.5
    assert np.all(weights <= 1 + 1e-12)


@pytest.mark.parametrize("tile_set", tile_set_ids())
def test_half_a_bag_tells_its_own_letters(tile_set):
    tiles = load_tile_set(tile_set)
    bag = [tile for tile, count in tiles.counts.items() if tile != "?" for _ in range(count)]
    drawn = "".join(np.random.default_rng(7).permutation(bag)[: len(bag) // 2])
    grid = grid_of(board(*(drawn[at : at + 15] for at in range(0, len(drawn), 15))))
    weights = letter_weights(grid)
    assert all(weights[LETTERS.index(tile)] > 0.3 for tile in set(drawn))
    assert weights[[letter not in tiles.shown for letter in LETTERS]].mean() < 0.15
