"""Which of the shipped classifiers reads a set of tiles.

``tiles.onnx`` knows the letters of the commonest sets and reads them best. ``tiles_wide.onnx``
knows those of every shipped set and blanks of more makes: it reads the other sets, and gives a
second opinion on what the first one is in doubt about.
"""

from __future__ import annotations

from models import weights
from vision.classifier import Classifier

NAMES = ("tiles.onnx", "tiles_wide.onnx")


def tile_classifiers(
    letters: frozenset[str] | None = None, threads: int = 1
) -> tuple[Classifier, Classifier | None]:
    """Return the classifier that reads a set, and the one to ask where it is in doubt.

    Args:
        letters: of the set; None if it is not known.
        threads: for one run of either.

    Raises:
        TilewatchError: the weights are missing or damaged.
    """
    first, wide = (Classifier(weights.path(name), threads) for name in NAMES)
    if letters is not None and not letters <= first.letters:
        return wide, None
    return first, wide
