"""The fit of a pool: how far a blank is favoured at the least log loss.

The loss is convex in that, so that Newton's method finds the only minimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.classifier import Pool, logarithms
from vision.labels import BLANK, state_index

_STEPS: Final = 50
_SMALLEST_STEP: Final = 1e-5

_RIDGE: Final = 1e-6
"""Keeps what no square tells anything of where it is."""


@dataclass(frozen=True)
class Opinions:
    """The answers of both networks for some squares.

    Attributes:
        own: float32 (N, classes), of the first.
        theirs: of the other.
        labels: int (N,), what the squares show.
        counts: float64 (N,), how much each counts.
    """

    own: NDArray[np.float32]
    theirs: NDArray[np.float32]
    labels: NDArray[np.intp]
    counts: NDArray[np.float64]


def joined(parts: list[Opinions]) -> Opinions:
    """Return the squares of all parts."""
    return Opinions(
        np.concatenate([part.own for part in parts]),
        np.concatenate([part.theirs for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def log_loss(pool: Pool, seen: Opinions) -> float:
    """Return the negative log-likelihood of the labels, in nats."""
    pooled = pool.of(seen.own, seen.theirs)[np.arange(len(seen.labels)), seen.labels]
    return float(-(seen.counts * np.log(np.maximum(pooled, 1e-12))).sum())


def fitted(seen: Opinions) -> Pool:
    """Return the pool of the least log loss."""
    at = state_index(BLANK)
    logits = logarithms(seen.own, seen.theirs)
    rest = np.delete(logits, at, axis=1)
    most = rest.max(axis=1)
    odds = logits[:, at] - most - np.log(np.exp(rest - most[:, None]).sum(axis=1))
    is_blank, best = seen.labels == at, 0.0
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-(odds + best)))
        slope = (seen.counts * (is_blank - share)).sum()
        curve = (seen.counts * share * (1 - share)).sum()
        step = slope / (curve + _RIDGE)
        best += step
        if abs(step) < _SMALLEST_STEP:
            break
    return Pool(float(best))
