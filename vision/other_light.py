"""How likely a colour is under another light than the one around it: in shade, or shining.

The light that a board's colours are fitted with changes smoothly. The edge of a shadow and the
reflection of a lamp do not; but what they do to a colour is known: shade multiplies it, and a
reflection adds white to it. So a square in either can still be told from a tile.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.robust import student_density

_SHADES: Final = np.geomspace(0.25, 2.0, 9)
"""Factors on a colour: the fitted light may be that of the shade, so that the rest is brighter."""

_USUAL_SHADE: Final = 0.5
"""Standard deviation of the factors' logarithms."""

_SHINES: Final = np.linspace(0.08, 0.8, 9)
"""White that is added, as a share of full white, ..."""

_USUAL_SHINE: Final = 0.25
"""... and its mean: strong reflections are rare."""

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
