"""Press to score, and watching, in two checkouts beside each other.

    python benchmarks/press_cost.py OTHER [--turns 24] [--runs 3]

OTHER is another checkout of this repository (``git worktree add OTHER COMMIT``). By turns a process
runs each checkout's code on the same simulated game, 1280×960 at 12 frames a second of the game's
own time, as fast as it goes and with log and pictures on this disk:

* *press*: from a press on a board at rest to the turn at whoever listens, once it is on the disk;
* *frame*: a frame through the table's session, in the median (nothing moves) and on average.

Both in processor time, the press also by the clock on the wall. Exit status 1 when a press takes
more than two thirds of what it takes there, or a frame in the median more than it takes there.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MOST_PRESS = 2 / 3
MOST_FRAME = 1.0

Times = dict[str, list[float]]
"""Milliseconds: ``press`` and ``frame`` in processor time, ``wall`` of the presses."""


def measured(checkout: Path, turns: int) -> Times:
    """Play a game with a checkout's code, in this process."""
    sys.path[:0] = [str(checkout), str(checkout / "benchmarks")]
    live: Any = importlib.import_module("live_table")
    if not Path(importlib.import_module("table").__file__ or "").is_relative_to(checkout):
        raise SystemExit(f"{checkout}: another tilewatch was imported")
    live.cv2.setNumThreads(1)
    times: Times = {"press": [], "wall": [], "frame": []}
    scored: list[tuple[int, int]] = []

    def listen(_state: object, event: object) -> None:
        if type(event).__name__ == "TurnSeen":
            scored.append((time.process_time_ns(), time.monotonic_ns()))

    now_ns, seq = 1_000_000_000, 0
    with tempfile.TemporaryDirectory() as scratch, live.EventLog(Path(scratch, "log.db")) as log:
        folder = Path(scratch)
        stores = live.RecorderStores(
            log, live.EvidenceStore(folder / "evidence"), live.CrashSnapshot(folder / "spool")
        )
        setup = live.GameSetup("english", "wespa-2007")
        coming = live.ComingGames("bench", setup, lambda: now_ns)
        reader = live.board_reader("english")
        session = live.TableSession(reader, stores, coming, lambda: now_ns, listener=listen)
        played = live.turns(live.generate(0), live.Drawn(0))
        for _, (button, moving, still) in zip(range(turns + 1), played, strict=False):
            for picture in [*moving, *(still[at % len(still)] for at in range(live.FPS))]:
                now_ns, seq = now_ns + live.PERIOD_NS, seq + 1
                begun = time.process_time_ns()
                session.frame(live.Frame(picture, now_ns, seq))
                times["frame"].append((time.process_time_ns() - begun) / 1e6)
            now_ns += 30_000_000
            scored.clear()
            begun, at = time.process_time_ns(), time.monotonic_ns()
            session.press(live.Press(button, now_ns))
            for busy, clock in scored:
                times["press"].append((busy - begun) / 1e6)
                times["wall"].append((clock - at) / 1e6)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="another checkout of this repository")
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(measured(args.other.resolve(), args.turns)))
        return 0
    here = Path(__file__).resolve().parents[1]
    found: dict[Path, Times] = {args.other: {}, here: {}}
    for _ in range(args.runs):
        for checkout, times in found.items():
            command = [sys.executable, __file__, str(checkout), f"--turns={args.turns}", "--worker"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            for name, new in json.loads(done.stdout.splitlines()[-1]).items():
                times.setdefault(name, []).extend(new)
    there, ours = found[args.other], found[here]
    ratios = {}
    for name, middle, label in (
        ("press", statistics.median, "press to score, processor, median"),
        ("wall", statistics.median, "press to score, on the wall, median"),
        ("frame", statistics.median, "frame, processor, median"),
        ("frame", statistics.mean, "frame, processor, mean"),
    ):
        other, own = middle(there[name]), middle(ours[name])
        ratios.setdefault(name, own / other)
        print(f"{label}: {own:.2f} ms, there {other:.2f} ms: {own / other:.2f}")
    print(f"{len(ours['press'])} presses and {len(ours['frame'])} frames, there as many")
    return int(ratios["press"] > MOST_PRESS or ratios["frame"] > MOST_FRAME)


if __name__ == "__main__":
    sys.exit(main())
