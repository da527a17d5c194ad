"""Train the locator from nothing: python -m models.train_locate --help.

Draws a pool of tables, trains the coarse network and the refiner on samples cut from it, and
exports both to ONNX. Uses a GPU when there is one. Every random number comes from --seed.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
import torch.nn.functional as nnf
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from tqdm import tqdm

from models.locate_data import coarse_sample, fill_pool, load_picture, refine_sample
from models.locate_nets import Coarse, Refiner
from vision.locate.inputs import COARSE, REFINE, cell_centres

WEIGHTS = Path(__file__).parent / "weights"
BATCH = 32
STEPS = {"coarse": 3000, "refine": 4000}


class Samples(IterableDataset):  # type: ignore[misc]
    """An endless stream of samples as tuples of float32 arrays."""

    def __init__(self, pool: list[Path], kind: str, seed: int) -> None:
        self.pool, self.kind, self.seed = pool, kind, seed

    def __iter__(self) -> Iterator[tuple[np.ndarray, ...]]:
        """Two samples from each picture picked, for reading one costs more than cutting it."""
        cv2.setNumThreads(1)
        worker = get_worker_info()
        rng = np.random.default_rng([self.seed, worker.id if worker else 0])
        while True:
            drawn = load_picture(self.pool[int(rng.integers(len(self.pool)))])
            for _ in range(2 if self.kind == "refine" else 1):
                if self.kind == "refine":
                    r = refine_sample(rng, drawn)
                    yield r.picture, r.offset, r.known, r.inside, r.corner_offset
                else:
                    c = coarse_sample(rng, drawn)
                    yield c.picture, c.mask, c.corners


def coarse_loss(out: Tensor, mask: Tensor, corners: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Answers (N, 2, 64, 64) against mask and corners (N, 64, 64)."""
    inside = nnf.binary_cross_entropy_with_logits(out[:, 0], mask)
    peaks = nnf.binary_cross_entropy_with_logits(out[:, 1], corners, weight=1 + 20 * corners)
    return inside + 5 * peaks, {"mask": inside.item(), "peaks": peaks.item()}


def fitted_corners(offset: Tensor, weight: Tensor) -> Tensor:
    """The corners' offsets (N, 4, 2) by the best small homography through weighted offsets.

    offset and weight (N, 2, cells, cells). A homography near the identity moves a point by a
    linear function of eight numbers; these are solved for.
    """
    cells = torch.from_numpy(cell_centres()).to(offset)
    xy = (cells.reshape(-1, 2) - 7.5) / 7.5
    basis = _basis(xy)
    ends = torch.tensor([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]).to(offset)
    n = offset.shape[0]
    target = offset.reshape(n, -1)
    w = weight.reshape(n, -1)
    weighted = basis[None] * w[..., None]
    normal = basis.T[None] @ weighted + 1e-2 * torch.eye(8).to(offset)
    right = (weighted * target[..., None]).sum(1)
    theta = torch.linalg.solve(normal, right)
    return (theta @ _basis(ends).T).reshape(n, 2, 4).transpose(1, 2)


def _basis(xy: Tensor) -> Tensor:
    x, y = xy[:, 0], xy[:, 1]
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    right = torch.stack([one, x, y, zero, zero, zero, x * x, x * y], 1)
    down = torch.stack([zero, zero, zero, one, x, y, x * y, y * y], 1)
    return torch.cat([right, down], 0)


def refine_loss(
    out: Tensor, offset: Tensor, known: Tensor, inside: Tensor, corner_offset: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Answers (N, 5, 30, 30) against a RefineSample's truths."""
    spread = out[:, 2:4].clamp(-4.5, 2.0)
    miss = (out[:, :2] - offset).abs()
    count = known.sum().clamp(min=1)
    cells = ((miss * torch.exp(-spread) + spread) * known[:, None]).sum() / (2 * count)
    mask = nnf.binary_cross_entropy_with_logits(out[:, 4], inside)
    whole = known.sum((1, 2)) > 120
    weight = torch.exp(-2 * spread) * known[:, None]
    fit = fitted_corners(out[:, :2], weight)
    off = nnf.smooth_l1_loss(fit, corner_offset, beta=0.1, reduction="none").mean((1, 2))
    ends = (off * whole).sum() / whole.sum().clamp(min=1)
    parts = {
        "cells": ((miss * known[:, None]).sum() / (2 * count)).item(),
        "mask": mask.item(),
        "corner": ((fit - corner_offset).norm(dim=2).amax(1) * whole).sum().item()
        / max(float(whole.sum()), 1.0),
    }
    return cells + mask + ends, parts


def train(
    kind: str, pool: list[Path], steps: int, seed: int, workers: int, start: Path | None, save: Path
) -> nn.Module:
    """Train one network; what comes back is the running average of its weights."""
    torch.manual_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net: nn.Module = Coarse() if kind == "coarse" else Refiner()
    if start is not None:
        net.load_state_dict(torch.load(start))
    net = net.to(device, memory_format=torch.channels_last)
    average = copy.deepcopy(net).eval()
    loader: DataLoader[Any] = DataLoader(
        Samples(pool, kind, seed),
        BATCH,
        num_workers=workers,
        prefetch_factor=8 if workers else None,
    )
    peak = 2e-3 if start is None else 7e-4
    optimizer = torch.optim.AdamW(net.parameters(), peak, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, peak, total_steps=steps, pct_start=0.1
    )
    shown: dict[str, float] = {}
    bar = tqdm(zip(range(steps), loader, strict=False), total=steps, desc=kind, mininterval=10)
    for step, batch in bar:
        picture, *truth = (part.to(device) for part in batch)
        net.train()
        with torch.autocast(device.type, torch.bfloat16):
            out = net(picture.to(memory_format=torch.channels_last))
        loss, parts = (coarse_loss if kind == "coarse" else refine_loss)(out.float(), *truth)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        ema_decay = min(0.998, step / (step + 20))
        with torch.no_grad():
            for old, new in zip(
                average.state_dict().values(), net.state_dict().values(), strict=True
            ):
                old.copy_(
                    old * ema_decay + new * (1 - ema_decay) if old.is_floating_point() else new
                )
        for name, value in parts.items():
            shown[name] = 0.98 * shown.get(name, value) + 0.02 * value
        bar.set_postfix({k: f"{v:.3f}" for k, v in shown.items()}, refresh=False)
        if step % 250 == 249:
            torch.save(average.state_dict(), save)
    torch.save(average.state_dict(), save)
    return average.cpu()


def export(net: nn.Module, side: int, path: Path) -> None:
    """Write a network as ONNX, its weights as 16-bit floats that are widened when it is loaded."""
    net = net.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, side, side),),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["picture"],
        output_names=["answer"],
    )
    model = onnx.load(path)
    widen = []
    for tensor in list(model.graph.initializer):
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < 256:
            continue
        half = numpy_helper.from_array(
            numpy_helper.to_array(tensor).astype(np.float16), f"{tensor.name}.half"
        )
        model.graph.initializer.append(half)
        widen.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
        model.graph.initializer.remove(tensor)
    for node in reversed(widen):
        model.graph.node.insert(0, node)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main(argv: list[str] | None = None) -> int:
    """Draw, train, export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--pool", type=Path, default=Path("build/sketches"), help="kept between runs"
    )
    parser.add_argument("--sketches", type=int, default=14000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--steps", type=int, help="of each network, instead of the usual number")
    parser.add_argument("--only", choices=["coarse", "refine"])
    parser.add_argument("--start", type=Path, help="state to go on from; needs --only")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    options = parser.parse_args(argv)
    torch.set_num_threads(options.threads)
    with tqdm(total=options.sketches, desc="sketches", mininterval=10) as bar:
        fill_pool(
            options.pool,
            options.sketches,
            options.seed,
            options.workers,
            done=lambda k: bar.update(k - bar.n),
        )
    pool = sorted(options.pool.glob("[0-9]*.npz"))[: options.sketches]
    options.out.mkdir(parents=True, exist_ok=True)
    for kind, side in (("coarse", COARSE), ("refine", REFINE)):
        if options.only in (None, kind):
            net = train(
                kind,
                pool,
                options.steps or STEPS[kind],
                options.seed,
                options.workers,
                options.start,
                options.pool / f"{kind}.pt",
            )
            export(net, side, options.out / f"locate_{kind}.onnx")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
