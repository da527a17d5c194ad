"""The model of light: how two pictures of one place are compared when the light has changed.

Light and shadow multiply all colours of a place by a gain, and the gain changes little from one
pixel to the next. So a gain is estimated first and divided out; the residual that is left is given
as a share of the level around, as noise and contrast grow with the level. The estimators differ in
the part of the picture that they assume to have one gain:

* ``apart``, ``differences``, ``lit_as``: least squares over a patch of pixels;
* ``gain_around``: the median of the ratios of levels over the 5 by 5 squares around;
* ``smooth_gain``: a robust quadratic fit over the whole board.

The edge of a shadow and the reflection of a lamp break that assumption, but in a known way: shade
multiplies a colour, a reflection adds white to it. ``density_in_other_light`` gives the likelihood
of a colour under either.
"""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.rectify import Image
from vision.robust import RobustFit, cauchy, robust_fit, robust_sigma, student_density

DIMMED: Final = 4.0
"""Largest factor by which the light changes."""

FLOOR: Final = 12.0
"""Grey levels added to the level, so that noise in the dark is no difference."""

Pixels = NDArray[np.float32]

_EXTREMES: Final = cv2.dilate, cv2.erode


def apart(before: Pixels, now: Pixels) -> Pixels:
    """Return the RMS difference of parts, light aside, as a share of the level: float32 (...).

    Each part, float32 (..., rows, columns, colours), has a gain of its own. So a part of one colour
    cannot be told from a lighter part of that colour.
    """
    pixels = (-1, -2, -3)
    gain = _least_squares_gain((before * now).sum(axis=pixels), (now**2).sum(axis=pixels))
    residual = gain[..., None, None, None] * now - before
    level = before.mean(axis=pixels) + FLOOR
    return np.asarray(np.sqrt((residual**2).mean(axis=pixels)) / level, np.float32)


def differences(before: Pixels, now: Pixels, around: int, reach: int = 1) -> Pixels:
    """Return the largest difference of each pixel in any colour, as a share of the level: (H, W).

    Args:
        before: float32 (H, W, colours).
        now: the same place later.
        around: pixels across and down over which the light is the same; odd.
        reach: pixels across and down within which what was there may have shifted; odd.
    """
    area, shift = (around, around), np.ones((reach, reach), np.uint8)
    shared, whole = (cv2.blur(np.einsum("ijk,ijk->ij", before, one), area) for one in (now, before))
    gain = _least_squares_gain(shared, whole)
    lit, level = before * gain[..., None], gain * np.sqrt(whole / before.shape[2]) + FLOOR
    lightest, darkest = (extreme(lit, shift).reshape(now.shape) for extreme in _EXTREMES)
    return np.asarray(np.maximum(now - lightest, darkest - now).max(axis=2) / level, np.float32)


def lit_as(now: Image, before: Image, alike: NDArray[np.bool_]) -> Image:
    """Return an earlier picture in the light of a later one.

    Pixels that show the same in both, bool (H, W), give the gain.
    """
    was, later = before[alike].astype(np.float32), now[alike].astype(np.float32)
    gain = _least_squares_gain(np.float32((was * later).sum()), np.float32((was**2).sum()))
    return np.asarray(cv2.convertScaleAbs(before, alpha=float(gain)), np.uint8)


def _least_squares_gain(shared: Any, whole: Any) -> Any:
    """Return the least-squares gain of one picture to another.

    ``shared`` is the sum of their products, ``whole`` the sum of squares of the picture to scale.
    """
    return np.clip((shared + 1.0) / (whole + 1.0), 1 / DIMMED, DIMMED)


def gain_around(
    before: NDArray[np.float32], after: NDArray[np.float32], alike: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Return the gain of the light at each square, float32, by the squares around.

    An unchanged square seems changed only if more than half of the squares around it change.

    Args:
        before: float32 (15, 15) or (15, 15, colours), the mean level of each square.
        after: the same, later.
        alike: bool (15, 15), squares that are known to hold the same in both; None: all count.
    """
    return median_around((after + 1.0) / (before + 1.0), alike)


def level_around(level: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the level around each square, float32 (15, 15), by that of each in three colours."""
    return median_around(level.mean(axis=2)) + FLOOR


_REACH: Final = 2
"""Squares on each side of a square that count as around it."""


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


def smooth_light(rows: NDArray[np.intp], cols: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return regressors of a light that changes smoothly over the board: float64 (N, 6).

    ``rows`` and ``cols`` are those of the N squares.
    """
    x, y = (cols - 7) / 7, (rows - 7) / 7
    return np.column_stack([np.ones_like(x), x, y, x * y, x * x, y * y])


def smooth_gain(
    before: NDArray[np.float32], after: NDArray[np.float32], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the gain of each colour channel over the board: float64 (15, 15, 3).

    The gain varies smoothly over the board, and is fitted to the empty squares.
    """
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    model = smooth_light(rows, cols)
    ratio = np.log((after + 4.0) / (before + 4.0)).reshape(-1, 3).astype(np.float64)
    share = share.ravel()

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        off = np.abs(fit.residual).max(axis=1)
        return share * cauchy(off / (2 * (robust_sigma(off[share > 0]) + 0.01)))

    fit = robust_fit(model, ratio, share, reweight, rounds=4)
    return np.asarray(np.exp(model @ fit.coefficients).reshape(SIZE, SIZE, 3), np.float64)


_SHADES: Final = np.geomspace(0.25, 2.0, 9)
"""Factors on a colour: the fitted light may be that of the shade, so that the rest is brighter."""

_USUAL_SHADE: Final = 0.5
"""Standard deviation of the factors' logarithms."""

_SHINES: Final = np.linspace(0.08, 0.8, 9)
"""Amounts of white that a reflection adds, as shares of full white."""

_USUAL_SHINE: Final = 0.25
"""Mean of the white that a reflection adds: strong reflections are rare."""

_LEAST_SPREAD: Final = np.array([4.0, 2.0, 2.0])
"""Least standard deviation, L*a*b* units, so that the densities of neighbouring lights overlap."""


def _shares() -> NDArray[np.float64]:
    shades = np.exp(-((np.log(_SHADES) / _USUAL_SHADE) ** 2) / 2)
    shines = np.exp(-_SHINES / _USUAL_SHINE)
    return np.concatenate([shades / shades.sum(), shines / shines.sum()]) / 2


_SHARES: Final = _shares()
"""Prior of every shade and shine: float64 (lights,), sums to 1."""


def density_in_other_light(
    colours: NDArray[np.float64], mean: NDArray[np.float64], spread: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the density of each square's colour if shade or a reflection changed it.

    Args:
        colours: float64 (rows, columns, 3), CIE L*a*b*.
        mean: of the same shape, the colours in the light around.
        spread: float64 (3,), standard deviation.

    Returns:
        float64 (rows, columns), per cubic unit of L*a*b*.
    """
    plain = cv2.cvtColor(np.asarray(mean, np.float32), cv2.COLOR_Lab2RGB)
    shaded = plain * _SHADES[:, None, None, None]
    shining = plain + _SHINES[:, None, None, None]
    lit = np.concatenate([shaded, shining]).clip(0, 1).astype(np.float32)
    lab = cv2.cvtColor(lit.reshape(-1, mean.shape[1], 3), cv2.COLOR_RGB2Lab).reshape(lit.shape)
    wide = np.maximum(spread, _LEAST_SPREAD)
    z2 = (((colours - lab) / wide) ** 2).sum(axis=-1)
    return np.tensordot(_SHARES, student_density(z2, wide), 1)
