"""The renderer: pictures of a table and its board, with their truth.

A :class:`SceneSpec` says how a table looks, fifteen rows what is on the board; a picture comes
out, with the grid's corners, each tile's pose, and what is covered. :class:`Renderer` keeps a table
for many frames. The simulated table shows these pictures, and the weights were trained on them:
``tools.scenes`` draws random tables for that, and has the fonts, the marks of blanks and the things
around a board that those alone have. Nothing here is random but by the seed of its table.

>>> scene = render(SceneSpec(seed=1), ("." * 15,) * 15, np.random.default_rng(1))
"""

from models.scenes.faces import Face
from models.scenes.render import Renderer, render
from models.scenes.spec import (
    BlankMark,
    BoardStyle,
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
from models.scenes.view import CORNERS, Camera

__all__ = [
    "CORNERS",
    "BlankMark",
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
    "render",
]
