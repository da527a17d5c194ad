"""Random tables seen from afar, to teach the locator where the grid is.

The board may be small in the picture, at its edge, of any colour and layout, or not there at all;
around it lie things that look like a grid and are none. :func:`tools.scenes.draw.random_spec`
draws tables as the tile classifier meets them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from models.scenes.spec import (
    BoardStyle,
    Clutter,
    LooseTile,
    Rng,
    SceneSpec,
    Surface,
)
from models.scenes.view import CORNERS, Camera, View
from tools.scenes.colors import any_color, luminance
from tools.scenes.draw import random_board, random_placement, random_tiles
from tools.scenes.draw_light import random_light, random_sensor
from tools.scenes.draw_table import LETTERS, random_clutter
from tools.scenes.things import Thing

_REACH: Final = 14.0
"""Squares beyond the grid within which loose tiles lie."""

_NEAR, _FAR = 11.0, 24.0
"""Bounds of the things' distance from the board's middle, in squares."""

_THINGS: Final = {
    "paper": ((5, 14), (6, 18), 0.01, 0.12),
    "sheet": ((5, 14), (6, 18), 0.01, 0.12),
    "pen": ((5, 12), (0.2, 1.2), 0.3, 0.12),
    "cup": ((2, 9), (2, 9), 1.0, 0.1),
    "block": ((2, 13), (2, 18), 0.8, 0.08),
    "device": ((2, 13), (2, 18), 0.4, 0.1),
    "grid": ((3, 24), (3, 24), 0.1, 0.12),
    "frame": ((6, 18), (6, 18), 0.1, 0.04),
    "rack": ((7, 11), (0.8, 2), 0.9, 0.2),
}
"""For each kind of thing: bounds of its two sides, its height, the share of the things."""

_TABLES: Final = ("plain", "wood", "planks", "carpet", "linen", "weave")
_TABLES_OF_TWO: Final = ("marble", "stripes", "checks", "terrazzo")
"""Textures of a table, and those that mix two colours."""


def random_overview(rng: Rng, side: int = 640, board: float = 0.88) -> SceneSpec:
    """A table in a picture ``side`` pixels long; a share ``board`` of them has a board on it."""
    style = overview_board(rng)
    if rng.random() >= board:
        style = replace(style, opacity=0.0)
    camera = overview_camera(rng, style.aspect, side)
    light = replace(random_light(rng), metering=float(rng.uniform(0, 1)))
    level = float(rng.uniform(0.2, 0.8) if rng.random() < 0.2 else rng.uniform(0.8, 1.8))
    gain = (light.gain[0] * level, light.gain[1] * level, light.gain[2] * level)
    return SceneSpec(
        seed=int(rng.integers(1 << 30)),
        board=style,
        tiles=random_tiles(rng),
        placement=random_placement(rng),
        light=replace(light, gain=gain),
        camera=camera,
        clutter=overview_clutter(rng, style),
        sensor=random_sensor(rng, max(camera.scale, 16.0)),
    )


def overview_camera(rng: Rng, aspect: float, side: int) -> Camera:
    """A camera that sees the whole grid, or all but slivers of it, from any direction."""
    short = int(side * rng.choice([0.56, 0.75, 0.8, 1.0]))
    size = np.array([side, short] if rng.random() < 0.5 else [short, side])
    while True:
        roll = float(rng.uniform(0, 360))
        if rng.random() < 0.3:
            roll = 90.0 * int(rng.integers(4)) + float(rng.normal(0, 3.5))
        low, high = ((0.25, 0.6), (0.5, 0.9), (0.85, 1.08))[int(rng.choice(3, p=(0.3, 0.45, 0.25)))]
        scale = float(rng.uniform(low, high)) * short / 16.5
        free = np.maximum(1 - 16.5 * scale / size, 0.03) * size / scale
        right, down = free * rng.uniform(-0.55, 0.55, 2)
        c, s = math.cos(math.radians(roll)), math.sin(math.radians(roll))
        camera = Camera(
            width=int(size[0]),
            height=int(size[1]),
            tilt=float(min(abs(rng.normal(0, 20)), 48)),
            azimuth=float(rng.uniform(0, 360)),
            roll=roll,
            scale=scale,
            focal=float(np.exp(rng.uniform(math.log(0.7), math.log(3.0)))),
            target=(7.5 + c * right - s * down, 7.5 + s * right + c * down),
        )
        view = View(camera, aspect)
        seen = view.points(CORNERS)
        outside = max((-seen).max(), (seen - size).max())
        if view.in_front(CORNERS, 3.0) and outside < 0.03 * side:
            return camera


def overview_board(rng: Rng) -> BoardStyle:
    """A board that nobody may ever have printed, near enough to those that somebody did."""
    style = random_board(rng)
    square = style.square
    if rng.random() < 0.35:
        square = replace(square, color=any_color(rng))
    premiums = style.premiums
    draw = rng.random()
    if draw < 0.4:
        premiums = (any_color(rng), any_color(rng), any_color(rng), any_color(rng))
    elif draw < 0.43:  # a board whose premium squares only the print tells
        premiums = (square.color,) * 4
    line = any_color(rng) if rng.random() < 0.35 else style.line
    width = (0.0, rng.uniform(0.02, 0.06), rng.uniform(0.05, 0.16))
    rim, margins = _rims(rng)
    frames = []
    if rng.random() < 0.7:
        color = line if rng.random() < 0.5 else any_color(rng)
        frames.append((0.0, float(rng.uniform(0.02, 0.2)), color))
    if rng.random() < 0.3:  # a frame that is not the grid's
        away = float(rng.uniform(0.1, max(0.2, min(rim))))
        frames.append((away, float(rng.uniform(0.02, 0.12)), any_color(rng)))
    counts = rng.choice([1, 2, 4, 5], 4) * (rng.random(4) < 0.35)
    return replace(
        style,
        square=square,
        premiums=premiums,
        line=line,
        line_width=float(width[int(rng.choice(3, p=(0.06, 0.54, 0.4)))]),
        mark="disc" if rng.random() < 0.06 else style.mark,
        inset=0.16 if rng.random() < 0.07 else style.inset,
        rim=rim,
        rim_band=(margins, square.color if rng.random() < 0.55 else any_color(rng)),
        rim_ink=any_color(rng) if rng.random() < 0.5 else style.rim_ink,
        coordinate_sides=4 if rng.random() < 0.5 else 2,
        frames=tuple(frames),
        legends=(int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3])),
        layout=_other_layout(rng) if rng.random() < 0.07 else None,
    )


Widths = tuple[float, float, float, float]


def _rims(rng: Rng) -> tuple[Widths, Widths]:
    """The rim's widths at the left, top, right and bottom, and those of the band within it."""
    band = (0.0, rng.uniform(0, 0.4), rng.uniform(0.3, 2.2))[rng.choice(3, p=(0.35, 0.35, 0.3))]
    bands = band * (rng.uniform(0.4, 1.6, 4) if rng.random() < 0.3 else np.ones(4))
    rim = (0.02, rng.uniform(0.1, 0.9), rng.uniform(0.9, 3.5))[rng.choice(3, p=(0.12, 0.58, 0.3))]
    rims = np.full(4, rim)
    if rng.random() < 0.4:
        rims[int(rng.integers(4))] += rng.uniform(0, 3.0)
    if rng.random() < 0.2:
        rims *= (1, 0.3, 1, 0.3)
    (a, b, c, d), (e, f, g, h) = (rims + bands).tolist(), bands.tolist()
    return (a, b, c, d), (e, f, g, h)


def _other_layout(rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Premium squares in another arrangement with the usual symmetries."""
    eighth = rng.choice(5, (8, 8), p=(0.7, 0.12, 0.08, 0.06, 0.04)) - 1
    corner = np.where(np.tri(8, dtype=bool).T, eighth, eighth.T)
    half = np.hstack([corner, corner[:, -2::-1]])
    return tuple(map(tuple, np.vstack([half, half[-2::-1]]).tolist()))


def overview_clutter(rng: Rng, board: BoardStyle) -> Clutter:
    """A table of any surface, and things around the board, or anywhere if there is none."""
    usual = random_clutter(rng, board)
    table = usual.table
    if rng.random() < 0.5:
        table = Surface(any_color(rng), str(rng.choice(_TABLES)), float(rng.uniform(0.05, 0.3)))
    elif rng.random() < 0.5:
        two = any_color(rng), any_color(rng)
        table = Surface(two[0], str(rng.choice(_TABLES_OF_TWO)), 0.2, two[1])
    things: list[Thing] = []
    if rng.random() < 0.45:
        wide = float(rng.uniform(19, 32))
        at = (7.5 + float(rng.normal(0, 0.8)), 7.5 + float(rng.normal(0, 0.8)))
        kind = "ring" if rng.random() < 0.3 else "disc"
        color = (235.0, 235.0, 235.0) if kind == "ring" else any_color(rng)
        surface = Surface(color, str(rng.choice(_TABLES)), 0.1)
        things.append(Thing(kind, at, (wide, wide), 0.0, float(rng.uniform(0.05, 1)), surface, 1))
    loose = list(usual.loose) if board.opacity else []
    kinds, shares = list(_THINGS), np.array([share for *_, share in _THINGS.values()])
    for _ in range(int(rng.integers(0, 9))):
        way, far = rng.uniform(0, 2 * math.pi), rng.uniform(_NEAR if board.opacity else 0, _FAR)
        at = (7.5 + float(far * math.cos(way)), 7.5 + float(far * math.sin(way)))
        angle = float(rng.uniform(0, 360))
        if rng.random() < 0.25:
            loose += _some_tiles(rng, at, angle)
            continue
        kind = str(rng.choice(kinds, p=shares / shares.sum()))
        widths, depths, height, _ = _THINGS[kind]
        size = (float(rng.uniform(*widths)), float(rng.uniform(*depths)))
        size = (size[0], size[0]) if kind == "cup" else size
        color = any_color(rng)
        if kind in {"paper", "sheet"} and luminance(color) < 150:
            color = (235.0, 238.0, 240.0)
        surface = Surface(color, "wood" if kind == "rack" else "speckle", 0.04)
        seed = int(rng.integers(1 << 20))
        things.append(Thing(kind, at, size, angle, height, surface, seed))
        if kind == "rack" and rng.random() < 0.6:
            loose += _row(rng, at, angle, int(rng.integers(1, 8)))
    hands = usual.hands if rng.random() < 0.55 else ()
    return Clutter(table, tuple(things), tuple(loose), hands, _REACH)


def _row(rng: Rng, at: tuple[float, float], angle: float, count: int) -> list[LooseTile]:
    """A row of tiles with its middle at a point, in board units."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    steps = (np.arange(count) - (count - 1) / 2) * rng.uniform(0.98, 1.06)
    return [
        LooseTile(
            LETTERS[int(rng.integers(len(LETTERS)))],
            (at[0] + float(step) * c, at[1] + float(step) * s),
            angle + float(rng.normal(0, 3)) + 180.0 * int(rng.integers(2)),
        )
        for step in steps
    ]


def _some_tiles(rng: Rng, at: tuple[float, float], angle: float) -> list[LooseTile]:
    """A row or a scatter of tiles on the table, or the ten-by-ten grid of a whole set."""
    draw = rng.random()
    if draw < 0.6:
        return _row(rng, at, angle, int(rng.integers(1, 8)))
    if draw < 0.93:
        spots = rng.normal(at, 2, (int(rng.integers(2, 25)), 2)).tolist()
        return [_row(rng, (x, y), float(rng.uniform(0, 360)), 1)[0] for x, y in spots]
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    aside = (np.arange(10) - 4.5) * 1.01
    return [t for d in aside for t in _row(rng, (at[0] - d * s, at[1] + d * c), angle, 10)]
