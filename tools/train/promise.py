"""Choose how surely a square must be read: ``python -m tools.train promise --help``.

Draws boards lettered in faces that the training never saw, reads each picture from finding the
board on, and chooses the least certainty above which at most 1 square in 20,000 is wrong. The
choice is by Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei, arXiv 2110.01052), the
form of conformal risk control that holds with a stated probability: thresholds are tested one by
one from the highest down, each by the exact binomial tail of the squares that are wrong above it,
until one fails. The squares of a board are taken as independent. As many other boards then measure
what was chosen.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

from models import weights
from tools.train.promise_boards import (
    BASE,
    CONFIDENCE,
    RISK,
    Squares,
    least_certainty,
    read_boards,
)
from tools.train.training import edited, options
from vision.classifier import PROMISE_KEY, Promise


def copy_with(source: Path, folder: Path, key: str, value: str) -> Path:
    """Copy weights into a folder with an entry of their metadata changed; return the copy."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / source.name
    shutil.copyfile(source, target)
    with edited(target) as model:
        kept = [(one.key, one.value) for one in model.metadata_props if one.key != key]
        del model.metadata_props[:]
        for entry_key, entry_value in (*kept, (key, value)):
            entry = model.metadata_props.add()
            entry.key, entry.value = entry_key, entry_value
    return target


def main(argv: list[str] | None = None) -> int:
    """Choose the certainty, measure it, and write it into a copy of the weights."""
    parser = options("promise", __doc__, scenes=500)
    parser.add_argument("--weights", type=Path, default=weights.path("tiles.onnx"), metavar="FILE")
    args = parser.parse_args(argv)
    boards = 20 if args.quick else args.scenes
    first = BASE + args.seed * (1 << 16)
    chosen = read_boards(args.weights, first, boards, args.threads, "boards")
    sure = least_certainty(chosen)
    if sure is None:
        sys.stderr.write(f"no certainty is enough for 1 in {1 / RISK:.0f}; draw more boards\n")
        return 1
    check = read_boards(args.weights, first + boards, boards, args.threads, "other boards")
    promise = Promise(sure, RISK, CONFIDENCE, boards)
    target = copy_with(args.weights, args.out, PROMISE_KEY, promise.to_json())
    card = _card(args.weights.name, promise, args.seed, chosen, check)
    (args.out / "PROMISE_CARD.md").write_text(card, encoding="utf-8")
    sys.stderr.write(f"{target}: squares count as read from {sure:.6f} on\n")
    return 0


def _card(name: str, promise: Promise, seed: int, chosen: Squares, check: Squares) -> str:
    def row(name: str, squares: Squares) -> str:
        silent, count = squares.silent(promise.sure), len(squares.wrong)
        share = f"1 in {count // silent:,}" if silent else "none"
        return (
            f"| {name} | {count:,} | {squares.unfound} | {int(squares.wrong.sum())}"
            f" | {silent} ({share}) | {squares.marked(promise.sure):.1%} |\n"
        )

    return (
        _CARD.format(name=name, seed=seed, boards=promise.boards, sure=promise.sure)
        + row("to choose it", chosen)
        + row("to measure it", check)
    )


_CARD: Final = """# How surely a square must be read
A square counts as read from a certainty of {sure:.6f} on. Less sure ones are marked, and so are
tiles' backs, what cannot be read, and all of a picture in which 30 squares cannot, or more than 15
and more than half as many as show letters, or whose letters do not tell with 99.9% which way is up.
The figure is in the metadata of `{name}`.

`python -m tools.train promise --seed {seed} --scenes {boards}` chose it so that, with 95%
confidence, at most 1 square in 20,000 is wrong and not marked, on boards drawn by our own renderer
(`models/scenes`): any table, light, camera tilt and tile set, things and hands in the way, 26 to 68
pixels a square, lettered in faces that no training saw. The method is Learn then Test
(Angelopoulos, Bates, Candès, Jordan and Lei, arXiv 2110.01052): thresholds are tested from the
highest down, each by the exact binomial tail of the squares that are wrong above it, until one
fails. It takes the squares of a board as independent. It says nothing about pictures unlike those
drawn, and nothing where more than one picture and the weights have a say: tiles that were learnt, a
picture of the empty board, a blank that somebody named.

| {boards} boards | squares | not found | wrong, at any certainty | wrong, not marked | marked |
|---|---|---|---|---|---|
"""
