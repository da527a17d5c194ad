"""Pairs of looks at a square, and labels that are true."""

from __future__ import annotations

import numpy as np
import pytest

from tools.scenes import random_rows
from tools.train.change_data import changed_rows, draw_pairs, scene_pairs
from vision.change_detector import MARGIN, PATCH, PITCH


def test_tiles_are_placed_on_empty_squares_and_some_are_taken_away():
    taken = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        was = random_rows(rng, "AB", 10)
        before, after = "".join(was), "".join(changed_rows(rng, was))
        pairs = list(zip(before, after, strict=True))
        assert all(now in (one, ".") for one, now in pairs if one != ".")
        assert sum(one == "." != now for one, now in pairs) >= 8
        taken += any(one != "." == now for one, now in pairs)
    assert 0 < taken < 12


def test_half_of_the_tables_are_given_tiles_in_rows():
    def beside(rows):
        """The share of the placed tiles that have another on their right or below."""
        tiles = np.array([list(row) for row in rows]) != "."
        right, below = tiles[:, :-1] & tiles[:, 1:], tiles[:-1] & tiles[1:]
        return (right.sum() + below.sum()) / tiles.sum()

    empty = ("." * 15,) * 15
    shares = [beside(changed_rows(np.random.default_rng(seed), empty)) for seed in range(40)]
    assert 12 <= sum(share > 0.5 for share in shares) <= 28


@pytest.mark.slow
def test_pairs_differ_more_where_something_was_laid():
    inner = slice(MARGIN + 2, MARGIN + PITCH - 2)
    data = draw_pairs(0, 4, 1)
    assert data.pairs.shape[1:] == (6, PATCH, PATCH)
    for seed in range(4):
        part = data.part(data.seeds == seed)
        assert 0.2 < part.placed.mean() < 0.5
        changed = np.abs(part.pairs[:, 3:, inner, inner].astype(np.float32)).mean(axis=(1, 2, 3))
        assert np.median(changed[part.placed]) > np.median(changed[~part.placed])


def test_a_seed_makes_the_same_pairs():
    one, two = scene_pairs(2), scene_pairs(2)
    assert (one.pairs == two.pairs).all()
    assert (one.seeds == 2).all()
