"""Colours of tiles and boards, and random ones near them."""

from __future__ import annotations

import colorsys
from typing import Final

from models.scenes.spec import Color, Rng

TILE_COLORS: Final[dict[str, tuple[int, int, int]]] = {
    "white": (236, 236, 232),
    "cream": (238, 226, 196),
    "ivory": (226, 214, 186),
    "yellow": (240, 228, 120),
    "lime": (214, 236, 120),
    "light blue": (160, 200, 230),
    "light green": (170, 220, 170),
    "lavender": (200, 180, 230),
    "grey": (190, 190, 190),
    "oak": (205, 165, 115),
    "beech": (222, 188, 148),
    "walnut": (130, 90, 62),
    "maroon": (120, 30, 45),
    "pink": (225, 85, 140),
    "pale pink": (240, 185, 200),
    "orange": (235, 120, 40),
    "red": (190, 40, 45),
    "purple": (80, 50, 130),
    "navy": (40, 55, 105),
    "blue": (45, 95, 180),
    "slate": (80, 90, 105),
    "green": (40, 110, 65),
    "teal": (30, 120, 125),
    "black": (32, 32, 34),
}
"""RGB, before each set's own variation."""

BOARD_COLORS: Final[dict[str, tuple[int, int, int]]] = {
    "green": (45, 115, 70),
    "bright green": (70, 150, 60),
    "dark green": (25, 75, 55),
    "teal": (60, 130, 130),
    "sage": (150, 170, 140),
    "yellow": (240, 215, 110),
    "amber": (240, 170, 40),
    "cream": (236, 224, 196),
    "white": (232, 232, 228),
    "beige": (214, 196, 166),
    "grey": (170, 168, 164),
    "dark grey": (80, 80, 84),
    "blue": (50, 90, 160),
    "pale blue": (170, 200, 220),
    "navy": (35, 45, 85),
    "wood": (200, 160, 110),
    "dark wood": (110, 75, 50),
    "red": (150, 40, 40),
    "pink": (225, 190, 185),
    "black": (40, 40, 42),
}


def color(rng: Rng, rgb: tuple[int, int, int], spread: float = 1.0) -> Color:
    """A BGR colour near ``rgb``."""
    h, s, v = colorsys.rgb_to_hsv(*(c / 255 for c in rgb))
    h = (h + rng.normal(0, 0.02 * spread)) % 1.0
    s = min(1.0, max(0.0, s * (1 + rng.normal(0, 0.18 * spread)) + rng.normal(0, 0.02)))
    v = min(1.0, max(0.05, v * (1 + rng.normal(0, 0.1 * spread))))
    r, g, b = colorsys.hsv_to_rgb(h, s, v)
    return (b * 255, g * 255, r * 255)


def luminance(bgr: Color) -> float:
    """Brightness, 0..255."""
    return 0.114 * bgr[0] + 0.587 * bgr[1] + 0.299 * bgr[2]


def any_color(rng: Rng) -> Color:
    """A colour of no particular kind."""
    r, g, b = colorsys.hsv_to_rgb(rng.random(), rng.random() ** 1.5, rng.uniform(0.1, 1))
    return (b * 255, g * 255, r * 255)
