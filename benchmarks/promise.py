"""The shipped promise, held against boards that nobody has read before.

    python benchmarks/promise.py [--boards 1000] [--seed 1] [--processes 1]

Draws the boards, reads each picture, and counts the squares that are wrong although they are read
as surely as the promise in the shipped weights asks. Take a seed that the promise was not chosen on
(``models/weights/PROMISE_CARD.md``). Exit status 1 unless it holds with its own confidence.
"""

from __future__ import annotations

import argparse
import sys

from models import weights
from tools.train.promise_boards import BASE, binomial_tail, read_boards
from vision.classifier import Classifier


def main() -> int:
    """Draw, read and count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    tiles = weights.path("tiles.onnx")
    promise = Classifier(tiles).promise
    if promise is None:
        sys.exit(f"{tiles.name}: these weights promise nothing; ship some that do")
    first = BASE + args.seed * (1 << 16)
    squares = read_boards(tiles, first, args.boards, args.processes, "boards")
    silent, count = squares.silent(promise.sure), len(squares.wrong)
    doubt = binomial_tail(silent, count, promise.risk)
    print(f"{count:,} squares of {args.boards} boards; in {squares.unfound} none was found")
    print(f"wrong, at any certainty: {int(squares.wrong.sum())}")
    print(f"wrong, not marked (from {promise.sure:.6f} on): {silent}")
    print(f"marked: {squares.marked(promise.sure):.1%}")
    print(f"at most 1 in {1 / promise.risk:,.0f} with a confidence of {1 - doubt:.1%}")
    return int(doubt > 1 - promise.confidence)


if __name__ == "__main__":
    sys.exit(main())
