"""Random tables for training and for measuring, drawn by the renderer in ``models.scenes``.

>>> rng = np.random.default_rng(1)
>>> spec = random_spec(rng)
>>> scene = render(spec, random_rows(rng), rng)

A random generator comes in. :func:`random_spec` draws a table; its parts can be replaced one by one
(:func:`dataclasses.replace`), or drawn one by one with the other functions. TrueType faces that the
system has letter some of the tiles.
"""

from tools.scenes.draw import (
    random_board,
    random_camera,
    random_placement,
    random_spec,
    random_tiles,
)
from tools.scenes.draw_light import random_light, random_sensor
from tools.scenes.draw_overview import random_overview
from tools.scenes.draw_table import random_clutter, random_hand, random_loose, random_rows

__all__ = [
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
]
