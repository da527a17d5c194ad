"""Train the locator's two networks: ``python -m tools.train locate --help``.

Draws tables, trains both networks on samples cut from the pictures, and exports them to ONNX.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import torch.nn.functional as nnf
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tools.train.locate_data import coarse_sample, load_picture, refine_sample, store_pictures
from tools.train.locate_nets import Coarse, Refiner
from tools.train.quantising import quantise
from tools.train.training import Loss, export, options, train
from vision.locate.inputs import COARSE, REFINE, cell_centres

BATCH = 32
RANGE_PICTURES = 200
"""Inputs from which the ranges of the 8-bit activations are taken."""

RATE, RATE_AGAIN = 2e-3, 7e-4
"""Highest learning rates of a training from nothing, and of one that goes on from another."""


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
            picture = load_picture(self.pool[int(rng.integers(len(self.pool)))])
            for _ in range(2 if self.kind == "refine" else 1):
                if self.kind == "refine":
                    r = refine_sample(rng, picture)
                    yield r.picture, r.offset, r.known, r.inside, r.corner_offset
                else:
                    c = coarse_sample(rng, picture)
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


def feeds(kind: str, pool: list[Path], seed: int) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield endless inputs of a network, as it gets them in a training."""
    for picture, *_ in Samples(pool, kind, seed):
        yield {"picture": picture[None]}


KINDS: dict[str, tuple[type[nn.Module], Loss, int, int]] = {
    "coarse": (Coarse, coarse_loss, COARSE, 3000),
    "refine": (Refiner, refine_loss, REFINE, 4000),
}
"""Each network, its loss, the side of its input in pixels, its usual number of steps."""


def main(argv: list[str] | None = None) -> int:
    """Draw, train, export."""
    parser = options("locate", __doc__, scenes=14000)
    parser.add_argument("--steps", type=int, help="of each network, instead of the usual number")
    parser.add_argument("--only", choices=list(KINDS), help="train only one of the networks")
    parser.add_argument(
        "--start", type=Path, metavar="DIR", help="go on from the networks of an earlier --out"
    )
    args = parser.parse_args(argv)
    if args.quick:
        args.scenes, args.steps = 32, 4
    torch.set_num_threads(args.threads)
    pool = store_pictures(args.out / "pictures", args.scenes, args.seed, args.threads)
    for kind, (network, loss, side, usual) in KINDS.items():
        if args.only not in {None, kind}:
            continue
        torch.manual_seed(args.seed)
        net: nn.Module = network()
        if args.start is not None:
            net.load_state_dict(torch.load(args.start / f"{kind}.pt"))
        samples = Samples(pool, kind, args.seed)
        batches = DataLoader(samples, BATCH, num_workers=args.threads, prefetch_factor=8)
        rate = RATE if args.start is None else RATE_AGAIN
        net = train(net, batches, loss, args.steps or usual, rate, args.out / f"{kind}.pt")
        weights = args.out / f"locate_{kind}.onnx"
        export(net, torch.zeros(2, 3, side, side), weights, ("picture", "answer"))
        quantise(weights, islice(feeds(kind, pool, args.seed), RANGE_PICTURES), last=False)
    return 0
