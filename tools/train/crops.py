"""Labelled crops for the tile classifier, cut from synthetic scenes by the rectifier that serves.

Every scene is another table: its own board, set of tiles, light and camera. A seed makes a scene,
so a range of seeds is a data set; training and validation use ranges that never meet, and the
validation scenes' letters come half of the time from faces that no training scene has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.tileset import load_tile_set, tile_set_ids
from models.scenes.faces import Face
from models.scenes.render import render
from models.scenes.spec import BoardStyle, Rng, Scene, SceneSpec, TileStyle
from tools.scenes import random_camera, random_rows, random_sensor, random_spec
from tools.scenes.colors import luminance
from tools.scenes.system_faces import FontFile, system_faces
from tools.train.drawing import drawn
from vision.labels import BLANK, EMPTY, FACE_DOWN, LETTERS, UNREADABLE, class_index, state_index
from vision.rectify import CROP, crops, turned

TRAIN_BASE: Final = 1 << 24
VALIDATION_BASE: Final = 1 << 28
"""First scene seed of each split, far enough apart never to meet."""

PER_SCENE: Final = 64
"""Crops of a scene, at most: more scenes teach more than more squares of one."""

_QUOTA: Final = {"letter": 40, EMPTY: 10, BLANK: 7, FACE_DOWN: 3, UNREADABLE: 4}

_PLAIN: Final = LETTERS[:26]
_SHARES: Final = {"plain": 0.34, "language": 0.41, "all": 0.25}
"""A table's letters, and the share of tables: the plain ones alone, as most sets do (a mark
that is not there must not be read into a scratch), those of a shipped set, or any."""

_ALIKE: Final = 0.15
"""Share of tables whose tiles are of the board's own colour, near enough: there, a plain blank is
distinguished from a square by its edges, shadow and grain alone."""


@dataclass(frozen=True)
class CropSet:
    """Crops uint8 (N, CROP, CROP, 3) BGR, class indices int16 (N,), and scene seeds int64 (N,)."""

    crops: NDArray[np.uint8]
    labels: NDArray[np.int16]
    seeds: NDArray[np.int64]


def _letters_of_a_table(rng: Rng) -> str:
    """The letters on a table; those that few sets have come twice as often as the others."""
    kind = rng.choice(list(_SHARES), p=list(_SHARES.values()))
    if kind == "plain":
        return _PLAIN
    if kind == "all":
        return _PLAIN + LETTERS[26:] * 2
    marked = [
        letters for letters in map(shown_in_order, tile_set_ids()) if set(letters) - {*_PLAIN}
    ]
    letters = marked[int(rng.integers(len(marked)))]
    return letters + "".join(letter for letter in letters if letter not in _PLAIN)


def shown_in_order(tile_set: str) -> str:
    """The letters that the tiles of a set show, in the order of :data:`vision.labels.LETTERS`."""
    shown = load_tile_set(tile_set).shown
    return "".join(letter for letter in LETTERS if letter in shown)


def training_rows(rng: Rng) -> tuple[str, ...]:
    """A board with every kind of square: crossing words, single tiles, blanks, backs."""
    words = int(rng.integers(4, 26))
    letters = _letters_of_a_table(rng)
    grid = [list(row) for row in random_rows(rng, letters, words, blanks=0.06)]
    scatter = float(rng.choice([0.0, 0.03, 0.12]))
    for row in grid:
        for col, symbol in enumerate(row):
            draw = rng.random()
            if symbol == "." and draw < scatter:
                row[col] = letters[int(rng.integers(len(letters)))]
            elif symbol == "." and draw < scatter + 0.03:
                row[col] = "?"
            elif symbol != "." and draw < 0.04:
                row[col] = "#"
    return tuple("".join(row) for row in grid)


def draw_spec(seed: int, validation: bool = False) -> tuple[Rng, SceneSpec]:
    """The table of a seed, and the draw as it then stands.

    Half of the tables for validation are lettered in faces that training never draws.
    """
    rng = np.random.default_rng(seed)
    spec = random_spec(rng)
    if rng.random() < _ALIKE:
        spec = replace(spec, tiles=alike(rng, spec.tiles, spec.board))
    # Crops hold 42 pixels a square; finer scenes cost time, and are needed for what a crop made
    # smaller looks like: crisp.
    scale = float(np.exp(rng.uniform(np.log(22), np.log(68 if rng.random() < 0.85 else 110))))
    camera = random_camera(rng, spec.board, scale, tight=True)
    spec = replace(spec, camera=camera, sensor=random_sensor(rng, scale))
    if validation and rng.random() < 0.5:
        pool = [path for paths in system_faces(True).values() for path in paths]
        if pool:
            face = Face(FontFile(pool[int(rng.integers(len(pool)))]))
            spec = replace(spec, tiles=replace(spec.tiles, face=face))
    return rng, spec


def alike(rng: Rng, tiles: TileStyle, board: BoardStyle) -> TileStyle:
    """Tiles of the board's own colour, as wood on wood, with an ink that shows on it."""
    base = board.square.color if rng.random() < 0.6 else board.premiums[int(rng.integers(4))]
    tone = float(np.exp(rng.normal(0, 0.08)))
    hue = np.exp(rng.normal(0, 0.03, 3))
    b, g, r = (float(min(255.0, c * tone * h)) for c, h in zip(base, hue, strict=True))
    dark = luminance((b, g, r)) > 110
    ink = (25.0, 25.0, 28.0) if dark else (240.0, 240.0, 235.0)
    surface = replace(tiles.surface, color=(b, g, r))
    if rng.random() < 0.5:
        surface = replace(surface, texture=board.square.texture, strength=board.square.strength)
    return replace(tiles, surface=surface, ink=ink)


def draw_scene(seed: int, validation: bool = False) -> tuple[SceneSpec, Scene]:
    """The scene of a seed, with its table."""
    rng, spec = draw_spec(seed, validation)
    return spec, render(spec, training_rows(rng), rng)


def label_of(scene: Scene, spec: SceneSpec, row: int, col: int) -> int | None:
    """The class of a square, or None where two answers would be fair."""
    symbol, hidden = scene.rows[row][col], float(scene.covered[row, col])
    if hidden > 0.65:
        return state_index(UNREADABLE)
    if symbol == ".":
        return state_index(EMPTY) if hidden < 0.2 else None
    if hidden > 0.1:
        return None
    if symbol == "#":
        # A back with no moulding of its own looks like a blank.
        return state_index(BLANK if spec.tiles.face_down == "plain" else FACE_DOWN)
    if symbol == "?" or symbol.islower():
        return state_index(BLANK)
    return class_index(symbol, int(scene.rotation[row, col]))


def scene_crops(seed: int, validation: bool = False) -> CropSet:
    """Up to :data:`PER_SCENE` crops of one scene, a fair share of every kind of square.

    The corners are off by what a locator leaves: mostly 0.02 to 0.06 of a square, sometimes more,
    and now and then all of them one way, as a lens that bends lines does to the middle of a board.
    Each scene is seen from all four sides.
    """
    spec, scene = draw_scene(seed, validation)
    rng = np.random.default_rng((seed, 3))
    kinds: dict[str, list[tuple[int, int]]] = {kind: [] for kind in _QUOTA}
    for square in range(225):
        label = label_of(scene, spec, *divmod(square, 15))
        if label is not None:
            states = {state_index(s): s for s in (EMPTY, BLANK, FACE_DOWN, UNREADABLE)}
            kinds[states.get(label, "letter")].append((square, label))
    chosen: list[tuple[int, int]] = []
    for kind, quota in _QUOTA.items():
        pool = kinds[kind]
        order = rng.permutation(len(pool))[:quota]
        chosen += [pool[int(k)] for k in order]
    pixels = scene.top_square
    parts, labels = [], []
    for turn in range(4):
        mine = chosen[turn::4]
        sigma = float(rng.uniform(0.01, 0.06)) if rng.random() < 0.85 else 0.12
        off = rng.normal(0, sigma * pixels, (4, 2)).clip(-0.3 * pixels, 0.3 * pixels)
        if rng.random() < 0.3:
            off += rng.normal(0, 0.06 * pixels, 2).clip(-0.15 * pixels, 0.15 * pixels)
        corners = turned((scene.corners + off).astype(np.float32), turn)
        squares = np.array([_seen_from(square, turn) for square, _ in mine], np.intp)
        parts.append(crops(scene.image, corners, squares))
        labels += [_turned_label(label, -turn) for _, label in mine]
    return CropSet(
        np.concatenate(parts),
        np.array(labels, np.int16),
        np.full(len(labels), seed, np.int64),
    )


def _seen_from(square: int, turn: int) -> int:
    """The index of a square after the corners were rolled ``turn`` corners on."""
    row, col = divmod(square, 15)
    for _ in range(turn % 4):
        row, col = 14 - col, row
    return 15 * row + col


def _turned_label(label: int, turns: int) -> int:
    """The class of a crop turned clockwise by quarter turns."""
    if label >= 4 * len(LETTERS):
        return label
    letter, turn = divmod(label, 4)
    return 4 * letter + (turn + turns) % 4


def generate(
    folder: Path, scenes: int, seed: int, validation: bool = False, processes: int = 1
) -> CropSet:
    """Renders ``scenes`` scenes and keeps their crops in ``folder`` as memory-mapped arrays.

    A folder that already holds them is used as it is.
    """
    name = "validation" if validation else "train"
    stem = folder / f"{name}-{seed}-{scenes}"
    image_file, label_file = stem.with_suffix(".crops.npy"), stem.with_suffix(".labels.npz")
    if not label_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        base = (VALIDATION_BASE if validation else TRAIN_BASE) + seed * (1 << 20)
        tasks = range(base, base + scenes)
        store = np.lib.format.open_memmap(
            image_file, mode="w+", dtype=np.uint8, shape=(scenes * PER_SCENE, CROP, CROP, 3)
        )
        labels, seeds, filled = [], [], 0
        job = partial(scene_crops, validation=validation)
        for part in drawn(job, tasks, processes, f"{name} scenes"):
            store[filled : filled + len(part.labels)] = part.crops
            labels.append(part.labels)
            seeds.append(part.seeds)
            filled += len(part.labels)
        store.flush()
        np.savez(label_file, labels=np.concatenate(labels), seeds=np.concatenate(seeds))
    truth = np.load(label_file)
    images = np.load(image_file, mmap_mode="r")
    return CropSet(images[: len(truth["labels"])], truth["labels"], truth["seeds"])
