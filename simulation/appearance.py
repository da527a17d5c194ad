"""The appearance of a simulated table: a few boards, sets of tiles, and a camera above them.

They are chosen by hand, not at random, so that a demo looks pleasant with every seed. Letters are
drawn with strokes of our own, which need no font on the machine.
"""

from __future__ import annotations

import random
from typing import Final

from game.tileset import TileSet
from models.scenes.faces import Face
from models.scenes.spec import (
    BoardStyle,
    Clutter,
    Light,
    Placement,
    SceneSpec,
    Sensor,
    Surface,
    TileStyle,
)
from models.scenes.view import Camera

_BOARDS: Final = (
    BoardStyle(
        square=Surface((168, 190, 196), "speckle", 0.05),
        premiums=((214, 196, 150), (170, 110, 40), (178, 160, 232), (60, 60, 205)),
        line=(235, 240, 240),
        line_width=0.05,
        ridge=0.2,
        mark="text",
        mark_color=(50, 45, 45),
        mark_face=Face(weight=0.14),
        rim=(1.2, 1.2, 1.2, 1.2),
        rim_surface=Surface((74, 84, 48), "speckle", 0.05),
        rim_print="coordinates",
        radius=1.0,
    ),
    BoardStyle(
        square=Surface((112, 108, 34), "plain", 0.05),
        premiums=((222, 190, 120), (160, 96, 30), (150, 140, 236), (52, 48, 190)),
        line=(196, 204, 190),
        line_width=0.04,
        mark="code",
        mark_color=(240, 240, 240),
        mark_face=Face(weight=0.16),
        rim=(1.0, 1.0, 1.0, 1.0),
        rim_surface=Surface((52, 50, 20), "plain", 0.05),
        rim_print="coordinates",
        rim_ink=(220, 225, 220),
        radius=0.5,
    ),
    BoardStyle(
        square=Surface((196, 222, 228), "linen", 0.05),
        premiums=((206, 178, 118), (176, 120, 52), (170, 150, 226), (70, 70, 200)),
        line=(120, 140, 150),
        line_width=0.03,
        mark="text",
        mark_color=(60, 55, 55),
        mark_face=Face(weight=0.13),
        rim=(0.9, 0.9, 0.9, 0.9),
        rim_surface=Surface((44, 40, 92), "plain", 0.05),
        radius=0.3,
    ),
)

_TILES: Final = (
    (Surface((150, 205, 232), "wood", 0.12), (25, 25, 30)),
    (Surface((200, 226, 238), "plain", 0.04), (40, 26, 22)),
    (Surface((178, 216, 226), "speckle", 0.05), (20, 20, 24)),
)

_GROUNDS: Final = (
    Surface((70, 98, 130), "wood", 0.25),
    Surface((96, 84, 78), "linen", 0.2),
    Surface((58, 66, 92), "wood", 0.2),
)


def look(seed: int, tile_set: TileSet) -> SceneSpec:
    """Return the appearance of the table of a seed; it stays the same for a whole game."""
    rng = random.Random(f"tilewatch look {seed}")
    surface, ink = rng.choice(_TILES)
    values = tuple((s, v) for s, v in tile_set.values.items() if s.isalpha())
    return SceneSpec(
        seed=rng.randrange(1 << 30),
        board=rng.choice(_BOARDS),
        tiles=TileStyle(
            surface=surface,
            ink=ink,
            face=Face(weight=rng.uniform(0.14, 0.18)),
            digit_face=Face(weight=0.16),
            values=values,
            # A plain back looks like a blank to anybody; these sets have marked ones.
            face_down=rng.choice(("groove", "cross", "logo")),
        ),
        placement=Placement(shift=0.03, askew=2.0, sloppy=0.02),
        light=Light(
            gradient=(rng.uniform(0.05, 0.2), rng.uniform(0, 360)), vignette=0.12, cast=0.35
        ),
        camera=Camera(
            width=1024,
            height=768,
            tilt=rng.uniform(2.0, 10.0),
            azimuth=rng.uniform(40.0, 140.0),
            roll=rng.uniform(-4.0, 4.0),
            scale=40.0,
            focal=1.25,
        ),
        clutter=Clutter(table=rng.choice(_GROUNDS)),
        sensor=Sensor(blur=0.5, noise=2.0),
    )
