"""A last layer of one's own: what is known of one set of tiles, on top of what holds for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LinearHead:
    """What to add to the classifier's log-probabilities, linear in what its last layer sees.

    weight: float32 (classes, features). bias: float32 (classes,).
    """

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]

    def sharpened(
        self, probabilities: NDArray[np.float32], features: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Probabilities, float32 (N, classes), mended by features (N, F)."""
        logits = np.log(np.maximum(probabilities, 1e-9)) + features @ self.weight.T + self.bias
        logits -= logits.max(axis=1, keepdims=True)
        share = np.exp(logits)
        return np.asarray(share / share.sum(axis=1, keepdims=True), np.float32)
