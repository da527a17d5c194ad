"""The turns that come out right in videos made of recordings of stills.

    python benchmarks/live_video.py RECORDINGS TOOL [--work DIR] [--only NAME] [--variant OPTIONS]…

RECORDINGS holds recordings of stills with an ``expected.csv`` each; TOOL is a program that makes a
video of one, called as ``TOOL tilewatch RECORDING OUT OPTIONS``, with pretended hands. Variants are
the options given to it: without any the clock is pressed at leisure; ``--fast`` presses the moment
the hand has left; ``--rest`` lets the hand lie still on the board; ``--drop`` loses frames;
``--spin`` turns the board after each press. Without ``--variant`` all of these are run.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from common import replayed

from tests.table.sharedkit import due, expected, live_video, read

VARIANTS = ("", "--fast", "--fast --fps 10", "--fast --seed 2", "--rest", "--drop", "--spin")


def right(video: Path) -> tuple[int, int, list[str]]:
    """Return the number of right turns, the number of turns, and a line for each wrong one."""
    rows, turns = expected(video), replayed(video, video.with_name(f"{video.name}-out"))["turns"]
    wrong = [
        row["turn"]
        for at, row in enumerate(rows)
        if at >= len(turns) or read(turns[at], row) != due(row)
    ]
    return len(rows) - len(wrong), len(rows), wrong


def main() -> None:
    """Print a line for each recording and variant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", type=Path)
    parser.add_argument("tool", type=Path)
    parser.add_argument("--work", type=Path, help="where the videos go, and stay")
    parser.add_argument("--only", help="the name of one recording")
    parser.add_argument("--variant", action="append", help="options of the tool, in one word")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or Path(scratch)
        for variant in args.variant or VARIANTS:
            good = every = 0
            for folder in sorted(path.parent for path in args.recordings.glob("*/expected.csv")):
                if args.only not in (None, folder.name):
                    continue
                out = work / f"{folder.name}{variant.replace(' ', '')}"
                found, count, wrong = right(live_video(args.tool, folder, out, *variant.split()))
                good, every = good + found, every + count
                print(f"{variant or 'plain'}: {folder.name}: {found} of {count}", *wrong)
            print(f"{variant or 'plain'}: {good} of {every}", flush=True)


if __name__ == "__main__":
    main()
