"""Train the change detector: ``python -m tools.train change --help``.

Draws pairs of pictures (:mod:`tools.train.change_data`), trains a small network, calibrates its
answer on pairs that it was not trained on, and exports it to ONNX.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import numpy as np
import torch
import torch.nn.functional as nnf
from numpy.typing import NDArray
from torch import Tensor, nn

from tools.train.change_data import ChangePairs, draw_pairs
from tools.train.locate_nets import Block
from tools.train.training import export, options, train
from vision.change_detector import DOUBTFUL, PATCH

_BATCH: Final = 256
_HELD: Final = 0.06
"""Share of the scenes that only measure."""


class ChangeNet(nn.Module):  # type: ignore[misc]
    """(N, 6, PATCH, PATCH) to (N,): nats in favour of something having been placed.

    The last layers see where in the patch everything is: a tile's edges are where a tile's can be.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            Block(6, 24), Block(24, 32, 2), Block(32, 32), Block(32, 64, 2), Block(64, 64)
        )
        side = PATCH // 4
        self.answer = nn.Sequential(
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
        logits: Tensor = self.answer(self.features(pairs))[:, 0] * self.scale
        return logits


def batches(data: ChangePairs, seed: int) -> Iterator[tuple[Tensor, ...]]:
    """Batches without end: pairs, whether a tile was placed, and weights of equal classes."""
    rng = np.random.default_rng(seed)
    weights = _weights(data.placed)
    while True:
        order = rng.permutation(len(data.placed))
        for at in range(0, len(order) - _BATCH + 1, _BATCH):
            chosen = order[at : at + _BATCH]
            pairs = _augmented(rng, torch.from_numpy(data.pairs[chosen].astype(np.float32)))
            placed = torch.from_numpy(data.placed[chosen].astype(np.float32))
            yield pairs, placed, torch.from_numpy(weights[chosen])


def loss_of(logits: Tensor, placed: Tensor, weight: Tensor) -> tuple[Tensor, dict[str, float]]:
    """The weighted cross-entropy of logits (N,)."""
    loss = nnf.binary_cross_entropy_with_logits(logits, placed, weight=weight)
    return loss, {"loss": loss.item()}


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


def answers(net: nn.Module, pairs: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return the network's logits of many pairs."""
    with torch.no_grad():
        logits = [
            net(torch.from_numpy(pairs[at : at + 1024].astype(np.float32))).numpy()
            for at in range(0, len(pairs), 1024)
        ]
    return np.concatenate(logits)


def calibrate_temperature(net: nn.Module, held: ChangePairs) -> None:
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


def report(net: nn.Module, held: ChangePairs) -> str:
    """Return the error rates on pairs that the network was not trained on, asked as at a table."""
    sides = [answers(net, np.rot90(held.pairs, turns, axes=(2, 3))) for turns in range(4)]
    doubtful = np.abs(sides[0]) < DOUBTFUL
    logits = np.where(doubtful, np.mean(sides, axis=0), sides[0])
    lines = [f"{len(held.placed)} pairs of {len(set(held.seeds.tolist()))} scenes"]
    for nats in (0.0, 2.0, 4.0):
        missed = float((logits[held.placed] < -nats).mean())
        invented = float((logits[~held.placed] > nats).mean())
        lines.append(f"beyond {nats:.0f} nats: missed {missed:.3%}, invented {invented:.3%}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Draw, train, measure, export."""
    parser = options("change", __doc__, scenes=6000)
    parser.add_argument("--epochs", type=int, default=7)
    args = parser.parse_args(argv)
    if args.quick:
        args.scenes, args.epochs = 24, 2
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    data = draw_pairs(args.seed, args.scenes, args.threads)
    measures = data.seeds >= data.seeds.max() - int(_HELD * args.scenes)
    kept, held = data.part(~measures), data.part(measures)
    args.out.mkdir(parents=True, exist_ok=True)
    steps = args.epochs * (len(kept.placed) // _BATCH)
    net = train(ChangeNet(), batches(kept, args.seed), loss_of, steps, 2e-3, args.out / "change.pt")
    calibrate_temperature(net, held)
    sys.stderr.write(report(net, held) + "\n")
    export(net, torch.zeros(2, 6, PATCH, PATCH), args.out / "change.onnx", ("pairs", "nats"))
    return 0
