"""Which of the shipped classifiers reads a set of tiles.

``tiles.onnx`` knows the letters of every shipped set, and blanks of many makes.
``tiles_common.onnx`` knows the letters of the commonest sets alone, and gives a second opinion on
tiles of those.
"""

from __future__ import annotations

from models import weights
from vision.classifier import Classifier

NAMES = ("tiles.onnx", "tiles_common.onnx")


def tile_classifiers(
    letters: frozenset[str] | None = None, threads: int = 1
) -> tuple[Classifier, Classifier | None]:
    """Return the classifier that reads a set, and another one to ask about its tiles.

    None in place of that where it does not know all letters of the set.

    Args:
        letters: of the set; None if it is not known.
        threads: for one run of either.

    Raises:
        TilewatchError: the weights are missing or damaged.
    """
    first, other = (Classifier(weights.path(name), threads) for name in NAMES)
    return first, None if letters is None or not letters <= other.letters else other
