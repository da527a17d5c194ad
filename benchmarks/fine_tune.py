"""The gain from a last layer fitted to the tiles that were counted before the game.

    python benchmarks/fine_tune.py [--sets 60] [--seed 1]

Draws sets of tiles that no training saw: half in faces that training never had, many thin, worn or
in faint ink. Each set is laid out in ten by ten, photographed once, counted
(``calibration.tile_check``), and a head is fitted to that one picture (``calibration.fine_tune``).
Then three boards in play, each under another light and from another side, are read with and
without it, by the whole reader. Sets on which the reader makes a mistake in more than 2% of the
letters without it are hard.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from dataclasses import dataclass, replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np

from calibration.fine_tune import fine_tuned
from calibration.model import CalibrationError
from calibration.tile_check import check_tiles
from game.tileset import load_tile_set
from models import weights
from models.scenes.faces import Face
from models.scenes.render import render
from models.scenes.spec import Clutter, Light, SceneSpec, Sensor
from tools.scenes import random_camera, random_placement, random_rows, random_spec
from tools.scenes.system_faces import FontFile, system_faces
from vision.classifier import Classifier
from vision.reader import BoardReader

TILES = load_tile_set("english")
BAG = [tile for tile, count in TILES.counts.items() for _ in range(count)]
LETTERS = frozenset(TILES.counts) - {"?"}


@dataclass
class Count:
    """Letters, empty squares and sure squares, and how many of each were wrong."""

    letters: int = 0
    letters_wrong: int = 0
    others: int = 0
    others_wrong: int = 0
    sure: int = 0
    sure_wrong: int = 0
    unsure: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )

    def __str__(self) -> str:
        return (
            f"letters wrong {self.letters_wrong:4d} of {self.letters}"
            f" ({self.letters_wrong / max(self.letters, 1):.2%});"
            f" other squares {self.others_wrong:3d} of {self.others};"
            f" wrong at 0.99 {self.sure_wrong} of {self.sure}; '~' {self.unsure}"
        )


def odd_set(rng: np.random.Generator) -> SceneSpec:
    """A table whose tiles are out of the ordinary, seen well."""
    spec = random_spec(rng)
    tiles = spec.tiles
    held = [path for paths in system_faces(held_out=True).values() for path in paths]
    if held and rng.random() < 0.5:
        face = Face(
            FontFile(held[int(rng.integers(len(held)))]), width=float(rng.uniform(0.75, 1.3))
        )
        tiles = replace(tiles, face=face, digit_face=face)
    else:
        face = Face(
            weight=float(rng.uniform(0.06, 0.3)), width=float(rng.uniform(0.7, 1.35)),
            slant=float(rng.uniform(-0.1, 0.25)), round_caps=bool(rng.random() < 0.5),
            stencil=bool(rng.random() < 0.3), square=float(rng.uniform(0, 1)),
            form=int(rng.integers(60)),
        )  # fmt: skip
        tiles = replace(tiles, face=face, digit_face=face)
    tiles = replace(
        tiles,
        letter=float(rng.uniform(0.28, 0.75)),
        ink_strength=float(rng.uniform(0.35, 1.0)),
        wear=float(rng.uniform(0, 1.2)) if rng.random() < 0.4 else 0.0,
        foreign=0.0,
    )
    return replace(spec, tiles=tiles, clutter=Clutter())


def seen(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    """From some side, in some fair light."""
    camera = random_camera(rng, spec.board, scale=float(rng.uniform(34, 48)), tight=True)
    slope = (float(rng.uniform(0, 0.5)), float(rng.uniform(0, 360)))
    warm = float(np.exp(rng.normal(0, 0.12)))
    return replace(
        spec,
        seed=int(rng.integers(1 << 30)),
        camera=replace(camera, tilt=min(camera.tilt, 20)),
        light=Light(gradient=slope, gain=(1 / warm, 1.0, warm), cast=float(rng.uniform(0.1, 0.5))),
        sensor=Sensor(blur=float(rng.uniform(0.4, 1.1)), noise=float(rng.uniform(1, 5))),
        placement=replace(random_placement(rng), turned=0.0),
    )


def laid_out(rng: np.random.Generator) -> tuple[str, ...]:
    tiles = np.array(rng.permutation(BAG)).reshape(10, 10)
    grid = np.full((15, 15), ".")
    grid[2:12, 3:13] = tiles
    return tuple("".join(row) for row in grid)


def in_play(rng: np.random.Generator) -> tuple[str, ...]:
    bag = iter(rng.permutation([tile for tile in BAG if tile != "?"]))
    rows = random_rows(rng, "E", words=16, blanks=0)
    return tuple("".join("." if c == "." else next(bag, ".") for c in row) for row in rows)


def counted(reader: BoardReader, boards: list) -> Count:
    total = Count()
    for scene in boards:
        read = reader.read(scene.image, scene.corners)
        for row, line in enumerate(scene.rows):
            for col, want in enumerate(line):
                got = read.rows[row][col]
                one = Count()
                if want.isalpha():
                    one.letters, one.letters_wrong = 1, int(got != want)
                else:
                    one.others, one.others_wrong = 1, int(got != want)
                if read.confidence[row, col] >= 0.99:
                    one.sure, one.sure_wrong = 1, int(got != want)
                one.unsure = int(got == "~")
                total = total + one
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    classifier = Classifier(weights.path("tiles.onnx"))
    reader = BoardReader(classifier, None, LETTERS)
    totals: Counter[str] = Counter()
    sums = {(kind, how): Count() for kind in ("hard", "other") for how in ("without", "with")}
    labels_wrong = labels = 0
    took = []
    for number in range(args.sets):
        rng = np.random.default_rng([args.seed, number])
        spec = odd_set(rng)
        scene = render(seen(spec, rng), laid_out(rng), rng)
        boards = [render(seen(spec, rng), in_play(rng), rng) for _ in range(3)]
        classifier.head = None
        before = counted(reader, boards)
        kind = "hard" if before.letters_wrong > 0.02 * before.letters else "other"
        try:
            read = reader.read(scene.image, scene.corners)
            found = check_tiles(read, TILES)
            if not found.complete:
                totals[f"{kind}: complete only as somebody says"] += 1
                found = check_tiles(read, TILES, sure=True)
        except CalibrationError:
            totals[f"{kind}: no layout"] += 1
            continue
        truth = {s: scene.rows[s.row][s.col] for s in found.symbols}
        begun = time.perf_counter()
        head = fine_tuned(classifier, scene.image, read.corners, found, TILES)
        if head is None:
            totals[f"{kind}: the count was not complete"] += 1
            continue
        took.append(time.perf_counter() - begun)
        totals[f"{kind}: sharpened"] += 1
        labels += len(truth)
        labels_wrong += sum(found.symbols[s] != t for s, t in truth.items())
        classifier.head = head
        after = counted(reader, boards)
        sums[kind, "without"] += before
        sums[kind, "with"] += after
        if args.verbose:
            print(
                number, kind, before.letters_wrong, after.letters_wrong, before.letters, flush=True
            )
    print(dict(sorted(totals.items())))
    print(
        f"labels by the count: {labels_wrong} wrong of {labels};"
        f" a fit takes {np.median(took):.1f} s"
    )
    for (kind, how), total in sums.items():
        print(f"{kind:5} {how:7}: {total}")


if __name__ == "__main__":
    main()
