"""The readers of boards and racks that ship with tilewatch, and a table's with its calibration."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.model import Calibration, CalibrationError
from calibration.recheck import CalibratedFinder, RecheckResult, recheck
from calibration.storage import load, load_head
from game.board import Square
from models import weights
from models.weights import tile_classifiers
from sensors.interfaces import Frame
from table.config import Camera
from vision.blank_looks import BlankLooks
from vision.change_detector import ChangeDetector, Patches
from vision.classifier import Classifier, LinearHead
from vision.errors import NoBoardFoundError
from vision.locate.locator import Locator
from vision.racks.reader import RackReader
from vision.reader import BoardReader, Finder
from vision.reading import Reading
from vision.rectify import Corners, Image
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


FOLDER: Final = "calibration"
"""The folder of the calibration within the table's data."""


class Calibrated:
    """A reader that uses a table's calibration.

    It is a ``vision.tracking.observer.ReadsBoards``. A new calibration, or an output layer (head)
    fitted to the table's tiles, may be adopted at any time, from any thread.
    """

    def __init__(self, parts: Parts, calibration: Calibration | None = None) -> None:
        self.parts = parts
        """The models that read the boards."""
        self._finder = CalibratedFinder(parts.locator)
        self._reader = parts.reader(self._finder)
        self.calibration: Calibration | None = None
        self.raw: Image | None = None
        """The newest picture that was straightened, in its original form from the camera."""
        self.adopt(calibration)

    def adopt(self, calibration: Calibration | None) -> None:
        """Use this calibration from now on."""
        self.calibration = calibration
        self._finder.calibration = calibration
        self._reader.empty = None if calibration is None else calibration.empty_board

    def sharpen(self, head: LinearHead | None) -> None:
        """Use an output layer fitted to the table's tiles from now on; None: the weights' own."""
        self.parts.classifier.head = head

    def described(self) -> dict[str, Any]:
        """Return the calibration that readings rest on, for the log."""
        known = self.calibration
        lens = None if known is None or known.lens is None else known.lens
        return {
            "calibration": None
            if known is None
            else {
                "made": known.made,
                "camera": known.camera,
                "empty_board": known.empty,
                "lens": None if lens is None else {"k1": lens.k1, "k2": lens.k2},
                "board_only": known.board_only,
            },
            "tiles_learnt": self.parts.classifier.head is not None,
        }

    def use_set(self, tile_set: str) -> None:
        """Read the letters of this tile set from now on.

        Raises what :func:`vision.tile_sets.letters_of` raises.
        """
        letters = letters_of(tile_set)
        if letters == self.parts.letters:
            return
        self.parts = replace(self.parts, letters=letters)
        self.sharpen(None)
        reader = self.parts.reader(self._finder)
        reader.empty = self._reader.empty
        self._reader = reader

    def locked(self, camera: Camera) -> Camera:
        """Return the camera's configuration with the calibrated exposure and white balance added.

        Settings in the configuration itself take precedence.
        """
        calibration = self.calibration
        if calibration is None or not calibration.settings:
            return camera
        settings, options = calibration.settings, camera.options
        if not set(settings) <= set(type(options).model_fields) - options.model_fields_set:
            return camera
        return camera.with_options(settings)

    def straight(self, image: Image) -> Image:
        """Return a camera's picture without the distortion of its lens."""
        return image if self.calibration is None else self.calibration.straight(image)

    def straightened(self, frame: Frame) -> Frame:
        """Return a frame without the distortion of the lens and, if so chosen, of the board only.

        The same frame if nothing is changed.
        """
        self.raw = frame.image
        image = self.straight(frame.image)
        if self.calibration is not None:
            image = self.calibration.near_board(image)
        return frame if image is frame.image else Frame(image, frame.t_ns, frame.seq)

    def read(
        self, image: Image, corners: Corners | None = None, known: Reading | None = None
    ) -> Reading:
        """Read the board in a straightened picture. Raises ``NoBoardFoundError``."""
        return self._reader.read(image, corners, known)

    def blank_looks(
        self, image: Image, reading: Reading, blanks: Collection[Square]
    ) -> BlankLooks | None:
        """As :meth:`vision.reader.BoardReader.blank_looks`."""
        return self._reader.blank_looks(image, reading, blanks)

    def change_evidence(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the evidence for a new tile on each square, in nats."""
        return self._reader.change_evidence(before, after, squares)

    def recheck(self, image: Image) -> RecheckResult | None:
        """Check the calibration against an unstraightened picture; None without a calibration."""
        calibration = self.calibration
        if calibration is None:
            return None
        try:
            reading = self.read(self.straight(image))
        except NoBoardFoundError:
            reading = None
        return recheck(calibration, image, self.parts.locator, reading)


def calibrated_reader(tile_set: str, data: Path, say: Callable[[str], None]) -> Calibrated:
    """Return the reader of a table's boards, with the calibration in the table's data, if any.

    A part of the calibration that cannot be used is reported by ``say`` and ignored. Raises
    ``game.errors.TilewatchError`` for an unknown tile set or missing weights.
    """
    made = Calibrated(parts(tile_set))
    with _unusable_is_said(say):
        made.adopt(load(data / FOLDER))
    with _unusable_is_said(say):
        made.sharpen(load_head(tile_set, weights.path("tiles.onnx"), data / FOLDER))
    return made


@contextlib.contextmanager
def _unusable_is_said(say: Callable[[str], None]) -> Iterator[None]:
    try:
        yield
    except CalibrationError as error:
        say(f"{error}; the table runs without it")
