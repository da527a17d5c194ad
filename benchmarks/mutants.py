"""How many small faults put into the rules the tests notice.

Run: ``python benchmarks/mutants.py [--workers N] [--sample N] [FILE…]``. Each mutant is one change
in one place of a file (a comparison, a sum, a number, a condition, a returned value); the tests of
``game/`` run on a copy of the repository that has it, until one fails. All of them take hours: a
sample drawn at random tells the share as well. Prints every survivor, and
the share that was killed. A mutant of a message is none: words are not rules.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
FILES = (
    "after_press",
    "clock",
    "ending",
    "inference",
    "ledger",
    "outcome",
    "placement",
    "play",
    "referee",
    "remedies",
    "score",
    "sightings",
    "tally",
    "turn",
    "turn_flags",
    "windows",
)
"""Scoring, the clock, and everything that the referee is made of."""

QUICK = (
    "test_corpus",
    "test_state",
    "test_windows",
    "test_inference",
    "test_offers",
    "test_corrections",
    "test_after_press",
    "test_blanks",
    "test_board",
)
"""The tests that run first: those that kill most in the least time."""

SLOW = "test_any_one_figure_changed_by_one_is_named"
"""Left out: it looks at the checker of game records alone, and takes as long as all others."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_REACHED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the line, what was and what is, and the whole source with it."""

    file: str
    line: int
    was: str
    now: str
    source: str


def mutants(name: str) -> Iterator[Mutant]:
    """Every mutant of one file of ``game/``."""
    file = f"game/{name}.py"
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    nodes = list(ast.walk(tree))
    aside = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    aside += [one for node in nodes for one in getattr(node, "decorator_list", ())]
    aside += [
        note
        for node in nodes
        for name in ("annotation", "returns")
        if (note := getattr(node, name, None)) is not None
    ]
    passed_over = {id(part) for node in aside for part in ast.walk(node)}
    for at, node in enumerate(nodes):
        if id(node) in passed_over:
            continue
        for changed in _changes(node):
            other = copy.deepcopy(tree)
            place = list(ast.walk(other))[at]
            was = ast.unparse(place)
            for key, value in changed.items():
                setattr(place, key, value)
            line = getattr(node, "lineno", 0)
            yield Mutant(file, line, was, ast.unparse(place), ast.unparse(other))


def _changes(node: ast.AST) -> Iterator[dict[str, object]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield {"ops": [_COMPARED[type(node.ops[0])](), *node.ops[1:]]}
    elif isinstance(node, ast.BinOp) and type(node.op) in _REACHED:
        yield {"op": _REACHED[type(node.op)]()}
    elif isinstance(node, ast.BoolOp):
        yield {"op": ast.And() if isinstance(node.op, ast.Or) else ast.Or()}
    elif isinstance(node, ast.If | ast.IfExp):
        yield {"test": ast.UnaryOp(ast.Not(), node.test)}
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield {"value": node.value + 1}
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield {"value": not node.value}
    elif isinstance(node, ast.Return) and not _nothing(node.value):
        yield {"value": ast.Constant(None)}


def _nothing(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def survives(mutant: Mutant, copy_of: Path) -> bool:
    """Whether all tests pass with it."""
    file = copy_of / mutant.file
    original = file.read_text("utf-8")
    file.write_text(mutant.source, "utf-8")
    try:
        return passes(copy_of)
    finally:
        file.write_text(original, "utf-8")


def passes(copy_of: Path) -> bool:
    """Whether all tests pass on a copy; a run that never ends is one that fails."""
    files = [f"tests/game/{name}.py" for name in QUICK]
    for stage in (
        files,
        ["tests/game", *(f"--ignore={file}" for file in files), "-k", f"not {SLOW}"],
    ):
        try:
            run = subprocess.run(
                [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *stage],
                cwd=copy_of,
                env={**os.environ, "PYTHONPATH": str(copy_of), "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True,
                timeout=600,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        if run.returncode != 0:
            return False
    return True


def main() -> None:
    """Make mutants, run them, print those that live."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE", help="names in game/")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, help="only so many, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    todo = [mutant for name in args.files for mutant in mutants(name)]
    if args.sample is not None and args.sample < len(todo):
        todo = random.Random(args.seed).sample(todo, args.sample)
    with tempfile.TemporaryDirectory() as folder:
        free: Queue[Path] = Queue()
        for number in range(args.workers):
            place = Path(folder) / str(number)
            place.mkdir()
            for part in ("game", "tests"):
                shutil.copytree(ROOT / part, place / part)
            shutil.copy(ROOT / "pyproject.toml", place)
            free.put(place)

        if not passes(place):
            sys.exit("the tests fail without any mutant: mend that first")

        def run(mutant: Mutant) -> bool:
            place = free.get()
            try:
                return survives(mutant, place)
            finally:
                free.put(place)

        lived = 0
        with ThreadPoolExecutor(args.workers) as pool:
            for done, (mutant, alive) in enumerate(
                zip(todo, pool.map(run, todo), strict=True), start=1
            ):
                lived += alive
                if alive:
                    print(f"{mutant.file}:{mutant.line}: {mutant.was}  ->  {mutant.now}")
                if done % 10 == 0 or done == len(todo):
                    print(f"{done} of {len(todo)}: {1 - lived / done:.1%} killed", flush=True)


if __name__ == "__main__":
    main()
