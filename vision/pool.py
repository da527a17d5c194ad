"""The pool of two classifiers' opinions of one crop: a mean of log-probabilities.

Both count alike, save on blanks and on what is covered: of those the first network was shown more,
and the other has no say. Where the two agree on no letter, a blank is likelier for it. How much a
blank is favoured besides was fitted to drawn boards (``python -m tools.train pool``).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.labels import BLANK, CLASS_NAMES, UNREADABLE, state_index

POOL_KEY: Final = "pool"
"""The key in an ONNX file's metadata; the value is JSON."""

_MIN_PROBABILITY: Final = 1e-6
"""Floor of a crop's probabilities before their logarithms are averaged."""

_FOR_THE_FIRST: Final = np.isin(
    np.arange(len(CLASS_NAMES)), [state_index(BLANK), state_index(UNREADABLE)]
)
_BLANK: Final = state_index(BLANK)


@dataclass(frozen=True)
class Pool:
    """Nats added to a blank's log-probability before normalising."""

    blank: float = 0.0

    def of(self, own: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the pooled probabilities.

        Args:
            own: float32 (N, classes), of the first classifier.
            theirs: of the other.
        """
        logits = logarithms(own, theirs)
        logits[:, _BLANK] += self.blank
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)

    def to_json(self) -> str:
        """Return it as JSON, one line."""
        return json.dumps(asdict(self))


def logarithms(own: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean log-probabilities, before a blank is favoured: float64 (N, classes)."""
    first, other = (
        np.log(np.maximum(one.astype(np.float64), _MIN_PROBABILITY)) for one in (own, theirs)
    )
    return np.where(_FOR_THE_FIRST, first, (first + other) / 2)


def parse_pool(text: str) -> Pool | None:
    """Return the pool in an ONNX file's metadata; None if it has none that can be read."""
    try:
        entries = json.loads(text)
        blank = float(entries["blank"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    return Pool(blank) if isfinite(blank) else None
