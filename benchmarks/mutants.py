"""The share of small faults in the code that the tests notice, room by room.

Run: ``python benchmarks/mutants.py [--faults N] [--seed N] [ROOM…]``.
A fault is one change in one place of a function: a comparison, a sum, a number, a condition, a
returned value, a call left out. ``--faults`` of them are drawn at random in each room. All tests
run once with a probe at each place, so that it is known which tests reach it, also in programs that
tests start. Then each fault is put into a copy of the repository, and the tests that reach it run
until one fails: the quick ones first, and, where these notice nothing, the slow ones and the
property tests at their thorough profile. Prints each fault that the quick tests miss, and a table.

``--keep`` names a folder for what was found, so that a run that was stopped goes on. Left out are
``tests/test_house.py`` (style and types), constants of modules and classes, messages, and tests
that fail without a fault, which are named.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Final

import mutants_plugin

ROOT = Path(__file__).resolve().parents[1]
_TOOL: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
ROOMS: Final = tuple(_TOOL["hatch"]["build"]["targets"]["wheel"]["packages"])
OPTIONS: Final = ("-q", "--ignore", "tests/test_house.py", "-p", "mutants_plugin")
ALL: Final = ("-m", "slow or not slow")
THOROUGH: Final = ("--hypothesis-profile", "thorough")

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
_stamps = itertools.count(1_000_000_000)


@dataclass(frozen=True)
class Fault:
    """One change: the file, the line, what was and what is."""

    number: int
    room: str
    file: str
    line: int
    was: str
    now: str
    at: int
    """The place of the changed node in ``ast.walk``."""
    changed: int
    """Which of the node's changes."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {_short(self.was)}  ->  {_short(self.now)}"

    def source(self) -> str:
        """The whole file with the fault."""
        tree = _tree(self.file)
        _change(list(ast.walk(tree))[self.at], self.changed)
        return ast.unparse(tree)


def _short(code: str) -> str:
    first = code.splitlines()[0]
    return first if first == code and len(first) <= 70 else f"{first[:67]}…"


def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text("utf-8"))


def _changes(node: ast.AST) -> list[dict[str, object]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        return [{"ops": [_COMPARED[type(node.ops[0])](), *node.ops[1:]]}]
    if isinstance(node, ast.BinOp) and type(node.op) in _REACHED:
        return [{"op": _REACHED[type(node.op)]()}]
    if isinstance(node, ast.BoolOp):
        return [{"op": ast.And() if isinstance(node.op, ast.Or) else ast.Or()}]
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return [{"test": ast.UnaryOp(ast.Not(), node.test)}]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [{"value": node.value + 1}]
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        return [{"value": not node.value}]
    if isinstance(node, ast.Return) and not _nothing(node.value):
        return [{"value": ast.Constant(None)}]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [{"value": ast.Constant(None)}]
    return []


def _change(node: ast.AST, changed: int) -> None:
    for key, value in _changes(node)[changed].items():
        setattr(node, key, value)


def _nothing(value: ast.expr | None) -> bool:
    """True if a returned value is None or False: as a condition, these are the same."""
    if not isinstance(value, ast.Constant):
        return value is None
    return value.value is None or value.value is False


def faults(room: str, count: int, seed: int, first: int) -> list[Fault]:
    """``count`` faults of one room, drawn at random; their numbers begin with ``first``."""
    files = [name for name in _tracked(f"{room}/**/*.py", f"{room}/*.py") if "/static/" not in name]
    places = [(file, at, node) for file in files for at, node in _places(_tree(file))]
    drawn = random.Random(f"{room} {seed}").sample(places, min(count, len(places)))
    made = []
    for number, (file, at, node) in enumerate(drawn, start=first):
        other = copy.deepcopy(node)
        _change(other, 0)
        line = getattr(node, "lineno", 0)
        made.append(Fault(number, room, file, line, ast.unparse(node), ast.unparse(other), at, 0))
    return made


def _places(tree: ast.Module) -> Iterator[tuple[int, ast.AST]]:
    """Each node of a function's body that can be changed, with its place."""
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = {id(n) for f in functions for line in f.body for n in ast.walk(line)}
    aside = {id(n) for node in ast.walk(tree) for part in _aside(node) for n in ast.walk(part)}
    for at, node in enumerate(ast.walk(tree)):
        if id(node) in inside - aside and _changes(node):
            yield at, node


def _aside(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a node that are no code: messages, decorators, annotations, defaults."""
    if isinstance(node, ast.JoinedStr):
        yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.args
    yield from getattr(node, "decorator_list", ())
    for name in ("annotation", "returns"):
        if (note := getattr(node, name, None)) is not None:
            yield note


def probed(file: str, here: Iterable[Fault]) -> str:
    """A file with a probe before the statement of each fault."""
    tree = _tree(file)
    nodes = list(ast.walk(tree))
    holder = {
        id(line): (lines, line)
        for node in nodes
        for _, lines in ast.iter_fields(node)
        if isinstance(lines, list)
        for line in lines
        if isinstance(line, ast.stmt)
    }
    parent = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
    for fault in here:
        node = nodes[fault.at]
        while id(node) not in holder:
            node = parent[id(node)]
        lines, line = holder[id(node)]
        probe = f"__import__('mutants_plugin').reached({fault.number})"
        lines.insert(lines.index(line), ast.parse(probe).body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


def _tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    names = done.stdout.decode().split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


class Copy:
    """A copy of what git tracks, with the shared pictures beside it where they are here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        for name in _tracked("."):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        if (shared := ROOT.parent / "shared").is_dir():
            (folder / "shared").symlink_to(shared)

    def write(self, file: str, source: str) -> None:
        """Write a file with a time of its own: what Python keeps compiled is never an old one."""
        (self.folder / file).write_text(source, "utf-8")
        stamp = next(_stamps)
        os.utime(self.folder / file, (stamp, stamp))

    def mend(self, file: str) -> None:
        """Put back what the repository has."""
        self.write(file, (ROOT / file).read_text("utf-8"))

    def start(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start pytest in the copy."""
        path = f"{self.folder}:{self.folder / 'benchmarks'}"
        kept = {key: value for key, value in os.environ.items() if "BYTECODE" not in key}
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *OPTIONS, *options],
            cwd=self.folder,
            env=kept | {"PYTHONPATH": path} | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@dataclass
class Reach:
    """The tests, what each takes (s), and the faults that each reaches."""

    seconds: dict[str, float] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    tests: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def read(cls, folder: Path) -> Reach:
        """Read the notes of ``mutants_plugin`` in a folder."""
        made, using = cls(), defaultdict(set)
        for name, took, slow, prop, fixtures in _rows(folder / "tests"):
            made.seconds[name] = took
            (made.slow if slow else set()).add(name)
            (made.properties if prop else set()).add(name)
            for fixture in fixtures:
                using[fixture].add(name)
        made.failed = {name for (name,) in _rows(folder / "failed")}
        for fault, by in _rows(folder / "reached"):
            made.tests[fault] |= using.get(by, {by})
        return made

    def choice(self, fault: Fault, thorough: bool) -> list[str]:
        """The tests that reach a fault: files of cheap ones first, each file in its own order."""
        found = self.tests[fault.number] - self.failed
        if "" in found:  # while tests were loaded: whoever is of the room may notice
            found |= {name for name in self.seconds if name.startswith(f"tests/{fault.room}/")}
        found &= (self.slow | self.properties) if thorough else (found - self.slow)
        by_file = defaultdict(list)
        for name in self.seconds:
            if name in found:
                by_file[name.partition("::")[0]].append(name)
        cost = {
            file: sum(self.seconds[name] for name in names) / len(names)
            + (0 if file.startswith(f"tests/{fault.room}/") else 0.5)
            for file, names in by_file.items()
        }
        return [name for file in sorted(by_file, key=cost.__getitem__) for name in by_file[file]]


def _rows(file: Path) -> Iterator[list]:
    if file.exists():
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def reach(todo: list[Fault], folder: Path, tests: list[str]) -> Reach:
    """Run the tests once with the probes."""
    notes = folder / "notes"
    if not (notes / "done").exists():
        shutil.rmtree(notes, ignore_errors=True)
        notes.mkdir(parents=True)
        with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
            here = Copy(Path(scratch))
            for file in {fault.file for fault in todo}:
                here.write(file, probed(file, [one for one in todo if one.file == file]))
            run = here.start(*ALL, "-n", "3", *tests, **{mutants_plugin.RECORD: str(notes)})
            said = run.communicate()[0].decode(errors="replace")
            (notes / "said").write_text(said, "utf-8")
            if run.returncode not in (0, 1):
                sys.exit(f"{said[-2000:]}\nthe tests do not run: exit status {run.returncode}")
            (notes / "done").touch()
    return Reach.read(notes)


def survives(fault: Fault, here: Copy, known: Reach, thorough: bool) -> bool:
    """True if no test that reaches a fault notices it; a run that never ends has noticed it."""
    choice = known.choice(fault, thorough)
    if not choice:
        return True
    names = here.folder.parent / "choice"
    names.write_text(json.dumps(choice), "utf-8")
    files = sorted({name.partition("::")[0] for name in choice})
    more = THOROUGH if thorough else ()
    run = here.start(
        *(*ALL, *more, "-x", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed", "0"),
        *files,
        **{mutants_plugin.CHOICE: str(names), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    try:
        run.communicate(timeout=120 + 5 * sum(known.seconds[name] for name in choice))
    except subprocess.TimeoutExpired:
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    return run.returncode == 0


def judge(todo: list[Fault], known: Reach, folder: Path, workers: int) -> dict[int, str]:
    """Each fault's number, and who noticed it: ``quick``, ``complete`` or ``nobody``."""
    file = folder / "judged"
    judged = dict(_rows(file))
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        copies: Queue[Copy] = Queue()
        for number in range(workers):
            copies.put(Copy(Path(scratch) / str(number)))

        def one(fault: Fault) -> tuple[Fault, str]:
            here = copies.get()
            here.write(fault.file, fault.source())
            by = "quick"
            if survives(fault, here, known, thorough=False):
                by = "nobody" if survives(fault, here, known, thorough=True) else "complete"
            here.mend(fault.file)
            copies.put(here)
            return fault, by

        with ThreadPoolExecutor(workers) as pool:
            left = [fault for fault in todo if fault.number not in judged]
            for fault, by in (
                done.result() for done in as_completed(pool.submit(one, f) for f in left)
            ):
                judged[fault.number] = by
                with file.open("a", encoding="utf-8") as out:
                    out.write(f"{json.dumps([fault.number, by])}\n")
                if by != "quick":
                    reached = len(known.tests[fault.number])
                    print(f"{fault}   noticed by {by}, reached by {reached} tests", flush=True)
    return judged


def main() -> None:
    """Make faults, run the tests on them, print those that live, and a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; or all")
    parser.add_argument("--faults", type=int, default=20, help="in each room (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--tests", nargs="*", default=[], help="these files and folders alone")
    parser.add_argument("--keep", type=Path, help="a folder for what was found")
    args = parser.parse_args()
    rooms = args.rooms or ROOMS
    if unknown := set(rooms).difference(ROOMS):
        parser.error(f"no room: {', '.join(sorted(unknown))}; there are {', '.join(ROOMS)}")
    todo: list[Fault] = []
    for room in rooms:
        todo += faults(room, args.faults, args.seed, len(todo))
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        folder = args.keep or Path(scratch)
        known = reach(todo, folder, args.tests)
        for name in sorted(known.failed):
            print(f"left out, since it fails without a fault: {name}")
        judged = judge(todo, known, folder, args.workers)
    print(f"\n{'room':12} faults  quick  complete  reached by no test")
    for room in rooms:
        here = [fault for fault in todo if fault.room == room]
        quick = sum(judged[fault.number] == "quick" for fault in here)
        more = sum(judged[fault.number] == "complete" for fault in here)
        alone = sum(not known.tests[fault.number] for fault in here)
        print(f"{room:12} {len(here):6} {quick:6} {quick + more:9} {alone:19}")


if __name__ == "__main__":
    main()
