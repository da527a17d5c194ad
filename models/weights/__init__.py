"""The trained weights that ship with tilewatch: five ONNX files, each with its card.

``python -m tools.train`` makes them, in a checkout. Bundles state their hashes. Two of them read
tiles: ``tiles.onnx`` knows the letters of every shipped set, and blanks of many makes;
``tiles_common.onnx`` knows the letters of the commonest sets alone, and gives a second opinion on
tiles of those.
"""

from __future__ import annotations

from pathlib import Path

from game.errors import TilewatchError
from vision.classifier import Classifier

NAMES = ("tiles.onnx", "tiles_common.onnx")
"""The classifiers of tiles."""


def path(name: str) -> Path:
    """The file of the weights ``name``, such as ``tiles.onnx``.

    Raises:
        TilewatchError: there are none of that name.
    """
    file = Path(__file__).parent / name
    if not file.is_file():
        raise TilewatchError(f"{file}: no such weights; reinstall tilewatch or train them")
    return file


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
    first, other = (Classifier(path(name), threads) for name in NAMES)
    return first, None if letters is None or not letters <= other.letters else other
