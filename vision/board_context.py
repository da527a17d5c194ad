"""Updates the posterior by the colours of the board's own empty squares and tiles.

One crop alone can't tell a plain blank from a plain square. But the squares that are surely empty
show the colour of each kind of empty square in this light, and the tiles that are surely read show
the colour of this set's tiles; every square is then compared with both models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.decode import SYMBOL_ORDER
from vision.empty_board import AppearanceResidual, pattern_log_likelihood_ratio
from vision.labels import LETTERS
from vision.light import density_in_other_light, smooth_light
from vision.premium_layout import kind_indicators
from vision.rectify import BORDER, Image
from vision.robust import RobustFit, cauchy, robust_fit, robust_sigma, student_density

_MIN_SHARE: Final = 0.1
"""A square with a smaller probability of belonging to a colour model has no weight in it."""

_FEWEST_EMPTY: Final = 40.0
_FEWEST_TILES: Final = 1.5
_SLOPE_TILES: Final = 15.0
"""With this many tiles, their light is fitted with a slope over the board; with fewer, as even."""

_FEWEST_OF_KIND: Final = 1.5
"""The least number of empty squares of a kind from which that kind's colour is known."""
_OUTLIER: Final = 0.1
"""Prior share of squares whose colour a model does not explain: glare, stickers, a crumb. A
board's own share counts for more as soon as it is large: its squares may shine where its tiles
never do."""

_OUTLIER_WEIGHT: Final = 60.0
"""Weight of the prior ``_OUTLIER``, in squares."""

_BLANK_DOUBT: Final = 0.02
"""Least odds of a plain blank against an empty square on boards of the tiles' own colour: no
training scene has every grain and edge that shows such a tile. They lower confidence alone, and
make no square a blank."""

_COLOUR_SPACE: Final = 1 / (100.0 * 60.0 * 60.0)
"""Density of outliers' colours, uniform, per cubic unit of CIE L*a*b*."""

_FLOOR: Final = np.array([3.0, 1.5, 1.5])
"""Smallest standard deviation, L*a*b* units: print, dirt and sensor noise are never less."""

_OTHER_LIGHT: Final = 0.25
"""The fraction of outliers that have the model's colour in shade or glare."""

_LIMITS: Final = (-5.0, 8.0)
"""Bounds of the colour's log-likelihood ratio of a tile, in nats: factors of 150 and 3,000 in the
odds. Chosen on drawn boards, as ``_OTHER_LIGHT`` was: with bounds of 8 either way, letters on
squares of their colour became surely empty."""

_LETTER: Final = np.array([symbol in LETTERS for symbol in SYMBOL_ORDER])
_EMPTY: Final = SYMBOL_ORDER.index(".")
_BLANK: Final = SYMBOL_ORDER.index("?")
_TILE: Final = np.array([symbol in LETTERS or symbol in "?#" for symbol in SYMBOL_ORDER])


@dataclass(frozen=True)
class _ColourModel:
    """Mean colour of every square and its standard deviation: (15, 15, 3) and (3,)."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    known: NDArray[np.bool_]
    """bool (15, 15): True where the square's kind was seen often enough to know its colour."""
    outliers: float
    """Share of squares whose colour the model does not explain."""

    def density(self, colours: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the density of each square's colour, heavy-tailed: float64 (15, 15)."""
        z2 = (((colours - self.mean) / self.spread) ** 2).sum(axis=-1)
        lit = density_in_other_light(colours, self.mean, self.spread)
        far = _OTHER_LIGHT * lit + (1 - _OTHER_LIGHT) * _COLOUR_SPACE
        near = student_density(z2, self.spread)
        mixed = (1 - self.outliers) * near + self.outliers * far
        return np.where(self.known, mixed, _COLOUR_SPACE)


def face_colours(board: Image) -> NDArray[np.float64]:
    """Return the median colour of each square's middle, which leaves letters and print out.

    Args:
        board: from :func:`vision.rectify.rectify` with its default sizes.

    Returns:
        float64 (15, 15, 3), CIE L*a*b*.
    """
    inner = board[BORDER:-BORDER, BORDER:-BORDER]
    small = cv2.resize(inner, (SIZE * 14, SIZE * 14), interpolation=cv2.INTER_AREA)
    cells = small.reshape(SIZE, 14, SIZE, 14, 3)[:, 3:-3, :, 3:-3]
    cells = cells.transpose(0, 2, 1, 3, 4).reshape(SIZE * SIZE, -1, 3)
    lab = cv2.cvtColor(cells.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    # numpy's median is many times as slow as sorting along the last axis.
    ordered = np.sort(np.ascontiguousarray(lab.transpose(0, 2, 1)), axis=-1)
    half = ordered.shape[-1] // 2
    median = (ordered[..., half - 1] + ordered[..., half]) / 2
    return median.reshape(SIZE, SIZE, 3).astype(np.float64)


def recolour_posterior(
    posterior: NDArray[np.float32],
    colours: NDArray[np.float64],
    residual: AppearanceResidual | None = None,
) -> NDArray[np.float32]:
    """Return the posterior updated by each square's colour.

    Each square contributes to the colour models in proportion to its probabilities, so that a kind
    of square of which the crops alone are unsure throughout still has a colour: that all twelve
    triple-letter squares should be under a tile of one colour is the unlikelier explanation.

    Args:
        posterior: float32 (15, 15, symbols), in ``SYMBOL_ORDER``.
        colours: from :func:`face_colours`, in the same orientation.
        residual: against a picture of the empty board, if there is one.

    Returns:
        float32 (15, 15, symbols). Unchanged where too little is empty to compare with.
    """
    empty_p = posterior[..., _EMPTY].astype(np.float64)
    letters = posterior[..., _LETTER].sum(axis=-1).astype(np.float64)
    log_likelihood_ratio = colour_evidence(colours, empty_p, letters, residual)
    if log_likelihood_ratio is None:
        return posterior
    updated = posterior.astype(np.float64)
    updated[..., _TILE] *= np.exp(log_likelihood_ratio / 2)[..., None]
    updated[..., _EMPTY] *= np.exp(-log_likelihood_ratio / 2)
    doubt = _BLANK_DOUBT * updated[..., _EMPTY] * np.exp(np.minimum(log_likelihood_ratio, 0))
    updated[..., _BLANK] = np.maximum(updated[..., _BLANK], doubt)
    updated /= updated.sum(axis=-1, keepdims=True)
    return updated.astype(np.float32)


def colour_evidence(
    colours: NDArray[np.float64],
    empty_p: NDArray[np.float64],
    letters: NDArray[np.float64],
    residual: AppearanceResidual | None = None,
) -> NDArray[np.float64] | None:
    """Return the log-likelihood ratio of a tile against a bare square by each square's colour.

    Args:
        colours: from :func:`face_colours`.
        empty_p: float64 (15, 15), probability that a square is bare.
        letters: float64 (15, 15), probability that it shows a letter.
        residual: against a picture of the empty board, if there is one.

    Returns:
        float64 (15, 15), nats; None if too little is bare to compare with.
    """
    empty = _empty_model(colours, empty_p)
    if empty is None:
        return None
    tiles = _tile_model(colours, letters, empty.outliers)
    as_tile = np.full((SIZE, SIZE), _COLOUR_SPACE) if tiles is None else tiles.density(colours)
    if residual is None:
        ratio = np.clip(np.log(as_tile / empty.density(colours)), *_LIMITS)
    else:
        known = _reference_model(colours, residual, empty_p)
        known = empty if empty.spread.prod() < known.spread.prod() else known
        ratio = np.clip(np.log(as_tile / known.density(colours)), *_LIMITS)
        ratio = ratio + pattern_log_likelihood_ratio(residual, empty_p)
    return np.asarray(ratio)


def _empty_model(colours: NDArray[np.float64], share: NDArray[np.float64]) -> _ColourModel | None:
    """Return the colour model of empty squares by kind; None if too few squares are empty."""
    share = np.where(share < _MIN_SHARE, 0.0, share).ravel()
    if share.sum() < _FEWEST_EMPTY:
        return None
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    kinds = kind_indicators(rows, cols)
    seen = share @ kinds >= _FEWEST_OF_KIND
    model = np.column_stack([smooth_light(rows, cols), kinds[:, seen]])
    known = (kinds[:, ~seen].sum(axis=1) == 0).reshape(SIZE, SIZE)
    return _fit(model, colours, share, _FLOOR, known, _OUTLIER)


def _reference_model(
    colours: NDArray[np.float64], residual: AppearanceResidual, share: NDArray[np.float64]
) -> _ColourModel:
    """Return the colour model of empty squares by a picture of the empty board."""
    off = residual.colour
    share = np.where(share < _MIN_SHARE, 0.0, share)
    empty = off[share > 0.5]
    spread = np.maximum(robust_sigma(empty), _FLOOR)
    return _ColourModel(colours - off, spread, np.ones((SIZE, SIZE), bool), _OUTLIER)


def _tile_model(
    colours: NDArray[np.float64], share: NDArray[np.float64], outliers: float
) -> _ColourModel | None:
    """Return the colour model of this set's tiles; None if hardly any is on the board.

    ``outliers`` is the prior share: the tiles are in the same light as the empty squares.
    """
    share = np.where(share < _MIN_SHARE, 0.0, share).ravel()
    count = share.sum()
    if count < _FEWEST_TILES:
        return None
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    model = smooth_light(rows, cols)
    model = model[:, :3] if count >= _SLOPE_TILES else model[:, :1]
    # A few tiles tell little of the spread of the set.
    floor = _FLOOR * (1 + 6 / count)
    return _fit(model, colours, share, floor, np.ones((SIZE, SIZE), bool), outliers)


def _fit(
    model: NDArray[np.float64],
    colours: NDArray[np.float64],
    share: NDArray[np.float64],
    floor: NDArray[np.float64],
    known: NDArray[np.bool_],
    expected_outliers: float,
) -> _ColourModel:
    """Return the robust fit of a colour model to squares with weights ``share`` (225,)."""
    target = colours.reshape(-1, 3)

    def spread_of(fit: RobustFit) -> NDArray[np.float64]:
        return np.maximum(robust_sigma(fit.residual[share > 0.5 * share.max()]), floor)

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        return share * cauchy(np.linalg.norm(fit.residual / (2 * spread_of(fit)), axis=1))

    fit = robust_fit(model, target, share, reweight, rounds=4)
    spread = spread_of(fit)
    near = student_density(((fit.residual / spread) ** 2).sum(axis=1), spread)
    outliers = expected_outliers
    for _ in range(4):
        far = outliers * _COLOUR_SPACE
        residual = float((share * far / (far + (1 - outliers) * near)).sum())
        outliers = (expected_outliers * _OUTLIER_WEIGHT + residual) / (
            _OUTLIER_WEIGHT + share.sum()
        )
    mean = (target - fit.residual).reshape(SIZE, SIZE, 3)
    return _ColourModel(mean, spread, known, outliers)
