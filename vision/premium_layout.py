"""Checks a pose by the pattern of premium squares.

The grid repeats itself every square, so a lattice fit can't tell a pose from its neighbour one
square on. The premium squares can: their pattern is known, whatever colours a maker gave them.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Premium, Square, premium
from vision.light import smooth_light
from vision.rectify import Corners, Image, rectify
from vision.robust import RobustFit, cauchy, least_squares, robust_fit

_PITCH: Final = 12
_REACH: Final = 1
"""Largest shift tried, in squares each way."""

_CLASSES: Final = tuple(Premium)
_KIND: Final = np.array(
    [[_CLASSES.index(premium(Square(r, c))) for c in range(SIZE)] for r in range(SIZE)]
)


def square_colours(image: Image, corners: Corners, reach: int = _REACH) -> NDArray[np.float32]:
    """Return the mean colour of each square's middle, with ``reach`` rings around the grid.

    Returns:
        float32 (15 + 2·reach, 15 + 2·reach, 3), CIE L*a*b* (L 0..100).
    """
    board = rectify(image, corners, _PITCH, reach * _PITCH)
    lab = cv2.cvtColor(board.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    side = SIZE + 2 * reach
    cells = lab.reshape(side, _PITCH, side, _PITCH, 3)[:, 2:-2, :, 2:-2]
    return np.asarray(cells.mean(axis=(1, 3)), dtype=np.float32)


def premium_fit(
    colours: NDArray[np.float32], occupied: NDArray[np.bool_] | None = None, reach: int = _REACH
) -> NDArray[np.float64]:
    """Return the share of the empty squares' colour variance that the layout explains, by shift.

    Args:
        colours: from :func:`square_colours`.
        occupied: bool (15, 15), squares at the unshifted pose to leave out: tiles.
        reach: as given to :func:`square_colours`.

    Returns:
        float64 (2·reach+1, 2·reach+1), each 0..1: the share of the colour variance left by a
        smooth change of light that the five kinds of squares explain. The middle entry is the
        pose itself; ``[reach+1, reach]`` is the pose moved down by one square.
    """
    side = SIZE + 2 * reach
    taken = np.zeros((side, side), bool)
    if occupied is not None:
        taken[reach:-reach, reach:-reach] = occupied
    out = np.zeros((2 * reach + 1, 2 * reach + 1))
    for dy in range(2 * reach + 1):
        for dx in range(2 * reach + 1):
            cut = slice(dy, dy + SIZE), slice(dx, dx + SIZE)
            out[dy, dx] = _explained(colours[cut], ~taken[cut])
    return out


def kind_indicators(rows: NDArray[np.intp], cols: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return a column for each kind of premium square, 1 on squares of it: float64 (N, 4)."""
    indicators = _KIND[rows, cols][:, None] == np.arange(1, len(_CLASSES))
    return np.asarray(indicators, dtype=np.float64)


def _explained(colours: NDArray[np.float32], free: NDArray[np.bool_]) -> float:
    """Return the share of the smooth-light model's residual that the kinds of squares explain."""
    if free.sum() < 40:
        return 0.0
    rows, cols = np.nonzero(free)
    light = smooth_light(rows, cols)
    kinds = kind_indicators(rows, cols)
    target = colours[rows, cols].astype(np.float64)

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        # A few glares and unseen tiles must not carry the sum of squares.
        off = np.linalg.norm(fit.residual, axis=1)
        return cauchy(off / (3 * (np.median(off) + 1.0)))

    model = np.column_stack([light, kinds])
    with_kinds = robust_fit(model, target, np.ones(len(rows)), reweight, rounds=3)
    without = least_squares(light, target, with_kinds.weight)
    weight = reweight(with_kinds)[:, None]
    after, before = ((weight * fit.residual**2).sum() for fit in (with_kinds, without))
    return float(max(0.0, 1 - after / max(before, 1e-9)))
