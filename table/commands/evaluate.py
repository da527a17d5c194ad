"""``tilewatch evaluate``: measure the weights on labelled photographs and on recordings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from table.commands.terminal import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "evaluate"
HELP = "measure the weights on labelled photographs and recordings"
DESCRIPTION = (
    "Reads labelled photographs (each with a .json of corners and rows beside it), replays "
    "recordings (each with an expected.csv), and says how much of them is right."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "folders",
        metavar="DIR",
        type=Path,
        nargs="+",
        help="photographs, a recording, or a folder of recordings",
    )
    parser.add_argument("--corners-given", action="store_true", help="don't look for the board")
    parser.add_argument("--stress", action="store_true", help="repeat it under worse conditions")
    parser.add_argument(
        "--turned",
        type=int,
        nargs="?",
        const=4,
        metavar="N",
        help="turn every Nth letter of each photograph in place, one at a time (default: 4)",
    )
    parser.add_argument("--overlay", type=Path, metavar="DIR", help="draw what was read")
    parser.add_argument(
        "--tile-set", metavar="ID", help="read the photographs with this set's letters only"
    )
    parser.add_argument("--weights", type=Path, metavar="FILE", help="another tiles.onnx")


def run(args: argparse.Namespace) -> int:
    """Evaluate."""
    from models.evaluate import photographs, reader_of, single_turned_tiles
    from models.measure import labelled
    from table.rehearsal import is_recording

    recordings, pictures = [], []
    for folder in args.folders:
        within = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
        found = [one for one in within if is_recording(one)]
        recordings += found
        if not found or any(folder.glob("*.json")):
            pictures += labelled(folder)
    if pictures:
        reader = reader_of(args.weights, args.tile_set)
        photographs(
            reader,
            pictures,
            corners_given=args.corners_given,
            stress=args.stress,
            overlays=args.overlay,
        )
        if args.turned:
            single_turned_tiles(reader, pictures, args.turned)
    if recordings:
        _replay(recordings, args)
    return 0


def _replay(recordings: Sequence[Path], args: argparse.Namespace) -> None:
    from models.evaluate import reader_of
    from models.stress import DAMAGES
    from sensors.recording import Recording
    from table.rehearsal import HEADER, ReplayScore, line, run_rehearsal

    readers = {
        folder: reader_of(args.weights, Recording.open(folder).meta.tile_set)
        for folder in recordings
    }
    answer(HEADER)
    total = ReplayScore()
    for folder, reader in readers.items():
        outcome = run_rehearsal(folder, reader)
        total += outcome
        answer(line(folder.name, outcome))
    answer(line("all recordings", total))
    for name, damage in DAMAGES.items() if args.stress else ():
        outcomes = [run_rehearsal(folder, reader, damage) for folder, reader in readers.items()]
        answer(line(name, sum(outcomes, ReplayScore())))
