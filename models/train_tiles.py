"""Making the tile classifier: scenes, training, calibration, export.

``tilewatch train`` runs :func:`train`. The same seed on the same machine makes the same weights.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from models import card, export_tiles, tile_pose
from models.crops import CropSet, generate
from vision.classifier import Classifier
from vision.rectify import CROP

_BATCH: Final = 128

_RATE: Final = 0.004
_RATE_AGAIN: Final = 0.001
"""Learning rates at which the first and the second round begin; each falls to a hundredth."""

_YAML: Final = Path(__file__).parent / "tiles.yaml"


def train(
    out: Path,
    seed: int = 1,
    scenes: int = 8000,
    epochs: int = 14,
    again: int = 6,
    threads: int = 2,
    quick: bool = False,
) -> Path:
    """Renders scenes, trains on them from nothing, calibrates, exports.

    Args:
        out: a folder for everything made on the way; the weights end up in it.
        seed: of scenes, weights and augmentation.
        scenes: training scenes of up to 64 crops each; a tenth as many again validate.
        epochs: passes over the crops.
        again: passes of a second round, which begins where the first ended, more gently.
        threads: processes that render, and threads that train.
        quick: a few scenes and one epoch, to see that everything works.

    Returns:
        ``out/tiles.onnx``, next to its ``MODEL_CARD.md``.
    """
    if quick:
        scenes, epochs, again = 24, 1, 1
    started = time.monotonic()
    data = out / "crops"
    train_set = generate(data, scenes, seed, processes=threads)
    held = generate(data, max(12, scenes // 10), seed, validation=True, processes=threads)
    calibrate, check = _halves(held)
    model = _fit(out, train_set, calibrate, seed, epochs, threads)
    if again:
        model = _fit(out, train_set, calibrate, seed + 1, again, threads, model.state_dict())
    weights = out / "tiles.onnx"
    export_tiles.export(model, weights)
    export_tiles.quantise(weights, train_set)
    made = {"seed": seed, "scenes": scenes, "epochs": epochs, "again": again}
    temperature = export_tiles.calibrate(weights, calibrate, train_set, made)
    export_tiles.take_bytes(weights)
    tile_pose.add_tile_pose(weights, seed, 24 if quick else 800, threads)
    facts = {
        **made,
        "crops": len(train_set.labels),
        "temperature": temperature,
        "minutes": (time.monotonic() - started) / 60,
    }
    probabilities = Classifier(weights).probabilities(np.ascontiguousarray(check.crops))
    card.write(out / "MODEL_CARD.md", probabilities, check, facts)
    right = card.same_to_the_eye(probabilities.argmax(axis=1).astype(np.int16), check.labels)
    sys.stderr.write(f"{weights}: {right.mean():.2%} of {len(right)} held-out crops right\n")
    return weights


def _halves(held: CropSet) -> tuple[CropSet, CropSet]:
    """Validation scenes for calibrating and, none of them the same, for the final figure."""
    even = held.seeds % 2 == 0
    first, second = (
        replace(held, crops=held.crops[part], labels=held.labels[part], seeds=held.seeds[part])
        for part in (even, ~even)
    )
    return first, second


def _fit(
    out: Path,
    train_set: CropSet,
    val_set: CropSet,
    seed: int,
    epochs: int,
    threads: int,
    begin: dict[str, Any] | None = None,
) -> Any:
    os.environ.setdefault("YOLO_CONFIG_DIR", str(out / "settings"))
    os.environ.setdefault("YOLO_OFFLINE", "true")
    (out / "settings").mkdir(parents=True, exist_ok=True)
    from models.torch_compat import keep_memory, prepare  # noqa: PLC0415

    keep_memory()
    prepare()
    import torch  # noqa: PLC0415

    from models.tile_trainer import TileTrainer  # noqa: PLC0415

    torch.set_num_threads(threads)
    TileTrainer.sets = {"train": train_set, "val": val_set}
    TileTrainer.begin = begin
    run = out / "run"
    if run.exists():
        shutil.rmtree(run)
    trainer = TileTrainer(
        overrides={
            "model": str(_YAML),
            "data": "crops",
            "imgsz": CROP,
            "epochs": epochs,
            "batch": _BATCH,
            "seed": seed,
            "device": "0" if torch.cuda.is_available() else "cpu",
            "project": str(out),
            "name": "run",
            "pretrained": False,
            "optimizer": "AdamW",
            "lr0": _RATE if begin is None else _RATE_AGAIN,
            "lrf": 0.01,
            "cos_lr": True,
            "warmup_epochs": 0.3,
            "weight_decay": 0.02,
            "patience": epochs,
            "amp": False,
            "plots": False,
            "fliplr": 0.0,
            "erasing": 0.0,
            "auto_augment": None,
        }
    )
    trainer.train()
    model = trainer.ema.ema.float().cpu().eval()
    for parameter in model.parameters():
        parameter.requires_grad = False
    return model


def main(argv: list[str] | None = None) -> int:
    """``python -m models.train_tiles``: see ``--help``."""
    import argparse  # noqa: PLC0415

    parser = argparse.ArgumentParser(description="Make the tile classifier from nothing.")
    parser.add_argument("--out", type=Path, default=Path("train-tiles"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=8000)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--again", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args(argv)
    train(args.out, args.seed, args.scenes, args.epochs, args.again, args.threads, args.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
