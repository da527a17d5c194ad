"""Fits that outliers do not carry, and the median over the squares around each square."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.light import median_around
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


def test_a_regressor_that_is_nowhere_seen_does_no_harm():
    fit = least_squares(np.column_stack([MODEL, 0 * X]), MODEL @ LINES, np.ones(len(X)))
    assert np.abs(fit.residual).max() < 1e-9


def test_sigma_is_that_of_most_residuals():
    residual = np.random.default_rng(2).normal(0, [1.0, 3.0], (4001, 2))
    residual[::10] *= 100
    assert robust_sigma(residual) == pytest.approx([1.0, 3.0], rel=0.2)


def test_inside_it_is_the_median_of_five_by_five_in_each_channel():
    values = np.random.default_rng(0).random((15, 15, 3), np.float32)
    of_one = median_around(values[..., 2])
    assert np.allclose(of_one[2:-2, 2:-2], cv2.medianBlur(values[..., 2], 5)[2:-2, 2:-2])
    assert np.array_equal(median_around(values)[..., 2], of_one)


def test_what_fills_the_outermost_column_is_not_all_that_surrounds_it():
    values = np.ones((15, 15), np.float32)
    values[:, 14] = 2.0
    assert (median_around(values) == 1.0).all()


def test_the_corner_counts_the_squares_on_the_board():
    values = np.arange(225, dtype=np.float32).reshape(15, 15)
    assert median_around(values)[0, 0] == np.median(values[:3, :3])
    assert median_around(values)[0, 1] == np.median(values[:3, :4])


def test_only_the_squares_that_count_make_the_median():
    values = np.ones((15, 15), np.float32)
    values[5:10, 5:10] = 2.0
    assert median_around(values)[7, 7] == 2.0
    counted = values == 1.0
    assert (median_around(values, counted) == 1.0).all()


def test_where_too_few_around_count_all_that_do_make_it():
    values = np.full((15, 15, 3), 2.0, np.float32)
    values[0, :4] = (1.0, 3.0, 5.0)
    counted = np.zeros((15, 15), np.bool_)
    counted[0, :4] = True
    assert np.array_equal(median_around(values, counted)[14, 14], (1.0, 3.0, 5.0))
    assert np.array_equal(median_around(values, np.zeros_like(counted)), median_around(values))
