"""How well racks are read: drawn racks, and racks put together from single tiles of broadcasts.

    python benchmarks/racks.py [--drawn 100] [--seed 1] [--tiles FOLDER] [--recogniser]

The drawn ones stand at any slant and distance, with gaps; a third has a finger before them. The
folder has pictures of single tiles, named by their letter: seven of one size stand side by side.
Prints the share of letters and of whole racks that are right, and each rack that is not. With
``--recogniser``, the text recogniser of rapidocr (``pip install rapidocr``) reads the rows found.
"""

from __future__ import annotations

import argparse
import difflib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from game.tileset import load_tile_set
from models.scenes.racks import RackRenderer, RackSpec, rack_places
from simulation.appearance import look
from table.calibrated_reader import rack_reader
from vision.racks.reader import RackReading, straightened

_WOOD = (110, 160, 190)


def drawn(count: int, seed: int) -> Iterator[tuple[str, np.ndarray, str]]:
    """Yield the name, the picture and the tiles of drawn racks."""
    tiles = load_tile_set("english")
    bag = [tile for tile, number in tiles.counts.items() for _ in range(number)]
    for number in range(seed, seed + count):
        scene, rng = look(number, tiles), np.random.default_rng(number)
        spec = RackSpec(
            number,
            scene.tiles,
            unit=rng.uniform(36, 64),
            slant=rng.uniform(-14, 14),
            keystone=rng.uniform(-0.2, 0.2),
            ends=rng.uniform(0, 0.8),
            light=scene.light,
            sensor=scene.sensor,
        )
        chosen = "".join(rng.choice(bag, rng.integers(2, 9), replace=False))
        places = rack_places(chosen, scene.tiles, rng, 0.2 if len(chosen) < 8 else 0.0)
        # A finger that holds a tile's edge, not its letter.
        touch = [(places[0] - 0.72, (120.0, 160.0, 210.0))] if number % 3 == 0 else []
        yield (
            f"drawn {number}",
            RackRenderer(spec).picture(chosen, places, rng, touch).image,
            chosen,
        )


def put_together(folder: Path, seed: int) -> Iterator[tuple[str, np.ndarray, str]]:
    """Yield the same of racks of seven single tiles."""
    rng = np.random.default_rng(seed)
    sizes = defaultdict(list)
    for path in sorted(folder.glob("[A-Z]_*.png")):
        image = cv2.imread(str(path))
        sizes[path.name.split("_")[1], len(image)].append((path.name[0], image[:-3]))
    for (source, height), tiles in sizes.items():
        order = rng.permutation(len(tiles))
        for start in range(0, len(order) - 6, 7):
            seven = [tiles[at] for at in order[start : start + 7]]
            row = np.hstack([image for _, image in seven])
            picture = cv2.copyMakeBorder(row, 20, 20, 40, 40, cv2.BORDER_CONSTANT, value=_WOOD)
            name = f"{source}, {height} pixels, from {start}"
            yield name, picture, "".join(letter for letter, _ in seven)


def by_recogniser(find: Callable[[np.ndarray], RackReading]) -> Callable[[np.ndarray], str]:
    """Return the text recogniser's reading of the rows that ``find`` finds."""
    from rapidocr import RapidOCR  # noqa: PLC0415 - an experiment: it is no part of tilewatch

    engine = RapidOCR()

    def read(image: np.ndarray) -> str:
        row = find(image).row
        if row is None:
            return ""
        strip = straightened(image, row, row.left, row.right, 0.0)[0]
        texts = engine(strip[8:-8].copy(), use_det=False, use_cls=False, use_rec=True).txts or ()
        return "".join(one for one in "".join(texts).upper() if "A" <= one <= "Z")

    return read


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drawn", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiles", type=Path)
    parser.add_argument("--recogniser", action="store_true")
    args = parser.parse_args()
    reader = rack_reader("english")
    other = by_recogniser(reader.read) if args.recogniser else None
    sets = {"drawn": drawn(args.drawn, args.seed)}
    if args.tiles is not None:
        sets["put together"] = put_together(args.tiles, args.seed)
    for what, pictures in sets.items():
        racks = letters = right = whole = 0
        for name, image, truth in pictures:
            read = reader.read(image).tiles if other is None else other(image)
            matcher = difflib.SequenceMatcher(None, truth, read, autojunk=False)
            right += sum(block.size for block in matcher.get_matching_blocks())
            racks, letters, whole = racks + 1, letters + len(truth), whole + (read == truth)
            if read != truth:
                print(f"  {name}: {truth} read as {read}")
        print(f"{what}: {right} of {letters} tiles, {whole} of {racks} racks")


if __name__ == "__main__":
    main()
