"""Recognises a set's own blanks, once somebody has named one.

Blanks bear whatever their maker printed, and no training has seen it all. The two blanks of a set
look alike, though, and like no letter of it: on 25 boards of many makers the classifier's features
of one blank had a cosine of 0.69 or more with those of the other on 22, and of 0.53 or less with
those of every letter on all. Squares without a tile may resemble a plain blank, so their
probability is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.classifier import Classifier
from vision.labels import BLANK, EMPTY, state_index
from vision.rectify import Image

ALIKE: Final = 0.65
"""Cosine to a known blank from which a tile, a back or an unreadable square is more likely a blank.
"""

_STEEP: Final = 0.02
"""A cosine this far above ``ALIKE`` makes a blank 73% likely; this far below, 27%."""


@dataclass(frozen=True, eq=False)
class BlankLooks:
    """Features of blanks, float32 (N, F), of unit length; one row for each side it is seen from."""

    features: NDArray[np.float32]

    def with_known_blanks(
        self, probabilities: NDArray[np.float32], features: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Shift the probabilities of tiles that look like a known blank to the blank.

        An empty square's probability is left alone.

        Args:
            probabilities: float32 (N, classes).
            features: float32 (N, F), of the same crops.
        """
        cosine = (_unit(features) @ self.features.T).max(axis=1)
        share = 1 / (1 + np.exp(-(cosine - ALIKE) / _STEEP))[:, None]
        blank, empty = state_index(BLANK), state_index(EMPTY)
        out = probabilities * (1 - share)
        out[:, [blank, empty]] = probabilities[:, [blank, empty]]
        out[:, blank] += (probabilities.sum(axis=1) - out.sum(axis=1)).clip(0)
        return np.asarray(np.minimum(out, 1), np.float32)


class KnowsBlanks:
    """A classifier of crops that knows how this set's blanks look.

    Args:
        classifier: reads crops.
        looks: the looks of this set's blanks.
    """

    def __init__(self, classifier: Classifier, looks: BlankLooks) -> None:
        self._classifier = classifier
        self._looks = looks

    def probabilities(self, crops: Image) -> NDArray[np.float32]:
        """Return class probabilities, as :meth:`vision.classifier.Classifier.probabilities`."""
        return self.classify(crops)[0]

    def classify(self, crops: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return class probabilities and tile poses, as ``Classifier.classify`` does."""
        probabilities, tile_pose, features = self._classifier.classify_with_features(crops)
        head = self._classifier.head  # once: a calibration may take it away meanwhile
        if head is not None:
            probabilities = head.apply(probabilities, features)
        return self._looks.with_known_blanks(probabilities, features), tile_pose


def looks_alike(blanks: NDArray[np.float32], letters: NDArray[np.float32]) -> BlankLooks | None:
    """Return how blanks look; None if another tile on the board looks like one of them.

    Somebody may have named a letter a blank by mistake: the others of its kind are no blanks.

    Args:
        blanks: float32 (4, N, F), features of tiles that somebody named, from four sides.
        letters: float32 (4, M, F), of the other tiles.
    """
    known = _unit(blanks.reshape(-1, blanks.shape[-1]))
    others = _unit(letters.reshape(-1, letters.shape[-1]))
    if len(others) and float((others @ known.T).max()) >= ALIKE:
        return None
    return BlankLooks(known)


def _unit(features: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(features, axis=-1, keepdims=True)
    return np.asarray(features / np.maximum(length, 1e-9), np.float32)
