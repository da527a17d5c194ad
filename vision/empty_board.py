"""What the board looked like empty, and what that says of what lies on it now.

A picture of the empty board is worth more than a rule about its colours: every square has its own
shade, print, grain and lines. What was empty and looks as it did still is; what looks otherwise has
something on it. Light differs from picture to picture, so it is taken out first, and how far empty
squares stray from their look is learnt from those of the picture at hand that surely are empty:
under another light, or a pose a little off, they all stray more, and each says less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.decode import SYMBOL_ORDER
from vision.premium_layout import smooth_light
from vision.rectify import BORDER, Image
from vision.robust import RobustFit, cauchy, robust_fit, robust_sigma

_FINE: Final = 14
"""Pixels a square at which looks are compared."""

_EMPTY: Final = SYMBOL_ORDER.index(".")

_FEWEST: Final = 30.0
"""Squares that have to be surely empty for the rest to be compared with."""

_TEXTURE_FLOOR: Final = 0.18
"""Smallest spread believed of the logarithm of a square's misfit."""

_TILES: Final = (1.3, 0.8)
"""How much further tiles stray than empty squares do, as the logarithm of a ratio, and the spread
of that: plain blanks on drawn boards (`benchmarks/empty_board.py`)."""

_FAR: Final = 2.3
"""Whatever strays further speaks for a tile as much as what strays so far."""

_SHADE: Final = 1.0
"""How far a shadow or a reflection makes an empty square stray, and the spread of that."""

_SHADED: Final = (0.05, 0.6)
"""Bounds of the share of empty squares of which that is so. How many it are in a picture, its own
surely empty squares tell: under the light of the empty board few, under another one many."""

_TAIL: Final = 3.0
"""Times that share which strays further than :data:`_SHADE`: half of what is shaded does, and some
of it is doubted for that very reason and not heard."""

_SURE: Final = 0.98

_STIFF: Final = 0.5
"""Grey levels squared: how little a shift is believed where a square shows nothing of it."""

_MOST: Final = 1.0
"""Pixels of 14 a square that a pose may be off at a square."""

_LIMIT: Final = 3.0
"""Most that the pattern may say, in nats."""


@dataclass(frozen=True)
class AppearanceResidual:
    """How far the squares of a picture stray from the empty board.

    colour: float64 (15, 15, 3), CIE L*a*b*, the square's middle less what it would be if empty.
    pattern: float64 (15, 15), what is left of a square's pixels once light is taken out, as the
    logarithm of its share of the level around.
    turns: quarter turns by which the empty board was turned to fit.
    """

    colour: NDArray[np.float64]
    pattern: NDArray[np.float64]
    turns: int


class EmptyBoardModel:
    """The empty board.

    Args:
        board: from :func:`vision.rectify.rectify` with its default sizes. Which of its sides is
            the top does not matter: nothing tells on an empty board.
    """

    def __init__(self, board: Image) -> None:
        turned = [np.ascontiguousarray(np.rot90(board, k)) for k in range(4)]
        self._turned = [_Kept(_cells(one), k) for k, one in enumerate(turned)]

    def residual(self, board: Image, posterior: NDArray[np.float32]) -> AppearanceResidual | None:
        """How far each square strays from its empty look.

        Args:
            board: the picture at hand, rectified likewise, upright.
            posterior: float32 (15, 15, symbols), what each square is taken for so far.

        Returns:
            None where too few squares are surely empty to compare with.
        """
        empty_p = posterior[..., _EMPTY].astype(np.float64)
        share = np.where(empty_p > 0.5, empty_p, 0.0)
        if share.sum() < _FEWEST:
            return None
        now = _cells(board)
        rough = _coarse(now)
        return min(self._turned, key=lambda kept: kept.unlike(rough, share)).compared(now, share)


class _Kept:
    """The empty board, one way round."""

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

    def unlike(self, coarse: NDArray[np.float32], share: NDArray[np.float64]) -> float:
        """How little the empty squares' patterns look like this, one way round."""
        off = ((coarse - self._coarse) ** 2).sum(axis=(2, 3))
        return float(np.average(np.minimum(off, np.median(off) * 4), weights=share))

    def compared(self, now: NDArray[np.float32], share: NDArray[np.float64]) -> AppearanceResidual:
        after = _middle(now)
        gain = _gain(self._level, after, share)
        expected = self._level * gain
        colour = _lab(after) - _lab(expected)
        # The pattern: each square's pixels about their own mean, so that a shadow's level is no
        # difference, and less what a pose that is a part of a pixel off explains.
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
        pattern = np.log(np.maximum(rms, 0.1) / np.sqrt(_typical(rms, rough, share)))
        return AppearanceResidual(colour, pattern.astype(np.float64), self._turns)


def _typical(
    rms: NDArray[np.float32], rough: NDArray[np.float32], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The misfit to be expected of each square if it is empty, squared: float64 (15, 15).

    Noise is the same everywhere; what a pose a hair off leaves goes with how rough the square is.
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
    """float32 (15, 15, 7, 7): grey, half as fine, each square about its mean, as shares of it."""
    grey = cells.mean(axis=4).reshape(SIZE, SIZE, 7, 2, 7, 2).mean(axis=(3, 5))
    level = grey.mean(axis=(2, 3), keepdims=True)
    return np.asarray((grey - level) / (level + 8.0), np.float32)


def _middle(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cells[:, :, 3:-3, 3:-3].mean(axis=(2, 3)), np.float32)


def _cells(board: Image) -> NDArray[np.float32]:
    """float32 (15, 15, 14, 14, 3): each square's pixels, BGR levels, a little smoothed.

    Smoothed because two poses never agree to the pixel.
    """
    inner = board[BORDER:-BORDER, BORDER:-BORDER]
    small = cv2.resize(inner, (SIZE * _FINE, SIZE * _FINE), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small.astype(np.float32), (3, 3), 0.8)
    cells = soft.reshape(SIZE, _FINE, SIZE, _FINE, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(cells, dtype=np.float32)


def _gain(
    before: NDArray[np.float32], after: NDArray[np.float32], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """By how much each colour channel is brighter now, over the board: float64 (15, 15, 3).

    A smooth change, fitted to the squares that are empty.
    """
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    model = smooth_light((cols - 7) / 7, (rows - 7) / 7)
    ratio = np.log((after + 4.0) / (before + 4.0)).reshape(-1, 3).astype(np.float64)
    share = share.ravel()

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        off = np.abs(fit.residual).max(axis=1)
        return share * cauchy(off / (2 * (robust_sigma(off[share > 0]) + 0.01)))

    fit = robust_fit(model, ratio, share, reweight, rounds=4)
    return np.asarray(np.exp(model @ fit.coefficients).reshape(SIZE, SIZE, 3), np.float64)


def _lab(bgr: NDArray[np.floating]) -> NDArray[np.float64]:
    clipped = np.clip(bgr, 0, 255).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(clipped, cv2.COLOR_BGR2Lab), np.float64)


def pattern_log_likelihood_ratio(
    residual: AppearanceResidual, empty_p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much each square's pattern speaks for a tile against an empty square, in nats.

    Args:
        residual: how far squares stray from their empty look.
        empty_p: float64 (15, 15), how likely each square is empty so far.
    """
    free = empty_p > 0.5
    typical = float(np.median(residual.pattern[free]))
    spread = max(float(robust_sigma(residual.pattern[free] - typical)), _TEXTURE_FLOOR)
    off = np.minimum(residual.pattern - typical, _FAR)
    sure = empty_p > _SURE
    strays = float((off[sure] > _SHADE).mean()) if sure.sum() >= _FEWEST else _SHADED[0]
    share = float(np.clip(_TAIL * strays, *_SHADED))
    empty = (1 - share) * _normal(off, 0.0, spread) + share * _normal(off, _SHADE, _SHADE)
    tile = _normal(off, *_TILES)
    return np.clip(np.log((tile + 1e-6) / (empty + 1e-6)), -_LIMIT, _LIMIT)


def _normal(x: NDArray[np.float64], mean: float, spread: float) -> NDArray[np.float64]:
    share = np.exp(-(((x - mean) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    return np.asarray(share, np.float64)
