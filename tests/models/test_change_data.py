"""Pairs of looks at a square, and labels that are true."""

from __future__ import annotations

import numpy as np

from models.change_data import draw_pairs, drawn_pair, scene_pairs
from vision.change_detector import MARGIN, PATCH, PITCH


def test_nothing_is_taken_away_and_something_laid():
    for seed in range(3):
        before, after = ("".join(scene.rows) for scene in drawn_pair(seed))
        assert all(now == was for was, now in zip(before, after, strict=True) if was != ".")
        assert sum(was == "." != now for was, now in zip(before, after, strict=True)) >= 8


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
    one, two = scene_pairs(7), scene_pairs(7)
    assert (one.pairs == two.pairs).all()
    assert (one.seeds == 7).all()
