"""Train the tile classifier: ``python -m tools.train tiles --help``.

Draws scenes, trains on crops of them, calibrates, exports. The same seed on the same machine makes
the same weights. A training that was interrupted goes on from its last epoch with ``--resume``,
and then its random numbers are others.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from tools.train import card
from tools.train.crops import CropSet, generate
from tools.train.export_tiles import ship
from tools.train.training import options
from vision.classifier import Classifier
from vision.rectify import CROP

_BATCH: Final = 128

_RATE: Final = 0.004
_RATE_AGAIN: Final = 0.001
"""Learning rates at which the first and the second round begin; each falls to a hundredth."""

_YAML: Final = Path(__file__).parent / "tiles.yaml"

_SCHEMAS: Final = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
"""The operators that :func:`prepare` declares."""
_kept: list[Any] = []
"""A torch library lives as long as somebody holds it."""


def _halves(held: CropSet) -> tuple[CropSet, CropSet]:
    """Validation scenes for calibrating and, none of them the same, for the final figure."""
    even = held.seeds % 2 == 0
    first, second = (
        replace(held, crops=held.crops[part], labels=held.labels[part], seeds=held.seeds[part])
        for part in (even, ~even)
    )
    return first, second


@dataclass(frozen=True)
class _Round:
    """One of the two rounds of a training, in a folder of its own."""

    folder: Path
    seed: int
    epochs: int
    begin: dict[str, Any] | None = None
    """Weights to begin with; None begins from nothing."""

    @property
    def result(self) -> Path:
        """The trained network, once the round is over."""
        return self.folder.with_suffix(".pt")

    @property
    def checkpoint(self) -> Path:
        """The files that Ultralytics keeps of the last epoch."""
        return self.folder / "weights" / "last.pt"


def _fit(work: _Round, train_set: CropSet, val_set: CropSet, resume: bool) -> Any:
    """Train a round, or what is left of it with ``resume``; return the network, for use."""
    out = work.folder.parent
    os.environ.setdefault("YOLO_CONFIG_DIR", str(out / "settings"))
    os.environ.setdefault("YOLO_OFFLINE", "true")
    (out / "settings").mkdir(parents=True, exist_ok=True)
    keep_memory()
    prepare()
    from tools.train.tile_trainer import TileTrainer  # noqa: PLC0415 - after what it needs was prepared

    TileTrainer.sets = {"train": train_set, "val": val_set}
    TileTrainer.begin = work.begin
    if resume and work.result.exists():
        return torch.load(work.result, map_location="cpu", weights_only=False)
    going_on = resume and work.checkpoint.exists()
    work.result.unlink(missing_ok=True)
    if work.folder.exists() and not going_on:
        shutil.rmtree(work.folder)
    trainer = TileTrainer(
        overrides={
            "resume": str(work.checkpoint) if going_on else False,
            "model": str(_YAML),
            "data": "crops",
            "imgsz": CROP,
            "epochs": work.epochs,
            "batch": _BATCH,
            "seed": work.seed,
            "device": "0" if torch.cuda.is_available() else "cpu",
            "project": str(out),
            "name": work.folder.name,
            "pretrained": False,
            "optimizer": "AdamW",
            "lr0": _RATE if work.begin is None else _RATE_AGAIN,
            "lrf": 0.01,
            "cos_lr": True,
            "warmup_epochs": 0.3,
            "weight_decay": 0.02,
            "patience": work.epochs,
            "amp": False,
            "plots": False,
            "fliplr": 0.0,
            "erasing": 0.0,
            "auto_augment": None,
        }
    )
    trainer.train()
    model = trainer.ema.ema.float().cpu().eval().to(memory_format=torch.contiguous_format)
    for parameter in model.parameters():
        parameter.requires_grad = False
    torch.save(model, work.result)
    return model


def prepare() -> None:
    """Make ultralytics importable where torchvision's compiled operators are missing.

    A torchvision wheel built for another torch fails on import with ``operator torchvision::nms
    does not exist``: its Python half describes two operators that its compiled half should have
    declared. Training a classifier never calls them, so declaring them is enough. Does nothing
    where torchvision is whole.
    """
    try:
        import torchvision  # noqa: PLC0415
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
    else:
        return
    for name in [n for n in sys.modules if n == "torchvision" or n.startswith("torchvision.")]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for schema in _SCHEMAS:
        library.define(schema)
    _kept.append(library)
    import torchvision  # noqa: F401, PLC0415


def keep_memory() -> None:
    """Lets the C library keep big freed blocks; does nothing where there is no glibc.

    A quarter of a training step goes on mapping and unmapping them otherwise.
    """
    mmap_threshold, trim_threshold = -3, -1  # malloc.h
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(mmap_threshold, 1 << 30)
        libc.mallopt(trim_threshold, (1 << 31) - 1)
    except (OSError, AttributeError):
        return


def main(argv: list[str] | None = None) -> int:
    """Draw, train, export, measure."""
    parser = options("tiles", __doc__, scenes=8000)
    parser.add_argument("--epochs", type=int, default=14, help="passes over the crops")
    parser.add_argument("--again", type=int, default=6, help="passes of a second, gentler round")
    parser.add_argument("--resume", action="store_true", help="go on where --out was left")
    parser.add_argument(
        "--start", type=Path, metavar="DIR", help="begin the second round with an earlier --out"
    )
    args = parser.parse_args(argv)
    if args.quick:
        args.scenes, args.epochs, args.again = 24, 1, 1
    start = None if args.start is None else args.start / "second.pt"
    if start is not None and not start.is_file():
        parser.error(f"{start} is missing: --start takes the --out of a training that has ended")
    started = time.monotonic()
    torch.set_num_threads(args.threads)
    folder, tenth = args.out / "crops", max(12, args.scenes // 10)
    train_set = generate(folder, args.scenes, args.seed, processes=args.threads)
    held = generate(folder, tenth, args.seed, validation=True, processes=args.threads)
    calibrate, check = _halves(held)
    if start is not None:
        prepare()
        model = torch.load(start, map_location="cpu", weights_only=False)
    else:
        first = _Round(args.out / "first", args.seed, args.epochs)
        model = _fit(first, train_set, calibrate, args.resume)
    if args.again:
        second = _Round(args.out / "second", args.seed + 1, args.again, model.state_dict())
        model = _fit(second, train_set, calibrate, args.resume)
    facts = {name: getattr(args, name) for name in ("seed", "scenes", "epochs", "again")}
    weights, boards = args.out / "tiles.onnx", max(24, args.scenes // 10)
    temperature = ship(model, weights, train_set, calibrate, facts, boards, args.threads)
    probabilities = Classifier(weights).probabilities(np.ascontiguousarray(check.crops))
    facts |= {
        "started": start is not None,
        "crops": len(train_set.labels),
        "temperature": temperature,
        "minutes": (time.monotonic() - started) / 60,
    }
    card.write(args.out / "MODEL_CARD.md", probabilities, check, facts)
    right = card.same_to_the_eye(probabilities.argmax(axis=1).astype(np.int16), check.labels)
    sys.stderr.write(f"{weights}: {right.mean():.2%} of {len(right)} held-out crops right\n")
    return 0
