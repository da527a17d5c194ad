"""The reader that ships: our own weights, put together for one set of tiles."""

from __future__ import annotations

from dataclasses import dataclass

import cv2

from game.tileset import load_tile_set
from models import weights
from vision.change_detector import ChangeDetector
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.reader import BoardReader, Finder


@dataclass(frozen=True)
class Parts:
    """What a reader is made of, for whoever wants to use them singly."""

    classifier: Classifier
    locator: Locator
    laid: ChangeDetector
    letters: frozenset[str]

    def reader(self, finder: Finder | None = None) -> BoardReader:
        """A reader made of them; ``finder`` in the locator's stead."""
        return BoardReader(self.classifier, finder or self.locator, self.letters, None, self.laid)


def parts(tile_set: str, threads: int = 1) -> Parts:
    """What reads boards with this set of tiles, with ``threads`` threads for each step.

    Raises ``game.errors.TilewatchError`` for an unknown set or missing weights.
    """
    letters = load_tile_set(tile_set).shown
    cv2.setNumThreads(threads)
    return Parts(
        Classifier(weights.path("tiles.onnx"), threads),
        Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"), threads),
        ChangeDetector(weights.path("change.onnx"), threads),
        letters,
    )


def board_reader(tile_set: str, threads: int = 1) -> BoardReader:
    """A reader of boards with this set of tiles. Raises as :func:`parts` does."""
    return parts(tile_set, threads).reader()
