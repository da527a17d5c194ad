"""Robust fits by iteratively reweighted least squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MAD_TO_SIGMA: Final = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""

_RIDGE: Final = 1e-12
"""Share of the normal matrix's trace added to its diagonal, so that it is never singular."""


@dataclass(frozen=True)
class RobustFit:
    """A weighted least-squares fit of ``model @ coefficients`` to a target.

    coefficients: float64 (P, K). residual: float64 (N, K), target less fit. weight: float64 (N,),
    that the fit was made with.
    """

    coefficients: Floats
    residual: Floats
    weight: Floats


Reweight = Callable[[RobustFit], Floats]
"""The weights (N,) of the next round."""


def cauchy(scaled: Floats) -> Floats:
    """Return Cauchy weights, 1 for no residual and 1/2 for one of 1: residuals over their scale."""
    return np.asarray(1 / (1 + scaled**2), np.float64)


def robust_sigma(residual: Floats) -> Floats:
    """Return the standard deviation along the first axis, by the median absolute residual."""
    return np.asarray(_MAD_TO_SIGMA * np.median(np.abs(residual), axis=0), np.float64)


def student_density(z2: Floats, spread: Floats) -> Floats:
    """Return the density of Student's t in 3 dimensions with 4 degrees of freedom.

    Args:
        z2: squared distance from the mean in units of the spread, any shape.
        spread: float64 (3,).
    """
    return np.asarray(15 / (32 * np.pi) / spread.prod() * (1 + z2 / 4) ** -3.5)


def least_squares(model: Floats, target: Floats, weight: Floats) -> RobustFit:
    """Fit by weighted least squares.

    Args:
        model: float64 (N, P), the regressors.
        target: float64 (N, K).
        weight: float64 (N,), not negative.

    Raises:
        numpy.linalg.LinAlgError: all weights are 0.
    """
    weighted = (model * weight[:, None]).T
    normal = weighted @ model
    normal.flat[:: len(normal) + 1] += _RIDGE * np.trace(normal)
    coefficients = np.asarray(np.linalg.solve(normal, weighted @ target), np.float64)
    return RobustFit(coefficients, target - model @ coefficients, weight)


def robust_fit(
    model: Floats,
    target: Floats,
    weight: Floats,
    reweight: Reweight,
    *,
    rounds: int,
    settled: float = 0.0,
) -> RobustFit:
    """Fit by weighted least squares, again and again with weights by the last round's residuals.

    Args:
        model: float64 (N, P), the regressors.
        target: float64 (N, K).
        weight: float64 (N,), of the first round.
        reweight: gives the weights of the next round, mostly :func:`cauchy` of scaled residuals.
        rounds: fits, at most.
        settled: a round that changes no coefficient by this much is the last.
    """
    fit = least_squares(model, target, weight)
    for _ in range(rounds - 1):
        last, fit = fit, least_squares(model, target, reweight(fit))
        if np.abs(fit.coefficients - last.coefficients).max() < settled:
            break
    return fit
