"""From the trained tile classifier to the file that ships.

ONNX with 8-bit convolutions, calibrated probabilities, and, linear in the same features, the pose
of the tile. Import this only where torch is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.scenes.render import render
from tools.train import card
from tools.train.crops import CropSet, draw_spec, training_rows
from tools.train.drawing import drawn
from tools.train.first_convolution import quantise_first
from tools.train.quantising import quantise
from tools.train.training import change_layer, edited, export
from vision.classifier import FEATURES, TILE_POSE, Classifier, open_session
from vision.labels import CLASS_NAMES
from vision.rectify import CROP, rectify, windows

_RANGE_CROPS: Final = 2000
"""Training crops from which the ranges of the 8-bit activations are taken."""

POSE_BASE: Final = 1 << 27
"""First seed of the boards that fit the tile pose, apart from those of training and validation."""

_SLOPPY: Final = 0.25
"""Share of their tiles that lie far off, so that there is something to learn from."""

_COVERED: Final = 0.1
_RIDGE: Final = 30.0

Floats = NDArray[np.float32]
Poses = NDArray[np.float32]
"""float32 (N, 3): right and down of the square's middle in squares, degrees clockwise."""


class Shipped(nn.Module):  # type: ignore[misc]
    """The classifier from crops as they are cut, uint8 (N, CROP, CROP, 3) BGR, to three outputs.

    Args:
        model: Ultralytics' classification model. It takes RGB of 0..1; the scale and the order of
            the colours go into its first convolution's weights, which cost nothing.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        model.fuse(verbose=False)
        *layers, self.head = model.model
        self.layers = nn.Sequential(*layers)
        first = layers[0].conv.weight
        first.data = first.data.flip(1) / 255
        self.pose = nn.Linear(self.head.linear.in_features, 3)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return probabilities (N, classes), tile poses (N, 3) and features (N, F)."""
        seen = self.layers(crops.permute(0, 3, 1, 2).float())
        features = self.head.conv(seen).flatten(1)
        return self.head.linear(features).softmax(1), self.pose(features), features


def ship(
    model: Any,
    path: Path,
    trained: CropSet,
    held: CropSet,
    facts: dict[str, Any],
    boards: int,
    processes: int,
) -> float:
    """Write ``path``, all that :class:`vision.classifier.Classifier` reads.

    Args:
        model: the trained network, on the CPU.
        path: the file.
        trained: the crops that it was trained on.
        held: crops that it was not trained on, to calibrate it.
        facts: what to write into the file's metadata; ``seed`` is that of the boards too.
        boards: drawn boards that fit the tile pose.
        processes: that draw them.

    Returns:
        the temperature by which the logits were divided.
    """
    example = torch.zeros(2, CROP, CROP, 3, dtype=torch.uint8)
    export(Shipped(model), example, path, ("crops", "probabilities", TILE_POSE, FEATURES))
    quantise(path, _some_crops(trained))
    quantise_first(path, np.concatenate([feed["crops"] for feed in _some_crops(trained)]))
    temperature = _calibrate(path, held, trained, facts)
    _fit_pose(path, int(facts["seed"]), boards, processes)
    return temperature


def _some_crops(trained: CropSet) -> Iterator[dict[str, NDArray[Any]]]:
    count = len(trained.labels)
    chosen = np.random.default_rng(0).choice(count, min(_RANGE_CROPS, count), replace=False)
    for batch in np.array_split(np.sort(chosen), max(1, len(chosen) // 100)):
        yield {"crops": trained.crops[batch]}


def _calibrate(path: Path, held: CropSet, trained: CropSet, facts: dict[str, Any]) -> float:
    """Make the probabilities those of a board in play, by the last layer's weights, in place.

    One temperature, that of least negative log-likelihood on scenes never trained on (Guo et al.
    2017), then the prior of :data:`vision.labels.PRIOR` in place of the training set's.
    """
    session = open_session(path)
    parts = [
        session.run(["probabilities"], {"crops": held.crops[at : at + 100]})[0]
        for at in range(0, len(held.labels), 100)
    ]
    logits = np.log(np.maximum(np.concatenate(parts).astype(np.float64), 1e-30))
    rows = np.arange(len(held.labels))

    def loss(temperature: float) -> float:
        scaled = logits / temperature
        scaled -= scaled.max(axis=1, keepdims=True)
        total = np.log(np.exp(scaled).sum(axis=1))
        return float((total - scaled[rows, held.labels]).mean())

    temperature = float(min(np.geomspace(0.5, 4, 120), key=loss))
    shift = card.prior_shift(trained.labels)
    metadata = {
        "names": str(dict(enumerate(CLASS_NAMES))),
        "license": "AGPL-3.0-or-later",
        "made_with": "Ultralytics YOLO, on tilewatch's own synthetic scenes",
        "temperature": f"{temperature:.4f}",
        **{key: str(value) for key, value in facts.items()},
    }
    with edited(path) as model:
        (answer,) = (node for node in model.graph.node if "probabilities" in node.output)
        (last,) = (node for node in model.graph.node if answer.input[0] in node.output)
        change_layer(model, last, lambda w, b: (w / temperature, b / temperature + shift))
        del model.metadata_props[:]
        for key, value in metadata.items():
            entry = model.metadata_props.add()
            entry.key, entry.value = key, value
    return temperature


def _fit_pose(path: Path, seed: int, boards: int, processes: int) -> None:
    """Fit the tile pose, linear in the features, by ridge regression on drawn boards, in place."""
    seeds = range(POSE_BASE + seed * (1 << 16), POSE_BASE + seed * (1 << 16) + boards)
    parts = list(drawn(partial(_tiles_of, path), seeds, processes, "boards"))
    features, poses = (np.concatenate(column) for column in zip(*parts, strict=True))
    mean_in, mean_out = features.mean(axis=0), poses.mean(axis=0)
    x = (features - mean_in).astype(np.float64)
    matrix = np.linalg.solve(x.T @ x + _RIDGE * np.eye(x.shape[1]), x.T @ (poses - mean_out)).T
    with edited(path) as model:
        (last,) = (node for node in model.graph.node if TILE_POSE in node.output)
        change_layer(model, last, lambda *_: (matrix, mean_out - matrix @ mean_in))


def _tiles_of(path: Path, seed: int) -> tuple[Floats, Poses]:
    """The features (N, F) and true poses (N, 3) of the tiles in plain sight on a seed's board."""
    rng, spec = draw_spec(seed)
    spec = replace(spec, placement=replace(spec.placement, sloppy=_SLOPPY))
    scene = render(spec, training_rows(rng), rng)
    off = rng.normal(0, float(rng.uniform(0.01, 0.04)) * scene.top_square, (4, 2))
    crops = windows(rectify(scene.image, (scene.corners + off).astype(np.float32)))
    tiles = np.array([list(row) for row in scene.rows]) != "."
    squares = np.flatnonzero(tiles & (scene.covered < _COVERED))
    _, _, features = _classifier(path).classify_with_features(crops[squares])
    return features, scene.offsets.reshape(225, 3)[squares]


@lru_cache(maxsize=1)
def _classifier(path: Path) -> Classifier:
    return Classifier(path)
