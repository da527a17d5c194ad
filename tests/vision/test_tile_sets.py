"""Sets that the weights can read, and tiles that are not of the set in play."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import Square
from game.errors import TilewatchError
from game.tileset import load_tile_set, tile_set_ids
from tests.readerkit import reading_of
from vision.decode import SYMBOL_ORDER
from vision.labels import CLASS_NAMES, LETTERS, class_index, state_index
from vision.other_sets import strangers, without
from vision.tile_sets import letters_of, readable_sets

AT = Square(3, 4)
LATIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def grid_of(square, **shares):
    """An empty board but for one square, which may be these letters, upright."""
    grid = np.zeros((15, 15, len(CLASS_NAMES)), np.float32)
    grid[..., state_index("empty")] = 1
    grid[square] = 0
    for letter, share in shares.items():
        grid[(*square, class_index(letter, 0))] = share
    return grid


@pytest.mark.parametrize("id_", tile_set_ids())
def test_a_set_is_read_or_refused_by_the_letters_that_are_unknown(id_):
    tiles = load_tile_set(id_)
    unknown = [letter for letter in tiles.shown if letter not in LETTERS]
    assert (id_ in readable_sets()) == (not unknown)
    if not unknown:
        assert letters_of(id_) == tiles.shown
        return
    with pytest.raises(TilewatchError, match="cannot be read by these weights") as refused:
        letters_of(id_)
    assert all(tiles.text(letter) in str(refused.value) for letter in unknown)


def test_a_letter_of_another_set_is_a_stranger():
    grid = grid_of(AT, W=0.9995, V=0.0005)
    assert strangers(grid, LATIN - {"W"}) == {AT: "W"}
    assert strangers(grid, LATIN) == {}
    assert strangers(grid, None) == {}


def test_several_likely_strangers_are_another_set():
    grid = grid_of(AT, W=0.97, V=0.03)
    assert strangers(grid, LATIN - {"W"}) == {}
    for col in (6, 8):
        grid[3, col] = grid[AT]
    assert set(strangers(grid, LATIN - {"W"}).values()) == {"W"}
    assert len(strangers(grid, LATIN - {"W"})) == 3


@pytest.mark.parametrize(
    ("shares", "allowed"),
    [
        ({"Q": 0.97, "O": 0.03}, LATIN - {"Q"}),  # a bad picture of an O
        ({"W": 0.6, "V": 0.4}, LATIN - {"W"}),  # in doubt: the set decides
        ({"Ä": 0.99}, LATIN),  # dirt over an A
        ({"Ł": 0.99}, LATIN),
    ],
)
def test_what_may_be_a_letter_of_the_set_is_no_stranger(shares, allowed):
    assert strangers(grid_of(AT, **shares), allowed) == {}


def test_a_stranger_is_left_unread_and_named():
    posterior = np.zeros((15, 15, len(SYMBOL_ORDER)), np.float32)
    posterior[AT][SYMBOL_ORDER.index("V")] = 1
    rows = tuple("." * 4 + "V" + "." * 10 if row == AT.row else "." * 15 for row in range(15))
    reading = reading_of(rows, posterior=posterior)
    left = without(reading, {AT: "W"})
    assert left.symbol(AT) == "~"
    assert [(f.code, f.square) for f in left.findings] == [("uncertain_square", "4E")]
    assert "W" in left.findings[0].detail
    assert left.posterior is not None
    assert left.posterior[AT].argmax() == SYMBOL_ORDER.index("~")
    assert without(reading, {}) is reading
