"""The first convolution in 8 bits: rounded together, and four pixels at a time."""

from __future__ import annotations

import numpy as np

from tools.train.first_convolution import patch_moments, rounded, wide_kernel
from vision.rectify import CROP


def crops(count=4):
    """Squares of one colour each with a bar across: neighbouring pixels are mostly alike."""
    rng = np.random.default_rng(1)
    out = np.empty((count, CROP, CROP, 3), np.uint8)
    out[:] = rng.integers(40, 220, (count, 1, 1, 3))
    out[:, 20:40] //= 2
    return out + rng.integers(0, 8, out.shape).astype(np.uint8)


def plain_convolution(image, kernel):
    """With a stride of 2 and zeros around: (channels, rows, columns) of an image (H, W, 3)."""
    wide = np.pad(image.astype(np.int64), ((1, 1), (1, 1), (0, 0)))
    seen = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(0, 1))[::2, ::2]
    return np.einsum("yxcij,kijc->kyx", seen, kernel.astype(np.int64))


def test_four_pixels_at_a_time_are_the_same_convolution():
    rng = np.random.default_rng(0)
    kernel = rng.integers(-63, 64, (5, 3, 3, 3)).astype(np.int8)
    image = rng.integers(0, 256, (CROP, CROP, 3)).astype(np.uint8)
    units = np.pad(image.reshape(CROP, CROP // 4, 12).astype(np.int64), ((1, 0), (1, 0), (0, 0)))
    seen = np.lib.stride_tricks.sliding_window_view(units, (3, 2), axis=(0, 1))[::2]
    sums = np.einsum("yxpij,kpij->yxk", seen, wide_kernel(kernel).astype(np.int64))
    answers = sums.reshape(CROP // 2, CROP // 2, 5).transpose(2, 0, 1)
    assert (answers == plain_convolution(image, kernel)).all()


def test_weights_rounded_together_change_the_answers_less_than_one_by_one():
    rng = np.random.default_rng(3)
    _, covariance = patch_moments(crops())
    changed = np.zeros(2)
    for _ in range(10):
        weights = rng.normal(0, 0.004, 27)
        step = np.abs(weights).max() / 63
        one_by_one, together = np.round(weights / step), rounded(weights, step, covariance)
        errors = [steps * step - weights for steps in (one_by_one, together)]
        changed += [error @ covariance @ error for error in errors]
        assert np.abs(together).max() <= 63
    assert changed[1] < changed[0] / 4


def test_the_moments_are_those_of_what_the_convolution_sees():
    shown = crops(1)
    mean, covariance = patch_moments(shown)
    seen = [
        shown[0, y : y + 3, x : x + 3].ravel() for y in range(1, 62, 4) for x in range(1, 62, 4)
    ]
    assert np.allclose(mean, np.mean(seen, axis=0))
    assert np.allclose(covariance, np.cov(np.array(seen, np.float64).T, bias=True))
