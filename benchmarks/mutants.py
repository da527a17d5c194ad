"""The share of small faults put into the rules that the tests notice.

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
import itertools
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

import hypothesis  # noqa: F401 - loaded once here, and so in every process that runs the tests
import pytest

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

REWRITTEN: Final = "ignore::pytest.PytestAssertRewriteWarning"
"""Nothing is wrong with hypothesis being loaded before."""

LIMIT_S: Final = 900
"""A run of the tests that takes longer never ends."""

OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "-W", REWRITTEN)
_FORK: Final = multiprocessing.get_context("fork")
_STAMPS: Final = itertools.count(1_000_000_000)

QUICK = (
    "test_corpus",
    "test_state",
    "test_amendments",
    "test_ending",
    "test_overtime",
    "test_windows",
    "test_inference",
    "test_withdrawn",
    "test_turn_flags",
    "test_outcome",
    "test_asides",
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
    """True if a returned value is None or False: as a condition, these are the same."""
    if not isinstance(value, ast.Constant):
        return value is None
    return value.value is None or value.value is False


class Place:
    """A copy of the rules and their tests, for one mutant at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in ("game", "tests"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        self._whole = {
            file.name: file.read_text("utf-8") for file in (folder / "game").glob("*.py")
        }

    def start(self, mutant: Mutant | None) -> Run:
        """Run the tests with a mutant, or with none, in a process of their own."""
        if mutant is not None:
            self._write(mutant.file, mutant.source)
        process = _FORK.Process(target=_test, args=(self.folder,))
        process.start()
        return Run(self, mutant, process, time.monotonic())

    def mend(self, mutant: Mutant) -> None:
        """Put back the file that a mutant was in."""
        self._write(mutant.file, self._whole[Path(mutant.file).name])

    def _write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.write_text(text, "utf-8")
        # No two writes have the same time, so that what Python keeps compiled is never an old one.
        stamp = next(_STAMPS)
        os.utime(file, (stamp, stamp))


@dataclass(frozen=True)
class Run:
    """The tests at work."""

    place: Place
    mutant: Mutant | None
    process: BaseProcess
    began: float

    def passed(self) -> bool:
        """True if all tests passed; a run that never ends counts as failed."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        return self.process.exitcode == 0


def _test(folder: Path) -> None:
    """Run the tests of a copy, until one fails. Nothing of ours is loaded in the parent."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    files = [f"tests/game/{name}.py" for name in QUICK]
    others = ["tests/game", *(f"--ignore={file}" for file in files), "-k", f"not {SLOW}"]
    for stage in (files, others):
        if status := pytest.main([*OPTIONS, *stage]):
            os._exit(int(status))
    os._exit(0)


def outcomes(todo: list[Mutant], places: list[Place]) -> Iterator[tuple[Mutant, bool]]:
    """Every mutant and whether it lived, as they are done."""
    waiting, free = list(reversed(todo)), list(places)
    running: list[Run] = []
    while waiting or running:
        while waiting and free:
            running.append(free.pop().start(waiting.pop()))
        wait([run.process.sentinel for run in running], timeout=1)
        for run in list(running):
            if run.process.is_alive() and time.monotonic() - run.began < LIMIT_S:
                continue
            running.remove(run)
            assert run.mutant is not None
            yield run.mutant, run.passed()
            run.place.mend(run.mutant)
            free.append(run.place)


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
        places = [Place(Path(folder) / str(number)) for number in range(args.workers)]
        check = places[0].start(None)
        check.process.join()
        if not check.passed():
            sys.exit("the tests fail without any mutant: mend that first")
        lived = 0
        for done, (mutant, alive) in enumerate(outcomes(todo, places), start=1):
            lived += alive
            if alive:
                print(f"{mutant.file}:{mutant.line}: {mutant.was}  ->  {mutant.now}", flush=True)
            if done % 10 == 0 or done == len(todo):
                print(f"{done} of {len(todo)}: {1 - lived / done:.1%} killed", flush=True)


if __name__ == "__main__":
    main()
