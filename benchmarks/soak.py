"""Games with all their mischief through the real pipeline, against what really happened.

    python benchmarks/soak.py [--gcg ../shared/gcg] [--games 40] [--jobs 2] [--seed 0]

Every game is played at a simulated table by two players who knock tiles, lay them turned, change
them after the press, forget the clock, challenge, turn the board; under lamps that flicker, before
a camera that fails. It is recorded by what records a real table, as fast as that goes, and each
turn's tiles, score and flags are compared with the truth, and so are scores and clocks in the end.
Without ``--gcg`` the games are our own. Exit status 1 when anything was recorded wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from game.board import Square
from game.flags import POSES
from game.gcg import parse
from game.state.fold import GameState, fold
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from sensors.interfaces import Frame
from simulation import (
    ALL_ON,
    BRISK,
    NONE,
    Mischief,
    Pace,
    Script,
    SimulatedTable,
    generate,
    plan,
    script_of,
)
from simulation.source import Listener, stream
from simulation.truth import ASIDE, Difference, askew_is_moot, differences
from table.calibrated_reader import board_reader
from table.recorder import Recorder, RecorderStores


@dataclass
class Result:
    """The results of one game, or of several."""

    games: int = 0
    frames: int = 0
    turns: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    due: Counter[str] = field(default_factory=Counter)
    """The flags that were due."""
    aside: Counter[str] = field(default_factory=Counter)
    """Tiles that lay aside in their squares, and which of them were flagged."""
    differences: list[tuple[str, Difference]] = field(default_factory=list)
    seconds: float = 0.0
    covered_s: float = 0.0
    """The time that the games lasted at the table."""

    def add(self, other: Result) -> None:
        self.games += other.games
        self.frames += other.frames
        self.turns += other.turns
        self.faults += other.faults
        self.due += other.due
        self.aside += other.aside
        self.differences += other.differences
        self.seconds += other.seconds
        self.covered_s += other.covered_s

    def count(self, kind: str) -> int:
        return sum(difference.kind == kind for _, difference in self.differences)


def soak(
    name: str,
    script: Script,
    seed: int,
    mischief: Mischief = ALL_ON,
    pace: Pace = BRISK,
    keep: Path | None = None,
) -> Result:
    """Play and record one game."""
    cv2.setNumThreads(1)
    begun = time.perf_counter()
    planned = plan(script, seed, mischief)
    rng = random.Random(f"tilewatch table {seed}")
    table = SimulatedTable(script, seed, actions=planned.actions(rng, pace))
    result = Result(games=1)
    with tempfile.TemporaryDirectory("-soak") as scratch:
        folder = keep or Path(scratch)
        with EventLog(folder / DATABASE) as log:
            evidence = EvidenceStore(folder / EVIDENCE)
            start = planned.start(f"soak-{seed}", 0)
            recorder = Recorder(start, board_reader(script.tile_set), RecorderStores(log, evidence))
            listener = Listener(recorder)
            for item in stream(table):
                listener.hand(item)
                result.frames += isinstance(item, Frame)
                result.covered_s = max(result.covered_s, item.t_ns / 1e9)
            listener.finish()
            state = recorder.state
    truth = fold([planned.start("truth", 0), *table.truth])
    found = differences(truth, state, askew_is_moot(table.aside))
    found += [Difference("wrong", None, f"never understood: {e}") for e in listener.pending]
    result.turns = len(truth.turns)
    result.faults.update(fault.kind for fault in table.faults)
    result.due.update(flag.code for turn in truth.turns for flag in turn.flags)
    result.aside = aside(table, state)
    result.differences = [(name, difference) for difference in found]
    result.seconds = time.perf_counter() - begun
    return result


def aside(table: SimulatedTable, state: GameState) -> Counter[str]:
    """Count the tiles by their distance from their squares, and those of them called askew."""
    flagged = {
        Square.parse(name)
        for turn in state.turns
        for flag in turn.flags
        if flag.code in POSES
        for name in flag.squares
    }
    found: Counter[str] = Counter()
    for row, col in np.argwhere(table.aside >= ASIDE):
        how = "0.25 to 0.3" if table.aside[row, col] >= 0.25 else f"{ASIDE} to 0.25"
        found[how] += 1
        found[f"{how}, flagged"] += Square(int(row), int(col)) in flagged
    return found


def games(folder: Path | None, count: int, seed: int) -> Iterator[tuple[str, Script, int]]:
    """The games to play, each with its name and seed."""
    if folder is None:
        for number in range(count):
            yield f"our game {seed + number}", generate(seed + number), seed + number
        return
    for number, path in enumerate(sorted(folder.glob("*.gcg"))[:count]):
        yield path.stem, script_of(parse(path.read_bytes(), path.name)), seed + number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gcg", type=Path, help="a folder of game records to play")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="leave out so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pace", choices=("brisk", "real"), default="brisk")
    parser.add_argument("--no-mischief", action="store_true")
    parser.add_argument("--keep", type=Path, help="keep each game's log and evidence here")
    args = parser.parse_args()
    pace = BRISK if args.pace == "brisk" else Pace()
    mischief = NONE if args.no_mischief else ALL_ON
    total = Result()
    with ProcessPoolExecutor(args.jobs) as pool:
        chosen = list(games(args.gcg, args.first + args.games, args.seed))[args.first :]
        running = [
            pool.submit(
                soak, name, script, seed, mischief, pace, args.keep and args.keep / f"{seed}"
            )
            for name, script, seed in chosen
        ]
        for (name, _, seed), future in zip(chosen, running, strict=True):
            result = future.result()
            total.add(result)
            print(
                f"{name} (seed {seed}): {result.frames} frames, {result.turns} turns, "
                f"{result.faults.total()} faults, {len(result.differences)} differences, "
                f"{result.seconds:.0f} s",
                flush=True,
            )
            for _, difference in result.differences:
                print(f"    {difference.kind}: {difference}", flush=True)
    print(
        f"{total.games} games, {total.covered_s / 60:.0f} minutes at the table: "
        f"{total.frames} frames, {total.turns} turns, {total.faults.total()} faults injected "
        f"({', '.join(f'{kind} {n}' for kind, n in sorted(total.faults.items()))})"
    )
    print(f"flags due: {', '.join(f'{code} {n}' for code, n in sorted(total.due.items()))}")
    print(
        f"{total.due.total() - total.count('missed')} of {total.due.total()} due flags raised, "
        f"{total.count('invented')} invented, {total.count('wrong')} otherwise wrong"
    )
    for how in (f"{ASIDE} to 0.25", "0.25 to 0.3"):
        flagged = total.aside[f"{how}, flagged"]
        print(
            f"tiles that lay {how} of a square aside: {total.aside[how]}, called askew: {flagged}"
        )
    return 1 if total.differences else 0


if __name__ == "__main__":
    sys.exit(main())
