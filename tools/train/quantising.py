"""Turns the convolutions of ONNX models to 8 bits, which halves their time and their size."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.classifier import onnxruntime


def quantise(path: Path, feeds: Iterable[dict[str, NDArray[Any]]], last: bool = True) -> None:
    """Quantise a model's convolutions statically, in place.

    The first convolution and the linear layers stay as they are: the one gains nothing like this
    (see :mod:`tools.train.first_convolution`), and the others' precision is that of the answers.
    Weights keep 7 bits, because processors without VNNI or dot-product instructions would overflow
    with 8.

    Args:
        path: the ``.onnx`` file, in 32-bit floats.
        feeds: inputs by name, from which the ranges of the 8-bit activations are taken.
        last: quantise the last convolution too. Not where that is what gives the answers.
    """
    onnxruntime()  # before anything below imports it
    import onnx  # noqa: PLC0415
    from onnxruntime.quantization import (  # noqa: PLC0415
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process  # noqa: PLC0415

    class Feeds(CalibrationDataReader):  # type: ignore[misc]
        """The inputs, one by one."""

        def __init__(self) -> None:
            self._left = iter(feeds)

        def get_next(self) -> dict[str, NDArray[np.generic]] | None:
            """The next input, or None."""
            return next(self._left, None)

    ready = path.with_suffix(".ready.onnx")
    # Symbolic inference gives up at upsampling batches of any size; plain inference is enough.
    quant_pre_process(str(path), str(ready), skip_symbolic_shape=True)
    nodes = onnx.load(str(ready)).graph.node
    kept = [n.name for n in nodes if n.op_type in {"Gemm", "MatMul", "Softmax"}]
    convolutions = [n.name for n in nodes if n.op_type == "Conv"]
    kept += convolutions[:1] + ([] if last else convolutions[-1:])
    quantize_static(
        str(ready),
        str(path),
        Feeds(),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        nodes_to_exclude=kept,
    )
    ready.unlink()
