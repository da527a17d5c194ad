"""The reader that ships: our own weights, put together for one set of tiles."""

from __future__ import annotations

from dataclasses import dataclass

import cv2

from models import weights
from models.weights import tile_classifiers
from vision.change_detector import ChangeDetector
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.reader import BoardReader, Finder
from vision.tile_sets import letters_of


@dataclass(frozen=True)
class Parts:
    """The models of a reader, for use on their own."""

    classifier: Classifier
    other: Classifier | None
    locator: Locator
    change: ChangeDetector
    letters: frozenset[str]

    def reader(self, finder: Finder | None = None) -> BoardReader:
        """Return a reader made of them, with ``finder`` instead of the locator."""
        found_by = finder or self.locator
        return BoardReader(self.classifier, found_by, self.letters, None, self.change, self.other)


def parts(tile_set: str, threads: int = 1) -> Parts:
    """Return the models for boards with this tile set, with ``threads`` threads for each step.

    Raises ``game.errors.TilewatchError`` for an unknown set, one with letters that the weights do
    not know, or missing weights.
    """
    letters = letters_of(tile_set)
    cv2.setNumThreads(threads)
    return Parts(
        *tile_classifiers(letters, threads),
        Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"), threads),
        ChangeDetector(weights.path("change.onnx"), threads),
        letters,
    )


def board_reader(tile_set: str, threads: int = 1) -> BoardReader:
    """Return a reader of boards with this tile set. Raises as :func:`parts` does."""
    return parts(tile_set, threads).reader()
