"""A model of the empty board, and the residual of a picture against it.

A picture of the empty board is worth more than a rule about its colours: every square has its own
shade, print, grain and lines. A square that looks as it did empty still is; one that looks
different has something on it. The change of light between the pictures is taken out first. The
residual's scale is estimated from the squares of the new picture that are surely empty: in another
light, or with a pose a little off, all residuals are larger, and each is weaker evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.decode import SYMBOL_ORDER
from vision.light import smooth_gain
from vision.rectify import BORDER, Image
from vision.robust import RobustFit, cauchy, robust_fit, robust_sigma

_FINE: Final = 14
"""Pixels per square of the pictures that are compared."""

_EMPTY: Final = SYMBOL_ORDER.index(".")

_FEWEST: Final = 30.0
"""The least number of surely empty squares with which the others are compared."""

_TEXTURE_FLOOR: Final = 0.18
"""Smallest standard deviation of the logarithm of a square's residual."""

_TILES: Final = (1.3, 0.8)
"""Mean and standard deviation of a tile's log residual above that of empty squares: plain blanks
on drawn boards (`benchmarks/empty_board.py`)."""

_FAR: Final = 2.3
"""Larger residuals are clipped to this."""

_SHADE: Final = 1.0
"""Mean and standard deviation of an empty square's log residual under a shadow or a reflection."""

_SHADED: Final = (0.05, 0.6)
"""Bounds of the share of squares under a shadow or a reflection. It is estimated from a picture's
own surely empty squares: few in the light of the empty board's picture, many in another."""

_TAIL: Final = 3.0
"""Ratio of the share of shaded squares to the share with a residual above :data:`_SHADE`: half of
the shaded squares have one, and some of them are not surely empty for that very reason."""

_SURE: Final = 0.98

_STIFF: Final = 0.5
"""Grey levels squared: ridge of the shift's fit, for squares without any edges."""

_MOST: Final = 1.0
"""The most pixels, at 14 a square, by which a square's pose may be off."""

_LIMIT: Final = 3.0
"""Bound of the pattern's log-likelihood ratio, in nats."""


@dataclass(frozen=True)
class AppearanceResidual:
    """The residual of each square against the empty board.

    colour: float64 (15, 15, 3), CIE L*a*b*, the square's middle less its expectation if empty.
    pattern: float64 (15, 15), logarithm of the RMS of a square's pixels without light and shift,
    over its expectation if empty.
    turns: quarter turns by which the empty board was turned to fit.
    """

    colour: NDArray[np.float64]
    pattern: NDArray[np.float64]
    turns: int


class EmptyBoardModel:
    """The empty board.

    Args:
        board: from :func:`vision.rectify.rectify` with its default sizes. Which of its sides is
            the top does not matter: an empty board has none.
    """

    def __init__(self, board: Image) -> None:
        turned = [np.ascontiguousarray(np.rot90(board, k)) for k in range(4)]
        self._turned = [_Orientation(_cells(one), k) for k, one in enumerate(turned)]

    def residual(self, board: Image, posterior: NDArray[np.float32]) -> AppearanceResidual | None:
        """Return the residual of each square, or None if too few squares are surely empty.

        Args:
            board: a picture, rectified likewise, upright.
            posterior: float32 (15, 15, symbols), by the crops alone.
        """
        empty_p = posterior[..., _EMPTY].astype(np.float64)
        share = np.where(empty_p > 0.5, empty_p, 0.0)
        if share.sum() < _FEWEST:
            return None
        now = _cells(board)
        rough = _coarse(now)
        return min(self._turned, key=lambda one: one.distance(rough, share)).residual(now, share)


class _Orientation:
    """The empty board in one of four orientations."""

    def __init__(self, cells: NDArray[np.float32], turns: int) -> None:
        self._turns = turns
        self._cells = cells
        self._level = _middle(cells)
        self._about = cells - cells.mean(axis=(2, 3), keepdims=True)
        # Central differences within a square: what a shift by a pixel does to it.
        across, down = np.gradient(cells, axis=3), np.gradient(cells, axis=2)
        self._slope = np.stack([across, down], axis=-1).astype(np.float32)
        self._slope -= self._slope.mean(axis=(2, 3), keepdims=True)
        self._rough = np.sqrt((self._slope**2).mean(axis=(2, 3, 4)).sum(axis=-1))
        self._coarse = _coarse(cells)

    def distance(self, coarse: NDArray[np.float32], share: NDArray[np.float64]) -> float:
        """Return the mean squared difference of the empty squares' patterns, clipped."""
        off = ((coarse - self._coarse) ** 2).sum(axis=(2, 3))
        return float(np.average(np.minimum(off, np.median(off) * 4), weights=share))

    def residual(self, now: NDArray[np.float32], share: NDArray[np.float64]) -> AppearanceResidual:
        """Return the residual; ``share`` is the weight of each square as an empty one."""
        after = _middle(now)
        gain = smooth_gain(self._level, after, share)
        expected = self._level * gain
        colour = _lab(after) - _lab(expected)
        # The pattern: each square's pixels about their own mean, so that a shadow's level is no
        # difference, less what a shift by part of a pixel explains.
        lit = gain[:, :, None, None].astype(np.float32)
        off = now - now.mean(axis=(2, 3), keepdims=True) - self._about * lit
        slope = self._slope * lit[..., None]
        flat = slope.reshape(SIZE * SIZE, -1, 2)
        rest = off.reshape(SIZE * SIZE, -1)
        normal = (
            flat.transpose(0, 2, 1) @ flat + _STIFF * np.eye(2, dtype=np.float32) * flat.shape[1]
        )
        shift = np.linalg.solve(normal, flat.transpose(0, 2, 1) @ rest[..., None])
        shift /= np.maximum(1.0, np.linalg.norm(shift, axis=1, keepdims=True) / _MOST)
        rest = rest - (flat @ shift)[..., 0]
        rms = np.sqrt((rest**2).mean(axis=1)).reshape(SIZE, SIZE)
        rough = self._rough * gain.mean(axis=2)
        pattern = np.log(np.maximum(rms, 0.1) / np.sqrt(_expected_mean_square(rms, rough, share)))
        return AppearanceResidual(colour, pattern.astype(np.float64), self._turns)


def _expected_mean_square(
    rms: NDArray[np.floating], rough: NDArray[np.floating], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the expected squared RMS of each square if it is empty: float64 (15, 15).

    Noise is the same everywhere; the effect of a pose slightly off grows with a square's gradients.
    """
    model = np.column_stack([np.ones(SIZE * SIZE), rough.ravel().astype(np.float64) ** 2])
    target = rms.ravel().astype(np.float64) ** 2
    share = share.ravel()

    def expected(fit: RobustFit) -> NDArray[np.float64]:
        return np.asarray(model @ np.maximum(fit.coefficients[:, 0], [0.05, 0.0]))

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        return share / expected(fit) ** 2 * cauchy(target / expected(fit) - 1)

    first = share / np.maximum(target, 1.0) ** 2
    fit = robust_fit(model, target[:, None], first, reweight, rounds=5)
    return expected(fit).reshape(SIZE, SIZE)


def _coarse(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return half as fine grey patterns, as shares of their mean: float32 (15, 15, 7, 7)."""
    grey = cells.mean(axis=4).reshape(SIZE, SIZE, 7, 2, 7, 2).mean(axis=(3, 5))
    level = grey.mean(axis=(2, 3), keepdims=True)
    return np.asarray((grey - level) / (level + 8.0), np.float32)


def _middle(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cells[:, :, 3:-3, 3:-3].mean(axis=(2, 3)), np.float32)


def _cells(board: Image) -> NDArray[np.float32]:
    """Return each square's pixels, BGR levels, slightly smoothed: float32 (15, 15, 14, 14, 3).

    Smoothed because two poses never agree to the pixel.
    """
    inner = board[BORDER:-BORDER, BORDER:-BORDER]
    small = cv2.resize(inner, (SIZE * _FINE, SIZE * _FINE), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small.astype(np.float32), (3, 3), 0.8)
    cells = soft.reshape(SIZE, _FINE, SIZE, _FINE, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(cells, dtype=np.float32)


def _lab(bgr: NDArray[np.floating]) -> NDArray[np.float64]:
    clipped = np.clip(bgr, 0, 255).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(clipped, cv2.COLOR_BGR2Lab), np.float64)


def pattern_log_likelihood_ratio(
    residual: AppearanceResidual, empty_p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log-likelihood ratio, in nats, of a tile against an empty square by the pattern.

    Args:
        residual: the residual against the empty board.
        empty_p: float64 (15, 15), probability of "empty" by the crops alone.
    """
    free = empty_p > 0.5
    typical = float(np.median(residual.pattern[free]))
    spread = max(float(robust_sigma(residual.pattern[free] - typical)), _TEXTURE_FLOOR)
    off = np.minimum(residual.pattern - typical, _FAR)
    sure = empty_p > _SURE
    shaded = float((off[sure] > _SHADE).mean()) if sure.sum() >= _FEWEST else _SHADED[0]
    share = float(np.clip(_TAIL * shaded, *_SHADED))
    empty = (1 - share) * _normal(off, 0.0, spread) + share * _normal(off, _SHADE, _SHADE)
    tile = _normal(off, *_TILES)
    return np.clip(np.log((tile + 1e-6) / (empty + 1e-6)), -_LIMIT, _LIMIT)


def _normal(x: NDArray[np.float64], mean: float, spread: float) -> NDArray[np.float64]:
    share = np.exp(-(((x - mean) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    return np.asarray(share, np.float64)
