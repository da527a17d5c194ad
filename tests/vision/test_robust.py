"""Fits that outliers do not carry."""

from __future__ import annotations

import numpy as np
import pytest

from vision.robust import cauchy, least_squares, robust_fit, robust_sigma

X = np.linspace(-1, 1, 60)
MODEL = np.column_stack([np.ones_like(X), X])
LINES = np.array([[2.0, -1.0], [0.5, 3.0]])


def by_distance(scale):
    return lambda fit: cauchy(np.abs(fit.residual).max(axis=1) / scale)


def test_points_on_a_line_give_that_line_whatever_their_weights():
    weight = np.random.default_rng(0).uniform(0.1, 5, len(X))
    fit = least_squares(MODEL, MODEL @ LINES, weight)
    assert fit.coefficients == pytest.approx(LINES)
    assert np.abs(fit.residual).max() < 1e-9


def test_a_fifth_of_outliers_hardly_moves_the_fit():
    target = MODEL @ LINES + np.random.default_rng(1).normal(0, 0.01, (len(X), 2))
    target[::5] += 4.0
    plain = least_squares(MODEL, target, np.ones(len(X)))
    fit = robust_fit(MODEL, target, np.ones(len(X)), by_distance(0.05), rounds=20)
    assert np.abs(plain.coefficients - LINES).max() > 0.5
    assert np.abs(fit.coefficients - LINES).max() < 0.02
    assert fit.weight[::5].max() < 1e-3


def test_rounds_end_once_nothing_moves():
    rounds = []

    def reweight(fit):
        rounds.append(fit)
        return by_distance(0.05)(fit)

    robust_fit(MODEL, MODEL @ LINES, np.ones(len(X)), reweight, rounds=20, settled=1e-6)
    assert len(rounds) == 1


def test_a_regressor_that_is_nowhere_seen_does_no_harm():
    fit = least_squares(np.column_stack([MODEL, 0 * X]), MODEL @ LINES, np.ones(len(X)))
    assert np.abs(fit.residual).max() < 1e-9


def test_sigma_is_that_of_most_residuals():
    residual = np.random.default_rng(2).normal(0, [1.0, 3.0], (4001, 2))
    residual[::10] *= 100
    assert robust_sigma(residual) == pytest.approx([1.0, 3.0], rel=0.2)
