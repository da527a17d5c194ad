"""The limits that calibration judges by, measured on drawn boards.

``python benchmarks/calibrate.py judge`` varies one thing at a time (focus, pixels a square,
evenness of light, exposure, glare) on many tables and prints how many letters are read wrong for
each range of what :mod:`calibration.picture_quality` measures. ``… lens`` bends pictures by lenses
that are known and prints how well they are found, and the worst corner before and after. ``…
tiles`` lays sets of any look out to be counted, whole, with a tile replaced and with one gone, and
prints how often the layout is named as it is.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np

from calibration.lens import Lens, bend_of, measure_lens
from calibration.model import CalibrationError
from calibration.picture_quality import Measures, measure
from calibration.tile_check import check_tiles
from game.tileset import load_tile_set
from models import weights
from models.scenes.render import render
from models.scenes.spec import Clutter, Glare, Light, Scene, SceneSpec, Sensor
from tools.scenes import random_camera, random_placement, random_rows, random_spec
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.rectify import corner_distance

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EMPTY = ("." * 15,) * 15


def good(rng: np.random.Generator) -> SceneSpec:
    """A table of any kind, well set up."""
    spec = random_spec(rng)
    camera = random_camera(rng, spec.board, scale=45.0, tight=True)
    camera = replace(camera, tilt=min(camera.tilt, 15))
    return replace(
        spec,
        camera=camera,
        light=Light(),
        clutter=Clutter(),
        sensor=Sensor(blur=0.6, noise=2.0),
        placement=replace(random_placement(rng), turned=0.0, sloppy=0.0),
        tiles=replace(spec.tiles, foreign=0.0, gloss=0.0, wear=0.0),
    )


def varied(what: str, rng: np.random.Generator) -> SceneSpec:
    """A good table, but for one thing."""
    spec = good(rng)
    if what == "focus":
        return replace(spec, sensor=replace(spec.sensor, blur=float(rng.uniform(0.3, 6))))
    if what == "pixels":
        camera = random_camera(rng, spec.board, scale=float(rng.uniform(14, 50)), tight=True)
        return replace(spec, camera=replace(camera, tilt=min(camera.tilt, 15)))
    if what == "evenness":
        slope = (float(rng.uniform(0, 1.6)), float(rng.uniform(0, 360)))
        return replace(spec, light=Light(gradient=slope))
    if what == "level":
        gain = float(np.exp(rng.uniform(np.log(0.06), np.log(2.5))))
        return replace(spec, light=Light(gain=(gain, gain, gain), metering=0.0))
    glare = Glare(
        at=(float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.3, 0.7))),
        size=(float(rng.uniform(0.03, 0.25)), float(rng.uniform(0.03, 0.25))),
        angle=float(rng.uniform(0, 180)),
        strength=float(rng.uniform(0.3, 1.3)),
        softness=float(rng.uniform(0.002, 0.03)),
    )
    return replace(spec, light=Light(glares=(glare,)))


def figure(what: str, seen: Measures) -> float:
    """The measure that goes with it."""
    if what == "focus":
        return -1.0 if seen.blur is None else seen.blur
    if what == "glare":
        return float(len(seen.glare))
    return float({"pixels": seen.pixels, "evenness": seen.evenness, "level": seen.level}[what])


STEPS = {
    "focus": (-2, 0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 9),
    "pixels": (0, 14, 18, 22, 26, 30, 35, 40, 99),
    "evenness": (0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.01),
    "level": (0, 15, 25, 35, 50, 70, 100, 150, 200, 240, 251, 256),
    "glare": (0, 1, 2, 4, 8, 16, 32, 226),
}


def judge(tables: int, seed: int) -> None:
    """Letters wrong for each range of each measure."""
    classifier = Classifier(weights.path("tiles.onnx"))
    reader = BoardReader(classifier, None, frozenset(LETTERS))
    for what, steps in STEPS.items():
        rows = []
        for number in range(tables):
            rng = np.random.default_rng([seed, number])
            spec = varied(what, rng)
            scene = render(spec, random_rows(rng, LETTERS, words=14, blanks=0), rng)
            empty = render(spec, EMPTY, rng)
            seen = measure(empty.image, empty.corners)
            wrong, all_ = letters_wrong(reader, scene)
            rows.append((figure(what, seen), wrong, all_))
        print(f"\n{what:10} tables letters wrong")
        table = np.array(rows)
        for low, high in itertools.pairwise(steps):
            inside = table[(table[:, 0] >= low) & (table[:, 0] < high)]
            if len(inside):
                share = inside[:, 1].sum() / inside[:, 2].sum()
                count = int(inside[:, 2].sum())
                print(f"{low:5g}-{high:<5g} {len(inside):5d} {count:6d} {share:7.2%}")


def letters_wrong(reader: BoardReader, scene: Scene) -> tuple[int, int]:
    """Return the number of letters read wrong, and the number of letters."""
    read = reader.read(scene.image, scene.corners)
    pairs = [
        (want, got)
        for line, found in zip(scene.rows, read.rows, strict=True)
        for want, got in zip(line, found, strict=True)
        if want.isalpha()
    ]
    return sum(want != got for want, got in pairs), len(pairs)


def bent(image: np.ndarray, lens: Lens) -> np.ndarray:
    """A picture as that lens would have taken it."""
    width, height = lens.size
    y, x = np.mgrid[0:height, 0:width]
    source = lens.straight(np.column_stack([x.ravel(), y.ravel()]).astype(np.float64))
    at = source.astype(np.float32).reshape(height, width, 2)
    return cv2.remap(image, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def lens(tables: int, seed: int) -> None:
    """Known lenses, found again."""
    locator = Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"))
    for k1, k2 in ((0.0, 0.0), (-0.12, 0.0), (-0.25, 0.06), (0.1, 0.0)):
        rows = [row for row in _lenses(locator, k1, k2, tables, seed) if row is not None]
        bend, found, before, after = np.array(rows).T
        print(
            f"k1 {k1:5.2f} k2 {k2:4.2f}: {len(rows)} of {tables} boards; "
            f" bend {np.median(bend):.3f} squares, found {np.median(found):.3f}"
            f" (most {found.max():.3f});"
            f" worst corner {np.median(before):.3f} -> {np.median(after):.3f}"
            f" (90%: {np.percentile(before, 90):.3f} -> {np.percentile(after, 90):.3f})"
        )


def _lenses(
    locator: Locator, k1: float, k2: float, tables: int, seed: int
) -> Iterator[tuple[float, float, float, float] | None]:
    for number in range(tables):
        rng = np.random.default_rng([seed, number])
        spec = good(rng)
        rows = EMPTY if number % 2 else random_rows(rng, LETTERS)
        scene = render(spec, rows, rng)
        true = Lens(k1, k2, (scene.image.shape[1], scene.image.shape[0]))
        image = bent(scene.image, true) if k1 or k2 else scene.image
        found = locator.locate(image)
        fit = None if found is None else measure_lens(locator, image, found.corners)
        if found is None or fit is None:
            yield None
            continue
        before = corner_distance(found.corners, true.bent(scene.corners))
        after = corner_distance(true.straight(fit.lens.bent(fit.corners)), scene.corners)
        yield bend_of(true, scene.corners), fit.bend, before, after


def tiles(tables: int, seed: int) -> None:
    """Sets laid out to be counted."""
    reader = BoardReader(Classifier(weights.path("tiles.onnx")), None, frozenset(LETTERS))
    english = load_tile_set("english")
    bag = [tile for tile, count in english.counts.items() for _ in range(count)]
    counts_by_case: dict[str, Counter[str]] = {}
    for number in range(tables):
        rng = np.random.default_rng([seed, number])
        spec = good(rng)
        laid = [str(tile) for tile in rng.permutation(bag)]
        gone = int(rng.integers(100))
        other = str(rng.choice([tile for tile in english.counts if tile != laid[gone]]))
        for case, new in (("whole", laid[gone]), ("one replaced", other), ("one missing", ".")):
            grid = np.full((15, 15), ".")
            grid[2:12, 3:13] = np.array([*laid[:gone], new, *laid[gone + 1 :]]).reshape(10, 10)
            scene = render(spec, ["".join(row) for row in grid], rng)
            read = reader.read(scene.image, scene.corners)
            try:
                found = check_tiles(read, english)
            except CalibrationError:
                counts_by_case.setdefault(case, Counter())["no layout seen"] += 1
                continue
            missing = {} if case == "whole" else {laid[gone]: 1}
            extra = {other: 1} if case == "one replaced" else {}
            right = (found.missing, found.extra) == (missing, extra)
            verdict = "as it is" if right else "whole" if found.complete else "wrong otherwise"
            counts_by_case.setdefault(case, Counter())[verdict] += 1
    for case, counts in counts_by_case.items():
        print(f"{case:13} {', '.join(f'{what}: {n}' for what, n in counts.most_common())}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("judge", "lens", "tiles"))
    parser.add_argument("--tables", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    {"judge": judge, "lens": lens, "tiles": tiles}[args.what](args.tables, args.seed)


if __name__ == "__main__":
    main()
