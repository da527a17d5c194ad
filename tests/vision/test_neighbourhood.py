"""The median over the squares around each square."""

from __future__ import annotations

import cv2
import numpy as np

from vision.neighbourhood import median_around


def test_inside_it_is_the_median_of_five_by_five():
    values = np.random.default_rng(0).random((15, 15), np.float32)
    assert np.allclose(median_around(values)[2:-2, 2:-2], cv2.medianBlur(values, 5)[2:-2, 2:-2])


def test_what_fills_the_outermost_column_is_not_all_that_surrounds_it():
    values = np.ones((15, 15), np.float32)
    values[:, 14] = 2.0
    assert (median_around(values) == 1.0).all()


def test_the_corner_counts_the_squares_on_the_board():
    values = np.arange(225, dtype=np.float32).reshape(15, 15)
    assert median_around(values)[0, 0] == np.median(values[:3, :3])
    assert median_around(values)[0, 1] == np.median(values[:3, :4])


def test_channels_are_separate():
    values = np.random.default_rng(1).random((15, 15, 3), np.float32)
    assert np.array_equal(median_around(values)[..., 2], median_around(values[..., 2]))


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
