"""``python -m tools.evaluate FOLDER...``: how much of photographs and recordings is read right."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from sensors.recording import Recording
from tools.evaluate.photographs import labelled, photographs, reader_of, single_turned_tiles
from tools.evaluate.recordings import is_recording, print_replays

_WHAT: Final = (
    "Reads labelled photographs (each with a .json of corners and rows beside it), replays "
    "recordings (each with an expected.csv), and says how much of them is right."
)


def main(arguments: list[str] | None = None) -> int:
    """Measure the weights; return the exit status, 2 if something cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m tools.evaluate", description=_WHAT)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--corners-given", action="store_true", help="don't look for the board")
    parser.add_argument("--stress", action="store_true", help="repeat it under worse conditions")
    parser.add_argument(
        "--turned", type=int, nargs="?", const=4, metavar="N",
        help="turn every Nth letter of each photograph in place, one at a time",
    )  # fmt: skip
    parser.add_argument("--tile-set", metavar="ID", help="read with this set's letters only")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="another tiles.onnx")
    args = parser.parse_args(arguments)
    try:
        _evaluate(args)
    except TilewatchError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _evaluate(args: argparse.Namespace) -> None:
    recordings, pictures = [], []
    for folder in args.folders:
        within = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
        found = [one for one in within if is_recording(one)]
        recordings += found
        if not found or any(folder.glob("*.json")):
            pictures += labelled(folder)
    if pictures:
        reader = reader_of(args.weights, args.tile_set)
        photographs(reader, pictures, corners_given=args.corners_given, stress=args.stress)
        if args.turned:
            single_turned_tiles(reader, pictures, args.turned)
    if recordings:
        sets = {folder: Recording.open(folder).meta.tile_set for folder in recordings}
        readers = {folder: reader_of(args.weights, one) for folder, one in sets.items()}
        print_replays(readers, stress=args.stress)


if __name__ == "__main__":
    sys.exit(main())
