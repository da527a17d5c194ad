"""A live table killed with SIGKILL at random moments, against one that was left alone.

    python benchmarks/kill_resume.py [--kills 500] [--seed 0] [--mischief] [--away 0]

``tilewatch run`` plays simulated games as fast as it goes and is killed again and again until each
game is over. Then its log, scores and clocks are compared with those of a run that nobody killed.
A turn during which the table was killed may be asked about, as its first pictures are not seen
again by the next process: at most one such turn for each kill.
``--away`` is for how many seconds of the table's time nobody looks after each kill: frames are lost
then, and presses are kept by the clock. Prints how long the table took to be back, too. Exit status
1 when anything differs, or a start took longer than three seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from game.events import SIDES, from_payload
from game.state.fold import GameState, fold
from record.log.event_log import EventLog
from record.paths import DATABASE

BACK_S = 3.0
CLOCK_NS = 100_000_000
ASKED = ("turn_inferred", "")
"""The finding of a turn that the table asks about as a whole."""


@dataclass
class Outcome:
    """The results of the games so far."""

    games: int = 0
    kills: int = 0
    back_s: list[float] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def config(folder: Path, seed: int, mischief: bool, away_s: float, gcg: Path | None) -> Path:
    path = folder / "table.toml"
    lines = [
        "[simulated]",
        f"seed = {seed}",
        f"mischief = {'true' if mischief else 'false'}",
        'pace = "brisk"',
        "speed = 0",
        "games = 1",
        f"away_s = {float(away_s)}",
        *([f"gcg = {json.dumps(str(gcg))}"] if gcg else []),
        "[serve]",
        "on = false",
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def start(path: Path, data: Path) -> tuple[subprocess.Popen[str], float]:
    """The table, at work, and how long it took to be."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "table.cli", "run", "--config", str(path), "--data", str(data)]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert process.stderr is not None
    output = ""
    for line in process.stderr:
        if line.startswith("Table 1:"):
            break
        output += line  # what the log has about a process that was killed
    else:
        process.communicate()
        raise SystemExit(f"the table did not start: {output}")
    return process, time.monotonic() - begun


def uninterrupted(path: Path, data: Path) -> float:
    process, _ = start(path, data)
    begun = time.monotonic()
    process.communicate()
    if process.returncode:
        raise SystemExit(f"the table stopped with status {process.returncode}")
    return time.monotonic() - begun


def killed(
    path: Path, data: Path, rng: random.Random, most: int, lasts_s: float, outcome: Outcome
) -> None:
    """Play the game to its end, killing the table at most so many times."""
    kills = 0
    while True:
        process, back_s = start(path, data)
        outcome.back_s.append(back_s)
        if kills < most:
            # Short lives and long ones, so that the kills fall all over the game.
            delay_s = rng.uniform(0.0, 2.0 * lasts_s / (most + 1))
            try:
                process.wait(delay_s)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
                kills += 1
                outcome.kills += 1
                continue
        process.communicate()
        if process.returncode:
            raise SystemExit(f"the table stopped with status {process.returncode}")
        return


def read_log(data: Path) -> tuple[list[tuple[Any, ...]], GameState]:
    """Return the log, without what depends on which frames were looked at, and the game."""
    with EventLog(data / DATABASE, readonly=True) as log:
        fault = log.verify()
        if fault is not None:
            raise SystemExit(f"{data}: the log's chain is broken: {fault}")
        events = [from_payload(event.payload) for event in log.events()]
    zero = events[0].t_ns  # type: ignore[union-attr]
    facts: list[tuple[Any, ...]] = []
    for event in events:
        name = type(event).__name__
        t_ns = getattr(event, "press_ns", getattr(event, "t_ns", 0)) - zero
        if name in ("PicturesKept", "TableDescribed", "TroubleNoted"):
            continue
        if name == "ButtonPressed":
            facts.append((name, event.button, t_ns))  # type: ignore[union-attr]
        elif name == "TurnSeen":
            codes = sorted((f.code, f.square or "") for f in event.findings)  # type: ignore[union-attr]
            plain = tuple(code for code in codes if code != ASKED)
            facts.append((name, event.side, t_ns, event.rows, plain))  # type: ignore[union-attr]
        elif name == "TilesChanged":
            facts.append((name, event.turn, event.rows))  # type: ignore[union-attr]
        elif name == "SquareCorrected":
            facts.append((name, event.turn, event.square, event.symbol))  # type: ignore[union-attr]
        elif name == "GameStarted":
            facts.append((name, event.rulebook, event.tile_set))  # type: ignore[union-attr]
        else:
            facts.append((name, t_ns, repr(event).partition("t_ns")[0]))
    return facts, fold(events)


def asked(state: GameState) -> int:
    """The number of turns that the table asks about as a whole."""
    return sum(any((f.code, "") == ASKED for f in turn.seen.findings) for turn in state.turns)


def compare(name: str, whole: Path, broken: Path, kills: int, *, exact: bool) -> list[str]:
    """Every difference between two runs of one game, the second of which was killed so often."""
    (facts, due), (others, got) = read_log(whole), read_log(broken)
    found = []
    if exact and asked(got) > asked(due) + kills:
        found.append(f"{asked(got)} turns are asked about, {asked(due)} without the {kills} kills")
    if exact:
        for place, (one, two) in enumerate(zip(facts, others, strict=False), start=1):
            if one != two:
                found.append(f"event {place}: {one} became {two}")
                break
        if len(facts) != len(others):
            found.append(f"{len(facts)} events became {len(others)}")
    plays = [(t.side, t.kind, dict(t.tiles), t.score) for t in due.turns]
    if plays != [(t.side, t.kind, dict(t.tiles), t.score) for t in got.turns]:
        found.append("turns differ")
    for side in SIDES:
        if due.scores[side] != got.scores[side]:
            found.append(f"{side}'s score {due.scores[side]} became {got.scores[side]}")
        apart = abs(due.clocks.remaining_ns[side] - got.clocks.remaining_ns[side])
        if apart > CLOCK_NS:
            found.append(f"{side}'s clock differs by {apart / 1e9:.2f} s")
    return [f"{name}: {text}" for text in found]


def run(
    kills: int, seed: int, per_game: int, *, mischief: bool, away_s: float, gcg: Path | None = None
) -> Outcome:
    """Kill tables until there were so many kills."""
    outcome = Outcome()
    rng = random.Random(seed)
    while outcome.kills < kills:
        number = seed + outcome.games
        with tempfile.TemporaryDirectory("-kill") as scratch:
            folder = Path(scratch)
            path = config(folder, number, mischief, away_s, gcg)
            lasts_s = uninterrupted(path, folder / "whole")
            before = outcome.kills
            most = min(per_game, kills - before)
            killed(path, folder / "broken", rng, most, lasts_s, outcome)
            ends = folder / "whole", folder / "broken", outcome.kills - before
            found = compare(f"game {number}", *ends, exact=away_s == 0)
        outcome.games += 1
        outcome.differences += found
        print(f"game {number}: {outcome.kills} kills so far, {len(found)} differences", flush=True)
        for line in found:
            print(f"    {line}", flush=True)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--per-game", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--away", type=float, default=0.0)
    parser.add_argument("--mischief", action="store_true")
    parser.add_argument("--gcg", type=Path, help="play this game record")
    args = parser.parse_args()
    outcome = run(
        args.kills,
        args.seed,
        args.per_game,
        mischief=args.mischief,
        away_s=args.away,
        gcg=args.gcg,
    )
    slowest = max(outcome.back_s)
    middle = sorted(outcome.back_s)[len(outcome.back_s) // 2]
    print(
        f"{outcome.kills} kills in {outcome.games} games: {len(outcome.differences)} differences; "
        f"at work after {middle:.2f} s (median), {slowest:.2f} s (slowest)"
    )
    return 1 if outcome.differences or slowest > BACK_S else 0


if __name__ == "__main__":
    sys.exit(main())
