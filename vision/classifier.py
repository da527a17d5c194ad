"""The tile classifier: crops in, class probabilities and tile poses out.

A weights file also says how its output may be used: the *promise* (how likely a symbol must be to
count as read) and the *pool* (how its probabilities are combined with another network's). A
*linear head* adapts the last layer to one set of tiles.
"""

from __future__ import annotations

import ast
import json
import os
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.errors import ModelError
from vision.labels import BLANK, CLASS_NAMES, LETTER_CLASSES, LETTERS, UNREADABLE, state_index
from vision.rectify import CROP, Image


def onnxruntime() -> ModuleType:
    """Import onnxruntime, which takes long, with its telemetry switched off.

    From 1.32 on it would otherwise write an identifier of the machine into the user's cache as it
    is imported, report to its maker, and print a warning wherever that folder cannot be written.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # noqa: PLC0415

    module: ModuleType = onnxruntime
    return module


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the probabilities of logits (N, classes): float32 (N, classes)."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)


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
        return softmax(logits)


PROMISE_KEY = "promise"
"""The key in an ONNX file's metadata; the value is JSON."""


@dataclass(frozen=True)
class Promise:
    """A bound on the squares of one picture that are read wrong without being marked.

    Attributes:
        sure: probability from which on a square counts as read. Less sure ones are marked.
        risk: the largest share of all squares that is wrong and not marked.
        confidence: probability that the bound holds, over draws of the boards that ``sure`` was
            chosen on.
        boards: the number of those boards.
    """

    sure: float
    risk: float
    confidence: float
    boards: int

    def to_json(self) -> str:
        """Return it as JSON, one line."""
        return json.dumps(asdict(self))


def parse_promise(text: str) -> Promise | None:
    """Return the promise in an ONNX file's metadata; None if it has none that can be read."""
    try:
        entries = json.loads(text)
        values = {field.name: float(entries[field.name]) for field in fields(Promise)}
        boards = int(values.pop("boards"))
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    if not all(0 <= value <= 1 for value in values.values()) or not values["risk"]:
        return None
    return Promise(**values, boards=boards)


POOL_KEY: Final = "pool"
"""The key in an ONNX file's metadata; the value is JSON."""

MIN_PROBABILITY: Final = 1e-6
"""Floor of a crop's probabilities before their logarithms are averaged."""

_FOR_THE_FIRST: Final = np.isin(
    np.arange(len(CLASS_NAMES)), [state_index(BLANK), state_index(UNREADABLE)]
)
_BLANK: Final = state_index(BLANK)


@dataclass(frozen=True)
class Pool:
    """Nats added to a blank's log-probability before normalising."""

    blank: float = 0.0

    def of(self, own: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the combined probabilities of two classifiers: float32 (N, classes).

        Args:
            own: float32 (N, classes), the first classifier's probabilities.
            theirs: the other classifier's, of the same shape.
        """
        logits = logarithms(own, theirs)
        logits[:, _BLANK] += self.blank
        return softmax(logits)

    def to_json(self) -> str:
        """Return it as JSON, one line."""
        return json.dumps(asdict(self))


def logarithms(own: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean log-probabilities, before a blank is favoured: float64 (N, classes)."""
    first, other = (
        np.log(np.maximum(one.astype(np.float64), MIN_PROBABILITY)) for one in (own, theirs)
    )
    return np.where(_FOR_THE_FIRST, first, (first + other) / 2)


def parse_pool(text: str) -> Pool | None:
    """Return the pool in an ONNX file's metadata; None if it has none that can be read."""
    try:
        entries = json.loads(text)
        blank = float(entries["blank"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    return Pool(blank) if isfinite(blank) else None


TILE_POSE: Final = "tile_pose"
"""Name of the model's output with the tile poses."""

FEATURES: Final = "features"
"""Name of the model's output with the last layer's input: float32 (N, F)."""

_PROBABILITIES: Final = "probabilities"

_STATE_CLASSES: Final = CLASS_NAMES[LETTER_CLASSES:]

_BATCH: Final = 45
"""Crops per run of the network: a fifth of a board fits into a small processor's cache."""


class CropClassifier(Protocol):
    """A classifier of crops, such as :class:`Classifier`."""

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
        self.promise = parse_promise(metadata.get(PROMISE_KEY, ""))
        """How likely a symbol must be to count as read; None if the file does not say."""
        self.pool = parse_pool(metadata.get(POOL_KEY, ""))
        """How to combine its probabilities with a first network's; None if the file is silent."""
        self.head: LinearHead | None = None
        """A last layer fitted to one set of tiles; None for the weights' own."""

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
        """Return what :meth:`classify` does, without the head, and the features: float32 (N, F)."""
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
