"""The gain from a picture of the empty board in telling plain blanks from empty squares.

    python benchmarks/empty_board.py [--tables 100] [--seed 1]

Each table is photographed empty once, which way round is left to chance. Then three boards in play
with many plain blanks are read: without that picture, with it (``vision.empty_board``), and, as a
table does from turn to turn, compared with it square by square (``vision.change_detector``). They
are in the same light, in another one, and with the board turned on its turntable (half of these in
another light, too). On three tables in five the tiles have nearly the colour of the plain squares.
Corners are off by what a locator leaves. Last comes how far the empty squares' colours are from the
empty board's, on the same board and on others, which ``calibration.recheck`` goes by.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np

from models import weights
from models.scenes.render import render
from models.scenes.spec import Clutter, Scene, SceneSpec
from tools.scenes import (
    random_camera,
    random_light,
    random_placement,
    random_rows,
    random_sensor,
    random_spec,
)
from tools.scenes.colors import luminance
from vision.change_detector import ChangeDetector, square_patches
from vision.classifier import Classifier
from vision.decode import SYMBOL_ORDER
from vision.empty_board import EmptyBoardModel
from vision.reader import BoardReader
from vision.reading import UNCERTAIN
from vision.rectify import pixels_per_square, rectify

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EMPTY = ("." * 15,) * 15
KINDS = ("same light", "other light", "turned")


def drawn_table(rng: np.random.Generator) -> tuple[SceneSpec, bool]:
    """A table, and whether its tiles have nearly the colour of its squares."""
    spec = random_spec(rng)
    tiles = replace(spec.tiles, blank_mark=None, foreign=0.0)
    alike = bool(rng.random() < 0.6)
    if alike:
        near = np.array(spec.board.square.color) * np.exp(rng.normal(0, 0.1)) + rng.normal(0, 7, 3)
        b, g, r = (float(level) for level in np.clip(near, 8, 245))
        ink = (240.0, 240.0, 240.0) if luminance((b, g, r)) < 110 else (20.0, 20.0, 22.0)
        tiles = replace(tiles, surface=replace(tiles.surface, color=(b, g, r)), ink=ink)
    camera = random_camera(rng, spec.board, scale=float(rng.uniform(32, 55)), tight=True)
    camera = replace(camera, tilt=min(camera.tilt, 25))
    made = replace(
        spec,
        tiles=tiles,
        camera=camera,
        clutter=Clutter(),
        light=random_light(rng),
        sensor=random_sensor(rng, camera.scale),
        placement=replace(random_placement(rng), turned=0.0),
    )
    return made, alike


def changed(kind: str, spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    if kind == "other light":
        return replace(spec, light=random_light(rng))
    if kind == "turned":
        side = max(spec.camera.width, spec.camera.height)
        roll = spec.camera.roll + float(rng.choice([90, 180, 270]))
        camera = replace(spec.camera, roll=roll, width=side, height=side)
        light = random_light(rng) if rng.random() < 0.5 else spec.light
        return replace(spec, camera=camera, light=light)
    return spec


def about(scene: Scene, rng: np.random.Generator, squares: float) -> np.ndarray:
    """The corners, off by so much of a square."""
    side = pixels_per_square(scene.corners)
    return (scene.corners + rng.normal(0, squares * side, (4, 2))).astype(np.float32)


def compared(
    reader: BoardReader, scene: Scene, corners: np.ndarray, bare: Scene, bare_corners: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Rows and confidence of a reading that was compared with the empty board."""
    read = reader.read(scene.image, corners)
    assert read.posterior is not None
    posterior = read.posterior.reshape(225, -1).astype(float)
    plain = np.array([symbol in ".?#" for symbol in SYMBOL_ORDER])
    squares = np.flatnonzero(posterior[:, plain].sum(axis=1) > 0.5)
    nats = reader.change_evidence(
        square_patches(bare.image, bare_corners), square_patches(scene.image, read.corners), squares
    )
    posterior[squares, SYMBOL_ORDER.index(".")] *= np.exp(-nats)
    posterior /= posterior.sum(axis=1, keepdims=True)
    symbols = np.array(list(SYMBOL_ORDER))[posterior.argmax(axis=1)]
    symbols[posterior.max(axis=1) < UNCERTAIN] = "~"
    return tuple("".join(row) for row in symbols.reshape(15, 15)), posterior.max(axis=1).reshape(
        15, 15
    )


def counts(scene: Scene, rows: Sequence[str], confidence: np.ndarray) -> np.ndarray:
    """Wrong and all of: empty squares, blanks, letters; then wrong and all at 0.99."""
    out = np.zeros(8, int)
    for row, line in enumerate(scene.rows):
        for col, symbol in enumerate(line):
            if scene.covered[row, col] > 0.1:
                continue
            want = "?" if symbol.islower() else symbol
            wrong = rows[row][col] != want
            at = 0 if want == "." else 2 if want == "?" else 4
            out[at : at + 2] += (wrong, 1)
            if confidence[row, col] >= 0.99:
                out[6:] += (wrong, 1)
    return out


def likeness(
    look: EmptyBoardModel, reader: BoardReader, scene: Scene, corners: np.ndarray
) -> float:
    """As ``calibration.recheck`` measures it."""
    read = reader.read(scene.image, corners)
    assert read.posterior is not None
    residual = look.residual(rectify(scene.image, read.corners), read.posterior)
    free = read.posterior[..., SYMBOL_ORDER.index(".")] > 0.9
    if residual is None or not free.any():
        return float("nan")
    return float(np.percentile(np.linalg.norm(residual.colour[free], axis=1), 75))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = BoardReader(
        Classifier(weights.path("tiles.onnx")),
        None,
        frozenset(LETTERS),
        detector=ChangeDetector(weights.path("change.onnx")),
    )
    totals: dict[tuple[bool, str, str], np.ndarray] = defaultdict(lambda: np.zeros(8, int))
    alike_by: dict[str, list[float]] = defaultdict(list)
    before: EmptyBoardModel | None = None
    for number in range(args.tables):
        rng = np.random.default_rng([args.seed, number])
        spec, alike = drawn_table(rng)
        bare = render(spec, EMPTY, rng)
        bare_corners = about(bare, rng, 0.015)
        board = rectify(bare.image, bare_corners)
        look = EmptyBoardModel(np.ascontiguousarray(np.rot90(board, rng.integers(4))))
        for kind in KINDS:
            words = int(rng.integers(2, 18))
            rows = random_rows(rng, LETTERS, words=words, blanks=0.15)
            scene = render(changed(kind, spec, rng), rows, rng)
            corners = about(scene, rng, 0.03)
            for how, known in (("without", None), ("with", look)):
                reader.empty = known
                read = reader.read(scene.image, corners)
                totals[alike, kind, how] += counts(scene, read.rows, read.confidence)
            reader.empty = None
            looked = compared(reader, scene, corners, bare, bare_corners)
            totals[alike, kind, "compared"] += counts(scene, *looked)
            alike_by[kind].append(likeness(look, reader, scene, corners))
            if before is not None:
                alike_by["another board"].append(likeness(before, reader, scene, corners))
        before = look
    for alike in (False, True):
        print(f"\ntiles {'of nearly the squares' if alike else 'of any'} colour")
        print(f"{'':21} {'blanks wrong':>16} {'empty wrong':>16} {'letters':>14} {'at 0.99':>14}")
        for kind in KINDS:
            for how in ("without", "with", "compared"):
                c = totals[alike, kind, how]
                print(
                    f"{kind:12} {how:8} {c[2]:5d} of {c[3]:<6d}  {c[0]:5d} of {c[1]:<6d}"
                    f"  {c[4]:4d} of {c[5]:<5d}  {c[6]:3d} of {c[7]:<6d}"
                )
    print("\nhow far three in four empty squares stay from the empty board's colours")
    for kind, values in alike_by.items():
        low, mid, high = np.nanpercentile(values, [5, 50, 95])
        print(f"{kind:14} 5% {low:5.1f}  median {mid:5.1f}  95% {high:5.1f}")


if __name__ == "__main__":
    main()
