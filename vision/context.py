"""The second look: the board explains itself.

One crop alone can't tell a plain blank from a plain square. But the squares that are surely empty
show what an empty square of each kind looks like in this light, and the tiles that are surely read
show what this set's tiles look like; every square is then weighed against both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.decode import SYMBOL_ORDER
from vision.labels import LETTERS
from vision.layout import kind_indicators, smooth_light
from vision.rectify import BORDER, Image

_SURE: Final = 0.9
_FEWEST_EMPTY: Final = 40
_FEWEST_TILES: Final = 5
_OUTLIER: Final = 0.1
"""Share of squares whose colour neither model explains: glare, stickers, a crumb."""

_COLOUR_SPACE: Final = 1 / (100.0 * 60.0 * 60.0)
"""Density of a colour about which nothing is known, per cubic unit of CIE L*a*b*."""

_FLOOR: Final = np.array([3.0, 1.5, 1.5])
"""Smallest spread believed, L*a*b* units: print, dirt and sensor noise are never less."""

_LIMIT: Final = 5.0
"""Most that colour may say, in nats: a factor of 150 in the odds."""

_LETTER: Final = np.array([symbol in LETTERS for symbol in SYMBOL_ORDER])
_EMPTY: Final = SYMBOL_ORDER.index(".")
_TILE: Final = np.array([symbol in LETTERS or symbol in "?#" for symbol in SYMBOL_ORDER])


@dataclass(frozen=True)
class _Look:
    """Expected colour of every square, and how far real ones stray: (15, 15, 3) and (3,)."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]

    def density(self, colours: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability density of each square's colour under a heavy-tailed error: (15, 15)."""
        z2 = (((colours - self.mean) / self.spread) ** 2).sum(axis=-1)
        # Multivariate Student t with 4 degrees of freedom in 3 dimensions.
        peak = 15 / (32 * np.pi) / self.spread.prod()
        return np.asarray(peak * (1 + z2 / 4) ** -3.5, dtype=np.float64)


def face_colours(board: Image) -> NDArray[np.float64]:
    """The prevailing colour of each square's middle, letters and print left aside by the median.

    Args:
        board: from :func:`vision.rectify.rectify` with its default sizes.

    Returns:
        float64 (15, 15, 3), CIE L*a*b*.
    """
    inner = board[BORDER:-BORDER, BORDER:-BORDER]
    small = cv2.resize(inner, (SIZE * 14, SIZE * 14), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    cells = lab.reshape(SIZE, 14, SIZE, 14, 3)[:, 3:-3, :, 3:-3]
    cells = cells.transpose(0, 2, 1, 3, 4).reshape(SIZE, SIZE, -1, 3)
    return np.asarray(np.median(cells, axis=2), dtype=np.float64)


def second_look(
    symbols_p: NDArray[np.float32], colours: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Symbol probabilities after each square was weighed against the board's own looks.

    Args:
        symbols_p: float32 (15, 15, symbols), in ``SYMBOL_ORDER``.
        colours: from :func:`face_colours`, in the same orientation.

    Returns:
        float32 (15, 15, symbols). Unchanged where too little is sure to compare with.
    """
    empty = _fit(colours, symbols_p[..., _EMPTY] > _SURE, _FEWEST_EMPTY, kinds=True)
    if empty is None:
        return symbols_p
    tiles = _fit(colours, symbols_p[..., _LETTER].max(axis=-1) > _SURE, _FEWEST_TILES, kinds=False)
    as_empty = (1 - _OUTLIER) * empty.density(colours) + _OUTLIER * _COLOUR_SPACE
    as_tile = (
        np.full((SIZE, SIZE), _COLOUR_SPACE)
        if tiles is None
        else (1 - _OUTLIER) * tiles.density(colours) + _OUTLIER * _COLOUR_SPACE
    )
    favour = np.clip(np.log(as_tile / as_empty), -_LIMIT, _LIMIT)
    weighed = symbols_p.astype(np.float64)
    weighed[..., _TILE] *= np.exp(favour / 2)[..., None]
    weighed[..., _EMPTY] *= np.exp(-favour / 2)
    weighed /= weighed.sum(axis=-1, keepdims=True)
    return weighed.astype(np.float32)


def _fit(
    colours: NDArray[np.float64], chosen: NDArray[np.bool_], fewest: int, *, kinds: bool
) -> _Look | None:
    """The look that the chosen squares share, by robust least squares; None if too few."""
    rows, cols = np.nonzero(chosen)
    if len(rows) < fewest:
        return None
    every_row, every_col = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    model = smooth_light((every_col - 7) / 7, (every_row - 7) / 7)
    if not kinds:
        model = model[:, :3] if len(rows) >= 3 * _FEWEST_TILES else model[:, :1]
    else:
        model = np.column_stack([model, kind_indicators(every_row, every_col)])
    index = rows * SIZE + cols
    target = colours[rows, cols]
    weight = np.ones(len(rows))
    coefficients = np.zeros((model.shape[1], 3))
    for _ in range(4):
        root = np.sqrt(weight)[:, None]
        coefficients, *_ = np.linalg.lstsq(model[index] * root, target * root, rcond=None)
        misfit = target - model[index] @ coefficients
        spread = np.maximum(1.4826 * np.median(np.abs(misfit), axis=0), _FLOOR)
        weight = 1 / (1 + ((misfit / (2 * spread)) ** 2).sum(axis=1))
    return _Look((model @ coefficients).reshape(SIZE, SIZE, 3), spread)
