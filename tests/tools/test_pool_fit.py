"""The fit of the pool of two classifiers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tools.train.pool_fit import Opinions, fitted, joined, log_loss
from vision.classifier import Pool
from vision.labels import BLANK, CLASS_NAMES, EMPTY, class_index, state_index

SHOWN = [class_index("H", 0), class_index("M", 0), state_index(BLANK), state_index(EMPTY)]


def opinions(count: int, truth: Pool) -> Opinions:
    """Two opinions at random, and labels as likely as a pool makes them."""
    rng = np.random.default_rng(7)

    def one() -> np.ndarray:
        out = np.full((count, len(CLASS_NAMES)), 1e-7)
        out[:, SHOWN] = rng.dirichlet([0.5] * len(SHOWN), count)
        return (out / out.sum(axis=1, keepdims=True)).astype(np.float32)

    own, theirs = one(), one()
    pooled = truth.of(own, theirs).astype(np.float64)
    below = pooled.cumsum(axis=1) / pooled.sum(axis=1, keepdims=True)
    labels = (below < rng.random((count, 1))).sum(axis=1)
    return Opinions(own, theirs, labels.astype(np.intp), np.ones(count))


def test_the_pool_that_made_the_labels_is_found_and_no_other_has_a_smaller_loss():
    assert fitted(opinions(4000, Pool(0.5))).blank == pytest.approx(0.5, abs=0.1)
    seen = opinions(600, Pool(-0.4))
    found = fitted(seen)
    for step in (-0.02, 0.02):
        assert log_loss(Pool(found.blank + step), seen) > log_loss(found, seen)


def test_a_square_that_counts_twice_is_as_good_as_two():
    seen = opinions(300, Pool())
    twice = replace(seen, counts=seen.counts * 2)
    assert fitted(twice).blank == pytest.approx(fitted(joined([seen, seen])).blank, abs=1e-6)
    assert log_loss(Pool(), twice) == pytest.approx(2 * log_loss(Pool(), seen))
