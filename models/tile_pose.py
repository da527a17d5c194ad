"""Adds a head for the tile pose, linear in the classifier's features.

The classifier's last layer looks at features that keep their place in the crop; a linear map of the
same features gives the tile's offset from the square's middle and its angle. The
map is fitted by ridge regression on drawn boards, whose truth is exact, and becomes a second
output of the model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import draw_spec, training_rows
from models.scenes import render
from vision.classifier import FEATURES, TILE_POSE
from vision.labels import CLASS_NAMES
from vision.rectify import rectify, windows
from vision.runtime import onnxruntime

SEED_BASE: Final = 1 << 27
"""First seed of these boards, apart from the training set's and the validation set's."""

_SLOPPY: Final = 0.25
"""Share of tiles that lie far off, so that there is something to learn from."""

_COVERED: Final = 0.1
_RIDGE: Final = 30.0

Lies = NDArray[np.float32]
"""float32 (N, 3): right and down of the square's middle in squares, degrees clockwise."""


def add_tile_pose(weights: Path, seed: int, boards: int, processes: int) -> tuple[float, float]:
    """Gives an exported model its second output, ``tile_pose`` (N, 3), in place.

    Args:
        weights: the model, which takes bytes.
        seed: of the boards.
        boards: how many are drawn; a fifth of them only measure.
        processes: that draw them.

    Returns:
        the median error of a tile's place, in squares, on the boards that only measure, and
        the one that 95% of the tiles stay below.
    """
    features, tile_pose, numbers = _gathered(weights, seed, boards, processes)
    held = numbers >= boards - max(1, boards // 5)
    mean_in, mean_out = features[~held].mean(axis=0), tile_pose[~held].mean(axis=0)
    x = (features[~held] - mean_in).astype(np.float64)
    gram = x.T @ x + _RIDGE * np.eye(x.shape[1])
    matrix = np.linalg.solve(gram, x.T @ (tile_pose[~held] - mean_out))
    bias = mean_out - mean_in @ matrix
    _append(weights, matrix.astype(np.float32), bias.astype(np.float32))
    add_features(weights)
    error = np.abs(features[held] @ matrix + bias - tile_pose[held])[:, :2].max(axis=1)
    return float(np.median(error)), float(np.percentile(error, 95))


def _append(weights: Path, matrix: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
    import onnx  # noqa: PLC0415
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    model = onnx.load(str(weights))
    graph = model.graph
    graph.initializer.append(numpy_helper.from_array(matrix, "lies.weight"))
    graph.initializer.append(numpy_helper.from_array(bias, "lies.bias"))
    graph.node.append(
        helper.make_node("Gemm", [_features(model), "lies.weight", "lies.bias"], [TILE_POSE])
    )
    graph.output.append(helper.make_tensor_value_info(TILE_POSE, TensorProto.FLOAT, ["batch", 3]))
    onnx.save(model, str(weights))


def add_features(weights: Path) -> None:
    """Gives an exported model its third output, ``features`` (N, F), in place.

    It is what the last layers take. Whoever knows a set of tiles can fit a layer of their own to it
    (:mod:`calibration.fine_tune`).
    """
    import onnx  # noqa: PLC0415
    from onnx import TensorProto, helper  # noqa: PLC0415

    model = onnx.load(str(weights))
    graph = model.graph
    name = _features(model)
    last = next(node for node in graph.node if node.op_type == "Gemm" and name in node.input)
    (size,) = {
        next(d for d in tensor.dims if d != len(CLASS_NAMES))
        for tensor in graph.initializer
        if tensor.name == last.input[1]
    }
    graph.node.append(helper.make_node("Identity", [name], [FEATURES]))
    value = helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["batch", size])
    graph.output.append(value)
    onnx.save(model, str(weights))


def _features(model: Any) -> str:
    """The tensor that the last layer takes."""
    last = [node for node in model.graph.node if node.op_type == "Gemm"][-1]
    return str(last.input[0])


def _gathered(
    weights: Path, seed: int, boards: int, processes: int
) -> tuple[NDArray[np.float32], Lies, NDArray[np.int64]]:
    """Features (N, F), tile poses (N, 3) and the board's number of every tile in plain sight."""
    tasks = [(str(weights), SEED_BASE + seed * (1 << 16) + k) for k in range(boards)]
    features, tile_pose, numbers = [], [], []
    for number, (seen, truth) in enumerate(_drawn(tasks, processes)):
        features.append(seen)
        tile_pose.append(truth)
        numbers.append(np.full(len(truth), number))
        if number % 20 == 19 or number == boards - 1:
            sys.stderr.write(f"\rlies: {number + 1}/{boards} boards ")
            sys.stderr.flush()
    sys.stderr.write("\n")
    return np.concatenate(features), np.concatenate(tile_pose), np.concatenate(numbers)


def _drawn(
    tasks: list[tuple[str, int]], processes: int
) -> Iterator[tuple[NDArray[np.float32], Lies]]:
    if processes <= 1:
        yield from map(_board, tasks)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_board, tasks, chunksize=4)


def _board(task: tuple[str, int]) -> tuple[NDArray[np.float32], Lies]:
    cv2.setNumThreads(1)
    weights, seed = task
    rng, spec = draw_spec(seed)
    spec = replace(spec, placement=replace(spec.placement, sloppy=_SLOPPY))
    scene = render(spec, training_rows(rng), rng)
    pixels = scene.top_square
    off = rng.normal(0, float(rng.uniform(0.01, 0.04)) * pixels, (4, 2))
    crops = windows(rectify(scene.image, (scene.corners + off).astype(np.float32)))
    squares = [
        15 * row + col
        for row in range(15)
        for col in range(15)
        if scene.rows[row][col] != "." and scene.covered[row, col] < _COVERED
    ]
    batch = np.ascontiguousarray(crops[squares])
    (seen,) = _session(weights).run(None, {"crops": batch})
    return np.asarray(seen, np.float32), scene.offsets.reshape(225, 3)[squares]


@lru_cache(maxsize=1)
def _session(weights: str) -> Any:
    """A session whose one output is what the last layer takes."""
    import onnx  # noqa: PLC0415

    model = onnx.load(weights)
    name = _features(model)
    del model.graph.output[:]
    model.graph.output.append(
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, None])
    )
    ort = onnxruntime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
