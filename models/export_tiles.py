"""From a trained network to the file that ships: ONNX, 8-bit convolutions, honest probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models import card
from models.crops import CropSet
from vision.labels import CLASS_NAMES
from vision.rectify import CROP
from vision.runtime import onnxruntime

_RANGE_CROPS: Final = 2000
"""Training crops from which the ranges of the 8-bit activations are taken."""


def export(model: Any, path: Path) -> None:
    """Writes ONNX: float32 (N, 3, CROP, CROP), RGB 0..1, to probabilities (N, classes)."""
    import torch  # noqa: PLC0415

    model.fuse(verbose=False)
    model.model[-1].export = True
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        model,
        (torch.zeros(2, 3, CROP, CROP),),
        str(path),
        input_names=["images"],
        output_names=["probabilities"],
        dynamic_axes={"images": {0: "batch"}, "probabilities": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


def quantise(path: Path, trained: CropSet) -> None:
    """Turns the convolutions of an exported model to 8 bits, in place: twice as fast.

    The first convolution and the last layer stay as they are: the one gains nothing, and the
    other's precision is that of the probabilities. Weights keep 7 bits, because processors
    without VNNI or dot-product instructions would overflow with 8.
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

    class Crops(CalibrationDataReader):  # type: ignore[misc]
        """Batches of training crops."""

        def __init__(self) -> None:
            self._batches = _batches(_some(trained))

        def get_next(self) -> dict[str, NDArray[np.float32]] | None:
            """The next batch, or None."""
            batch = next(self._batches, None)
            return None if batch is None else {"images": batch}

    ready = path.with_suffix(".ready.onnx")
    quant_pre_process(str(path), str(ready))
    nodes = onnx.load(str(ready)).graph.node
    kept = [n.name for n in nodes if n.op_type in {"Gemm", "MatMul", "Softmax"}]
    kept += [n.name for n in nodes if n.op_type == "Conv"][:1]
    quantize_static(
        str(ready),
        str(path),
        Crops(),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        nodes_to_exclude=kept,
    )
    ready.unlink()


def calibrate(path: Path, held: CropSet, trained: CropSet, facts: dict[str, Any]) -> float:
    """Makes the probabilities those of a board in play, by the last layer's weights, in place.

    One temperature, that of least negative log-likelihood on scenes never trained on (Guo et al.
    2017), then the prior of :data:`vision.labels.PRIOR` in place of the training set's. Also
    writes the class names and ``facts`` into the file's metadata.

    Returns:
        the temperature.
    """
    import onnx  # noqa: PLC0415
    from onnx import numpy_helper  # noqa: PLC0415

    logits = np.log(np.maximum(probabilities(path, held.crops).astype(np.float64), 1e-30))
    rows = np.arange(len(held.labels))

    def loss(temperature: float) -> float:
        scaled = logits / temperature
        scaled -= scaled.max(axis=1, keepdims=True)
        total = np.log(np.exp(scaled).sum(axis=1))
        return float((total - scaled[rows, held.labels]).mean())

    temperature = float(min(np.geomspace(0.5, 4, 120), key=loss))
    model = onnx.load(str(path))
    (last,) = [node for node in model.graph.node if node.op_type == "Gemm"]
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    weight, bias = (tensors[name] for name in last.input[1:3])
    shift = card.prior_shift(trained.labels)
    for tensor, extra in ((weight, 0.0), (bias, shift)):
        value = (numpy_helper.to_array(tensor) / temperature + extra).astype(np.float32)
        tensor.CopyFrom(numpy_helper.from_array(value, tensor.name))
    metadata = {
        "names": str(dict(enumerate(CLASS_NAMES))),
        "license": "AGPL-3.0-or-later",
        "made_with": "Ultralytics YOLO, on tilewatch's own synthetic scenes",
        "temperature": f"{temperature:.4f}",
        **{key: str(value) for key, value in facts.items()},
    }
    del model.metadata_props[:]
    for key, value in metadata.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
    return temperature


def take_bytes(path: Path) -> None:
    """Makes an exported model read crops as they are cut, in place: uint8 (N, CROP, CROP, 3) BGR.

    The change of layout, the scale and the order of the colours move into the graph and the first
    convolution's weights, where they cost a fifth of what they do in numpy.
    """
    import onnx  # noqa: PLC0415
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    model = onnx.load(str(path))
    graph = model.graph
    first = next(node for node in graph.node if node.op_type == "Conv")
    (weight,) = [tensor for tensor in graph.initializer if tensor.name == first.input[1]]
    value = numpy_helper.to_array(weight)[:, ::-1] / np.float32(255)
    weight.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), weight.name))
    graph.input[0].CopyFrom(
        helper.make_tensor_value_info("crops", TensorProto.UINT8, ["batch", CROP, CROP, 3])
    )
    nodes = [
        helper.make_node("Cast", ["crops"], ["crops_float"], to=TensorProto.FLOAT),
        helper.make_node("Transpose", ["crops_float"], ["images"], perm=[0, 3, 1, 2]),
        *graph.node,
    ]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.save(model, str(path))


def probabilities(path: Path, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return an exported model's output, before it has the metadata that is checked."""
    from vision.classifier import open_session  # noqa: PLC0415

    session = open_session(path)
    return np.concatenate([session.run(None, {"images": batch})[0] for batch in _batches(crops)])


def _batches(crops: NDArray[np.uint8]) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(crops), 100):
        part = crops[start : start + 100, :, :, ::-1].transpose(0, 3, 1, 2)
        yield np.ascontiguousarray(part, np.float32) / np.float32(255)


def _some(trained: CropSet) -> NDArray[np.uint8]:
    count = len(trained.labels)
    chosen = np.random.default_rng(0).choice(count, min(_RANGE_CROPS, count), replace=False)
    return np.stack([trained.crops[i] for i in np.sort(chosen)])
