"""Makes a tile classifier's first convolution 8-bit: it then reads the crops' bytes as they lie.

    python -m tools.train.first_convolution tiles.onnx OUT.onnx [--scenes 120] [--seed 977]

In 32-bit floats it was not slow itself, but the crops had to be turned into floats and laid out
anew before it, and its answers after it: four tenths of the network's nodes' time. With three
colours a pixel an 8-bit convolution is slow too, so it takes four pixels of a line as one of twelve
colours, and gives the answers of two columns at once. The shapes differ, the bytes do not move.

Rounded to 7 bits one by one, its weights would change its answers by up to 0.4 of a step of the
8 bits that those are given in. They are rounded together instead, so that the answers to crops as
they are drawn change least: 0.07 of a step at most.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tools.train.crops import scene_crops
from vision.rectify import CROP

Floats = NDArray[np.float64]

_LEVELS: Final = 63
"""Steps to each side of zero: 7 bits, as for the other layers (:mod:`tools.train.quantising`)."""

_PIXELS: Final = 4
"""Pixels of a line that count as one."""

_COLUMNS: Final = _PIXELS // 2
"""Columns of answers that such a pixel gives, as the convolution's stride is two."""


def patch_moments(crops: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Return the mean (27,) and the covariance (27, 27) of what the convolution sees of crops.

    Args:
        crops: uint8 (N, CROP, CROP, 3).
    """
    count, total, square = 0, np.zeros(27), np.zeros((27, 27))
    for crop in crops:
        seen = np.lib.stride_tricks.sliding_window_view(crop, (3, 3), axis=(0, 1))[1::4, 1::4]
        patches = seen.transpose(0, 1, 3, 4, 2).reshape(-1, 27).astype(np.float64)
        count += len(patches)
        total += patches.sum(axis=0)
        square += patches.T @ patches
    mean = total / count
    return mean, square / count - np.outer(mean, mean)


def rounded(weights: Floats, step: float, covariance: Floats) -> NDArray[np.int8]:
    """Return the steps (P,) of weights (P,), rounded so that the answers' variance changes least.

    Starts from each weight's own rounding, and takes the best move of one or two weights by a
    step as long as there is one.
    """
    moves = _moves(len(weights))
    alone = step**2 * np.einsum("mi,ij,mj->m", moves, covariance, moves)
    steps = np.clip(np.round(weights / step), -_LEVELS, _LEVELS)
    while True:
        slope = covariance @ (steps * step - weights)
        change = alone + 2 * step * (moves @ slope)
        change[(np.abs(steps + moves) > _LEVELS).any(axis=1)] = np.inf
        best = int(change.argmin())
        if change[best] >= -1e-12:
            return steps.astype(np.int8)
        steps = steps + moves[best]


def _moves(count: int) -> Floats:
    """Return every change of one or two of so many weights by a step: float64 (M, count)."""
    one = np.eye(count)
    single = [sign * one[i] for i in range(count) for sign in (-1, 1)]
    pairs = [
        a * one[i] + b * one[j]
        for i, j in combinations(range(count), 2)
        for a, b in product((-1, 1), repeat=2)
    ]
    return np.array(single + pairs)


def wide_kernel(steps: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the convolution of single pixels as one of :data:`_PIXELS` at a time.

    Args:
        steps: int8 (channels, 3, 3, 3): rows, columns, colours.

    Returns:
        int8 (columns × channels, pixels × colours, 3 rows, 2): the pixels before, and these.
    """
    channels = len(steps)
    out = np.zeros((_COLUMNS, channels, _PIXELS, 3, 3, 2), np.int8)
    for column, across in product(range(_COLUMNS), range(3)):
        before, pixel = divmod(2 * column + across - 1, _PIXELS)
        out[column, :, pixel, :, :, 1 + before] = steps[:, :, across].transpose(0, 2, 1)
    return out.reshape(_COLUMNS * channels, _PIXELS * 3, 3, 2)


def quantise_first(path: Path, crops: NDArray[np.uint8]) -> None:
    """Make the first convolution of a classifier 8-bit, in place.

    Args:
        path: the ``.onnx`` file, its other convolutions quantised, the first one in floats: 3×3,
            with a stride of 2.
        crops: uint8 (N, CROP, CROP, 3), some as the classifier will see them.
    """
    import onnx  # noqa: PLC0415
    from onnx import numpy_helper  # noqa: PLC0415

    model = onnx.load(str(path))
    graph = model.graph
    values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    convolution = next(n for n in graph.node if n.op_type == "Conv" and n.input[1] in values)
    old = [convolution, *_before(graph, convolution.input[0]), *_after(graph, convolution)]
    answer = old[-1]
    kernel, bias = (values[name].astype(np.float64) for name in convolution.input[1:3])
    flat = kernel.transpose(0, 2, 3, 1).reshape(len(kernel), -1)
    step = np.abs(flat).max(axis=1) / _LEVELS
    mean, covariance = patch_moments(crops)
    steps = np.stack([rounded(*one, covariance) for one in zip(flat, step, strict=True)])
    bias -= (steps * step[:, None] - flat) @ mean
    wide = wide_kernel(steps.reshape(len(kernel), 3, 3, 3))
    constants = {
        "first_lines": np.array([0, CROP, CROP // _PIXELS, 3 * _PIXELS], np.int64),
        "first_answers": np.array([0, CROP // 2, CROP // 2, len(kernel)], np.int64),
        "first_byte": np.float32(1),
        "first_black": np.uint8(0),
        "first_kernel": wide,
        "first_steps": np.tile(step, _COLUMNS).astype(np.float32),
        "first_zeros": np.zeros(len(wide), np.int8),
        "first_bias": np.tile(np.round(bias / step), _COLUMNS).astype(np.int32),
        "first_bias_zeros": np.zeros(len(wide), np.int32),
    }
    for node in old:
        graph.node.remove(node)
    for at, node in enumerate(_nodes(answer)):
        graph.node.insert(at, node)
    used = {name for node in graph.node for name in node.input}
    for one in list(graph.initializer):
        if one.name not in used:
            graph.initializer.remove(one)
    graph.initializer.extend(
        numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()
    )
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _nodes(answer: Any) -> list[Any]:
    """Return the nodes from the crops to the first convolution's answers in bytes.

    Args:
        answer: the node that gave these answers before.
    """
    from onnx import helper  # noqa: PLC0415

    make = helper.make_node
    weights = [
        make("DequantizeLinear", [f"first_{name}", "first_steps", zeros], [out], axis=0)
        for name, zeros, out in (
            ("kernel", "first_zeros", "first_w"),
            ("bias", "first_bias_zeros", "first_b"),
        )
    ]
    shape = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 1, 0, 0]}
    return [
        make("Reshape", ["crops", "first_lines"], ["first_wide"]),
        make("Transpose", ["first_wide"], ["first_planes"], perm=[0, 3, 1, 2]),
        make("DequantizeLinear", ["first_planes", "first_byte", "first_black"], ["first_in"]),
        *weights,
        make("Conv", ["first_in", "first_w", "first_b"], ["first_sums"], **shape),
        make("Relu", ["first_sums"], ["first_lit"]),
        make("QuantizeLinear", ["first_lit", *answer.input[1:]], ["first_out"]),
        make("Transpose", ["first_out"], ["first_side"], perm=[0, 2, 3, 1]),
        make("Reshape", ["first_side", "first_answers"], ["first_columns"]),
        make("Transpose", ["first_columns"], [answer.output[0]], perm=[0, 3, 1, 2]),
    ]


def _before(graph: Any, name: str) -> list[Any]:
    """Return the nodes between the crops and a value."""
    found = []
    while name != "crops":
        found.append(next(node for node in graph.node if name in node.output))
        name = found[-1].input[0]
    return found


def _after(graph: Any, node: Any) -> list[Any]:
    """Return the nodes after one up to that which gives its answers in bytes."""
    found = []
    while node.op_type != "QuantizeLinear":
        node = next(one for one in graph.node if node.output[0] in one.input)
        found.append(node)
    return found


def main(argv: list[str] | None = None) -> int:
    """Write a copy of a classifier whose first convolution is 8-bit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--scenes", type=int, default=120)
    parser.add_argument("--seed", type=int, default=977)
    args = parser.parse_args(argv)
    first = args.seed * (1 << 16)
    crops = np.concatenate([scene_crops(first + at).crops for at in range(args.scenes)])
    args.target.write_bytes(args.source.read_bytes())
    quantise_first(args.target, crops)
    return 0


if __name__ == "__main__":
    sys.exit(main())
