"""The common parts of the trainings: options, the training loop, the export to ONNX.

The tile classifier is trained by Ultralytics' own loop (:mod:`tools.train.tile_trainer`), and
exported as the others are. Import this only where torch is.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from tools.train.drawing import counted

Loss = Callable[..., tuple[Tensor, dict[str, float]]]
"""From a network's output and the truths to what is minimised, and figures to show."""

_DECAY: Final = 0.02
_MOST_GRADIENT: Final = 5.0
_LONGEST_MEMORY: Final = 0.998
"""Decay of the running average of weights, after a start in which it is shorter."""


def options(what: str, description: str | None, scenes: int) -> argparse.ArgumentParser:
    """The options of every training; each adds its own."""
    parser = argparse.ArgumentParser(prog=f"python -m tools.train {what}", description=description)
    parser.add_argument("--out", type=Path, default=Path(f"train-{what}"), metavar="DIR")
    parser.add_argument("--seed", type=int, default=1, help="of every random number")
    parser.add_argument("--scenes", type=int, default=scenes, help="drawn tables")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="a few steps, to see that all works")
    return parser


def has_bfloat16(device: torch.device) -> bool:
    """True if a device computes in bfloat16 faster than in float32, and so trains no worse."""
    return device.type == "cuda" or bool(torch.cpu.get_capabilities().get("avx512_bf16"))


def train(
    net: nn.Module,
    batches: Iterable[Any],
    loss_of: Loss,
    steps: int,
    rate: float,
    checkpoint: Path,
) -> nn.Module:
    """Train a network for ``steps`` batches, on a GPU if there is one.

    Args:
        net: the network.
        batches: at least ``steps`` tuples of tensors, a network's input and the truths.
        loss_of: gives what is minimised, from the output and the truths.
        steps: batches to train on.
        rate: the learning rate at its highest.
        checkpoint: a file of the average's state, written now and then and at the end.

    Returns:
        the network with the running average of its weights, on the CPU, for use.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = net.to(device, memory_format=torch.channels_last)
    average = copy.deepcopy(net).eval()
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=0.1
    )
    shown: dict[str, float] = {}

    def figures() -> str:
        return " ".join(f"{name} {value:.3f}" for name, value in shown.items())

    net.train()
    steps_left = (batch for _, batch in zip(range(steps), batches, strict=False))
    for step, batch in enumerate(counted(steps_left, steps, checkpoint.stem, figures)):
        seen, *truth = (part.to(device) for part in batch)
        with torch.autocast(device.type, torch.bfloat16, enabled=has_bfloat16(device)):
            out = net(seen.to(memory_format=torch.channels_last))
        loss, parts = loss_of(out.float(), *truth)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), _MOST_GRADIENT)
        optimizer.step()
        schedule.step()
        memory = min(_LONGEST_MEMORY, step / (step + 20))
        with torch.no_grad():
            states = zip(average.state_dict().values(), net.state_dict().values(), strict=True)
            for old, new in states:
                old.copy_(old * memory + new * (1 - memory) if old.is_floating_point() else new)
        for name, value in parts.items():
            shown[name] = 0.98 * shown.get(name, value) + 0.02 * value
        if step % 250 == 249 or step == steps - 1:
            torch.save(average.state_dict(), checkpoint)
    return average.cpu().to(memory_format=torch.contiguous_format)


def export(
    net: nn.Module, example: Tensor, path: Path, names: tuple[str, ...], half: bool = False
) -> None:
    """Write a network as ONNX for batches of any size.

    Args:
        net: the network.
        example: an input, of two items.
        path: the file.
        names: of the input and of each output.
        half: store large weights as 16-bit floats, widened when the file is loaded.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net.eval(),
        (example,),
        str(path),
        input_names=names[:1],
        output_names=names[1:],
        dynamic_axes={name: {0: "batch"} for name in names},
        opset_version=17,
        dynamo=False,
    )
    if half:
        with edited(path) as model:
            _halve(model.graph)


@contextmanager
def edited(path: Path) -> Iterator[Any]:
    """An ONNX model to change in place; it is checked and saved."""
    model = onnx.load(path)
    yield model
    onnx.checker.check_model(model)
    onnx.save(model, path)


def change_layer(
    model: Any, node: Any, change: Callable[[NDArray[Any], NDArray[Any]], tuple[Any, Any]]
) -> None:
    """Give a linear layer (a Gemm node) of an ONNX model other weights and another bias.

    ``change`` gets the old ones, (out, in) and (out,), and returns the new ones.
    """
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    old = [tensors[name] for name in node.input[1:3]]
    for tensor, value in zip(old, change(*map(numpy_helper.to_array, old)), strict=True):
        new = np.ascontiguousarray(value, np.float32)
        tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))


def _halve(graph: Any) -> None:
    widen = []
    for tensor in list(graph.initializer):
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < 256:
            continue
        half = numpy_helper.from_array(
            numpy_helper.to_array(tensor).astype(np.float16), f"{tensor.name}.half"
        )
        graph.initializer.append(half)
        widen.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
        graph.initializer.remove(tensor)
    nodes = [*widen, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
