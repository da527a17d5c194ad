"""How well racks are read: drawn racks, and single tiles of broadcasts, alone and put together.

    python benchmarks/racks.py [--drawn 100] [--seed 1] [--slant 14] [--tiles FOLDER]

The drawn ones stand at any distance and slant up to the one given, with gaps; a third has a finger
before them. The folder has pictures of single tiles, named by their letter: each is read where it
is, its place given, and racks of seven of one camera are found and read. Prints the share of
letters and of whole racks that are right, and each rack that is not.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from game.tileset import load_tile_set
from models.scenes.racks import RackRenderer, RackSpec, rack_places
from simulation.appearance import look
from table.calibrated_reader import rack_reader
from vision.racks.row import Row

Picture = tuple[str, np.ndarray, str, Row | None]
"""A name, a picture, its tiles and their place, if that is given."""

_WOOD = (110, 160, 190)
_WIDTH = 1.6
"""The width of the broadcasts' tiles in heights of a letter."""
_AROUND = 0.36
"""The windows left and right of a place that is given, in tiles: too few for two tiles."""
_OTHERS = frozenset(
    {
        "I_july4_rack_bcast_f24650_L1",  # parts of V and D
        "I_july4_rack_bcast_f30800_R1",  # parts of O and A
        "J_july4_rack_bcast_f20100_L0",  # no tile: a rack's end
        "J_july4_rack_bcast_f20200_L0",
        "J_july4_rack_bcast_f20900_L0",
        "L_july4_rack_bcast_f11250_R1",  # I
        "N_wespa_rack_bcast_f3750_R4",  # V
    }
)
"""Files that show another letter than their names say, or none."""


def drawn(count: int, seed: int, slant: float) -> Iterator[Picture]:
    """Yield drawn racks, with letters of other sizes from rack to rack."""
    tiles = load_tile_set("english")
    bag = [tile for tile, number in tiles.counts.items() for _ in range(number)]
    for number in range(seed, seed + count):
        scene, rng = look(number, tiles), np.random.default_rng(number)
        spec = RackSpec(
            number,
            replace(scene.tiles, letter=rng.uniform(0.45, 0.65)),
            unit=rng.uniform(36, 64),
            slant=rng.uniform(-slant, slant),
            keystone=rng.uniform(-0.2, 0.2),
            ends=rng.uniform(0, 0.8),
            size=(640, 240 if slant < 20 else 480),
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
            None,
        )


Tile = tuple[str, np.ndarray, np.ndarray, float]
"""A file's name, its picture, the middle of its tile in pixels, and the tile's width."""


def single_tiles(folder: Path) -> dict[str, list[Tile]]:
    """Return the tiles that show their letter, by their camera."""
    found = defaultdict(list)
    for path in sorted(folder.glob("[A-Z]_*.png")):
        if path.stem not in _OTHERS:
            image = cv2.imread(str(path))[:-3]
            _, source, *_, place = path.stem.split("_")
            found[f"{source} {place[0]}"].append((path.stem, image, letter_box(image)))
    tiles = {}
    for camera, own in found.items():
        width = _WIDTH * float(np.median([box[3] for _, _, box in own]))
        # A letter stands a little left of its tile's middle.
        tiles[camera] = [
            (name, image, box[:2] + box[2:] / 2 + (0.04 * width, 0), width)
            for name, image, box in own
        ]
    return tiles


def letter_box(image: np.ndarray) -> np.ndarray:
    """Return left, top, width and height of the red letter nearest to the middle."""
    red = cv2.cvtColor(cv2.resize(image, None, fx=4, fy=4), cv2.COLOR_BGR2LAB)[..., 1]
    red = red[: len(red) * 2 // 3]
    _, ink = cv2.threshold(red, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    boxes = cv2.connectedComponentsWithStats(ink)[2][1:, :4] / 4
    high = [box for box in boxes if box[3] > len(image) / 5]
    return min(high, key=lambda box: abs(box[0] + box[2] / 2 - image.shape[1] / 2))


def cut_out(tile: Tile) -> np.ndarray:
    """Return a tile without its neighbours; where its file ends, in its face's colour."""
    _, image, middle, width = tile
    face = np.percentile(image[8:24].reshape(-1, 3), 70, axis=0).tolist()
    edge = round(2 * width)
    large = cv2.copyMakeBorder(image, *[edge] * 4, cv2.BORDER_CONSTANT, value=face)
    left, top = np.round(middle + edge - width * np.array([0.5, 0.75])).astype(int)
    return large[top : top + round(1.6 * width), left : left + round(width)]


def put_together(tiles: dict[str, list[Tile]], seed: int) -> Iterator[Picture]:
    """Yield racks of seven single tiles of one camera, their letters on one line."""
    rng = np.random.default_rng(seed)
    for camera, own in tiles.items():
        order = rng.permutation(len(own))
        for start in range(0, len(order), 7):
            seven = [own[at] for at in order[start : start + 7]]
            row = np.hstack([cut_out(tile) for tile in seven])
            edges = [len(row) // 2] * 2 + [len(row)] * 2
            picture = cv2.copyMakeBorder(row, *edges, cv2.BORDER_CONSTANT, value=_WOOD)
            yield f"{camera}, from {start}", picture, "".join(one[0][0] for one in seven), None


def alone(tiles: dict[str, list[Tile]]) -> Iterator[Picture]:
    """Yield each tile in its own file, with its place given."""
    for name, image, middle, width in itertools.chain(*tiles.values()):
        row = Row(middle, np.array([width, 0.0]), -_AROUND, _AROUND, 1.0)
        yield name, image, name[0], row


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drawn", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slant", type=float, default=14.0)
    parser.add_argument("--tiles", type=Path)
    args = parser.parse_args()
    reader = rack_reader("english")
    sets = {"drawn": drawn(args.drawn, args.seed, args.slant)}
    if args.tiles is not None:
        tiles = single_tiles(args.tiles)
        sets |= {"alone": alone(tiles), "put together": put_together(tiles, args.seed)}
    for what, pictures in sets.items():
        racks = letters = right = whole = 0
        for name, image, truth, row in pictures:
            read = reader.read(image, row).tiles
            matcher = difflib.SequenceMatcher(None, truth, read, autojunk=False)
            right += sum(block.size for block in matcher.get_matching_blocks())
            racks, letters, whole = racks + 1, letters + len(truth), whole + (read == truth)
            if read != truth:
                print(f"  {name}: {truth} read as {read}")
        print(f"{what}: {right} of {letters} tiles, {whole} of {racks} racks")


if __name__ == "__main__":
    main()
