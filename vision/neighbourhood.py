"""The squares around each square, for what is compared with its surroundings."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_REACH: Final = 2
"""Squares on each side of one that count as being around it."""


_FEWEST: Final = 3
"""The least number of neighbours; with fewer, the median of all squares is used."""


def median_around(
    values: NDArray[np.float32], counted: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Return the median over the five by five squares around each, those on the board alone.

    Nothing stands in for what lies beyond the edge: if the outermost squares counted more than
    once, a play along the edge would be all that surrounds them.

    Args:
        values: float32 (rows, columns, ...), of each square.
        counted: bool (rows, columns), the squares that count; without any, all do.

    Returns:
        float32, of the same shape.
    """
    if counted is not None and counted.any():
        values = np.where(counted.reshape(*counted.shape, *[1] * (values.ndim - 2)), values, np.nan)
    window, rest = 2 * _REACH + 1, ((0, 0),) * (values.ndim - 2)
    padded = np.pad(values, ((_REACH, _REACH), (_REACH, _REACH), *rest), constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(padded, (window, window), axis=(0, 1))
    ordered = np.sort(around.reshape(*values.shape, -1), axis=-1)  # NaN comes last
    count = np.isfinite(ordered).sum(axis=-1, keepdims=True)
    middle = [
        np.take_along_axis(ordered, at, axis=-1)
        for at in (np.maximum(count - 1, 0) // 2, count // 2)
    ]
    near = np.asarray((middle[0] + middle[1])[..., 0] / 2, np.float32)
    few = count[..., 0] < _FEWEST
    if not few.any():
        return near
    return np.asarray(np.where(few, np.nanmedian(values, axis=(0, 1)), near), np.float32)
