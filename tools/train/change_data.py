"""Training pairs of one square before and after a tile may have been placed on it.

A plain blank on a square of nearly its colour is hard to see in one picture and easy in two. Every
pair of scenes is one table, drawn twice: on some of its empty squares something was placed in
between, mostly what a reader misses, alone or in a row beside letters, tiles were taken away, and
meanwhile the light changed, a shadow passed, the board was nudged, or the camera's pose was found a
hair elsewhere. Seeds make scenes, as in :mod:`tools.train.crops`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from models.scenes.render import render
from models.scenes.spec import Light, Rng, Scene, SceneSpec, Shadow
from tools.scenes import random_hand, random_light, random_rows, random_sensor
from tools.scenes.draw_light import random_shadow
from tools.train.crops import alike, draw_spec
from tools.train.drawing import drawn
from vision.change_detector import Patches, network_input, square_patches
from vision.labels import LETTERS
from vision.rectify import Corners

CHANGE_BASE: Final = 1 << 29
"""First seed of these scenes, apart from those of every other set."""

_ALIKE: Final = 0.5
"""Share of tables whose tiles are of nearly the board's own colour."""

_PLACED: Final = (10, 40)
"""Squares of a board on which something is placed, bounds."""

_LETTERS: Final = LETTERS[:26]

_KINDS: Final = ("?", "#", "letter")
_KIND_SHARES: Final = (0.7, 0.12, 0.18)
_KIND_SHARES_IN_ROWS: Final = (0.35, 0.05, 0.6)
"""Things placed on a square alone, and in a row as a play is: there, beside letters mostly."""

_IN_ROWS: Final = 0.5
"""Share of tables on which tiles are placed in rows."""

_TAKEN_AWAY: Final = 0.2
"""Share of tables from which tiles were taken, as a play is withdrawn."""

_LETTERS_KEPT: Final = 0.3
"""Share of the placed letters that become pairs: a reader knows them."""

_OTHERS: Final = 2
"""Squares on which nothing was placed, for each on which something was; half of them beside one."""

_COVERED: Final = 0.05


@dataclass(frozen=True)
class ChangePairs:
    """Pairs as the network takes them, what became of them, and the seeds of their scenes.

    float16 (N, 6, PATCH, PATCH), bool (N,): whether something was placed, and int64 (N,).
    """

    pairs: NDArray[np.float16]
    placed: NDArray[np.bool_]
    seeds: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_]) -> ChangePairs:
        """The chosen ones."""
        return ChangePairs(self.pairs[chosen], self.placed[chosen], self.seeds[chosen])


def drawn_pair(seed: int) -> tuple[Scene, Scene]:
    """A table before and after: the scenes of a seed."""
    rng, spec = draw_spec(CHANGE_BASE + seed)
    if rng.random() < _ALIKE:
        spec = replace(spec, tiles=alike(rng, spec.tiles, spec.board))
    words = int(rng.integers(0, 16))
    before = random_rows(rng, _LETTERS, words, blanks=0.06)
    after = changed_rows(rng, before)
    later = _later(rng, spec)
    return render(spec, before, rng), render(later, after, rng)


def changed_rows(rng: Rng, rows: tuple[str, ...]) -> tuple[str, ...]:
    """Fifteen rows a little later: tiles placed on empty squares, and perhaps some taken away."""
    grid = [list(row) for row in rows]
    empty = [(r, c) for r in range(SIZE) for c in range(SIZE) if grid[r][c] == "."]
    count = min(int(rng.integers(*_PLACED)), len(empty))
    in_rows = bool(rng.random() < _IN_ROWS)
    if rng.random() < _TAKEN_AWAY:
        for r, c in ((r, c) for r in range(SIZE) for c in range(SIZE) if grid[r][c] != "."):
            if rng.random() < 0.3:
                grid[r][c] = "."
    order = [empty[int(at)] for at in rng.permutation(len(empty))]
    chosen = _rows_of_squares(rng, order) if in_rows else order
    shares = _KIND_SHARES_IN_ROWS if in_rows else _KIND_SHARES
    for row, col in chosen[:count]:
        kind = _KINDS[int(rng.choice(len(_KINDS), p=shares))]
        letter = _LETTERS[int(rng.integers(len(_LETTERS)))]
        grid[row][col] = letter if kind == "letter" else kind
    return tuple("".join(row) for row in grid)


def _rows_of_squares(rng: Rng, starts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The squares of rows that begin on each of ``starts``, over what lies in their way."""
    free, chosen = set(starts), dict[tuple[int, int], None]()
    for row, col in starts:
        length = int(rng.integers(2, 8))
        down = bool(rng.random() < 0.5)
        squares = [(row + k, col) if down else (row, col + k) for k in range(length)]
        chosen.update(dict.fromkeys(square for square in squares if square in free))
    return list(chosen)


def _later(rng: Rng, spec: SceneSpec) -> SceneSpec:
    """The same table a little later, or in another light."""
    draw = rng.random()
    if draw < 0.2:
        light = random_light(rng)
    else:
        light = _passing(rng, spec.light) if draw < 0.7 else spec.light
        gain = np.exp(rng.normal(0, 0.06 if draw < 0.7 else 0.02, 3) + rng.normal(0, 0.06))
        b, g, r = (float(a * k) for a, k in zip(spec.light.gain, gain, strict=True))
        light = replace(light, gain=(b, g, r))
    camera = spec.camera
    if rng.random() < 0.4:  # nudged
        x, y = camera.target
        camera = replace(
            camera,
            target=(x + float(rng.normal(0, 0.3)), y + float(rng.normal(0, 0.3))),
            roll=camera.roll + float(rng.normal(0, 2.0)),
            tilt=float(np.clip(camera.tilt + rng.normal(0, 1.0), 0, 60)),
        )
    sensor = random_sensor(rng, camera.scale) if rng.random() < 0.15 else spec.sensor
    clutter = spec.clutter
    if rng.random() < 0.25:
        clutter = replace(clutter, hands=(*clutter.hands, random_hand(rng)))
    return replace(spec, light=light, camera=camera, sensor=sensor, clutter=clutter)


def _passing(rng: Rng, light: Light) -> Light:
    """Shadows that came, went or moved, and a lamp that was turned."""
    kept: list[Shadow] = []
    for shadow in light.shadows:
        draw = rng.random()
        if draw < 0.3:
            continue
        right, down = rng.normal(0, 1.0, 2) if draw < 0.8 else (0.0, 0.0)
        points = tuple((x + float(right), y + float(down)) for x, y in shadow.points)
        kept.append(replace(shadow, points=points))
    kept += [random_shadow(rng) for _ in range(int(rng.choice([0, 1, 2], p=(0.4, 0.4, 0.2))))]
    strength, angle = light.gradient
    gradient = (abs(strength + float(rng.normal(0, 0.05))), angle + float(rng.normal(0, 10)))
    return replace(light, shadows=tuple(kept), gradient=gradient)


def _found(rng: Rng, scene: Scene) -> Corners:
    """The corners as a locator finds them."""
    pixels = scene.top_square
    sigma = float(rng.uniform(0.003, 0.04))
    off = rng.normal(0, sigma * pixels, (4, 2)) + rng.normal(0, 0.5 * sigma * pixels, 2)
    return np.asarray(scene.corners + off, np.float32)


def scene_pairs(seed: int) -> ChangePairs:
    """The pairs of a seed's scenes, as the network takes them."""
    before, after = drawn_pair(seed)
    rng = np.random.default_rng((seed, 5))
    looks: list[Patches] = [square_patches(s.image, _found(rng, s)) for s in (before, after)]
    was, is_ = ("".join(scene.rows) for scene in (before, after))
    clear = (np.maximum(before.covered, after.covered) < _COVERED).ravel()
    free = np.array([symbol == "." for symbol in was]) & clear
    placed = np.array([symbol != "." for symbol in is_]) & free
    letter = np.array([symbol.isalpha() for symbol in is_])
    there = np.flatnonzero(placed & (~letter | (rng.random(SIZE * SIZE) < _LETTERS_KEPT)))
    others = _others(rng, placed, free & ~placed, _OTHERS * max(len(there), 4))
    squares = np.concatenate([there, others])
    inputs = network_input(looks[0], looks[1], squares)
    return ChangePairs(
        inputs.astype(np.float16), placed[squares], np.full(len(squares), seed, np.int64)
    )


def _others(
    rng: Rng, placed: NDArray[np.bool_], free: NDArray[np.bool_], count: int
) -> NDArray[np.intp]:
    """Squares on which nothing was placed, half of them beside one on which something was."""
    around = np.ones((3, 3), np.uint8)
    near = cv2.dilate(placed.reshape(SIZE, SIZE).astype(np.uint8), around).ravel() > 0
    beside = rng.permutation(np.flatnonzero(free & near))[: count // 2]
    anywhere = rng.permutation(np.setdiff1d(np.flatnonzero(free), beside))
    return np.concatenate([beside, anywhere[: count - len(beside)]])


def draw_pairs(seed: int, scenes: int, processes: int) -> ChangePairs:
    """The pairs of so many scenes of a training's seed."""
    first = seed * (1 << 16)
    parts = list(drawn(scene_pairs, range(first, first + scenes), processes, "scenes"))
    names = (field.name for field in fields(ChangePairs))
    return ChangePairs(*(np.concatenate([getattr(part, n) for part in parts]) for n in names))
