"""A linear layer that adapts the classifier to one set of tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LinearHead:
    """A correction of the classifier's log-probabilities, linear in its features.

    weight: float32 (classes, features). bias: float32 (classes,).
    """

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]

    def apply(
        self, probabilities: NDArray[np.float32], features: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return corrected probabilities, float32 (N, classes), given features (N, F)."""
        logits = np.log(np.maximum(probabilities, 1e-9)) + features @ self.weight.T + self.bias
        logits -= logits.max(axis=1, keepdims=True)
        share = np.exp(logits)
        return np.asarray(share / share.sum(axis=1, keepdims=True), np.float32)
