"""Synthetic pictures of boards in play, with their truth.

>>> rng = np.random.default_rng(1)
>>> spec = random_spec(rng)
>>> scene = render(spec, random_rows(rng), rng)

:func:`random_spec` draws a table; its parts can be replaced one by one
(:func:`dataclasses.replace`), or drawn one by one with the other functions. :class:`Renderer`
keeps a table for many frames.
"""

from models.scenes.draw import (
    random_board,
    random_camera,
    random_placement,
    random_spec,
    random_tiles,
)
from models.scenes.draw_light import random_light, random_sensor
from models.scenes.draw_overview import random_overview
from models.scenes.draw_table import random_clutter, random_hand, random_loose, random_rows
from models.scenes.faces import Face
from models.scenes.render import Renderer, render
from models.scenes.spec import (
    BoardStyle,
    Camera,
    Clutter,
    Glare,
    Hand,
    Light,
    LooseTile,
    Placement,
    Scene,
    SceneSpec,
    Sensor,
    Shadow,
    Surface,
    Thing,
    TileStyle,
)
from models.scenes.view import CORNERS

__all__ = [
    "CORNERS",
    "BoardStyle",
    "Camera",
    "Clutter",
    "Face",
    "Glare",
    "Hand",
    "Light",
    "LooseTile",
    "Placement",
    "Renderer",
    "Scene",
    "SceneSpec",
    "Sensor",
    "Shadow",
    "Surface",
    "Thing",
    "TileStyle",
    "random_board",
    "random_camera",
    "random_clutter",
    "random_hand",
    "random_light",
    "random_loose",
    "random_overview",
    "random_placement",
    "random_rows",
    "random_sensor",
    "random_spec",
    "random_tiles",
    "render",
]
