"""The figures of a model card."""

from __future__ import annotations

import numpy as np
import pytest

from tools.train import card
from vision.labels import CLASS_NAMES, LETTERS, PRIOR, STATES, class_index, state_index


def test_the_prior_replaces_the_training_sets_shares():
    states = [state_index(name) for name in ("empty", "blank", "facedown", "unreadable")]
    labels = np.repeat([class_index("A", 0), *states], [60, 20, 10, 5, 5]).astype(np.int16)
    shift = card.prior_shift(labels)
    assert shift.shape == (len(CLASS_NAMES),)
    assert shift[state_index("empty")] == pytest.approx(np.log(0.59 / 0.2))
    assert np.allclose(shift[: 4 * len(LETTERS)], np.log(0.385 / 0.6))
    weight = card.prior_weights(labels)
    assert weight.mean() == pytest.approx(1)
    share = weight[labels == state_index("blank")].sum() / weight.sum()
    assert share == pytest.approx(PRIOR["blank"])
    assert card.prior_of_groups().sum() == pytest.approx(1)
    assert len(card.prior_of_groups()) == 1 + len(STATES)


def test_reliability_of_an_honest_classifier_lies_on_the_diagonal():
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.3, 1, 40_000)
    right = rng.random(40_000) < sure
    rows = card.reliability(sure, right, np.ones(40_000))
    assert sum(share for _, share, _, _ in rows) == pytest.approx(1)
    for _, share, mean, good in rows:
        if share > 0.02:
            assert good == pytest.approx(mean, abs=0.03)
    assert card.plot(rows).shape == (420, 420, 3)
