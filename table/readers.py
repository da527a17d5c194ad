"""Builds the reader that ships with tilewatch, with its own weights, for one tile set."""

from __future__ import annotations

from dataclasses import dataclass

import cv2

from models import weights
from models.weights import tile_classifiers
from vision.change_detector import ChangeDetector
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.racks.reader import RackReader
from vision.reader import BoardReader, Finder
from vision.tile_sets import letters_of


@dataclass(frozen=True)
class Parts:
    """The models of a reader, for separate use."""

    classifier: Classifier
    other: Classifier | None
    locator: Locator
    change: ChangeDetector
    letters: frozenset[str]

    def reader(self, finder: Finder | None = None) -> BoardReader:
        """Return a reader of these models, with ``finder`` in place of the locator if given."""
        found_by = finder or self.locator
        return BoardReader(self.classifier, found_by, self.letters, None, self.change, self.other)


def parts(tile_set: str, threads: int = 1) -> Parts:
    """Return the models for boards with this tile set; each uses ``threads`` threads.

    Raises ``game.errors.TilewatchError`` for an unknown set, a set with letters that the weights do
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


def rack_reader(tile_set: str, threads: int = 1) -> RackReader:
    """Return a reader of racks with this tile set. Raises the errors of :func:`parts`."""
    letters = letters_of(tile_set)
    cv2.setNumThreads(threads)
    return RackReader(*tile_classifiers(letters, threads), letters)


def board_reader(tile_set: str, threads: int = 1) -> BoardReader:
    """Return a reader of boards with this tile set. Raises the errors of :func:`parts`."""
    return parts(tile_set, threads).reader()
