"""The time to read a located board on one thread: as if never seen before, and after a move.

    python benchmarks/read_board.py [--runs 200] [--image PHOTO --corners x,y,x,y,x,y,x,y]
                                    [--pictures FILE.npz]

With ``--pictures`` what is drawn is kept in a file, or taken from there if it exists: two versions
that are compared (``PYTHONPATH``) may draw differently.

Without a photograph, a drawn board of 1280×960 pixels is read. Locating is not in it: see
benchmarks/locate.py. Decoding the picture isn't either. The picture and the same one upside down
take turns, so that nothing of the last reading holds. After a move: a drawn board without and with
seven tiles takes turns with itself, in another noise each time, and what did not change is not read
again. Other programs change the processor time less than the time. The memory is all that the
process ever took, with the locator loaded and run once.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from common import machine, spread

from models.scenes.render import render
from table.calibrated_reader import board_reader
from tools.scenes import random_rows, random_spec
from vision.images import load_image
from vision.reader import BoardReader
from vision.rectify import Corners, Image

_MOVE = ((5, 9), (6, 9), (8, 9), (9, 9), (10, 9), (11, 9), (12, 9))


def drawn() -> tuple[Image, Corners]:
    """A drawn table with a game on it, and its corners."""
    rng = np.random.default_rng(20)
    scene = render(random_spec(rng), random_rows(rng), rng)
    return scene.image, scene.corners


def before_and_after() -> tuple[list[Image], Corners]:
    """The same table before and after a move of seven tiles, and its corners."""
    rng = np.random.default_rng(20)
    spec, rows = random_spec(rng), random_rows(rng)
    cleared = [list(row) for row in rows]
    for row, col in _MOVE:
        cleared[row][col] = "."
    played = [row.copy() for row in cleared]
    for (row, col), letter in zip(_MOVE, "RETINAS", strict=True):
        played[row][col] = letter
    seen = [
        render(spec, tuple(map("".join, grid)), np.random.default_rng(21))
        for grid in (cleared, played)
    ]
    return [scene.image for scene in seen], seen[0].corners


def all_drawn(file: Path | None) -> dict[str, Any]:
    """All that is drawn, by name: from the file if it exists, else kept there if one is named."""
    if file is not None and file.exists():
        with np.load(file) as kept:
            return dict(kept)
    image, corners = drawn()
    (before, after), place = before_and_after()
    found = {"image": image, "corners": corners}
    found |= {"before": before, "after": after, "place": place}
    if file is not None:
        np.savez(file, **found)
    return found


def noisy(image: Image, seed: int) -> Image:
    """The picture with a sensor's noise of two grey levels."""
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


def times(
    reader: BoardReader, pictures: list[Image], places: list[Corners], runs: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each reading, and of processor time; the pictures take turns."""
    for image, corners in zip(pictures, places, strict=True):
        reader.read(image, corners)
    took, worked = [], []
    for run in range(runs):
        which = run % len(pictures)
        image = noisy(pictures[which], run)
        start, busy = time.perf_counter(), time.process_time()
        reader.read(image, places[which])
        worked.append((time.process_time() - busy) * 1e3)
        took.append((time.perf_counter() - start) * 1e3)
    return took, worked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--image", type=Path)
    parser.add_argument("--corners")
    parser.add_argument("--pictures", type=Path)
    args = parser.parse_args()
    if args.image and not args.corners:
        parser.error("--image goes with --corners")
    kept = all_drawn(args.pictures)
    if args.image:
        image = load_image(args.image)
        corners = np.array(args.corners.split(","), np.float32).reshape(4, 2)
    else:
        image, corners = kept["image"], kept["corners"]
    cv2.setNumThreads(1)
    reader = board_reader("english", threads=1)
    height, width = image.shape[:2]
    upside_down = np.ascontiguousarray(np.rot90(image, 2))
    there = np.array([width - 1, height - 1], np.float32) - corners
    unseen = times(reader, [image, upside_down], [corners, there], args.runs)
    pictures, place = [kept["before"], kept["after"]], kept["place"]
    moved = times(reader, pictures, [place, place], args.runs)
    reader.read(image)
    for what, (took, worked) in (
        (f"a board as never seen, {width}×{height}", unseen),
        ("a move", moved),
    ):
        print(
            f"{what}: {args.runs} runs on one thread of {machine()}: {spread(took)}"
            f" (processor time: {spread(worked)})"
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{memory:.0f} MB at the most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
