"""Train the change detector: python -m models.train_change --help.

Draws pairs of looks (:mod:`models.change_data`), trains a small network from nothing, makes its
answer an honest one on pairs that it was not trained on, and exports it to ONNX. Every random
number comes from --seed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

import numpy as np
import torch
import torch.nn.functional as nnf
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from models.change_data import ChangePairs, pair_sets
from models.locate_nets import Block
from vision.change_detector import PATCH

WEIGHTS: Final = Path(__file__).parent / "weights" / "change.onnx"
_BATCH: Final = 256
_HELD: Final = 0.06
"""Share of the scenes that only measure."""


class ChangeNet(nn.Module):  # type: ignore[misc]
    """(N, 6, PATCH, PATCH) to (N,): nats in favour of something having been placed.

    The last layers see where in the patch everything is: a tile's edges are where a tile's can be.
    """

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(
            Block(6, 24), Block(24, 32, 2), Block(32, 32), Block(32, 64, 2), Block(64, 64)
        )
        side = PATCH // 4
        self.say = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(64 * side * side, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
        )
        self.scale = nn.Parameter(torch.ones(1), requires_grad=False)
        """Set after training: how much of what it says is to be believed."""

    def forward(self, pairs: Tensor) -> Tensor:
        """Nats."""
        logits: Tensor = self.say(self.see(pairs))[:, 0] * self.scale
        return logits


def drawn(seed: int, scenes: int, processes: int) -> ChangePairs:
    """Draw the pairs of so many scenes."""
    first = seed * (1 << 16)
    made = pair_sets(range(first, first + scenes), processes)
    parts = list(tqdm(made, total=scenes, desc="scenes", mininterval=10))
    return ChangePairs(
        np.concatenate([part.pairs for part in parts]),
        np.concatenate([part.placed for part in parts]),
        np.concatenate([part.seeds for part in parts]),
    )


def train(data: ChangePairs, seed: int, epochs: int) -> ChangeNet:
    """Train the network on these pairs, both classes with equal weight."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = ChangeNet()
    steps = epochs * (len(data.placed) // _BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    weights = _weights(data.placed)
    for epoch in range(epochs):
        net.train()
        order, losses = rng.permutation(len(data.placed)), []
        for at in range(0, len(order) - _BATCH + 1, _BATCH):
            chosen = order[at : at + _BATCH]
            pairs = _augmented(rng, torch.from_numpy(data.pairs[chosen].astype(np.float32)))
            logits = net(pairs)
            loss = nnf.binary_cross_entropy_with_logits(
                logits,
                torch.from_numpy(data.placed[chosen].astype(np.float32)),
                weight=torch.from_numpy(weights[chosen]),
            )
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        sys.stderr.write(f"epoch {epoch + 1}/{epochs}: loss {np.mean(losses):.4f}\n")
    net.eval()
    return net


def _weights(placed: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return weights that balance the classes, so that the logit is the likelihood ratio."""
    share = placed.mean()
    weights = np.where(placed, 0.5 / share, 0.5 / (1 - share))
    return np.asarray(weights, np.float32)


def _augmented(rng: np.random.Generator, pairs: Tensor) -> Tensor:
    """Return the pairs turned, mirrored, noisier, fainter or stronger."""
    pairs = torch.rot90(pairs, int(rng.integers(4)), (2, 3))
    if rng.random() < 0.5:
        pairs = pairs.flip(3)
    factors = np.exp(rng.normal(-0.1, 0.3, (len(pairs), 1, 1, 1)))
    strength = torch.from_numpy(factors.astype(np.float32))
    noise = torch.randn_like(pairs) * float(abs(rng.normal(0, 0.02)))
    return torch.cat([pairs[:, :3], pairs[:, 3:] * strength], 1) + noise


def answers(net: ChangeNet, pairs: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return the network's logits of many pairs."""
    with torch.no_grad():
        logits = [
            net(torch.from_numpy(pairs[at : at + 1024].astype(np.float32))).numpy()
            for at in range(0, len(pairs), 1024)
        ]
    return np.concatenate(logits)


def calibrate_temperature(net: ChangeNet, held: ChangePairs) -> None:
    """Calibrate the logits' scale on pairs that the network was not trained on."""
    logits = torch.from_numpy(answers(net, held.pairs))
    placed = torch.from_numpy(held.placed.astype(np.float32))
    weights = torch.from_numpy(_weights(held.placed))
    scales = np.linspace(0.3, 1.5, 121)
    losses = [
        float(nnf.binary_cross_entropy_with_logits(logits * float(scale), placed, weight=weights))
        for scale in scales
    ]
    net.scale.data.fill_(float(scales[int(np.argmin(losses))]))


def report(net: ChangeNet, held: ChangePairs) -> str:
    """Return the error rates on pairs that the network was not trained on."""
    logits = answers(net, held.pairs)
    lines = [f"{len(held.placed)} pairs of {len(set(held.seeds.tolist()))} scenes"]
    for nats in (0.0, 2.0, 4.0):
        missed = float((logits[held.placed] < -nats).mean())
        invented = float((logits[~held.placed] > nats).mean())
        lines.append(f"beyond {nats:.0f} nats: missed {missed:.3%}, invented {invented:.3%}")
    return "\n".join(lines)


def export(net: ChangeNet, path: Path) -> None:
    """Write ONNX."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net,
        (torch.zeros(2, 6, PATCH, PATCH),),
        str(path),
        input_names=["pairs"],
        output_names=["nats"],
        dynamic_axes={"pairs": {0: "batch"}, "nats": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


def main(argv: list[str] | None = None) -> int:
    """Draw, train, measure, export."""
    parser = argparse.ArgumentParser(prog="tilewatch train laid", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.processes)
    data = drawn(args.seed, args.scenes, args.processes)
    measures = data.seeds >= data.seeds.max() - int(_HELD * args.scenes)
    kept, held = (
        ChangePairs(data.pairs[chosen], data.placed[chosen], data.seeds[chosen])
        for chosen in (~measures, measures)
    )
    net = train(kept, args.seed, args.epochs)
    calibrate_temperature(net, held)
    sys.stderr.write(report(net, held) + "\n")
    export(net, args.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
