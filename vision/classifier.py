"""The tile classifier: crops in, class probabilities and tile poses out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.errors import ModelError
from vision.labels import CLASS_NAMES, LETTERS
from vision.linear_head import LinearHead
from vision.pool import POOL_KEY, parse_pool
from vision.promise import METADATA_KEY, parse_promise
from vision.rectify import CROP, Image
from vision.runtime import onnxruntime

TILE_POSE: Final = "tile_pose"
"""Name of the model's output with the tile poses."""

FEATURES: Final = "features"
"""Name of the model's output with the last layer's input: float32 (N, F)."""

_PROBABILITIES: Final = "probabilities"

_STATE_CLASSES: Final = CLASS_NAMES[4 * len(LETTERS) :]

_BATCH: Final = 45
"""Crops a run: a fifth of a board keeps the activations in a small processor's cache."""


class CropClassifier(Protocol):
    """What reads crops, as :class:`Classifier` does."""

    def probabilities(self, crops: Image) -> NDArray[np.float32]:
        """Return class probabilities."""
        ...

    def classify(self, crops: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return class probabilities and tile poses."""
        ...


class Classifier:
    """A YOLO classification model, exported to ONNX, on the CPU.

    Args:
        weights: the ``.onnx`` file. Its input is uint8 (N, CROP, CROP, 3) BGR, its output float32
            (N, classes), probabilities; its metadata carries ``names``, the class names in index
            order: those of :mod:`vision.labels`, or of some of its letters. Its second output is
            ``tile_pose``: see :meth:`classify`.
        threads: threads for one run; one leaves a Pi's other cores to camera and pages.

    Raises:
        ModelError: the file is missing, damaged, or made for other classes or crops.
    """

    def __init__(self, weights: Path, threads: int = 1) -> None:
        self._session = open_session(weights, threads)
        metadata = self._session.get_modelmeta().custom_metadata_map
        try:
            names = ast.literal_eval(metadata.get("names", "{}"))
            classes = tuple(name for _, name in sorted(names.items()))
        except (ValueError, SyntaxError, AttributeError):
            classes = ()
        if not set(_STATE_CLASSES) <= set(classes) <= set(CLASS_NAMES):
            raise ModelError(
                f"{weights}: its classes are not those of this version;"
                " train it again with `python -m tools.train tiles`"
            )
        feed = self._session.get_inputs()[0]
        if feed.type != "tensor(uint8)" or tuple(feed.shape[1:]) != (CROP, CROP, 3):
            raise ModelError(
                f"{weights}: reads {feed.type} of {feed.shape[1:]}, not bytes of {(CROP, CROP, 3)};"
                " train it again with `python -m tools.train tiles`"
            )
        if {_PROBABILITIES, TILE_POSE, FEATURES} - {o.name for o in self._session.get_outputs()}:
            raise ModelError(
                f"{weights}: has no tile poses, or no features;"
                " train it again with `python -m tools.train tiles`"
            )
        self._input = feed.name
        self._columns = None if classes == CLASS_NAMES else list(map(CLASS_NAMES.index, classes))
        self.letters = frozenset(letter for letter in LETTERS if f"{letter}@0" in classes)
        """The letters that the weights know; others have no probability."""
        self.promise = parse_promise(metadata.get(METADATA_KEY, ""))
        """How surely a square must be read to count as read; None if the file does not say."""
        self.pool = parse_pool(metadata.get(POOL_KEY, ""))
        """How its opinion is pooled with a first one's; None if the file does not say."""
        self.head: LinearHead | None = None
        """A last layer fitted to one set of tiles, if there is one."""

    def probabilities(self, crops: Image) -> NDArray[np.float32]:
        """Return class probabilities.

        Args:
            crops: uint8 (N, CROP, CROP, 3) BGR, as :func:`vision.rectify.crops` cuts them.

        Returns:
            float32 (N, classes), each row summing to 1, columns as in ``CLASS_NAMES``.
        """
        return self.classify(crops)[0]

    def classify(self, crops: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return class probabilities, and the pose of a tile within its square if there is one.

        Returns:
            as :meth:`probabilities`, and float32 (N, 3): the tile's offset right of and below the
            square's middle, in squares, and its angle in degrees clockwise, modulo a quarter turn.
        """
        head = self.head  # once: a calibration may take it away meanwhile
        if head is None:
            probabilities, tile_pose = self._run(crops, [_PROBABILITIES, TILE_POSE])
            return probabilities, tile_pose
        probabilities, tile_pose, features = self.classify_with_features(crops)
        return head.apply(probabilities, features), tile_pose

    def classify_with_features(
        self, crops: Image
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """As :meth:`classify` without a head, and the last layer's input: float32 (N, F)."""
        probabilities, tile_pose, features = self._run(crops, [_PROBABILITIES, TILE_POSE, FEATURES])
        return probabilities, tile_pose, features

    def _run(self, crops: Image, outputs: list[str]) -> list[NDArray[np.float32]]:
        # An empty picture gives empty answers of the right shape.
        starts = range(0, max(len(crops), 1), _BATCH)
        parts = [
            self._session.run(
                outputs, {self._input: np.ascontiguousarray(crops[start : start + _BATCH])}
            )
            for start in starts
        ]
        found = [
            np.concatenate(part).astype(np.float32, copy=False) for part in zip(*parts, strict=True)
        ]
        if self._columns is not None:
            known, found[0] = found[0], np.zeros((len(found[0]), len(CLASS_NAMES)), np.float32)
            found[0][:, self._columns] = known
        return found


def open_session(weights: Path, threads: int = 1):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """Open an onnxruntime session on the CPU.

    Raises:
        ModelError: the file is missing or is not a model that onnxruntime can run.
    """
    if not weights.is_file():
        raise ModelError(f"{weights}: no such weights; reinstall tilewatch or train them")
    ort = onnxruntime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Spinning threads would take a whole core while they wait for the next frame.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions share no root but Exception
        reason = str(error).splitlines()[0][:200]
        raise ModelError(f"{weights}: not usable weights ({reason}); reinstall tilewatch") from None
